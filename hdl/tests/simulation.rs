//! Blocks in rust-hdl's own simulator give, at every port in every cycle, what the native engine gives.

use crate::support::Random;
use rust_hdl_core::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use warpsmith_contract::{Direction, Port};
use warpsmith_engine::Engine;
use warpsmith_engine_native::{BuildOptions, Native};
use warpsmith_hdl::config::{Floats, GpuConfig, Semantics};
use warpsmith_hdl::emit::design;
use warpsmith_hdl::rtl::Clocked;
use warpsmith_hdl::sm::divergence::Divergence;
use warpsmith_hdl::sm::pipeline::execute::int::IntUnit;
use warpsmith_netlist::print::manifest;

/// Half a period of the clock in picoseconds of the simulator.
const HALF: u64 = 10;

/// Values of some ports, 64 bits at a time, a cycle.
type Row = Vec<Vec<u64>>;

/// Ports of a direction but clock and reset, with their numbers.
fn ports(all: &[Port], direction: Direction) -> Vec<(usize, Port)> {
    let all = all.iter().cloned().enumerate();
    let threaded = ["clock", "reset"];
    all.filter(|(_, p)| p.direction == direction && !threaded.contains(&p.name.as_str())).collect()
}

/// Random inputs; a port keeps its value in half of the cycles.
fn stimuli(inputs: &[(usize, Port)], cycles: usize, r: &mut Random) -> Vec<Row> {
    let mut row: Row = inputs.iter().map(|(_, p)| vec![0; p.width.div_ceil(64)]).collect();
    let mut rows = vec![];
    for _ in 0..cycles {
        for ((_, port), words) in inputs.iter().zip(&mut row) {
            if r.chance(50) {
                continue;
            }
            for (i, word) in words.iter_mut().enumerate() {
                let width = (port.width - 64 * i).min(64);
                let any = u64::from(r.word()) << 32 | u64::from(r.word());
                *word = any >> (64 - width);
            }
        }
        rows.push(row.clone());
    }
    rows
}

/// What the native engine gives: outputs of every cycle before its edge. Reset holds in the first two.
fn on_the_native_engine(block: &dyn Block, rows: &[Row]) -> Vec<Row> {
    let engine = Native::of_design(&design("leaf", block), BuildOptions::default());
    let mut device = engine.expect("a block without loops").device(0);
    let all = device.ports().to_vec();
    let reset = all.iter().position(|p| p.name == "reset");
    let inputs = ports(&all, Direction::Input);
    let outputs = ports(&all, Direction::Output);
    let mut results = vec![];
    for (cycle, row) in rows.iter().enumerate() {
        if let Some(port) = reset {
            device.set(port, 0, u32::from(cycle < 2));
        }
        for ((port, p), words) in inputs.iter().zip(row) {
            for i in 0..p.width.div_ceil(32) {
                device.set(*port, i, (words[i / 2] >> (32 * (i % 2))) as u32);
            }
        }
        device.eval();
        let value = |(port, p): &(usize, Port)| -> Vec<u64> {
            let half = |i: usize| match i < p.width.div_ceil(32) {
                true => u64::from(device.get(*port, i)),
                false => 0,
            };
            (0..p.width.div_ceil(64)).map(|i| half(2 * i) | half(2 * i + 1) << 32).collect()
        };
        results.push(outputs.iter().map(value).collect());
        device.edge();
    }
    results
}

/// What rust-hdl's simulator gives.
fn in_rust_hdl<B: Block + Send + 'static>(block: B, all: &[Port], rows: &[Row]) -> Vec<Row> {
    let (inputs, outputs) = (ports(all, Direction::Input), ports(all, Direction::Output));
    let results = Arc::new(Mutex::new(vec![]));
    let mut simulation: Simulation<Clocked<B>> = Simulation::new();
    simulation.add_clock(HALF, |x| x.clock.next = !x.clock.val());
    let (rows, found) = (rows.to_vec(), results.clone());
    simulation.add_testbench(move |mut sim: Sim<Clocked<B>>| {
        let mut x = sim.init()?;
        // Behind a falling edge.
        x = sim.wait(HALF / 2, x)?;
        for (cycle, row) in rows.iter().enumerate() {
            x.reset.next = cycle < 2;
            for ((_, port), words) in inputs.iter().zip(row) {
                for (i, word) in words.iter().enumerate() {
                    x.drive(&port.name, i, *word);
                }
            }
            x = sim.wait(2, x)?;
            let value = |(_, p): &(usize, Port)| -> Vec<u64> {
                (0..p.width.div_ceil(64)).map(|i| x.read(&p.name, i)).collect()
            };
            let row: Row = outputs.iter().map(value).collect();
            found.lock().expect("no panic").push(row);
            x = sim.wait(2 * HALF - 2, x)?;
        }
        sim.done(x)
    });
    simulation.run(Box::new(Clocked::new(block)), u64::MAX).expect("the block settles in every cycle");
    let results = results.lock().expect("no panic");
    results.clone()
}

fn compare<B: Block + Send + 'static>(make: impl Fn() -> B, cycles: usize) {
    let all = manifest::ports(&design("leaf", &make()));
    let rows = stimuli(&ports(&all, Direction::Input), cycles, &mut Random(0x5EED_0171));
    let wanted = on_the_native_engine(&make(), &rows);
    let found = in_rust_hdl(make(), &all, &rows);
    let outputs = ports(&all, Direction::Output);
    assert_eq!(found.len(), wanted.len());
    for (cycle, (found, wanted)) in found.iter().zip(&wanted).enumerate() {
        for (((_, port), found), wanted) in outputs.iter().zip(found).zip(wanted) {
            assert_eq!(found, wanted, "cycle {cycle}, port {}", port.name);
        }
    }
    // Every output moves: what is compared is no constant.
    for (i, (_, port)) in outputs.iter().enumerate() {
        let values: BTreeSet<_> = wanted.iter().map(|row| &row[i]).collect();
        assert!(values.len() > 1, "{} never changes", port.name);
    }
}

#[test]
fn the_integer_unit_runs_in_rust_hdls_simulator() {
    compare(|| IntUnit::new(Floats::All, Semantics::G80), 5_000);
}

/// Registers, reset, distributed and block RAM, and a block in blocks.
#[test]
fn the_divergence_stack_runs_in_rust_hdls_simulator() {
    let tiny = GpuConfig::named("tiny").expect("a built-in configuration");
    compare(move || Divergence::new(&tiny), 5_000);
}

#[test]
fn a_trace_shows_ports_and_registers() {
    let mut simulation: Simulation<Clocked<IntUnit>> = Simulation::new();
    simulation.add_clock(HALF, |x| x.clock.next = !x.clock.val());
    simulation.add_testbench(|mut sim: Sim<Clocked<IntUnit>>| {
        let x = sim.init()?;
        x.drive("a", 0, 0xa5);
        let x = sim.wait(8 * HALF, x)?;
        sim.done(x)
    });
    let mut trace = vec![];
    simulation
        .run_traced(Box::new(Clocked::new(IntUnit::new(Floats::All, Semantics::G80))), 1_000, &mut trace)
        .expect("it settles");
    let trace = String::from_utf8(trace).expect("a text");
    for name in ["clock", "a", "y", "e1_a", "e3_sum"] {
        let declared = |l: &&str| l.starts_with("$var") && l.split(' ').nth(4) == Some(name);
        assert_eq!(trace.lines().filter(declared).count(), 1, "{name}");
    }
    // The port, and the register that took it at the first edge.
    let value = format!("b{:032b} ", 0xa5);
    let extended = format!("b{:033b} ", 0xa5);
    for value in [value, extended] {
        assert!(trace.lines().any(|l| l.starts_with(&value)), "{value}");
    }
}
