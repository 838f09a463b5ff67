//! Apple G13: instructions of 2 to 12 bytes in steps of 2.
//!
//! `fadd32.sat r11, r8, -0.0`, `device_load 0, i32, x, r3, u0_u1, r2, unsigned`: mnemonic, operands in table
//! order with flags after a point, as applegpu prints them; operands that are empty are left out.
//! Reserved bits and the longer encoding of a value that fits the shorter are legal and kept. A source or
//! destination with a mode that does not exist, an odd register of 32 bits and a condition or conversion
//! without meaning are illegal.

mod alias;
mod alu;
mod chip;
mod lower;
pub mod operand;
mod operand_choice;
mod operand_register;
mod register;
pub mod table;
mod text;

pub use alu::mini_float;

use crate::set::{DecodeError, EncodeError, Fields, Instr, InstructionSet, Place, Row, TextError};
use crate::uop::{Lowered, Unimplemented};
use crate::{Isa, Options};
use operand::Kind;
use table::TABLE;

/// The set.
#[derive(Clone, Copy, Debug, Default)]
pub struct G13;

impl InstructionSet for G13 {
    fn isa(&self) -> Isa {
        Isa::G13
    }

    fn title(&self) -> &'static str {
        "Instruction set of Apple G13"
    }

    fn unit(&self) -> usize {
        2
    }

    fn decode(&self, bytes: &[u8]) -> Result<Instr, DecodeError> {
        let instr = TABLE.decode(bytes)?;
        legal(&instr)?;
        Ok(instr)
    }

    fn fields(&self, instr: &Instr) -> Fields {
        TABLE.split(instr)
    }

    fn encode(&self, fields: &Fields) -> Result<Instr, EncodeError> {
        let instr = TABLE.join(fields)?;
        legal(&instr)?;
        Ok(instr)
    }

    fn print(&self, instr: &Instr, _pc: u64) -> String {
        text::print(instr)
    }

    fn parse(&self, text: &str, place: &Place) -> Result<Instr, TextError> {
        text::parse(text, place)
    }

    fn lower(&self, instr: &Instr, pc: u64) -> Result<Lowered, Unimplemented> {
        lower::lower(instr, pc)
    }

    fn lacks(&self, instr: &Instr, lowered: &Lowered, options: Options) -> Option<&'static str> {
        chip::lacks(TABLE.form(instr).name, &lowered.uops, options)
    }

    fn discards(&self, instr: &Instr) -> Vec<(crate::uop::Place, crate::uop::Type)> {
        lower::discards(instr)
    }

    fn registers(&self) -> u32 {
        128
    }

    fn pointer_bytes(&self) -> usize {
        8
    }

    /// The operands of a select are the number 0, a uniform that is stored is a half with a number; an access has
    /// one element at a number, a conversion 32 bits, for chips have no others. Zeros
    /// are legal in every other field.
    fn sample(&self, row: usize) -> Option<Instr> {
        let form = TABLE.forms().get(row)?;
        let selects = form.operands.iter().filter(|o| o.kind == Kind::SelectSrc);
        let mut values: Vec<_> = selects.map(|o| (o.fields[1].name, 4)).collect();
        match form.name {
            "atomic" => values.push(("Ot", 1)),
            "uniform_store" => values.extend([("F", 1), ("Ot", 1), ("mask", 1)]),
            "device_load" | "device_store" | "threadgroup_load" | "threadgroup_store" | "stack_load"
            | "stack_store" => {
                values.extend([("mask", 1), ("Ot", 1)]);
            }
            "convert" => values.push((form.operands[0].fields[0].name, 10)),
            _ => {}
        }
        let fields = Fields { row, values, long: form.length.mask() != 0, ..Fields::default() };
        self.encode(&fields).ok()
    }

    fn rows(&self) -> Vec<Row> {
        TABLE.forms().iter().map(|f| Row::of(f)).collect()
    }
}

/// Every operand has a value with a meaning.
fn legal(instr: &Instr) -> Result<(), DecodeError> {
    let form = TABLE.form(instr);
    let bits = instr.code.bits();
    match form.operands.iter().find_map(|o| o.illegal(bits)) {
        None => Ok(()),
        Some(field) => Err(DecodeError::Value { form: form.name, field: field.name, value: field.get(bits) }),
    }
}
