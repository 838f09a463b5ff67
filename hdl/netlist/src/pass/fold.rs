//! Folding: what a reader of the text would compute in the head is computed here.
//!
//! The flat netlist folds more, bit by bit; this pass leaves everything that says something: names, comparisons of
//! one bit, selections with one constant arm.

use super::dead_wires;
use crate::expr::{Binary, Kind, Pool};
use crate::id::{ExprId, SignalId};
use crate::module::{Body, Stmt};
use std::collections::{HashMap, HashSet};

/// Bits of the widest constant.
const WIDEST: u32 = 128;

/// The same body with its constants folded and without what nothing reads any more.
pub fn fold(body: &Body) -> Body {
    let mut to = Fold { from: body, values: HashMap::new(), done: HashMap::new(), pool: Pool::default() };
    let mut wires = vec![];
    for (signal, value) in &body.wires {
        let value = to.expr(*value);
        to.values.insert(*signal, value);
        wires.push((*signal, value));
    }
    let mut assigns: Vec<_> = body.assigns.iter().map(|(s, e)| (*s, to.expr(*e))).collect();
    let mut processes = vec![];
    for process in &body.processes {
        match &to.statements(process)[..] {
            [Stmt::Set(signal, value)] => assigns.push((*signal, *value)),
            rest => processes.push(rest.to_vec()),
        }
    }
    assigns.sort_by_key(|(s, _)| *s);
    let assertions = body.assertions.iter().map(|(e, says)| (to.expr(*e), says.clone())).collect();
    let mut clocked = to.statements(&body.clocked);
    // A register that is only written where it never can be holds its value.
    let mut written = HashSet::new();
    for statement in &clocked {
        statement.targets(&mut |s| {
            written.insert(s);
        });
    }
    for (register, signal) in body.registers().filter(|(s, _)| !written.contains(s)) {
        let value = to.pool.intern(Kind::Signal(register), signal.width);
        clocked.push(Stmt::Set(register, value));
    }
    dead_wires(&Body { wires, assigns, processes, clocked, assertions, exprs: to.pool.into_list(), ..body.clone() })
}

struct Fold<'a> {
    from: &'a Body,
    /// Folded values of the named values that were met.
    values: HashMap<SignalId, ExprId>,
    done: HashMap<ExprId, ExprId>,
    pool: Pool,
}

/// All ones, at most [`WIDEST`] bits.
fn ones(width: u32) -> u128 {
    u128::MAX >> (WIDEST - width)
}

impl Fold<'_> {
    fn statements(&mut self, list: &[Stmt]) -> Vec<Stmt> {
        let mut out = vec![];
        for statement in list {
            match statement {
                Stmt::Set(s, e) => out.push(Stmt::Set(*s, self.expr(*e))),
                Stmt::If(c, yes, no) => {
                    let (c, yes, no) = (self.expr(*c), self.statements(yes), self.statements(no));
                    match self.constant(c) {
                        Some(0) => out.extend(no),
                        Some(_) => out.extend(yes),
                        None if yes.is_empty() && no.is_empty() => {}
                        None => out.push(Stmt::If(c, yes, no)),
                    }
                }
            }
        }
        out
    }

    fn expr(&mut self, e: ExprId) -> ExprId {
        if let Some(done) = self.done.get(&e) {
            return *done;
        }
        let expr = self.from.expr(e);
        let folded = match &expr.kind {
            // Selections are made of names alone.
            Kind::Slice(a, lo) => {
                let name = self.name(*a);
                self.slice(name, *lo, expr.width)
            }
            Kind::Select(a, index) => {
                let (name, index) = (self.name(*a), self.expr(*index));
                match self.constant(index) {
                    Some(lo) if lo + u128::from(expr.width) <= self.width(name).into() => {
                        self.slice(name, lo as u32, expr.width)
                    }
                    _ => self.pool.intern(Kind::Select(name, index), expr.width),
                }
            }
            kind => {
                let kind = kind.map(|o| self.expr(*o), |s| s);
                self.operation(kind, expr.width)
            }
        };
        self.done.insert(e, folded);
        folded
    }

    /// A signal as it is called, whatever its value.
    fn name(&mut self, e: ExprId) -> ExprId {
        let expr = self.from.expr(e);
        self.pool.intern(expr.kind.map(|o| *o, |s| s), expr.width)
    }

    fn kind(&self, e: ExprId) -> &Kind<ExprId> {
        &self.pool.list()[e.0 as usize].kind
    }

    fn width(&self, e: ExprId) -> u32 {
        self.pool.list()[e.0 as usize].width
    }

    /// The value of a constant of at most [`WIDEST`] bits, by itself or by name.
    fn constant(&self, e: ExprId) -> Option<u128> {
        if self.width(e) > WIDEST {
            return None;
        }
        match self.kind(e) {
            Kind::Lit(v) => Some(*v),
            Kind::Signal(s) => self.values.get(s).and_then(|value| match self.kind(*value) {
                Kind::Lit(v) => Some(*v),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Whether every bit is the same constant, of constants that are too wide to be one, too.
    fn uniform(&self, e: ExprId) -> Option<bool> {
        match self.kind(e) {
            Kind::Repeat(_, a) => return self.uniform(*a),
            Kind::Lit(0) => return Some(false),
            _ => {}
        }
        match self.constant(e)? {
            0 => Some(false),
            v if v == ones(self.width(e)) => Some(true),
            _ => None,
        }
    }

    fn lit(&mut self, value: u128, width: u32) -> ExprId {
        self.pool.intern(Kind::Lit(value & ones(width)), width)
    }

    fn slice(&mut self, name: ExprId, lo: u32, width: u32) -> ExprId {
        if width == self.width(name) {
            return name;
        }
        match self.constant(name) {
            Some(v) => self.lit(v >> lo, width),
            None => self.pool.intern(Kind::Slice(name, lo), width),
        }
    }

    /// One operation whose operands are folded.
    fn operation(&mut self, kind: Kind<ExprId>, width: u32) -> ExprId {
        let simple = match &kind {
            Kind::Signal(s) if !crate::module::is_code(&self.from.signal(*s).name) => {
                let value = self.values.get(s).copied();
                value.filter(|v| matches!(self.kind(*v), Kind::Lit(_)))
            }
            Kind::Cat(parts) => return self.cat(parts, width),
            Kind::Repeat(1, a) => Some(*a),
            Kind::Repeat(n, a) => self.constant(*a).filter(|_| width <= WIDEST).map(|v| {
                let each = self.width(*a);
                self.lit((0..*n).fold(0, |all, i| all | v << (i * each)), width)
            }),
            Kind::Not(a) => match (self.constant(*a), self.kind(*a)) {
                (Some(v), _) => Some(self.lit(!v, width)),
                (None, Kind::Not(inner)) => Some(*inner),
                _ => None,
            },
            Kind::Any(a) | Kind::All(a) if self.width(*a) == 1 => Some(*a),
            Kind::Any(a) => self.constant(*a).map(|v| self.lit((v != 0).into(), 1)),
            Kind::All(a) => self.constant(*a).map(|v| self.lit((v == ones(self.width(*a))).into(), 1)),
            Kind::Mux(c, yes, no) => match self.constant(*c) {
                Some(0) => Some(*no),
                Some(_) => Some(*yes),
                None => (yes == no).then_some(*yes),
            },
            Kind::Binary(op, a, b) => self.binary(*op, *a, *b, width),
            Kind::Signal(_) | Kind::Lit(_) | Kind::Slice(..) | Kind::Select(..) => None,
        };
        simple.unwrap_or_else(|| self.pool.intern(kind, width))
    }

    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId, width: u32) -> Option<ExprId> {
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            let value = match op {
                Binary::And => x & y,
                Binary::Or => x | y,
                Binary::Xor => x ^ y,
                Binary::Add => x.wrapping_add(y),
                Binary::Sub => x.wrapping_sub(y),
                Binary::Mul => x.wrapping_mul(y),
                Binary::Shl => u32::try_from(y).ok().and_then(|n| x.checked_shl(n)).unwrap_or(0),
                Binary::Shr => u32::try_from(y).ok().and_then(|n| x.checked_shr(n)).unwrap_or(0),
                Binary::Eq => (x == y).into(),
                Binary::Ne => (x != y).into(),
                Binary::Lt => (x < y).into(),
                Binary::Le => (x <= y).into(),
                Binary::Gt => (x > y).into(),
                Binary::Ge => (x >= y).into(),
                Binary::MulSigned | Binary::LtSigned => return None,
            };
            return Some(self.lit(value, width));
        }
        match (op, self.uniform(a), self.uniform(b)) {
            (Binary::And, Some(true), _) | (Binary::Or | Binary::Xor | Binary::Add, Some(false), _) => Some(b),
            (Binary::And, _, Some(true)) | (Binary::Or | Binary::Xor | Binary::Add, _, Some(false)) => Some(a),
            (Binary::And, Some(false), _) | (Binary::Or, Some(true), _) => Some(a),
            (Binary::And, _, Some(false)) | (Binary::Or, _, Some(true)) => Some(b),
            (Binary::Sub | Binary::Shl | Binary::Shr, _, Some(false)) => Some(a),
            (Binary::Lt, _, Some(false)) => Some(self.lit(0, 1)),
            (Binary::Ge, _, Some(false)) => Some(self.lit(1, 1)),
            (Binary::And | Binary::Or, ..) if a == b => Some(a),
            _ => None,
        }
    }

    /// Parts within parts stand side by side; neighbours that are one constant, or one range of bits, are one part.
    fn cat(&mut self, parts: &[ExprId], width: u32) -> ExprId {
        let mut flat: Vec<ExprId> = vec![];
        for part in parts {
            let inner = match self.kind(*part) {
                Kind::Cat(inner) => inner.clone(),
                _ => vec![*part],
            };
            for part in inner {
                let joined = flat.last().and_then(|high| self.neighbours(*high, part));
                match joined {
                    Some(both) => *flat.last_mut().expect("there is a last part") = both,
                    None => flat.push(part),
                }
            }
        }
        match flat[..] {
            [one] => one,
            _ => self.pool.intern(Kind::Cat(flat), width),
        }
    }

    fn neighbours(&mut self, high: ExprId, low: ExprId) -> Option<ExprId> {
        let (h, l) = (self.width(high), self.width(low));
        let width = h + l;
        match (self.kind(high), self.kind(low)) {
            (Kind::Lit(x), Kind::Lit(y)) if width <= WIDEST => {
                let value = x << l | y;
                Some(self.lit(value, width))
            }
            (Kind::Slice(a, from), Kind::Slice(b, lo)) if a == b && *from == lo + l => {
                let (name, lo) = (*a, *lo);
                Some(self.slice(name, lo, width))
            }
            _ => None,
        }
    }
}
