//! Operands: registers, immediates, and loads that an instruction takes in.

use super::Select;
use crate::ir::{self, MemTy, Op, Operand, Space, Special, Value};
use crate::mir::{Dst, MemRef, Src, Word};
use warpsmith_isa::{self as isa, LogicOp, MemSize, Width};

/// Byte address in shared memory of a 16-bit word of the header, for the registers kept there.
fn header(s: Special) -> Option<i32> {
    Some(match s {
        Special::NTidX => 2,
        Special::NTidY => 4,
        Special::NTidZ => 6,
        Special::NCtaIdX => 8,
        Special::NCtaIdY => 10,
        Special::CtaIdX => 12,
        Special::CtaIdY => 14,
        Special::TidX | Special::TidY | Special::TidZ | Special::Clock => return None,
    })
}

/// Greatest offset of a shared operand, in units of its size.
pub const SHARED_UNITS: i32 = 31;

impl<'a> Select<'a> {
    /// The word a value lives in; computes it when it was held back.
    pub fn word_of(&mut self, v: Value) -> Word {
        if let Some(w) = self.word[v.0 as usize] {
            return w;
        }
        if let Some(i) = self.plan.inst(self.f, v) {
            // Held back for users in several blocks: each block has its own copy.
            let elsewhere = self.plan.place[v.0 as usize].is_some_and(|(b, _)| b != self.at);
            if self.plan.held[v.0 as usize] && elsewhere {
                self.block_words.push(v);
            }
            let loc = std::mem::replace(&mut self.loc, i.loc);
            if self.f.ty(v) == ir::Ty::Pred {
                let w = self.predicate_word(Operand::Value(v));
                self.loc = loc;
                return w;
            }
            if self.addr[v.0 as usize].is_none() || !self.plan.addr_class[v.0 as usize] {
                self.value(i, v, None, None);
            }
            self.loc = loc;
        }
        match self.word[v.0 as usize] {
            Some(w) => w,
            // A value without a definition reads as the register's contents.
            None => {
                let w = self.fresh();
                self.emit(mov(), Dst::Word(w), [Src::Imm(0), Src::None, Src::None]);
                self.word[v.0 as usize] = Some(w);
                w
            }
        }
    }

    /// An operand in a register.
    pub fn reg(&mut self, o: Operand) -> Word {
        match o {
            Operand::Value(v) => self.word_of(v),
            Operand::Imm(c) => {
                let w = self.fresh();
                self.emit(mov(), Dst::Word(w), [Src::Imm(c), Src::None, Src::None]);
                w
            }
        }
    }

    /// First source: a register, or shared memory that was held back.
    pub fn first(&mut self, o: Operand) -> Src {
        match self.shared_operand(o) {
            Some(s) => s,
            None => match o {
                Operand::Imm(0) => Src::Zero,
                _ => Src::Word(self.reg(o)),
            },
        }
    }

    /// Second or third source: a register, an immediate, or constant memory.
    pub fn other(&mut self, o: Operand) -> Src {
        match o {
            Operand::Imm(0) => Src::Zero,
            Operand::Imm(c) => Src::Imm(c),
            Operand::Value(_) => {
                if let Some(i) = self.held(o) {
                    if let Op::GlobalAddr { var, offset } = i.op {
                        return Src::GlobalAddr(var, offset);
                    }
                    if let Some(c) = self.const_operand(i) {
                        return c;
                    }
                }
                Src::Word(self.reg(o))
            }
        }
    }

    /// Second or third source in a register.
    pub fn plain(&mut self, o: Operand) -> Src {
        match o {
            Operand::Imm(0) => Src::Zero,
            _ => Src::Word(self.reg(o)),
        }
    }

    /// Sources of a commutative operation: what shared memory holds comes first, constants last.
    /// True when the operands changed places.
    pub fn pair(&mut self, a: Operand, b: Operand) -> ([Src; 2], bool) {
        let swap = match (a, b) {
            (Operand::Imm(_), Operand::Value(_)) => true,
            (Operand::Value(_), Operand::Imm(_)) => false,
            _ => !self.is_shared_operand(a) && self.is_shared_operand(b),
        };
        let (x, y) = if swap { (b, a) } else { (a, b) };
        // The second first: making it may need instructions between a load and its use.
        let second = self.other(y);
        let first = self.first(x);
        ([first, second], swap)
    }

    /// True when an operand can stand in shared memory.
    pub fn is_shared_operand(&self, o: Operand) -> bool {
        match self.held(o).map(|i| i.op) {
            Some(Op::Special(s)) => header(s).is_some(),
            Some(Op::Load { space: Space::Param | Space::Shared, ty, .. }) => ty != MemTy::S8,
            _ => false,
        }
    }

    /// An operand as a reference to shared memory, when it was held back and is one.
    pub fn shared_operand(&mut self, o: Operand) -> Option<Src> {
        if !self.is_shared_operand(o) {
            return None;
        }
        let i = self.held(o)?;
        if let Operand::Value(v) = o {
            self.held_loads.retain(|x| *x != v);
        }
        Some(Src::Shared(self.shared_ref(i, 0)?))
    }

    /// The place in shared memory of a special register kept there.
    pub fn header_ref(&self, s: Special) -> Option<MemRef> {
        Some(MemRef { base: None, offset: header(s)?, post_inc: false, size: MemSize::U16 })
    }

    /// The place of element `k` of a load from shared memory, parameters or the header.
    pub fn shared_ref(&mut self, i: &'a ir::Inst, k: i32) -> Option<MemRef> {
        let (size, base, offset) = match i.op {
            Op::Special(s) => (MemSize::U16, None, header(s)?),
            Op::Load { space: Space::Param, ty, offset, .. } => {
                let size = mem_size(ty);
                let at = offset + k * ty.bytes() as i32 + isa::arch::PARAM_BASE as i32;
                let (base, offset) = self.shared_address(i.src[0], at, size);
                (size, base, offset)
            }
            Op::Load { space: Space::Shared, ty, offset, .. } => {
                let size = mem_size(ty);
                let at = offset + k * ty.bytes() as i32;
                let (base, offset) = self.shared_address(i.src[0], at, size);
                (size, base, offset)
            }
            _ => return None,
        };
        Some(MemRef { base, offset, post_inc: false, size })
    }

    /// The low 16 bits of an operand, as first source.
    pub fn first_half(&mut self, o: Operand) -> Src {
        if let Some(i) = self.held(o) {
            match i.op {
                Op::Special(Special::TidX) => return Src::Half(self.entry(), false),
                Op::Special(_) | Op::Load { space: Space::Param | Space::Shared, ty: MemTy::U16 | MemTy::S16, .. } => {
                    if let Some(s) = self.shared_operand(o) {
                        return s;
                    }
                }
                // The low half of a parameter or a shared word.
                Op::Load { space: Space::Param | Space::Shared, ty: MemTy::B32, .. } => {
                    if let Some(Src::Shared(m)) = self.shared_operand(o) {
                        if m.offset <= 2 * SHARED_UNITS {
                            return Src::Shared(MemRef { size: MemSize::U16, ..m });
                        }
                    }
                }
                _ => {}
            }
        }
        match self.half(o) {
            Src::Imm16(_) => Src::Half(self.reg(o), false),
            source => source,
        }
    }

    /// The low 16 bits of an operand in a register or as an immediate.
    pub fn half(&mut self, o: Operand) -> Src {
        match o {
            Operand::Imm(c) => Src::Imm16(c as u16),
            Operand::Value(_) => {
                if let Some(i) = self.held(o) {
                    match (i.op, &i.src[..]) {
                        (Op::Special(Special::TidX), _) => return Src::Half(self.entry(), false),
                        (Op::Shr { .. }, [x, Operand::Imm(16)]) => {
                            return match x {
                                Operand::Value(v) => Src::Half(self.word_of(*v), true),
                                Operand::Imm(c) => Src::Imm16((c >> 16) as u16),
                            };
                        }
                        _ => {}
                    }
                }
                Src::Half(self.reg(o), false)
            }
        }
    }

    /// The register that holds R0 as the thread finds it.
    pub fn entry(&self) -> Word {
        Word { reg: self.out.entry, part: 0 }
    }

    /// Moves an operand into a word, under a guard where one is given.
    pub fn move_to(&mut self, o: Operand, to: Word, guard: Option<crate::mir::Guard>) {
        match (o, guard) {
            (Operand::Imm(c), None) => {
                self.emit(mov(), Dst::Word(to), [Src::Imm(c), Src::None, Src::None]);
            }
            (Operand::Imm(_), Some(_)) => {
                let b = self.other(o);
                self.emit_under(pass_b(false), to, [Src::Zero, b, Src::None], guard);
            }
            (Operand::Value(_), _) => {
                let a = self.first(o);
                self.emit_under(mov(), to, [a, Src::None, Src::None], guard);
            }
        }
    }
}

/// A move of 32 bits.
pub fn mov() -> isa::Op {
    isa::Op::Mov { width: Width::W32, lanes: 15 }
}

/// The second source, or its complement.
pub fn pass_b(not: bool) -> isa::Op {
    isa::Op::Logic { op: LogicOp::PassB, not_a: false, not_b: not, width: Width::W32 }
}

/// Size of an access in the chip's terms; one signed byte is read unsigned.
pub fn mem_size(ty: MemTy) -> MemSize {
    match ty {
        MemTy::U8 | MemTy::S8 => MemSize::U8,
        MemTy::U16 => MemSize::U16,
        MemTy::S16 => MemSize::S16,
        MemTy::B32 => MemSize::B32,
    }
}
