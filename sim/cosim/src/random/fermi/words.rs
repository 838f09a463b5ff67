//! Words of the table's rows.

use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Field, Form, InstructionSet};

/// Bytes of an instruction.
const BYTES: u32 = 8;
/// Register that reads as zero.
pub const ZERO: u64 = 63;
/// Predicate that is always true.
pub const TRUE: u64 = 7;

/// The row of a form by its name.
///
/// # Panics
/// There is none: the names are those of the generator.
pub fn row(name: &str) -> usize {
    let found = TABLE.forms().iter().position(|f| f.name == name);
    found.unwrap_or_else(|| panic!("Fermi has no form {name}"))
}

/// The form of a row.
pub fn form(row: usize) -> &'static Form<Operand> {
    TABLE.forms()[row]
}

/// A field of a row by its name.
pub fn field(row: usize, name: &str) -> Option<Field> {
    TABLE.fields(row).iter().copied().find(|f| f.name == name)
}

/// A word under construction.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Its row.
    pub row: usize,
    /// Its bits.
    pub bits: u128,
}

impl Word {
    /// A word of a row: fields 0 where they may be, always executed.
    pub fn of_row(row: usize) -> Word {
        let sample = Fermi.sample(row);
        let bits = sample.map_or(form(row).match_, |i| i.code.bits());
        Word { row, bits }.maybe("P", TRUE)
    }

    /// A word of a form by its name.
    pub fn of(name: &str) -> Word {
        Word::of_row(row(name))
    }

    /// With a field set, where the row has it.
    pub fn maybe(self, name: &str, value: u64) -> Word {
        match field(self.row, name) {
            Some(f) => Word { bits: f.put(self.bits, value), ..self },
            None => self,
        }
    }

    /// With a field set.
    ///
    /// # Panics
    /// The row has no such field: the names are those of the generator.
    pub fn with(self, name: &str, value: u64) -> Word {
        let name_of = form(self.row).name;
        assert!(field(self.row, name).is_some(), "{name_of} has no field {name}");
        self.maybe(name, value)
    }

    /// With a guard: predicate, negated.
    pub fn guard(self, (p, not): (u64, bool)) -> Word {
        self.with("P", p).with("PN", not.into())
    }

    /// With the mark `.S`.
    pub fn join(self) -> Word {
        self.with("J", 1)
    }

    /// At an address in bytes, with another as its target.
    pub fn to(self, at: usize, target: usize) -> Word {
        let offset = target as i64 - at as i64 - i64::from(BYTES);
        let target = field(row("BRA"), "t").expect("a branch has a target");
        Word { bits: target.put(self.bits, offset as u64), ..self }
    }

    /// Its bytes.
    pub fn code(self) -> Vec<u8> {
        (self.bits as u64).to_le_bytes().to_vec()
    }
}
