//! Random designs: a top with a few values, registers, a block and a memory.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;
use warpsmith_contract::Direction;
use warpsmith_netlist::{
    Binary, Description, Design, ExprId, Kind, Memory, MemoryStyle, Module, ReadPort, Signal, SignalId, SignalKind,
    Stmt, Tree, WritePort,
};

/// The tree of a random chip.
pub fn tree(seed: u64) -> Tree {
    let mut maker = Maker::new("top", seed);
    maker.inputs();
    let mut children = vec![];
    if maker.rng.gen() {
        let mut inner = Maker::new("inner", seed ^ 0x1234);
        inner.inputs();
        inner.registers();
        inner.rest();
        children.push(("inner", inner.finish()));
    }
    if maker.rng.gen() {
        let module = memory(&mut maker.rng);
        children.push(("store", module));
    }
    maker.registers();
    for (i, (_, module)) in children.iter().enumerate() {
        maker.child(i as u32, module);
    }
    maker.rest();
    let leaf = |(instance, module): (&str, Module)| Tree { instance: instance.into(), module, children: vec![] };
    Tree { instance: "top".into(), module: maker.finish(), children: children.into_iter().map(leaf).collect() }
}

/// The design of a random chip.
pub fn design(seed: u64) -> Design {
    Design::new(tree(seed))
}

/// A width of 1 to 128 bits; those around the borders of words are frequent.
pub fn width(rng: &mut impl Rng) -> u32 {
    match rng.gen_range(0..4) {
        0 => rng.gen_range(1..=9),
        1 => [31, 32, 33, 63, 64, 65, 66, 96, 127, 128][rng.gen_range(0..10)],
        2 => 1,
        _ => rng.gen_range(1..=128),
    }
}

/// A number whose bits are mostly alike, or random.
pub fn value(rng: &mut impl Rng) -> u128 {
    match rng.gen_range(0..4) {
        0 => rng.gen(),
        1 => rng.gen_range(0..4),
        2 => u128::MAX - rng.gen_range(0..4),
        _ => 1 << rng.gen_range(0..128),
    }
}

fn memory(rng: &mut impl Rng) -> Module {
    let style = [MemoryStyle::Block, MemoryStyle::Lut, MemoryStyle::Table][rng.gen_range(0..3)];
    let granule = [1, 3, 8, 24, 60][rng.gen_range(0..5)];
    let table = style == MemoryStyle::Table;
    let width = if table { rng.gen_range(1..=64) } else { granule * rng.gen_range(1..=4) };
    let granule = if table { width } else { granule };
    let address = rng.gen_range(1..=4);
    let depth = rng.gen_range(1..=1 << address);
    let mut signals = vec![];
    let mut signal = |name: String, width: u32, kind: SignalKind| {
        signals.push(Signal { name, width, kind });
        SignalId(signals.len() as u32 - 1)
    };
    let mut reads = vec![];
    for i in 0..rng.gen_range(1..=2) {
        reads.push(ReadPort {
            address: signal(format!("ra_{i}"), address, SignalKind::Input),
            enable: (style == MemoryStyle::Block).then(|| signal(format!("re_{i}"), 1, SignalKind::Input)),
            data: signal(format!("rd_{i}"), width, SignalKind::Output),
        });
    }
    let write = (!table).then(|| WritePort {
        address: signal("wa".into(), address, SignalKind::Input),
        data: signal("wd".into(), width, SignalKind::Input),
        enable: signal("we".into(), width / granule, SignalKind::Input),
    });
    let words = (0..if table { depth } else { 0 }).map(|_| rng.gen::<u64>() >> (64 - width));
    let memory = Memory {
        depth,
        width,
        granule,
        style,
        rdw_dont_care: false,
        zeroed: false,
        reads,
        write,
        words: words.collect(),
    };
    let description = Description {
        name: "store".into(),
        source: "none".into(),
        memory: Some(memory),
        signals,
        ..Description::default()
    };
    description.finish().unwrap_or_else(|e| panic!("{e}"))
}

struct Maker {
    rng: ChaCha8Rng,
    d: Description,
    /// Signals that may be read.
    readable: Vec<SignalId>,
}

impl Maker {
    fn new(name: &str, seed: u64) -> Self {
        Maker {
            rng: ChaCha8Rng::seed_from_u64(seed),
            d: Description {
                name: name.into(),
                source: "none".into(),
                header: vec![" Random.".into()],
                ..Description::default()
            },
            readable: vec![],
        }
    }

    fn finish(self) -> Module {
        self.d.finish().unwrap_or_else(|e| panic!("{e}"))
    }

    fn signal(&mut self, name: String, width: u32, kind: SignalKind) -> SignalId {
        self.d.signals.push(Signal { name, width, kind });
        SignalId(self.d.signals.len() as u32 - 1)
    }

    fn width(&self, s: SignalId) -> u32 {
        self.d.signals[s.0 as usize].width
    }

    fn put(&mut self, kind: Kind<ExprId>, width: u32) -> ExprId {
        self.d.exprs.intern(kind, width)
    }

    fn inputs(&mut self) {
        for i in 0..self.rng.gen_range(1..=4) {
            let width = width(&mut self.rng);
            let s = self.signal(format!("in_{i}"), width, SignalKind::Input);
            self.readable.push(s);
        }
    }

    fn registers(&mut self) {
        for i in 0..self.rng.gen_range(0..=3) {
            let width = width(&mut self.rng);
            let some = self.rng.gen::<bool>();
            let reset = some.then(|| self.rng.gen::<u64>() >> (64 - width.min(64)));
            let s = self.signal(format!("reg_{i}"), width, SignalKind::Reg { reset });
            self.readable.push(s);
        }
    }

    /// Nets of a child: its inputs do not depend on its outputs.
    fn child(&mut self, child: u32, module: &Module) {
        let mut outputs = vec![];
        for (_, port) in module.body.ports() {
            let direction = match port.kind {
                SignalKind::Input => Direction::Input,
                _ => Direction::Output,
            };
            let kind = SignalKind::Child { child, direction };
            let net = self.signal(format!("c{child}_{}", port.name), port.width, kind);
            match direction {
                Direction::Input => self.assign(net),
                Direction::Output => outputs.push(net),
            }
        }
        self.readable.extend(outputs);
    }

    fn rest(&mut self) {
        for _ in 0..self.rng.gen_range(0..4) {
            let width = width(&mut self.rng);
            self.wire(width, 3);
        }
        for i in 0..self.rng.gen_range(1..=4) {
            let width = width(&mut self.rng);
            let s = self.signal(format!("out_{i}"), width, SignalKind::Output);
            self.assign(s);
        }
        let kinds = (0..).map(SignalId).zip(&self.d.signals);
        let regs = kinds.filter(|(_, s)| matches!(s.kind, SignalKind::Reg { .. }));
        let regs: Vec<SignalId> = regs.map(|(id, _)| id).collect();
        for reg in regs {
            let statements = self.statements(reg, 2);
            self.d.statements.extend(statements);
        }
    }

    /// A signal with a value on every path.
    fn assign(&mut self, s: SignalId) {
        let value = self.expr(self.width(s), 3);
        self.d.statements.push(Stmt::Set(s, value));
        if self.rng.gen() {
            let statements = self.statements(s, 2);
            self.d.statements.extend(statements);
        }
    }

    fn statements(&mut self, s: SignalId, depth: u32) -> Vec<Stmt> {
        let value = self.expr(self.width(s), 2);
        if depth == 0 || self.rng.gen_range(0..3) == 0 {
            return vec![Stmt::Set(s, value)];
        }
        let condition = self.expr(1, 2);
        let (yes, no) = (self.statements(s, depth - 1), self.statements(s, depth - 1));
        match self.rng.gen_range(0..4) {
            0 => vec![Stmt::If(condition, yes, vec![])],
            1 => vec![Stmt::If(condition, vec![], no)],
            2 => vec![Stmt::If(condition, yes, no), Stmt::If(condition, vec![Stmt::Set(s, value)], vec![])],
            _ => vec![Stmt::If(condition, yes, no)],
        }
    }

    /// A named value of its own, as wide as is asked for.
    fn wire(&mut self, width: u32, depth: u32) -> SignalId {
        let value = self.expr(width, depth);
        let number = self.d.wires.len();
        let s = self.signal(format!("wire_{number}"), width, SignalKind::Wire);
        self.d.wires.push((s, value));
        self.readable.push(s);
        s
    }

    /// A readable signal of at least `width` bits, as an expression.
    fn at_least(&mut self, width: u32, depth: u32) -> (ExprId, u32) {
        let wide: Vec<SignalId> = self.readable.iter().copied().filter(|s| self.width(*s) >= width).collect();
        let s = match wide.len() {
            0 => {
                let more = self.rng.gen_range(0..9);
                self.wire(width + more, depth)
            }
            n => wide[self.rng.gen_range(0..n)],
        };
        let whole = self.width(s);
        (self.put(Kind::Signal(s), whole), whole)
    }

    fn expr(&mut self, width: u32, depth: u32) -> ExprId {
        if depth == 0 {
            let same: Vec<SignalId> = self.readable.iter().copied().filter(|s| self.width(*s) == width).collect();
            if !same.is_empty() && self.rng.gen_range(0..4) > 0 {
                let s = same[self.rng.gen_range(0..same.len())];
                return self.put(Kind::Signal(s), width);
            }
            let value = value(&mut self.rng) & (u128::MAX >> (128 - width.min(128)));
            return self.put(Kind::Lit(value), width);
        }
        let below = depth - 1;
        let kind = match self.rng.gen_range(0..10) {
            0 => Kind::Not(self.expr(width, below)),
            1 => {
                let (c, a) = (self.expr(1, below), self.expr(width, below));
                Kind::Mux(c, a, self.expr(width, below))
            }
            2 if width > 1 => {
                let high = self.rng.gen_range(1..width);
                let parts = vec![self.expr(high, below), self.expr(width - high, below)];
                Kind::Cat(parts)
            }
            3 => {
                let divisors: Vec<u32> = (1..=width).filter(|n| width % n == 0).collect();
                let n = divisors[self.rng.gen_range(0..divisors.len())];
                Kind::Repeat(n, self.expr(width / n, below))
            }
            4 => {
                let (a, whole) = self.at_least(width, below);
                Kind::Slice(a, self.rng.gen_range(0..=whole - width))
            }
            5 => {
                let (a, _) = self.at_least(width, below);
                let index = [1, 3, 6, 7, 8, 64, 70][self.rng.gen_range(0..7)];
                Kind::Select(a, self.expr(index, below))
            }
            6 if width == 1 => {
                let of = self::width(&mut self.rng);
                let a = self.expr(of, below);
                if self.rng.gen() {
                    Kind::Any(a)
                } else {
                    Kind::All(a)
                }
            }
            7 if width == 1 => {
                let of = self::width(&mut self.rng);
                let op = Binary::ALL[self.rng.gen_range(9..16)];
                let a = self.expr(of, below);
                Kind::Binary(op, a, self.expr(of, below))
            }
            6 | 7 => {
                let by = [1, 3, 6, 7, 8, 64, 70][self.rng.gen_range(0..7)];
                let op = if self.rng.gen() { Binary::Shl } else { Binary::Shr };
                let a = self.expr(width, below);
                Kind::Binary(op, a, self.expr(by, below))
            }
            _ => {
                // Products of more than 64 bits have no flat form.
                let ops = if width > 64 { 5 } else { 7 };
                let op = Binary::ALL[self.rng.gen_range(0..ops)];
                let a = self.expr(width, below);
                Kind::Binary(op, a, self.expr(width, below))
            }
        };
        self.put(kind, width)
    }
}
