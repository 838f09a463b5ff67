//! Operations of a lane on integers, and what the golden model makes of them.

use super::float_reference::int_type;
use super::uop_reference::control_word;
use warpsmith_hdl::sm::control::{unit, AluControl};
use warpsmith_isa::{AddKind, LogicOp, Width};
use warpsmith_model::num::{convert, int};

control_word! {
    /// An operation of the lane.
    Op of AluControl {
        unit: u64, w16: bool, kind: u32, sat: bool, signed_a: bool, signed_b: bool, mul24: bool, high: bool,
        accumulate: bool, cond: u32, right: bool, logic: u32, not_a: bool, not_b: bool, from: u32, to: u32, neg: bool,
        abs: bool,
    }
}

/// Operands: a, b, c and the carry flag.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub carry: bool,
}

/// Result and flags.
pub fn expected(op: &Op, x: &Operands) -> (u32, u32) {
    let (width, mask) = if op.w16 { (Width::W16, 0xffff) } else { (Width::W32, u32::MAX) };
    let kind = [AddKind::Add, AddKind::Sub, AddKind::Subr, AddKind::Addc][op.kind as usize];
    let Operands { a, b, c, carry } = *x;
    let (r, flags) = match op.unit {
        unit::ADD if op.w16 => int::add16(kind, a, b, carry, op.sat),
        unit::ADD => int::add32(kind, a, b, carry, op.sat),
        unit::MUL => {
            let p = product(op, a, b);
            match op.accumulate {
                true => int::add32(kind, p, c, carry, op.sat),
                false => (p, int::flags32(p)),
            }
        }
        unit::SAD => int::sad(width, op.signed_a, a, b, c),
        unit::SET => int::set(op.cond as u8, width, op.signed_a, a, b),
        unit::MINMAX => int::min_max(op.right, width, op.signed_a, a, b),
        unit::SHIFT => int::shift(op.right, op.signed_a, width, a, b),
        unit::LOGIC => {
            let logic = [LogicOp::And, LogicOp::Or, LogicOp::Xor, LogicOp::PassB][op.logic as usize];
            int::logic(logic, op.not_a, op.not_b, width, a, b)
        }
        _ => {
            let r = convert::i2i(a, int_type(op.from), int_type(op.to), op.neg, op.abs) & mask;
            (r, int::flags_of(width, r))
        }
    };
    (r, flags.into())
}

fn product(op: &Op, a: u32, b: u32) -> u32 {
    match (op.mul24, op.high) {
        (false, false) => int::mul16(op.signed_a, op.signed_b, a, b),
        (true, high) if op.signed_a == op.signed_b => int::mul24(op.signed_a, high, a, b),
        // Of no instruction, so not of the model either.
        (mul24, high) => {
            let factor = |x: u32, signed: bool| {
                let x = i64::from(x) << if mul24 { 40 } else { 48 };
                let x = x >> if mul24 { 40 } else { 48 };
                if signed {
                    x
                } else {
                    x & if mul24 { 0xff_ffff } else { 0xffff }
                }
            };
            let p = factor(a, op.signed_a) * factor(b, op.signed_b);
            (if high { p >> 16 } else { p }) as u32
        }
    }
}
