//! Loads and stores.

use super::operand::{mem_size, mov};
use super::Select;
use crate::ir::{self, MemTy, Op, Operand, Space, Value};
use crate::mir::{Class, Dst, Guard, Inst, MemRef, Reg, Src, Word};
use warpsmith_isa::uop::AtomicOp;
use warpsmith_isa::{self as isa, IntType, MemSize};

/// The global space that NVIDIA's compiler names.
const GLOBAL: u8 = 14;
/// Greatest offset of constant memory as an operand, in words.
const CONST_UNITS: i32 = 127;

impl<'a> Select<'a> {
    /// A load; one element may go into `into`, under a guard.
    pub fn load(&mut self, i: &'a ir::Inst, into: Option<Word>, guard: Option<Guard>) {
        let Op::Load { space, ty, offset, .. } = i.op else { return };
        match space {
            Space::Param | Space::Shared => {
                for (k, d) in i.dst.iter().enumerate() {
                    let to = self.target(*d, into);
                    if let Some(m) = self.shared_ref(i, k as i32) {
                        self.load_shared(ty, m, to, guard);
                    }
                }
            }
            Space::Const => {
                for (k, d) in i.dst.iter().enumerate() {
                    let to = self.target(*d, into);
                    let at = offset + k as i32 * ty.bytes() as i32;
                    self.load_const(i.src[0], ty, at, to, guard);
                }
            }
            Space::Global => {
                let addr = self.global_address(i.src[0], offset);
                let size = wide_size(ty, i.dst.len());
                let dst = self.wide_target(&i.dst, into);
                let op = isa::Op::LdGlobal { space: GLOBAL, size };
                let mut x = Inst::new(op, dst, [addr, Src::None, Src::None], self.loc);
                x.guard = guard;
                self.push(x);
            }
            Space::Local => {
                let size = wide_size(ty, i.dst.len());
                let at = self.local_ref(i.src[0], offset, size);
                let dst = self.wide_target(&i.dst, into);
                let op = isa::Op::LdLocal { at: blank(size) };
                let mut x = Inst::new(op, dst, [Src::None; 3], self.loc);
                x.at = Some(at);
                x.guard = guard;
                self.push(x);
            }
        }
    }

    /// Where one result goes: a word of its own, noted as the value's, or the one given.
    fn target(&mut self, d: Value, into: Option<Word>) -> Word {
        match into {
            Some(w) => w,
            None => {
                let w = self.fresh();
                self.word[d.0 as usize] = Some(w);
                w
            }
        }
    }

    /// Where all results of one access go.
    fn wide_target(&mut self, dst: &[Value], into: Option<Word>) -> Dst {
        if let [d] = dst {
            return Dst::Word(self.target(*d, into));
        }
        let reg = self.out.reg(Class::Gpr(dst.len() as u8));
        for (part, d) in dst.iter().enumerate() {
            self.word[d.0 as usize] = Some(Word { reg, part: part as u8 });
        }
        Dst::Wide(reg)
    }

    fn load_shared(&mut self, ty: MemTy, m: MemRef, to: Word, guard: Option<Guard>) {
        let from = [Src::Shared(m), Src::None, Src::None];
        let convert = |dst, src| isa::Op::I2I { dst, src, neg: false, abs: false };
        match ty {
            MemTy::B32 => self.emit_under(mov(), to, from, guard),
            MemTy::U8 => self.emit_under(convert(IntType::U32, IntType::U8), to, from, guard),
            MemTy::U16 => self.emit_under(convert(IntType::U32, IntType::U16), to, from, guard),
            MemTy::S16 => self.emit_under(convert(IntType::S32, IntType::S16), to, from, guard),
            MemTy::S8 => {
                let byte = self.fresh();
                self.emit(convert(IntType::U32, IntType::U8), Dst::Word(byte), from);
                self.emit_under(convert(IntType::S32, IntType::S8), to, [Src::Word(byte), Src::None, Src::None], guard);
            }
        }
    }

    fn load_const(&mut self, a: Operand, ty: MemTy, offset: i32, to: Word, guard: Option<Guard>) {
        let size = mem_size(ty);
        let unit = size.bytes() as i32;
        // MVC reaches the whole bank: 16, 15 or 14 bits of offset.
        let (base, offset) = self.near_address(a, offset, unit, 0xffff);
        let at = MemRef { base, offset, post_inc: false, size };
        let from = [Src::Const(0, at), Src::None, Src::None];
        if ty == MemTy::S8 {
            let byte = self.fresh();
            self.emit(isa::Op::LdConst, Dst::Word(byte), from);
            self.emit_under(
                isa::Op::I2I { dst: IntType::S32, src: IntType::S8, neg: false, abs: false },
                to,
                [Src::Word(byte), Src::None, Src::None],
                guard,
            );
        } else {
            self.emit_under(isa::Op::LdConst, to, from, guard);
        }
    }

    /// A held word of constant memory at a known address, as second or third source.
    pub fn const_operand(&mut self, i: &ir::Inst) -> Option<Src> {
        let Op::Load { space: Space::Const, ty: MemTy::B32, offset, volatile: false } = i.op else { return None };
        let Operand::Imm(c) = i.src[0] else { return None };
        let at = (c as i32).wrapping_add(offset);
        if i.dst.len() != 1 || at < 0 || at % 4 != 0 || at > CONST_UNITS * 4 {
            return None;
        }
        Some(Src::Const(0, MemRef { base: None, offset: at, post_inc: false, size: MemSize::B32 }))
    }

    /// Address of a global access in a register.
    fn global_address(&mut self, a: Operand, offset: i32) -> Src {
        if offset == 0 {
            return Src::Word(self.reg(a));
        }
        let w = self.fresh();
        let (first, add) = (self.first(a), Src::Imm(offset as u32));
        self.emit(super::int::add(), Dst::Word(w), [first, add, Src::None]);
        Src::Word(w)
    }

    fn local_ref(&mut self, a: Operand, offset: i32, size: MemSize) -> MemRef {
        let (base, offset) = self.near_address(a, offset, 1, 0xffff);
        MemRef { base, offset, post_inc: false, size }
    }

    /// Emits the shared loads that wait, in front of what may change the memory.
    pub fn release_loads(&mut self) {
        for v in std::mem::take(&mut self.held_loads) {
            if self.word[v.0 as usize].is_none() {
                self.word_of(v);
            }
        }
    }

    /// A store.
    pub fn store(&mut self, i: &'a ir::Inst) {
        let Op::Store { space, ty, offset, .. } = i.op else { return };
        let values = &i.src[1..];
        match space {
            Space::Shared => {
                let words: Vec<Word> = values.iter().map(|v| self.reg(*v)).collect();
                self.release_loads();
                for (k, w) in words.into_iter().enumerate() {
                    let size = match ty {
                        MemTy::S8 => MemSize::U8,
                        MemTy::S16 => MemSize::U16,
                        other => mem_size(other),
                    };
                    let unit = size.bytes() as i32;
                    let bits = 16 - unit.trailing_zeros() as i32;
                    let most = ((1 << bits) - 1) * unit;
                    let at = offset + k as i32 * unit;
                    let (base, offset) = self.near_address(i.src[0], at, unit, most);
                    let from = if size == MemSize::B32 { Src::Word(w) } else { Src::Half(w, false) };
                    let op = isa::Op::StShared { at: blank(size), unlock: false };
                    let mut x = Inst::new(op, Dst::None, [from, Src::None, Src::None], self.loc);
                    x.at = Some(MemRef { base, offset, post_inc: false, size });
                    self.push(x);
                }
            }
            Space::Global => {
                let size = wide_size(ty, values.len());
                let data = self.wide_source(values);
                let addr = self.global_address(i.src[0], offset);
                let op = isa::Op::StGlobal { space: GLOBAL, size };
                self.emit(op, Dst::None, [addr, data, Src::None]);
            }
            Space::Local => {
                let size = wide_size(ty, values.len());
                let data = self.wide_source(values);
                let at = self.local_ref(i.src[0], offset, size);
                let op = isa::Op::StLocal { at: blank(size) };
                let mut x = Inst::new(op, Dst::None, [data, Src::None, Src::None], self.loc);
                x.at = Some(at);
                self.push(x);
            }
            Space::Param | Space::Const => {}
        }
    }

    /// An atomic access; what was there only where something reads it.
    pub fn atomic(&mut self, i: &'a ir::Inst) {
        let Op::Atomic { op, signed, offset } = i.op else { return };
        let mut src = [Src::None; 3];
        for (to, from) in src[1..].iter_mut().zip(&i.src[1..]) {
            *to = Src::Word(self.reg(*from));
        }
        src[0] = self.global_address(i.src[0], offset);
        let read = i.dst.iter().any(|d| self.plan.uses[d.0 as usize] > 0);
        let dst = match i.dst[..] {
            [d] if read => Dst::Word(self.target(d, None)),
            // These have no form without a result.
            _ if matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange) => Dst::Word(self.fresh()),
            _ => Dst::None,
        };
        self.emit(isa::Op::Atomic { op, signed, space: GLOBAL }, dst, src);
    }

    /// A load from shared memory that takes the lock of its word, and whether it got it.
    pub fn lock(&mut self, i: &'a ir::Inst) {
        let (Op::Lock { offset }, [word, got]) = (&i.op, &i.dst[..]) else { return };
        self.release_loads();
        let at = self.locked(i.src[0], *offset);
        let dst = Dst::Word(self.target(*word, None));
        let flag = self.out.reg(Class::Flag);
        let op = isa::Op::LdShared { at: blank(MemSize::B32), lock: true };
        self.push(Inst { at, cdst: Some(flag), ..Inst::new(op, dst, [Src::None; 3], self.loc) });
        self.truth(*got, flag);
    }

    /// A store to shared memory that frees the lock of its word.
    pub fn unlock(&mut self, i: &'a ir::Inst) {
        let Op::Unlock { offset } = i.op else { return };
        self.release_loads();
        let data = Src::Word(self.reg(i.src[1]));
        let guard = i.src.get(2).map(|p| self.guard_of(*p));
        let at = self.locked(i.src[0], offset);
        let op = isa::Op::StShared { at: blank(MemSize::B32), unlock: true };
        self.push(Inst { at, guard, ..Inst::new(op, Dst::None, [data, Src::None, Src::None], self.loc) });
    }

    /// A word of shared memory with a lock.
    fn locked(&mut self, address: Operand, offset: i32) -> Option<MemRef> {
        let (base, offset) = self.near_address(address, offset, 4, 0xfffc);
        Some(MemRef { base, offset, post_inc: false, size: MemSize::B32 })
    }

    /// An operation on floats of 64 bits, whose numbers are pairs of registers.
    pub fn double(&mut self, i: &'a ir::Inst, op: isa::Op) {
        let mut src = [Src::None; 3];
        let mut left = &i.src[..];
        for (n, src) in src.iter_mut().enumerate().take(op.sources()) {
            let (own, others) = left.split_at(usize::from(op.registers(n)).min(left.len()));
            *src = match self.same_wide(own) {
                Some(reg) => Src::Wide(reg),
                None => self.wide_source(own),
            };
            left = others;
        }
        let dst = self.wide_target(&i.dst, None);
        self.emit(op, dst, src);
    }

    /// The wide register whose words several values are already, in their order.
    fn same_wide(&self, values: &[Operand]) -> Option<Reg> {
        if values.len() < 2 {
            return None;
        }
        let word = |o: &Operand| match o {
            Operand::Value(v) => self.word[v.0 as usize],
            Operand::Imm(_) => None,
        };
        let first = word(values.first()?)?;
        let whole = Class::Gpr(values.len() as u8);
        let here = |(part, o): (u8, &Operand)| word(o) == Some(Word { reg: first.reg, part });
        let same = (0..).zip(values).all(here) && self.out.regs.get(first.reg.0 as usize) == Some(&whole);
        same.then_some(first.reg)
    }

    /// Data of a store: one word, or a wide register filled word by word.
    fn wide_source(&mut self, values: &[Operand]) -> Src {
        if let [v] = values {
            return Src::Word(self.reg(*v));
        }
        let reg = self.out.reg(Class::Gpr(values.len() as u8));
        for (part, v) in values.iter().enumerate() {
            let to = Word { reg, part: part as u8 };
            self.move_to(*v, to, None);
        }
        Src::Wide(reg)
    }
}

/// Size of an access of `n` elements.
fn wide_size(ty: MemTy, n: usize) -> MemSize {
    match (ty, n) {
        (MemTy::B32, 2) => MemSize::B64,
        (MemTy::B32, 4) => MemSize::B128,
        (MemTy::S8, _) => MemSize::S8,
        (other, _) => mem_size(other),
    }
}

/// A placeholder operand; the address is in [`Inst::at`].
fn blank(size: MemSize) -> isa::MemRef {
    isa::MemRef { areg: 0, offset: 0, post_inc: false, size }
}
