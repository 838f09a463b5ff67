//! Chips for the simulation tests: emitted here, built once, shared through the cache.

use std::path::{Path, PathBuf};
use warpsmith_cosim::random::sm10::tier::implemented;
use warpsmith_cosim::{
    cosim, cosim_random, BuildOptions, Chip, CosimOptions, CosimReport, Outcome, RandomOptions, RandomReport,
    RunOptions,
};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_isa::{decode, FORMS};
use warpsmith_model::{Launch, TrapCause};

/// A named configuration with some parameters changed.
pub fn config(name: &str, set: &[&str]) -> GpuConfig {
    let mut config = GpuConfig::named(name).expect("a named configuration");
    for assignment in set {
        config.set(assignment).expect("a parameter");
    }
    config.check().expect("possible");
    config
}

/// Folder of the emitted chip of such a configuration.
pub fn emitted(name: &str, set: &[&str]) -> PathBuf {
    let config = config(name, set);
    let name = if set.is_empty() { name.to_string() } else { format!("{name}-{}", set.join("-").replace('=', "")) };
    warpsmith_hdl::chip(&config, &name).cached().expect("the cache can be written")
}

/// A chip ready to run. Reports a skip, and gives `None`, when tools are missing.
pub fn chip(name: &str, set: &[&str]) -> Option<Chip> {
    if !crate::support::tools(&crate::support::SIMULATION) {
        return None;
    }
    let folder = emitted(name, set);
    Some(Chip::open(&folder, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

/// Power-on state differs from run to run unless `WARPSMITH_SEED` is set.
pub fn seed() -> u64 {
    let parse = |s: String| match s.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(&hex.replace('_', ""), 16).ok(),
        None => s.parse().ok(),
    };
    if let Ok(given) = std::env::var("WARPSMITH_SEED") {
        let value = parse(given.clone());
        return value.unwrap_or_else(|| panic!("WARPSMITH_SEED={given}: a number is needed"));
    }
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |d| u64::from(d.subsec_nanos()) ^ d.as_secs())
}

/// Runs a launch in lockstep; fails with the whole report unless everything agreed.
#[track_caller]
pub fn agree(chip: &Chip, launch: &Path) -> CosimReport {
    agree_on(chip, &warpsmith_launch_file::load(launch).unwrap_or_else(|e| panic!("{e}")))
}

/// [`agree`] for a launch already loaded.
#[track_caller]
pub fn agree_on(chip: &Chip, launch: &Launch) -> CosimReport {
    let seed = seed();
    println!("{}, power-on seed {seed:#x}", launch.file.display());
    let run = RunOptions { seed, ..RunOptions::default() };
    let report =
        cosim(chip, launch, &CosimOptions { run, ..CosimOptions::default() }).unwrap_or_else(|e| panic!("{e}"));
    assert!(report.outcome.is_agreement(), "{}", report.outcome);
    assert!(report.compared > 0, "nothing was compared");
    report
}

/// Random programs from a seed on agree, until `count` warp instructions are compared.
#[track_caller]
pub fn random_programs(chip: &Chip, seed: u64, count: u64) -> RandomReport {
    let (name, test) = (&chip.info().name, crate::support::test_name());
    println!("seed {seed:#x}, {count} warp instructions on {name}; replay: WARPSMITH_SEED={seed:#x} cargo test {test}");
    let out = std::env::temp_dir().join("warpsmith-cosim-failure");
    let options = RandomOptions { count, seed, out, ..RandomOptions::default() };
    let report = cosim_random(chip, &options, &mut |_| {}).unwrap_or_else(|e| panic!("{e}"));
    assert!(report.outcome.is_agreement(), "{name}: {}\nfailed: {:?}", report.outcome, report.failed);
    assert!(report.compared >= count, "{} of {count} compared", report.compared);
    report
}

/// First instruction of the program that the chip does not have, as its manifest says.
pub fn missing(chip: &Chip, launch: &Path) -> Option<&'static str> {
    let launch = warpsmith_launch_file::load(launch).unwrap_or_else(|e| panic!("{e}"));
    let (mut at, words) = (0, launch.program.words());
    while let Some(&w0) = words.get(at) {
        let instr = decode(w0, words.get(at + 1).copied().unwrap_or(0)).unwrap_or_else(|e| panic!("{e}"));
        if !implemented(instr.form, chip.info().tier) {
            return Some(FORMS[usize::from(instr.form)].mnemonic);
        }
        at += 1 + usize::from(instr.long);
    }
    None
}

/// A chip without an instruction agrees with the model up to it and then traps as unimplemented.
pub fn stops_there(chip: &Chip, launch: &Path, mnemonic: &str) {
    println!(
        "limited: {}: {} needs {mnemonic}, which the chip lacks; compared up to its trap",
        crate::support::test_name(),
        launch.display()
    );
    let launch = warpsmith_launch_file::load(launch).unwrap_or_else(|e| panic!("{e}"));
    let report = cosim(chip, &launch, &CosimOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    lacks(&report, &launch, mnemonic);
    assert!(report.compared > 0);
}

/// Model and chip trapped together at an instruction that the chip lacks.
#[track_caller]
pub fn lacks(report: &CosimReport, launch: &Launch, mnemonic: &str) {
    let Outcome::Trap(trap) = &report.outcome else {
        panic!("{}", report.outcome);
    };
    assert_eq!(trap.cause, TrapCause::Unimplemented, "{trap}");
    let words = &launch.program.words()[trap.pc as usize / 4..];
    let instr = decode(words[0], words.get(1).copied().unwrap_or(0));
    let instr = instr.unwrap_or_else(|e| panic!("{e}"));
    let found = FORMS[usize::from(instr.form)].mnemonic;
    assert!(found.starts_with(mnemonic), "{found} for {mnemonic}");
}
