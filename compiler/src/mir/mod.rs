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

/// Virtual registers that have their places from the start, each of one word, in order: R0 and on, A1 and on, C0 and on.
/// They pass arguments and results of routines, and stand for what a routine overwrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fixed {
    /// The first 32-bit register.
    pub gprs: Reg,
    /// How many 32-bit registers there are.
    pub count: u8,
    /// The first of [`ADDRS`] address registers.
    pub addrs: Reg,
    /// The first of [`FLAGS`] flag registers.
    pub flags: Reg,
}

/// Address registers of a thread.
pub const ADDRS: u8 = 7;
/// Flag registers of a thread.
pub const FLAGS: u8 = 4;

impl Fixed {
    /// Place of a register in its class, from 0; `None` for one that has none from the start.
    pub fn place(&self, r: Reg) -> Option<u8> {
        let within = |first: Reg, n: u8| r.0.checked_sub(first.0).filter(|&k| k < u32::from(n)).map(|k| k as u8);
        within(self.gprs, self.count).or(within(self.addrs, ADDRS)).or(within(self.flags, FLAGS))
    }

    /// The first `n` 32-bit registers.
    pub fn words(&self, n: u8) -> impl Iterator<Item = Reg> {
        let first = self.gprs.0;
        (0..u32::from(n)).map(move |k| Reg(first + k))
    }
}

/// What a call does to the registers in [`Fixed`]; its operation is CAL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Number of the routine.
    pub routine: u32,
    /// The registers.
    pub fixed: Fixed,
    /// Words of the arguments, from R0 on.
    pub args: u8,
    /// 32-bit registers overwritten, from R0 on; the results are the first of them.
    pub gprs: u8,
    /// Overwrites address registers, all of them. Flags are always overwritten.
    pub addrs: bool,
    /// Entries of the divergence stack, the call's own included.
    pub stack: u8,
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
    /// What a call reads and overwrites.
    pub call: Option<Call>,
    /// Place in the source.
    pub loc: Loc,
}

impl Inst {
    /// An unguarded instruction without flags.
    pub fn new(op: isa::Op, dst: Dst, src: [Src; 3], loc: Loc) -> Inst {
        Inst { op, dst, cdst: None, src, at: None, guard: None, carry: None, fresh: false, call: None, loc }
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
    /// Registers with places from the start, of functions that call or are called.
    pub fixed: Option<Fixed>,
    /// Words of arguments and results, of a routine.
    pub signature: Option<(u8, u8)>,
}

impl Function {
    /// The fixed registers that hold the arguments of a routine.
    pub fn arguments(&self) -> impl Iterator<Item = Reg> {
        self.signature.zip(self.fixed).into_iter().flat_map(|((n, _), fixed)| fixed.words(n))
    }

    /// The fixed registers that hold the results of a routine when it returns.
    pub fn results(&self) -> impl Iterator<Item = Reg> {
        self.signature.zip(self.fixed).into_iter().flat_map(|((_, n), fixed)| fixed.words(n))
    }

    /// Place that a register has from the start, from 0 in its class.
    pub fn fixed_place(&self, r: Reg) -> Option<u8> {
        let entry = (r == self.entry).then_some(0);
        entry.or_else(|| self.fixed.and_then(|f| f.place(r)))
    }

    /// A new virtual register.
    pub fn reg(&mut self, class: Class) -> Reg {
        self.regs.push(class);
        Reg(self.regs.len() as u32 - 1)
    }
}
