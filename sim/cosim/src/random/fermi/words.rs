//! Words of the table's rows, and a program of them with labels.

use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Field, Form, InstructionSet};

/// Bytes of an instruction.
pub const BYTES: u32 = 8;
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
}

/// A place in the program.
#[derive(Clone, Copy, Debug)]
pub struct Label(usize);

/// The program under construction.
#[derive(Default)]
pub struct Code {
    words: Vec<u64>,
    labels: Vec<Option<usize>>,
    jumps: Vec<(usize, Label)>,
}

impl Code {
    /// Bytes so far.
    pub fn bytes(&self) -> u32 {
        BYTES * self.words.len() as u32
    }

    /// Appends a word.
    pub fn push(&mut self, word: Word) {
        self.words.push(word.bits as u64);
    }

    /// A label to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Places a label at the next word.
    pub fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.words.len());
    }

    /// Appends a word whose target is a label.
    pub fn jump(&mut self, word: Word, to: Label) {
        self.jumps.push((self.words.len(), to));
        self.push(word);
    }

    /// The bytes of the program.
    ///
    /// # Panics
    /// A label was used and never placed.
    pub fn finish(mut self) -> Vec<u8> {
        let target = field(row("BRA"), "t");
        for (at, label) in self.jumps {
            let (Some(to), Some(field)) = (self.labels[label.0], target) else {
                panic!("the generator placed no label for the jump in word {at}");
            };
            let offset = i64::from(BYTES) * (to as i64 - at as i64 - 1);
            self.words[at] = field.put(self.words[at].into(), offset as u64) as u64;
        }
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }
}
