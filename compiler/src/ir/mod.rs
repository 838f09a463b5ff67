//! The typed intermediate representation: one function a kernel, calls inlined, words of 32 bits.
//!
//! Values are 32-bit words or predicates. Wider PTX values are pairs of words; narrower
//! integers are words whose upper bits are undefined unless [`Op::Ext`] set them. Floats are
//! words too. A function leaves the front end with values assigned several times (PTX is no SSA
//! form); [`crate::opt::ssa`] gives every value one definition and inserts [`Phi`]s. Everything
//! behind it expects [`Function::ssa`].

#[cfg(test)]
pub(crate) mod eval;
pub mod print;
pub mod verify;

use crate::error::Loc;
pub use warpsmith_isa::uop::AtomicOp;
pub use warpsmith_isa::{IntType, LogicOp, Round};

/// A value: index into [`Function::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A block: index into [`Function::blocks`]; block 0 is the entry and has no predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// Type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// 32 bits: integer, float, address.
    Word,
    /// One bit: outcome of a comparison.
    Pred,
}

/// Operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A value.
    Value(Value),
    /// A constant; as a predicate 0 or 1.
    Imm(u32),
}

/// Memory space; generic addresses have been traced to one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Kernel parameters: byte offset from the first parameter; read-only, `s[0x10 + offset]`.
    Param,
    /// Shared memory: byte address in `s[]`, header and parameters included.
    Shared,
    /// Global memory: absolute byte address.
    Global,
    /// Constant bank 0: byte address.
    Const,
    /// Local memory of the thread: byte address from 0.
    Local,
}

impl Space {
    /// Its name, as in PTX without the dot.
    pub fn name(self) -> &'static str {
        match self {
            Space::Param => "param",
            Space::Shared => "shared",
            Space::Global => "global",
            Space::Const => "const",
            Space::Local => "local",
        }
    }

    /// The space of a name; `None` where there is none.
    pub fn parse(name: &str) -> Option<Space> {
        [Space::Param, Space::Shared, Space::Global, Space::Const, Space::Local].into_iter().find(|s| s.name() == name)
    }
}

/// Size and extension of one element of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemTy {
    /// One byte, zero-extended.
    U8,
    /// One byte, sign-extended.
    S8,
    /// Two bytes, zero-extended.
    U16,
    /// Two bytes, sign-extended.
    S16,
    /// Four bytes.
    B32,
}

impl MemTy {
    /// Bytes of one element.
    pub const fn bytes(self) -> u32 {
        match self {
            MemTy::U8 | MemTy::S8 => 1,
            MemTy::U16 | MemTy::S16 => 2,
            MemTy::B32 => 4,
        }
    }
}

/// Special register; all zero-extended to a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Special {
    TidX,
    TidY,
    TidZ,
    NTidX,
    NTidY,
    NTidZ,
    CtaIdX,
    CtaIdY,
    NCtaIdX,
    NCtaIdY,
    /// Cycle counter.
    Clock,
}

/// Relation of a comparison, as the chip's SET instructions code it: bit 0 less, bit 1 equal,
/// bit 2 greater, bit 3 unordered (floats alone).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rel(pub u8);

#[allow(missing_docs)]
impl Rel {
    pub const LT: Rel = Rel(1);
    pub const EQ: Rel = Rel(2);
    pub const LE: Rel = Rel(3);
    pub const GT: Rel = Rel(4);
    pub const NE: Rel = Rel(5);
    pub const GE: Rel = Rel(6);
    /// The bit that says: true for NaN operands too.
    pub const UNORDERED: u8 = 8;

    /// The relation with the operands exchanged.
    pub const fn swapped(self) -> Rel {
        Rel(self.0 & 0b1010 | (self.0 & 1) << 2 | (self.0 >> 2) & 1)
    }

    /// The opposite of an integer relation.
    pub const fn not_int(self) -> Rel {
        Rel(!self.0 & 7)
    }

    /// The opposite of a float relation.
    pub const fn not_float(self) -> Rel {
        Rel(!self.0 & 15)
    }
}

/// Operation of an instruction. Sources and results are listed as `(sources) -> results`; words
/// unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `(a) -> a`, words or predicates.
    Copy,
    /// `() -> word`: a special register.
    Special(Special),
    /// `() -> address` of variable `var` of [`Unit::globals`](crate::program::Unit::globals) plus `offset` bytes; known at launch.
    GlobalAddr {
        /// Index of the variable.
        var: u32,
        /// Bytes added.
        offset: i32,
    },
    /// `(a, b) -> a + b`.
    Add,
    /// `(a, b) -> a - b`.
    Sub,
    /// `(a_lo, a_hi, b_lo, b_hi) -> lo, hi` of the 64-bit sum.
    Add64,
    /// `(a_lo, a_hi, b_lo, b_hi) -> lo, hi` of the 64-bit difference.
    Sub64,
    /// `(a, b) ->` low 32 bits of the product.
    Mul,
    /// `(a, b) ->` high 32 bits of the 64-bit product.
    MulHi {
        /// Both operands signed.
        signed: bool,
    },
    /// `(a, b) ->` product of the low 16 bits of each, extended as said, 32 bits.
    Mul16 {
        /// Both operands signed.
        signed: bool,
    },
    /// `(a, b) ->` product of the low 24 bits of each, extended as said: bits 31:0, or 47:16.
    Mul24 {
        /// Both operands signed.
        signed: bool,
        /// Bits 47:16 instead of 31:0.
        high: bool,
    },
    /// `(a, b) -> min(a, b)`.
    Min {
        /// Signed comparison.
        signed: bool,
    },
    /// `(a, b) -> max(a, b)`.
    Max {
        /// Signed comparison.
        signed: bool,
    },
    /// `(a, b, c) -> |a - b| + c`.
    Sad {
        /// Signed operands.
        signed: bool,
    },
    /// `(a, b)`: words or predicates.
    And,
    /// `(a, b)`: words or predicates.
    Or,
    /// `(a, b)`: words or predicates.
    Xor,
    /// `(a)`: word or predicate.
    Not,
    /// `(a, count) -> a << count`; 0 from 32 on.
    Shl,
    /// `(a, count) -> a >> count`; 0 or the sign from 32 on.
    Shr {
        /// Fills with the sign.
        signed: bool,
    },
    /// `(a) ->` the low bits of `a`, extended to a word.
    Ext(
        /// `U8`, `S8`, `U16` or `S16`.
        MemTy,
    ),
    /// `(a, b) -> predicate`: integer comparison.
    Cmp {
        /// Relation, without the unordered bit.
        rel: Rel,
        /// Signed operands.
        signed: bool,
    },
    /// `(a, b) -> predicate`: float comparison.
    FCmp(
        /// Relation.
        Rel,
    ),
    /// `(p: predicate, a, b) -> p ? a : b`, words or predicates.
    Select,
    /// `(a, b) -> a + b`, floats.
    FAdd {
        /// Rounding; [`Round::Nearest`] or [`Round::Zero`].
        round: Round,
        /// Clamps to 0..=1.
        sat: bool,
    },
    /// `(a, b) -> a * b`, floats.
    FMul {
        /// Rounding; [`Round::Nearest`] or [`Round::Zero`].
        round: Round,
    },
    /// `(a, b, c) -> a * b + c`, product truncated, sum rounded to nearest.
    FMad {
        /// Clamps to 0..=1.
        sat: bool,
    },
    /// `(a, b)`, floats.
    FMin,
    /// `(a, b)`, floats.
    FMax,
    /// `(a) -> -a`, float.
    FNeg,
    /// `(a) -> |a|`, float.
    FAbs,
    /// `(a) -> a` clamped to 0..=1, float.
    FSat,
    /// `(a) -> a` rounded to an integral float.
    FRound(
        /// Direction.
        Round,
    ),
    /// `(a) -> 1 / a`.
    Rcp,
    /// `(a) -> 1 / sqrt(a)`.
    Rsq,
    /// `(a) -> log2(a)`.
    Lg2,
    /// `(r) -> sin`, of a result of [`Op::RroSin`].
    Sin,
    /// `(r) -> cos`, of a result of [`Op::RroSin`].
    Cos,
    /// `(r) -> 2^x`, of a result of [`Op::RroEx2`].
    Ex2,
    /// `(a) ->` range reduction in front of [`Op::Sin`] and [`Op::Cos`].
    RroSin,
    /// `(a) ->` range reduction in front of [`Op::Ex2`].
    RroEx2,
    /// `(a) -> float` of an integer.
    IntToF {
        /// Signed source.
        signed: bool,
        /// Rounding.
        round: Round,
    },
    /// `(a) -> integer` of a float; clamped, NaN gives 0.
    FToInt {
        /// Signed result.
        signed: bool,
        /// Rounding.
        round: Round,
    },
    /// `(a) ->` half precision in the low 16 bits, upper bits 0.
    FToHalf(
        /// Rounding.
        Round,
    ),
    /// `(a) -> float` of the half precision in the low 16 bits.
    HalfToF,
    /// `(address) -> 1, 2 or 4 words`, each one element of `ty`, the first at `address + offset`.
    ///
    /// More than one element only of `B32`; the address is aligned to the whole access.
    Load {
        /// Space.
        space: Space,
        /// Element.
        ty: MemTy,
        /// Bytes added to the address.
        offset: i32,
        /// Neither moved, merged nor dropped.
        volatile: bool,
    },
    /// `(address, 1, 2 or 4 words) -> ()`, as [`Op::Load`].
    Store {
        /// Space; never [`Space::Param`] or [`Space::Const`].
        space: Space,
        /// Element; the sign does not matter.
        ty: MemTy,
        /// Bytes added to the address.
        offset: i32,
        /// Neither moved, merged nor dropped.
        volatile: bool,
    },
    /// `(address, operand) -> what was there`, of a comparison and exchange `(address, compared, new)`: replaces a word of
    /// global memory; without a result where nothing needs it.
    Atomic {
        /// What becomes of the word.
        op: AtomicOp,
        /// Smaller and larger are those of signed words.
        signed: bool,
        /// Bytes added to the address.
        offset: i32,
    },
    /// `(address) -> word, got`: loads a word of shared memory and takes its lock; `got` where that was free.
    Lock {
        /// Bytes added to the address.
        offset: i32,
    },
    /// `(address, word, got) -> ()`: where `got`, stores a word to shared memory and frees its lock.
    Unlock {
        /// Bytes added to the address.
        offset: i32,
    },
    /// `(words) -> words`: a routine, which computes and touches no memory.
    Call {
        /// Number in [`Function::routines`] of the kernel.
        routine: u32,
    },
    /// `(words) -> words`: an operation on floats of 64 bits, its numbers as the machine has them, low words first.
    Double(warpsmith_isa::Op),
    /// `() -> words`: the arguments of a routine, first in its entry.
    Args,
    /// `(words) -> ()`: the results of a routine, last in front of its return.
    Results,
    /// `(p) -> whether p holds` in all active threads of the warp, or in any.
    Vote {
        /// In all.
        all: bool,
    },
    /// `() -> ()`: barrier 0 of the block.
    Barrier,
    /// `() -> ()`: order of memory accesses (a warp's accesses are in order: no instruction).
    Fence,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    /// Operation.
    pub op: Op,
    /// Results.
    pub dst: Vec<Value>,
    /// Sources.
    pub src: Vec<Operand>,
    /// Place in the source.
    pub loc: Loc,
}

/// `dst` = the operand of the predecessor that control came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phi {
    /// Result.
    pub dst: Value,
    /// One operand for each predecessor.
    pub args: Vec<(BlockId, Operand)>,
}

/// End of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// To a block.
    Jump(BlockId),
    /// To `then` where the predicate holds, to `other` where not.
    Branch {
        /// The predicate.
        cond: Operand,
        /// Taken where it holds.
        then: BlockId,
        /// Taken where not.
        other: BlockId,
    },
    /// The thread ends.
    Return,
    /// The kernel stops with a trap.
    Trap,
}

impl Term {
    /// Successors, at most two.
    pub fn successors(&self) -> impl Iterator<Item = BlockId> + '_ {
        let (a, b) = match self {
            Term::Jump(b) => (Some(*b), None),
            Term::Branch { then, other, .. } => (Some(*then), Some(*other)),
            Term::Return | Term::Trap => (None, None),
        };
        a.into_iter().chain(b)
    }

    /// The successors, to be renamed.
    pub fn successors_mut(&mut self) -> impl Iterator<Item = &mut BlockId> {
        let (a, b) = match self {
            Term::Jump(b) => (Some(b), None),
            Term::Branch { then, other, .. } => (Some(then), Some(other)),
            Term::Return | Term::Trap => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Phis, all evaluated at once on entry.
    pub phis: Vec<Phi>,
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// End.
    pub term: Term,
    /// Place of the end in the source.
    pub loc: Loc,
}

/// Memory that a pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum ParamKind {
    /// A number or a struct.
    Value,
    /// A pointer to global memory: a buffer.
    Global,
    /// A pointer to constant memory: a buffer too, read as global memory.
    Constant,
    /// A size of shared memory (`__local` of OpenCL): the launch passes bytes, the kernel an address.
    Shared,
}

/// Type of a parameter as PTX and, where it says so, the C source declare it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Param {
    /// Name: of the source where known, else of the PTX.
    pub name: String,
    /// Byte offset from the first parameter.
    pub offset: u32,
    /// Bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// True for a PTX type `.f32` or `.f64`; integers and bits otherwise.
    pub float: bool,
    /// Memory that a pointer points to; [`ParamKind::Value`] where PTX declares no pointer.
    pub kind: ParamKind,
    /// Alignment in bytes of the memory that a pointer points to; 1 where PTX does not say it.
    pub target_align: u32,
}

impl Param {
    /// Alignment in bytes of the shared memory that a launch gives to a `__local` pointer: that of the
    /// type, and 16 for smaller ones, which programs read as vectors.
    pub fn local_align(&self) -> u32 {
        self.target_align.max(16)
    }
}

/// A variable of module scope in global or constant memory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Variable {
    /// Name in the PTX.
    pub name: String,
    /// Bytes.
    pub bytes: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Initial contents; `None`: zero.
    pub init: Option<Vec<u8>>,
    /// Words of `init` that hold addresses: (byte offset, variable of [`Unit::globals`](crate::program::Unit::globals), bytes added).
    pub pointers: Vec<(u32, u32, i32)>,
    /// Byte offset in constant bank 0; `None` for a variable in global memory.
    pub constant_offset: Option<u32>,
    /// A texture or surface reference: its [descriptor](crate::texture::Descriptor), which the launch fills.
    pub texture: bool,
}

/// Place of a kernel's own parameters in constant bank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ConstantParams {
    /// Byte offset in the bank.
    pub offset: u32,
    /// Bytes of all, a multiple of 4.
    pub bytes: u32,
}

impl ConstantParams {
    /// First byte behind them.
    pub fn end(self) -> u32 {
        self.offset + self.bytes
    }
}

/// A variable in shared memory.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SharedVariable {
    /// Name, as in the source.
    pub name: String,
    /// Byte address.
    pub address: u32,
    /// Bytes.
    pub bytes: u32,
}

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Name in the PTX.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Bytes of parameters in front of shared memory, a multiple of 4.
    pub param_bytes: u32,
    /// Where the kernel's own parameters are in constant bank 0; `None`: in front of shared memory.
    pub constant_params: Option<ConstantParams>,
    /// Parameter words that are `%envreg` registers: (number, byte offset), ascending.
    pub environment: Vec<(u8, u32)>,
    /// Type of every value.
    pub types: Vec<Ty>,
    /// Blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Shared bytes: header, parameters, variables; dynamic shared memory begins at its end.
    pub shared_bytes: u32,
    /// Variables in shared memory that have a size.
    pub shared: Vec<SharedVariable>,
    /// Uses `extern __shared__` arrays or `__local` arguments.
    pub dynamic_shared: bool,
    /// Local bytes a thread of arrays; spills come behind them.
    pub local_bytes: u32,
    /// Texture and surface references that it reads: indices in [`Unit::globals`](crate::program::Unit::globals), ascending.
    pub textures: Vec<u32>,
    /// Threads of a block where the source says so (`.reqntid`), in x, y, z.
    pub required_block: Option<[u32; 3]>,
    /// Threads of a block at most where the source says so (`.maxntid`, their product).
    pub max_threads: Option<u32>,
    /// Every value has one definition.
    pub ssa: bool,
    /// Of a kernel: the functions that it and they call, by number; they share one set of numbers.
    pub routines: Vec<Function>,
}

impl Function {
    /// A new value of a type.
    pub fn value(&mut self, ty: Ty) -> Value {
        self.types.push(ty);
        Value(self.types.len() as u32 - 1)
    }

    /// A block by its number.
    pub fn block(&self, b: BlockId) -> &Block {
        &self.blocks[b.0 as usize]
    }

    /// A block by its number, to be changed.
    pub fn block_mut(&mut self, b: BlockId) -> &mut Block {
        &mut self.blocks[b.0 as usize]
    }

    /// All block numbers.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// Type of a value.
    pub fn ty(&self, v: Value) -> Ty {
        self.types[v.0 as usize]
    }
}
