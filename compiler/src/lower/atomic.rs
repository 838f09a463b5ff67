//! Atomic accesses: an instruction for words of global memory, a loop under a lock for those of shared memory.
//!
//! ```text
//!                                     again: lock.u32    %r1 | %p1, [%r2];
//! atom.shared.add.u32 %r1, [%r2], 5;  ─►      add.u32    %r3, %r1, 5;
//!                                     @%p1    unlock.u32 [%r2], %r3;
//!                                     @!%p1   bra again;
//! ```
//!
//! The lock is free again before a thread that did not get it tries once more: threads of a warp wait for no other.

use super::build::Lower;
use super::inst::Parts;
use super::memory::At;
use crate::error::CompileError;
use crate::ir::{AtomicOp, Op, Operand, Rel, Space, Term, Ty};
use crate::ptx::ast::{self, Inst};

type Result<T> = std::result::Result<T, CompileError>;

/// What an atomic access makes of a word, by its name in PTX.
fn operation(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "add" => AtomicOp::Add,
        "exch" => AtomicOp::Exchange,
        "cas" => AtomicOp::CompareExchange,
        "inc" => AtomicOp::IncrementWrap,
        "dec" => AtomicOp::DecrementWrap,
        "max" => AtomicOp::Max,
        "min" => AtomicOp::Min,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        _ => return None,
    })
}

impl Lower<'_> {
    /// `atom` and `red`: of words.
    pub(super) fn atomic(&mut self, inst: &Inst, parts: &Parts) -> Result<()> {
        let reduces = parts.all[0] == "red";
        let (at, first) = if reduces { (0, 1) } else { (1, 2) };
        let access = self.access(inst)?;
        let ty = access.ty;
        let Some(op) = parts.all.iter().find_map(|part| operation(part)) else { return Err(self.unknown(inst)) };
        if ty.bits != 32 || ty.kind == ast::TypeKind::Float && op != AtomicOp::Exchange {
            let what =
                "the chip's atomic accesses are those of 32-bit integers: compare and exchange (atomicCAS) in a loop";
            return Err(self.error(inst, format!("`{}`: {what}", inst.op)));
        }
        let At::Memory(space, address, offset) = self.place_of(inst, &access, at)? else {
            return Err(self.unknown(inst));
        };
        let operands: Vec<Operand> = (0..op.operands()).map(|n| self.word(inst, first + n)).collect::<Result<_>>()?;
        let old = match space {
            Space::Global => self.f.value(Ty::Word),
            Space::Shared => {
                let old = self.under_lock((op, ty.signed()), address, offset, &operands);
                return if reduces { Ok(()) } else { self.set(inst, 0, old) };
            }
            _ => {
                let what = "atomic accesses reach global and shared memory: a thread has its own variables for itself";
                return Err(self.error(inst, format!("`{}` of {} memory: {what}", inst.op, space.name())));
            }
        };
        let mut src = vec![address];
        src.extend(operands);
        let op = Op::Atomic { op, signed: ty.signed(), offset };
        self.push(op, if reduces { vec![] } else { vec![old] }, src);
        if reduces {
            return Ok(());
        }
        self.set(inst, 0, Operand::Value(old))
    }

    /// Replaces a word of shared memory under its lock; gives what was there.
    fn under_lock(
        &mut self, (op, signed): (AtomicOp, bool), address: Operand, offset: i32, operands: &[Operand],
    ) -> Operand {
        let (again, behind) = (self.new_block(), self.new_block());
        self.end(Term::Jump(again), again);
        let (old, got) = (self.f.value(Ty::Word), self.f.value(Ty::Pred));
        self.push(Op::Lock { offset }, vec![old, got], vec![address]);
        let (old, got) = (Operand::Value(old), Operand::Value(got));
        let new = self.replaced((op, signed), old, operands);
        self.push(Op::Unlock { offset }, vec![], vec![address, new, got]);
        self.end(Term::Branch { cond: got, then: behind, other: again }, behind);
        old
    }

    /// What an operation makes of a word.
    fn replaced(&mut self, (op, signed): (AtomicOp, bool), old: Operand, operands: &[Operand]) -> Operand {
        let (b, one, zero) = (operands[0], Operand::Imm(1), Operand::Imm(0));
        match op {
            AtomicOp::Add => self.op(Op::Add, &[old, b]),
            AtomicOp::Min => self.op(Op::Min { signed }, &[old, b]),
            AtomicOp::Max => self.op(Op::Max { signed }, &[old, b]),
            AtomicOp::And => self.op(Op::And, &[old, b]),
            AtomicOp::Or => self.op(Op::Or, &[old, b]),
            AtomicOp::Xor => self.op(Op::Xor, &[old, b]),
            AtomicOp::IncrementWrap => {
                let (wraps, more) = (self.cmp(Rel::GE, false, old, b), self.op(Op::Add, &[old, one]));
                self.select(wraps, zero, more)
            }
            AtomicOp::DecrementWrap => {
                // 0 and what lies above the operand: below it, one less, without a sign.
                let less = self.op(Op::Sub, &[old, one]);
                let wraps = self.cmp(Rel::GE, false, less, b);
                self.select(wraps, b, less)
            }
            AtomicOp::CompareExchange => {
                let equal = self.cmp(Rel::EQ, false, old, b);
                self.select(equal, operands[1], old)
            }
            // PTX has no other but the exchange.
            AtomicOp::Exchange | AtomicOp::Sub | AtomicOp::ReverseSub | AtomicOp::Mul => b,
        }
    }
}
