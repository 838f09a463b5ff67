//! What the harness must object to: a wrong model, a wrong chip, a wrong expectation, nothing to do.

use crate::support::{self, set_chip, sim};
use std::path::Path;
use support::{args, outcome, warpsmith};
use warpsmith_cosim::{
    cosim, cosim_random, patched_copy, BuildOptions, Chip, CosimError, CosimOptions, Outcome, RandomOptions,
};
use warpsmith_model::Mutant;

#[test]
fn harness_rejects_wrong_integers_of_the_model() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    for mutant in [Mutant::SwapSubtract, Mutant::LogicalShift, Mutant::DropCarry] {
        set_chip::wrong_model_is_noticed(&chip, mutant, 150_000);
    }
}

#[test]
fn harness_rejects_every_wrong_model() {
    let Some(chip) = sim::chip("default", &[]) else { return };
    for (_, mutant) in Mutant::ALL {
        set_chip::wrong_model_is_noticed(&chip, mutant, 150_000);
    }
}

/// A chip with one piece of its Verilog changed.
fn mutated(find: &str, replace: &str) -> Option<Chip> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    let folder = sim::emitted("tiny", &[]);
    let patched = folder.with_file_name(format!(
        "{}-{}",
        support::test_name().replace("::", "-"),
        folder.file_name()?.to_string_lossy()
    ));
    patched_copy(&folder, &patched, find, replace)
        .unwrap_or_else(|e| panic!("the description changed, choose another line: {e}"));
    Some(Chip::open(&patched, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

#[test]
fn harness_rejects_a_mutated_line_of_verilog() {
    // The adder forgets its carry in: subtraction is off by one.
    let Some(chip) = mutated("{1'd0, e2_addend, e2_cin}", "{1'd0, e2_addend, 1'd0}") else { return };
    let report =
        cosim(&chip, &support::load("bitonic_sort"), &CosimOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let Outcome::Differ(difference) = &report.outcome else { panic!("unnoticed: {}", report.outcome) };
    let text = difference.to_string();
    for fragment in ["of block 0", "retire", "0x0000", "model 0x", "rtl 0x", "replay: "] {
        assert!(text.contains(fragment), "'{fragment}' is missing in:\n{text}");
    }
}

#[test]
fn harness_reports_a_silent_chip() {
    // The barrier unit never looks at what arrives: every warp waits for ever.
    let Some(chip) = mutated("wire pick = picking & (|next);", "wire pick = picking & (&next) & (&state);") else {
        return;
    };
    let report = cosim(&chip, &support::load("reduction"), &CosimOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let Outcome::Watchdog(text) = &report.outcome else { panic!("not silent: {}", report.outcome) };
    assert!(text.contains("no retire") && text.contains("BAR") && text.contains("pc 0x"), "{text}");
}

#[test]
fn harness_rejects_a_wrong_expectation() {
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let mut launch = support::load("vector_add");
    launch.expects[0].bytes[100] ^= 1;
    let report = cosim(&chip, &launch, &CosimOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let Outcome::Unexpected(differences) = &report.outcome else { panic!("unnoticed: {}", report.outcome) };
    assert_eq!((differences.len(), differences[0].address), (1, 0x800 + 100));
}

#[test]
fn harness_rejects_an_empty_suite() {
    let (code, _, err) = outcome(&warpsmith(&["cosim"]));
    assert_eq!(code, 2, "{err}");
    let Some(chip) = sim::chip("tiny", &[]) else { return };
    let options = RandomOptions { count: 0, ..RandomOptions::default() };
    let empty = cosim_random(&chip, &options, &mut |_| {});
    assert!(matches!(empty, Err(CosimError::Empty(_))), "{empty:?}");
    let (code, _, err) = outcome(&warpsmith(&["cosim", "--random", "0", "--config", "tiny"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("nothing to compare"), "{err}");
}

#[test]
fn program_exits_with_1_on_a_difference() {
    if !support::tools(&support::SIMULATION) {
        return;
    }
    let launch = support::kernel("barrier_ping_pong");
    let args =
        args!["cosim", &launch, "--config", "tiny", "--engine", "verilator", "--mutant", "swap-subtract", "--json",];
    let (code, out, err) = outcome(&warpsmith(&args));
    assert_eq!(code, 1, "{out}{err}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(json["outcome"], "fail");
    assert!(
        json["details"][0]
            .as_str()
            .is_some_and(|d| d.contains("replay: warpsmith cosim") && d.contains("--config tiny --engine verilator")),
        "{out}"
    );
}

#[test]
fn stale_folder_is_noticed_by_check() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let emit = |check: bool| {
        let mut args =
            vec![Path::new("emit"), Path::new("--config"), Path::new("tiny"), Path::new("--out"), dir.path()];
        if check {
            args.push(Path::new("--check"));
        }
        outcome(&warpsmith(&args))
    };
    assert_eq!(emit(false).0, 0);
    assert_eq!(emit(true).0, 0);
    let file = dir.path().join("warpsmith.v");
    let text = std::fs::read_to_string(&file).expect("written");
    std::fs::write(&file, text.replacen("posedge", "negedge", 1)).expect("changed");
    let (code, _, err) = emit(true);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("warpsmith.v") && err.contains("line"), "{err}");
}
