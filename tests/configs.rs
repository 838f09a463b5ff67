//! Configurations away from the named ones, random programs in lockstep; more of them in soak.

use crate::support::{self, sim};
use warpsmith_cosim::RandomOptions;

/// Compares 10,000 warp instructions.
fn agrees(set: &[&str]) {
    let Some(chip) = sim::chip("tiny", set) else { return };
    sim::random_programs(&chip, sim::seed(), RandomOptions::default().count);
}

#[test]
fn random_programs_agree_on_the_smallest_chip() {
    agrees(&["warps=2", "blocks=1", "stack_depth=4", "reads_in_flight=2", "float=true", "sfus=1"]);
}

#[test]
fn random_programs_agree_on_2_lanes() {
    agrees(&["lanes=2", "port_words=2"]);
}

#[test]
fn random_programs_agree_on_three_sms_with_a_wide_port() {
    agrees(&["sms=3", "port_words=32"]);
}

#[test]
fn random_programs_agree_on_every_unusual_configuration() {
    if !support::only_in_soak() {
        return;
    }
    let sets: [&[&str]; 16] = [
        &["lanes=4", "port_words=4"],
        &["lanes=2", "port_words=8", "lsu_serial=false", "float=true", "sfus=1"],
        &["lanes=16", "port_words=16"],
        &["lanes=16", "port_words=32"],
        &["lanes=16", "port_words=16", "shared_banks=1"],
        &["lsu_serial=false"],
        &["shared_banks=8"],
        &["sfus=1"],
        &["lanes=4", "port_words=8", "shared_banks=4", "lsu_serial=false", "float=true", "sfus=2"],
        &["lanes=32", "port_words=32", "warps=2", "blocks=1"],
        &["stack_depth=64"],
        &["sms=2"],
        &["sms=16"],
        &["float=true", "sfus=1"],
        &["float=true", "sfus=8"],
        &["lanes=32", "port_words=32", "float=true", "sfus=1"],
    ];
    for set in sets {
        agrees(set);
    }
}
