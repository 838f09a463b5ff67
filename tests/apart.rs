//! Memories that synthesis is told are never read where they are written (`Ram::apart`): what such a
//! read gives differs between FPGAs and is not simulated. Here it gives the word inverted: kernels and
//! random programs agree with the model all the same. A memory that is read where it is written, treated
//! like that, is noticed.

use crate::support::{self, sim};
use warpsmith_cosim::{cosim_random, patched_copy, BuildOptions, Chip, CosimError, Outcome, RandomOptions};

/// The chip with such reads spoilt in the modules whose names contain `which`; `None` without tools.
fn spoilt(name: &str, set: &[&str], which: &str) -> Option<Chip> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = sim::emitted(name, set);
    let old = std::fs::read_to_string(folder.join("warpsmith.v")).expect("an emitted chip");
    let mut spoilt = 0;
    let mut inside = false;
    let mut new = String::new();
    for line in old.lines() {
        if let Some(module) = line.strip_prefix("module ") {
            inside = module.starts_with("bram_") && module.contains(which);
        }
        match line.trim().strip_prefix("if (ren_") {
            Some(rest) if inside => {
                let port = &rest[..rest.find(')').expect("the port's number")];
                new += &format!(
                    "        if (ren_{port}) rdata_{port} <= (|wen) & (waddr == raddr_{port}) ? ~mem[raddr_{port}] : mem[raddr_{port}];\n"
                );
                spoilt += 1;
            }
            _ => new += &format!("{line}\n"),
        }
    }
    assert!(spoilt > 0, "no read port of `{which}` in the chip");
    let copy =
        folder.with_file_name(format!("spoilt-{which}-{}", folder.file_name().expect("a digest").to_string_lossy()));
    patched_copy(&folder, &copy, &old, &new).unwrap_or_else(|e| panic!("{e}"));
    Some(Chip::open(&copy, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

fn random(chip: &Chip, count: u64) -> Result<Outcome, CosimError> {
    let out = tempfile::tempdir().expect("a temporary folder");
    let options = RandomOptions { count, seed: sim::seed(), out: out.path().into(), ..RandomOptions::default() };
    println!("seed {:#x}", options.seed);
    cosim_random(chip, &options, &mut |_| {}).map(|r| r.outcome)
}

#[test]
fn memories_called_apart_are_never_read_where_they_are_written() {
    agrees("default", &[], 50_000);
}

#[test]
#[ignore = "a build more; make soak runs it"]
fn nor_are_those_of_tiny() {
    agrees("tiny", &[], 200_000);
    // The tags of a cache are read in cycles in which they are written: what they give then is not looked at.
    agrees("tiny", &["l1_bytes=1024"], 200_000);
}

/// Kernels and random programs agree with the model although such reads are spoilt.
fn agrees(name: &str, set: &[&str], count: u64) {
    let Some(chip) = spoilt(name, set, "_apart") else { return };
    for kernel in ["reduction", "transpose", "bitonic_sort", "fft8", "prefix_scan"] {
        let launch = support::kernel(kernel);
        if sim::missing(&chip, &launch).is_none() {
            sim::agree(&chip, &launch);
        }
    }
    let outcome = random(&chip, count).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outcome, Outcome::Agree, "{name}: {outcome}");
}

#[test]
#[ignore = "a build more; make soak runs it"]
fn a_memory_that_is_read_where_it_is_written_is_noticed() {
    // A chip of 32 lanes forwards results, so it reads registers in the cycle they are written, and its
    // register file is not called apart.
    let Some(chip) = spoilt("wide", &[], "g16_3r") else { return };
    let outcome = random(&chip, 100_000).unwrap_or_else(|e| panic!("{e}"));
    assert!(matches!(outcome, Outcome::Differ(_)), "{outcome}");
}
