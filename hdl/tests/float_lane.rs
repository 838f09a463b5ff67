//! A lane does with floats what its reference functions say.

#[path = "support/area.rs"]
mod area;
#[path = "support/float_numbers.rs"]
mod float_numbers;
#[path = "support/float_reference.rs"]
mod float_reference;
mod support;

use area::fits;
use float_numbers::{flag, number};
use float_reference::{expected, Op};
use std::sync::OnceLock;
use support::{Random, Simulation};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::{float_format, int_format, round, unit};
use warpsmith_hdl::sm::execute::lane::Lane;

/// Cycles from operands to result.
const LATENCY: usize = 5;
/// Operations issued in one run.
const BATCH: usize = 1 << 18;

type Work = (Op, u32, u32);

fn lane() -> Option<&'static Simulation> {
    static LANE: OnceLock<Option<Simulation>> = OnceLock::new();
    LANE.get_or_init(|| Simulation::build("float_lane", &emit_leaf(&Lane::new())))
        .as_ref()
}

fn simulate(lane: &Simulation, work: &[Work]) -> Vec<(u32, u32)> {
    let row = |(op, a, b): &Work| vec![op.word(), 0, *a, *b, !a, op.noise >> 31];
    let mut rows: Vec<Vec<u32>> = work.iter().map(row).collect();
    rows.resize(work.len() + LATENCY, vec![0; 6]);
    lane.run(&rows)[LATENCY..]
        .iter()
        .map(|r| (r[0], r[1]))
        .collect()
}

fn check(lane: &Simulation, work: &[Work]) {
    let wrong: Vec<String> = work
        .iter()
        .zip(simulate(lane, work))
        .filter(|((op, a, b), got)| expected(op, *a, *b) != *got)
        .take(5)
        .map(|((op, a, b), got)| {
            let want = expected(op, *a, *b);
            format!("{op:?}\n  {a:08x} {b:08x}\n  lane {got:x?}, reference {want:x?}")
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "lane differs from the reference:\n{}",
        wrong.join("\n")
    );
}

/// Runs `count` operations that `make` chooses, in batches.
fn check_many(count: usize, seed: u64, mut make: impl FnMut(usize, &mut Random) -> Work) {
    let Some(lane) = lane() else { return };
    let mut r = Random(seed);
    for start in (0..count).step_by(BATCH) {
        let end = count.min(start + BATCH);
        check(
            lane,
            &(start..end).map(|i| make(i, &mut r)).collect::<Vec<_>>(),
        );
    }
}

fn noisy(op: Op, r: &mut Random) -> Op {
    let noise = r.word();
    let bit = |n: u32| noise >> n & 1 == 1;
    match op.unit {
        unit::FMUL => Op {
            noise,
            from: noise & 7,
            to: noise >> 21 & 7,
            abs: bit(24),
            ..op
        },
        unit::F2I => Op {
            noise,
            sat: bit(25),
            neg_b: bit(26),
            ..op
        },
        _ => Op {
            noise,
            neg_b: bit(26),
            ..op
        },
    }
}

fn products(mode: u64, seed: u64) {
    check_many(1 << 20, seed, |_, r| {
        let n = r.word();
        let op = Op {
            unit: unit::FMUL,
            round: mode as u32,
            neg: n & 1 == 1,
            neg_b: n & 2 != 0,
            sat: n & 28 == 0,
            ..Op::default()
        };
        let a = number(r);
        // Some pairs whose product lies at the edge of the normal numbers, or of the finite ones.
        let partner = |around: u32, r: &mut Random| {
            let e = (around + r.below(3))
                .saturating_sub(a >> 23 & 0xff)
                .clamp(1, 254);
            r.word() & 0x807f_ffff | e << 23
        };
        let b = match n >> 8 & 7 {
            0 => partner(126, r),
            1 => partner(380, r),
            _ => number(r),
        };
        (noisy(op, r), a, b)
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
    let op = Op {
        unit: unit::FMUL,
        ..Op::default()
    };
    for _ in 0..1 << 20 {
        let (a, b) = (number(&mut r), number(&mut r));
        let exact = f32::from_bits(a) * f32::from_bits(b);
        // All operands and results above the smallest normal number.
        if f32::from_bits(a).is_normal()
            && f32::from_bits(b).is_normal()
            && exact.abs() > f32::MIN_POSITIVE
        {
            assert_eq!(expected(&op, a, b).0, exact.to_bits(), "{a:08x} * {b:08x}");
        }
    }
}

/// Every conversion from integers with every option.
fn from_integers() -> Vec<Op> {
    let mut ops = vec![];
    for from in [0, 1, 2, 4, 5, 6] {
        for to in [float_format::F16 as u32, float_format::F32 as u32] {
            for n in 0..32 {
                let round = n as u32 >> 3;
                ops.push(Op {
                    unit: unit::I2F,
                    from,
                    to,
                    neg: flag(n, 0),
                    abs: flag(n, 1),
                    sat: flag(n, 2),
                    round,
                    ..Op::default()
                });
            }
        }
    }
    ops
}

/// Every conversion to integers with every option.
fn to_integers() -> Vec<Op> {
    let mut ops = vec![];
    for from in [float_format::F16 as u32, float_format::F32 as u32] {
        for to in [1, 2, 5, 6] {
            for n in 0..16 {
                let round = n as u32 >> 2;
                ops.push(Op {
                    unit: unit::F2I,
                    from,
                    to,
                    neg: flag(n, 0),
                    abs: flag(n, 1),
                    round,
                    ..Op::default()
                });
            }
        }
    }
    ops
}

#[test]
fn integers_become_floats_exactly() {
    let ops = from_integers();
    check_many(3 << 19, 0x5EED_0104, |i, r| {
        (noisy(ops[i * 127 % ops.len()], r), number(r), r.word())
    });
}

#[test]
fn floats_become_integers_exactly() {
    let ops = to_integers();
    check_many(3 << 19, 0x5EED_0105, |i, r| {
        let op = noisy(ops[i * 61 % ops.len()], r);
        // Numbers of -1/2 .. 34 bits most of the time.
        let x = match r.below(3) {
            0 if op.from == float_format::F32 as u32 => {
                r.word() & 0x807f_ffff | (124 + r.below(38)) << 23
            }
            _ => number(r),
        };
        (op, x, r.word())
    });
}

#[test]
fn every_half_becomes_an_integer_and_every_short_integer_a_float() {
    let all: Vec<Op> = to_integers().into_iter().chain(from_integers()).collect();
    let short = |o: &Op| o.from & 3 == 1 && (o.unit == unit::F2I || !o.sat);
    let ops: Vec<Op> = all.into_iter().filter(short).collect();
    check_many(ops.len() << 16, 0x5EED_0106, |i, r| {
        (ops[i >> 16], (i as u32 & 0xffff) | r.word() << 16, 0)
    });
}

#[test]
fn float_and_integer_operations_do_not_disturb_each_other() {
    let conversions: Vec<Op> = to_integers().into_iter().chain(from_integers()).collect();
    let n = conversions.len();
    let Some(lane) = lane() else { return };
    let mut r = Random(0x5EED_0107);
    // Every other operation is an integer one; what it gives is another test's business.
    let work: Vec<Work> = (0..1 << 17)
        .map(|i| {
            let op = match i % 4 {
                0 => Op {
                    unit: unit::FMUL,
                    ..Op::default()
                },
                2 => conversions[i / 4 * 31 % n],
                _ => Op {
                    unit: (i as u64 >> 1) % 8,
                    noise: r.word(),
                    ..Op::default()
                },
            };
            (op, number(&mut r), number(&mut r))
        })
        .collect();
    for ((op, a, b), got) in work.iter().zip(simulate(lane, &work)) {
        if op.unit >= unit::FMUL {
            assert_eq!(got, expected(op, *a, *b), "{op:?} {a:08x} {b:08x}");
        }
    }
}

/// The lane's operation a row of the vector file names.
fn vector_operation(name: &str) -> Option<Op> {
    let parts: Vec<&str> = name.split('.').collect();
    let integer =
        |t: &str| int_format::code(t.starts_with('S'), t[1..].parse().unwrap_or(32)) as u32;
    let mode = |m: &str| {
        ["rn", "rm", "rp", "rz"]
            .iter()
            .position(|p| m.starts_with(p))
            .unwrap_or(0) as u32
    };
    Some(match parts[..] {
        ["FMUL", m] => Op {
            unit: unit::FMUL,
            round: mode(m),
            ..Op::default()
        },
        ["F2I", t, m] => Op {
            unit: unit::F2I,
            from: float_format::F32 as u32,
            to: integer(t),
            round: mode(m),
            ..Op::default()
        },
        ["I2F", t, m] => Op {
            unit: unit::I2F,
            from: integer(t),
            to: float_format::F32 as u32,
            round: mode(m),
            ..Op::default()
        },
        _ => return None,
    })
}

#[test]
fn float_vectors_of_the_g80_match() {
    let Some(path) = support::shared("float_lane", "reference/g80_vectors.json") else {
        return;
    };
    let Some(lane) = lane() else {
        return;
    };
    let file: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let word = |v: &serde_json::Value| match v.as_str() {
        Some(s) => u32::from_str_radix(s, 16).unwrap(),
        None => v.as_u64().unwrap() as u32,
    };
    let mut operations = 0;
    for (name, rows) in file["vectors"].as_object().unwrap() {
        let rows: Vec<Vec<u32>> = rows
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r.as_array().unwrap().iter().map(word).collect())
            .collect();
        let Some(op) = vector_operation(name) else {
            continue;
        };
        operations += 1;
        // Rows of conversions say nothing of flags.
        let product = op.unit == unit::FMUL;
        let work: Vec<Work> = rows
            .iter()
            .map(|r| (op, r[0], if product { r[1] } else { 0 }))
            .collect();
        for ((row, (_, a, b)), got) in rows.iter().zip(&work).zip(simulate(lane, &work)) {
            let n = row.len();
            assert_eq!(got.0, row[n - 2], "{name} {a:08x} {b:08x}");
            if product {
                assert_eq!(got.1, row[n - 1], "flags of {name} {a:08x} {b:08x}");
            }
            assert_eq!(
                got,
                expected(&op, *a, *b),
                "the reference function, {name} {a:08x} {b:08x}"
            );
        }
    }
    assert_eq!(
        operations, 18,
        "products and conversions in the vector file"
    );
}

#[test]
fn the_lane_lints_clean_and_fits_its_area() {
    let limits = [("LUT", 1400), ("DSP48E1", 2), ("FD", 400)];
    fits(&emit_leaf(&Lane::new()), "lane", limits);
}
