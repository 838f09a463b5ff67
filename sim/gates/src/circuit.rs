//! The combinational part of a block of gates, in the full-scan view.

use crate::fault::{Pin, PinId, Place};
use crate::gate::Gate;
use std::collections::HashMap;
use warpsmith_netlist::{ExprId, Kind, SignalId, Tree};

/// Number of a net. 0 and 1 are the constants; then come the bits of the sources in order, then outputs of cells.
pub type NetId = u32;

/// The net that is always zero.
pub const ZERO: NetId = 0;
/// The net that is always one.
pub const ONE: NetId = 1;
/// The first bit of the first source.
pub const FIRST: NetId = 2;

/// A net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// Its name: of the register transfer level where synthesis keeps one, a number of Yosys' otherwise. A bit of a
    /// wider signal has `_` and its position behind the name.
    pub name: String,
    /// Whether the name is of the register transfer level.
    pub named: bool,
}

/// A gate, or a part of a flip-flop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it computes.
    pub gate: Gate,
    /// Nets of its inputs, as many as [`Gate::inputs`]; the others are [`ZERO`].
    pub inputs: [NetId; 3],
    /// Net of its output.
    pub output: NetId,
    /// Names of the pins, inputs first, then the output; none where no pin of the netlist is: inside a flip-flop.
    pub labels: [Option<char>; 4],
}

/// What gives values to inputs of the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// An input port of the block.
    Port,
    /// A register, a flip-flop or a word read from a memory in the cycle before.
    Register,
    /// A word read from a memory.
    Memory,
}

/// A signal whose bits are inputs of the circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// The signal in the module of gates.
    pub signal: SignalId,
    /// Its name; of a memory `CHILD.PORT`.
    pub name: String,
    /// Net of its bit 0; the others follow.
    pub first: NetId,
    /// Bits.
    pub width: u32,
}

/// Where a value leaves the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedKind {
    /// An output port of the block.
    Port,
    /// Next value of a flip-flop.
    Next,
    /// An input of a memory.
    Memory,
    /// Enable, reset or forwarded data of the register behind a memory's synchronous read port.
    ReadPort,
}

/// An output bit of the circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// What it is.
    pub kind: ObservedKind,
    /// The signal in the module of gates that takes the value.
    pub signal: SignalId,
    /// Bit of that signal.
    pub bit: u32,
    /// Net that holds the value.
    pub net: NetId,
    /// Name for people: `PORT[BIT]`, the register, `CHILD.PORT[BIT]`.
    pub name: String,
}

/// A block of gates as its faults are simulated; cells stand behind those that they read.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// Nets by number.
    pub nets: Vec<Net>,
    /// Gates, and what flip-flops do besides storing.
    pub cells: Vec<Cell>,
    /// Inputs of the circuit.
    pub sources: Vec<Source>,
    /// Outputs of the circuit.
    pub observed: Vec<Observed>,
    /// All pins of cells, by number.
    pub(crate) pins: Vec<Pin>,
    /// The module it was read from, with its memories.
    pub(crate) module: Tree,
    /// Net of bit 0 of each signal of that module, as the logic reads it.
    pub(crate) base: HashMap<SignalId, NetId>,
    /// Registers behind synchronous read ports and their next values, expressions of that module.
    pub(crate) read_ports: Vec<(SignalId, ExprId)>,
}

impl Circuit {
    /// Bits of a pattern: of all sources.
    pub fn bits(&self) -> usize {
        self.sources.iter().map(|s| s.width as usize).sum()
    }

    /// Pins of gates and flip-flops, by number; clocks and pins of memories are not among them.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Gates and flip-flops, as the netlist counts them.
    pub fn gates(&self) -> usize {
        self.pins.iter().filter(|p| p.place == Place::Output).count()
    }

    /// Flip-flops.
    pub fn flip_flops(&self) -> usize {
        self.observed.iter().filter(|o| o.kind == ObservedKind::Next).count()
    }

    /// The net of an expression of its module that is a bit of a signal or a constant.
    pub(crate) fn net_of(&self, value: ExprId) -> Option<NetId> {
        let body = &self.module.module.body;
        let expr = body.expr(value);
        if expr.width != 1 {
            return None;
        }
        match expr.kind {
            Kind::Lit(v) => Some(if v == 0 { ZERO } else { ONE }),
            Kind::Signal(s) => self.base.get(&s).copied(),
            Kind::Slice(of, lo) => match body.expr(of).kind {
                Kind::Signal(s) => self.base.get(&s).map(|b| b + lo),
                _ => None,
            },
            _ => None,
        }
    }

    /// The net at a pin.
    pub fn net_at(&self, pin: PinId) -> NetId {
        let pin = &self.pins[pin.0 as usize];
        let cell = &self.cells[pin.cell as usize];
        match pin.place {
            Place::Input(i) => cell.inputs[i as usize],
            Place::Output => cell.output,
        }
    }

    /// A pin for people: the net that its cell drives, and the pin's letter, `e1_sum_3.A`.
    pub fn pin_name(&self, pin: PinId) -> String {
        let p = &self.pins[pin.0 as usize];
        format!("{}.{}", p.owner, p.letter)
    }

    /// Which cells read each net, with the input they read it at.
    pub fn readers(&self) -> Vec<Vec<(u32, u8)>> {
        let mut readers = vec![vec![]; self.nets.len()];
        for (c, cell) in (0..).zip(&self.cells) {
            for (i, net) in (0..).zip(&cell.inputs[..cell.gate.inputs()]) {
                readers[*net as usize].push((c, i));
            }
        }
        readers
    }

    /// Which outputs each net is.
    pub fn observers(&self) -> Vec<Vec<u32>> {
        let mut list = vec![vec![]; self.nets.len()];
        for (i, o) in (0..).zip(&self.observed) {
            list[o.net as usize].push(i);
        }
        list
    }
}
