//! A block driven cycle by cycle: for handshakes that decide when the next input comes.

use super::{engine, manifest, succeed};
use rust_hdl_core::block::Block;
use std::collections::HashMap;
use std::process::Command;
use warpsmith_cxx::tool;
use warpsmith_engine::{Device, Engine};
use warpsmith_engine_native::{BuildOptions, Native};
use warpsmith_hdl::emit::{design, emit_leaf, Emitted};
use warpsmith_netlist::Design;

/// Cycles after which a test is given up.
const LIMIT: u64 = 20_000_000;

/// A block on the engine, its ports by name. All inputs are 0 at first.
pub struct Dut {
    device: Box<dyn Device>,
    ports: HashMap<String, usize>,
    /// Cycles since power-on.
    pub cycle: u64,
}

impl Dut {
    /// The block after two cycles of reset. `None`: Verilator is not installed.
    pub fn new(block: &dyn Block) -> Option<Self> {
        Self::of(&emit_leaf(block))
    }

    /// [`Dut::new`] for a block that was emitted before.
    pub fn of(leaf: &Emitted) -> Option<Self> {
        Some(Self::on(engine(leaf)?.device(1)))
    }

    /// The block on the native engine after two cycles of reset: ready at once, slower a cycle.
    pub fn native(block: &dyn Block) -> Self {
        Self::native_of(&design("leaf", block))
    }

    /// The same for a netlist.
    pub fn native_of(design: &Design) -> Self {
        let engine = Native::of_design(design, BuildOptions::default());
        Self::on(engine.unwrap_or_else(|e| panic!("{e}")).device(1))
    }

    fn on(device: Box<dyn Device>) -> Self {
        let names = device.ports().iter().map(|p| p.name.clone());
        let ports = names.zip(0..).collect();
        let mut dut = Dut { device, ports, cycle: 0 };
        // Blocks without registers have no reset.
        if dut.ports.contains_key("reset") {
            dut.set("reset", true);
            dut.eval();
            dut.tick();
            dut.tick();
            dut.set("reset", false);
        }
        dut.eval();
        dut
    }

    fn port(&self, name: &str) -> usize {
        let found = self.ports.get(name);
        *found.unwrap_or_else(|| panic!("no port `{name}`"))
    }

    /// Sets an input of at most 64 bits.
    pub fn set(&mut self, name: &str, value: impl Into<u64>) {
        let (port, value) = (self.port(name), value.into());
        self.device.set(port, 0, value as u32);
        if value >> 32 != 0 || self.device.ports()[port].words() > 1 {
            self.device.set(port, 1, (value >> 32) as u32);
        }
    }

    /// Sets bits 32·`word` and up of an input.
    pub fn set_word(&mut self, name: &str, word: usize, value: u32) {
        self.device.set(self.port(name), word, value);
    }

    /// The low 64 bits of a port.
    pub fn get(&self, name: &str) -> u64 {
        let port = self.port(name);
        u64::from(self.device.get(port, 1)) << 32 | u64::from(self.device.get(port, 0))
    }

    /// Whether a port is not 0.
    pub fn is(&self, name: &str) -> bool {
        self.get(name) != 0
    }

    /// The low 32 bits of a port.
    pub fn word(&self, name: &str) -> u32 {
        self.word_of(name, 0)
    }

    /// Bits 32·`word` and up of a port.
    pub fn word_of(&self, name: &str, word: usize) -> u32 {
        self.device.get(self.port(name), word)
    }

    /// Lets the logic settle.
    pub fn eval(&mut self) {
        self.device.eval();
    }

    /// A clock edge, and the logic settled after it.
    pub fn tick(&mut self) {
        self.device.edge();
        self.device.eval();
        self.cycle += 1;
        assert!(self.cycle < LIMIT, "no end after {LIMIT} cycles");
    }

    /// Writes the words into the program memory of a fetch unit, one a cycle.
    pub fn load_program(&mut self, words: &[u32]) {
        for (i, word) in words.iter().enumerate() {
            self.set("prog_we", true);
            self.set("prog_address", i as u64);
            self.set("prog_data", *word);
            self.eval();
            self.tick();
        }
        self.set("prog_we", false);
    }
}

/// Verilator's lint and Icarus have nothing to say of a block.
pub fn lint(leaf: &Emitted) {
    let top = manifest(leaf).top;
    let dir = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(dir.path().join("warpsmith.v"), &leaf.files["warpsmith.v"]).expect("written");
    let flags = ["--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"];
    let mut verilator = tool::verilator().command(dir.path());
    verilator.args(flags).args(["--top-module", &top, "warpsmith.v"]);
    // Icarus bears no preloaded allocator.
    let mut icarus = Command::new("iverilog");
    icarus.env_remove("LD_PRELOAD").current_dir(dir.path()).args(["-t", "null", "-s", &top, "warpsmith.v"]);
    for (tool, command) in [("Verilator", &mut verilator), ("Icarus", &mut icarus)] {
        let Some(out) = super::run(tool, command) else { continue };
        succeed(&out);
        let said = [out.stdout, out.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(said.trim(), "", "{top}: {tool} has something to say");
    }
}
