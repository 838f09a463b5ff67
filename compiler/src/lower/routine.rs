//! Long operations as routines in PTX, chosen by operation and chip.

use std::sync::OnceLock;

use crate::error::CompileError;
use crate::ptx;
use crate::ptx::ast::{Module, VarId};
use warpsmith_isa::{print, ChipInfo as Target, Level};

/// The routines as text; functions that pass registers. Those of reductions and of printf have gaps.
const TEXT: [&str; 2] = [include_str!("routine.ptx"), include_str!("warp.ptx")];
const REDUCTION: &str = include_str!("warp_redux.ptx");
const PRINT: &str = include_str!("print.ptx");

/// How the names of routines begin.
pub(super) const PREFIX: &str = "__warpsmith_";

/// How the names of routines for floats of 64 bits begin, which are called.
pub(super) const DOUBLES: &str = "__ws_f64_";

/// How the names of routines of OpenCL C begin, which are called: reads of images.
const READS: &str = "__ws_called_";

/// Whether a function is called, not inlined.
pub(super) fn is_called(name: &str) -> bool {
    name.starts_with(DOUBLES) || name.starts_with(READS)
}

/// Variables of the arguments and results of a routine that is called.
pub(super) struct Signature {
    pub args: Vec<VarId>,
    pub results: Vec<VarId>,
}

/// Operations of `redux.sync` in PTX, and what leaves the other operand as it is.
pub(super) const REDUCTIONS: [(&str, u32); 8] = [
    ("add.u32", 0),
    ("min.u32", u32::MAX),
    ("max.u32", 0),
    ("min.s32", i32::MAX as u32),
    ("max.s32", i32::MIN as u32),
    ("and.b32", u32::MAX),
    ("or.b32", 0),
    ("xor.b32", 0),
];

/// Name of the routine of a reduction.
pub(super) fn reduction(operation: &str) -> String {
    format!("{PREFIX}redux_{}", operation.replace('.', "_"))
}

/// All routines, read once.
pub(super) fn module() -> Result<&'static Module, CompileError> {
    static MODULE: OnceLock<Result<Module, CompileError>> = OnceLock::new();
    MODULE.get_or_init(|| ptx::parse(&text(), "routine.ptx")).as_ref().map_err(Clone::clone)
}

/// The text of all routines.
fn text() -> String {
    let reduction = |(operation, neutral): &(&str, u32)| {
        let short = reduction(operation);
        let name = short.trim_start_matches(PREFIX).trim_start_matches("redux_");
        let filled = REDUCTION.replace("NAME", name).replace("NEUTRAL", &neutral.to_string());
        filled.replace("OPERATION", operation)
    };
    let print = [
        ("BUFFER", print::BUFFER.to_string()),
        ("ASSERT_TEXT", print::ASSERT_TEXT.to_string()),
        ("REGION_BYTES", print::REGION_BYTES.to_string()),
        ("REGION_HEAD", print::REGION_HEAD.to_string()),
        ("BITS_BELOW", (64 - print::REGION_BYTES.ilog2()).to_string()),
        ("RECORDS", (print::HEAD + print::REGION_HEAD).to_string()),
        ("HEAD", print::HEAD.to_string()),
        ("ROOM", (print::REGION_BYTES - print::REGION_HEAD).to_string()),
    ];
    let print = print.iter().fold(PRINT.to_string(), |text, (gap, value)| text.replace(gap, value));
    TEXT.iter().map(|t| t.to_string()).chain(REDUCTIONS.iter().map(reduction)).chain([print]).collect()
}

/// Whether a routine is a vote of the active threads that a chip of SM 1.2 takes: over all of them, or over any.
pub(super) fn vote(name: &str) -> Option<bool> {
    match name.strip_prefix(PREFIX)? {
        "all" => Some(true),
        "any" => Some(false),
        _ => None,
    }
}

/// The routine that a function of the headers stands for: on some chips another one than on others.
pub(super) fn named<'a>(name: &'a str, target: &Target) -> &'a str {
    match name {
        print::TAKE if target.tier.level() < Level::Sm11 => "__warpsmith_print_region",
        print::TAKE => "__warpsmith_print_atomic",
        name if target.tier.level() >= Level::Sm12 => match vote(name) {
            Some(true) => "__warpsmith_vote_all",
            Some(false) => "__warpsmith_vote_any",
            None => name,
        },
        name => name,
    }
}

/// Name of the routine that stands for an operation; `None` where instructions are lowered directly.
pub(super) fn of(op: &str, target: &Target) -> Option<&'static str> {
    let short = !(target.float() && target.sfu());
    Some(match op {
        "div.u64" => "__warpsmith_div_u64",
        "div.s64" => "__warpsmith_div_s64",
        "rem.u64" => "__warpsmith_rem_u64",
        "rem.s64" => "__warpsmith_rem_s64",
        "div.u32" if short => "__warpsmith_div_u32",
        "div.s32" if short => "__warpsmith_div_s32",
        "rem.u32" if short => "__warpsmith_rem_u32",
        "rem.s32" if short => "__warpsmith_rem_s32",
        "div.u16" if short => "__warpsmith_div_u16",
        "div.s16" if short => "__warpsmith_div_s16",
        "rem.u16" if short => "__warpsmith_rem_u16",
        "rem.s16" if short => "__warpsmith_rem_s16",
        _ => return None,
    })
}
