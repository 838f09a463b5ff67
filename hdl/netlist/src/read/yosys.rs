//! Yosys' gate-level JSON (`write_json`): one flat module of gates, flip-flops and memories.
//!
//! Every gate becomes a named value of one bit, every flip-flop a register of one bit, every memory a
//! child that reads without a clock; registers behind synchronous read ports stand in the module itself.
//! An undefined bit (`x`) reads as zero.

use super::{fault, At, Fault, ReadError};
use crate::check;
use crate::design::{Design, Tree};
use crate::expr::{Binary, ExprId, Kind, Pool};
use crate::module::{
    Body, Memory, MemoryStyle, Module, ReadPort, SignalId, SignalKind, Stmt, WritePort,
};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use warpsmith_contract::Direction;

/// What to do about a file that is wrong.
const REMEDY: &str =
    "`synth -flatten`, `techmap` and `write_json` of Yosys make one that can be read";

/// The name of the clock: a netlist has one, and it bears this name.
const CLOCK: &str = "clock";

/// An object with its keys in the order of the file.
struct Ordered<T>(Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(vec![])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut list = vec![];
                while let Some(entry) = map.next_entry()? {
                    list.push(entry);
                }
                Ok(Ordered(list))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[derive(Deserialize)]
struct RawFile {
    modules: Ordered<RawModule>,
}

#[derive(Deserialize)]
struct RawModule {
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
    #[serde(default)]
    ports: Ordered<RawPort>,
    #[serde(default)]
    cells: Ordered<RawCell>,
    #[serde(default)]
    netnames: Ordered<RawNet>,
}

#[derive(Deserialize)]
struct RawPort {
    direction: String,
    bits: Vec<Bit>,
}

#[derive(Deserialize)]
struct RawCell {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: BTreeMap<String, Value>,
    #[serde(default)]
    connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
struct RawNet {
    #[serde(default)]
    hide_name: u8,
    bits: Vec<Bit>,
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
}

/// A bit: the number of a net, or a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bit {
    Net(u64),
    Zero,
    One,
    Undefined,
    HighImpedance,
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Bit;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the number of a net, \"0\", \"1\", \"x\" or \"z\"")
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Bit, E> {
                Ok(Bit::Net(n))
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Bit, E> {
                match s {
                    "0" => Ok(Bit::Zero),
                    "1" => Ok(Bit::One),
                    "x" => Ok(Bit::Undefined),
                    "z" => Ok(Bit::HighImpedance),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(s), &self)),
                }
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Reads a netlist of gates and checks it ([`check::design`]); `file` is named in errors.
///
/// # Errors
/// [`ReadError`] with file and cell: no JSON of Yosys, several modules without a top, an `inout` port, a
/// tri-state value, a cell that is no gate, no flip-flop with a rising edge and at most a synchronous reset,
/// and no memory of one write port, a second clock or one that is not named `clock`, an initial value, a net
/// with two drivers or none, a combinational loop.
pub fn yosys(text: &str, file: &Path) -> Result<Design, ReadError> {
    read(text, file).map_err(|e| e.error(file, REMEDY))
}

fn read(text: &str, file: &Path) -> Result<Design, Fault> {
    let raw: RawFile = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(e) => return fault(format!("no netlist of Yosys ({e})")),
    };
    let modules = &raw.modules.0;
    let top = |m: &&(String, RawModule)| {
        let top = m.1.attributes.get("top").and_then(whole);
        modules.len() == 1 || top.is_some_and(|n| n != 0)
    };
    let Some((name, module)) = modules.iter().find(top) else {
        return fault(format!(
            "{} modules, none of them is the top",
            modules.len()
        ));
    };
    let tree = Gates::read(name, module, file).at(|| format!("module {name}"))?;
    let design = Design::new(tree);
    match check::design(&design) {
        Ok(()) => Ok(design),
        Err(e) => fault(e.to_string()),
    }
}

/// Where the value of a net comes from.
#[derive(Clone, Copy)]
enum Source {
    Known(ExprId),
    /// Output of a gate that has no value yet.
    Gate(usize),
}

struct Gates<'a> {
    raw: &'a RawModule,
    body: Body,
    pool: Pool,
    sources: HashMap<u64, Source>,
    clock: Option<u64>,
    /// Public names of nets.
    public: HashMap<u64, String>,
    taken: HashSet<String>,
    memories: Vec<Tree>,
    /// Inputs of memories, and what drives them.
    inputs: Vec<(SignalId, Vec<Bit>)>,
    clocked: Vec<Clocked>,
}

/// Next value of registers.
struct Clocked {
    reg: SignalId,
    next: Next,
    cell: usize,
}

/// How a register goes on.
enum Next {
    /// As a flip-flop.
    FlipFlop(FlipFlop),
    /// As the register behind read port `port`; `data` is the word that the memory gives.
    Read { port: usize, data: SignalId },
}

impl<'a> Gates<'a> {
    fn read(name: &str, raw: &'a RawModule, file: &Path) -> Result<Tree, Fault> {
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
        Ok(Tree {
            instance: identifier(name),
            module,
            children: gates.memories,
        })
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
                    _ => {
                        return fault("a second clock, or a constant one")
                            .at(|| format!("cell {name}"))
                    }
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
            _ => fault(format!(
                "net {clock} clocks it, which is no input named `{CLOCK}`"
            )),
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
                self.drive(&port.bits, signal)
                    .at(|| format!("port {name}"))?;
            }
        }
        Ok(())
    }

    /// The bits are those of a signal.
    fn drive(&mut self, bits: &[Bit], signal: SignalId) -> Result<(), Fault> {
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
    fn name(&mut self, net: Option<u64>, otherwise: &str) -> String {
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
        if inputs(&cell.kind).is_some() {
            let y = one(cell, "Y")?;
            return self.source(y, Source::Gate(index));
        }
        if let Some(kind) = FlipFlop::of(&cell.kind)? {
            let q = one(cell, "Q")?;
            let net = match q {
                Bit::Net(n) => Some(n),
                _ => None,
            };
            let name = self.name(net, "q");
            let reg = self
                .body
                .add_signal(name, 1, SignalKind::Reg { reset: None });
            self.drive(&[q], reg)?;
            self.clocked.push(Clocked {
                reg,
                next: Next::FlipFlop(kind),
                cell: index,
            });
            return Ok(());
        }
        match cell.kind.as_str() {
            "$mem_v2" => self.memory(index),
            kind => fault(format!(
                "type `{kind}`; gates, flip-flops with a synchronous reset or none, and $mem_v2 can be read"
            )),
        }
    }

    fn memory(&mut self, index: usize) -> Result<(), Fault> {
        let (name, cell) = &self.raw.cells.0[index];
        let ram = Ram::of(cell)?;
        let child = self.memories.len() as u32;
        let label = identifier(name);
        let shape = format!("mem_{}x{}_{}r", ram.depth, ram.width, ram.reads);
        let mut inside = Inside {
            body: Body::default(),
            nets: vec![],
        };
        let mut reads = vec![];
        for port in 0..ram.reads {
            let address = inside.port(&format!("ra_{port}"), ram.address, SignalKind::Input);
            let data = inside.port(&format!("rd_{port}"), ram.width, SignalKind::Output);
            reads.push(ReadPort {
                address,
                enable: None,
                data,
            });
        }
        let mut write = None;
        if ram.writes {
            let enables = ram.width / ram.granule;
            write = Some(WritePort {
                address: inside.port("wa", ram.address, SignalKind::Input),
                data: inside.port("wd", ram.width, SignalKind::Input),
                enable: inside.port("we", enables, SignalKind::Input),
            });
        }
        inside.body.memory = Some(Memory {
            depth: ram.depth,
            width: ram.width,
            granule: ram.granule,
            style: MemoryStyle::Lut,
            rdw_dont_care: false,
            reads,
            write,
            words: ram.words.clone(),
        });
        let mut nets = HashMap::new();
        for (port, width, kind) in inside.nets {
            let direction = match kind {
                SignalKind::Input => Direction::Input,
                _ => Direction::Output,
            };
            let net = self.name(None, &format!("{label}_{port}"));
            let kind = SignalKind::Child { child, direction };
            nets.insert(port, self.body.add_signal(net, width, kind));
        }
        for port in 0..ram.reads {
            let address = ram.part(cell, "RD_ADDR", port, ram.address)?;
            self.inputs.push((nets[&format!("ra_{port}")], address));
            let bits = ram.part(cell, "RD_DATA", port, ram.width)?;
            let data = nets[&format!("rd_{port}")];
            if !ram.clocked[port as usize] {
                self.drive(&bits, data)?;
                continue;
            }
            let name = self.name(None, &format!("{label}_q_{port}"));
            let reg = self
                .body
                .add_signal(name, ram.width, SignalKind::Reg { reset: None });
            self.drive(&bits, reg)?;
            self.clocked.push(Clocked {
                reg,
                next: Next::Read {
                    port: port as usize,
                    data,
                },
                cell: index,
            });
        }
        if ram.writes {
            self.inputs
                .push((nets["wa"], ram.part(cell, "WR_ADDR", 0, ram.address)?));
            self.inputs
                .push((nets["wd"], ram.part(cell, "WR_DATA", 0, ram.width)?));
            let enables = ram.part(cell, "WR_EN", 0, ram.width)?;
            let enables = enables.into_iter().step_by(ram.granule as usize).collect();
            self.inputs.push((nets["we"], enables));
        }
        let instance = label.clone();
        self.memories.push(Tree {
            instance,
            module: Module {
                name: shape,
                source: String::new(),
                header: vec![],
                body: inside.body,
                instances: 1,
                clock: false,
                reset: false,
            },
            children: vec![],
        });
        Ok(())
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
        let outputs: HashMap<String, SignalId> =
            outputs.map(|(id, s)| (s.name.clone(), id)).collect();
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
                let d = self.value(one(cell, "D")?)?;
                let condition = |gates: &mut Self, pin: &str, high: bool| {
                    let value = gates.value(one(cell, pin)?)?;
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
                let pin = |name: &str| ram.part(cell, name, port as u32, 1);
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
        &mut self,
        now: ExprId,
        next: ExprId,
        enable: Option<ExprId>,
        reset: Option<(ExprId, ExprId)>,
        enable_first: bool,
    ) -> ExprId {
        let width = self.pool.list()[now.0 as usize].width;
        let mut value = next;
        let hold = enable.map(|e| (e, now));
        let steps = match enable_first {
            true => [
                reset.map(|(c, v)| (c, v, false)),
                hold.map(|(c, v)| (c, v, true)),
            ],
            false => [
                hold.map(|(c, v)| (c, v, true)),
                reset.map(|(c, v)| (c, v, false)),
            ],
        };
        for (condition, other, hold) in steps.into_iter().flatten() {
            let (yes, no) = if hold { (value, other) } else { (other, value) };
            value = self.pool.intern(Kind::Mux(condition, yes, no), width);
        }
        value
    }

    /// The word read, with what is written to it in the same cycle.
    fn forwarded(
        &mut self,
        cell: &RawCell,
        ram: &Ram,
        port: usize,
        word: ExprId,
    ) -> Result<ExprId, Fault> {
        let read = self.word(&ram.part(cell, "RD_ADDR", port as u32, ram.address)?)?;
        let write = self.word(&ram.part(cell, "WR_ADDR", 0, ram.address)?)?;
        let data = self.word(&ram.part(cell, "WR_DATA", 0, ram.width)?)?;
        let enable = self.word(&ram.part(cell, "WR_EN", 0, ram.width)?)?;
        let width = ram.width;
        let pool = &mut self.pool;
        let same = pool.intern(Kind::Binary(Binary::Eq, read, write), 1);
        let same = match width {
            1 => same,
            _ => pool.intern(Kind::Repeat(width, same), width),
        };
        let new = pool.intern(Kind::Binary(Binary::And, same, enable), width);
        let old = pool.intern(Kind::Not(new), width);
        let new = pool.intern(Kind::Binary(Binary::And, new, data), width);
        let old = pool.intern(Kind::Binary(Binary::And, old, word), width);
        Ok(pool.intern(Kind::Binary(Binary::Or, new, old), width))
    }

    /// Bits side by side, least significant first.
    fn word(&mut self, bits: &[Bit]) -> Result<ExprId, Fault> {
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
            let pins = inputs(&cell.kind).expect("a gate");
            let operand = |pin: char| one(cell, pin.encode_utf8(&mut [0; 4]));
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
            let value = gate_of(&mut self.pool, &cell.kind, &values);
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

/// The module of a memory while it is made.
struct Inside {
    body: Body,
    nets: Vec<(String, u32, SignalKind)>,
}

impl Inside {
    fn port(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        self.nets.push((name.into(), width, kind));
        self.body.add_signal(name.into(), width, kind)
    }
}

/// A flip-flop: active level and value of the reset, active level of the enable.
#[derive(Clone, Copy)]
struct FlipFlop {
    reset: Option<(bool, bool)>,
    enable: Option<bool>,
    enable_first: bool,
}

impl FlipFlop {
    /// The flip-flop of a cell type such as `$_SDFFE_PP0P_`; none for other cells.
    fn of(kind: &str) -> Result<Option<Self>, Fault> {
        let inner = kind.strip_prefix("$_").and_then(|k| k.strip_suffix('_'));
        let Some((family, letters)) = inner.and_then(|k| k.split_once('_')) else {
            return Ok(None);
        };
        let (reset, enable) = match (family, letters.as_bytes()) {
            ("DFF", [_]) => (None, None),
            ("DFFE", [_, e]) => (None, Some(*e)),
            ("SDFF", [_, r, v]) => (Some((*r, *v)), None),
            ("SDFFE" | "SDFFCE", [_, r, v, e]) => (Some((*r, *v)), Some(*e)),
            _ => return Ok(None),
        };
        if !letters.starts_with('P') {
            return fault(format!(
                "type `{kind}`: only the rising edge of the clock is known"
            ));
        }
        Ok(Some(FlipFlop {
            reset: reset.map(|(r, v)| (r == b'P', v == b'1')),
            enable: enable.map(|e| e == b'P'),
            enable_first: family == "SDFFCE",
        }))
    }
}

/// What a cell `$mem_v2` says of itself.
struct Ram {
    depth: u32,
    width: u32,
    address: u32,
    granule: u32,
    reads: u32,
    writes: bool,
    words: Vec<u64>,
    /// By read port: whether it has a clock, whether it sees the word being written, value of its reset,
    /// whether the reset needs the enable.
    clocked: Vec<bool>,
    transparent: Vec<bool>,
    reset: Vec<u128>,
    enable_first: Vec<bool>,
}

impl Ram {
    fn of(cell: &RawCell) -> Result<Self, Fault> {
        let number = |name: &str| match cell.parameters.get(name).and_then(whole) {
            Some(n) => Ok(n),
            None => fault(format!("parameter {name} is missing or no number")),
        };
        let small = |name: &str, most: u64| match number(name)? {
            n if n <= most => Ok(n as u32),
            n => fault(format!("parameter {name} is {n}, at most {most}")),
        };
        let bits = |name: &str, count: u32| bits(cell, name, count as usize);
        let (depth, width) = (small("SIZE", 1 << 28)?, small("WIDTH", 1 << 20)?);
        let (address, reads) = (small("ABITS", 64)?, small("RD_PORTS", 1024)?);
        let ports = small("WR_PORTS", 1024)?;
        if ports > 1 {
            return fault(format!("{ports} write ports; one can be read"));
        }
        if depth == 0 || width == 0 || address == 0 {
            return fault("a memory without words, bits or addresses");
        }
        if number("OFFSET")? != 0 {
            return fault("its first word is not number 0");
        }
        let writes = ports == 1;
        let set = |name: &str, count: u32| -> Result<Vec<bool>, Fault> {
            Ok(bits(name, count)?.iter().map(|b| *b == Bit::One).collect())
        };
        let init = bits("INIT", 0)?;
        let known = init.iter().any(|b| matches!(b, Bit::Zero | Bit::One));
        if writes && known {
            return fault("initial words of a memory that can be written");
        }
        let mut words = vec![];
        if !writes {
            if width > 64 || init.len() as u64 != u64::from(depth) * u64::from(width) {
                return fault("constants of more than 64 bits, or not as many as it has words");
            }
            for word in init.chunks(width as usize) {
                let ones = word.iter().enumerate().filter(|(_, b)| **b == Bit::One);
                words.push(ones.map(|(i, _)| 1 << i).sum());
            }
        }
        let clocked = set("RD_CLK_ENABLE", reads)?;
        let resets = bits("RD_SRST_VALUE", reads * width)?;
        let mut reset = vec![];
        for value in resets.chunks(width as usize) {
            let ones = value.iter().enumerate().filter(|(_, b)| **b == Bit::One);
            let ones: Vec<usize> = ones.map(|(i, _)| i).collect();
            if ones.iter().any(|i| *i >= 128) {
                return fault("a reset value of a read port has more than 128 bits");
            }
            reset.push(ones.iter().map(|i| 1u128 << i).sum());
        }
        for (port, clocked) in clocked.iter().enumerate() {
            let pin = |name: &str| Self::slice(cell, name, port as u32, 1);
            let off = |b: &Bit| matches!(b, Bit::Zero | Bit::Undefined);
            if *clocked && !pin("RD_ARST")?.iter().all(off) {
                return fault(format!("read port {port} has an asynchronous reset"));
            }
        }
        let known = |b: &Bit| matches!(b, Bit::Zero | Bit::One);
        if bits("RD_INIT_VALUE", reads * width)?.iter().any(known) {
            return fault("an initial value of a read port");
        }
        for name in ["RD_WIDE_CONTINUATION", "WR_WIDE_CONTINUATION"] {
            if bits(name, 0)?.contains(&Bit::One) {
                return fault("ports of several words");
            }
        }
        let transparent = match writes {
            true => set("RD_TRANSPARENCY_MASK", reads)?,
            false => vec![false; reads as usize],
        };
        let mut ram = Ram {
            depth,
            width,
            address,
            granule: width,
            reads,
            writes,
            words,
            clocked,
            transparent,
            reset,
            enable_first: set("RD_CE_OVER_SRST", reads)?,
        };
        if writes {
            let enables = ram.part(cell, "WR_EN", 0, width)?;
            let one_each = |g: &usize| {
                let same = |c: &[Bit]| c.iter().all(|b| *b == c[0]);
                width as usize % g == 0 && enables.chunks(*g).all(same)
            };
            let granule = (1..=width as usize).rev().find(one_each);
            ram.granule = granule.expect("a granule of one bit") as u32;
        }
        Ok(ram)
    }

    /// Connection `name` of a port, `width` bits a port.
    fn part(&self, cell: &RawCell, name: &str, port: u32, width: u32) -> Result<Vec<Bit>, Fault> {
        Self::slice(cell, name, port, width)
    }

    fn slice(cell: &RawCell, name: &str, port: u32, width: u32) -> Result<Vec<Bit>, Fault> {
        let from = port as usize * width as usize;
        let bits = cell.connections.get(name).map_or(&[][..], Vec::as_slice);
        match bits.get(from..from + width as usize) {
            Some(bits) => Ok(bits.to_vec()),
            None => fault(format!(
                "connection {name} has {} bits, too few",
                bits.len()
            )),
        }
    }
}

/// Clocks of a cell.
fn clocks(cell: &RawCell) -> Result<Vec<Bit>, Fault> {
    if FlipFlop::of(&cell.kind)?.is_some() {
        return Ok(vec![one(cell, "C")?]);
    }
    if cell.kind != "$mem_v2" {
        return Ok(vec![]);
    }
    let mut list = vec![];
    for side in ["RD", "WR"] {
        let ports = cell
            .connections
            .get(&format!("{side}_CLK"))
            .map_or(0, Vec::len);
        let enabled = bits(cell, &format!("{side}_CLK_ENABLE"), ports)?;
        let polarity = bits(cell, &format!("{side}_CLK_POLARITY"), ports)?;
        for port in 0..ports {
            match (enabled[port], polarity[port], side) {
                (Bit::One, Bit::One, _) => {
                    list.extend(Ram::slice(cell, &format!("{side}_CLK"), port as u32, 1)?);
                }
                (Bit::One, ..) => return fault("a port takes the falling edge of the clock"),
                (_, _, "WR") => return fault("a write port without a clock"),
                _ => {}
            }
        }
    }
    Ok(list)
}

/// A parameter as bits, least significant first, at least `count`.
fn bits(cell: &RawCell, name: &str, count: usize) -> Result<Vec<Bit>, Fault> {
    let digit = |c: char| match c {
        '0' => Some(Bit::Zero),
        '1' => Some(Bit::One),
        'x' => Some(Bit::Undefined),
        _ => None,
    };
    let list = match cell.parameters.get(name) {
        Some(Value::String(s)) => s.chars().rev().map(digit).collect(),
        Some(Value::Number(n)) => n.as_u64().map(|n| {
            let bit = |i: u32| if n >> i & 1 != 0 { Bit::One } else { Bit::Zero };
            (0..64).map(bit).collect()
        }),
        _ => None,
    };
    match list {
        Some(list) if Vec::len(&list) >= count => Ok(list),
        _ => fault(format!(
            "parameter {name} is missing, no bits, or too short"
        )),
    }
}

/// A number, or the bits of one.
fn whole(v: &Value) -> Option<u64> {
    match v {
        Value::Number(n) => n.as_u64(),
        Value::String(s) => u64::from_str_radix(s, 2).ok(),
        _ => None,
    }
}

/// The one bit of a connection.
fn one(cell: &RawCell, pin: &str) -> Result<Bit, Fault> {
    match cell.connections.get(pin).map(Vec::as_slice) {
        Some([bit]) => Ok(*bit),
        _ => fault(format!("one bit is needed at {pin}")),
    }
}

/// Inputs of a gate; none for other cells.
fn inputs(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "$_BUF_" | "$_NOT_" => "A",
        "$_AND_" | "$_NAND_" | "$_OR_" | "$_NOR_" | "$_XOR_" | "$_XNOR_" => "AB",
        "$_ANDNOT_" | "$_ORNOT_" => "AB",
        "$_MUX_" | "$_NMUX_" => "ABS",
        "$_AOI3_" | "$_OAI3_" => "ABC",
        "$_AOI4_" | "$_OAI4_" => "ABCD",
        "$_MUX4_" => "ABCDST",
        "$_MUX8_" => "ABCDEFGHSTU",
        "$_MUX16_" => "ABCDEFGHIJKLMNOPSTUV",
        _ => return None,
    })
}

/// The value of a gate, from those of its inputs in the order of [`inputs`].
fn gate_of(pool: &mut Pool, kind: &str, x: &[ExprId]) -> ExprId {
    let not = |pool: &mut Pool, a| pool.intern(Kind::Not(a), 1);
    let two = |pool: &mut Pool, op, a, b| pool.intern(Kind::Binary(op, a, b), 1);
    use Binary::{And, Or, Xor};
    match kind {
        "$_BUF_" => x[0],
        "$_NOT_" => not(pool, x[0]),
        "$_AND_" => two(pool, And, x[0], x[1]),
        "$_OR_" => two(pool, Or, x[0], x[1]),
        "$_XOR_" => two(pool, Xor, x[0], x[1]),
        "$_NAND_" | "$_NOR_" | "$_XNOR_" => {
            let op = match kind {
                "$_NAND_" => And,
                "$_NOR_" => Or,
                _ => Xor,
            };
            let y = two(pool, op, x[0], x[1]);
            not(pool, y)
        }
        "$_ANDNOT_" | "$_ORNOT_" => {
            let b = not(pool, x[1]);
            let op = if kind == "$_ANDNOT_" { And } else { Or };
            two(pool, op, x[0], b)
        }
        "$_AOI3_" | "$_OAI3_" | "$_AOI4_" | "$_OAI4_" => {
            let (inner, outer) = match kind.starts_with("$_AOI") {
                true => (And, Or),
                false => (Or, And),
            };
            let first = two(pool, inner, x[0], x[1]);
            let second = match x {
                [_, _, c, d] => two(pool, inner, *c, *d),
                _ => x[2],
            };
            let y = two(pool, outer, first, second);
            not(pool, y)
        }
        _ => {
            // A choice: 2, 4, 8 or 16 values, then the bits of the choice, the lowest first.
            let choices = match x.len() {
                3 => 2,
                6 => 4,
                11 => 8,
                _ => 16,
            };
            let (values, select) = x.split_at(choices);
            let mut values = values.to_vec();
            for s in select {
                let pairs = values.chunks(2);
                let pairs = pairs.map(|p| pool.intern(Kind::Mux(*s, p[1], p[0]), 1));
                values = pairs.collect();
            }
            match kind {
                "$_NMUX_" => not(pool, values[0]),
                _ => values[0],
            }
        }
    }
}

fn width_of(bits: usize) -> Result<u32, Fault> {
    match u32::try_from(bits) {
        Ok(n) if (1..=check::MAX_WIDTH).contains(&n) => Ok(n),
        _ => fault(format!("{bits} bits")),
    }
}

/// A name of Verilog made of any text.
fn identifier(name: &str) -> String {
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
