//! The benchmarks: every row of the baseline to the cycle, and a changed baseline is noticed.
//!
//! The chips here carry the trace port, so their simulations are those of the other tests; the
//! baseline is written from chips without it. That they agree shows that the port costs no cycle.

use crate::support::set_chip::native;
use crate::support::{self, sim};
use rayon::prelude::*;
use std::path::PathBuf;
use warpsmith_bench::{cycles, report, suite, Baseline, Case, Change, Subject, Suite};
use warpsmith_cosim::Chip;

fn file() -> PathBuf {
    support::root().join("docs/benchmarks/baseline.toml")
}

fn cases() -> Vec<Case> {
    let mut cases = suite::cases(support::root()).unwrap_or_else(|e| panic!("{e}"));
    cases.retain(Case::in_baseline);
    cases
}

fn subject(config: &str, set: &[&str]) -> Option<Subject> {
    sim::chip(config, set).map(of)
}

fn of(chip: Chip) -> Subject {
    let name = chip.info().name.clone();
    Subject::new(&name, chip).unwrap_or_else(|e| panic!("{e}"))
}

/// Differences of the whole baseline of one chip, kernels checked against their expectations too.
fn changes(subject: &Subject, baseline: &Baseline) -> Vec<Change> {
    let measured: Vec<(String, String, u64)> = cases()
        .par_iter()
        .map(|case| {
            let n = cycles(subject, case, 1).unwrap_or_else(|e| panic!("{e}"));
            (subject.name.clone(), case.key(), n)
        })
        .collect();
    baseline.compare(&measured, true)
}

fn agrees(subject: &Subject) {
    let baseline = Baseline::load(&file()).unwrap_or_else(|e| panic!("{e}"));
    assert!(baseline.0.contains_key(&subject.name), "{}", subject.name);
    let changes = changes(subject, &baseline);
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert!(
        changes.is_empty(),
        "cycles changed; `warpsmith bench --update-baseline` accepts them, with the reason in the commit:\n{}",
        lines.join("\n")
    );
}

#[test]
fn cycles_of_8_lanes_are_those_of_the_baseline() {
    let Some(subject) = subject("default", &[]) else { return };
    agrees(&subject);
}

#[test]
fn cycles_of_16_lanes_are_those_of_the_baseline() {
    // Of the same Verilog's netlist: `cycles_are_the_same_on_the_native_engine`.
    agrees(&of(native("default", &["lanes=16", "port_words=16", "shared_banks=16"])));
}

#[test]
fn cycles_of_32_lanes_are_those_of_the_baseline() {
    let Some(subject) = subject("wide", &[]) else { return };
    agrees(&subject);
}

#[test]
fn cycles_are_the_same_on_the_native_engine() {
    let out =
        support::warpsmith(&["bench", "--check", "--config", "default", "--suite", "kernels", "--engine", "native"]);
    let (code, text, errors) = support::outcome(&out);
    assert_eq!((code, errors.as_str()), (0, ""), "{text}");
    assert!(text.ends_with("rows as the baseline says\n"), "{text}");
}

#[test]
fn kernels_that_the_chip_cannot_run_are_left_out_by_name() {
    let out = support::warpsmith(&["bench", "--json", "--config", "tiny", "--suite", "kernels", "--engine", "native"]);
    let (code, text, errors) = support::outcome(&out);
    assert_eq!(code, 0, "{errors}");
    for kernel in ["nbody", "mandelbrot"] {
        let line = errors.lines().find(|l| l.contains(kernel));
        let line = line.unwrap_or_else(|| panic!("{kernel}: {errors}"));
        assert!(line.contains("left out: kernels/"), "{line}");
        assert!(line.contains("the chip tiny lacks "), "{line}");
        assert!(!text.contains(kernel), "{text}");
    }
    for kernel in ["vector_add", "collatz"] {
        assert!(text.contains(kernel), "{text}");
        assert!(!errors.contains(&format!("kernels/{kernel}:")), "{errors}");
    }
}

#[test]
fn cycles_do_not_depend_on_the_power_on_state() {
    let Some(subject) = subject("default", &[]) else { return };
    // The long loops of the small programs add time, not kinds of behaviour.
    for case in cases().iter().filter(|c| c.suite == Suite::Kernels) {
        let [one, two] = [1, 0x5eed].map(|seed| cycles(&subject, case, seed));
        let both = (one.unwrap_or(0), two.unwrap_or(0));
        assert!(both.0 > 0 && both.0 == both.1, "{}: {both:?}", case.key());
    }
}

/// A number changed in a copy of the baseline is named by the program, with exit code 1.
#[test]
fn must_fail_a_changed_number_is_reported() {
    let Some(subject) = subject("tiny", &[]) else { return };
    let key = "kernels/vector_add";
    let cases = cases();
    let case = cases.iter().find(|c| c.key() == key).expect("the case");
    let right = cycles(&subject, case, 1).unwrap_or_else(|e| panic!("{e}"));
    let (code, text) = check(key, right + 1);
    assert_eq!(code, 1, "{text}");
    let named = format!("{key} on tiny: {} -> {right} cycles", right + 1);
    assert!(text.contains(&named), "{text}");
    // The right number passes, so it is the change that was seen.
    let (code, text) = check(key, right);
    assert_eq!(code, 0, "{text}");
}

/// Exit code and output of `bench --check` of one case on `tiny`.
fn check(key: &str, cycles: u64) -> (i32, String) {
    let dir = tempfile::tempdir().expect("a folder");
    let copy = dir.path().join("baseline.toml");
    let text = format!("[tiny]\n\"{key}\" = {cycles}\n");
    std::fs::write(&copy, text).expect("written");
    let copy = copy.to_string_lossy();
    let args = ["bench", "--check", "--config", "tiny", "--engine", "verilator", "--filter", key, "--baseline", &copy];
    let (code, out, err) = support::outcome(&support::warpsmith(&args));
    (code, out + &err)
}

/// Where there is no checkout, programs that are in the binary run; what needs kernels/ says so before any work.
#[test]
fn outside_of_a_checkout_it_runs_or_says_what_it_needs() {
    let dir = tempfile::tempdir().expect("a folder");
    let bench = |args: &[&str]| {
        let args: Vec<&str> = ["bench", "--engine", "native"].iter().chain(args).copied().collect();
        support::outcome(&support::warpsmith_with(&args, |c| c.current_dir(dir.path())))
    };
    let (code, out, err) = bench(&["--suite", "micro", "--config", "tiny", "--filter", "micro/independent_1_warp"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("| independent_1_warp |"), "{out}");
    for args in [
        &["--suite", "kernels"][..],
        &["--suite", "programs"],
        &["--suite", "programs", "--check"],
        &["--check"],
        &["--update-baseline"],
    ] {
        let (code, out, err) = bench(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        let needed = err.contains("there is no kernels/ in this folder");
        assert!(needed && err.lines().count() == 1, "{args:?}: {err}");
    }
}

/// The committed page shows what the suite of today wants of the committed results.
#[test]
fn the_page_is_judged_by_the_targets_of_today() {
    let dir = support::root().join("docs/benchmarks");
    let read = |name: &str| {
        let path = dir.join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let (page, results) = (read("README.md"), read("results.json"));
    let cases = suite::cases(support::root()).unwrap_or_else(|e| panic!("{e}"));
    let rows = report::rows(&dir.join("results.json"), &results, &cases);
    let judged = report::judged(&cases, rows.unwrap_or_else(|e| panic!("{e}")));
    let renew = "`warpsmith bench --results docs/benchmarks/results.json --out docs/benchmarks` renews both";
    assert!(report::json(&judged) == results, "results.json: {renew}");
    let renewed = report::in_page(&page, &report::markdown(&judged));
    assert!(renewed == page, "README.md: {renew}");
}
