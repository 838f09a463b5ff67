//! The chip as gates, from `warpsmith synth --target gates`: in lockstep with the model.

#[path = "support/sim.rs"]
mod sim;
mod support;

use std::path::{Path, PathBuf};
use support::{outcome, warpsmith};
use warpsmith_cosim::{cosim, patched_copy, BuildOptions, Chip, CosimOptions};
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_model::Launch;

/// The netlist of `tiny`, made in `dir`. Reports a skip, and gives `None`, without tools.
fn netlist(test: &str, dir: &Path) -> Option<PathBuf> {
    if !support::tools(test, &support::SIMULATION) {
        return None;
    }
    if let Err(e) = Tool::Yosys.find() {
        assert!(
            std::env::var_os("WARPSMITH_REQUIRE_TOOLS").is_none(),
            "{test}: {e}"
        );
        println!("skipped: {test}: {e}");
        return None;
    }
    let out = dir.join("tiny");
    let text = out.to_str().expect("UTF-8");
    let args = [
        "synth", "--target", "gates", "--config", "tiny", "--out", text,
    ];
    let (code, _, err) = outcome(&warpsmith(&args));
    assert_eq!(code, 0, "{err}");
    Some(out)
}

/// The gate that drives bit 0 of the integer result of lane 0, and the same with its output inverted:
/// every kernel sees it.
fn a_gate(verilog: &str) -> (String, String) {
    let net = "assign \\u_sm_0.u_datapath.u_lane_0.integer_y [0] = ";
    let drives = |l: &&str| l.trim_start().starts_with(net);
    let line = verilog.lines().find(drives).expect("a gate of lane 0");
    let gate = line.trim().trim_start_matches(net).trim_end_matches(';');
    (line.to_string(), format!("  {net}~({gate});"))
}

/// Two kernels in lockstep; then a copy of the netlist with one gate changed is found out.
#[test]
#[ignore = "eight minutes of synthesis and compilation; make soak runs it"]
fn tiny_runs_as_gates() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(folder) = netlist("tiny_runs_as_gates", dir.path()) else {
        return;
    };
    let verilog = std::fs::read_to_string(folder.join("warpsmith.v")).expect("the netlist");
    assert_eq!(
        verilog.matches("\nmodule ").count(),
        1,
        "the netlist is flat"
    );
    // Words only where memories are: everything else is a gate.
    assert!(!verilog.contains(" + ") && !verilog.contains(" * "));
    let chip = Chip::open(&folder, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    for kernel in ["vector_add", "collatz"] {
        sim::agree(&chip, &support::kernel(kernel));
    }
    let wrong = dir.path().join("wrong");
    let (find, replace) = a_gate(&verilog);
    patched_copy(&folder, &wrong, &find, &replace).unwrap_or_else(|e| panic!("{e}"));
    let chip = Chip::open(&wrong, &BuildOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let launch = Launch::load(support::kernel("vector_add")).unwrap_or_else(|e| panic!("{e}"));
    let options = CosimOptions::default();
    let report = cosim(&chip, &launch, &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        !report.outcome.is_agreement(),
        "{find} became {replace}, unnoticed"
    );
}
