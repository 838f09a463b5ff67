//! The chip as gates, from `warpsmith synth --target gates`: in lockstep with the model; blocks as gates,
//! read from Yosys' JSON and evaluated beside their own netlist.

use crate::support::{self, sim};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use warpsmith_cosim::{cosim, patched_copy, BuildOptions, Chip, CosimOptions};
use warpsmith_fpga::synth::flow::Workshop;
use warpsmith_fpga::synth::tools::{Program, Tool};
use warpsmith_fpga::synth::GATES;
use warpsmith_hdl::config::{Floats, GpuConfig, Semantics};
use warpsmith_hdl::emit::{emit_leaf, Emitted};
use warpsmith_hdl::sm;
use warpsmith_netlist::flat::{Evaluator, Flat, Options};
use warpsmith_netlist::{print, read, Design};

/// Yosys' command. Reports a skip, and gives `None`, without it.
fn yosys() -> Option<Program> {
    support::found(Tool::Yosys.find())
}

/// The netlist of `tiny`, made in `dir`. Reports a skip, and gives `None`, without tools.
fn netlist(dir: &Path) -> Option<PathBuf> {
    if !support::tools(&support::SIMULATION) {
        return None;
    }
    yosys()?;
    let out = dir.join("tiny");
    let text = out.to_str().expect("UTF-8");
    let args = ["synth", "--target", "gates", "--config", "tiny", "--out", text];
    support::prints(&args);
    Some(out)
}

/// The flip-flop that holds bit 0 of lane 0's sum, and the same with its input inverted: every kernel sees it.
/// Registers keep their names, other nets may take those of ports they reach.
fn a_gate(verilog: &str) -> (String, String) {
    let register = "\\u_sm_0.u_datapath.u_execute.u_lane_0.u_integer.e3_sum [0] <= ";
    let takes = |l: &&str| l.trim_start().starts_with(register);
    let line = verilog.lines().find(takes).expect("the sum of lane 0");
    let value = line.trim().trim_start_matches(register).trim_end_matches(';');
    (line.to_string(), format!("    {register}~({value});"))
}

/// Two kernels in lockstep; then a copy of the netlist with one gate changed is found out.
#[test]
#[ignore = "eight minutes of synthesis and compilation; make soak runs it"]
fn tiny_runs_as_gates() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(folder) = netlist(dir.path()) else { return };
    let verilog = std::fs::read_to_string(folder.join("warpsmith.v")).expect("the netlist");
    assert_eq!(verilog.matches("\nmodule ").count(), 1, "the netlist is flat");
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
    let launch = support::load("vector_add");
    let options = CosimOptions::default();
    let report = cosim(&chip, &launch, &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(!report.outcome.is_agreement(), "{find} became {replace}, unnoticed");
}

/// The gates of a block, read from Yosys' JSON. `None` without Yosys.
fn gates(name: &str, leaf: &Emitted) -> Option<Design> {
    let yosys = yosys()?;
    let dir = support::Scratch::new(&format!("gates-{name}"));
    let mut say = |_: warpsmith_fpga::synth::Step| ();
    let mut shop = Workshop::new(dir.path(), &mut say).expect("a folder");
    shop.write("rtl.v", &leaf.files["warpsmith.v"]).expect("room");
    let script = format!("read_verilog rtl.v\n{GATES}write_json gates.json\n");
    shop.write("gates.ys", script).expect("room");
    shop.run("gates", &yosys, &["gates.ys"]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let text = shop.read("gates.json").expect("the gates");
    let design = read::yosys(&text, Path::new("gates.json"));
    Some(design.unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// Drives two flat netlists with the same random inputs; the first cycle in which an output differs.
fn differ(rtl: &Flat, gates: &Flat, cycles: usize) -> Option<String> {
    let mut machines = [rtl, gates].map(|f| (f, Evaluator::new(f)));
    let mut random = ChaCha8Rng::seed_from_u64(0x5eed);
    for cycle in 0..cycles {
        for port in rtl.ports.iter().filter(|p| p.is_input() && p.name != "clock") {
            for word in 0..port.width.div_ceil(64) {
                let value = match (port.name.as_str(), random.gen_range(0..4)) {
                    ("reset", _) => u64::from(cycle < 2),
                    (_, 0) => random.gen(),
                    (_, 1) => random.gen_range(0..4),
                    (_, 2) => 0,
                    _ => u64::MAX,
                };
                for (flat, machine) in &mut machines {
                    let at = flat.ports.iter().position(|p| p.name == port.name);
                    machine.drive(at.expect("the same ports"), word, value);
                }
            }
        }
        let outputs = machines.each_mut().map(|(flat, machine)| {
            machine.settle();
            let value = |(port, nodes): &(u32, Vec<_>)| {
                let words: Vec<u64> = nodes.iter().map(|n| machine.value(*n)).collect();
                (flat.ports[*port as usize].name.clone(), words)
            };
            let values: Vec<_> = flat.outputs.iter().map(value).collect();
            machine.edge();
            values
        });
        // Before the reset registers hold anything.
        let differ = outputs[0].iter().zip(&outputs[1]).find(|(a, b)| a != b);
        if let (Some((a, b)), true) = (differ, cycle > 1) {
            return Some(format!("cycle {cycle}: {a:x?} in the netlist, {b:x?} in the gates"));
        }
    }
    None
}

/// The same gates with one value inverted that an output reads.
fn broken(mut design: Design) -> Design {
    let body = &mut design.modules.last_mut().expect("a top").body;
    let (output, value) = body.assigns.last().copied().expect("an output");
    let width = body.expr(value).width;
    body.exprs.push(warpsmith_netlist::Expr { kind: warpsmith_netlist::Kind::Not(value), width });
    let inverted = warpsmith_netlist::ExprId(body.exprs.len() as u32 - 1);
    body.assigns.pop();
    body.assigns.push((output, inverted));
    design
}

#[test]
fn blocks_as_gates_are_their_netlist() {
    let tiny = GpuConfig::named("tiny").expect("a configuration");
    let blocks = [
        ("fifo", emit_leaf(&sm::mem::fifo::Fifo::new(8, 70))),
        ("scoreboard", emit_leaf(&sm::pipeline::scoreboard::Scoreboard::new(&tiny))),
        ("barrier", emit_leaf(&sm::barrier::Barrier::new(&tiny))),
        ("divergence", emit_leaf(&sm::divergence::Divergence::new(&tiny))),
        ("lane", emit_leaf(&sm::pipeline::execute::lane::Lane::new(Floats::None, Semantics::G80))),
        ("shared", emit_leaf(&sm::mem::shared::SharedMemory::new(&tiny))),
    ];
    for (name, leaf) in blocks {
        let Some(gates) = gates(name, &leaf) else { return };
        let flat = |d: &Design| Flat::new(d, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let rtl = read::netlist(&leaf.files["netlist.json"], Path::new("netlist.json"));
        let rtl = flat(&rtl.unwrap_or_else(|e| panic!("{name}: {e}")));
        let cycles = 2000;
        let made = flat(&gates);
        assert_eq!(made.ports, rtl.ports, "{name}");
        println!("{name}: {} nodes, as gates {}", rtl.graph.nodes().len(), made.graph.nodes().len());
        if let Some(difference) = differ(&rtl, &made, cycles) {
            panic!("{name}, {difference}");
        }
        // The file of a netlist holds gates too.
        let text = print::netlist::file(&gates);
        let again = read::netlist(&text, Path::new("netlist.json"));
        assert!(again.as_ref() == Ok(&gates), "{name}: {:?}", again.err());
        let wrong = flat(&broken(gates));
        assert!(differ(&rtl, &wrong, cycles).is_some(), "{name}: an inverted output was not found");
    }
}
