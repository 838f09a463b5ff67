//! A row of G13's table over the bits of the instruction.

use super::operands::field;
use crate::rtl::prelude::*;
use warpsmith_isa::g13::operand::Operand;
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::set::{Field, Form};

/// A row and what it needs beside its hit line.
pub(super) struct Row<'a> {
    /// The instruction, its bits beyond its length 0.
    pub w: &'a Expr,
    pub hit: &'a Expr,
    pub form: &'static Form<Operand>,
    /// Index of the row.
    pub index: usize,
    /// Numbers of the machine's two registers of a thread.
    pub machine: &'a [Expr; 2],
    /// Address of the next instruction where that has 6 bytes, 32 bits.
    pub next: &'a Expr,
}

impl Row<'_> {
    /// A field by its name.
    pub fn field(&self, name: &str) -> Expr {
        let fields = TABLE.fields(self.index).iter();
        let found: Vec<&Field> = fields.filter(|f| f.name == name).collect();
        assert_eq!(found.len(), 1, "{}: a field {name}", self.form.name);
        field(self.w, *found[0])
    }

    /// The hit line where `condition` holds.
    pub fn where_(&self, name: &str, condition: Expr) -> Expr {
        wire(name, self.hit & &condition)
    }

    /// The first field of operand `n`.
    pub fn part(&self, n: usize) -> Expr {
        field(self.w, self.form.operands[n].fields[0])
    }
}
