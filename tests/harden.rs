//! Hardened chips: kernels in lockstep, and campaigns of upsets in what is protected.

use crate::support::{kernel, outcome, prints, warpsmith};
use std::collections::BTreeMap;
use warpsmith_contract::TrapCause;
use warpsmith_fault::{FaultOutcome, Store};

/// A scheme of each kind, as `--set` takes them.
const MIXED: [&str; 6] = [
    "harden.file=secded", "harden.shared=parity", "harden.fetch=tmr+secded", "harden.scoreboard=tmr",
    "harden.warps=dmr", "harden.launch=dmr",
];

fn with(args: &[&str], set: &[&str]) -> Vec<String> {
    let options = set.iter().flat_map(|s| ["--set", s]);
    args.iter().copied().chain(options).map(String::from).collect()
}

fn agrees(name: &str, config: &str, engine: &str, set: &[&str]) {
    let launch = kernel(name);
    let launch = launch.to_str().expect("UTF-8");
    let args = with(&["cosim", launch, "--config", config, "--engine", engine], set);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (code, out, err) = outcome(&warpsmith(&args));
    assert_eq!(code, 0, "{name} on {config} {set:?}: {out}{err}");
}

#[test]
fn kernels_agree_in_lockstep_with_every_bit_protected() {
    for name in ["vector_add", "reduction", "histogram", "collatz"] {
        agrees(name, "tiny", "native", &["harden.warpsmith=tmr+secded"]);
    }
    for name in ["vector_add", "reduction"] {
        agrees(name, "tiny", "native", &["harden.warpsmith=dmr+parity"]);
        agrees(name, "default", "native", &["harden.warpsmith=tmr+secded"]);
    }
}

#[test]
fn the_verilog_of_a_hardened_chip_agrees() {
    if !crate::support::tools(&crate::support::SIMULATION) {
        return;
    }
    agrees("reduction", "tiny", "verilator", &MIXED);
}

#[test]
fn random_programs_agree_on_a_hardened_chip() {
    let args = ["cosim", "--random", "20000", "--seed", "3901", "--config", "tiny", "--engine", "native"];
    let args = with(&args, &MIXED);
    prints(&args.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Outcomes of a campaign of `vector_add` on `tiny` with these schemes; of traps, with the cause.
fn campaign(set: &[&str], names: &[&str], model: &str, count: &str) -> BTreeMap<(FaultOutcome, Option<u8>), usize> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("c.csv");
    let file = file.to_str().expect("UTF-8");
    let launch = kernel("vector_add");
    let launch = launch.to_str().expect("UTF-8");
    let mut args = vec!["fault", "plan", launch, "--config", "tiny", "--engine", "native", "--kind", model];
    args.extend(names.iter().flat_map(|n| ["--name", n]));
    args.extend(["--count", count, "--seed", "39", "-o", file]);
    let args = with(&args, set);
    prints(&args.iter().map(String::as_str).collect::<Vec<_>>());
    prints(&["fault", "run", file, "--engine", "native"]);
    let mut found = BTreeMap::new();
    let results = folder.path().join("c.db");
    for record in Store::open_read(&results).expect("results").records().expect("records").values() {
        *found.entry((record.outcome, record.cause)).or_default() += 1;
    }
    found
}

const DETECTED: (FaultOutcome, Option<u8>) = (FaultOutcome::Detected, Some(TrapCause::Fault as u8));

/// What does no harm.
const HARMLESS: [FaultOutcome; 3] = [FaultOutcome::Masked, FaultOutcome::Corrected, FaultOutcome::NotActivated];

/// Memories with check bits of the register file, and of fetch.
const FILE_AND_FETCH: [&str; 2] = ["*.u_file.*.u_words.mem", "*.u_fetch.*.u_words.mem"];

/// Nothing but masked and corrected upsets, and some of those.
#[track_caller]
fn all_corrected(set: &[&str], names: &[&str], count: &str) {
    let found = campaign(set, names, "seu", count);
    assert!(found.keys().all(|(o, _)| HARMLESS.contains(o)), "{set:?} {names:?}: {found:?}");
    assert!(found.contains_key(&(FaultOutcome::Corrected, None)), "{found:?}");
}

/// Nothing but harmless upsets and traps of the cause `detected-fault`, and some of those.
#[track_caller]
fn none_passes(set: &[&str], names: &[&str], model: &str, count: &str) {
    let found = campaign(set, names, model, count);
    let fine = |key: &(FaultOutcome, Option<u8>)| *key == DETECTED || HARMLESS.contains(&key.0);
    assert!(found.keys().all(fine) && found.contains_key(&DETECTED), "{set:?} {names:?} {model}: {found:?}");
}

#[test]
fn single_upsets_of_corrected_memories_are_corrected() {
    all_corrected(&["harden.file=secded", "harden.fetch=secded"], &FILE_AND_FETCH, "1500");
    let names = ["*.u_shared.*.u_words.mem", "*.u_constants.*.u_words.mem", "*.fix_word"];
    all_corrected(&["harden.shared=secded", "harden.constants=secded"], &names, "1500");
}

#[test]
fn double_upsets_and_parity_never_pass_unnoticed() {
    none_passes(&["harden.file=secded", "harden.fetch=secded"], &FILE_AND_FETCH, "mbu", "3000");
    none_passes(&["harden.file=parity", "harden.fetch=parity"], &FILE_AND_FETCH, "seu", "3000");
}

#[test]
fn upsets_of_copies_are_corrected_or_detected() {
    all_corrected(&["harden.scoreboard=tmr", "harden.warps=tmr", "harden.scheduler=tmr"], &["*_copies.*"], "1500");
    none_passes(&["harden.scoreboard=dmr", "harden.warps=dmr", "harden.scheduler=dmr"], &["*_copies.*"], "seu", "1500");
}

/// The same campaign on the plain chip does harm: the tests above can fail.
#[test]
fn without_protection_the_same_upsets_do_harm() {
    let found = campaign(&[], &["*u_file.*", "*u_fetch.u_store.mem", "*u_warps.*"], "seu", "1500");
    assert!(
        found.keys().any(|(o, _)| *o == FaultOutcome::Sdc) && found.keys().any(|(o, _)| *o == FaultOutcome::Due),
        "{found:?}"
    );
}

#[test]
fn a_configuration_with_a_wrong_scheme_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.toml");
    for (table, told) in [
        ("scorebord = \"tmr\"", "no block of this chip is called `scorebord`"),
        ("scoreboard = \"ecc\"", "a table of blocks and schemes"),
        ("scoreboard = 3", "a table of blocks and schemes"),
        ("operand = \"secded\"", "`operand` has no memories"),
    ] {
        std::fs::write(&file, format!("base = \"tiny\"\n[harden]\n{table}\n")).expect("written");
        let (code, out, err) = outcome(&warpsmith(&["emit", "--config", file.to_str().expect("UTF-8"), "--out", "x"]));
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains("harden") && err.contains(told), "{err}");
    }
}
