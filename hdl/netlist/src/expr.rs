//! Expressions of a module: values with widths, stored once each.

use crate::id::{ExprId, SignalId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Operations with two operands. Widths: both operands equal, and the result as wide, except for
/// comparisons (one bit) and shifts (the right operand has any width).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Binary {
    And,
    Or,
    Xor,
    Add,
    Sub,
    /// Product of unsigned factors, truncated to their width.
    Mul,
    /// The same bits, of factors that synthesis may take as signed.
    MulSigned,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Two's complement.
    LtSigned,
}

impl Binary {
    /// All of them.
    pub const ALL: [Binary; 16] = [
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::MulSigned,
        Binary::Shl,
        Binary::Shr,
        Binary::Eq,
        Binary::Ne,
        Binary::Lt,
        Binary::Le,
        Binary::Gt,
        Binary::Ge,
        Binary::LtSigned,
    ];

    /// Name in netlist files: the Verilog operator, with a mark where it is signed.
    pub const fn name(self) -> &'static str {
        match self {
            Binary::MulSigned => "*s",
            Binary::LtSigned => "<s",
            _ => self.symbol(),
        }
    }

    /// The Verilog operator.
    pub const fn symbol(self) -> &'static str {
        match self {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul | Binary::MulSigned => "*",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt | Binary::LtSigned => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        }
    }

    /// Whether the result is one bit.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::LtSigned)
    }

    /// Whether the Verilog casts both operands to signed.
    pub const fn is_signed(self) -> bool {
        matches!(self, Binary::LtSigned | Binary::MulSigned)
    }
}

/// What an expression computes; `E` is how it refers to its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind<E> {
    /// Value of a signal.
    Signal(SignalId),
    /// Constant.
    Lit(u128),
    /// Concatenation, most significant part first.
    Cat(Vec<E>),
    /// Copies side by side.
    Repeat(u32, E),
    /// Constant part select of a signal, from bit `.1`.
    Slice(E, u32),
    /// Run-time part select of a signal, from bit `.1`.
    Select(E, E),
    /// Inverse of every bit.
    Not(E),
    /// Or of all bits.
    Any(E),
    /// And of all bits.
    All(E),
    /// Two operands.
    Binary(Binary, E, E),
    /// `.0 ? .1 : .2`; `.0` is one bit.
    Mux(E, E, E),
}

impl<E: Copy> Kind<E> {
    /// The width that follows from those of the operands; none where the expression says it.
    pub fn width(&self, of: impl Fn(E) -> u64) -> Option<u64> {
        Some(match self {
            Kind::Signal(_) | Kind::Lit(_) | Kind::Slice(..) | Kind::Select(..) => return None,
            Kind::Cat(parts) => parts.iter().fold(0, |sum: u64, p| sum.saturating_add(of(*p))),
            Kind::Repeat(n, a) => of(*a).saturating_mul((*n).into()),
            Kind::Any(_) | Kind::All(_) => 1,
            Kind::Binary(op, ..) if op.is_comparison() => 1,
            Kind::Not(a) | Kind::Binary(_, a, _) | Kind::Mux(_, a, _) => of(*a),
        })
    }

    /// Calls `f` for every operand, in order.
    pub fn operands(&self, mut f: impl FnMut(E)) {
        match self {
            Kind::Signal(_) | Kind::Lit(_) => {}
            Kind::Cat(parts) => parts.iter().for_each(|p| f(*p)),
            Kind::Repeat(_, a) | Kind::Slice(a, _) => f(*a),
            Kind::Not(a) | Kind::Any(a) | Kind::All(a) => f(*a),
            Kind::Select(a, b) | Kind::Binary(_, a, b) => {
                f(*a);
                f(*b);
            }
            Kind::Mux(c, a, b) => {
                f(*c);
                f(*a);
                f(*b);
            }
        }
    }
}

impl<E> Kind<E> {
    /// The same operation with other references; `signal` renumbers signals.
    pub fn map<F>(&self, mut operand: impl FnMut(&E) -> F, mut signal: impl FnMut(SignalId) -> SignalId) -> Kind<F> {
        match self {
            Kind::Signal(s) => Kind::Signal(signal(*s)),
            Kind::Lit(v) => Kind::Lit(*v),
            Kind::Cat(parts) => Kind::Cat(parts.iter().map(operand).collect()),
            Kind::Repeat(n, a) => Kind::Repeat(*n, operand(a)),
            Kind::Slice(a, lo) => Kind::Slice(operand(a), *lo),
            Kind::Select(a, b) => {
                let a = operand(a);
                Kind::Select(a, operand(b))
            }
            Kind::Not(a) => Kind::Not(operand(a)),
            Kind::Any(a) => Kind::Any(operand(a)),
            Kind::All(a) => Kind::All(operand(a)),
            Kind::Binary(op, a, b) => {
                let a = operand(a);
                Kind::Binary(*op, a, operand(b))
            }
            Kind::Mux(c, a, b) => {
                let c = operand(c);
                let a = operand(a);
                Kind::Mux(c, a, operand(b))
            }
        }
    }
}

/// An expression of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expr {
    /// Operation and operands, which stand before it.
    pub kind: Kind<ExprId>,
    /// Width in bits.
    pub width: u32,
}

/// Expressions, each distinct one once, operands before those that use them.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    list: Vec<Expr>,
    known: HashMap<Expr, ExprId>,
}

impl Pool {
    /// The expressions of a body, with their numbers.
    pub fn from_list(list: Vec<Expr>) -> Self {
        let known = list.iter().cloned().zip((0..).map(ExprId)).collect();
        Pool { list, known }
    }

    /// The number of an expression.
    pub fn intern(&mut self, kind: Kind<ExprId>, width: u32) -> ExprId {
        let expr = Expr { kind, width };
        if let Some(id) = self.known.get(&expr) {
            return *id;
        }
        let id = ExprId(u32::try_from(self.list.len()).expect("fewer than 2^32 expressions"));
        self.list.push(expr.clone());
        self.known.insert(expr, id);
        id
    }

    /// All of them.
    pub fn list(&self) -> &[Expr] {
        &self.list
    }

    /// All of them.
    pub fn into_list(self) -> Vec<Expr> {
        self.list
    }
}
