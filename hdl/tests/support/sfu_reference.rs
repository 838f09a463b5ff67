//! Operations of a special-function unit, and what the golden model makes of them.

use warpsmith_hdl::sm::control::function;
use warpsmith_isa::SfuFn;
use warpsmith_model::num::{float, sfu};

/// The six functions.
pub const FUNCTIONS: [(u64, &str); 6] = [
    (function::RCP, "RCP"),
    (function::RSQ, "RSQ"),
    (function::LG2, "LG2"),
    (function::SIN, "SIN"),
    (function::COS, "COS"),
    (function::EX2, "EX2"),
];

/// One operation of the unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Op {
    pub func: u64,
    pub neg: bool,
    pub abs: bool,
    pub sat: bool,
    pub x: u32,
}

/// Result of `op`.
pub fn expected(op: &Op) -> u32 {
    let f = match op.func {
        function::RCP => SfuFn::Rcp,
        function::RSQ => SfuFn::Rsq,
        function::LG2 => SfuFn::Lg2,
        function::SIN => SfuFn::Sin,
        function::COS => SfuFn::Cos,
        function::EX2 => SfuFn::Ex2,
        other => panic!("function {other}"),
    };
    match sfu::apply(f, float::modify(op.x, op.abs, op.neg)) {
        // The clamp belongs to EX2 alone.
        y if op.sat && op.func == function::EX2 => float::saturate(y),
        y => y,
    }
}
