//! The module of placed cells.

use super::boundary::Boundary;
use super::graph::{self, Graph};
use super::table::table;
use super::{edges, live, reset, Netlist};
use crate::effect::{Change, Driver, Upset};
use crate::routed::{
    BlockRam, Carry, Cell, CellId, Enable, FlipFlop, Function, NetId, Pin, Routed, FACTOR, PORTS, TABLE,
};
use std::collections::{HashMap, HashSet};
use warpsmith_netlist::print::instance_label;
use warpsmith_netlist::read::identifier;
use warpsmith_netlist::{
    Binary, Body, ExprId, Kind, Memory, MemoryStyle, Module, Pool, ReadPort, Signal, SignalId, SignalKind, Stmt, Tree,
    WritePort,
};

/// Output of a switch.
const ON: &str = "on";

struct Build<'a> {
    routed: &'a Routed,
    body: Body,
    pool: Pool,
    taken: HashSet<String>,
    children: Vec<Tree>,
    /// What is read of nets.
    values: HashMap<NetId, ExprId>,
    /// Changes of cells, with the switch of each.
    changes: HashMap<CellId, Vec<(ExprId, &'a Change)>>,
    /// Registers of flip-flops and block RAMs.
    registers: HashMap<CellId, [Option<SignalId>; 2]>,
    /// Nets at memories, from the first port on: of block RAMs one for each port that reads.
    memories: HashMap<CellId, [Vec<SignalId>; 2]>,
    /// Nets of what tables give, by place and number.
    tables: HashMap<(crate::trellis::Place, u32), NetId>,
}

pub(super) fn netlist(chip: &Tree, routed: &Routed, boundary: &Boundary, upsets: &[&Upset]) -> Result<Netlist, String> {
    let live = live(routed, boundary);
    let mut graph = Graph::of(routed);
    for upset in upsets {
        if !graph.extended(&edges(routed, upset)) {
            return Err(format!("{} closes a loop without a register", upset.what));
        }
    }
    let order = graph::order(routed, &graph)?;
    let of_table = |(_, c): (CellId, &Cell)| match c.function {
        Function::Table { .. } => Some(((c.place, c.number), *c.nets.get(&Pin::of("F"))?)),
        _ => None,
    };
    let mut build = Build {
        routed,
        body: Body::default(),
        pool: Pool::default(),
        taken: HashSet::new(),
        children: vec![],
        values: HashMap::new(),
        changes: HashMap::new(),
        registers: HashMap::new(),
        memories: HashMap::new(),
        tables: routed.cells().filter_map(of_table).collect(),
    };
    let ports = build.ports(chip, boundary)?;
    let reset = routed.find(&boundary.reset).ok_or_else(|| format!("no flip-flop {}", boundary.reset))?;
    let reset = routed.cell(reset).nets.get(&Pin::of("Q")).copied();
    if let Some(net) = reset {
        let low = build.lit(false);
        build.values.insert(net, low);
    }
    build.registers(&live, &reset::values(routed, &order, reset));
    build.memories(&live);
    let sites = build.switches(upsets);
    build.held(&live);
    for id in order.iter().filter(|c| live[c.0 as usize]) {
        build.cell(*id);
    }
    let clocked: Vec<CellId> = routed.cells().map(|c| c.0).filter(|c| live[c.0 as usize]).collect();
    for id in clocked {
        match routed.cell(id).function {
            Function::FlipFlop(ff) => build.flip_flop(id, ff),
            Function::BlockRam(ram) => build.block_ram(id, ram),
            Function::RamBit => build.ram_bit(id),
            _ => {}
        }
    }
    build.outputs(boundary, &ports)?;
    build.body.exprs = build.pool.into_list();
    let module = module(chip.module.name.clone(), build.body);
    Ok(Netlist { tree: Tree { instance: chip.instance.clone(), module, children: build.children }, sites })
}

fn module(name: String, body: Body) -> Module {
    Module {
        name,
        source: "sim/cram/src/build/body.rs".into(),
        header: vec![],
        body,
        instances: 1,
        clock: false,
        reset: false,
    }
}

impl<'a> Build<'a> {
    fn signal(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        let mut name = name.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.body.add_signal(name, width, kind)
    }

    fn lit(&mut self, value: bool) -> ExprId {
        self.pool.intern(Kind::Lit(value.into()), 1)
    }

    fn whole(&mut self, signal: SignalId) -> ExprId {
        let width = self.body.signal(signal).width;
        self.pool.intern(Kind::Signal(signal), width)
    }

    fn bit(&mut self, signal: SignalId, bit: u32) -> ExprId {
        let all = self.whole(signal);
        match self.body.signal(signal).width {
            1 => all,
            _ => self.pool.intern(Kind::Slice(all, bit), 1),
        }
    }

    fn two(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.pool.intern(Kind::Binary(op, a, b), 1)
    }

    fn not(&mut self, a: ExprId) -> ExprId {
        match self.pool.list()[a.0 as usize].kind {
            Kind::Lit(v) => self.lit(v == 0),
            _ => self.pool.intern(Kind::Not(a), 1),
        }
    }

    /// `c ? yes : no`, with what a constant decides left out.
    fn mux(&mut self, c: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        let width = self.pool.list()[yes.0 as usize].width;
        match self.pool.list()[c.0 as usize].kind {
            Kind::Lit(v) => [no, yes][usize::from(v != 0)],
            _ if yes == no => yes,
            _ => self.pool.intern(Kind::Mux(c, yes, no), width),
        }
    }

    /// Bits side by side, bit 0 first.
    fn word(&mut self, mut bits: Vec<ExprId>) -> ExprId {
        bits.reverse();
        let width = bits.len() as u32;
        match bits[..] {
            [one] => one,
            _ => self.pool.intern(Kind::Cat(bits), width),
        }
    }

    /// Ports in the order of the chip, and inputs as what is read of their nets.
    fn ports(&mut self, chip: &Tree, boundary: &Boundary) -> Result<HashMap<String, SignalId>, String> {
        let mut ports = HashMap::new();
        for (_, port) in chip.module.body.ports() {
            let ends = if port.kind == SignalKind::Input { &boundary.inputs } else { &boundary.outputs };
            let of = ends.iter().find(|p| p.name == port.name && p.cells.len() == port.width as usize);
            let of = of
                .ok_or_else(|| format!("it has no port {} of {} bits: it is of another chip", port.name, port.width))?;
            let signal = self.signal(&port.name, port.width, port.kind);
            ports.insert(port.name.clone(), signal);
            if port.kind != SignalKind::Input {
                continue;
            }
            for (bit, name) in (0..).zip(&of.cells) {
                let cell = self.routed.find(name).ok_or_else(|| format!("no flip-flop {name}"))?;
                let value = self.bit(signal, bit);
                if let Some(net) = self.routed.cell(cell).nets.get(&Pin::of("Q")) {
                    self.values.insert(*net, value);
                }
            }
        }
        Ok(ports)
    }

    /// Registers of flip-flops and of what block RAMs read.
    fn registers(&mut self, live: &[bool], after_reset: &HashMap<CellId, bool>) {
        for (id, cell) in self.routed.cells().filter(|c| live[c.0 .0 as usize]) {
            let registers = match cell.function {
                Function::FlipFlop(_) => {
                    let net = cell.nets.get(&Pin::of("Q")).map_or(&cell.name, |n| &self.routed.net(*n).name);
                    let reset = after_reset.get(&id).map(|v| u64::from(*v));
                    [Some(self.signal(&identifier(net), 1, SignalKind::Reg { reset })), None]
                }
                Function::BlockRam(ram) => [0, 1].map(|port| {
                    let name = format!("{}_read_{}", identifier(&cell.name), ["a", "b"][port]);
                    ram.reads[port].then(|| self.signal(&name, ram.width, SignalKind::Reg { reset: None }))
                }),
                _ => continue,
            };
            self.registers.insert(id, registers);
        }
    }

    /// The register of a flip-flop.
    fn register(&self, id: CellId) -> SignalId {
        self.registers[&id][0].expect("a flip-flop has a register")
    }

    /// Adds an instance; the nets at its ports.
    fn child(&mut self, tree: Tree) -> Vec<SignalId> {
        let child = self.children.len() as u32;
        let ports: Vec<Signal> = tree.module.body.ports().map(|(_, p)| p.clone()).collect();
        let mut nets = vec![];
        for port in &ports {
            let s = Signal::at_port(child, &tree.instance, port);
            nets.push(self.signal(&s.name, s.width, s.kind));
        }
        self.children.push(tree);
        nets
    }

    fn memories(&mut self, live: &[bool]) {
        for (id, cell) in self.routed.cells().filter(|c| live[c.0 .0 as usize]) {
            let nets = match cell.function {
                // Constants can be there twice.
                Function::BlockRam(ram) => [0, 1].map(|port| match ram.reads[port] {
                    false => vec![],
                    true => {
                        let depth = 1 << ram.address();
                        let words = match ram.writes {
                            true => vec![],
                            false => (0..depth as usize).map(|i| ram.word(&cell.entries, i)).collect(),
                        };
                        let name = format!("{}_{}", identifier(&cell.name), ["a", "b"][port]);
                        self.child(memory(name, depth, ram.width, ram.granule(), words))
                    }
                }),
                Function::RamBit => [self.child(memory(identifier(&cell.name), 16, 1, 1, vec![])), vec![]],
                _ => continue,
            };
            self.memories.insert(id, nets);
        }
    }

    /// A switch for each upset; the paths of their fault sites.
    fn switches(&mut self, upsets: &[&'a Upset]) -> Vec<String> {
        let mut sites = vec![];
        for (number, upset) in upsets.iter().enumerate() {
            let instance = format!("flip_{number}");
            sites.push(format!("{}.{ON}", instance_label(&instance)));
            let net = self.child(switch(instance))[0];
            let on = self.whole(net);
            for change in &upset.changes {
                self.changes.entry(change.cell()).or_default().push((on, change));
            }
        }
        sites
    }

    /// Changes of a cell.
    fn changed(&self, id: CellId) -> Vec<(ExprId, &'a Change)> {
        self.changes.get(&id).cloned().unwrap_or_default()
    }

    /// Whether a change of a kind is on, if there is one.
    fn on(&mut self, id: CellId, of: impl Fn(&Change) -> bool) -> Option<ExprId> {
        let list: Vec<ExprId> = self.changed(id).into_iter().filter(|c| of(c.1)).map(|c| c.0).collect();
        list.into_iter().reduce(|a, b| self.two(Binary::Or, a, b))
    }

    /// What registers hold and memories read, as what is read of their nets.
    fn held(&mut self, live: &[bool]) {
        for (id, cell) in self.routed.cells().filter(|c| live[c.0 .0 as usize]) {
            match cell.function {
                Function::FlipFlop(_) => {
                    let value = self.visible(id);
                    self.drive(cell, Pin::of("Q"), value);
                }
                Function::BlockRam(ram) => {
                    for (port, register) in self.registers[&id].into_iter().enumerate() {
                        let Some(register) = register else { continue };
                        for bit in 0..ram.width {
                            let value = self.bit(register, bit);
                            self.drive(cell, ram.read(port, bit), value);
                        }
                    }
                }
                Function::RamBit => {
                    let value = self.whole(self.memories[&id][0][1]);
                    self.drive(cell, Pin::of("F"), value);
                }
                _ => {}
            }
        }
    }

    fn drive(&mut self, cell: &Cell, pin: Pin, value: ExprId) {
        if let Some(net) = cell.nets.get(&pin) {
            self.values.insert(*net, value);
        }
    }

    /// What a flip-flop gives: with a wrong set/reset value it holds the inverse, so that power-on is wrong too.
    fn visible(&mut self, id: CellId) -> ExprId {
        let held = self.whole(self.register(id));
        match self.on(id, |c| matches!(c, Change::Stored { .. })) {
            None => held,
            Some(on) => self.two(Binary::Xor, held, on),
        }
    }

    /// What is read of a net; what is around the chip is idle.
    fn net(&mut self, net: NetId) -> ExprId {
        match self.values.get(&net) {
            Some(value) => *value,
            None => self.lit(false),
        }
    }

    fn driver(&mut self, driver: Driver) -> ExprId {
        match driver {
            Driver::Constant(v) => self.lit(v),
            Driver::Net(net) => self.net(net),
        }
    }

    /// What an input pin reads.
    fn pin(&mut self, id: CellId, pin: Pin) -> ExprId {
        let cell = self.routed.cell(id);
        let mut value = match cell.nets.get(&pin) {
            Some(net) => self.net(*net),
            None => self.lit(cell.idle(pin)),
        };
        for (on, change) in self.changed(id) {
            let Change::Pin { pin: of, value: new, .. } = change else { continue };
            if *of != pin {
                continue;
            }
            let mut read = self.driver(new.driver);
            if let Some((second, wins)) = new.second {
                let second = self.driver(second);
                read = self.two(if wins { Binary::Or } else { Binary::And }, read, second);
            }
            let new = if new.inverted { self.not(read) } else { read };
            value = self.mux(on, new, value);
        }
        value
    }

    fn pins(&mut self, id: CellId, pins: impl IntoIterator<Item = Pin>) -> Vec<ExprId> {
        pins.into_iter().map(|pin| self.pin(id, pin)).collect()
    }

    /// A cell whose outputs depend on its inputs at once.
    fn cell(&mut self, id: CellId) {
        let cell = self.routed.cell(id);
        match cell.function {
            Function::Table { entries, carry } => self.table(id, entries, carry),
            Function::RamWrite => {
                // Data and address of the write port, as the inputs of two tables.
                for (from, to) in [
                    ("C1", "WDO0"),
                    ("A1", "WDO1"),
                    ("D1", "WDO2"),
                    ("B1", "WDO3"),
                    ("D0", "WADO0"),
                    ("B0", "WADO1"),
                    ("C0", "WADO2"),
                    ("A0", "WADO3"),
                ] {
                    let value = self.pin(id, Pin::parse(from).expect("a pin"));
                    self.drive(cell, Pin::parse(to).expect("a pin"), value);
                }
            }
            Function::Multiplier => {
                let factor = |build: &mut Self, bus: &str, signed: &str| {
                    let mut bits = build.pins(id, (0..FACTOR).map(|i| Pin::bit(bus, i)));
                    let signed = build.pin(id, Pin::of(signed));
                    let sign = build.two(Binary::And, signed, bits[FACTOR as usize - 1]);
                    bits.resize(2 * FACTOR as usize, sign);
                    build.word(bits)
                };
                let (a, b) = (factor(self, "A", "SIGNEDA"), factor(self, "B", "SIGNEDB"));
                let product = self.pool.intern(Kind::Binary(Binary::Mul, a, b), 2 * FACTOR);
                let wire = self.signal(&format!("{}_product", identifier(&cell.name)), 2 * FACTOR, SignalKind::Wire);
                self.body.wires.push((wire, product));
                for bit in 0..2 * FACTOR {
                    let value = self.bit(wire, bit);
                    self.drive(cell, Pin::bit("P", bit), value);
                }
            }
            // Address of a bit: of the four tables that hold a word, each reads for itself.
            Function::RamBit => {
                let address = self.pins(id, [TABLE[3], TABLE[1], TABLE[2], TABLE[0]]);
                let address = self.word(address);
                self.body.assigns.push((self.memories[&id][0][0], address));
            }
            _ => {}
        }
    }

    fn table(&mut self, id: CellId, entries: u16, carry: Option<Carry>) {
        let cell = self.routed.cell(id);
        let inputs = self.pins(id, TABLE);
        let mut value = table(&mut self.pool, entries.into(), &inputs);
        // Of half an adder the product of its first two inputs.
        let mut product = carry.map(|_| table(&mut self.pool, u64::from(entries & 15), &inputs[..2]));
        for (on, change) in self.changed(id) {
            let Change::Entry { table, product: of_product, .. } = change else { continue };
            let at = |build: &mut Self, when: &[(usize, bool)]| {
                when.iter().fold(on, |all, (pin, v)| {
                    let input = if *v { inputs[*pin] } else { build.not(inputs[*pin]) };
                    build.two(Binary::And, all, input)
                })
            };
            if let Some(when) = table {
                let wrong = at(self, when);
                value = self.two(Binary::Xor, value, wrong);
            }
            if let (Some(before), Some(when)) = (product, of_product) {
                let wrong = at(self, when);
                product = Some(self.two(Binary::Xor, before, wrong));
            }
        }
        let Some(carry) = carry else { return self.named(cell, Pin::of("F"), value) };
        let (product, into) = (product.expect("of half an adder"), self.pin(id, Pin::of("FCI")));
        let sum = self.two(Binary::Xor, value, into);
        let low = self.lit(false);
        let of = |build: &mut Self, apart: bool| {
            let product = if apart { low } else { product };
            (if apart { value } else { sum }, build.mux(value, into, product))
        };
        let (mut f, mut out) = of(self, carry.apart);
        if let Some(on) = self.on(id, |c| matches!(c, Change::Inject { .. })) {
            let other = of(self, !carry.apart);
            (f, out) = (self.mux(on, other.0, f), self.mux(on, other.1, out));
        }
        self.named(cell, Pin::of("F"), f);
        self.named(cell, Pin::of("FCO"), out);
    }

    /// Gives a net a value as a named wire.
    fn named(&mut self, cell: &Cell, pin: Pin, value: ExprId) {
        let Some(net) = cell.nets.get(&pin) else { return };
        let value = match self.pool.list()[value.0 as usize].kind {
            Kind::Lit(_) | Kind::Signal(_) => value,
            _ => {
                let wire = self.signal(&identifier(&self.routed.net(*net).name), 1, SignalKind::Wire);
                self.body.wires.push((wire, value));
                self.whole(wire)
            }
        };
        self.values.insert(*net, value);
    }

    /// Whether a cell's clock runs, if there is a change that stops it.
    fn running(&mut self, id: CellId) -> Option<ExprId> {
        let on = self.on(id, |c| matches!(c, Change::Stopped { .. }))?;
        Some(self.not(on))
    }

    fn flip_flop(&mut self, id: CellId, ff: FlipFlop) {
        let cell = self.routed.cell(id);
        let register = self.register(id);
        let now = self.visible(id);
        let [di, m] = super::DATA.map(|pin| self.pin(id, pin));
        let mut data = if ff.table { di } else { m };
        if let Some(on) = self.on(id, |c| matches!(c, Change::Data { .. })) {
            let other = match (ff.table, self.tables.get(&(cell.place, cell.number)).copied()) {
                (true, _) => m,
                (false, Some(net)) => self.net(net),
                // A table that nothing uses is all ones.
                (false, None) => self.lit(true),
            };
            data = self.mux(on, other, data);
        }
        let enable = match ff.enable {
            Enable::Always | Enable::High => self.pin(id, Pin::of("CE")),
            Enable::Low => {
                let pin = self.pin(id, Pin::of("CE"));
                self.not(pin)
            }
            Enable::Never => self.lit(false),
        };
        let set = self.pin(id, Pin::of("LSR"));
        let mut value = self.lit(ff.set);
        if let Some(on) = self.on(id, |c| matches!(c, Change::Preload { .. })) {
            value = self.mux(on, m, value);
        }
        let stored = self.on(id, |c| matches!(c, Change::Stored { .. }));
        if let Some(on) = stored {
            value = self.two(Binary::Xor, value, on);
        }
        let next = self.mux(enable, data, now);
        let mut next = self.mux(set, value, next);
        if let Some(on) = stored {
            next = self.two(Binary::Xor, next, on);
        }
        if let Some(running) = self.running(id) {
            let held = self.whole(register);
            next = self.mux(running, next, held);
        }
        self.body.clocked.push(Stmt::Set(register, next));
    }

    fn ram_bit(&mut self, id: CellId) {
        let address = self.pins(id, (0..4).map(|i| Pin::bit("WAD", i)));
        let address = self.word(address);
        let (data, mut enable) = (self.pin(id, Pin::of("WD")), self.pin(id, Pin::of("WRE")));
        if let Some(running) = self.running(id) {
            enable = self.two(Binary::And, enable, running);
        }
        self.written(id, 0, address, data, enable);
    }

    fn written(&mut self, id: CellId, port: usize, address: ExprId, data: ExprId, enable: ExprId) {
        let nets = &self.memories[&id][port][2..];
        let all: Vec<(SignalId, ExprId)> = nets.iter().copied().zip([address, data, enable]).collect();
        self.body.assigns.extend(all);
    }

    fn block_ram(&mut self, id: CellId, ram: BlockRam) {
        let running = self.running(id);
        let chosen = |build: &mut Self, port: usize| {
            let [_, enable, select, _] = PORTS[port];
            let mut on = build.pin(id, Pin::of(enable));
            for bit in 0..3 {
                let pin = build.pin(id, Pin::bit(select, bit));
                let low = build.not(pin);
                on = build.two(Binary::And, on, low);
            }
            running.map_or(on, |r| build.two(Binary::And, on, r))
        };
        let address = |build: &mut Self, port: usize| {
            let bits = build.pins(id, (ram.skipped()..14).map(|i| Pin::bit(PORTS[port][3], i)));
            build.word(bits)
        };
        if ram.writes && ram.reads[1] {
            let (on, write) = (chosen(self, 0), self.pin(id, Pin::of("WEA")));
            let write = self.two(Binary::And, on, write);
            let mut enables = vec![];
            for part in 0..ram.width / ram.granule() {
                let enable = match ram.width >= 18 {
                    true => {
                        let pin = self.pin(id, Pin::bit("ADA", part));
                        self.two(Binary::And, write, pin)
                    }
                    false => write,
                };
                enables.push(enable);
            }
            let data = self.pins(id, (0..ram.width).map(|i| ram.written(i)));
            let (address, data, enable) = (address(self, 0), self.word(data), self.word(enables));
            self.written(id, 1, address, data, enable);
        }
        for (port, register) in self.registers[&id].into_iter().enumerate() {
            let Some(register) = register else { continue };
            let (ra, rd) = (self.memories[&id][port][0], self.memories[&id][port][1]);
            let (address, reads) = (address(self, port), chosen(self, port));
            self.body.assigns.push((ra, address));
            let (word, held) = (self.whole(rd), self.whole(register));
            let next = self.mux(reads, word, held);
            self.body.clocked.push(Stmt::Set(register, next));
        }
    }

    /// Outputs: what the flip-flops around the chip take.
    fn outputs(&mut self, boundary: &Boundary, ports: &HashMap<String, SignalId>) -> Result<(), String> {
        for port in &boundary.outputs {
            let Some(signal) = ports.get(&port.name) else { continue };
            let mut bits = vec![];
            for name in &port.cells {
                let id = self.routed.find(name).ok_or_else(|| format!("no flip-flop {name}"))?;
                let Function::FlipFlop(ff) = self.routed.cell(id).function else {
                    return Err(format!("{name} is no flip-flop"));
                };
                bits.push(self.pin(id, super::DATA[usize::from(!ff.table)]));
            }
            let value = self.word(bits);
            self.body.assigns.push((*signal, value));
        }
        Ok(())
    }
}

/// A memory that is read without a clock: ports `ra`, `rd`, and, where it has no constant words, `wa`, `wd`, `we`.
fn memory(instance: String, depth: u32, width: u32, granule: u32, words: Vec<u64>) -> Tree {
    let mut body = Body::default();
    let address = depth.trailing_zeros();
    let constant = !words.is_empty();
    let mut port = |name: &str, width, kind| body.add_signal(name.into(), width, kind);
    let read = ReadPort {
        address: port("ra", address, SignalKind::Input),
        enable: None,
        data: port("rd", width, SignalKind::Output),
    };
    let mut write = || WritePort {
        address: port("wa", address, SignalKind::Input),
        data: port("wd", width, SignalKind::Input),
        enable: port("we", width / granule, SignalKind::Input),
    };
    let write = (!constant).then(&mut write);
    let name = format!("{}_{depth}x{width}", if constant { "rom" } else { "mem" });
    body.memory = Some(Memory {
        depth,
        width,
        granule: if constant { width } else { granule },
        style: MemoryStyle::Lut,
        rdw_dont_care: false,
        zeroed: false,
        reads: vec![read],
        write,
        words,
    });
    Tree { instance, module: module(name, body), children: vec![] }
}

/// A bit that is 0 unless a fault says otherwise.
fn switch(instance: String) -> Tree {
    let mut body = Body::default();
    let mut pool = Pool::default();
    let on = body.add_signal(ON.into(), 1, SignalKind::Output);
    body.assigns.push((on, pool.intern(Kind::Lit(0), 1)));
    body.exprs = pool.into_list();
    Tree { instance, module: module("cram_switch".into(), body), children: vec![] }
}
