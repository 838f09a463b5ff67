//! The table of Fermi: one row a form, one form an operand mode (`_R` register, `_C` constant, `_I`
//! immediate; of three sources `_CR` a constant second, `_RC` a constant third).
//!
//! Origin: the seed's 12 float opcodes, asfermi's rules, envytools' gf100 table, Mesa's nvc0 emitter, as
//! collected and checked against each other (docs/instruction-sets.md, "Origin of the facts").

pub mod fields;
pub(crate) mod modifiers;
mod rows;

use std::sync::LazyLock;

use super::operand::Operand;
use crate::set::{Evidence, Field, Form, Length, Modifier, Overlap, Reserved, Status, Table};

type Row = Form<Operand>;

/// The rows, checked at the first use.
pub static TABLE: LazyLock<Table<Operand>> =
    LazyLock::new(|| match Table::new(rows::ROWS, Overlap::Refused, Reserved::Illegal) {
        Ok(table) => table,
        Err(e) => panic!("the table of Fermi: {e}"),
    });

/// A form, arguments in column order.
const fn form(
    name: &'static str, mnemonic: &'static str, mask: u128, match_: u128, evidence: Evidence, fields: &'static [Field],
    reserved: &'static [(u8, u8)], modifiers: &'static [Modifier], operands: &'static [Operand], sem: &'static str,
    note: &'static str,
) -> Row {
    let (alias, length, status) = ("", Length::Fixed(8), Status::Specified);
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
