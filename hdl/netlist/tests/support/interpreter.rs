//! A design read as it is written: bit by bit, instance by instance, until nothing changes any more.

use std::collections::HashMap;
use warpsmith_contract::Direction;
use warpsmith_netlist::{Binary, Design, ExprId, Kind, MemoryStyle, Module, SignalId, SignalKind, Stmt};

/// A value, least significant bit first.
pub type Bits = Vec<bool>;

/// `width` bits of a number.
pub fn bits(value: u128, width: usize) -> Bits {
    (0..width).map(|i| i < 128 && value >> i & 1 != 0).collect()
}

fn number(bits: &[bool]) -> usize {
    let ones = bits.iter().enumerate().filter(|(_, b)| **b);
    ones.map(|(i, _)| 1usize.checked_shl(i as u32).unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
}

/// An instance and everything below it.
pub struct Machine<'a> {
    module: &'a Module,
    signals: Vec<Bits>,
    memory: Vec<Bits>,
    /// Registers behind synchronous read ports.
    held: Vec<Bits>,
    children: Vec<Machine<'a>>,
}

impl<'a> Machine<'a> {
    /// The chip, everything zero.
    pub fn new(design: &'a Design) -> Self {
        Self::of(design, design.top())
    }

    fn of(design: &'a Design, module: &'a Module) -> Self {
        let body = &module.body;
        let zero = |width: u32| vec![false; width as usize];
        let memory = body.memory.as_ref();
        let words = memory.map_or(vec![], |m| {
            let word = |i: usize| bits(m.words.get(i).map_or(0, |w| u128::from(*w)), m.width as usize);
            (0..m.depth as usize).map(word).collect()
        });
        let held = memory.map_or(vec![], |m| m.reads.iter().map(|_| zero(m.width)).collect());
        let children = body.children.iter();
        Machine {
            module,
            signals: body.signals.iter().map(|s| zero(s.width)).collect(),
            memory: words,
            held,
            children: children.map(|c| Self::of(design, design.module(c.module))).collect(),
        }
    }

    /// Sets an input of the top.
    pub fn drive(&mut self, port: &str, value: Bits) {
        let (id, _) = self.port(port);
        self.signals[id.0 as usize] = value;
    }

    /// A port of the top.
    pub fn value(&self, port: &str) -> &Bits {
        &self.signals[self.port(port).0 .0 as usize]
    }

    fn port(&self, name: &str) -> (SignalId, u32) {
        let mut ports = self.module.body.ports();
        let (id, s) = ports.find(|(_, s)| s.name == name).expect("a port");
        (id, s.width)
    }

    /// Computes everything until nothing changes.
    pub fn settle(&mut self) {
        for _ in 0..1000 {
            let before = self.everything();
            self.pass();
            if self.everything() == before {
                return;
            }
        }
        panic!("it never settles");
    }

    fn everything(&self) -> Vec<Bits> {
        let mut all = self.signals.clone();
        for child in &self.children {
            all.extend(child.everything());
        }
        all
    }

    fn pass(&mut self) {
        let body = &self.module.body;
        for (s, e) in body.wires.iter().chain(&body.assigns) {
            self.signals[s.0 as usize] = self.expr(*e);
        }
        for process in &body.processes {
            let mut values = HashMap::new();
            self.run(process, &mut values);
            for (s, v) in values {
                self.signals[s.0 as usize] = v;
            }
        }
        if let Some(m) = &body.memory {
            for (i, read) in m.reads.iter().enumerate() {
                let word = match m.style {
                    MemoryStyle::Lut => self.word(read.address),
                    _ => self.held[i].clone(),
                };
                self.signals[read.data.0 as usize] = word;
            }
        }
        for (i, child) in self.children.iter_mut().enumerate() {
            let ports: Vec<SignalId> = child.module.body.ports().map(|(id, _)| id).collect();
            let nets: Vec<(SignalId, SignalKind)> = body.child_nets(i).map(|(id, s)| (id, s.kind)).collect();
            let input = |k: SignalKind| matches!(k, SignalKind::Child { direction: Direction::Input, .. });
            for (port, (net, kind)) in ports.iter().zip(&nets) {
                if input(*kind) {
                    child.signals[port.0 as usize] = self.signals[net.0 as usize].clone();
                }
            }
            child.pass();
            for (port, (net, kind)) in ports.iter().zip(&nets) {
                if !input(*kind) {
                    self.signals[net.0 as usize] = child.signals[port.0 as usize].clone();
                }
            }
        }
    }

    fn word(&self, address: SignalId) -> Bits {
        let m = self.module.body.memory.as_ref().expect("a memory");
        let address = number(&self.signals[address.0 as usize]);
        let word = self.memory.get(address).cloned();
        word.unwrap_or_else(|| vec![false; m.width as usize])
    }

    fn run(&self, list: &[Stmt], values: &mut HashMap<SignalId, Bits>) {
        for statement in list {
            match statement {
                Stmt::Set(s, e) => {
                    values.insert(*s, self.expr(*e));
                }
                Stmt::If(c, yes, no) => {
                    let taken = if self.expr(*c)[0] { yes } else { no };
                    self.run(taken, values);
                }
            }
        }
    }

    /// The clock edge, after [`Machine::settle`].
    pub fn edge(&mut self, reset: bool) {
        let body = &self.module.body;
        let mut next = HashMap::new();
        self.run(&body.clocked, &mut next);
        for (id, s) in body.registers() {
            if let (SignalKind::Reg { reset: Some(v) }, true) = (s.kind, reset) {
                next.insert(id, bits(v.into(), s.width as usize));
            }
        }
        if let Some(m) = &body.memory {
            let words: Vec<Bits> = m.reads.iter().map(|r| self.word(r.address)).collect();
            for (i, read) in m.reads.iter().enumerate() {
                if read.enable.is_none_or(|e| self.signals[e.0 as usize][0]) {
                    self.held[i] = words[i].clone();
                }
            }
            if let Some(w) = &m.write {
                let address = number(&self.signals[w.address.0 as usize]);
                let data = &self.signals[w.data.0 as usize];
                let enable = &self.signals[w.enable.0 as usize];
                if let Some(word) = self.memory.get_mut(address) {
                    for (i, bit) in word.iter_mut().enumerate() {
                        if enable[i / m.granule as usize] {
                            *bit = data[i];
                        }
                    }
                }
            }
        }
        for (s, v) in next {
            self.signals[s.0 as usize] = v;
        }
        for child in &mut self.children {
            child.edge(reset);
        }
    }

    fn expr(&self, e: ExprId) -> Bits {
        let expr = self.module.body.expr(e);
        let width = expr.width as usize;
        match &expr.kind {
            Kind::Signal(s) => self.signals[s.0 as usize].clone(),
            Kind::Lit(v) => bits(*v, width),
            Kind::Cat(parts) => {
                let parts = parts.iter().rev();
                parts.flat_map(|p| self.expr(*p)).collect()
            }
            Kind::Repeat(n, a) => self.expr(*a).repeat(*n as usize),
            Kind::Slice(a, lo) => self.expr(*a)[*lo as usize..][..width].to_vec(),
            Kind::Select(a, index) => {
                let (a, from) = (self.expr(*a), number(&self.expr(*index)));
                let bit = |i: usize| a.get(from.saturating_add(i)).copied().unwrap_or(false);
                (0..width).map(bit).collect()
            }
            Kind::Not(a) => self.expr(*a).iter().map(|b| !b).collect(),
            Kind::Any(a) => vec![self.expr(*a).contains(&true)],
            Kind::All(a) => vec![!self.expr(*a).contains(&false)],
            Kind::Mux(c, a, b) => match self.expr(*c)[0] {
                true => self.expr(*a),
                false => self.expr(*b),
            },
            Kind::Binary(op, a, b) => binary(*op, &self.expr(*a), &self.expr(*b)),
        }
    }
}

fn binary(op: Binary, a: &Bits, b: &Bits) -> Bits {
    let width = a.len();
    let each = |f: fn(bool, bool) -> bool| -> Bits { a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect() };
    // The highest bit that differs decides.
    let less = |a: &[bool], b: &[bool]| {
        let differ = (0..a.len()).rev().find(|i| a[*i] != b[*i]);
        differ.is_some_and(|i| b[i])
    };
    match op {
        Binary::And => each(|x, y| x & y),
        Binary::Or => each(|x, y| x | y),
        Binary::Xor => each(|x, y| x ^ y),
        Binary::Add => add(a, b, false),
        Binary::Sub => add(a, &b.iter().map(|x| !x).collect(), true),
        Binary::Mul | Binary::MulSigned => {
            let mut sum = vec![false; width];
            for i in (0..width).filter(|i| b[*i]) {
                let mut shifted = vec![false; i];
                shifted.extend(&a[..width - i]);
                sum = add(&sum, &shifted, false);
            }
            sum
        }
        Binary::Shl => {
            let by = number(b).min(width);
            let mut bits = vec![false; by];
            bits.extend(&a[..width - by]);
            bits
        }
        Binary::Shr => {
            let by = number(b).min(width);
            let mut bits = a[by..].to_vec();
            bits.resize(width, false);
            bits
        }
        Binary::Eq => vec![a == b],
        Binary::Ne => vec![a != b],
        Binary::Lt => vec![less(a, b)],
        Binary::Le => vec![!less(b, a)],
        Binary::Gt => vec![less(b, a)],
        Binary::Ge => vec![!less(a, b)],
        Binary::LtSigned => {
            let (x, y) = (a[width - 1], b[width - 1]);
            vec![if x == y { less(a, b) } else { x }]
        }
    }
}

fn add(a: &Bits, b: &Bits, mut carry: bool) -> Bits {
    let mut sum = vec![];
    for (x, y) in a.iter().zip(b) {
        sum.push(x ^ y ^ carry);
        carry = x & y | x & carry | y & carry;
    }
    sum
}
