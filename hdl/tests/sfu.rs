//! The special-function unit gives the documented results.

#[path = "support/area.rs"]
mod area;
#[path = "support/float_numbers.rs"]
mod float_numbers;
#[path = "support/float_reference.rs"]
mod float_reference;
mod support;

use area::fits;
use float_numbers::{corner, flag, number};
use float_reference::reciprocal;
use std::sync::OnceLock;
use support::{Random, Simulation};
use warpsmith_hdl::emit::emit_leaf;
use warpsmith_hdl::sm::execute::sfu::{tables, Sfu};

/// Cycles from operands to result.
const LATENCY: usize = 5;
/// Operations issued in one run.
const BATCH: usize = 1 << 18;

fn sfu() -> Option<&'static Simulation> {
    static SFU: OnceLock<Option<Simulation>> = OnceLock::new();
    SFU.get_or_init(|| Simulation::build("sfu", &emit_leaf(&Sfu::new())))
        .as_ref()
}

fn reciprocals(sfu: &Simulation, work: &[(bool, bool, u32)]) -> Vec<u32> {
    let row = |(neg, abs, x): &(bool, bool, u32)| vec![0, (*neg).into(), (*abs).into(), 0, *x];
    let mut rows: Vec<Vec<u32>> = work.iter().map(row).collect();
    rows.resize(work.len() + LATENCY, vec![0; 5]);
    sfu.run(&rows)[LATENCY..].iter().map(|r| r[0]).collect()
}

fn check_reciprocals(sfu: &Simulation, work: &[(bool, bool, u32)]) {
    for ((neg, abs, x), got) in work.iter().zip(reciprocals(sfu, work)) {
        let x1 = if *abs { x & !(1 << 31) } else { *x };
        let want = reciprocal(x1 ^ u32::from(*neg) << 31);
        assert_eq!(
            got, want,
            "1 / {x:08x}, neg {neg}, abs {abs}: {got:08x}, not {want:08x}"
        );
    }
}

#[test]
fn reciprocals_of_every_exponent_and_corner_match_the_formula() {
    let Some(sfu) = sfu() else { return };
    let mut r = Random(0x5EED_0108);
    for batch in 0..4 {
        let any = |i: usize| {
            let x = match i % 4 {
                0 => ((i as u32 / 4) & 0x1ff) << 23 | r.word() & 0x7f_ffff,
                1 => ((i as u32 / 4) & 0x1ff) << 23 | corner(&mut r) & 0x7f_ffff,
                _ => number(&mut r),
            };
            (flag(i, 9 + batch), flag(i, 11 + batch), x)
        };
        check_reciprocals(sfu, &(0..BATCH).map(any).collect::<Vec<_>>());
    }
}

#[test]
fn reciprocals_of_all_significands_match_the_formula() {
    let Some(sfu) = sfu() else { return };
    // A stride without a factor of two walks through all of them; the variable runs the rest too.
    let all = std::env::var_os("WARPSMITH_EXHAUSTIVE").is_some();
    let batches = if all { (1 << 23) / BATCH } else { 4 };
    let mut x = 0u32;
    for _ in 0..batches {
        let mut next = |_| {
            x = (x + 0x2f_e4b5) & 0x7f_ffff;
            (false, false, 127 << 23 | x)
        };
        check_reciprocals(sfu, &(0..BATCH).map(&mut next).collect::<Vec<_>>());
    }
}

#[test]
fn reciprocal_vectors_of_the_g80_match() {
    let Some(path) = support::shared("sfu", "reference/g80_vectors.json") else {
        return;
    };
    let Some(sfu) = sfu() else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows: Vec<[String; 3]> = serde_json::from_value(file["vectors"]["RCP"].clone()).unwrap();
    assert_eq!(rows.len(), 300);
    let word = |s: &String| u32::from_str_radix(s, 16).unwrap();
    let work: Vec<_> = rows.iter().map(|r| (false, false, word(&r[0]))).collect();
    for (row, got) in rows.iter().zip(reciprocals(sfu, &work)) {
        assert_eq!(got, word(&row[1]), "1 / {}", row[0]);
    }
}

#[test]
fn the_reciprocal_table_is_the_documented_one() {
    let Some(path) = support::shared("sfu", "reference/sfu_tables.json") else {
        return;
    };
    let file: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let rows: Vec<[i32; 3]> = serde_json::from_value(file["rcp"].clone()).unwrap();
    assert_eq!(rows, tables::RCP);
}

#[test]
fn the_unit_lints_clean_and_fits_its_area() {
    let limits = [("LUT", 320), ("DSP48E1", 2), ("FD", 120)];
    fits(&emit_leaf(&Sfu::new()), "sfu", limits);
}
