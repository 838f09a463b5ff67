//! The table of Fermi: one row a form, one form an operand mode (`_R` register, `_C` constant, `_I`
//! immediate; of three sources `_CR` a constant second, `_RC` a constant third).
//!
//! Origin: the seed's 12 float opcodes, asfermi's rules, envytools' gf100 table, Mesa's nvc0 emitter, as
//! collected and checked against each other (docs/instruction-sets.md, "Origin of the facts").

mod control;
mod convert;
mod double;
pub mod fields;
mod float;
mod integer;
mod memory;
mod misc;
mod modifiers;
mod special;

use std::sync::LazyLock;

use super::operand::Operand;
use crate::set::{Evidence, Field, Form, Length, Modifier, Overlap, Reserved, Status, Table};
pub(crate) use special::SPECIAL_NAMES;

type Row = Form<Operand>;

/// The rows, checked at the first use.
pub static TABLE: LazyLock<Table<Operand>> = LazyLock::new(|| {
    let parts = [float::ROWS, double::ROWS, misc::ROWS, integer::ROWS, convert::ROWS, memory::ROWS, control::ROWS];
    match Table::new(&parts, Overlap::Refused, Reserved::Illegal) {
        Ok(table) => table,
        Err(e) => panic!("the table of Fermi: {e}"),
    }
});

/// Row constructor, arguments in column order.
const fn row(
    name: &'static str,
    mnemonic: &'static str,
    mask: u128,
    match_: u128,
    modifiers: &'static [Modifier],
    operands: &'static [Operand],
    fields: &'static [Field],
    reserved: &'static [(u8, u8)],
    evidence: Evidence,
    sem: &'static str,
    note: &'static str,
) -> Row {
    Form {
        name,
        mnemonic,
        alias: "",
        length: Length::Fixed(8),
        mask,
        match_,
        operands,
        modifiers,
        fields,
        reserved,
        sem,
        status: Status::Specified,
        evidence,
        note,
    }
}
