//! A design, flat: every instance's signals become values in one graph.

use super::graph::Graph;
use super::{mask, Flat, Instance, InstanceId, Mem, MemId, NodeId, Op, Reg, RegId, Write};
use crate::design::Design;
use crate::expr::{Binary, ExprId, Kind};
use crate::module::{Body, MemoryStyle, Module, SignalId, SignalKind, Stmt};
use crate::print::{instance_label, manifest};
use std::collections::HashMap;
use warpsmith_contract::{Direction, Site, SiteKind};

/// What is kept in the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Outputs of blocks below the top stay values of their own ([`Op::Tap`]), so that faults can act on them.
    pub taps: bool,
}

/// Why a design has no flat form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FlatError {
    /// A signal depends on itself within a cycle.
    #[error("{0} depends on itself within a cycle")]
    Loop(String),
    /// A design with taps, whose masks nothing in it drives.
    #[error("module {0} has taps for fault injection; the flat form is made of the plain design")]
    Tapped(String),
    /// An operation on values of more than 64 bits that has no parts.
    #[error("{path}: {what} of {width} bits is wider than 64 bits")]
    Wide {
        /// The instance.
        path: String,
        /// The operation.
        what: &'static str,
        /// Its width in bits.
        width: u32,
    },
}

/// A value of any width: nodes, least significant first. At most 64 bits are one node.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Value {
    parts: Vec<NodeId>,
    width: u32,
}

/// What gives a signal its value.
#[derive(Clone, Copy)]
enum Driver {
    Expr(ExprId),
    Process(usize),
    Read(usize),
}

/// Who drives what in a module.
struct Drivers(HashMap<SignalId, Driver>);

impl Drivers {
    fn of(body: &Body) -> Self {
        let mut map = HashMap::new();
        for (s, e) in body.wires.iter().chain(&body.assigns) {
            map.insert(*s, Driver::Expr(*e));
        }
        for (i, process) in body.processes.iter().enumerate() {
            for statement in process {
                statement.targets(&mut |s| {
                    map.insert(s, Driver::Process(i));
                });
            }
        }
        let reads = body.memory.iter().flat_map(|m| &m.reads);
        for (i, read) in reads.enumerate() {
            map.insert(read.data, Driver::Read(i));
        }
        Drivers(map)
    }
}

/// An instance while values are sought.
struct Open {
    module: usize,
    /// The instance that holds it, and which child of it this is.
    parent: Option<(usize, u32)>,
    children: Vec<usize>,
    signals: Vec<State>,
    exprs: Vec<Option<Value>>,
    /// Its memory, and the registers behind the memory's synchronous read ports.
    mem: Option<MemId>,
    held: Vec<Value>,
    /// Sites of its outputs, by signal.
    taps: HashMap<SignalId, u32>,
}

#[derive(Clone)]
enum State {
    Unknown,
    Sought,
    Known(Value),
}

struct Build<'a> {
    design: &'a Design,
    drivers: Vec<Drivers>,
    open: Vec<Open>,
    flat: Flat,
    options: Options,
}

/// Stack of the thread that builds: a chain of values through many blocks is deep.
const STACK_BYTES: usize = 256 << 20;

impl Flat {
    /// Makes the flat form of a plain design (without [`Tap`](crate::Tap)s).
    ///
    /// # Errors
    /// [`FlatError`]: a loop, taps, or a product of more than 64 bits.
    pub fn new(design: &Design, options: Options) -> Result<Self, FlatError> {
        std::thread::scope(|scope| {
            let build = || Build::run(design, options);
            std::thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, build)
                .expect("a thread can be started")
                .join()
                .expect("building does not panic")
        })
    }
}

impl<'a> Build<'a> {
    fn run(design: &'a Design, options: Options) -> Result<Flat, FlatError> {
        if let Some(m) = design.modules.iter().find(|m| !m.body.taps.is_empty()) {
            return Err(FlatError::Tapped(m.name.clone()));
        }
        let drivers = design.modules.iter().map(|m| Drivers::of(&m.body));
        let mut build = Build {
            design,
            drivers: drivers.collect(),
            open: vec![],
            flat: Flat::default(),
            options,
        };
        build.flat.ports = manifest::ports(design);
        let top = design.modules.len() - 1;
        build.expand(top, None, String::new());
        build.name_sites(0);
        build.state()?;
        build.reads()?;
        build.next()?;
        build.outputs()?;
        build.taps()?;
        Ok(build.flat.pruned())
    }

    fn module(&self, instance: usize) -> &'a Module {
        &self.design.modules[self.open[instance].module]
    }

    fn body(&self, instance: usize) -> &'a Body {
        &self.module(instance).body
    }

    /// What is made now belongs to this instance.
    fn own(&mut self, instance: usize) {
        self.flat.graph.set_owner(InstanceId(instance as u32));
    }

    fn path(&self, instance: usize) -> &str {
        &self.flat.instances[instance].path
    }

    /// Makes the instances below and including one.
    fn expand(&mut self, module: usize, parent: Option<(usize, u32)>, path: String) -> usize {
        let body = &self.design.modules[module].body;
        let instance = self.open.len();
        self.open.push(Open {
            module,
            parent,
            children: vec![],
            signals: vec![State::Unknown; body.signals.len()],
            exprs: vec![None; body.exprs.len()],
            mem: None,
            held: vec![],
            taps: HashMap::new(),
        });
        self.flat.instances.push(Instance {
            path: path.clone(),
            module: module as u32,
            parent: parent.map(|(p, _)| InstanceId(p as u32)),
        });
        for (i, child) in body.children.iter().enumerate() {
            let path = format!("{path}{}.", instance_label(&child.instance));
            let below = self.expand(child.module.0 as usize, Some((instance, i as u32)), path);
            self.open[instance].children.push(below);
        }
        instance
    }

    /// Name of the block of an instance.
    fn block(&self, instance: usize) -> &'a str {
        match self.open[instance].parent {
            Some((parent, child)) => &self.body(parent).children[child as usize].block,
            None => &self.module(instance).name,
        }
    }

    fn add_site(
        &mut self,
        instance: usize,
        name: &str,
        kind: SiteKind,
        width: u32,
        depth: u32,
    ) -> u32 {
        let site = Site {
            path: format!("{}{name}", self.path(instance)),
            block: self.block(instance).into(),
            kind,
            width,
            depth,
        };
        self.flat.sites.push(site);
        self.flat.sites.len() as u32 - 1
    }

    /// Sites in their order: memories and registers of all instances, then latched outputs of memories and
    /// outputs of blocks. Registers and memories are made on the way.
    fn name_sites(&mut self, top: usize) {
        for instance in self.preorder(top) {
            let body = self.body(instance);
            self.own(instance);
            if let Some(memory) = &body.memory {
                let constant = memory.write.is_none();
                let site = (!constant).then(|| {
                    self.add_site(instance, "mem", SiteKind::Ram, memory.width, memory.depth)
                });
                self.open[instance].mem = Some(MemId(self.flat.mems.len() as u32));
                self.flat.mems.push(Mem {
                    site,
                    depth: memory.depth,
                    width: memory.width,
                    words: memory.words.clone(),
                    writes: vec![],
                });
            }
            for (id, register) in body.registers() {
                let site =
                    self.add_site(instance, &register.name, SiteKind::Reg, register.width, 1);
                let value = self.register(site, register.width);
                self.open[instance].signals[id.0 as usize] = State::Known(value);
            }
        }
        for instance in self.preorder(top) {
            let body = self.body(instance);
            let latched = body
                .memory
                .as_ref()
                .is_some_and(|m| m.style != MemoryStyle::Lut);
            let outputs = body.ports().filter(|(_, s)| s.kind == SignalKind::Output);
            self.own(instance);
            for (id, output) in outputs {
                if latched {
                    let name = format!("{}_held", output.name);
                    let site = self.add_site(instance, &name, SiteKind::Reg, output.width, 1);
                    let value = self.register(site, output.width);
                    self.open[instance].held.push(value);
                } else if instance != top {
                    let site =
                        self.add_site(instance, &output.name, SiteKind::Out, output.width, 1);
                    self.open[instance].taps.insert(id, site);
                }
            }
        }
    }

    fn preorder(&self, from: usize) -> Vec<usize> {
        let mut list = vec![from];
        for child in &self.open[from].children {
            list.extend(self.preorder(*child));
        }
        list
    }

    /// A new register of any width; its pieces get their next values later.
    fn register(&mut self, site: u32, width: u32) -> Value {
        let mut parts = vec![];
        for (lo, piece) in pieces(width) {
            let reg = RegId(self.flat.regs.len() as u32);
            let node = self.flat.graph.put(Op::Reg(reg), piece);
            self.flat.regs.push(Reg {
                site,
                lo,
                width: piece,
                next: node,
            });
            parts.push(node);
        }
        Value { parts, width }
    }

    /// Next values of all registers.
    fn state(&mut self) -> Result<(), FlatError> {
        for instance in 0..self.open.len() {
            let body = self.body(instance);
            if body.registers().next().is_none() {
                continue;
            }
            let mut values = HashMap::new();
            for (id, _) in body.registers() {
                values.insert(id, self.signal(instance, id)?);
            }
            self.execute(instance, &body.clocked, None, &mut values)?;
            self.own(instance);
            let reset = match body.registers().any(|(_, s)| reset_of(s.kind).is_some()) {
                true => Some(self.port("reset")),
                false => None,
            };
            for (id, register) in body.registers() {
                let mut next = values[&id].clone();
                if let (Some(value), Some(reset)) = (reset_of(register.kind), reset) {
                    let value = self.constant(register.width, value.into());
                    next = self.choose(reset, &value, &next);
                }
                let State::Known(now) = self.open[instance].signals[id.0 as usize].clone() else {
                    unreachable!("registers are known from the beginning");
                };
                self.set_next(&now, &next);
            }
        }
        Ok(())
    }

    /// `now` takes the value `next` at the clock edge.
    fn set_next(&mut self, now: &Value, next: &Value) {
        let mut lo = 0;
        for part in &now.parts {
            let Op::Reg(reg) = self.flat.graph.node(*part).op else {
                unreachable!("registers are made of registers");
            };
            let width = self.flat.graph.width(*part);
            let piece = self.slice(next, lo, width.into());
            self.flat.regs[reg.0 as usize].next = piece.parts[0];
            lo += u32::from(width);
        }
    }

    /// Registers behind synchronous read ports.
    fn reads(&mut self) -> Result<(), FlatError> {
        for instance in 0..self.open.len() {
            let Some(memory) = &self.body(instance).memory else {
                continue;
            };
            if memory.style == MemoryStyle::Lut {
                continue;
            }
            for (i, read) in memory.reads.iter().enumerate() {
                let word = self.read(instance, read.address)?;
                self.own(instance);
                let now = self.open[instance].held[i].clone();
                let next = match read.enable {
                    Some(enable) => {
                        let enable = self.signal(instance, enable)?.parts[0];
                        self.choose(enable, &word, &now)
                    }
                    None => word,
                };
                self.set_next(&now, &next);
            }
        }
        Ok(())
    }

    /// The word of an instance's memory at an address.
    fn read(&mut self, instance: usize, address: SignalId) -> Result<Value, FlatError> {
        let mem = self.open[instance].mem.expect("the memory of a memory");
        let width = self.flat.mems[mem.0 as usize].width;
        let address = self.signal(instance, address)?.parts[0];
        self.own(instance);
        let words = pieces(width).enumerate().map(|(word, (_, piece))| {
            let word = word as u32;
            self.flat.graph.put(Op::Read { mem, word, address }, piece)
        });
        Ok(Value {
            parts: words.collect(),
            width,
        })
    }

    /// Writes of all memories.
    fn next(&mut self) -> Result<(), FlatError> {
        for instance in 0..self.open.len() {
            let Some(memory) = &self.body(instance).memory else {
                continue;
            };
            let Some(write) = &memory.write else { continue };
            let mem = self.open[instance].mem.expect("the memory of a memory").0 as usize;
            let address = self.signal(instance, write.address)?.parts[0];
            let data = self.signal(instance, write.data)?;
            let enables = self.signal(instance, write.enable)?;
            self.own(instance);
            for granule in 0..memory.width / memory.granule {
                let enable = self.slice(&enables, granule, 1).parts[0];
                // A granule may cross a border of 64 bits.
                let (from, to) = (granule * memory.granule, (granule + 1) * memory.granule);
                for (word, (lo, width)) in pieces(memory.width).enumerate() {
                    let end = lo + u32::from(width);
                    let (a, b) = (from.max(lo), to.min(end));
                    if a >= b {
                        continue;
                    }
                    let piece = self.slice(&data, lo, width.into());
                    self.flat.mems[mem].writes.push(Write {
                        enable,
                        address,
                        word: word as u32,
                        mask: mask((b - a) as u8) << (a - lo),
                        data: piece.parts[0],
                    });
                }
            }
        }
        Ok(())
    }

    fn outputs(&mut self) -> Result<(), FlatError> {
        let names: HashMap<String, u32> = (0..)
            .zip(&self.flat.ports)
            .map(|(i, p)| (p.name.clone(), i))
            .collect();
        for (id, signal) in self.body(0).ports() {
            if signal.kind == SignalKind::Output {
                let value = self.signal(0, id)?;
                let words = pieces(signal.width)
                    .map(|(lo, width)| self.slice(&value, lo, width.into()).parts[0]);
                let words = words.collect();
                self.flat.outputs.push((names[&signal.name], words));
            }
        }
        Ok(())
    }

    /// Outputs of blocks that nothing reads have a value too.
    fn taps(&mut self) -> Result<(), FlatError> {
        if self.options.taps {
            for instance in 0..self.open.len() {
                let mut outputs: Vec<_> = self.open[instance].taps.keys().copied().collect();
                outputs.sort_unstable();
                for output in outputs {
                    self.signal(instance, output)?;
                }
            }
        }
        Ok(())
    }

    /// The value of a threaded input of one bit.
    fn port(&mut self, name: &str) -> NodeId {
        let port = self.flat.ports.iter().position(|p| p.name == name);
        let port = port.expect("a chip with registers has clock and reset") as u32;
        self.flat.graph.put(Op::Input { port, word: 0 }, 1)
    }

    /// The value of a signal.
    fn signal(&mut self, instance: usize, id: SignalId) -> Result<Value, FlatError> {
        match &self.open[instance].signals[id.0 as usize] {
            State::Known(value) => return Ok(value.clone()),
            State::Sought => {
                let name = &self.body(instance).signal(id).name;
                return Err(FlatError::Loop(format!("{}{name}", self.path(instance))));
            }
            State::Unknown => {}
        }
        self.open[instance].signals[id.0 as usize] = State::Sought;
        let mut value = self.driven(instance, id)?;
        if let Some(&site) = self.open[instance]
            .taps
            .get(&id)
            .filter(|_| self.options.taps)
        {
            let mut lo = 0;
            for part in &mut value.parts {
                let width = self.flat.graph.width(*part);
                let tap = Op::Tap {
                    site,
                    lo,
                    of: *part,
                };
                *part = self.flat.graph.put(tap, width);
                lo += u32::from(width);
            }
        }
        debug_assert_eq!(value.width, self.body(instance).signal(id).width);
        // A process has given it a value of its own by now.
        self.open[instance].signals[id.0 as usize] = State::Known(value.clone());
        Ok(value)
    }

    fn driven(&mut self, instance: usize, id: SignalId) -> Result<Value, FlatError> {
        let body = self.body(instance);
        let signal = body.signal(id);
        if let Some(driver) = self.drivers[self.open[instance].module].0.get(&id) {
            return match *driver {
                Driver::Expr(e) => self.expr(instance, e),
                Driver::Process(p) => {
                    let mut values = HashMap::new();
                    self.execute(instance, &body.processes[p], Some(id), &mut values)?;
                    Ok(values
                        .remove(&id)
                        .expect("complete processes, by the checks"))
                }
                Driver::Read(i) => match self.open[instance].held.get(i) {
                    Some(held) => Ok(held.clone()),
                    None => {
                        let memory = body.memory.as_ref().expect("reads are of a memory");
                        self.read(instance, memory.reads[i].address)
                    }
                },
            };
        }
        match (signal.kind, self.open[instance].parent) {
            (SignalKind::Input, Some((parent, child))) => {
                let position = body.ports().position(|(p, _)| p == id);
                let position = position.expect("an input is a port");
                let mut nets = self.body(parent).child_nets(child as usize);
                let (net, _) = nets.nth(position).expect("a net for every port");
                self.signal(parent, net)
            }
            (SignalKind::Input, None) => {
                let port = self.flat.ports.iter().position(|p| p.name == signal.name);
                let port = port.expect("an input of the top is a port") as u32;
                let nodes = pieces(signal.width).enumerate().map(|(word, (_, piece))| {
                    let word = word as u32;
                    self.flat.graph.put(Op::Input { port, word }, piece)
                });
                Ok(Value {
                    parts: nodes.collect(),
                    width: signal.width,
                })
            }
            (
                SignalKind::Child {
                    child,
                    direction: Direction::Output,
                },
                _,
            ) => {
                let mut nets = body.child_nets(child as usize);
                let position = nets.position(|(n, _)| n == id).expect("a net of the child");
                let below = self.open[instance].children[child as usize];
                let (port, _) = self.body(below).ports().nth(position).expect("a port");
                self.signal(below, port)
            }
            _ => unreachable!("{}: undriven, against the checks", signal.name),
        }
    }

    /// Runs statements, for one signal or for all: `values` has what was assigned before and gets what
    /// they assign. Of a process only what one signal needs is run: the others may depend on it.
    fn execute(
        &mut self,
        instance: usize,
        statements: &[Stmt],
        only: Option<SignalId>,
        values: &mut HashMap<SignalId, Value>,
    ) -> Result<(), FlatError> {
        for statement in statements {
            match statement {
                Stmt::Set(s, e) => {
                    if only.is_none_or(|o| o == *s) {
                        let value = self.expr(instance, *e)?;
                        values.insert(*s, value);
                    }
                }
                Stmt::If(c, yes, no) => {
                    let mut assigned = vec![];
                    statement.targets(&mut |s| {
                        if only.is_none_or(|o| o == s) {
                            assigned.push(s);
                        }
                    });
                    assigned.sort_unstable();
                    assigned.dedup();
                    if assigned.is_empty() {
                        continue;
                    }
                    let condition = self.expr(instance, *c)?.parts[0];
                    // What it does not assign is not of interest within it.
                    let before = |s: &SignalId| Some((*s, values.get(s)?.clone()));
                    let mut then: HashMap<_, _> = assigned.iter().filter_map(before).collect();
                    let mut otherwise = then.clone();
                    self.execute(instance, yes, only, &mut then)?;
                    self.execute(instance, no, only, &mut otherwise)?;
                    self.own(instance);
                    for s in assigned {
                        let value = match (then.get(&s), otherwise.get(&s)) {
                            (Some(a), Some(b)) => self.choose(condition, a, b),
                            // Assigned again on every path below: what it is here, nobody sees.
                            (Some(a), None) | (None, Some(a)) => a.clone(),
                            (None, None) => continue,
                        };
                        values.insert(s, value);
                    }
                }
            }
        }
        Ok(())
    }

    /// The value of an expression.
    fn expr(&mut self, instance: usize, id: ExprId) -> Result<Value, FlatError> {
        if let Some(value) = &self.open[instance].exprs[id.0 as usize] {
            return Ok(value.clone());
        }
        let body = self.body(instance);
        let expr = body.expr(id);
        let width = expr.width;
        let mut operands = vec![];
        expr.kind.operands(|o| operands.push(o));
        for operand in operands {
            self.expr(instance, operand)?;
        }
        self.own(instance);
        let value = match &expr.kind {
            Kind::Signal(s) => self.signal(instance, *s)?,
            Kind::Lit(v) => self.constant(width, *v),
            Kind::Cat(parts) => {
                let mut nodes = vec![];
                for part in parts.iter().rev() {
                    nodes.extend(self.expr(instance, *part)?.parts);
                }
                self.joined(nodes)
            }
            Kind::Repeat(n, a) => {
                let a = self.expr(instance, *a)?;
                if a.width == 1 {
                    let graph = &mut self.flat.graph;
                    let bits = pieces(width).map(|(_, piece)| graph.repeat(a.parts[0], piece));
                    let parts = bits.collect();
                    Value { parts, width }
                } else {
                    self.joined(a.parts.repeat(*n as usize))
                }
            }
            Kind::Slice(a, lo) => {
                let a = self.expr(instance, *a)?;
                self.slice(&a, *lo, width)
            }
            Kind::Select(a, index) => {
                let a = self.expr(instance, *a)?;
                let index = self.expr(instance, *index)?;
                self.select(&a, &index, width)
            }
            Kind::Not(a) => {
                let a = self.expr(instance, *a)?;
                let graph = &mut self.flat.graph;
                let parts = a.parts.iter().map(|p| graph.not(*p)).collect();
                Value { parts, width }
            }
            Kind::Any(a) => {
                let a = self.expr(instance, *a)?;
                one(self.any(&a))
            }
            Kind::All(a) => {
                let a = self.expr(instance, *a)?;
                one(self.all(&a))
            }
            Kind::Mux(c, a, b) => {
                let c = self.expr(instance, *c)?.parts[0];
                let (a, b) = (self.expr(instance, *a)?, self.expr(instance, *b)?);
                self.choose(c, &a, &b)
            }
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.expr(instance, *a)?, self.expr(instance, *b)?);
                self.binary(instance, *op, &a, &b)?
            }
        };
        debug_assert_eq!(value.width, width);
        self.open[instance].exprs[id.0 as usize] = Some(value.clone());
        Ok(value)
    }

    fn binary(
        &mut self,
        instance: usize,
        op: Binary,
        a: &Value,
        b: &Value,
    ) -> Result<Value, FlatError> {
        match op {
            Binary::And => return Ok(self.pairwise(a, b, Graph::and)),
            Binary::Or => return Ok(self.pairwise(a, b, Graph::or)),
            Binary::Xor => return Ok(self.xor(a, b)),
            Binary::Eq | Binary::Ne if a.width > 64 => {
                let difference = self.xor(a, b);
                let differ = self.any(&difference);
                return Ok(one(match op {
                    Binary::Ne => differ,
                    _ => self.flat.graph.not(differ),
                }));
            }
            Binary::Shl | Binary::Shr => return Ok(self.shift(op, a, b)),
            Binary::Add | Binary::Sub if a.width > 64 => return Ok(self.ripple(op, a, b)),
            Binary::Lt if a.width > 64 => return Ok(one(self.less(a, b, false))),
            Binary::Gt if a.width > 64 => return Ok(one(self.less(b, a, false))),
            Binary::Le if a.width > 64 => return Ok(one(self.less(a, b, true))),
            Binary::Ge if a.width > 64 => return Ok(one(self.less(b, a, true))),
            Binary::LtSigned if a.width > 64 => {
                // Two's complement in order is unsigned with the sign inverted.
                let mut sign = self.constant(a.width - 1, 0).parts;
                sign.push(self.flat.graph.lit(1, 1));
                let sign = self.joined(sign);
                let (x, y) = (self.xor(a, &sign), self.xor(b, &sign));
                return Ok(one(self.less(&x, &y, false)));
            }
            _ => {}
        }
        if a.width > 64 {
            return Err(FlatError::Wide {
                path: self.path(instance).into(),
                what: op.symbol(),
                width: a.width,
            });
        }
        let (x, y) = (a.parts[0], b.parts[0]);
        let graph = &mut self.flat.graph;
        let node = match op {
            Binary::Add => graph.add(x, y),
            Binary::Sub => graph.sub(x, y),
            Binary::Mul | Binary::MulSigned => graph.mul(x, y),
            Binary::Eq => graph.eq(x, y),
            Binary::Ne => graph.ne(x, y),
            Binary::Lt => graph.lt(x, y),
            Binary::Gt => graph.lt(y, x),
            Binary::Le => graph.le(x, y),
            Binary::Ge => graph.le(y, x),
            Binary::LtSigned => {
                // Two's complement in order is unsigned with the sign inverted.
                let width = graph.width(x);
                let sign = graph.lit(width, 1 << (width - 1));
                let (x, y) = (graph.xor(x, sign), graph.xor(y, sign));
                graph.lt(x, y)
            }
            Binary::And | Binary::Or | Binary::Xor | Binary::Shl | Binary::Shr => {
                unreachable!("done above")
            }
        };
        Ok(match op.is_comparison() {
            true => one(node),
            false => Value {
                parts: vec![node],
                width: a.width,
            },
        })
    }

    /// A constant; bits above 128 are zero.
    fn constant(&mut self, width: u32, value: u128) -> Value {
        let parts = pieces(width).map(|(lo, piece)| {
            let word = value.checked_shr(lo).unwrap_or(0) as u64;
            self.flat.graph.lit(piece, word)
        });
        Value {
            parts: parts.collect(),
            width,
        }
    }

    /// Nodes side by side, one node where they fit.
    fn joined(&mut self, parts: Vec<NodeId>) -> Value {
        let graph = &mut self.flat.graph;
        let width = parts.iter().map(|p| u32::from(graph.width(*p))).sum();
        let parts = match width {
            0..=64 => vec![graph.cat(&parts)],
            _ => parts,
        };
        Value { parts, width }
    }

    fn slice(&mut self, a: &Value, lo: u32, width: u32) -> Value {
        let mut parts = vec![];
        let mut at = 0;
        for part in &a.parts {
            let end = at + u32::from(self.flat.graph.width(*part));
            let (from, to) = (lo.max(at), (lo + width).min(end));
            if from < to {
                let (from, width) = ((from - at) as u8, (to - from) as u8);
                parts.push(self.flat.graph.slice(*part, from, width));
            }
            at = end;
        }
        self.joined(parts)
    }

    /// Two values cut at the borders of both.
    fn aligned(&mut self, a: &Value, b: &Value) -> Vec<(NodeId, NodeId)> {
        if a.width <= 64 {
            return vec![(a.parts[0], b.parts[0])];
        }
        let mut cuts = vec![];
        for value in [a, b] {
            let mut at = 0;
            for part in &value.parts {
                at += u32::from(self.flat.graph.width(*part));
                cuts.push(at);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut from = 0;
        let mut pairs = vec![];
        for to in cuts {
            let (x, y) = (
                self.slice(a, from, to - from),
                self.slice(b, from, to - from),
            );
            pairs.push((x.parts[0], y.parts[0]));
            from = to;
        }
        pairs
    }

    fn pairwise(
        &mut self,
        a: &Value,
        b: &Value,
        f: fn(&mut Graph, NodeId, NodeId) -> NodeId,
    ) -> Value {
        let pairs = self.aligned(a, b);
        let graph = &mut self.flat.graph;
        Value {
            parts: pairs.into_iter().map(|(x, y)| f(graph, x, y)).collect(),
            width: a.width,
        }
    }

    fn choose(&mut self, condition: NodeId, yes: &Value, no: &Value) -> Value {
        match self.flat.graph.constant(condition) {
            Some(0) => return no.clone(),
            Some(_) => return yes.clone(),
            None if yes == no => return yes.clone(),
            None => {}
        }
        let pairs = self.aligned(yes, no);
        let graph = &mut self.flat.graph;
        let parts = pairs.into_iter().map(|(y, n)| graph.mux(condition, y, n));
        Value {
            parts: parts.collect(),
            width: yes.width,
        }
    }

    fn any(&mut self, a: &Value) -> NodeId {
        let graph = &mut self.flat.graph;
        let mut any = graph.lit(1, 0);
        for part in &a.parts {
            let zero = graph.lit(graph.width(*part), 0);
            let some = graph.ne(*part, zero);
            any = graph.or(any, some);
        }
        any
    }

    fn all(&mut self, a: &Value) -> NodeId {
        let graph = &mut self.flat.graph;
        let mut all = graph.lit(1, 1);
        for part in &a.parts {
            let ones = graph.lit(graph.width(*part), u64::MAX);
            let full = graph.eq(*part, ones);
            all = graph.and(all, full);
        }
        all
    }

    /// `width` bits from bit `index`; bits beyond the end are zero.
    fn select(&mut self, a: &Value, index: &Value, width: u32) -> Value {
        let shifted = self.shift(Binary::Shr, a, index);
        self.slice(&shifted, 0, width)
    }

    /// A shift by a distance of any width.
    fn shift(&mut self, op: Binary, a: &Value, by: &Value) -> Value {
        let low = by.parts[0];
        let shifted = match (a.width, op) {
            (0..=64, Binary::Shl) => self.of_one(a, |graph, x| graph.shl(x, low)),
            (0..=64, _) => self.of_one(a, |graph, x| graph.shr(x, low)),
            _ => self.shift_wide(op, a, low),
        };
        if by.parts.len() == 1 {
            return shifted;
        }
        let beyond = Value {
            parts: by.parts[1..].to_vec(),
            width: by.width,
        };
        let beyond = self.any(&beyond);
        let nothing = self.constant(a.width, 0);
        self.choose(beyond, &nothing, &shifted)
    }

    fn of_one(&mut self, a: &Value, f: impl Fn(&mut Graph, NodeId) -> NodeId) -> Value {
        Value {
            parts: vec![f(&mut self.flat.graph, a.parts[0])],
            width: a.width,
        }
    }

    /// A shift of more than 64 bits: a choice for every bit of the distance.
    fn shift_wide(&mut self, op: Binary, a: &Value, by: NodeId) -> Value {
        let mut value = a.clone();
        for bit in 0..self.flat.graph.width(by) {
            let condition = self.flat.graph.slice(by, bit, 1);
            // The lower bits of the index of a word are zero: its borders stay.
            if self.flat.graph.constant(condition) == Some(0) {
                continue;
            }
            let distance = 1u32.checked_shl(bit.into()).filter(|d| *d < a.width);
            let moved = match distance {
                None => self.constant(a.width, 0),
                Some(d) => {
                    let rest = a.width - d;
                    let zeros = self.constant(d, 0);
                    let (low, high) = match op {
                        Binary::Shl => (zeros, self.slice(&value, 0, rest)),
                        _ => (self.slice(&value, d, rest), zeros),
                    };
                    self.joined([low.parts, high.parts].concat())
                }
            };
            value = self.choose(condition, &moved, &value);
        }
        value
    }

    fn xor(&mut self, a: &Value, b: &Value) -> Value {
        self.pairwise(a, b, Graph::xor)
    }

    /// Whether `a` is less than `b`, or not more where `or_equal`, part by part.
    fn less(&mut self, a: &Value, b: &Value, or_equal: bool) -> NodeId {
        let pairs = self.aligned(a, b);
        let graph = &mut self.flat.graph;
        let mut less = graph.lit(1, or_equal.into());
        for (x, y) in pairs {
            let (below, same) = (graph.lt(x, y), graph.eq(x, y));
            let less_below = graph.and(same, less);
            less = graph.or(below, less_below);
        }
        less
    }

    /// A sum or difference of more than 64 bits, word by word.
    fn ripple(&mut self, op: Binary, a: &Value, b: &Value) -> Value {
        let mut parts = vec![];
        let mut carry = self.flat.graph.lit(1, 0);
        for (lo, width) in pieces(a.width) {
            let x = self.slice(a, lo, width.into()).parts[0];
            let y = self.slice(b, lo, width.into()).parts[0];
            let graph = &mut self.flat.graph;
            let carried = graph.zext(carry, width);
            let (sum, over) = match op {
                Binary::Add => {
                    let first = graph.add(x, y);
                    let sum = graph.add(first, carried);
                    let (c, d) = (graph.lt(first, x), graph.lt(sum, first));
                    (sum, graph.or(c, d))
                }
                _ => {
                    let first = graph.sub(x, y);
                    let sum = graph.sub(first, carried);
                    let (c, d) = (graph.lt(x, y), graph.lt(first, carried));
                    (sum, graph.or(c, d))
                }
            };
            parts.push(sum);
            carry = over;
        }
        Value {
            parts,
            width: a.width,
        }
    }
}

fn one(node: NodeId) -> Value {
    Value {
        parts: vec![node],
        width: 1,
    }
}

fn reset_of(kind: SignalKind) -> Option<u64> {
    match kind {
        SignalKind::Reg { reset } => reset,
        _ => None,
    }
}

/// First bit and width of every 64 bits of something `width` bits wide.
fn pieces(width: u32) -> impl Iterator<Item = (u32, u8)> {
    (0..width)
        .step_by(64)
        .map(move |lo| (lo, (width - lo).min(64) as u8))
}

impl Flat {
    /// The same chip without nodes that nothing reads.
    fn pruned(self) -> Self {
        let mut live = vec![false; self.graph.nodes().len()];
        let mut open: Vec<NodeId> = vec![];
        open.extend(self.regs.iter().map(|r| r.next));
        open.extend(self.outputs.iter().flat_map(|(_, nodes)| nodes));
        let taps = (0..).map(NodeId).zip(self.graph.nodes());
        open.extend(taps.filter_map(|(id, n)| matches!(n.op, Op::Tap { .. }).then_some(id)));
        for write in self.mems.iter().flat_map(|m| &m.writes) {
            open.extend([write.enable, write.address, write.data]);
        }
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut live[node.0 as usize], true) {
                let op = self.graph.node(node).op;
                self.graph.operands(op, |o| open.push(o));
            }
        }
        let mut graph = Graph::default();
        let mut to: Vec<Option<NodeId>> = vec![None; live.len()];
        for (i, node) in self.graph.nodes().iter().enumerate() {
            // A register's own node stays: it is how its value is named.
            if live[i] || matches!(node.op, Op::Reg(_)) {
                let id = graph.copy(NodeId(i as u32), &self.graph, |n| {
                    to[n.0 as usize].expect("operands stand before")
                });
                to[i] = Some(id);
            }
        }
        let to = |n: NodeId| to[n.0 as usize].expect("live");
        let reg = |r: Reg| Reg {
            next: to(r.next),
            ..r
        };
        let mem = |m: Mem| {
            let writes = m.writes.into_iter().map(|w| Write {
                enable: to(w.enable),
                address: to(w.address),
                data: to(w.data),
                ..w
            });
            Mem {
                writes: writes.collect(),
                ..m
            }
        };
        let outputs = self.outputs.into_iter();
        Flat {
            graph,
            regs: self.regs.into_iter().map(reg).collect(),
            mems: self.mems.into_iter().map(mem).collect(),
            outputs: outputs
                .map(|(port, nodes)| (port, nodes.into_iter().map(to).collect()))
                .collect(),
            ports: self.ports,
            sites: self.sites,
            instances: self.instances,
        }
    }
}
