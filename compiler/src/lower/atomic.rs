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
//!
//! 64 bits are replaced under a lock in both memories. Shared memory has a lock for each word: that
//! of the lower one counts. Those of global memory are words of a table, [`LOCKS`], one for many addresses, which an
//! atomic exchange takes:
//!
//! ```text
//!                                     again: atom.global.exch.b32 %r1, [lock of %r2], 1;
//! atom.global.add.u64 %d1, [%r2], 5;  ─►     setp.eq.u32 %p1, %r1, 0;
//!                                     @%p1   ld.global.b64 %d1, [%r2];  @%p1 add.u64 %d3, %d1, 5;
//!                                     @%p1   st.global.b64 [%r2], %d3;
//!                                     @%p1   red.global.and.b32 [lock of %r2], 0;
//!                                     @!%p1  bra again;
//! ```

use super::build::{Lower, Pair, ZERO};
use super::inst::Parts;
use super::memory::At;
use super::vars::SymbolPlace;
use crate::error::CompileError;
use crate::ir::{AtomicOp, MemTy, Op, Operand, Rel, Space, Term, Ty, Value};
use crate::ptx::ast::{self, Function, Inst, Module, Statement, Symbol, TypeKind, Variable};
use warpsmith_isa::locks::LOCKS;

type Result<T> = std::result::Result<T, CompileError>;

/// Locks of the table, a power of two; addresses 8 x `LOCK_COUNT` bytes apart share one.
const LOCK_COUNT: u32 = 1024;

/// Gives a module with atomic accesses that are done under a lock the table of locks, all free.
pub fn give_locks(module: &mut Module) {
    let line = |s: &Statement| match s {
        Statement::Inst(inst) if takes_lock(&inst.op) => Some(inst.line),
        _ => None,
    };
    let mut bodies = module.functions.iter().filter_map(|f: &Function| f.body.as_ref());
    let Some(line) = bodies.find_map(|b| b.code.iter().find_map(line)) else { return };
    module.vars.push(Variable {
        name: LOCKS.into(),
        line,
        space: ast::Space::Global,
        ty: ast::Ty { kind: TypeKind::Bits, bits: 32 },
        align: 4,
        count: Some(LOCK_COUNT),
        external: false,
        init: Vec::new(),
        texture: false,
    });
}

/// An atomic access that no instruction does: one of 64 bits.
fn takes_lock(op: &str) -> bool {
    let mut parts = op.split('.');
    matches!(parts.next(), Some("atom" | "red")) && parts.filter_map(ast::Ty::parse).any(|ty| ty.bits == 64)
}

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
        let float = ty.kind == TypeKind::Float && op != AtomicOp::Exchange;
        if !matches!(ty.bits, 32 | 64) || float && (ty.bits, op) != (64, AtomicOp::Add) {
            let what = "atomic accesses are those of integers of 32 and 64 bits and sums of doubles: compare and exchange (atomicCAS) in a loop";
            return Err(self.error(inst, format!("`{}`: {what}", inst.op)));
        }
        let At::Memory(space, address, offset) = self.place_of(inst, &access, at)? else {
            return Err(self.unknown(inst));
        };
        if !matches!(space, Space::Global | Space::Shared) {
            let what = "atomic accesses reach global and shared memory: a thread has its own variables for itself";
            return Err(self.error(inst, format!("`{}` of {} memory: {what}", inst.op, space.name())));
        }
        if ty.bits == 64 {
            let operands: Vec<Pair> = (0..op.operands()).map(|n| self.pair(inst, first + n)).collect::<Result<_>>()?;
            let at = self.add(address, Operand::Imm(offset as u32));
            let lock = if space == Space::Global { self.lock_of(inst, at)? } else { at };
            let old = self.pair_under_lock((op, ty), (space, at), lock, &operands);
            return if reduces { Ok(()) } else { self.set_pair(inst, 0, old) };
        }
        let operands: Vec<Operand> = (0..op.operands()).map(|n| self.word(inst, first + n)).collect::<Result<_>>()?;
        if space == Space::Shared {
            let old = self.under_lock((op, ty.signed()), address, offset, &operands);
            return if reduces { Ok(()) } else { self.set(inst, 0, old) };
        }
        let old = self.f.value(Ty::Word);
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

    /// Replaces 64 bits under a lock; gives what was there. The threads that hold it load and store in a block of their
    /// own, behind which all meet again: none goes on before another frees its lock.
    fn pair_under_lock(
        &mut self, (op, ty): (AtomicOp, ast::Ty), (space, at): (Space, Operand), lock: Operand, operands: &[Pair],
    ) -> Pair {
        let (again, owner, all, behind) = (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.end(Term::Jump(again), again);
        let (low, got) = match space {
            Space::Global => {
                let taken = self.f.value(Ty::Word);
                let exchange = Op::Atomic { op: AtomicOp::Exchange, signed: false, offset: 0 };
                self.push(exchange, vec![taken], vec![lock, Operand::Imm(1)]);
                (None, self.cmp(Rel::EQ, false, Operand::Value(taken), ZERO))
            }
            _ => {
                let (low, got) = (self.f.value(Ty::Word), self.f.value(Ty::Pred));
                self.push(Op::Lock { offset: 0 }, vec![low, got], vec![lock]);
                (Some(Operand::Value(low)), Operand::Value(got))
            }
        };
        self.end(Term::Branch { cond: got, then: owner, other: all }, owner);
        let low = low.unwrap_or_else(|| self.word_at(space, at, 0));
        let old = (low, self.word_at(space, at, 4));
        let new = self.replaced_pair((op, ty), old, operands);
        let store = |l: &mut Self, at, offset, word| {
            l.push(Op::Store { space, ty: MemTy::B32, offset, volatile: true }, vec![], vec![at, word]);
        };
        store(self, at, 4, new.1);
        if space == Space::Global {
            store(self, at, 0, new.0);
            // Atomically: who takes the lock next comes behind all that was stored under it.
            self.push(Op::Atomic { op: AtomicOp::And, signed: false, offset: 0 }, vec![], vec![lock, ZERO]);
        }
        self.end(Term::Jump(all), all);
        if space == Space::Shared {
            self.push(Op::Unlock { offset: 0 }, vec![], vec![lock, new.0, got]);
        }
        self.end(Term::Branch { cond: got, then: behind, other: again }, behind);
        old
    }

    /// A word of memory as it is now.
    fn word_at(&mut self, space: Space, at: Operand, offset: i32) -> Operand {
        let word: Value = self.f.value(Ty::Word);
        self.push(Op::Load { space, ty: MemTy::B32, offset, volatile: true }, vec![word], vec![at]);
        Operand::Value(word)
    }

    /// Address of the lock of 64 bits in global memory.
    fn lock_of(&mut self, inst: &Inst, at: Operand) -> Result<Operand> {
        let Some(SymbolPlace::Global(var)) = self.layout.place(&Symbol::Name(LOCKS.into())) else {
            return Err(self.unknown(inst));
        };
        let table = self.op(Op::GlobalAddr { var, offset: 0 }, &[]);
        let half = self.shr(at, Operand::Imm(1), false);
        let index = self.and(half, Operand::Imm(4 * (LOCK_COUNT - 1)));
        Ok(self.add(table, index))
    }

    /// What an operation makes of 64 bits.
    fn replaced_pair(&mut self, (op, ty): (AtomicOp, ast::Ty), old: Pair, operands: &[Pair]) -> Pair {
        let b = operands[0];
        match op {
            AtomicOp::Add if ty.kind == TypeKind::Float => self.add_doubles(old, b),
            AtomicOp::Add => self.add64(old, b),
            AtomicOp::And => (self.and(old.0, b.0), self.and(old.1, b.1)),
            AtomicOp::Or => (self.or(old.0, b.0), self.or(old.1, b.1)),
            AtomicOp::Xor => (self.xor(old.0, b.0), self.xor(old.1, b.1)),
            AtomicOp::Min | AtomicOp::Max => {
                let rel = if op == AtomicOp::Min { Rel::LT } else { Rel::GT };
                let keeps = self.cmp64(rel, ty.signed(), old, b);
                (self.select(keeps, old.0, b.0), self.select(keeps, old.1, b.1))
            }
            AtomicOp::CompareExchange => {
                let equal = self.cmp64(Rel::EQ, false, old, b);
                (self.select(equal, operands[1].0, old.0), self.select(equal, operands[1].1, old.1))
            }
            // The operations that wrap are those of words.
            _ => b,
        }
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
