//! A program of any instruction set.

use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::{Isa, Semantics};

/// Machine code in memory order, and the instruction set that it is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Instruction set.
    pub isa: Isa,
    /// Of SM 1.0, how the words are read.
    pub semantics: Semantics,
    /// The code; in SM 1.0 words of 32 bits, low byte first.
    pub bytes: Vec<u8>,
}

impl Program {
    /// Code of a set.
    pub fn new(isa: Isa, bytes: Vec<u8>) -> Self {
        Program { isa, bytes, ..Program::default() }
    }

    /// The program, its words read in another way.
    #[must_use]
    pub fn read_as(self, semantics: Semantics) -> Self {
        Program { semantics, ..self }
    }

    /// Its instruction set, in its reading.
    pub fn set(&self) -> &'static dyn InstructionSet {
        match self.isa {
            Isa::Sm10 => self.semantics.set(),
            isa => isa.set(),
        }
    }

    /// The code as words of 32 bits; the last is filled up with zeros.
    pub fn words(&self) -> Vec<u32> {
        let word = |b: &[u8]| b.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
        self.bytes.chunks(4).map(word).collect()
    }

    /// Bytes of the code.
    pub fn len(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The instruction at byte address `pc`; `None` where none begins.
    pub fn at(&self, pc: u32) -> Option<Instr> {
        self.set().decode(self.bytes.get(pc as usize..)?).ok()
    }
}

impl From<Vec<u32>> for Program {
    /// Words of SM 1.0.
    fn from(words: Vec<u32>) -> Self {
        Program::new(Isa::Sm10, words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }
}
