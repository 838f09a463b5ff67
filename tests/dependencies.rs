//! Which crate of the workspace may use which: the table, checked against `cargo metadata`.

use crate::support;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// What the tests of all crates share.
const TESTKIT: &str = "warpsmith-testkit";

/// Crate, and all of ours it may depend on, in tests and build scripts too.
const ALLOWED: [(&str, &[&str]); 26] = [
    // For tests alone: see `facts_and_helpers_are_for_tests_alone`. Every crate's tests may use the second.
    ("warpsmith-conformance", &[]),
    (TESTKIT, &["warpsmith-compiler", "warpsmith-contract", "warpsmith-model", "warpsmith-netlist"]),
    ("warpsmith-isa", &["warpsmith-conformance"]),
    ("warpsmith-contract", &[]),
    ("warpsmith-netlist", &["warpsmith-contract"]),
    (
        "warpsmith-hdl",
        &[
            "warpsmith-isa", "warpsmith-cache", "warpsmith-conformance", "warpsmith-contract", "warpsmith-netlist",
            "warpsmith-cxx", "warpsmith-engine", "warpsmith-engine-native", "warpsmith-engine-verilator",
            // Its tests ask the golden model: see `chip_and_model_do_not_see_each_other`.
            "warpsmith-model",
        ],
    ),
    // Its tests run what it compiles on the model.
    ("warpsmith-compiler", &["warpsmith-isa", "warpsmith-cache", "warpsmith-model"]),
    // A launch is data: what runs it knows neither the format of its file nor the compiler.
    ("warpsmith-launch", &["warpsmith-isa", "warpsmith-contract"]),
    // Its tests run what they load on the model.
    (
        "warpsmith-launch-file",
        &[
            "warpsmith-isa", "warpsmith-cache", "warpsmith-compiler", "warpsmith-contract", "warpsmith-launch",
            "warpsmith-model",
        ],
    ),
    // Of the contract it has the causes of traps: what a kernel stops for is agreed on, not computed. Its tests
    // load and compile launches: see `models_and_engines_know_no_files_and_no_compiler`.
    (
        "warpsmith-model",
        &[
            "warpsmith-isa", "warpsmith-conformance", "warpsmith-cache", "warpsmith-contract", "warpsmith-compiler",
            "warpsmith-launch", "warpsmith-launch-file",
        ],
    ),
    // It watches the model, and knows no chip. Its tests load and compile launches.
    ("warpsmith-check", &["warpsmith-isa", "warpsmith-model", "warpsmith-compiler", "warpsmith-launch-file"]),
    ("warpsmith-cache", &[]),
    ("warpsmith-plot", &[]),
    ("warpsmith-cxx", &["warpsmith-cache", "warpsmith-contract"]),
    // Engines see netlist and contract, never the blocks.
    ("warpsmith-engine", &["warpsmith-contract"]),
    ("warpsmith-engine-verilator", &["warpsmith-contract", "warpsmith-cxx", "warpsmith-engine"]),
    ("warpsmith-engine-native", &["warpsmith-contract", "warpsmith-engine", "warpsmith-netlist"]),
    (
        "warpsmith-cosim",
        &[
            "warpsmith-isa", "warpsmith-cache", "warpsmith-check", "warpsmith-contract", "warpsmith-launch-file",
            "warpsmith-model", "warpsmith-engine", "warpsmith-engine-native", "warpsmith-engine-verilator",
        ],
    ),
    // Every machine that runs a launch from beginning to end; no engine is its affair, nor the blocks.
    ("warpsmith-run", &["warpsmith-check", "warpsmith-cosim", "warpsmith-fpga", "warpsmith-model"]),
    (
        "warpsmith-bench",
        &[
            "warpsmith-isa", "warpsmith-launch-file", "warpsmith-model", "warpsmith-cosim", "warpsmith-plot",
            "warpsmith-run",
        ],
    ),
    (
        "warpsmith-fault",
        &[
            "warpsmith-isa", "warpsmith-cache", "warpsmith-contract", "warpsmith-launch-file", "warpsmith-netlist",
            "warpsmith-plot", "warpsmith-model", "warpsmith-engine-native", "warpsmith-cosim",
        ],
    ),
    // Faults of gates are an affair of netlists: it starts no tool and runs no chip.
    ("warpsmith-gates", &["warpsmith-contract", "warpsmith-netlist"]),
    // What bits of an FPGA mean, too.
    ("warpsmith-cram", &["warpsmith-netlist"]),
    (
        "warpsmith-fpga",
        &[
            "warpsmith-isa", "warpsmith-cache", "warpsmith-contract", "warpsmith-launch-file", "warpsmith-model",
            "warpsmith-cosim", "warpsmith-cxx", "warpsmith-engine-verilator",
        ],
    ),
    // The driver emits, compiles and runs by itself: a host program starts no command.
    (
        "warpsmith-opencl",
        &[
            "warpsmith-cache", "warpsmith-check", "warpsmith-compiler", "warpsmith-cosim", "warpsmith-fpga",
            "warpsmith-hdl", "warpsmith-isa", "warpsmith-launch-file", "warpsmith-model", "warpsmith-run",
        ],
    ),
    (
        "warpsmith",
        &[
            "warpsmith-bench", "warpsmith-cache", "warpsmith-check", "warpsmith-contract", "warpsmith-compiler",
            "warpsmith-engine", "warpsmith-engine-native", "warpsmith-fault", "warpsmith-fpga", "warpsmith-gates",
            "warpsmith-isa", "warpsmith-hdl", "warpsmith-launch-file", "warpsmith-netlist", "warpsmith-model",
            "warpsmith-cosim", "warpsmith-cram", "warpsmith-cxx", "warpsmith-opencl", "warpsmith-run",
        ],
    ),
];

/// What each crate depends on; with `tests` for its tests and build scripts too.
fn edges(tests: bool) -> BTreeMap<String, BTreeSet<String>> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(support::root())
        .output()
        .expect("cargo starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo prints JSON");
    let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_string();
    let list = |v: &serde_json::Value| v.as_array().cloned().unwrap_or_default();
    list(&metadata["packages"])
        .iter()
        .map(|p| {
            (
                text(&p["name"]),
                list(&p["dependencies"])
                    .iter()
                    .filter(|d| tests || d["kind"].is_null())
                    .map(|d| text(&d["name"]))
                    .collect(),
            )
        })
        .collect()
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let edges = edges(true);
    assert_eq!(edges.len(), ALLOWED.len(), "a crate is missing in the table: {:?}", edges.keys());
    for (name, allowed) in ALLOWED {
        let uses = edges.get(name).unwrap_or_else(|| panic!("no crate {name}"));
        let ours: Vec<&String> = uses.iter().filter(|d| d.starts_with("warpsmith")).collect();
        for d in ours {
            assert!(
                d == TESTKIT || allowed.contains(&d.as_str()),
                "{name} uses {d}, which the table in this test forbids"
            );
        }
    }
}

#[test]
fn instruction_set_knows_no_files_and_no_hardware_language() {
    let edges = edges(true);
    for forbidden in ["clap", "rust-hdl-core", "verilated", "serde"] {
        assert!(!edges["warpsmith-isa"].contains(forbidden), "isa uses {forbidden}");
    }
}

#[test]
fn only_the_chip_knows_the_hardware_language() {
    for (name, uses) in edges(true) {
        assert!(name == "warpsmith-hdl" || !uses.iter().any(|d| d.starts_with("rust-hdl")), "{name} uses rust-hdl");
    }
}

#[test]
fn models_and_engines_know_no_files_and_no_compiler() {
    let edges = edges(false);
    for (name, uses) in &edges {
        if ["launch", "model", "check", "cosim", "run", "fault", "engine"]
            .iter()
            .any(|n| *name == format!("warpsmith-{n}"))
        {
            for forbidden in ["warpsmith-compiler", "warpsmith-launch-file", "toml"] {
                assert!(!uses.contains(forbidden), "{name} uses {forbidden}");
            }
        }
    }
}

#[test]
fn facts_and_helpers_are_for_tests_alone() {
    for (name, uses) in edges(false) {
        assert!(!uses.contains("warpsmith-conformance") && !uses.contains(TESTKIT), "{name}");
    }
}

#[test]
fn chip_and_model_do_not_see_each_other() {
    assert!(!edges(false)["warpsmith-hdl"].contains("warpsmith-model"));
    assert!(!edges(true)["warpsmith-model"].contains("warpsmith-hdl"));
}

#[test]
fn only_tests_of_the_chip_know_the_simulator() {
    for crate_ in ["cxx", "engine", "engine-native", "engine-verilator"] {
        let name = format!("warpsmith-{crate_}");
        assert!(!edges(false)["warpsmith-hdl"].contains(&name), "{name}");
    }
}
