//! The native instruction: its fields, and one line an opcode.

use super::super::row_field::gather;
use crate::rtl::prelude::*;
use warpsmith_isa::ivb::chip::EXECUTED;
use warpsmith_isa::ivb::table::{Format, Op, OPS};
use warpsmith_isa::set::Field;

/// The instruction.
pub(super) struct Word {
    bits: Expr,
    /// An opcode that chips execute, and its line.
    hits: Vec<(&'static Op, Expr)>,
}

impl Word {
    /// The opcode lines of an instruction of 128 bits.
    pub fn of(bits: &Expr) -> Self {
        let opcode = wire("opcode", bits.bits(0, 7));
        let hit = |name: &'static str| {
            let op = OPS.iter().find(|op| op.name == name).unwrap_or_else(|| panic!("an opcode {name}"));
            (op, wire(&format!("h_{name}"), opcode.is(op.opcode.into())))
        };
        Self { bits: bits.clone(), hits: EXECUTED.into_iter().map(hit).collect() }
    }

    /// A field.
    pub fn field(&self, f: Field) -> Expr {
        gather(&self.bits, f.parts)
    }

    /// `width` bits from bit `low` on.
    pub fn bits(&self, low: usize, width: usize) -> Expr {
        self.bits.bits(low, width)
    }

    fn line(&self, name: &str) -> &(&'static Op, Expr) {
        self.hits.iter().find(|h| h.0.name == name).unwrap_or_else(|| panic!("no line of {name}"))
    }

    /// The opcode is this one.
    pub fn is(&self, name: &str) -> Expr {
        self.line(name).1.clone()
    }

    /// Format of an opcode.
    pub fn format(&self, name: &str) -> Format {
        self.line(name).0.format
    }

    /// The opcode is one of these.
    pub fn any(&self, names: &[&str]) -> Expr {
        let hits: Vec<Expr> = names.iter().map(|name| self.is(name)).collect();
        any_of(&hits)
    }

    /// The opcode is one of those that chips execute of which `what` holds.
    pub fn those(&self, what: impl Fn(&Op) -> bool) -> Expr {
        let hits: Vec<Expr> = self.hits.iter().filter(|h| what(h.0)).map(|h| h.1.clone()).collect();
        any_of(&hits)
    }

    /// The opcode is one of those of a format.
    pub fn of_format(&self, format: Format) -> Expr {
        self.those(|op| op.format == format)
    }

    /// The opcode is none that the set has.
    pub fn unknown(&self) -> Expr {
        let opcode = self.bits.bits(0, 7);
        let known: Vec<Expr> = OPS.iter().map(|op| opcode.is(op.opcode.into())).collect();
        wire("unknown", !any_of(&known))
    }

    /// The opcode is one that chips execute.
    pub fn known(&self) -> Expr {
        self.those(|_| true)
    }
}
