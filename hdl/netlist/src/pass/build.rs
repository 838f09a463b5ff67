//! Modules that a pass adds, said as blocks say theirs.

use crate::describe::Description;
use crate::expr::{Binary, Kind};
use crate::id::{ExprId, SignalId};
use crate::module::{Module, Signal, SignalKind, Stmt};

/// A module while it is made.
pub struct Build(pub Description);

impl Build {
    /// A module of this name and documentation; `source` is the Rust file of its pass.
    pub fn new(source: &str, name: String, header: &str) -> Self {
        let header = header.lines().map(|l| format!(" {l}")).collect();
        Build(Description { name, source: source.into(), header, ..Description::default() })
    }

    /// A signal.
    pub fn signal(&mut self, name: &str, width: u32, kind: SignalKind) -> SignalId {
        let id = SignalId(u32::try_from(self.0.signals.len()).expect("fewer than 2^32 signals"));
        self.0.signals.push(Signal { name: name.into(), width, kind });
        id
    }

    /// Nets at the ports of child number `child`.
    pub fn nets(&mut self, child: u32, instance: &str, module: &Module) -> Vec<SignalId> {
        module
            .body
            .ports()
            .map(|(_, port)| {
                let net = Signal::at_port(child, instance, port);
                self.signal(&net.name, net.width, net.kind)
            })
            .collect()
    }

    /// A named value.
    pub fn wire(&mut self, name: &str, value: ExprId) -> SignalId {
        let id = self.signal(name, self.width(value), SignalKind::Wire);
        self.0.wires.push((id, value));
        id
    }

    /// Gives an output, a child's input or a register its value.
    pub fn set(&mut self, signal: SignalId, value: ExprId) {
        self.0.statements.push(Stmt::Set(signal, value));
    }

    /// Width of an expression in bits.
    pub fn width(&self, e: ExprId) -> u32 {
        self.0.exprs.list()[e.0 as usize].width
    }

    fn add(&mut self, kind: Kind<ExprId>, width: u32) -> ExprId {
        self.0.exprs.intern(kind, width)
    }

    /// The value of a signal.
    pub fn get(&mut self, signal: SignalId) -> ExprId {
        let width = self.0.signals[signal.0 as usize].width;
        self.add(Kind::Signal(signal), width)
    }

    /// Bits of a signal, from bit `low` on.
    pub fn slice(&mut self, signal: SignalId, low: u32, width: u32) -> ExprId {
        let all = self.get(signal);
        match low == 0 && self.width(all) == width {
            true => all,
            false => self.add(Kind::Slice(all, low), width),
        }
    }

    /// A constant.
    pub fn lit(&mut self, width: u32, value: u64) -> ExprId {
        self.add(Kind::Lit(value.into()), width)
    }

    /// Zeros.
    pub fn zero(&mut self, width: u32) -> ExprId {
        self.lit(width, 0)
    }

    /// Parts side by side, the lowest first.
    pub fn cat(&mut self, mut parts: Vec<ExprId>) -> ExprId {
        if let [one] = parts[..] {
            return one;
        }
        parts.reverse();
        let width = parts.iter().map(|p| self.width(*p)).sum();
        self.add(Kind::Cat(parts), width)
    }

    /// An operation of two operands of the same width.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let width = if op.is_comparison() { 1 } else { self.width(a) };
        self.add(Kind::Binary(op, a, b), width)
    }

    /// All of a list, joined by an operation; `None` for an empty list.
    pub fn join(&mut self, op: Binary, list: impl IntoIterator<Item = ExprId>) -> Option<ExprId> {
        let mut list = list.into_iter();
        let first = list.next()?;
        Some(list.fold(first, |a, b| self.binary(op, a, b)))
    }

    /// Inverse of every bit.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        self.add(Kind::Not(a), width)
    }

    /// Or of all bits.
    pub fn any(&mut self, a: ExprId) -> ExprId {
        match self.width(a) {
            1 => a,
            _ => self.add(Kind::Any(a), 1),
        }
    }

    /// `condition ? yes : no`.
    pub fn mux(&mut self, condition: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        let width = self.width(yes);
        self.add(Kind::Mux(condition, yes, no), width)
    }

    /// Copies side by side.
    pub fn repeat(&mut self, n: u32, a: ExprId) -> ExprId {
        match n {
            1 => a,
            _ => {
                let width = n * self.width(a);
                self.add(Kind::Repeat(n, a), width)
            }
        }
    }

    /// Statements under a condition.
    pub fn when(&mut self, condition: ExprId, statements: impl FnOnce(&mut Self)) {
        let outside = std::mem::take(&mut self.0.statements);
        statements(self);
        let inside = std::mem::replace(&mut self.0.statements, outside);
        self.0.statements.push(Stmt::If(condition, inside, vec![]));
    }

    /// The module, checked.
    pub fn finish(self) -> Module {
        self.0.finish().unwrap_or_else(|e| panic!("{e}"))
    }
}
