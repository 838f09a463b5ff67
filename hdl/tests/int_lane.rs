//! A lane does with integers what its reference function says, for every unit and option.

use crate::support::{self, int_operations, int_reference};
use int_operations::{disturb, every_operation, operand, operands, pattern};
use int_reference::{expected, Op, Operands};
use std::sync::OnceLock;
use support::{Random, Simulation};
use warpsmith_conformance as conformance;
use warpsmith_hdl::config::{Floats, Semantics};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::unit;
use warpsmith_hdl::sm::pipeline::execute::lane::Lane;
use warpsmith_hdl::sm::pipeline::timing::lane_stages;

/// A lane under Verilator, and its cycles from operands to result.
struct Bench(Simulation, usize);

impl Bench {
    fn of(floats: Floats) -> Option<Self> {
        let lane = Simulation::build(&emit_leaf(&Lane::new(floats, Semantics::G80)))?;
        Some(Self(lane, lane_stages(floats)))
    }
}

/// The lane with floats, built once for all tests.
fn lane() -> Option<&'static Bench> {
    static LANE: OnceLock<Option<Bench>> = OnceLock::new();
    LANE.get_or_init(|| Bench::of(Floats::All)).as_ref()
}

/// Result and flags of each operation, one issued every cycle.
fn simulate(Bench(lane, latency): &Bench, work: &[(Op, Operands)]) -> Vec<(u32, u32)> {
    let row = |(op, x): &(Op, Operands)| vec![op.word() as u32, 0, x.a, x.b, x.c, x.carry.into()];
    let mut rows: Vec<Vec<u32>> = work.iter().map(row).collect();
    rows.resize(work.len() + latency, vec![0; 6]);
    lane.run(&rows)[*latency..].iter().map(|r| (r[0], r[1])).collect()
}

/// Compares with the reference function; says the first differences.
fn check(lane: &Bench, work: &[(Op, Operands)]) {
    let wrong: Vec<String> = work
        .iter()
        .zip(simulate(lane, work))
        .filter(|((op, x), got)| expected(op, x) != *got)
        .take(5)
        .map(|((op, x), got)| {
            let want = expected(op, x);
            format!("{op:?}\n  {x:x?}\n  lane {got:x?}, reference {want:x?}")
        })
        .collect();
    assert!(wrong.is_empty(), "lane differs from the reference:\n{}", wrong.join("\n"));
}

#[test]
fn every_unit_and_option_matches_the_reference() {
    let Some(lane) = lane() else { return };
    let mut r = Random(0x5EED_0001);
    let ops = every_operation();
    let work: Vec<(Op, Operands)> = (0..ops.len() * 800)
        .map(|i| {
            // Neighbours differ in unit, so a stage that looks at the wrong cycle's control shows.
            let op = disturb(&ops[i * 127 % ops.len()], &mut r);
            (op, operands(&op, &mut r))
        })
        .collect();
    println!("{} operations of {} kinds", work.len(), ops.len());
    check(lane, &work);
}

#[test]
fn every_unit_and_option_matches_where_there_is_no_float_unit() {
    let Some(lane) = Bench::of(Floats::None) else { return };
    let mut r = Random(0x5EED_0003);
    let ops = every_operation();
    let work: Vec<(Op, Operands)> = (0..ops.len() * 400)
        .map(|i| {
            let op = disturb(&ops[i * 127 % ops.len()], &mut r);
            (op, operands(&op, &mut r))
        })
        .collect();
    check(&lane, &work);
}

#[test]
fn all_pairs_of_256_patterns_match_the_reference() {
    let Some(lane) = lane() else { return };
    let mut r = Random(0x5EED_0002);
    for op in every_operation() {
        // Products and conversions have tests of their own; one condition says as much as eight.
        let skip = match op.unit {
            unit::MUL | unit::CONVERT | unit::LOGIC => true,
            unit::SET => op.cond != 1 && op.cond != 2,
            _ => false,
        };
        if skip {
            continue;
        }
        let pair = |n: u32| {
            let (a, b) = (pattern(n >> 8, op.w16), pattern(n & 255, op.w16));
            let b = if op.unit == unit::SHIFT { n & 255 } else { b };
            (op, Operands { a, b, c: operand(&mut r), carry: n & 1 == 1 })
        };
        check(lane, &(0..1 << 16).map(pair).collect::<Vec<_>>());
    }
}

#[test]
fn every_conversion_of_every_16_bit_source_matches_the_reference() {
    let Some(lane) = lane() else { return };
    for op in every_operation().into_iter().filter(|o| o.unit == unit::CONVERT) {
        let (from16, w16) = (op.from & 3 == 1, op.to & 3 == 1);
        if from16 && op.w16 == w16 {
            let source = |a: u32| (op, Operands { a, b: !a, c: a, carry: true });
            check(lane, &(0..1 << 16).map(source).collect::<Vec<_>>());
        }
    }
}

/// The operation a row of the vector file names, and which columns are its operands.
fn vector_operation(name: &str) -> Option<Op> {
    let parts: Vec<&str> = name.split('.').collect();
    let has = |p: &str| parts.contains(&p);
    let signed = has("S16") || has("S24") || has("S32");
    let w16 = has("U16") || has("S16") || name == "SHL16";
    let product =
        Op { unit: unit::MUL, signed_a: signed, signed_b: signed, mul24: !w16, high: has("HI"), ..Op::default() };
    let other = Op { w16, signed_a: signed, ..Op::default() };
    let kinds = ["add", "sub", "subr", "addc"];
    Some(match parts[0] {
        "IADD" => {
            let kind = kinds.iter().position(|k| has(k))? as u32;
            Op { unit: unit::ADD, kind, sat: has("sat"), ..other }
        }
        "IMUL" => product,
        "IMAD" => Op { accumulate: true, ..product },
        "ISAD" => Op { unit: unit::SAD, ..other },
        "ISET" => Op { unit: unit::SET, cond: 1, ..other },
        "IMAX" => Op { unit: unit::MINMAX, right: true, ..other },
        "IMIN" => Op { unit: unit::MINMAX, ..other },
        "SHL32" | "SHL16" => Op { unit: unit::SHIFT, ..other },
        "SHR" => Op { unit: unit::SHIFT, right: true, ..other },
        "LOP" => {
            let logic = ["AND", "OR", "XOR", "PASS_B"].iter().position(|o| parts[1] == *o)? as u32;
            Op { unit: unit::LOGIC, logic, not_b: has("not2"), ..other }
        }
        _ => return None,
    })
}

#[test]
fn integer_vectors_of_the_g80_match_result_and_flags() {
    let Some(lane) = lane() else { return };
    let mut operations = 0;
    for operation in conformance::arithmetic() {
        let name = &operation.name;
        let Some(op) = vector_operation(name) else { continue };
        operations += 1;
        let mask = if op.w16 { 0xffff } else { u32::MAX };
        let rows = &operation.results;
        let work: Vec<(Op, Operands)> = rows
            .iter()
            .map(|r| {
                let c = r.operands.get(2).copied().unwrap_or(0);
                (op, Operands { a: r.operands[0] & mask, b: r.operands[1] & mask, c, carry: c != 0 })
            })
            .collect();
        for ((row, (_, x)), got) in rows.iter().zip(&work).zip(simulate(lane, &work)) {
            let want = (row.result, row.flags.unwrap());
            assert_eq!(got, want, "{name} {x:x?}");
            assert_eq!(expected(&op, x), want, "the reference function, {name} {x:x?}");
        }
    }
    assert_eq!(operations, 47, "integer operations in the vector file");
}
