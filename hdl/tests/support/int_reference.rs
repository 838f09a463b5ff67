//! Operations of a lane on integers, and what the golden model makes of them.

use super::float_reference::int_type;
use warpsmith_hdl::sm::control::unit;
use warpsmith_isa::{AddKind, LogicOp, Width};
use warpsmith_model::num::{convert, int};

/// An operation of the lane: the fields of `AluControl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub unit: u64,
    pub w16: bool,
    pub kind: u32,
    pub sat: bool,
    pub signed_a: bool,
    pub signed_b: bool,
    pub mul24: bool,
    pub high: bool,
    pub accumulate: bool,
    pub cond: u32,
    pub right: bool,
    pub logic: u32,
    pub not_a: bool,
    pub not_b: bool,
    pub from: u32,
    pub to: u32,
    pub neg: bool,
    pub abs: bool,
}

impl Op {
    /// The control word, first field lowest.
    pub fn word(&self) -> u32 {
        let fields = [
            (self.unit as u32, 4),
            (self.w16.into(), 1),
            (self.kind, 2),
            (self.sat.into(), 1),
            (self.signed_a.into(), 1),
            (self.signed_b.into(), 1),
            (self.mul24.into(), 1),
            (self.high.into(), 1),
            (self.accumulate.into(), 1),
            (self.cond, 3),
            (self.right.into(), 1),
            (self.logic, 2),
            (self.not_a.into(), 1),
            (self.not_b.into(), 1),
            (self.from, 3),
            (self.to, 3),
            (self.neg.into(), 1),
            (self.abs.into(), 1),
        ];
        let mut at = 0;
        fields.iter().fold(0, |word, (value, width)| {
            at += width;
            word | value << (at - width)
        })
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
