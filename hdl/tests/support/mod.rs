//! Emitted blocks on the engine: rows of inputs in, rows of outputs out ([`Simulation`]), or driven
//! cycle by cycle ([`dut::Dut`]).

pub mod area;
pub mod control_word;
pub mod decode_reference;
pub mod decoder;
pub mod divergence;
pub mod double_numbers;
pub mod dut;
pub mod fermi_divergence;
pub mod fetch;
pub mod float_bench;
pub mod float_numbers;
pub mod float_operations;
pub mod float_reference;
pub mod int_operations;
pub mod int_reference;
pub mod mutants;
pub mod sfu_reference;
pub mod uop_reference;
pub mod uop_values;

use rust_hdl_core::block::Block;
use std::process::{Command, Output};
use warpsmith_contract::{Direction, Manifest};
use warpsmith_cxx::CxxError;
use warpsmith_engine::{Device, Engine};
use warpsmith_engine_native::{BuildOptions as NativeOptions, Native};
use warpsmith_engine_verilator::{BuildOptions, Module, Verilator, VerilatorError};
use warpsmith_hdl::config::GpuConfig;
use warpsmith_hdl::emit::{design, emit_leaf, Emitted};
use warpsmith_netlist::{Expr, ExprId, Kind, Signal, SignalId};
pub use warpsmith_testkit::{absent, found, Random};

/// The block `leaf` (from `emit_leaf`) under Verilator, from the cache or built now; `None`, as
/// [`absent`] reports it, when a tool is missing.
pub fn engine(leaf: &Emitted) -> Option<Verilator> {
    let manifest = manifest(leaf);
    let module = Module {
        sources: &[("warpsmith.v".into(), leaf.files["warpsmith.v"].clone().into_bytes())],
        top: &manifest.top,
        ports: &manifest.ports,
    };
    let options = BuildOptions { quick: true, ..BuildOptions::default() };
    match Verilator::build(&module, &[], &options) {
        Ok(engine) => Some(engine),
        Err(VerilatorError::Cxx(e @ CxxError::Tool { .. })) => {
            absent(&manifest.top, e);
            None
        }
        Err(e) => panic!("{}: {e}", manifest.top),
    }
}

/// The manifest of a block.
pub fn manifest(leaf: &Emitted) -> Manifest {
    serde_json::from_str(&leaf.files["manifest.json"]).expect("the manifest parses")
}

/// A block, all 0 at power-on, whose inputs are rows: each port in order, least significant word first.
pub struct Simulation {
    engine: Box<dyn Engine>,
    /// Port and words.
    inputs: Vec<(usize, usize)>,
    outputs: Vec<(usize, usize)>,
    reset: Option<usize>,
    clocked: bool,
}

impl Simulation {
    /// Builds the block `leaf` (from `emit_leaf`), or takes what was built from the same text.
    /// `None`: Verilator is not installed.
    pub fn build(leaf: &Emitted) -> Option<Self> {
        Some(Self::of(Box::new(engine(leaf)?), &manifest(leaf)))
    }

    /// The block on the native engine.
    pub fn native(block: &dyn Block) -> Self {
        let engine = Native::of_design(&design("leaf", block), NativeOptions::default());
        let engine = engine.expect("a block without loops");
        Self::of(Box::new(engine), &manifest(&emit_leaf(block)))
    }

    fn of(engine: Box<dyn Engine>, manifest: &Manifest) -> Self {
        let (clock, reset) = (manifest.port("clock"), manifest.port("reset"));
        let of = |direction: Direction| -> Vec<(usize, usize)> {
            let ports = manifest.ports.iter().enumerate();
            ports
                .filter(|(i, p)| p.direction == direction && ![clock, reset].contains(&Some(*i)))
                .map(|(i, p)| (i, p.words()))
                .collect()
        };
        Self { engine, inputs: of(Direction::Input), outputs: of(Direction::Output), reset, clocked: clock.is_some() }
    }

    /// 32-bit words a row of inputs has.
    pub fn input_words(&self) -> usize {
        self.inputs.iter().map(|p| p.1).sum()
    }

    /// Holds reset for two cycles (when the block has one), then applies one row a cycle. Row i of
    /// the result holds the outputs in the cycle of row i, before the clock edge that ends it.
    pub fn run(&self, rows: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let mut device = self.engine.device(0);
        let device = &mut *device;
        if let Some(reset) = self.reset {
            device.set(reset, 0, 1);
            for _ in 0..2 {
                device.eval();
                device.edge();
            }
            device.set(reset, 0, 0);
        }
        rows.iter().map(|row| self.cycle(device, row)).collect()
    }

    fn cycle(&self, device: &mut dyn Device, row: &[u32]) -> Vec<u32> {
        assert_eq!(row.len(), self.input_words(), "words of a row of inputs");
        let mut words = row.iter();
        for &(port, n) in &self.inputs {
            for (i, word) in (0..n).zip(&mut words) {
                device.set(port, i, *word);
            }
        }
        device.eval();
        let words = |&(port, n): &(usize, usize)| (0..n).map(move |i| (port, i));
        let outputs = self.outputs.iter().flat_map(words);
        let row = outputs.map(|(port, i)| device.get(port, i)).collect();
        if self.clocked {
            device.edge();
        }
        row
    }
}

/// The block on the native engine once for each of its wires whose name begins with `prefix`, with that wire
/// inverted; the name of the wire comes first.
pub fn mutants(block: &dyn Block, prefix: &str) -> Vec<(String, Simulation)> {
    let sound = design("leaf", block);
    let manifest = manifest(&emit_leaf(block));
    let body = &sound.top().body;
    let wires = body.wires.iter().enumerate().filter(|(_, (signal, _))| body.signal(*signal).name.starts_with(prefix));
    let mutant = |(place, (signal, value)): (usize, &(SignalId, ExprId))| {
        let mut design = sound.clone();
        let top = design.modules.last_mut().expect("a module");
        let Signal { name, width, .. } = top.body.signal(*signal).clone();
        let inverted = ExprId(top.body.exprs.len() as u32);
        top.body.exprs.push(Expr { kind: Kind::Not(*value), width });
        top.body.wires[place].1 = inverted;
        let engine = Native::of_design(&design, NativeOptions::default()).expect("a block without loops");
        (name, Simulation::of(Box::new(engine), &manifest))
    };
    wires.map(mutant).collect()
}

/// The default chip with `lanes` lanes, as many shared banks, and `port` words a line.
pub fn chip(lanes: usize, port: usize) -> GpuConfig {
    GpuConfig {
        lanes,
        shared_banks: lanes,
        port_words: port,
        ..GpuConfig::named("default").expect("a built-in configuration")
    }
}

/// Store data as the memories take it: the low `bytes` (1, 2 or 4) in every place of a word.
pub fn spread(data: u32, bytes: usize) -> u32 {
    match bytes {
        1 => data & 0xff | (data & 0xff) << 8 | (data & 0xff) << 16 | data << 24,
        2 => data & 0xffff | data << 16,
        _ => data,
    }
}

/// Runs a tool; `None` when it is not installed.
pub fn run(tool: &str, command: &mut Command) -> Option<Output> {
    found(tool, command.output())
}

/// Fails with what the tool said unless it succeeded.
pub fn succeed(out: &Output) {
    let (o, e) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{}\n{o}\n{e}", out.status);
}
