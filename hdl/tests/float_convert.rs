//! A lane converts between floats and integers, and reduces ranges, as its reference functions say.

use crate::support::{float_bench, float_numbers, float_operations, float_reference};
use float_bench::{check_many, noisy};
use float_numbers::number;
use float_operations::{between_floats, from_integers, to_integers};
use float_reference::Op;
use warpsmith_hdl::sm::control::{float_format, unit};

#[test]
fn integers_become_floats_exactly() {
    let ops = from_integers();
    check_many(3 << 19, 0x5EED_0104, |i, r| {
        let op = noisy(ops[i * 127 % ops.len()], r);
        (op, number(r), r.word(), r.word())
    });
}

#[test]
fn floats_become_integers_exactly() {
    let ops = to_integers();
    check_many(3 << 19, 0x5EED_0105, |i, r| {
        let op = noisy(ops[i * 61 % ops.len()], r);
        // Numbers of -1/2 .. 34 bits most of the time.
        let x = match r.below(3) {
            0 if op.from == float_format::F32 as u32 => r.word() & 0x807f_ffff | (124 + r.below(38)) << 23,
            _ => number(r),
        };
        (op, x, r.word(), r.word())
    });
}

#[test]
fn every_half_becomes_an_integer_and_every_short_integer_a_float() {
    let all: Vec<Op> = to_integers().into_iter().chain(from_integers()).collect();
    let short = |o: &Op| o.from & 3 == 1 && (o.unit == unit::F2I || !o.sat);
    let ops: Vec<Op> = all.into_iter().filter(short).collect();
    check_many(ops.len() << 16, 0x5EED_0106, |i, r| (ops[i >> 16], (i as u32 & 0xffff) | r.word() << 16, 0, 0));
}

#[test]
fn floats_become_floats_exactly() {
    let ops = between_floats();
    check_many(3 << 19, 0x5EED_010F, |i, r| {
        let op = noisy(ops[i * 61 % ops.len()], r);
        let x = match r.below(4) {
            // Half precision's range, and integers with a fraction.
            0 => r.word() & 0x807f_ffff | (90 + r.below(60)) << 23,
            1 => r.word() & 0x8000_0000 | ((r.below(1 << 12) as f32 + 0.5) / 16.0).to_bits(),
            _ => number(r),
        };
        (op, x, r.word(), r.word())
    });
}

#[test]
fn every_half_becomes_a_float() {
    let short = |o: &Op| o.from == float_format::F16 as u32;
    let ops: Vec<Op> = between_floats().into_iter().filter(short).collect();
    check_many(ops.len() << 16, 0x5EED_0110, |i, r| {
        let x = (i as u32 & 0xffff) | r.word() << 16;
        (ops[i >> 16], x, 0, 0)
    });
}

#[test]
fn range_reductions_are_exact() {
    check_many(1 << 20, 0x5EED_0111, |i, r| {
        let op = Op { unit: [unit::RRO_SIN, unit::RRO_EX2][i & 1], neg: i & 2 != 0, abs: i & 4 != 0, ..Op::default() };
        let x = match i >> 3 & 3 {
            0 => number(r),
            _ => r.word() & 0x807f_ffff | (i as u32 >> 5 & 0xff) << 23,
        };
        (noisy(op, r), x, r.word(), r.word())
    });
}
