//! Registers, address registers and flag registers that an instruction reads and writes.

use crate::sm10::instr::*;
use crate::sm10::op::Op;
use crate::sm10::operand::{Dst, MemRef, Src};

/// Something an instruction reads or writes, one for each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// 32-bit register. Numbers beyond 127 occur when a pair or quad is named at the end.
    Reg(u8),
    /// Address register `$a1`..`$a7` (`$a0` is the constant 0 and is never listed).
    Addr(u8),
    /// Flag register `$c0`..`$c3`, all four flags.
    Flag(u8),
}

/// A write of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Write {
    /// The resource written.
    pub to: Resource,
    /// Some of the old contents stay: the other half of a register, the threads where the guard
    /// does not hold, the quad lanes a MOV leaves out. The old value is then used by what follows.
    pub partial: bool,
}

/// A list of up to 8 items, each once, in the order of the operands.
#[derive(Clone, Copy)]
struct List<T> {
    items: [Option<T>; 8],
    len: usize,
}

impl<T: Copy + PartialEq> List<T> {
    fn new() -> Self {
        List { items: [None; 8], len: 0 }
    }

    fn add(&mut self, item: T) {
        if !self.items.contains(&Some(item)) && self.len < self.items.len() {
            self.items[self.len] = Some(item);
            self.len += 1;
        }
    }
}

impl Instr {
    /// Everything the instruction reads, each once: registers and halves (as their whole register),
    /// all registers of a wide store, address registers of memory operands, the flag register of the
    /// guard, of a carry and of C2R. A guard that is always or never true reads nothing. What a
    /// partial write keeps is not listed.
    pub fn reads(&self) -> impl Iterator<Item = Resource> {
        let mut out = List::new();
        for (n, s) in self.src.iter().enumerate() {
            match *s {
                Src::Reg(r) => {
                    for k in 0..self.width(n) {
                        out.add(Resource::Reg(r.saturating_add(k)));
                    }
                }
                Src::Half(h) => out.add(Resource::Reg(h >> 1)),
                Src::Addr(a) if a != 0 => out.add(Resource::Addr(a)),
                Src::Cc(c) => out.add(Resource::Flag(c)),
                _ => {}
            }
        }
        for at in self.memory() {
            if at.areg != 0 {
                out.add(Resource::Addr(at.areg));
            }
        }
        if self.op.adds_carry() || self.pred.reads_flags() {
            out.add(Resource::Flag(self.pred.creg));
        }
        out.items.into_iter().flatten()
    }

    /// Everything the instruction writes, each once: the destination (all registers of a pair or
    /// quad), the flag register, an address register it post-increments. Memory is not listed.
    pub fn writes(&self) -> impl Iterator<Item = Write> {
        let guarded = !self.pred.is_always();
        let lanes = matches!(self.op, Op::Mov { lanes, .. } if lanes != 0xf);
        let mut out = List::new();
        let mut add = |to, partial| {
            out.add(Write { to, partial: partial || guarded });
        };
        match self.dst {
            Dst::None | Dst::Discard | Dst::Out(_) | Dst::Addr(0) => {}
            Dst::Reg(r) => add(Resource::Reg(r), lanes),
            Dst::Half(h) => add(Resource::Reg(h >> 1), true),
            Dst::Pair(r) => (0..2).for_each(|k| add(Resource::Reg(r.saturating_add(k)), false)),
            Dst::Quad(r) => (0..4).for_each(|k| add(Resource::Reg(r.saturating_add(k)), false)),
            Dst::Addr(a) => add(Resource::Addr(a), false),
            Dst::Cc(c) => add(Resource::Flag(c), false),
        }
        if let Some(c) = self.cdst {
            add(Resource::Flag(c), false);
        }
        for at in self.memory() {
            if at.post_inc && at.areg != 0 {
                add(Resource::Addr(at.areg), false);
            }
        }
        out.items.into_iter().flatten()
    }

    /// Highest register written, `None` when none is.
    pub fn last_register_written(&self) -> Option<u8> {
        last(self.writes().map(|w| w.to))
    }

    /// Highest register read, `None` when none is.
    pub fn last_register_read(&self) -> Option<u8> {
        last(self.reads())
    }

    /// References to shared, constant and local memory, those in sources first.
    pub fn memory(&self) -> impl Iterator<Item = MemRef> {
        let source = |s: Src| match s {
            Src::Shared(at) | Src::Const { at, .. } => Some(at),
            _ => None,
        };
        let [a, b, c] = self.src.map(source);
        [a, b, c, self.op.memory()].into_iter().flatten()
    }

    /// Consecutive registers that source `n` stands for: more than one in wide stores.
    fn width(&self, n: usize) -> u8 {
        match self.op {
            Op::StGlobal { size, .. } if n == 1 => size.regs(),
            Op::StLocal { at } if n == 0 => at.size.regs(),
            _ => 1,
        }
    }
}

fn last(list: impl Iterator<Item = Resource>) -> Option<u8> {
    list.filter_map(|r| match r {
        Resource::Reg(r) => Some(r),
        _ => None,
    })
    .max()
}
