//! The module of gates as it stands in the chip.

use super::{input_instance, pin_instance, reset, small, RESET};
use crate::circuit::{Circuit, NetId, ObservedKind, SourceKind, ONE};
use crate::fault::{Model, PinId, Place};
use crate::gate::Gate;
use std::collections::{HashMap, HashSet};
use warpsmith_netlist::{Binary, Body, ExprId, Kind, Pool, Signal, SignalId, SignalKind, Stmt, Tree};

/// The gates as an instance with the ports of `unit`.
pub fn gates(unit: &Tree, circuit: &Circuit, model: Model, pins: &[PinId]) -> Tree {
    let mut build = Build {
        circuit,
        body: Body::default(),
        pool: Pool::default(),
        taken: HashSet::new(),
        children: circuit.module.children.clone(),
        ports: HashMap::new(),
        inputs: HashMap::new(),
        pins: HashMap::new(),
        read: vec![None; circuit.nets.len()],
        moved: HashMap::new(),
    };
    build.declare(unit, model, pins);
    build.sources();
    for cell in 0..circuit.cells.len() {
        build.cell(cell);
    }
    build.outputs();
    build.body.exprs = build.pool.into_list();
    small::tree(unit.instance.clone(), unit.module.name.clone(), build.body, build.children)
}

struct Build<'a> {
    circuit: &'a Circuit,
    body: Body,
    pool: Pool,
    taken: HashSet<String>,
    children: Vec<Tree>,
    /// Ports of the unit by name.
    ports: HashMap<String, SignalId>,
    /// What an input port becomes behind its instance, by name.
    inputs: HashMap<String, SignalId>,
    /// Nets before and behind each chosen pin, by cell and place.
    pins: HashMap<(u32, Place), (SignalId, SignalId)>,
    /// What cells read of each net.
    read: Vec<Option<ExprId>>,
    /// Registers and nets of memories of the module of gates, here.
    moved: HashMap<SignalId, SignalId>,
}

impl Build<'_> {
    fn signal(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        let mut name = name.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.body.add_signal(name, width, kind)
    }

    /// Ports, registers and nets of children, in this order.
    fn declare(&mut self, unit: &Tree, model: Model, pins: &[PinId]) {
        for (_, port) in unit.module.body.ports() {
            let id = self.signal(&port.name, port.width, port.kind);
            self.ports.insert(port.name.clone(), id);
        }
        let after_reset = reset::values(self.circuit);
        let gates = &self.circuit.module.module.body;
        for (id, reg) in gates.registers() {
            let reset = after_reset.get(&id).map(|v| u64::from(*v));
            let new = self.signal(&reg.name, reg.width, SignalKind::Reg { reset });
            self.moved.insert(id, new);
        }
        for child in 0..self.children.len() {
            for (id, net) in gates.child_nets(child) {
                let new = self.signal(&net.name, net.width, net.kind);
                self.moved.insert(id, new);
            }
        }
        let inputs: Vec<(String, u32)> = unit
            .module
            .body
            .ports()
            .filter(|(_, s)| s.kind == SignalKind::Input)
            .map(|(_, s)| (s.name.clone(), s.width))
            .collect();
        for (port, width) in inputs {
            let (x, y) = self.instance(small::pass(input_instance(&port), width));
            let value = self.whole(self.ports[&port]);
            self.body.assigns.push((x, value));
            self.inputs.insert(port, y);
        }
        for pin in pins {
            let nets = self.instance(small::pin(pin_instance(*pin), model));
            let p = &self.circuit.pins()[pin.0 as usize];
            self.pins.insert((p.cell, p.place), nets);
        }
    }

    /// Adds an instance with an input and an output, in this order; returns the nets at both.
    fn instance(&mut self, tree: Tree) -> (SignalId, SignalId) {
        let child = self.children.len() as u32;
        let ports: Vec<Signal> = tree.module.body.ports().map(|(_, p)| p.clone()).collect();
        let mut net = |port: &Signal| {
            let s = Signal::at_port(child, &tree.instance, port);
            self.signal(&s.name, s.width, s.kind)
        };
        let nets = (net(&ports[0]), net(&ports[1]));
        self.children.push(tree);
        nets
    }

    fn whole(&mut self, signal: SignalId) -> ExprId {
        let width = self.body.signal(signal).width;
        self.pool.intern(Kind::Signal(signal), width)
    }

    fn sources(&mut self) {
        for value in 0..=ONE {
            self.read[value as usize] = Some(self.pool.intern(Kind::Lit(value.into()), 1));
        }
        for source in &self.circuit.sources {
            let signal = match source.kind {
                SourceKind::Port => self.inputs.get(&source.name).copied(),
                _ => self.moved.get(&source.signal).copied(),
            };
            debug_assert!(signal.is_some() || source.name == RESET);
            for bit in 0..source.width {
                let value = match signal {
                    None => self.pool.intern(Kind::Lit(0), 1),
                    Some(s) => {
                        let all = self.whole(s);
                        match source.width {
                            1 => all,
                            _ => self.pool.intern(Kind::Slice(all, bit), 1),
                        }
                    }
                };
                self.read[(source.first + bit) as usize] = Some(value);
            }
        }
    }

    /// What is read of a net.
    fn net(&self, net: NetId) -> ExprId {
        self.read[net as usize].expect("cells stand behind those that they read")
    }

    /// Puts a chosen pin between a value and its readers.
    fn through(&mut self, cell: usize, place: Place, value: ExprId) -> ExprId {
        match self.pins.get(&(cell as u32, place)).copied() {
            None => value,
            Some((x, y)) => {
                self.body.assigns.push((x, value));
                self.whole(y)
            }
        }
    }

    fn cell(&mut self, number: usize) {
        let cell = &self.circuit.cells[number];
        let mut x = vec![];
        for (i, net) in cell.inputs[..cell.gate.inputs()].iter().enumerate() {
            let value = self.net(*net);
            x.push(self.through(number, Place::Input(i as u8), value));
        }
        let mut two = |op| self.pool.intern(Kind::Binary(op, x[0], x[1]), 1);
        let (value, inverted) = match cell.gate {
            Gate::Buf => (x[0], false),
            Gate::Not => (x[0], true),
            Gate::And => (two(Binary::And), false),
            Gate::Nand => (two(Binary::And), true),
            Gate::Or => (two(Binary::Or), false),
            Gate::Nor => (two(Binary::Or), true),
            Gate::Xor => (two(Binary::Xor), false),
            Gate::Xnor => (two(Binary::Xor), true),
            Gate::Mux => (self.pool.intern(Kind::Mux(x[2], x[1], x[0]), 1), false),
        };
        let value = if inverted { self.pool.intern(Kind::Not(value), 1) } else { value };
        let name = self.circuit.nets[cell.output as usize].name.clone();
        let wire = self.signal(&name, 1, SignalKind::Wire);
        self.body.wires.push((wire, value));
        let value = self.whole(wire);
        self.read[cell.output as usize] = Some(self.through(number, Place::Output, value));
    }

    /// Outputs, next values of registers, inputs of memories.
    fn outputs(&mut self) {
        let mut words: Vec<(SignalId, Vec<ExprId>)> = vec![];
        for o in &self.circuit.observed {
            let value = self.net(o.net);
            match o.kind {
                ObservedKind::Next => self.body.clocked.push(Stmt::Set(self.moved[&o.signal], value)),
                ObservedKind::ReadPort => {}
                ObservedKind::Port | ObservedKind::Memory => match words.last_mut() {
                    Some((signal, bits)) if *signal == o.signal => bits.push(value),
                    _ => words.push((o.signal, vec![value])),
                },
            }
        }
        for (signal, mut bits) in words {
            let to = match self.moved.get(&signal) {
                Some(net) => *net,
                None => self.ports[&self.circuit.module.module.body.signal(signal).name],
            };
            let value = match bits[..] {
                [one] => one,
                _ => {
                    bits.reverse();
                    let width = bits.len() as u32;
                    self.pool.intern(Kind::Cat(bits), width)
                }
            };
            self.body.assigns.push((to, value));
        }
        for (reg, value) in &self.circuit.read_ports {
            let value = self.converted(*value);
            self.body.clocked.push(Stmt::Set(self.moved[reg], value));
        }
    }

    /// An expression of the module of gates, here.
    fn converted(&mut self, value: ExprId) -> ExprId {
        let expr = &self.circuit.module.module.body.exprs[value.0 as usize];
        if let Some(net) = self.circuit.net_of(value) {
            return self.net(net);
        }
        if let Kind::Signal(s) = expr.kind {
            return self.whole(self.moved[&s]);
        }
        let mut operands = vec![];
        expr.kind.operands(|o| operands.push(o));
        let new: HashMap<ExprId, ExprId> = operands.into_iter().map(|o| (o, self.converted(o))).collect();
        let kind = expr.kind.map(|o| new[o], |s| s);
        self.pool.intern(kind, expr.width)
    }
}
