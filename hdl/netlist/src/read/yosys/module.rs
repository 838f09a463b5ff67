//! The module: nets, ports, cells, and the values between them.

use super::super::error::{fault, At, Fault};
use super::flip_flop::FlipFlop;
use super::gate;
use super::json::{Bit, RawCell, RawModule};
use super::ram::Ram;
use crate::check;
use crate::design::Tree;
use crate::expr::{Kind, Pool};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Module, SignalKind, Stmt};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The name of the clock: a netlist has one, and it bears this name.
const CLOCK: &str = "clock";

/// Where the value of a net comes from.
#[derive(Clone, Copy)]
enum Source {
    Known(ExprId),
    /// Output of a gate that has no value yet.
    Gate(usize),
}

/// The module while it is made.
pub(super) struct Gates<'a> {
    pub(super) raw: &'a RawModule,
    pub(super) body: Body,
    pub(super) pool: Pool,
    sources: HashMap<u64, Source>,
    clock: Option<u64>,
    /// Public names of nets.
    public: HashMap<u64, String>,
    taken: HashSet<String>,
    pub(super) memories: Vec<Tree>,
    /// Inputs of memories, and what drives them.
    pub(super) inputs: Vec<(SignalId, Vec<Bit>)>,
    pub(super) clocked: Vec<Clocked>,
}

/// Next value of registers.
pub(super) struct Clocked {
    pub(super) reg: SignalId,
    pub(super) next: Next,
    pub(super) cell: usize,
}

/// How a register goes on.
pub(super) enum Next {
    /// As a flip-flop.
    FlipFlop(FlipFlop),
    /// As the register behind read port `port`; `data` is the word that the memory gives.
    Read { port: usize, data: SignalId },
}

impl<'a> Gates<'a> {
    pub(super) fn read(name: &str, raw: &'a RawModule, file: &Path) -> Result<Tree, Fault> {
        let mut gates = Gates {
            raw,
            body: Body::default(),
            pool: Pool::default(),
            sources: HashMap::new(),
            clock: None,
            public: HashMap::new(),
            taken: HashSet::new(),
            memories: vec![],
            inputs: vec![],
            clocked: vec![],
        };
        gates.names()?;
        gates.find_clock()?;
        gates.ports()?;
        for (i, (name, _)) in raw.cells.0.iter().enumerate() {
            gates.outputs_of(i).at(|| format!("cell {name}"))?;
        }
        gates.values()?;
        gates.body.exprs = gates.pool.into_list();
        let module = Module {
            name: identifier(name),
            source: file.display().to_string(),
            header: vec![],
            body: gates.body,
            instances: 1,
            clock: false,
            reset: false,
        };
        Ok(Tree { instance: identifier(name), module, children: gates.memories })
    }

    /// Public names of nets; no net may have an initial value.
    fn names(&mut self) -> Result<(), Fault> {
        for (name, net) in &self.raw.netnames.0 {
            let init = net.attributes.get("init").and_then(Value::as_str);
            if init.is_some_and(|i| i.contains(['0', '1'])) {
                let what = "an initial value; registers of a netlist have a reset or none";
                return fault(what).at(|| format!("net {name}"));
            }
            if net.hide_name != 0 {
                continue;
            }
            for (i, bit) in net.bits.iter().enumerate() {
                if let Bit::Net(n) = bit {
                    let name = match net.bits.len() {
                        1 => identifier(name),
                        _ => format!("{}_{i}", identifier(name)),
                    };
                    self.public.entry(*n).or_insert(name);
                }
            }
        }
        Ok(())
    }

    /// The net that clocks everything.
    fn find_clock(&mut self) -> Result<(), Fault> {
        for (name, cell) in &self.raw.cells.0 {
            for bit in clocks(cell).at(|| format!("cell {name}"))? {
                match (bit, self.clock) {
                    (Bit::Net(n), None) => self.clock = Some(n),
                    (Bit::Net(n), Some(clock)) if n == clock => {}
                    _ => return fault("a second clock, or a constant one").at(|| format!("cell {name}")),
                }
            }
        }
        let Some(clock) = self.clock else {
            return Ok(());
        };
        self.taken.insert(CLOCK.to_string());
        let port = self.raw.ports.0.iter().find(|(name, _)| name == CLOCK);
        match port {
            Some((_, p)) if p.direction == "input" && p.bits == [Bit::Net(clock)] => Ok(()),
            _ => fault(format!("net {clock} clocks it, which is no input named `{CLOCK}`")),
        }
    }

    fn ports(&mut self) -> Result<(), Fault> {
        for (name, port) in &self.raw.ports.0 {
            let width = width_of(port.bits.len()).at(|| format!("port {name}"))?;
            let kind = match port.direction.as_str() {
                "input" => SignalKind::Input,
                "output" => SignalKind::Output,
                other => {
                    let what = format!("direction `{other}`; ports are `input` or `output`");
                    return fault(what).at(|| format!("port {name}"));
                }
            };
            if kind == SignalKind::Input && self.clock.is_some() && name == CLOCK {
                continue;
            }
            let name = identifier(name);
            if !self.taken.insert(name.clone()) {
                return fault("a second port of this name").at(|| format!("port {name}"));
            }
            let signal = self.body.add_signal(name.clone(), width, kind);
            if kind == SignalKind::Input {
                self.drive(&port.bits, signal).at(|| format!("port {name}"))?;
            }
        }
        Ok(())
    }

    /// The bits are those of a signal.
    pub(super) fn drive(&mut self, bits: &[Bit], signal: SignalId) -> Result<(), Fault> {
        for (i, bit) in bits.iter().enumerate() {
            let value = self.bit_of(signal, i as u32);
            self.source(*bit, Source::Known(value))?;
        }
        Ok(())
    }

    fn source(&mut self, bit: Bit, source: Source) -> Result<(), Fault> {
        match bit {
            Bit::Net(n) if self.clock == Some(n) => fault("drives the clock"),
            Bit::Net(n) => match self.sources.insert(n, source) {
                None => Ok(()),
                Some(_) => fault(format!("net {n} has two drivers")),
            },
            _ => fault("drives a constant"),
        }
    }

    fn whole(&mut self, signal: SignalId) -> ExprId {
        let width = self.body.signal(signal).width;
        self.pool.intern(Kind::Signal(signal), width)
    }

    fn bit_of(&mut self, signal: SignalId, i: u32) -> ExprId {
        let all = self.whole(signal);
        match self.body.signal(signal).width {
            1 => all,
            _ => self.pool.intern(Kind::Slice(all, i), 1),
        }
    }

    /// A name that no signal bears, from that of a net.
    pub(super) fn name(&mut self, net: Option<u64>, otherwise: &str) -> String {
        let mut name = match (net.and_then(|n| self.public.get(&n)), net) {
            (Some(name), _) => name.clone(),
            (None, Some(n)) => format!("{otherwise}{n}"),
            (None, None) => otherwise.to_string(),
        };
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// Makes what drives nets: registers, memories; gates are remembered.
    fn outputs_of(&mut self, index: usize) -> Result<(), Fault> {
        let cell = &self.raw.cells.0[index].1;
        if gate::inputs(&cell.kind).is_some() {
            let y = cell.pin("Y")?;
            return self.source(y, Source::Gate(index));
        }
        if let Some(kind) = FlipFlop::of(&cell.kind)? {
            let q = cell.pin("Q")?;
            let net = match q {
                Bit::Net(n) => Some(n),
                _ => None,
            };
            let name = self.name(net, "q");
            let reg = self.body.add_signal(name, 1, SignalKind::Reg { reset: None });
            self.drive(&[q], reg)?;
            self.clocked.push(Clocked { reg, next: Next::FlipFlop(kind), cell: index });
            return Ok(());
        }
        match cell.kind.as_str() {
            "$mem_v2" => self.memory(index),
            kind => fault(format!(
                "type `{kind}`; gates, flip-flops with a synchronous reset or none, and $mem_v2 can be read"
            )),
        }
    }

    /// Gives registers, inputs of memories and outputs their values.
    fn values(&mut self) -> Result<(), Fault> {
        let raw = self.raw;
        for c in std::mem::take(&mut self.clocked) {
            let (name, cell) = &raw.cells.0[c.cell];
            let next = self.next(cell, &c).at(|| format!("cell {name}"))?;
            self.body.clocked.push(Stmt::Set(c.reg, next));
        }
        for (net, bits) in std::mem::take(&mut self.inputs) {
            let name = self.body.signal(net).name.clone();
            let value = self.word(&bits).at(|| format!("memory's {name}"))?;
            self.body.assigns.push((net, value));
        }
        let outputs = self.body.ports();
        let outputs = outputs.filter(|(_, s)| s.kind == SignalKind::Output);
        let outputs: HashMap<String, SignalId> = outputs.map(|(id, s)| (s.name.clone(), id)).collect();
        for (name, port) in &raw.ports.0 {
            if port.direction == "output" {
                let value = self.word(&port.bits).at(|| format!("port {name}"))?;
                self.body.assigns.push((outputs[&identifier(name)], value));
            }
        }
        Ok(())
    }

    fn next(&mut self, cell: &RawCell, c: &Clocked) -> Result<ExprId, Fault> {
        let now = self.whole(c.reg);
        match c.next {
            Next::FlipFlop(kind) => {
                let d = self.value(cell.pin("D")?)?;
                let condition = |gates: &mut Self, pin: &str, high: bool| {
                    let value = gates.value(cell.pin(pin)?)?;
                    Ok(match high {
                        true => value,
                        false => gates.pool.intern(Kind::Not(value), 1),
                    })
                };
                let reset = match kind.reset {
                    Some((high, value)) => Some((condition(self, "R", high)?, value)),
                    None => None,
                };
                let enable = match kind.enable {
                    Some(high) => Some(condition(self, "E", high)?),
                    None => None,
                };
                let reset = reset.map(|(c, v)| (c, self.pool.intern(Kind::Lit(v.into()), 1)));
                Ok(self.stepped(now, d, enable, reset, kind.enable_first))
            }
            Next::Read { port, data } => {
                let ram = Ram::of(cell)?;
                let mut word = self.whole(data);
                if ram.transparent[port] {
                    word = self.forwarded(cell, &ram, port, word)?;
                }
                let pin = |name: &str| Ram::part(cell, name, port as u32, 1);
                let enable = self.word(&pin("RD_EN")?)?;
                let srst = self.word(&pin("RD_SRST")?)?;
                let value = self.pool.intern(Kind::Lit(ram.reset[port]), ram.width);
                let reset = Some((srst, value));
                Ok(self.stepped(now, word, Some(enable), reset, ram.enable_first[port]))
            }
        }
    }

    /// `next`, held without the enable; the reset wins, or needs the enable too.
    fn stepped(
        &mut self, now: ExprId, next: ExprId, enable: Option<ExprId>, reset: Option<(ExprId, ExprId)>,
        enable_first: bool,
    ) -> ExprId {
        let width = self.pool.list()[now.0 as usize].width;
        let mut value = next;
        let hold = enable.map(|e| (e, now));
        let steps = match enable_first {
            true => [reset.map(|(c, v)| (c, v, false)), hold.map(|(c, v)| (c, v, true))],
            false => [hold.map(|(c, v)| (c, v, true)), reset.map(|(c, v)| (c, v, false))],
        };
        for (condition, other, hold) in steps.into_iter().flatten() {
            let (yes, no) = if hold { (value, other) } else { (other, value) };
            value = self.pool.intern(Kind::Mux(condition, yes, no), width);
        }
        value
    }

    /// Bits side by side, least significant first.
    pub(super) fn word(&mut self, bits: &[Bit]) -> Result<ExprId, Fault> {
        let mut parts = vec![];
        for bit in bits.iter().rev() {
            parts.push(self.value(*bit)?);
        }
        Ok(match parts[..] {
            [one] => one,
            _ => {
                let width = parts.len() as u32;
                self.pool.intern(Kind::Cat(parts), width)
            }
        })
    }

    /// The value of a bit; gates on the way become named values.
    fn value(&mut self, bit: Bit) -> Result<ExprId, Fault> {
        let mut open = vec![(bit, false)];
        let mut sought = HashSet::new();
        while let Some((bit, done)) = open.pop() {
            let (net, gate) = match bit {
                Bit::Net(n) => match self.sources.get(&n) {
                    Some(Source::Known(_)) => continue,
                    Some(Source::Gate(g)) => (n, *g),
                    None if self.clock == Some(n) => return fault("the clock is read as a value"),
                    None => return fault(format!("nothing drives net {n}")),
                },
                _ => {
                    self.constant(bit)?;
                    continue;
                }
            };
            let (name, cell) = &self.raw.cells.0[gate];
            let pins = gate::inputs(&cell.kind).expect("a gate");
            let operand = |pin: char| cell.pin(pin.encode_utf8(&mut [0; 4]));
            let operands = pins.chars().map(operand).collect::<Result<Vec<_>, _>>();
            let operands = operands.at(|| format!("cell {name}"))?;
            if !done {
                if !sought.insert(net) {
                    let what = format!("net {net} depends on itself within a cycle");
                    return fault(what).at(|| format!("cell {name}"));
                }
                open.push((bit, true));
                open.extend(operands.into_iter().map(|b| (b, false)));
                continue;
            }
            let mut values = vec![];
            for operand in operands {
                values.push(self.known(operand)?);
            }
            let value = gate::value(&mut self.pool, &cell.kind, &values);
            let name = self.name(Some(net), "n");
            let wire = self.body.add_signal(name, 1, SignalKind::Wire);
            self.body.wires.push((wire, value));
            let value = self.whole(wire);
            self.sources.insert(net, Source::Known(value));
        }
        self.known(bit)
    }

    /// The value of a constant, or of a net that has one.
    fn known(&mut self, bit: Bit) -> Result<ExprId, Fault> {
        match bit {
            Bit::Net(n) => match self.sources.get(&n) {
                Some(Source::Known(e)) => Ok(*e),
                _ => fault(format!("net {n} depends on itself within a cycle")),
            },
            _ => self.constant(bit),
        }
    }

    fn constant(&mut self, bit: Bit) -> Result<ExprId, Fault> {
        match bit {
            Bit::HighImpedance => fault("a bit is `z`, which a netlist does not have"),
            _ => Ok(self.pool.intern(Kind::Lit((bit == Bit::One).into()), 1)),
        }
    }
}

/// Clocks of a cell.
fn clocks(cell: &RawCell) -> Result<Vec<Bit>, Fault> {
    if FlipFlop::of(&cell.kind)?.is_some() {
        return Ok(vec![cell.pin("C")?]);
    }
    if cell.kind != "$mem_v2" {
        return Ok(vec![]);
    }
    let mut list = vec![];
    for side in ["RD", "WR"] {
        let ports = cell.connections.get(&format!("{side}_CLK")).map_or(0, Vec::len);
        let enabled = cell.bits(&format!("{side}_CLK_ENABLE"), ports)?;
        let polarity = cell.bits(&format!("{side}_CLK_POLARITY"), ports)?;
        for port in 0..ports {
            match (enabled[port], polarity[port], side) {
                (Bit::One, Bit::One, _) => {
                    list.extend(Ram::part(cell, &format!("{side}_CLK"), port as u32, 1)?);
                }
                (Bit::One, ..) => return fault("a port takes the falling edge of the clock"),
                (_, _, "WR") => return fault("a write port without a clock"),
                _ => {}
            }
        }
    }
    Ok(list)
}

fn width_of(bits: usize) -> Result<u32, Fault> {
    match u32::try_from(bits) {
        Ok(n) if (1..=check::MAX_WIDTH).contains(&n) => Ok(n),
        _ => fault(format!("{bits} bits")),
    }
}

/// A name of Verilog made of any text.
pub fn identifier(name: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphanumeric() || c == '_' {
        true => c,
        false => '_',
    };
    let name: String = name.trim_start_matches('\\').chars().map(letter).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        true => format!("_{name}"),
        false => name,
    }
}
