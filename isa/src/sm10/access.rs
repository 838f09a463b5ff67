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

/// Adds what is not in the list yet.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl Instr {
    /// Everything the instruction reads, each once: registers and halves (as their whole register),
    /// all registers of a float of 64 bits or a wide store, address registers of memory operands, the flag register of the
    /// guard, of a carry and of C2R. A guard that is always or never true reads nothing. What a
    /// partial write keeps is not listed.
    pub fn reads(&self) -> impl Iterator<Item = Resource> {
        let mut out = Vec::new();
        for (n, s) in self.src.iter().enumerate() {
            match *s {
                Src::Reg(r) => {
                    for k in 0..self.op.registers(n) {
                        add(&mut out, Resource::Reg(r.saturating_add(k)));
                    }
                }
                Src::Half(h) => add(&mut out, Resource::Reg(h >> 1)),
                Src::Addr(a) if a != 0 => add(&mut out, Resource::Addr(a)),
                Src::Cc(c) => add(&mut out, Resource::Flag(c)),
                _ => {}
            }
        }
        for at in self.memory() {
            if at.areg != 0 {
                add(&mut out, Resource::Addr(at.areg));
            }
        }
        if self.op.adds_carry() || self.pred.reads_flags() {
            add(&mut out, Resource::Flag(self.pred.creg));
        }
        out.into_iter()
    }

    /// Everything the instruction writes, each once: the destination (all registers of a pair or
    /// quad), the flag register, an address register it post-increments. Memory is not listed.
    pub fn writes(&self) -> impl Iterator<Item = Write> {
        let guarded = !matches!(self.op, Op::Vote { .. }) && !self.pred.is_always();
        let lanes = matches!(self.op, Op::Mov { lanes, .. } if lanes != 0xf);
        let mut out = Vec::new();
        let mut write = |to, partial| add(&mut out, Write { to, partial: partial || guarded });
        match self.dst {
            Dst::None | Dst::Discard | Dst::Out(_) | Dst::Addr(0) => {}
            Dst::Reg(r) => write(Resource::Reg(r), lanes),
            Dst::Half(h) => write(Resource::Reg(h >> 1), true),
            Dst::Pair(r) => (0..2).for_each(|k| write(Resource::Reg(r.saturating_add(k)), false)),
            Dst::Quad(r) => (0..4).for_each(|k| write(Resource::Reg(r.saturating_add(k)), false)),
            Dst::Addr(a) => write(Resource::Addr(a), false),
            Dst::Cc(c) => write(Resource::Flag(c), false),
        }
        if let Some(c) = self.cdst {
            write(Resource::Flag(c), false);
        }
        for at in self.memory() {
            if at.post_inc && at.areg != 0 {
                write(Resource::Addr(at.areg), false);
            }
        }
        out.into_iter()
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
}

fn last(list: impl Iterator<Item = Resource>) -> Option<u8> {
    list.filter_map(|r| match r {
        Resource::Reg(r) => Some(r),
        _ => None,
    })
    .max()
}
