//! Spill code: loads and stores around an instruction with spilled registers.

use super::spill::{Home, Spills};
use crate::error::Loc;
use crate::mir::{Class, Dst, Function, Guard, How, Inst, MemRef, Reg, Src, Word};
use std::collections::HashMap;
use warpsmith_isa::{self as isa, AddKind, MemSize, Op, Width};

const MOVE: Op = Op::Mov { width: Width::W32, lanes: 15 };

fn local(at: u32, size: MemSize) -> (isa::MemRef, MemRef) {
    let none = isa::MemRef { areg: 0, offset: 0, post_inc: false, size };
    let place = MemRef { base: None, offset: at as i32, post_inc: false, size };
    (none, place)
}

/// A store to local memory.
pub(super) fn store(at: u32, from: Src, size: MemSize, loc: Loc) -> Inst {
    let (none, place) = local(at, size);
    let op = Op::StLocal { at: none };
    Inst { at: Some(place), ..Inst::new(op, Dst::None, [from, Src::None, Src::None], loc) }
}

fn load(at: u32, to: Dst, size: MemSize, loc: Loc) -> Inst {
    let (none, place) = local(at, size);
    let op = Op::LdLocal { at: none };
    Inst { at: Some(place), ..Inst::new(op, to, [Src::None; 3], loc) }
}

fn one(op: Op, dst: Dst, src: Src, loc: Loc) -> Inst {
    Inst::new(op, dst, [src, Src::None, Src::None], loc)
}

/// A flag register from the word that keeps it.
pub(super) fn to_flag(flag: Reg, home: Word, loc: Loc) -> Inst {
    one(Op::R2C, Dst::Flag(flag), Src::Word(home), loc)
}

fn size_of(words: u8) -> MemSize {
    match words {
        4 => MemSize::B128,
        2 => MemSize::B64,
        _ => MemSize::B32,
    }
}

/// A register that stands in for a spilled one in one instruction.
#[derive(Clone, Copy)]
struct Stand {
    reg: Reg,
    /// The spilled register and its word; `None` is all of it.
    of: (Reg, Option<u8>),
    words: u8,
    /// The old contents are needed.
    load: bool,
    store: bool,
}

/// Rewrites one instruction after the other.
pub(super) struct Rewrite<'a> {
    /// The function, for new registers.
    pub f: &'a mut Function,
    /// Marks these registers.
    pub spills: &'a mut Spills,
    /// Where the spilled registers are.
    pub homes: &'a HashMap<Reg, Home>,
    /// The new instructions.
    pub out: &'a mut Vec<Inst>,
}

impl Rewrite<'_> {
    /// Appends the instruction with what it needs around it.
    pub fn instruction(&mut self, inst: Inst) {
        if self.copies(&inst) || self.addresses(&inst) {
            return;
        }
        if let Dst::Word(w) = inst.dst {
            if matches!(self.homes.get(&w.reg), Some(Home::Again(_))) {
                return;
            }
        }
        let mut inst = inst;
        let mut stands = self.stands(&inst);
        let guard_lost = inst.guard.is_some() && inst.guard.map(|g| g.flag) == inst.cdst;
        let partly = matches!(inst.dst, Dst::Half(..)) || matches!(inst.op, Op::Mov { lanes, .. } if lanes != 15);
        // A guarded result is stored under the same guard, its old value not loaded.
        let guarded = inst.guard.is_some()
            && !inst.fresh
            && !guard_lost
            && !partly
            && inst.cdst.is_none()
            && !matches!(inst.dst, Dst::Flag(_))
            && !inst.memory().any(|m| m.post_inc);
        for s in &mut stands {
            let written_only = s.store && !s.load;
            if written_only && inst.guard.is_some() && !inst.fresh && !guarded {
                s.load = true;
            }
            s.load |= s.store && partly;
        }
        if guarded && stands.iter().any(|s| s.store && !s.load) {
            inst.fresh = true;
        }
        for s in stands.iter().filter(|s| s.load) {
            self.load(s, inst.loc);
        }
        let renamed = self.rename(inst, &stands);
        self.out.push(renamed);
        for s in stands.iter().filter(|s| s.store) {
            // Where the old value was loaded the whole is stored.
            let guard = renamed.guard.filter(|_| !s.load && !guard_lost);
            self.store(s, guard, inst.loc);
        }
    }

    /// Copies from, to and between spilled words; true where that is all.
    fn copies(&mut self, inst: &Inst) -> bool {
        let Some((to, from)) = inst.copy() else {
            return false;
        };
        let home = |w: Word| match self.homes.get(&w.reg)? {
            Home::Local(at) => Some(Home::Local(at + 4 * u32::from(w.part))),
            h => Some(*h),
        };
        // A guard that is spilled itself takes the general way.
        if inst.guard.is_some_and(|g| self.homes.contains_key(&g.flag)) {
            return home(to).is_some() && home(to) == home(from);
        }
        let made = match (home(to), home(from)) {
            (None, None) => return false,
            (a, b) if a == b => return true,
            (Some(Home::Again(_)), _) => return true,
            (Some(Home::Local(at)), None) => store(at, inst.src[0], MemSize::B32, inst.loc),
            (None, Some(Home::Local(at))) => load(at, inst.dst, MemSize::B32, inst.loc),
            (None, Some(Home::Again(again))) => Inst { dst: inst.dst, loc: inst.loc, ..again },
            _ => return false,
        };
        self.out.push(Inst { guard: inst.guard, fresh: inst.fresh, ..made });
        true
    }

    /// Definitions of spilled address registers, computed in 32 bits; true where that is all.
    fn addresses(&mut self, inst: &Inst) -> bool {
        let Dst::Addr(a) = inst.dst else {
            return false;
        };
        let Some(&Home::Gpr(home)) = self.homes.get(&a) else {
            return false;
        };
        let source = |r: Reg| match self.homes.get(&r) {
            Some(Home::Gpr(w)) => Some(*w),
            _ => None,
        };
        let word = |w: Src| match w {
            Src::Word(w) => !self.homes.contains_key(&w.reg),
            _ => true,
        };
        let (op, src) = match (inst.op, inst.src) {
            (Op::R2A { shift }, [from, ..]) if word(from) => match shift {
                0 => (MOVE, [from, Src::None, Src::None]),
                n => {
                    let op = Op::Shift { right: false, signed: false, width: Width::W32 };
                    (op, [from, Src::Imm(u32::from(n)), Src::None])
                }
            },
            (Op::AddA, [Src::AddrZero, by, _]) => (MOVE, [by, Src::None, Src::None]),
            (Op::AddA, [Src::Addr(from), by, _]) => match source(from) {
                Some(w) if w == home && by == Src::Imm(0) => return true,
                Some(w) => {
                    let op = Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false };
                    (op, [Src::Word(w), by, Src::None])
                }
                None => return false,
            },
            _ => return false,
        };
        if inst.guard.is_some_and(|g| self.homes.contains_key(&g.flag)) {
            return false;
        }
        self.out.push(Inst { op, src, dst: Dst::Word(home), ..*inst });
        true
    }

    /// The registers that stand in for the spilled ones of an instruction.
    fn stands(&mut self, inst: &Inst) -> Vec<Stand> {
        let mut touched: Vec<Stand> = Vec::new();
        let mut whole = Vec::new();
        inst.accesses(|a| {
            if a.part.is_none() {
                whole.push(a.reg);
            }
        });
        inst.accesses(|a| {
            if !self.homes.contains_key(&a.reg) {
                return;
            }
            let part = a.part.filter(|_| !whole.contains(&a.reg));
            let of = (a.reg, part);
            let stand = match touched.iter_mut().find(|s| s.of == of) {
                Some(s) => s,
                None => {
                    let words = match part {
                        Some(_) => 1,
                        None => self.f.regs[a.reg.0 as usize].words(),
                    };
                    let class = match self.f.regs[a.reg.0 as usize] {
                        Class::Gpr(_) => Class::Gpr(words),
                        c => c,
                    };
                    touched.push(Stand {
                        reg: self.spills.temporary(self.f, class),
                        of,
                        words,
                        load: false,
                        store: false,
                    });
                    let last = touched.len() - 1;
                    &mut touched[last]
                }
            };
            match a.how {
                How::Read => stand.load = true,
                How::Write | How::Partial => stand.store = true,
            }
            // Some words of a wide register written through a part keep the others.
            stand.load |= part.is_none() && a.part.is_some();
        });
        touched
    }

    fn load(&mut self, s: &Stand, loc: Loc) {
        let word = Word { reg: s.reg, part: 0 };
        let inst = match (self.homes.get(&s.of.0), self.f.regs[s.reg.0 as usize]) {
            (Some(&Home::Gpr(home)), Class::Addr) => one(Op::R2A { shift: 0 }, Dst::Addr(s.reg), Src::Word(home), loc),
            (Some(&Home::Gpr(home)), _) => to_flag(s.reg, home, loc),
            (Some(&Home::Again(again)), _) => Inst { dst: Dst::Word(word), loc, ..again },
            (Some(&Home::Local(at)), _) => {
                let at = at + 4 * u32::from(s.of.1.unwrap_or(0));
                let to = match s.words {
                    1 => Dst::Word(word),
                    _ => Dst::Wide(s.reg),
                };
                load(at, to, size_of(s.words), loc)
            }
            (None, _) => return,
        };
        self.out.push(inst);
    }

    fn store(&mut self, s: &Stand, guard: Option<Guard>, loc: Loc) {
        let inst = match (self.homes.get(&s.of.0), self.f.regs[s.reg.0 as usize]) {
            (Some(&Home::Gpr(home)), Class::Addr) => one(Op::A2R, Dst::Word(home), Src::Addr(s.reg), loc),
            (Some(&Home::Gpr(home)), _) => {
                // C2R has no guard of its own; without the old value all of the new one counts.
                let save = one(Op::C2R, Dst::Word(home), Src::Flag(s.reg), loc);
                self.out.push(save);
                return;
            }
            (Some(&Home::Local(at)), _) => {
                let at = at + 4 * u32::from(s.of.1.unwrap_or(0));
                let from = match s.words {
                    1 => Src::Word(Word { reg: s.reg, part: 0 }),
                    _ => Src::Wide(s.reg),
                };
                store(at, from, size_of(s.words), loc)
            }
            _ => return,
        };
        self.out.push(Inst { guard, ..inst });
    }

    fn rename(&self, inst: Inst, stands: &[Stand]) -> Inst {
        let reg = |r: Reg| {
            let found = stands.iter().find(|s| s.of == (r, None));
            found.map_or(r, |s| s.reg)
        };
        let word = |w: Word| match stands.iter().find(|s| s.of == (w.reg, Some(w.part))) {
            Some(s) => Word { reg: s.reg, part: 0 },
            None => Word { reg: reg(w.reg), part: w.part },
        };
        let memory = |m: MemRef| MemRef { base: m.base.map(reg), ..m };
        let src = |s: Src| match s {
            Src::Word(w) => Src::Word(word(w)),
            Src::Half(w, high) => Src::Half(word(w), high),
            Src::Wide(r) => Src::Wide(reg(r)),
            Src::Addr(r) => Src::Addr(reg(r)),
            Src::Flag(r) => Src::Flag(reg(r)),
            Src::Shared(m) => Src::Shared(memory(m)),
            Src::Const(bank, m) => Src::Const(bank, memory(m)),
            s => s,
        };
        Inst {
            dst: match inst.dst {
                Dst::Word(w) => Dst::Word(word(w)),
                Dst::Half(w, high) => Dst::Half(word(w), high),
                Dst::Wide(r) => Dst::Wide(reg(r)),
                Dst::Addr(r) => Dst::Addr(reg(r)),
                Dst::Flag(r) => Dst::Flag(reg(r)),
                d => d,
            },
            cdst: inst.cdst.map(reg),
            carry: inst.carry.map(reg),
            src: inst.src.map(src),
            at: inst.at.map(memory),
            guard: inst.guard.map(|g| Guard { flag: reg(g.flag), ..g }),
            ..inst
        }
    }
}
