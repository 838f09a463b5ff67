//! Words in order, alignment of long instructions, and labels.

use warpsmith_isa::table::{Field, Kind, Role};
use warpsmith_isa::FORMS;

/// A place in the program, known or still to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// The program under construction.
#[derive(Default)]
pub struct Code {
    words: Vec<u32>,
    places: Vec<Option<u32>>,
    uses: Vec<(usize, Label)>,
}

/// Target field of control words.
const TARGET: Field = Field::two((11, 16), (46, 6));
/// `MOV32 R0, R0`: the short word that fills a gap.
const FILLER: u32 = 0x1000_8000;

impl Code {
    /// Bytes so far.
    pub fn bytes(&self) -> u32 {
        4 * self.words.len() as u32
    }

    /// Appends a word or a pair; a pair is aligned to 8 bytes.
    pub fn push(&mut self, word: u64) {
        if word & 1 == 0 {
            self.words.push(word as u32);
            return;
        }
        self.align();
        self.words.extend([word as u32, (word >> 32) as u32]);
    }

    /// Fills up to a multiple of 8 bytes.
    pub fn align(&mut self) {
        if self.words.len() % 2 != 0 {
            self.words.push(FILLER);
        }
    }

    /// A label to be placed later.
    pub fn label(&mut self) -> Label {
        self.places.push(None);
        Label(self.places.len() - 1)
    }

    /// Places a label at the next long instruction.
    pub fn place(&mut self, label: Label) {
        self.align();
        self.places[label.0] = Some(self.bytes());
    }

    /// A control word whose target is a label.
    pub fn jump(&mut self, word: u64, to: Label) {
        self.align();
        self.uses.push((self.words.len(), to));
        self.push(word);
    }

    /// The finished words.
    pub fn finish(mut self) -> Vec<u32> {
        for (at, label) in self.uses {
            let target = self.places[label.0].unwrap_or(0);
            let field = TARGET.put(target / 4);
            self.words[at] |= field as u32;
            self.words[at + 1] |= (field >> 32) as u32;
        }
        self.words
    }
}

/// The first row of a kind, its fixed bits: rows of control and fixed sequences are built on it.
pub fn row(kind: Kind) -> u64 {
    FORMS
        .iter()
        .find(|f| f.kind == kind && f.match_ & 1 != 0)
        .map_or(0, |f| f.match_)
}

/// A guard: condition code and flag register.
pub fn guard(code: u8, creg: u8) -> u64 {
    u64::from(code) << 39 | u64::from(creg) << 44
}

/// The guard that always holds.
pub const ALWAYS: u64 = 15 << 39;

/// The field of a modifier in a row of a kind.
pub fn field(form: usize, role: Role) -> Option<Field> {
    FORMS[form]
        .mods
        .iter()
        .find(|m| m.role == role)
        .map(|m| m.field)
}
