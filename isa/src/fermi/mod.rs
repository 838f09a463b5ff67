//! Fermi (SM 2.0): 12 float opcodes and the carrier set around them, 8-byte instructions.
//!
//! `@!P0 FADD.FTZ.RM.SAT R1, -|R2|, c[0x1][0x20]`: guard, mnemonic, modifiers in table order, `.PO`, `.S`,
//! operands. A word with a reserved bit set or a reserved modifier value is illegal.

mod chip;
mod lower;
pub mod operand;
pub mod table;
mod text;

use crate::set::{DecodeError, EncodeError, Fields, Instr, InstructionSet, Modifier, Place, Row, TextError};
use crate::uop::{Lowered, Unimplemented};
use crate::{Isa, Options};
pub use chip::{is_double, lacks};
use table::TABLE;

/// The set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fermi;

impl InstructionSet for Fermi {
    fn isa(&self) -> Isa {
        Isa::Fermi
    }

    fn title(&self) -> &'static str {
        "Instruction set of Fermi (SM 2.0), floats and carrier set"
    }

    fn unit(&self) -> usize {
        8
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

    fn print(&self, instr: &Instr, pc: u64) -> String {
        text::print(instr, pc)
    }

    fn parse(&self, text: &str, place: &Place) -> Result<Instr, TextError> {
        self.parse_noted(text, place).map(|(instr, _)| instr)
    }

    fn parse_noted(&self, text: &str, place: &Place) -> Result<(Instr, Vec<String>), TextError> {
        text::parse(text, place)
    }

    fn lower(&self, instr: &Instr, pc: u64) -> Result<Lowered, Unimplemented> {
        lower::lower(instr, pc)
    }

    fn lacks(&self, _instr: &Instr, lowered: &Lowered, options: Options) -> Option<&'static str> {
        lacks(lowered, options)
    }

    fn sample(&self, row: usize) -> Option<Instr> {
        let form = TABLE.forms().get(row)?;
        let values = form.modifiers.iter().filter_map(|m| match m {
            Modifier::Names(field, names) => {
                let first = names.first().map_or(0, |n| n.0.into());
                Some((field.name, m.default().unwrap_or(first)))
            }
            Modifier::Fixed(_) => None,
        });
        let fields = Fields { row, values: values.collect(), ..Fields::default() };
        self.encode(&fields).ok()
    }

    fn registers(&self) -> u32 {
        63
    }

    fn rows(&self) -> Vec<Row> {
        TABLE.forms().iter().map(|f| Row::of(f)).collect()
    }
}

/// Every modifier has a value with a meaning.
fn legal(instr: &Instr) -> Result<(), DecodeError> {
    let form = TABLE.form(instr);
    let bits = instr.code.bits();
    for m in form.modifiers {
        if let (Modifier::Names(field, _), None) = (m, m.name(bits)) {
            return Err(DecodeError::Value { form: form.name, field: field.name, value: field.get(bits) });
        }
    }
    let on = |name| {
        let named = form.modifiers.iter().filter_map(|m| m.name(bits));
        named.into_iter().any(|n| n == name)
    };
    if on("FTZ") && on("FMZ") {
        return Err(DecodeError::Combination { form: form.name, reason: "FTZ and FMZ exclude each other" });
    }
    Ok(())
}
