//! A lane does with floats what its reference functions say.

use crate::support::{self, area, float_bench, float_numbers, float_operations, float_reference};
use area::fits;
use float_bench::{check, check_many, lane, near, noisy, simulate, Work};
use float_numbers::number;
use float_operations::{between_floats, comparisons, from_integers, to_integers};
use float_reference::{expected, Op};
use support::{Random, Simulation};
use warpsmith_conformance as conformance;
use warpsmith_hdl::config::{Floats, Semantics};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::{float_format, int_format, round, unit};
use warpsmith_hdl::sm::pipeline::execute::lane::Lane;

/// Sum, product or multiply-add with the signs and the clamp that the low bits of `n` say.
fn arithmetic(unit: u64, mode: u64, n: u32) -> Op {
    Op { unit, round: mode as u32, neg: n & 1 == 1, neg_b: n & 2 != 0, sat: n & 28 == 0, ..Op::default() }
}

/// A number whose product with `a` has an exponent of `around` and less than `more` above it,
/// biased by 254.
fn partner(a: u32, around: u32, more: u32, r: &mut Random) -> u32 {
    let e = (around + r.below(more)).saturating_sub(a >> 23 & 0xff).clamp(1, 254);
    r.word() & 0x807f_ffff | e << 23
}

fn products(mode: u64, seed: u64) {
    check_many(1 << 20, seed, |_, r| {
        let n = r.word();
        let op = arithmetic(unit::FMUL, mode, n);
        let a = number(r);
        // Some pairs whose product lies at the edge of the normal numbers, or of the finite ones.
        let b = match n >> 8 & 7 {
            0 => partner(a, 126, 3, r),
            1 => partner(a, 380, 3, r),
            _ => number(r),
        };
        (noisy(op, r), a, b, r.word())
    });
}

#[test]
fn products_round_to_nearest_exactly() {
    products(round::NEAREST, 0x5EED_0101);
}

#[test]
fn products_truncate_exactly() {
    products(round::ZERO, 0x5EED_0102);
}

#[test]
fn products_equal_the_processors_where_that_has_no_denormals() {
    let mut r = Random(0x5EED_0103);
    let op = Op { unit: unit::FMUL, ..Op::default() };
    for _ in 0..1 << 20 {
        let (a, b) = (number(&mut r), number(&mut r));
        let exact = f32::from_bits(a) * f32::from_bits(b);
        // All operands and results above the smallest normal number.
        if f32::from_bits(a).is_normal() && f32::from_bits(b).is_normal() && exact.abs() > f32::MIN_POSITIVE {
            assert_eq!(expected(&op, a, b, 0).0, exact.to_bits(), "{a:08x} * {b:08x}");
        }
    }
}

fn sums(mode: u64, seed: u64) {
    check_many(1 << 20, seed, |_, r| {
        let n = r.word();
        let op = arithmetic(unit::FADD, mode, n);
        let a = number(r);
        let b = near(a, r);
        (noisy(op, r), a, b, r.word())
    });
}

#[test]
fn sums_round_to_nearest_exactly() {
    sums(round::NEAREST, 0x5EED_0108);
}

#[test]
fn sums_truncate_exactly() {
    sums(round::ZERO, 0x5EED_0109);
}

#[test]
fn sums_equal_the_processors_where_that_has_no_denormals() {
    let mut r = Random(0x5EED_010A);
    let op = Op { unit: unit::FADD, ..Op::default() };
    for _ in 0..1 << 20 {
        let a = number(&mut r);
        let b = near(a, &mut r);
        let (x, y) = (f32::from_bits(a), f32::from_bits(b));
        let exact = x + y;
        if x.is_normal() && y.is_normal() && (exact.is_normal() || exact == 0.0) {
            let want = expected(&op, a, b, 0).0;
            assert_eq!(want, exact.to_bits(), "{a:08x} + {b:08x}");
        }
    }
}

#[test]
fn multiply_adds_truncate_the_product_alone() {
    check_many(3 << 20, 0x5EED_010B, |_, r| {
        let n = r.word();
        let op = arithmetic(unit::FMAD, round::NEAREST, n);
        let a = number(r);
        // Some products about the least and the largest number, far below and far above.
        let b = match n >> 8 & 7 {
            0 => partner(a, 98, 60, r),
            1 => partner(a, 350, 60, r),
            _ => number(r),
        };
        let c = match n >> 12 & 15 {
            0 => number(r),
            1 => r.word() & 0x80ff_ffff,
            _ => near(expected(&Op { unit: unit::FMUL, ..Op::default() }, a, b, 0).0, r),
        };
        (noisy(op, r), a, b, c)
    });
}

/// Sums just below the smallest normal number: the last rounding is one place higher there.
#[test]
fn multiply_adds_below_the_normal_range_round_as_the_hardware() {
    check_many(1 << 20, 0x5EED_010C, |_, r| {
        let op = Op { unit: unit::FMAD, neg: r.below(2) == 1, ..Op::default() };
        let c = r.word() & 0x8000_000f | 1 << 23 | r.below(2) << 23;
        let a = r.word() & 0x807f_ffff | (1 + r.below(60)) << 23;
        let e = (126u32 + r.below(3)).saturating_sub(a >> 23 & 0xff).max(1);
        let few = r.word() & 0x807f_ffff & u32::MAX << r.below(24);
        (op, a, few | e << 23, c)
    });
}

#[test]
fn comparisons_and_choices_are_exact() {
    let ops = comparisons();
    check_many(1 << 20, 0x5EED_010D, |i, r| {
        let op = noisy(ops[i * 127 % ops.len()], r);
        let a = number(r);
        let b = match r.below(3) {
            0 => a ^ r.below(2) << 31,
            1 => near(a, r),
            _ => number(r),
        };
        (op, a, b, number(r))
    });
}

#[test]
fn comparisons_of_all_corners_are_exact() {
    let corners = [0, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7f80_0001, 0x7fff_ffff];
    let words: Vec<u32> = corners.iter().flat_map(|w| [*w, w | 1 << 31]).collect();
    let (ops, n) = (comparisons(), words.len());
    check_many(ops.len() * n * n, 0x5EED_010E, |i, r| {
        let (a, b) = (words[i % n], words[i / n % n]);
        (noisy(ops[i / n / n], r), a, b, words[(i + i / n) % n])
    });
}

#[test]
fn float_and_integer_operations_do_not_disturb_each_other() {
    let floats: Vec<Op> = to_integers()
        .into_iter()
        .chain(from_integers())
        .chain(between_floats())
        .chain(comparisons())
        .chain([unit::RRO_SIN, unit::RRO_EX2, unit::FADD, unit::FMAD].map(|unit| Op { unit, ..Op::default() }))
        .collect();
    let n = floats.len();
    let Some(lane) = lane() else { return };
    let mut r = Random(0x5EED_0107);
    // Every other operation is an integer one; what it gives is another test's business.
    let work: Vec<Work> = (0..1 << 17)
        .map(|i| {
            let op = match i % 4 {
                0 => Op { unit: unit::FMUL, ..Op::default() },
                2 => floats[i / 4 * 31 % n],
                _ => Op { unit: (i as u64 >> 1) % 8, noise: r.word(), ..Op::default() },
            };
            (op, number(&mut r), number(&mut r), number(&mut r))
        })
        .collect();
    for ((op, a, b, c), got) in work.iter().zip(simulate(lane, &work)) {
        if op.unit >= unit::FMUL || op.real {
            assert_eq!(got, expected(op, *a, *b, *c), "{op:?} {a:08x} {b:08x} {c:08x}");
        }
    }
}

/// The lane's operation a row of the vector file names.
fn vector_operation(name: &str) -> Option<Op> {
    let parts: Vec<&str> = name.split('.').collect();
    let integer = |t: &str| int_format::code(t.starts_with('S'), t[1..].parse().unwrap_or(32)) as u32;
    let mode = |m: &str| ["rn", "rm", "rp", "rz"].iter().position(|p| m.starts_with(p)).unwrap_or(0) as u32;
    Some(match parts[..] {
        ["FMUL", m] => Op { unit: unit::FMUL, round: mode(m), ..Op::default() },
        ["FADD", m] => Op { unit: unit::FADD, round: mode(m), ..Op::default() },
        ["FMAD"] => Op { unit: unit::FMAD, ..Op::default() },
        ["FMIN"] | ["FMAX"] => Op { unit: unit::MINMAX, real: true, right: name == "FMAX", ..Op::default() },
        ["F2F", "F32", "F32"] => {
            Op { unit: unit::F2F, from: float_format::F32 as u32, to: float_format::F32 as u32, ..Op::default() }
        }
        ["F2F", "rint", m] => Op {
            unit: unit::F2F,
            from: float_format::F32 as u32,
            to: float_format::F32 as u32,
            high: true,
            round: mode(m),
            ..Op::default()
        },
        ["F2F", "F16", "F32"] | ["F2F", "F32", "F16"] => return None,
        ["RRO", f] => Op { unit: if f == "SIN" { unit::RRO_SIN } else { unit::RRO_EX2 }, ..Op::default() },
        ["F2I", t, m] => {
            Op { unit: unit::F2I, from: float_format::F32 as u32, to: integer(t), round: mode(m), ..Op::default() }
        }
        ["I2F", t, m] => {
            Op { unit: unit::I2F, from: integer(t), to: float_format::F32 as u32, round: mode(m), ..Op::default() }
        }
        _ => return None,
    })
}

#[test]
fn float_vectors_of_the_g80_match() {
    let Some(lane) = lane() else { return };
    let mut operations = 0;
    for operation in conformance::arithmetic() {
        let name = &operation.name;
        let Some(op) = vector_operation(name) else { continue };
        operations += 1;
        // Conversions of integers and reductions say nothing of flags.
        let flagged = !matches!(op.unit, unit::F2I | unit::I2F | unit::RRO_SIN | unit::RRO_EX2);
        let operands = |r: &conformance::Outcome| {
            let at = |i: usize| r.operands.get(i).copied().unwrap_or(0);
            (op, at(0), at(1), at(2))
        };
        let rows = &operation.results;
        let work: Vec<Work> = rows.iter().map(operands).collect();
        for ((row, (_, a, b, c)), got) in rows.iter().zip(&work).zip(simulate(lane, &work)) {
            assert_eq!(got.0, row.result, "{name} {a:08x} {b:08x} {c:08x}");
            if flagged {
                let flags = row.flags.unwrap();
                assert_eq!(got.1, flags, "flags of {name} {a:08x} {b:08x} {c:08x}");
            }
            assert_eq!(got, expected(&op, *a, *b, *c), "the reference function, {name} {a:08x} {b:08x} {c:08x}");
        }
    }
    assert_eq!(operations, 30, "floats without special functions in the vector file");
}

#[test]
fn comparisons_of_the_g80_match() {
    let Some(lane) = lane() else { return };
    let all = conformance::arithmetic();
    let set = all.iter().find(|o| o.name == "FSET.relation").unwrap();
    // One comparison with each condition; the row says which of them is the relation.
    for (relation, bit) in [(0, 2), (1, 1), (2, 0), (3, 3)] {
        let op = Op { unit: unit::SET, real: true, cond: 1 << bit, ..Op::default() };
        let work: Vec<Work> = set.results.iter().map(|r| (op, r.operands[0], r.operands[1], 0)).collect();
        for (row, got) in set.results.iter().zip(simulate(lane, &work)) {
            let want = if row.result == relation { (u32::MAX, 2) } else { (0, 1) };
            assert_eq!(got, want, "{:08x?} is relation {relation}", row.operands);
        }
    }
}

/// A chip without `float` keeps what a division of integers needs.
#[test]
fn the_lane_without_float_multiplies_and_converts_the_same() {
    let Some(lane) = Simulation::build(&emit_leaf(&Lane::new(Floats::Division, Semantics::G80))) else { return };
    let mut r = Random(0x5EED_0112);
    let ops: Vec<Op> = to_integers().into_iter().chain(from_integers()).collect();
    let work: Vec<Work> = (0..1 << 20)
        .map(|i| {
            let n = r.word();
            let product =
                Op { unit: unit::FMUL, round: if n & 1 == 1 { 3 } else { 0 }, neg: n & 2 != 0, ..Op::default() };
            let op = if i & 1 == 0 { product } else { ops[i * 127 % ops.len()] };
            let a = number(&mut r);
            let e = (124 + r.below(6)).saturating_sub(a >> 23 & 0xff).clamp(1, 254);
            let b = match r.below(3) {
                0 => r.word() & 0x807f_ffff | e << 23,
                _ => number(&mut r),
            };
            (noisy(op, &mut r), a, b, r.word())
        })
        .collect();
    check(&lane, &work);
}

#[test]
fn the_lane_lints_clean_and_fits_its_area() {
    let limits = [("LUT", 1900), ("DSP48E1", 2), ("FD", 580)];
    fits(&emit_leaf(&Lane::new(Floats::All, Semantics::G80)), "lane", limits);
}
