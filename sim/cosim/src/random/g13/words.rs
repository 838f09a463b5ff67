//! Instructions of the table's rows, and a program of them with labels.

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

/// A place in the program.
#[derive(Clone, Copy, Debug)]
pub struct Label(usize);

/// An offset or address that is filled in at the end.
struct Open {
    at: usize,
    word: Word,
    field: Field,
    label: Label,
    relative: bool,
}

/// The program under construction.
#[derive(Default)]
pub struct Code {
    bytes: Vec<u8>,
    labels: Vec<Option<usize>>,
    open: Vec<Open>,
}

impl Code {
    /// Bytes so far.
    pub fn bytes(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Appends an instruction.
    pub fn push(&mut self, word: Word) {
        self.bytes.extend(word.code().to_vec());
    }

    /// A label to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label at the next instruction.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.bytes.len());
    }

    /// Appends a jump to a label.
    pub fn jump(&mut self, name: &str, label: Label) {
        self.later(Word::of(name), "off", label, true);
    }

    /// Appends a word one of whose fields is the address of a label.
    pub fn address(&mut self, word: Word, name: &str, label: Label) {
        self.later(word, name, label, false);
    }

    fn later(&mut self, word: Word, name: &str, label: Label, relative: bool) {
        if let Some(field) = field(word.row, name) {
            let at = self.bytes.len();
            self.open.push(Open { at, word, field, label, relative });
        }
        self.push(word);
    }

    /// The bytes of the program.
    ///
    /// # Panics
    /// A label was used and never placed.
    pub fn finish(mut self) -> Vec<u8> {
        for open in self.open {
            let Some(to) = self.labels[open.label.0] else {
                panic!("the generator placed no label for the jump at {:#x}", open.at);
            };
            let from = if open.relative { open.at } else { 0 };
            let bits = open.field.put(open.word.bits, to.wrapping_sub(from) as u64);
            let code = Word { bits, ..open.word }.code().to_vec();
            self.bytes[open.at..open.at + code.len()].copy_from_slice(&code);
        }
        self.bytes
    }
}
