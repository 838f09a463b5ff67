//! The flat netlist is the Verilog: blocks, and a whole chip, driven at random under Verilator and evaluated
//! node by node give the same outputs in every cycle.

use crate::support;
use rust_hdl_core::block::Block;
use support::{Random, Simulation};
use warpsmith_hdl::config::{Floats, GpuConfig, Isa, Semantics};
use warpsmith_hdl::emit::{design, emit_injecting_leaf, emit_leaf};
use warpsmith_hdl::sm::divergence::fermi::FermiDivergence;
use warpsmith_hdl::{gpu, sm};
use warpsmith_netlist::flat::{Evaluator, Flat, Op, Options};

/// Rows of random inputs; most words are small, so that addresses meet and enables hold.
fn rows(words: usize, cycles: usize, random: &mut Random) -> Vec<Vec<u32>> {
    let mut word = |_| match random.below(4) {
        0 => random.word(),
        1 => random.below(4),
        2 => 0,
        _ => u32::MAX,
    };
    let mut row = |_| (0..words).map(&mut word).collect();
    (0..cycles).map(&mut row).collect()
}

/// Inputs and outputs of a flat chip as rows of 32-bit words, as [`Simulation::run`] has them.
fn evaluate(flat: &Flat, rows: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut machine = Evaluator::new(flat);
    let port = |name: &str| flat.ports.iter().position(|p| p.name == name);
    if let Some(reset) = port("reset") {
        machine.drive(reset, 0, 1);
        for _ in 0..2 {
            machine.settle();
            machine.edge();
        }
        machine.drive(reset, 0, 0);
    }
    let mut out = vec![];
    for row in rows {
        let mut at = row.iter();
        for (i, p) in flat.ports.iter().enumerate() {
            if !p.is_input() || p.name == "clock" || p.name == "reset" {
                continue;
            }
            let words: Vec<u64> = at.by_ref().take(p.words()).map(|w| u64::from(*w)).collect();
            for (word, pair) in words.chunks(2).enumerate() {
                let high = pair.get(1).copied().unwrap_or(0);
                machine.drive(i, word, pair[0] | high << 32);
            }
        }
        machine.settle();
        let mut result = vec![];
        for (port, nodes) in &flat.outputs {
            let words = nodes.iter().flat_map(|n| {
                let v = machine.value(*n);
                [v as u32, (v >> 32) as u32]
            });
            result.extend(words.take(flat.ports[*port as usize].words()));
        }
        out.push(result);
        machine.edge();
    }
    out
}

/// Random words cut to the widths of the ports.
fn fit(flat: &Flat, rows: &mut [Vec<u32>]) {
    for row in rows {
        let mut at = 0;
        for p in &flat.ports {
            if !p.is_input() || p.name == "clock" || p.name == "reset" {
                continue;
            }
            for i in 0..p.words() {
                row[at] &= warpsmith_contract::bits::mask(p.width, i);
                at += 1;
            }
        }
    }
}

#[track_caller]
fn same(name: &str, block: &dyn Block, cycles: usize) {
    let leaf = emit_leaf(block);
    let design = design("leaf", block);
    let plain = Flat::new(&design, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let tapped = Flat::new(&design, Options { taps: true }).unwrap_or_else(|e| panic!("{name}: {e}"));
    let Some(simulation) = Simulation::build(&leaf) else { return };
    let mut random = Random(0x5eed_0001);
    let mut rows = rows(simulation.input_words(), cycles, &mut random);
    fit(&plain, &mut rows);
    let expected = simulation.run(&rows);
    for (kind, flat) in [("", &plain), (" with taps", &tapped)] {
        let found = evaluate(flat, &rows);
        if let Some(cycle) = (0..cycles).find(|c| expected[*c] != found[*c]) {
            let words = flat.outputs.iter().flat_map(|(port, _)| {
                let p = &flat.ports[*port as usize];
                (0..p.words()).map(move |i| format!("{} word {i}", p.name))
            });
            let pairs = expected[cycle].iter().zip(&found[cycle]).zip(words);
            let differ: Vec<String> = pairs
                .filter(|((v, f), _)| v != f)
                .map(|((v, f), port)| format!("{port}: Verilator {v:#x}, flat {f:#x}"))
                .collect();
            panic!("{name}{kind}, cycle {cycle}: {}", differ.join("; "));
        }
    }
    println!(
        "{name}: {} nodes, {} with taps, {} pieces of registers, {} memories",
        plain.graph.nodes().len(),
        tapped.graph.nodes().len(),
        plain.regs.len(),
        plain.mems.len()
    );
}

#[test]
fn blocks_are_their_verilog() {
    let tiny = GpuConfig::named("tiny").unwrap();
    let default = GpuConfig::named("default").unwrap();
    same("fifo", &sm::mem::fifo::Fifo::new(8, 70), 1500);
    same("warps", &sm::pipeline::warps::Warps::new(&tiny), 1500);
    same("scoreboard", &sm::pipeline::scoreboard::Scoreboard::new(&default), 3000);
    same("barrier", &sm::barrier::Barrier::new(&tiny), 1500);
    same("divergence", &sm::divergence::Divergence::new(&tiny), 1500);
    let fermi = GpuConfig { isa: Isa::Fermi, ..tiny.clone() };
    same("fermi_divergence", &FermiDivergence::new(&fermi), 1500);
    same("lane", &sm::pipeline::execute::lane::Lane::new(Floats::All, Semantics::G80), 1500);
    same("lsu", &sm::mem::lsu::Lsu::new(&default), 1500);
    same("shared", &sm::mem::shared::SharedMemory::new(&default), 1500);
}

#[test]
fn a_chip_is_its_verilog() {
    let tiny = GpuConfig::named("tiny").unwrap();
    same("tiny", &gpu::Gpu::new(&tiny), 500);
}

/// The sites of a flat chip are those of the build for fault injection, in its order.
#[test]
fn sites_are_those_of_the_injecting_build() {
    for name in ["tiny", "default"] {
        let cfg = GpuConfig::named(name).unwrap();
        let chip = gpu::Gpu::new(&cfg);
        let flat = Flat::new(&design("leaf", &chip), Options { taps: true }).unwrap();
        let open = emit_injecting_leaf(&chip);
        let listed: Vec<warpsmith_contract::Site> = serde_json::from_str(&open.files["sites.json"]).unwrap();
        assert_eq!(flat.sites, listed);
        // Every register's bits are there once, and every output has its values.
        let bits = |kind| -> u64 {
            let of = listed.iter().filter(|s| s.kind == kind);
            of.map(warpsmith_contract::Site::bits).sum()
        };
        let regs: u64 = flat.regs.iter().map(|r| u64::from(r.width)).sum();
        assert_eq!(regs, bits(warpsmith_contract::SiteKind::Reg));
        let taps = flat.graph.nodes().iter();
        let taps = taps.filter(|n| matches!(n.op, Op::Tap { .. })).count();
        assert!(taps > 100, "{taps} taps");
    }
}
