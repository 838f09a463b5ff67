//! Random programs in lockstep: 100,000 warp instructions on each of six chips; in `make soak` a million,
//! ten on `default`.
//!
//! The seed is printed first; `WARPSMITH_SEED` replays.

use crate::support::{self, set_chip, sim};
use warpsmith_cosim::Chip;

/// Compares 100,000 warp instructions, `soak` times as many in soak.
fn agrees(config: &str, set: &[&str], soak: u64) {
    if let Some(chip) = sim::chip(config, set) {
        agrees_on(&chip, soak);
    }
}

/// The same on a chip that is there.
fn agrees_on(chip: &Chip, soak: u64) {
    let count = support::cases(100_000, soak * 100_000);
    let seed = sim::seed();
    let report = sim::random_programs(chip, seed, count);
    print!("{}", report.coverage.summary(report.tier));
    let (hit, all) = report.coverage.forms_hit(report.tier);
    assert!(hit == all, "{hit} of {all} forms; never hit: {:?}", report.coverage.never_hit(report.tier));
    // From a new seed each time, 100,000 instructions miss a rare event now and then: further programs have to meet it.
    let mut never = report.coverage.never_met(report.tier);
    for round in 1..5 {
        if never.is_empty() {
            break;
        }
        println!("never met: {never:?}; {count} warp instructions more");
        let more = sim::random_programs(chip, seed.wrapping_add(round << 32), count);
        let missed = more.coverage.never_met(more.tier);
        never.retain(|event| missed.contains(event));
    }
    assert!(never.is_empty(), "float events never met: {never:?}");
    assert!(report.coverage.depths.keys().any(|d| *d >= 4), "divergence is not nested: {:?}", report.coverage.depths);
    assert!(report.coverage.conflicts.keys().any(|c| *c >= 2), "no bank conflicts");
    assert!(
        report.coverage.active.contains_key("1") && report.coverage.active.contains_key("2-31"),
        "no partial masks"
    );
}

#[test]
fn random_programs_agree_on_tiny() {
    agrees("tiny", &[], 10);
}

#[test]
fn random_programs_agree_where_integers_are_divided() {
    agrees("tiny", &["sfus=1", "shared_banks=1"], 10);
}

#[test]
fn random_programs_agree_on_default() {
    agrees("default", &[], 100);
}

#[test]
fn random_programs_agree_on_16_lanes() {
    agrees("tiny", &["lanes=16", "port_words=16", "shared_banks=16", "lsu_serial=false", "float=true", "sfus=4"], 10);
}

#[test]
fn random_programs_agree_on_wide() {
    agrees("wide", &[], 10);
}

#[test]
fn random_programs_agree_in_the_reading_of_flexgripplus() {
    let set = ["semantics=flexgripplus", "float=true", "sfus=1"];
    match support::soak() {
        true => agrees("tiny", &set, 10),
        // Verilator would compile one more chip.
        false => agrees_on(&set_chip::native("tiny", &set), 1),
    }
}
