//! Instructions of the table's rows.

use warpsmith_isa::g13::operand::Operand;
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::set::{Code as Bits, Field, Form};

/// The row of a form by its name.
///
/// # Panics
/// There is none: the names are those of the generator.
pub fn row(name: &str) -> usize {
    let found = TABLE.forms().iter().position(|f| f.name == name);
    found.unwrap_or_else(|| panic!("G13 has no form {name}"))
}

/// The form of a row.
pub fn form(row: usize) -> &'static Form<Operand> {
    TABLE.forms()[row]
}

/// A field of a row by its name.
pub fn field(row: usize, name: &str) -> Option<Field> {
    TABLE.fields(row).iter().copied().find(|f| f.name == name)
}

/// A source as the fields of an operand have it.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Register of 32 bits.
    Reg(u64),
    /// Number of 8 bits.
    Imm(u64),
}

/// An instruction under construction.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Its row.
    pub row: usize,
    /// Its bits.
    pub bits: u128,
    /// The longer encoding where the shorter would do.
    pub long: bool,
}

impl Word {
    /// An instruction of a row, all fields 0.
    pub fn of_row(row: usize) -> Word {
        Word { row, bits: form(row).match_, long: false }
    }

    /// An instruction of a form by its name.
    pub fn of(name: &str) -> Word {
        Word::of_row(row(name))
    }

    /// With a field set.
    ///
    /// # Panics
    /// The row has no such field: the names are those of the generator.
    pub fn with(self, name: &str, value: u64) -> Word {
        let Some(f) = field(self.row, name) else {
            panic!("{} has no field {name}", form(self.row).name);
        };
        let bits = f.put(self.bits, value);
        Word { bits, ..self }
    }

    /// With a destination of 32 bits.
    pub fn to(self, r: u64) -> Word {
        self.with("D", 2 * r).with("Dt", 2)
    }

    /// With a source: the fields of a name, and of the same with a `t`.
    pub fn from(self, name: &str, source: Source) -> Word {
        let mode = format!("{name}t");
        match source {
            Source::Reg(r) => self.with(name, 2 * r).with(&mode, 0b1001),
            Source::Imm(v) => self.with(name, v).with(&mode, 0),
        }
    }

    /// The bits in the shortest encoding, or the longest.
    pub fn code(self) -> Bits {
        let length = form(self.row).length;
        match self.long {
            true => {
                let bits = self.bits | length.mask();
                Bits::new(bits, length.of(bits))
            }
            false => TABLE.canonical(self.row, self.bits).code,
        }
    }
}
