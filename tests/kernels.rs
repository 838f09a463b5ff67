//! Our kernels: data files as generated, expectations met by the model, lockstep on 8, 16 and 32 lanes.

use crate::support::{self, sim};

#[path = "kernels/expected.rs"]
mod expected;

use std::collections::BTreeSet;
use warpsmith_cosim::{Chip, Counters};
use warpsmith_model::{Machine, ModelConfig};

#[test]
fn data_files_are_what_the_generator_writes() {
    let files = expected::all();
    for file in &files {
        let path = support::root().join("kernels").join(file.path);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(text == file.text(), "{} is stale: cargo run --example kernel_data", file.path);
    }
    let generated: BTreeSet<String> = files.iter().map(|f| f.path.to_string()).collect();
    let folders = std::fs::read_dir(support::root().join("kernels")).expect("readable");
    let folders = folders.map(|e| e.expect("readable").path()).filter(|p| p.is_dir());
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let file = entry.expect("readable").file_name().to_string_lossy().into_owned();
            if file.ends_with(".hex") {
                assert!(generated.contains(&format!("{name}/{file}")), "{name}/{file} comes from nowhere");
            }
        }
    }
}

#[test]
fn the_kernels_are_there_with_odd_shapes() {
    let names = support::kernel_names();
    assert_eq!(names.len(), 20, "{names:?}");
    for name in names {
        let launch = support::load(&name);
        assert!(launch.block.iter().product::<u32>() % 32 != 0, "{name}: no partial warp");
        assert!(launch.grid.iter().product::<u32>() > 1, "{name}: one block only");
        assert!(!launch.expects.is_empty(), "{name}: nothing is expected");
    }
}

/// Whatever undefined state holds, the result is the same.
#[test]
fn every_kernel_meets_its_expectations_on_the_model() {
    for name in support::kernel_names() {
        let launch = support::load(&name);
        for fill in [None, Some(1), Some(2)] {
            let mut machine = Machine::new(
                &launch,
                ModelConfig { fill, stack_depth: 16, tier: Default::default(), ..ModelConfig::default() },
            );
            machine.run(1_000_000).unwrap_or_else(|e| panic!("{name}: {e}"));
            let differences = launch.compare(machine.global());
            assert!(differences.is_empty(), "{name}, fill {fill:?}: {}", differences[0]);
        }
    }
}

/// Every kernel in lockstep: to its end, or, without float units, to its first float instruction.
fn all_agree(config: &str, set: &[&str]) {
    let Some(chip) = sim::chip(config, set) else { return };
    let float = sim::config(config, set).float;
    for name in support::kernel_names() {
        let launch = support::kernel(&name);
        match sim::missing(&chip, &launch) {
            None => every_cycle_is_accounted_for(&chip, &name, &sim::agree(&chip, &launch).counters),
            Some(mnemonic) => {
                assert!(!float, "{config} has float units, but no {mnemonic}: {name}");
                sim::stops_there(&chip, &launch, mnemonic);
            }
        }
    }
}

/// Kernels with instructions that take more beats than a warp has rows of lanes.
const PASSES: [&str; 3] = ["fft8", "nbody", "sincos_table"];

/// In each cycle an SM issues a beat or counts why not.
fn every_cycle_is_accounted_for(chip: &Chip, name: &str, counters: &Counters) {
    let chip = chip.info();
    let beats = counters.warp_instructions * u64::from(32 / chip.lanes);
    let accounted = beats + counters.stalls.iter().sum::<u64>();
    let cycles = counters.cycles * u64::from(chip.sms);
    if PASSES.contains(&name) {
        assert!(accounted <= cycles, "{name}: {accounted} of {cycles} cycles");
    } else {
        assert_eq!(accounted, cycles, "{name}: cycles accounted for");
    }
}

#[test]
fn kernels_agree_in_lockstep_on_tiny() {
    all_agree("tiny", &[]);
}

#[test]
fn kernels_agree_in_lockstep_on_default() {
    all_agree("default", &[]);
}

#[test]
fn kernels_agree_in_lockstep_on_16_lanes() {
    all_agree("tiny", &["lanes=16", "port_words=16", "shared_banks=16", "lsu_serial=false", "float=true", "sfus=4"]);
}

#[test]
fn kernels_agree_in_lockstep_on_wide() {
    all_agree("wide", &[]);
}

/// Four SMs take longest to build; the order of their memory accesses is what they add.
#[test]
fn kernels_agree_in_lockstep_on_quad() {
    if support::only_in_soak() {
        all_agree("quad", &[]);
    }
}

#[test]
fn blocks_wider_than_a_half_chip_keep_it_busy() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let report = sim::agree(&chip, &support::kernel("matmul_tiled"));
    let c = &report.counters;
    let stalled: u64 = c.stalls.iter().sum();
    assert!(stalled < c.cycles, "stall cycles {stalled} of {}", c.cycles);
    assert!(c.issue_utilisation > 0.0 && c.issue_utilisation <= 1.0, "{}", c.issue_utilisation);
    assert!(c.lane_utilisation > 0.0 && c.lane_utilisation <= c.issue_utilisation, "{}", c.lane_utilisation);
}
