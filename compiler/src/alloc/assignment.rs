//! Places of the virtual registers of a function.

use crate::mir::{Class, Inst, Reg, Word};

/// Where every virtual register lives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    pub(super) places: Vec<Option<u8>>,
    pub(super) classes: Vec<Class>,
    /// 32-bit registers a thread needs: the highest one and one.
    pub registers: u32,
    /// Words of local memory that hold spilled registers.
    pub spilled_words: u32,
}

impl Assignment {
    /// First 32-bit register, address register (from 1) or flag register (from 0).
    pub fn place(&self, r: Reg) -> Option<u8> {
        self.places.get(r.0 as usize).copied().flatten()
    }

    /// The 32-bit register of a word.
    pub fn word(&self, w: Word) -> Option<u8> {
        self.place(w.reg).map(|p| p + w.part)
    }

    /// 32-bit registers of a register; 1 for address and flag registers.
    pub fn words(&self, r: Reg) -> u8 {
        self.classes.get(r.0 as usize).map_or(1, |c| c.words())
    }

    /// True where two words have the same register.
    pub fn same(&self, a: Word, b: Word) -> bool {
        let kind = |w: Word| match self.classes.get(w.reg.0 as usize) {
            Some(Class::Gpr(_)) | None => 0,
            Some(Class::Addr) => 1,
            Some(Class::Flag) => 2,
        };
        kind(a) == kind(b) && self.word(a).is_some() && self.word(a) == self.word(b)
    }

    /// True where an instruction copies a register to itself.
    pub fn is_idle(&self, i: &Inst) -> bool {
        if let Some((to, from)) = i.copy() {
            return self.same(to, from);
        }
        i.address_copy().is_some_and(|(to, from)| self.place(to) == self.place(from))
    }
}
