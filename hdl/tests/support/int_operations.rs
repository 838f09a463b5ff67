//! Which operations and operands the integer lane is tried with.

use super::int_reference::{Op, Operands};
use crate::support::Random;
use warpsmith_hdl::sm::control::{int_format, unit};

/// Every unit with every setting of the fields it reads.
pub fn every_operation() -> Vec<Op> {
    let mut ops = vec![];
    let flag = |n: u32, bit: u32| n >> bit & 1 == 1;
    for n in 0..16 {
        ops.push(Op { unit: unit::ADD, w16: flag(n, 0), sat: flag(n, 1), kind: n >> 2, ..Op::default() });
        let (w16, signed_a, right) = (flag(n, 0), flag(n, 1), flag(n, 2));
        ops.push(Op { unit: unit::SAD, w16, signed_a, ..Op::default() });
        ops.push(Op { unit: unit::MINMAX, w16, signed_a, right, ..Op::default() });
        ops.push(Op { unit: unit::SHIFT, w16, signed_a, right, ..Op::default() });
    }
    for n in 0..32 {
        let (w16, signed_a) = (flag(n, 0), flag(n, 1));
        ops.push(Op { unit: unit::SET, w16, signed_a, cond: n >> 2, ..Op::default() });
        let (not_a, not_b) = (flag(n, 1), flag(n, 2));
        ops.push(Op { unit: unit::LOGIC, w16, not_a, not_b, logic: n >> 3, ..Op::default() });
    }
    for n in 0..256 {
        ops.push(Op {
            unit: unit::MUL,
            signed_a: flag(n, 0),
            signed_b: flag(n, 1),
            mul24: flag(n, 2),
            high: flag(n, 3),
            accumulate: flag(n, 4),
            sat: flag(n, 5),
            kind: n >> 6,
            ..Op::default()
        });
    }
    for from in formats() {
        for to in formats() {
            for n in 0..8 {
                let (neg, abs, w16) = (flag(n, 0), flag(n, 1), flag(n, 2));
                if !w16 || to & 3 != 2 {
                    ops.push(Op { unit: unit::CONVERT, from, to, neg, abs, w16, ..Op::default() });
                }
            }
        }
    }
    ops
}

fn formats() -> Vec<u32> {
    let code = |bits| [false, true].map(|s| int_format::code(s, bits) as u32);
    [8, 16, 32].into_iter().flat_map(code).collect()
}

/// Sets the fields the unit of `op` does not read to anything.
pub fn disturb(op: &Op, r: &mut Random) -> Op {
    let noise = r.word();
    let bit = |n: u32| noise >> n & 1 == 1;
    let mut d = Op {
        w16: bit(0),
        kind: noise >> 1 & 3,
        sat: bit(3),
        signed_a: bit(4),
        signed_b: bit(5),
        mul24: bit(6),
        high: bit(7),
        accumulate: bit(8),
        cond: noise >> 9 & 7,
        right: bit(12),
        logic: noise >> 13 & 3,
        not_a: bit(15),
        not_b: bit(16),
        from: noise >> 17 & 7,
        to: noise >> 20 & 7,
        neg: bit(23),
        abs: bit(24),
        unit: op.unit,
    };
    if op.unit != unit::MUL {
        d.w16 = op.w16;
    }
    match op.unit {
        unit::ADD => (d.kind, d.sat) = (op.kind, op.sat),
        unit::MUL => {
            (d.signed_a, d.signed_b, d.mul24) = (op.signed_a, op.signed_b, op.mul24);
            (d.high, d.accumulate) = (op.high, op.accumulate);
            if op.accumulate {
                (d.kind, d.sat) = (op.kind, op.sat);
            }
        }
        unit::SAD => d.signed_a = op.signed_a,
        unit::SET => (d.signed_a, d.cond) = (op.signed_a, op.cond),
        unit::MINMAX | unit::SHIFT => (d.signed_a, d.right) = (op.signed_a, op.right),
        unit::LOGIC => (d.logic, d.not_a, d.not_b) = (op.logic, op.not_a, op.not_b),
        _ => (d.from, d.to, d.neg, d.abs) = (op.from, op.to, op.neg, op.abs),
    }
    d
}

/// A word where carries, signs and limits of some width change, or a random one.
pub fn operand(r: &mut Random) -> u32 {
    let edge = 1u32 << r.below(32);
    match r.below(8) {
        0 => 0,
        1 => u32::MAX >> r.below(32),
        2 => edge.wrapping_sub(1),
        3 => edge.wrapping_neg(),
        4 => edge.wrapping_add(r.below(3)).wrapping_sub(1),
        5 => r.below(512).wrapping_sub(256),
        _ => r.word(),
    }
}

/// Operands that suit `op`.
pub fn operands(op: &Op, r: &mut Random) -> Operands {
    let (a, c) = (operand(r), operand(r));
    let b = match r.below(4) {
        0 => a.wrapping_add(r.below(3)).wrapping_sub(1),
        1 if op.unit == unit::SHIFT => 1,
        2 if op.unit == unit::SHIFT => r.below(70),
        _ => operand(r),
    };
    // The upper half of a 16-bit operand arrives as zero; that it is not read is tested as well.
    let half = op.w16 && op.unit != unit::CONVERT && r.below(4) != 0;
    let mask = if half { 0xffff } else { u32::MAX };
    Operands { a: a & mask, b: b & mask, c, carry: r.below(2) == 1 }
}

/// A 32-bit (or 16-bit) word from eight bits: both ends free, the middle all zeros or all ones.
pub fn pattern(v: u32, w16: bool) -> u32 {
    let middle = if v >> 4 & 1 == 1 { u32::MAX } else { 0 };
    let low = v & 15;
    match w16 {
        true => (v >> 4) << 12 | middle & 0x0ff0 | low,
        false => (v >> 4) << 28 | middle & 0x0fff_fff0 | low,
    }
}
