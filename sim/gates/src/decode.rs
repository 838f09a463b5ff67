//! From the netlist of gates, as `warpsmith_netlist::read::yosys` reads it, to a circuit.

use crate::circuit::{Cell, Circuit, Net, NetId, Observed, ObservedKind, Source, SourceKind, FIRST, ONE, ZERO};
use crate::fault::{Pin, Place};
use crate::gate::Gate;
use crate::name::is_yosys_number;
use std::collections::HashMap;
use warpsmith_contract::Direction;
use warpsmith_netlist::{Binary, Body, Design, ExprId, Kind, SignalId, SignalKind, Stmt};

/// A netlist that is none of the gates whose faults can be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{module}: {what}; the script of `warpsmith synth --target gates` makes gates that can be read")]
pub struct CircuitError {
    /// The module.
    pub module: String,
    /// What was found and what was expected.
    pub what: String,
}

/// Names of the pins of a gate with these inputs.
const LETTERS: [char; 3] = ['A', 'B', 'S'];

impl Circuit {
    /// The circuit of a flat module of gates.
    ///
    /// # Errors
    /// A value that is no gate of two inputs, inverter, buffer or multiplexer of one bit.
    pub fn of(gates: &Design) -> Result<Self, CircuitError> {
        let module = gates.tree();
        let name = module.module.name.clone();
        let circuit = Circuit {
            nets: vec![],
            cells: vec![],
            sources: vec![],
            observed: vec![],
            pins: vec![],
            module,
            base: HashMap::new(),
            read_ports: vec![],
        };
        let body = gates.top().body.clone();
        let mut decode = Decode { circuit, body: &body, state: HashMap::new() };
        match decode.run() {
            Ok(()) => Ok(decode.circuit),
            Err(what) => Err(CircuitError { module: name, what }),
        }
    }
}

struct Decode<'a> {
    circuit: Circuit,
    body: &'a Body,
    /// Net of what a flip-flop holds, before its pin.
    state: HashMap<SignalId, NetId>,
}

impl Decode<'_> {
    fn run(&mut self) -> Result<(), String> {
        for name in ["0", "1"] {
            self.circuit.nets.push(Net { name: name.into(), named: true });
        }
        self.sources();
        for (id, _) in self.body.registers() {
            if self.is_flip_flop(id) {
                let (state, name) = (self.state[&id], self.shown(id));
                let q = self.cell(Gate::Buf, [state, ZERO, ZERO], &name, [None, None, None, Some('Q')]);
                self.circuit.base.insert(id, q);
            }
        }
        for (wire, value) in &self.body.wires {
            self.gate(*wire, *value)?;
        }
        self.outputs()?;
        for statement in &self.body.clocked {
            let Stmt::Set(reg, value) = statement else {
                return Err("a register is written under a condition; a netlist of gates has none".into());
            };
            match self.is_flip_flop(*reg) {
                true => self.flip_flop(*reg, *value)?,
                false => self.read_port(*reg, *value)?,
            }
        }
        Ok(())
    }

    /// Whether a register is a flip-flop, and not what stands behind a read port.
    fn is_flip_flop(&self, reg: SignalId) -> bool {
        self.state.contains_key(&reg)
    }

    /// Inputs of the circuit: ports, registers, words of memories.
    fn sources(&mut self) {
        assert_eq!(self.circuit.nets.len(), FIRST as usize);
        let clocked = self.body.clocked.iter();
        let behind_reads: Vec<SignalId> = clocked
            .filter_map(|statement| match statement {
                Stmt::Set(reg, value) if !self.is_stepped(*value) => Some(*reg),
                _ => None,
            })
            .collect();
        for (id, signal) in self.body.numbered() {
            let (kind, name) = match signal.kind {
                SignalKind::Input => (SourceKind::Port, signal.name.clone()),
                SignalKind::Reg { .. } => (SourceKind::Register, self.shown(id)),
                SignalKind::Child { child, direction: Direction::Output } => {
                    (SourceKind::Memory, self.memory_port(id, child))
                }
                _ => continue,
            };
            let first = self.circuit.nets.len() as NetId;
            for bit in 0..signal.width {
                let name = if signal.width == 1 { name.clone() } else { format!("{name}_{bit}") };
                let named = !is_yosys_number(&name);
                self.circuit.nets.push(Net { name, named });
            }
            self.circuit.base.insert(id, first);
            if kind == SourceKind::Register && signal.width == 1 && !behind_reads.contains(&id) {
                self.state.insert(id, first);
            }
            self.circuit.sources.push(Source { kind, signal: id, name, first, width: signal.width });
        }
    }

    /// Whether a value is that of a flip-flop: a bit, under an enable, a synchronous reset, or both. What stands behind a
    /// read port holds words, or a bit that the word being written replaces.
    fn is_stepped(&self, value: ExprId) -> bool {
        let expr = self.body.expr(value);
        let is_bit = |e: ExprId| {
            let expr = self.body.expr(e);
            expr.width == 1 && matches!(expr.kind, Kind::Signal(_) | Kind::Slice(..) | Kind::Lit(_))
        };
        match expr.kind {
            Kind::Mux(condition, yes, no) => {
                let pin = match self.body.expr(condition).kind {
                    Kind::Not(of) => of,
                    _ => condition,
                };
                is_bit(pin) && self.is_stepped(yes) && self.is_stepped(no)
            }
            _ => is_bit(value),
        }
    }

    /// `CHILD.PORT` of a net at a memory.
    fn memory_port(&self, id: SignalId, child: u32) -> String {
        let at = self.body.child_nets(child as usize).position(|(n, _)| n == id).unwrap_or(0);
        let memory = &self.circuit.module.children[child as usize];
        let port = memory.module.body.ports().nth(at).map_or("", |(_, p)| &p.name);
        format!("{}.{port}", memory.instance)
    }

    fn cell(&mut self, gate: Gate, inputs: [NetId; 3], name: &str, labels: [Option<char>; 4]) -> NetId {
        let output = self.circuit.nets.len() as NetId;
        self.circuit.nets.push(Net { name: name.into(), named: !is_yosys_number(name) });
        let cell = self.circuit.cells.len() as u32;
        for (i, letter) in labels.into_iter().enumerate() {
            let Some(letter) = letter else { continue };
            let place = if i == 3 { Place::Output } else { Place::Input(i as u8) };
            self.circuit.pins.push(Pin { cell, place, letter, owner: name.into() });
        }
        self.circuit.cells.push(Cell { gate, inputs, output, labels });
        output
    }

    /// The gate behind a named value.
    fn gate(&mut self, wire: SignalId, value: ExprId) -> Result<(), String> {
        let name = self.shown(wire);
        let bad = || format!("{name} is no gate: inverters, buffers, multiplexers and gates of two inputs are known");
        let (gate, operands) = self.shape(value).ok_or_else(bad)?;
        let mut inputs = [ZERO; 3];
        let mut labels = [None, None, None, Some('Y')];
        for (i, operand) in operands.into_iter().enumerate() {
            inputs[i] = self.circuit.net_of(operand).ok_or_else(bad)?;
            labels[i] = Some(LETTERS[i]);
        }
        let output = self.cell(gate, inputs, &name, labels);
        self.circuit.base.insert(wire, output);
        Ok(())
    }

    /// The name of a gate's or flip-flop's net. The reader of netlists adds `_` to that of a port, which a netlist has twice.
    fn shown(&self, wire: SignalId) -> String {
        let name = &self.body.signal(wire).name;
        let port = name.trim_end_matches('_');
        let is_port = self.body.ports().any(|(_, p)| p.name == port);
        if is_port {
            port.into()
        } else {
            name.clone()
        }
    }

    /// What an expression of one bit computes from which others.
    fn shape(&self, value: ExprId) -> Option<(Gate, Vec<ExprId>)> {
        let expr = self.body.expr(value);
        let two = |op, inverted| {
            Some(match (op, inverted) {
                (Binary::And, false) => Gate::And,
                (Binary::And, true) => Gate::Nand,
                (Binary::Or, false) => Gate::Or,
                (Binary::Or, true) => Gate::Nor,
                (Binary::Xor, false) => Gate::Xor,
                (Binary::Xor, true) => Gate::Xnor,
                _ => return None,
            })
        };
        if expr.width != 1 {
            return None;
        }
        Some(match expr.kind {
            Kind::Signal(_) | Kind::Slice(..) | Kind::Lit(_) => (Gate::Buf, vec![value]),
            Kind::Not(of) => match self.body.expr(of).kind {
                Kind::Binary(op, a, b) => (two(op, true)?, vec![a, b]),
                _ => (Gate::Not, vec![of]),
            },
            Kind::Binary(op, a, b) => (two(op, false)?, vec![a, b]),
            Kind::Mux(s, yes, no) => (Gate::Mux, vec![no, yes, s]),
            _ => return None,
        })
    }

    fn outputs(&mut self) -> Result<(), String> {
        for (signal, value) in &self.body.assigns {
            let s = self.body.signal(*signal);
            let (kind, name) = match s.kind {
                SignalKind::Child { child, .. } => (ObservedKind::Memory, self.memory_port(*signal, child)),
                _ => (ObservedKind::Port, s.name.clone()),
            };
            let expr = self.body.expr(*value);
            let bits: Vec<ExprId> = match &expr.kind {
                Kind::Cat(parts) => parts.iter().rev().copied().collect(),
                _ => vec![*value],
            };
            for (bit, value) in (0..).zip(bits) {
                let net = self.circuit.net_of(value).ok_or_else(|| format!("{name}: bit {bit} is no net"))?;
                let name = if s.width == 1 { name.clone() } else { format!("{name}[{bit}]") };
                self.circuit.observed.push(Observed { kind, signal: *signal, bit, net, name });
            }
        }
        Ok(())
    }

    /// A flip-flop: its enable and reset become multiplexers whose own outputs are no pins.
    fn flip_flop(&mut self, reg: SignalId, value: ExprId) -> Result<(), String> {
        let name = self.shown(reg);
        let net = match self.circuit.net_of(value) {
            Some(_) => self.pin(value, 'D', &name)?,
            None => self.stepped(reg, value, &name)?,
        };
        self.circuit.observed.push(Observed { kind: ObservedKind::Next, signal: reg, bit: 0, net, name });
        Ok(())
    }

    /// The value behind a pin of a flip-flop: a buffer whose input is the pin.
    fn pin(&mut self, value: ExprId, letter: char, name: &str) -> Result<NetId, String> {
        let net = self.circuit.net_of(value).ok_or_else(|| format!("{name}: pin {letter} is no net"))?;
        if net <= ONE && letter != 'D' {
            return Ok(net);
        }
        Ok(self.cell(Gate::Buf, [net, ZERO, ZERO], name, [Some(letter), None, None, None]))
    }

    /// `E ? D : Q`, `R ? constant : …` and the two nested, as the reader of netlists writes them.
    fn stepped(&mut self, reg: SignalId, value: ExprId, name: &str) -> Result<NetId, String> {
        let Kind::Mux(condition, yes, no) = self.body.expr(value).kind else {
            return Err(format!("{name}: no flip-flop with an enable, a synchronous reset or both"));
        };
        let is_now = |e: ExprId| matches!(self.body.expr(e).kind, Kind::Signal(s) if s == reg);
        let letter = if is_now(no) || is_now(yes) { 'E' } else { 'R' };
        let condition = match self.body.expr(condition).kind {
            Kind::Not(of) => {
                let pin = self.pin(of, letter, name)?;
                self.cell(Gate::Not, [pin, ZERO, ZERO], name, [None; 4])
            }
            _ => self.pin(condition, letter, name)?,
        };
        let mut side = |value: ExprId| -> Result<NetId, String> {
            match self.body.expr(value).kind {
                Kind::Lit(v) => Ok(if v == 0 { ZERO } else { ONE }),
                Kind::Signal(s) if s == reg => Ok(self.state[&reg]),
                _ if self.circuit.net_of(value).is_some() => self.pin(value, 'D', name),
                _ => self.stepped(reg, value, name),
            }
        };
        let (yes, no) = (side(yes)?, side(no)?);
        Ok(self.cell(Gate::Mux, [no, yes, condition], name, [None; 4]))
    }

    /// The register behind a synchronous read port: what decides on its next value leaves the circuit.
    fn read_port(&mut self, reg: SignalId, value: ExprId) -> Result<(), String> {
        let name = self.body.signal(reg).name.clone();
        let mut leaves = vec![];
        self.leaves(value, &mut leaves);
        leaves.sort_unstable();
        leaves.dedup();
        let sources = FIRST..FIRST + self.circuit.bits() as NetId;
        for (bit, net) in (0..).zip(leaves.into_iter().filter(|n| *n > ONE && !sources.contains(n))) {
            let name = format!("{name}:{}", self.circuit.nets[net as usize].name);
            self.circuit.observed.push(Observed { kind: ObservedKind::ReadPort, signal: reg, bit, net, name });
        }
        self.circuit.read_ports.push((reg, value));
        Ok(())
    }

    fn leaves(&self, value: ExprId, into: &mut Vec<NetId>) {
        match (self.circuit.net_of(value), &self.body.expr(value).kind) {
            (Some(net), _) => into.push(net),
            (None, Kind::Slice(..)) => {}
            (None, kind) => kind.operands(|o| self.leaves(o, into)),
        }
    }
}
