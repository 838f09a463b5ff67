//! The table of G13, one row an encoding.
//!
//! Origin: the seed's two pages (layouts and whole text), applegpu's current table, Mesa's AGX table, as
//! collected and checked against each other (docs/instruction-sets.md, "Origin of the facts").

mod control;
pub(crate) mod fields;
mod float;
mod graphics;
mod integer;
mod memory;
pub(crate) mod names;
mod operands;
mod quad;
mod reduce;
mod simd;
mod unknown;

use std::sync::LazyLock;

use super::operand::Operand;
use crate::set::{Evidence, Field, Form, Length, Overlap, Reserved, Status, Table};

type Row = Form<Operand>;

/// The rows, checked at the first use.
pub static TABLE: LazyLock<Table<Operand>> = LazyLock::new(|| {
    let parts = [
        integer::ROWS,
        float::ROWS,
        control::ROWS,
        simd::ROWS,
        reduce::ROWS,
        quad::ROWS,
        memory::ROWS,
        graphics::ROWS,
        unknown::ROWS,
    ];
    match Table::new(&parts, Overlap::MostSpecific, Reserved::Ignored) {
        Ok(table) => table,
        Err(e) => panic!("the table of G13: {e}"),
    }
});

/// `long` bytes where bit `bit` is 1, else `short`.
const fn by_bit(bit: u8, short: u8, long: u8) -> Length {
    Length::ByBit { bit, short, long }
}

/// Row constructor, arguments in column order.
const fn row(
    name: &'static str,
    mnemonic: &'static str,
    alias: &'static str,
    length: Length,
    mask: u128,
    match_: u128,
    operands: &'static [Operand],
    fields: &'static [Field],
    reserved: &'static [(u8, u8)],
    status: Status,
    evidence: Evidence,
    sem: &'static str,
    note: &'static str,
) -> Row {
    Form {
        name,
        mnemonic,
        alias,
        length,
        mask,
        match_,
        operands,
        modifiers: &[],
        fields,
        reserved,
        sem,
        status,
        evidence,
        note,
    }
}
