//! Gates are the Verilog they were made of: Yosys proves it of blocks, for every input and state.
//!
//! The gates are made by the script of `warpsmith synth --target gates`, written as Verilog and read
//! back. On both sides memories become registers; signals of the same name are pairs, each proven equal
//! from those before it, or by induction over the clock. Left out is the array of products
//! (`multiplier`): what multiplies 18 × 18 bits as gates and as `*` is beyond SAT, and is compared in
//! lockstep alone (`tests/gates.rs`).

use crate::support;
use std::path::Path;
use std::time::Instant;
use warpsmith_fpga::synth::flow::{SynthError, Workshop};
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_fpga::synth::GATES;
use warpsmith_hdl::config::{Floats, GpuConfig, Semantics};
use warpsmith_hdl::emit::{emit_leaf, Emitted};
use warpsmith_hdl::sm;

/// A module as it is compared: no hierarchy, no memories. Outputs are behind buffers: an output that is
/// a register in the gates alone would be paired with itself.
fn side(file: &str, top: &str, name: &str) -> String {
    format!(
        "read_verilog {file}
hierarchy -check -top {top}
proc
flatten
memory -nordff
opt_clean
iopadmap -bits -outpad $_BUF_ A:Y
rename {top} {name}
design -stash {name}
"
    )
}

/// What is compared.
#[derive(Clone, Copy)]
enum Pairs {
    /// Signals that are left when both sides have been simplified together: what is the same is no
    /// question any more, sums and products above all.
    Left,
    /// Every signal that has its name in both: `opt` drops pairs that nothing reads, and with them what
    /// is known of registers that the gates share or that hold a constant there. But not these: bits of
    /// theirs that no logic reads are x in the gates.
    AllBut(&'static str),
}

/// Writes the gates of the block in `dir`, changed by `change`, and compares. `None`: no Yosys.
fn compared(
    dir: &Path, top: &str, leaf: &Emitted, pairs: Pairs, change: impl Fn(String) -> String,
) -> Option<Result<(), String>> {
    let yosys = support::found(Tool::Yosys.find())?;
    let mut say = |_: warpsmith_fpga::synth::Step| ();
    let mut shop = Workshop::new(dir, &mut say).expect("a folder");
    shop.write("rtl.v", &leaf.files["warpsmith.v"]).expect("room");
    let script = format!("read_verilog rtl.v\n{GATES}write_verilog -noattr made.v\n");
    shop.write("gates.ys", script).expect("room");
    shop.run("gates", &yosys, &["gates.ys"]).unwrap_or_else(|e| panic!("{top}: {e}"));
    let gates = shop.read("made.v").expect("the gates");
    assert_eq!(gates.matches("\nmodule ").count(), 1, "{top}: flat");
    shop.write("gates.v", change(gates)).expect("room");
    let (simplify, left_out) = match pairs {
        Pairs::Left => ("opt -fast\n", ""),
        Pairs::AllBut(names) => ("", names),
    };
    shop.write("left_out.txt", left_out).expect("room");
    let script = format!(
        "{}{}design -copy-from rtl -as rtl rtl
design -copy-from gates -as gates gates
equiv_make -blacklist left_out.txt rtl gates both
hierarchy -top both
{simplify}equiv_struct
equiv_simple
equiv_induct -seq 2
equiv_status -assert
",
        side("rtl.v", top, "rtl"),
        side("gates.v", top, "gates"),
    );
    shop.write("equivalence.ys", script).expect("room");
    match shop.run("equivalence", &yosys, &["equivalence.ys"]) {
        Ok(()) => {
            let log = shop.read("equivalence.log").expect("the log");
            let proven = log.lines().rev().find(|l| l.contains("are proven"));
            println!("{top}: {}", proven.expect("cells").trim());
            Some(Ok(()))
        }
        Err(SynthError::Failed { .. }) => Some(Err(shop.read("equivalence.log").expect("the log"))),
        Err(e) => panic!("{top}: {e}"),
    }
}

/// The line of the last gate in the text that has two inputs, with its output inverted.
fn broken(gates: String) -> String {
    let gate = |l: &&str| l.starts_with("  assign ") && (l.contains(" & ") || l.contains(" | "));
    let line = gates.lines().rev().find(gate).expect("a gate");
    let (net, gate) = line.trim_end_matches(';').split_once(" = ").expect("an assignment");
    gates.replacen(line, &format!("{net} = ~({gate});"), 1)
}

#[track_caller]
fn is_its_gates(top: &str, leaf: &Emitted) {
    is_its_gates_by(Pairs::Left, top, leaf);
}

#[track_caller]
fn is_its_gates_by(pairs: Pairs, top: &str, leaf: &Emitted) {
    // A failed proof is looked at there.
    let dir = support::Scratch::new(&format!("equivalence-{top}"));
    let dir = dir.path();
    let started = Instant::now();
    match compared(dir, top, leaf, pairs, |t| t) {
        Some(Ok(())) => {}
        Some(Err(log)) => panic!("{top}: {log}"),
        None => return,
    }
    println!("{top}: {:.1} s", started.elapsed().as_secs_f64());
    match compared(&dir.join("broken"), top, leaf, pairs, broken) {
        Some(Err(log)) => assert!(log.contains("unproven"), "{top}: {log}"),
        Some(Ok(())) => panic!("{top}: an inverted gate was not found"),
        None => unreachable!("Yosys was there"),
    }
}

/// Memories are a pair to prove a bit here: small ones will do.
fn small() -> GpuConfig {
    let mut cfg = GpuConfig::named("tiny").expect("a configuration");
    for set in ["warps=2", "stack_depth=4", "program_bytes=256"] {
        cfg.set(set).expect("a parameter");
    }
    cfg
}

#[test]
fn a_queue_is_its_gates() {
    is_its_gates("fifo", &emit_leaf(&sm::mem::fifo::Fifo::new(4, 8)));
}

#[test]
#[ignore = "two minutes; make soak runs it"]
fn control_is_its_gates() {
    let cfg = small();
    is_its_gates("warps", &emit_leaf(&sm::pipeline::warps::Warps::new(&cfg)));
    is_its_gates("fetch", &emit_leaf(&sm::pipeline::fetch::Fetch::new(&cfg)));
    is_its_gates("row_lines", &emit_leaf(&sm::pipeline::decode::row_lines::RowLines::new(&cfg)));
    is_its_gates("decode", &emit_leaf(&sm::pipeline::decode::Decode::new(&cfg)));
    is_its_gates("scoreboard", &emit_leaf(&sm::pipeline::scoreboard::Scoreboard::new(&cfg)));
    is_its_gates("barrier", &emit_leaf(&sm::barrier::Barrier::new(&cfg)));
    is_its_gates("divergence", &emit_leaf(&sm::divergence::Divergence::new(&cfg)));
}

#[test]
#[ignore = "three minutes; make soak runs it"]
fn dispatch_is_its_gates() {
    is_its_gates_by(
        Pairs::AllBut("arriving"),
        "dispatch",
        &emit_leaf(&sm::pipeline::dispatch::Dispatch::new(&small())),
    );
}

/// Of two lanes: nothing between its registers has a name in the gates, so the induction has all its
/// compared lines at once, and with four lanes was not seen to end.
#[test]
fn the_coalescer_is_its_gates() {
    let mut cfg = small();
    for set in ["lanes=2", "port_words=2"] {
        cfg.set(set).expect("a parameter");
    }
    let leaf = emit_leaf(&sm::mem::coalescer::Coalescer::new(&cfg));
    is_its_gates("coalescer", &leaf);
}

#[test]
#[ignore = "a minute; make soak runs it"]
fn memory_access_is_its_gates() {
    let cfg = small();
    is_its_gates("store_bytes", &emit_leaf(&sm::mem::store_bytes::StoreBytes::new(&cfg)));
    is_its_gates("return_path", &emit_leaf(&sm::mem::return_path::ReturnPath::new(&cfg)));
}

#[test]
#[ignore = "a minute; make soak runs it"]
fn arithmetic_is_its_gates() {
    for floats in [Floats::None, Floats::All] {
        let unit = sm::pipeline::execute::int::IntUnit::new(floats, Semantics::G80);
        is_its_gates("int_unit", &emit_leaf(&unit));
    }
    let unit = sm::pipeline::execute::float::FloatUnit::new(true);
    is_its_gates("float_unit", &emit_leaf(&unit));
}
