//! Registers that an instruction reads and writes.

use super::{Class, Dst, Function, Inst, MemRef, Reg, Src, Term, Word};
use warpsmith_isa::{Op, Width};

/// How a register is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Read.
    Read,
    /// Written in full, in every thread that needs the result.
    Write,
    /// Written in part, or in some threads: the old contents matter.
    Partial,
}

/// One register touched by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The register.
    pub reg: Reg,
    /// Which word of it; `None` is all of them, and address and flag registers.
    pub part: Option<u8>,
    /// A 16-bit operand, which only R0 to R63 can be.
    pub half: bool,
    /// How.
    pub how: How,
}

impl Inst {
    /// Calls `f` for every register read, then for every register written.
    pub fn accesses(&self, mut f: impl FnMut(Access)) {
        let mut go = |reg, part, half, how| f(Access { reg, part, half, how });
        if let Some(g) = self.guard {
            go(g.flag, None, false, How::Read);
        }
        if let Some(c) = self.carry {
            go(c, None, false, How::Read);
        }
        for s in self.src {
            match s {
                Src::Word(w) => go(w.reg, Some(w.part), false, How::Read),
                Src::Half(w, _) => go(w.reg, Some(w.part), true, How::Read),
                Src::Wide(r) | Src::Addr(r) | Src::Flag(r) => go(r, None, false, How::Read),
                _ => {}
            }
        }
        for m in self.memory() {
            if let Some(base) = m.base {
                go(base, None, false, How::Read);
            }
        }
        if let Some(c) = self.call {
            c.fixed.words(c.args).for_each(|r| go(r, Some(0), false, How::Read));
            c.fixed.words(c.gprs).for_each(|r| go(r, Some(0), false, How::Write));
            let addrs = if c.addrs { super::ADDRS } else { 0 };
            for (first, n) in [(c.fixed.addrs, addrs), (c.fixed.flags, super::FLAGS)] {
                (0..u32::from(n)).for_each(|k| go(Reg(first.0 + k), None, false, How::Write));
            }
        }
        let some = self.guard.is_some() && !self.fresh;
        let some_lanes = matches!(self.op, Op::Mov { lanes, .. } if lanes & 15 != 15);
        let how = if some || some_lanes { How::Partial } else { How::Write };
        for m in self.memory() {
            if let (Some(base), true) = (m.base, m.post_inc) {
                let how = if self.guard.is_some() { How::Partial } else { How::Write };
                go(base, None, false, how);
            }
        }
        match self.dst {
            Dst::None | Dst::Discard => {}
            Dst::Word(w) => go(w.reg, Some(w.part), false, how),
            Dst::Half(w, _) => go(w.reg, Some(w.part), true, How::Partial),
            Dst::Wide(r) | Dst::Addr(r) | Dst::Flag(r) => go(r, None, false, how),
        }
        if let Some(c) = self.cdst {
            go(c, None, false, if some { How::Partial } else { How::Write });
        }
    }

    /// The memory operands: of sources and of stores and local accesses.
    pub fn memory(&self) -> impl Iterator<Item = MemRef> {
        let of = |s: Src| match s {
            Src::Shared(m) | Src::Const(_, m) => Some(m),
            _ => None,
        };
        let [a, b, c] = self.src.map(of);
        [a, b, c, self.at].into_iter().flatten()
    }

    /// Source and destination of an instruction that only copies a 32-bit word.
    pub fn copy(&self) -> Option<(Word, Word)> {
        match (self.op, self.dst, self.src[0]) {
            (Op::Mov { width: Width::W32, lanes: 15 }, Dst::Word(to), Src::Word(from)) if self.cdst.is_none() => {
                Some((to, from))
            }
            _ => None,
        }
    }

    /// Destination and address of a 64- or 128-bit load from global memory. The destination does not
    /// hold the address: a chip on a board may be one whose passes overwrite it before the last reads it.
    pub fn wide_load(&self) -> Option<(Reg, Word)> {
        match (self.op, self.dst, self.src[0]) {
            (Op::LdGlobal { .. }, Dst::Wide(to), Src::Word(address)) => Some((to, address)),
            _ => None,
        }
    }

    /// Source and destination where the instruction copies an address register.
    pub fn address_copy(&self) -> Option<(Reg, Reg)> {
        match (self.op, self.dst, self.src) {
            (Op::AddA, Dst::Addr(to), [Src::Addr(from), Src::Imm(0), _]) => Some((to, from)),
            _ => None,
        }
    }
}

impl Term {
    /// The flag register read.
    pub fn flag(&self) -> Option<Reg> {
        self.guard().map(|g| g.flag)
    }
}

/// A number for every word of every register; address and flag registers have one.
#[derive(Clone, Debug)]
pub struct Units {
    first: Vec<u32>,
    /// Register and part of every unit.
    pub of: Vec<Word>,
}

impl Units {
    /// Numbers the words of a function's registers.
    pub fn new(f: &Function) -> Units {
        let (mut first, mut of) = (Vec::new(), Vec::new());
        for (i, class) in f.regs.iter().enumerate() {
            first.push(of.len() as u32);
            let reg = Reg(i as u32);
            of.extend((0..class.words()).map(|part| Word { reg, part }));
        }
        Units { first, of }
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// True where the function has no register.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The unit of a word.
    pub fn word(&self, w: Word) -> u32 {
        self.first[w.reg.0 as usize] + u32::from(w.part)
    }

    /// The first unit of a register.
    pub fn reg(&self, r: Reg) -> u32 {
        self.first[r.0 as usize]
    }

    /// The units of an access.
    pub fn access(&self, f: &Function, a: Access) -> std::ops::Range<u32> {
        let first = self.reg(a.reg);
        match a.part {
            Some(p) => first + u32::from(p)..first + u32::from(p) + 1,
            None => first..first + u32::from(f.regs[a.reg.0 as usize].words()),
        }
    }
}

impl Class {
    /// Words of a register of this class; 1 for address and flag registers.
    pub const fn words(self) -> u8 {
        match self {
            Class::Gpr(n) => n,
            Class::Addr | Class::Flag => 1,
        }
    }
}
