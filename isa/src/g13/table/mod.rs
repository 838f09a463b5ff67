//! The table of G13, one row an encoding.
//!
//! Origin: the seed's two pages (layouts and whole text), applegpu's current table, Mesa's AGX table, as
//! collected and checked against each other (docs/instruction-sets.md, "Origin of the facts").

#[macro_use]
mod operands;
mod control;
mod float;
mod graphics;
mod integer;
mod memory;
pub(crate) mod names;
mod reduce;
mod simd;
mod unknown;

use std::sync::LazyLock;

use super::operand::Operand;
use crate::set::{Evidence, Field, Form, Length, Modifier, Overlap, Reserved, Status, Table};

type Row = Form<Operand>;

/// The rows, checked at the first use.
pub static TABLE: LazyLock<Table<Operand>> = LazyLock::new(|| {
    let parts = [
        integer::ROWS,
        float::ROWS,
        control::ROWS,
        simd::ROWS,
        reduce::SIMD,
        simd::QUAD,
        reduce::QUAD,
        memory::ROWS,
        graphics::ROWS,
        unknown::ROWS,
    ];
    match Table::new(&parts, Overlap::MostSpecific, Reserved::Ignored) {
        Ok(table) => table,
        Err(e) => panic!("the table of G13: {e}"),
    }
});

/// Always `bytes` bytes.
const fn fixed(bytes: u8) -> Length {
    Length::Fixed(bytes)
}

/// `long` bytes where bit `bit` is 1, else `short`.
const fn by_bit(bit: u8, short: u8, long: u8) -> Length {
    Length::ByBit { bit, short, long }
}

/// Row constructor, arguments in column order; the mnemonic is the name.
const fn row(
    name: &'static str, length: Length, mask: u128, match_: u128, status: Status, evidence: Evidence,
    reserved: &'static [(u8, u8)], operands: &'static [Operand], sem: &'static str,
) -> Row {
    let (mnemonic, alias, note) = (name, "", "");
    let (modifiers, fields): (&[Modifier], &[Field]) = (&[], &[]);
    Form {
        name,
        mnemonic,
        alias,
        length,
        mask,
        match_,
        operands,
        modifiers,
        fields,
        reserved,
        sem,
        status,
        evidence,
        note,
    }
}
