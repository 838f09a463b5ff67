//! The special-function unit gives the documented results.

use crate::support::{self, area, float_numbers, sfu_reference};
use area::fits;
use float_numbers::{flag, number};
use sfu_reference::{expected, Op, FUNCTIONS};
use std::sync::OnceLock;
use support::{Random, Simulation};
use warpsmith_conformance as conformance;
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::control::function;
use warpsmith_hdl::sm::pipeline::execute::sfu::Sfu;
use warpsmith_isa::numbers;

/// Cycles from operands to result.
const LATENCY: usize = 5;
/// Operations issued in one run.
const BATCH: usize = 1 << 18;

fn sfu() -> Option<&'static Simulation> {
    static SFU: OnceLock<Option<Simulation>> = OnceLock::new();
    SFU.get_or_init(|| Simulation::build(&emit_leaf(&Sfu::new()))).as_ref()
}

/// The results of operations issued one a cycle.
fn results(sfu: &Simulation, work: &[Op]) -> Vec<u32> {
    let row = |op: &Op| {
        let flags = [op.neg, op.abs, op.sat].map(u32::from);
        vec![op.func as u32, flags[0], flags[1], flags[2], op.x]
    };
    let mut rows: Vec<Vec<u32>> = work.iter().map(row).collect();
    rows.resize(work.len() + LATENCY, vec![0; 5]);
    sfu.run(&rows)[LATENCY..].iter().map(|r| r[0]).collect()
}

fn check(sfu: &Simulation, work: &[Op]) {
    for (op, got) in work.iter().zip(results(sfu, work)) {
        let want = expected(op);
        assert_eq!(got, want, "{op:x?}: {got:08x}, not {want:08x}");
    }
}

/// An operation with the flags of `bits`.
fn op(func: u64, bits: usize, x: u32) -> Op {
    Op { func, neg: flag(bits, 0), abs: flag(bits, 1), sat: flag(bits, 2), x }
}

#[test]
fn every_exponent_with_edge_fractions_and_all_flags_matches_the_formulas() {
    let Some(sfu) = sfu() else { return };
    // Ends of the fraction, of its halves and of the last bits that reach the index or the cut of
    // the squarer.
    let edges = [0, 1, 2, 0xffff, 0x1_0000, 0x1_ffff, 0x2_0000, 0x3f_ffff];
    for (func, _) in FUNCTIONS {
        let mut work = vec![];
        for sign_exponent in 0..0x200 {
            for edge in edges {
                for fraction in [edge, 0x7f_ffff - edge] {
                    let x = sign_exponent << 23 | fraction;
                    work.extend((0..8).map(|flags| op(func, flags, x)));
                }
            }
        }
        check(sfu, &work);
    }
}

#[test]
fn both_sides_of_every_segment_boundary_match_the_formulas() {
    let Some(sfu) = sfu() else { return };
    // Exponents in which the index, its parity or its complement differ.
    let exponents = [1, 2, 63, 125, 126, 127, 128, 129, 253, 254, 256, 257, 383];
    let mut work = vec![];
    for (func, _) in FUNCTIONS {
        for boundary in 0..=128u32 {
            for distance in 0..8 {
                let fraction = (boundary << 16).wrapping_add(distance).wrapping_sub(4);
                for e in exponents {
                    work.push(op(func, 0, e << 23 | fraction & 0x7f_ffff));
                }
            }
        }
    }
    check(sfu, &work);
}

#[test]
fn functions_that_follow_each_other_do_not_disturb_each_other() {
    let Some(sfu) = sfu() else { return };
    let mut r = Random(0x5EED_0108);
    // All 36 neighbours with all flags, numbers and codes of all kinds.
    let any = |_| {
        let (func, _) = FUNCTIONS[r.below(6) as usize];
        op(func, r.below(8) as usize, number(&mut r))
    };
    check(sfu, &(0..BATCH).map(any).collect::<Vec<_>>());
}

/// Batches of operands of which the fractions walk through all there are; `top` gives sign and
/// exponent.
fn walk(sfu: &Simulation, func: u64, batches: usize, mut top: impl FnMut() -> u32) {
    let mut fraction = 0;
    for _ in 0..batches {
        let mut next = |_| {
            // A stride without a factor of two.
            fraction = (fraction + 0x2f_e4b5) & 0x7f_ffff;
            op(func, 0, top() << 23 | fraction)
        };
        check(sfu, &(0..BATCH).map(&mut next).collect::<Vec<_>>());
    }
}

#[test]
fn four_million_operands_a_function_match_the_formulas() {
    let Some(sfu) = sfu() else { return };
    let mut r = Random(0x5EED_0109);
    for (func, _) in FUNCTIONS {
        // Mostly numbers that give numbers.
        let top = || match (func, r.word()) {
            (function::RCP, n) => n & 0x100 | (1 + n % 254),
            // Half of them near 1, where the leading one is far down.
            (function::LG2, n) if n >> 31 == 0 => 126 + n % 2,
            (function::RSQ | function::LG2, n) => 1 + n % 254,
            (function::EX2, n) => n & 0x17f,
            (_, n) => n & 0x103,
        };
        walk(sfu, func, 16, top);
    }
}

#[test]
fn every_fraction_matches_the_formulas() {
    let Some(sfu) = sfu() else { return };
    if !warpsmith_testkit::only_in_soak() {
        return;
    }
    for (func, name) in FUNCTIONS {
        // Exponents whose fractions take different ways to the table or from the sum.
        let tops: &[u32] = match func {
            function::RCP => &[127],
            function::RSQ => &[127, 128],
            function::LG2 => &[100, 125, 126, 127, 128, 150],
            function::EX2 => &[0, 0x100],
            _ => &[0, 1],
        };
        for top in tops {
            walk(sfu, func, (1 << 23) / BATCH, || *top);
            println!("{name}: every fraction with sign and exponent {top:#x}");
        }
    }
}

#[test]
fn vectors_of_the_g80_match() {
    let Some(sfu) = sfu() else { return };
    let all = conformance::arithmetic();
    for (func, name) in FUNCTIONS {
        let rows = &all.iter().find(|o| o.name == name).expect(name).results;
        let work: Vec<_> = rows.iter().map(|r| op(func, 0, r.operands[0])).collect();
        for (row, got) in rows.iter().zip(results(sfu, &work)) {
            assert_eq!(got, row.result, "{name} {:08x}", row.operands[0]);
        }
    }
}

#[test]
fn the_tables_are_the_documented_ones() {
    let rows = conformance::rows("sm10/special.txt");
    let documented = |name: &str| -> Vec<[i32; 3]> {
        let row = rows.iter().find(|r| r.column(0) == name).expect(name);
        let segment = |c: &conformance::Case| {
            let each: Vec<i32> = c.column(0).split(' ').map(|n| n.parse().unwrap()).collect();
            each.try_into().unwrap()
        };
        row.cases.iter().map(segment).collect()
    };
    assert_eq!(documented("rcp"), numbers::RCP);
    assert_eq!(documented("rsq"), numbers::RSQ);
    assert_eq!(documented("lg2"), numbers::LG2);
    assert_eq!(documented("sin"), numbers::SIN);
    assert_eq!(documented("ex2"), numbers::EX2);
}

#[test]
fn the_unit_lints_clean_and_fits_its_area() {
    let limits = [("LUT", 440), ("DSP48E1", 2), ("FD", 130)];
    fits(&emit_leaf(&Sfu::new()), "sfu", limits);
}
