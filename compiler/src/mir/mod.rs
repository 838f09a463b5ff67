//! Machine instructions on virtual registers: between instruction selection and the words.
//!
//! An instruction holds an operation of [`warpsmith_isa`] and operands in virtual registers. The
//! encoding form is chosen after allocation. Branches, pushes of the divergence stack and `.S`
//! do not exist here: blocks end in a [`Term`], [`crate::flow`] finds join points and
//! [`crate::layout`] writes them.

pub mod access;
#[cfg(test)]
pub mod eval;
pub mod print;
pub mod verify;

use crate::error::Loc;
pub use crate::ir::BlockId;
pub use access::{Access, How, Units};
use warpsmith_isa::{self as isa, MemSize};

/// A virtual register: index into [`Function::regs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// Class of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// 1, 2 or 4 consecutive 32-bit registers; 2 and 4 begin at a multiple of 2 and 4.
    Gpr(u8),
    /// Address register A1 to A7, 16 bits.
    Addr,
    /// Flag register C0 to C3.
    Flag,
}

/// One 32-bit part of a [`Class::Gpr`] register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    /// The register.
    pub reg: Reg,
    /// Which of its words, from 0.
    pub part: u8,
}

/// Reference to shared, constant or local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemRef {
    /// Address register; `None` reads 0.
    pub base: Option<Reg>,
    /// Bytes added.
    pub offset: i32,
    /// The address is the register alone, and the register grows by the offset afterwards.
    pub post_inc: bool,
    /// Size of the access.
    pub size: MemSize,
}

/// Destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dst {
    /// Nothing.
    None,
    /// A 32-bit word.
    Word(Word),
    /// Half of a word; the other half stays. The flag says: high half.
    Half(Word, bool),
    /// All 2 or 4 words of a wide register.
    Wide(Reg),
    /// An address register.
    Addr(Reg),
    /// A flag register (R2C).
    Flag(Reg),
    /// Nothing, but the flags are written.
    Discard,
}

/// Source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// No operand.
    None,
    /// A 32-bit word.
    Word(Word),
    /// Half of a word. The flag says: high half.
    Half(Word, bool),
    /// All 2 or 4 words of a wide register (stores).
    Wide(Reg),
    /// Zero from a register that is never allocated (R124).
    Zero,
    /// A half of that register: zero in a 16-bit operand.
    ZeroHalf,
    /// An immediate: the immediate forms, shift counts, [`isa::Op::AddA`]. Where the operation
    /// has no fitting form after allocation the word moves to constant bank 1.
    Imm(u32),
    /// A 16-bit immediate as operand of a 16-bit position; moves to bank 1 like [`Src::Imm`].
    Imm16(u16),
    /// Word of constant bank 1 that the launch fills with an address: variable and bytes added.
    GlobalAddr(u32, i32),
    /// Shared memory, first source only.
    Shared(MemRef),
    /// Constant memory: bank and place. Second or third source, or the one of [`isa::Op::LdConst`].
    Const(u8, MemRef),
    /// An address register.
    Addr(Reg),
    /// A0, which reads 0 (of [`isa::Op::AddA`]).
    AddrZero,
    /// A flag register (C2R).
    Flag(Reg),
    /// A special register by number.
    Special(u8),
}

/// Guard of an instruction: condition code (see [`isa::arch::COND_NAMES`]) on a flag register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// Flag register.
    pub flag: Reg,
    /// Condition, 0..=31, without 15 and 0x14..=0x1b.
    pub code: u8,
}

impl Guard {
    /// The guard that holds where this one does not. Of the code 0 (never) there is none: it
    /// gives 15.
    pub const fn inverse(self) -> Guard {
        let code = match self.code {
            c @ 0..=15 => 15 - c,
            c => 0x2f - c,
        };
        Guard { code, ..self }
    }
}

/// One machine instruction.
///
/// The memory operand of shared stores and local accesses is `at`; the one inside the isa
/// operation is filled in when words are made. Targets of control operations do not occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Inst {
    /// Operation; `at` fields in it are ignored here.
    pub op: isa::Op,
    /// Destination.
    pub dst: Dst,
    /// Flag register written.
    pub cdst: Option<Reg>,
    /// Sources.
    pub src: [Src; 3],
    /// Memory operand of StShared, LdShared, LdLocal, StLocal.
    pub at: Option<MemRef>,
    /// Guard. A guarded instruction leaves its destinations where the guard does not hold.
    pub guard: Option<Guard>,
    /// Flag register of the carry that [`isa::AddKind::Addc`] adds; excludes a guard.
    pub carry: Option<Reg>,
    /// The destination's old contents do not matter although the instruction is guarded
    /// (the result is used only under the same guard).
    pub fresh: bool,
    /// Place in the source.
    pub loc: Loc,
}

impl Inst {
    /// An unguarded instruction without flags.
    pub fn new(op: isa::Op, dst: Dst, src: [Src; 3], loc: Loc) -> Inst {
        Inst { op, dst, cdst: None, src, at: None, guard: None, carry: None, fresh: false, loc }
    }
}

/// End of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// To a block.
    Jump(BlockId),
    /// To `then` where the guard holds, to `other` where not.
    Branch {
        /// Condition.
        guard: Guard,
        /// Taken where it holds.
        then: BlockId,
        /// Taken where not.
        other: BlockId,
        /// Threads of one warp may differ.
        divergent: bool,
    },
    /// Threads where the guard holds end, the others go on (all of a warp may do either).
    ReturnIf {
        /// Condition.
        guard: Guard,
        /// Where the others go on.
        other: BlockId,
        /// Threads of one warp may differ.
        divergent: bool,
    },
    /// All threads to `then` where the guard holds for any of them, else all to `other`.
    Any {
        /// Condition.
        guard: Guard,
        /// Where all go on when it holds for one of them.
        then: BlockId,
        /// Where all go on when it holds for none.
        other: BlockId,
    },
    /// The thread ends.
    Return,
    /// The kernel stops with a trap.
    Trap,
}

impl Term {
    /// Successors, at most two.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> {
        let (a, b) = match *self {
            Term::Jump(b) => (Some(b), None),
            Term::Branch { then, other, .. } | Term::Any { then, other, .. } => (Some(then), Some(other)),
            Term::ReturnIf { other, .. } => (Some(other), None),
            Term::Return | Term::Trap => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The guard, where there is one.
    pub fn guard(&self) -> Option<Guard> {
        match *self {
            Term::Branch { guard, .. } | Term::ReturnIf { guard, .. } | Term::Any { guard, .. } => Some(guard),
            _ => None,
        }
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// End.
    pub term: Term,
    /// Place of the end in the source.
    pub loc: Loc,
    /// Loops around the block, for the cost of spills.
    pub loop_depth: u32,
}

/// A kernel in machine instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Class of every virtual register.
    pub regs: Vec<Class>,
    /// The register that holds R0 as the thread finds it: x in 15:0, y in 25:16, z in 31:26 of the
    /// thread's place in its block. Defined at entry; the allocator gives it R0.
    pub entry: Reg,
    /// Blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Local bytes a thread, arrays first, spills behind them.
    pub local_bytes: u32,
    /// Bytes of shared memory that hold header and parameters. Nothing writes below, so a load
    /// from there may be done again instead of keeping its result.
    pub param_end: u32,
}

impl Function {
    /// A new virtual register.
    pub fn reg(&mut self, class: Class) -> Reg {
        self.regs.push(class);
        Reg(self.regs.len() as u32 - 1)
    }
}
