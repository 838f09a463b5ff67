//! Blocks in rust-hdl's own simulator: what `update` does.
//!
//! rust-hdl's `update_all` calls `update` of a block, then `update_all` of its fields, until nothing changes.
//! [`Simulated::update`] evaluates the block's netlist alone, its children cut off: own inputs and the children's
//! outputs go in; own outputs and the children's inputs come out as the next values of those leaves, which the leaves
//! take in their own `update_all`. Registers and memories are state of that evaluation. [`Clocked`] has the clock
//! and the reset that the emitter threads through the Verilog.

use super::port::leaf_slot;
use super::scope::module_of;
use super::slot::{Clocking, Slot};
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::Atom;
use rust_hdl_core::block::Block;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::prelude::*;
use rust_hdl_core::probe::Probe;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use warpsmith_contract::Direction;
use warpsmith_netlist::flat::{Evaluator, Flat, Options, RegId};
use warpsmith_netlist::{Design, SignalKind, Tree};

/// The leaves of a block: of itself and of its direct children, or of everything below it.
struct Slots {
    deep: bool,
    path: Vec<String>,
    /// With the name of the signal in the block's module.
    found: Vec<(String, Arc<Slot>)>,
}

impl Slots {
    fn of(block: &dyn Block, deep: bool) -> Vec<(String, Arc<Slot>)> {
        let mut slots = Slots { deep, path: vec![], found: vec![] };
        block.accept("top", &mut slots);
        slots.found
    }
}

impl Probe for Slots {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.replace('$', "_"));
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        if !self.deep && self.path.len() > 2 {
            return;
        }
        let Some(slot) = leaf_slot(atom) else { return };
        let mut path: Vec<&str> = self.path[1..].iter().map(String::as_str).collect();
        let name = name.replace('$', "_");
        path.push(&name);
        self.found.push((path.join("_"), slot));
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}

/// The simulation of one block; empty until its first `update`.
#[derive(Default)]
pub struct Simulated(Option<Box<State>>);

struct State {
    evaluator: Evaluator<Arc<Flat>>,
    flat: Arc<Flat>,
    /// Port of `flat` and leaf.
    inputs: Vec<(usize, Arc<Slot>)>,
    /// Place in `Flat::outputs` and leaf.
    outputs: Vec<(usize, Arc<Slot>)>,
    /// Piece of a register, its place in the register, and leaf.
    registers: Vec<(RegId, usize, Arc<Slot>)>,
    reset: Option<usize>,
    clock: Option<Arc<Clocking>>,
    /// What was driven last, by `inputs`, then the reset.
    driven: Vec<Vec<u64>>,
    edges: u64,
}

impl Simulated {
    /// What a block's `update` does.
    ///
    /// # Panics
    /// When the block's description is wrong, as at emission.
    pub fn update(&mut self, block: &dyn Block) {
        let state = self.0.get_or_insert_with(|| Box::new(State::of(block)));
        state.update();
    }
}

impl State {
    fn of(block: &dyn Block) -> Self {
        let mut module = module_of("block", block);
        // Without its children the block is a design: their ports are its own, the other way round.
        for signal in &mut module.body.signals {
            if let SignalKind::Child { direction, .. } = signal.kind {
                signal.kind = match direction {
                    Direction::Input => SignalKind::Output,
                    _ => SignalKind::Input,
                };
            }
        }
        let name = module.name.clone();
        let design = Design::new(Tree { instance: name.clone(), module, children: vec![] });
        let flat = Flat::new(&design, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let flat = Arc::new(flat);
        let slots: BTreeMap<_, _> = Slots::of(block, false).into_iter().collect();
        let port = |name: &str| flat.ports.iter().position(|p| p.name == name);
        let threaded = [port("clock"), port("reset")];
        let inputs = flat
            .ports
            .iter()
            .enumerate()
            .filter(|(i, p)| p.direction == Direction::Input && !threaded.contains(&Some(*i)));
        let inputs: Vec<_> = inputs.map(|(i, p)| (i, slots[&p.name].clone())).collect();
        let outputs = flat.outputs.iter().enumerate();
        let outputs = outputs.map(|(i, (port, _))| {
            let name = &flat.ports[*port as usize].name;
            (i, slots[name].clone())
        });
        let registers = (0..).map(RegId).zip(&flat.regs).filter_map(|(id, reg)| {
            // A memory keeps what it has read; that is no leaf.
            let slot = slots.get(&flat.sites[reg.site as usize].path)?;
            Some((id, reg.lo as usize / 64, slot.clone()))
        });
        let clock = slots.values().find_map(|s| s.clock.get().cloned());
        Self {
            driven: vec![vec![]; inputs.len() + 1],
            outputs: outputs.collect(),
            registers: registers.collect(),
            reset: threaded[1],
            evaluator: Evaluator::new(flat.clone()),
            inputs,
            clock,
            edges: 0,
            flat,
        }
    }

    fn update(&mut self) {
        let mut changed = false;
        if let Some(clock) = &self.clock {
            let edges = clock.edges.load(Ordering::Relaxed);
            if edges != self.edges {
                // What was settled before the edge decides.
                self.evaluator.edge();
                self.edges = edges;
                changed = true;
            }
        }
        let words = self.inputs.iter().map(|(port, slot)| {
            let n = slot.words();
            (*port, (0..n).map(|w| slot.value(w)).collect::<Vec<u64>>())
        });
        let held = self.clock.as_ref().map(|c| c.reset.load(Ordering::Relaxed));
        let reset = self.reset.map(|port| (port, vec![u64::from(held.unwrap_or(false))]));
        for ((port, words), last) in words.chain(reset).zip(&mut self.driven) {
            if *last != words {
                for (i, word) in words.iter().enumerate() {
                    self.evaluator.drive(port, i, *word);
                }
                *last = words;
                changed = true;
            }
        }
        if !changed {
            return;
        }
        self.evaluator.settle();
        for (place, slot) in &self.outputs {
            for (i, node) in self.flat.outputs[*place].1.iter().enumerate() {
                slot.set_next(i, self.evaluator.value(*node));
            }
        }
        for (id, word, slot) in &self.registers {
            slot.set_next(*word, self.evaluator.reg(*id));
        }
    }
}

/// A block with clock and reset, for rust-hdl's simulator: `Simulation::add_clock` toggles `clock`, tests drive
/// and read the ports of the block by name.
///
/// Registers take their next values at a rising edge of `clock`; `reset` is synchronous. At the start all
/// registers and memories are 0.
pub struct Clocked<B: Block> {
    /// The clock.
    pub clock: Signal<In, Clock>,
    /// The synchronous reset.
    pub reset: Signal<In, Bit>,
    /// The block.
    pub block: B,
    clocking: Arc<Clocking>,
    ports: BTreeMap<String, Arc<Slot>>,
}

impl<B: Block> Clocked<B> {
    /// A block, its clock low and its reset inactive.
    pub fn new(block: B) -> Self {
        let clocking = Arc::new(Clocking::default());
        for (_, slot) in Slots::of(&block, true) {
            let first = slot.clock.set(clocking.clone()).is_ok();
            assert!(first, "a block has one clock");
        }
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            ports: Slots::of(&block, false).into_iter().collect(),
            block,
            clocking,
        }
    }

    fn port(&self, name: &str) -> &Slot {
        let port = self.ports.get(name);
        port.unwrap_or_else(|| panic!("no port {name}, one of {:?}", self.ports.keys()))
    }

    /// Sets bits from `64 * word` of an input; it has them after the next update.
    ///
    /// # Panics
    /// When the block has no such port, or the port no such word.
    pub fn drive(&self, port: &str, word: usize, value: u64) {
        self.port(port).set_next(word, value);
    }

    /// Bits from `64 * word` of a port.
    ///
    /// # Panics
    /// As [`Clocked::drive`].
    pub fn read(&self, port: &str, word: usize) -> u64 {
        self.port(port).value(word)
    }
}

impl<B: Block> Logic for Clocked<B> {
    fn update(&mut self) {
        let reset = self.reset.val();
        self.clocking.reset.store(reset, Ordering::Relaxed);
        if self.clock.pos_edge() {
            self.clocking.edges.fetch_add(1, Ordering::Relaxed);
        }
    }
    fn connect(&mut self) {
        self.clock.connect();
        self.reset.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
}

impl<B: Block> Block for Clocked<B> {
    fn connect_all(&mut self) {
        self.connect();
        self.block.connect_all();
    }
    fn update_all(&mut self) {
        self.update();
        self.clock.update_all();
        self.reset.update_all();
        self.block.update_all();
    }
    fn has_changed(&self) -> bool {
        self.clock.has_changed() || self.reset.has_changed() || self.block.has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        self.clock.accept("clock", probe);
        self.reset.accept("reset", probe);
        self.block.accept("block", probe);
        probe.visit_end_scope(name, self);
    }
}
