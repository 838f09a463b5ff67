//! Operations.

use super::{Access, AtomicOp, Cond, Flow, Space};

/// Special functions of the project's unit (docs/numerics.md); float results follow
/// [`super::FloatMode::nan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// 1 / x.
    Rcp,
    /// 1 / sqrt(x).
    Rsq,
    /// log2 x.
    Lg2,
    /// 2^x of a range-reduced argument.
    Ex2,
    /// Sine of a range-reduced argument.
    Sin,
    /// Cosine of a range-reduced argument.
    Cos,
    /// Range reduction for [`Special::Ex2`].
    ReduceEx2,
    /// Range reduction for [`Special::Sin`] and [`Special::Cos`].
    ReduceSin,
    /// High word of 1 / x of the f64 with high word x and low word 0, toward zero.
    Rcp64High,
    /// High word of 1 / sqrt(x), likewise.
    Rsq64High,
    /// As [`Special::Rsq`], but 0 for a zero and infinity for infinity, so that x times it is a root.
    RsqForSqrt,
    /// First half of a sine: x in 0..4 brought to -1..1.
    SinFold,
    /// Second half: sin(y pi/2) / y.
    SinRatio,
}

/// How the bits of several lanes become the bit of one. Groups are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    /// The lane's own.
    Own,
    /// Some lane of a group of so many has 1.
    Any(u8),
    /// Every lane of a group of so many has 1.
    All(u8),
    /// The lane's bit in one of the two subregisters of the flag register is 1.
    AnyOfBoth,
    /// The lane's bit in both subregisters of the flag register is 1.
    AllOfBoth,
    /// The bit of one component of the lane's group of four.
    Component(u8),
}

/// Lane a value comes from; `i` is the own lane, `b` the second source. Values of inactive lanes are
/// read like others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shuffle {
    /// Lane b.
    To,
    /// i + b.
    Down,
    /// i - b.
    Up,
    /// (i - b) mod 32.
    Rotate,
    /// i xor b.
    Xor,
}

/// Operations over lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CrossOp {
    /// One bit an executing lane: whether the comparison of sources 0 and 1 holds.
    Ballot(Cond),
    /// As [`CrossOp::Ballot`], shifted so that bit 0 is the first lane of the own quad.
    QuadBallot(Cond),
    /// Destination 0: mask of the executing lanes where source 0 is 1; destination 1: whether all are.
    VoteAll,
    /// Destination 1: whether some are.
    VoteAny,
    /// Destination 1: whether all are or none is.
    VoteSame,
    /// Source 0 of another lane of the warp, the lane index as G13 forms it in quads.
    Shuffle(Shuffle),
    /// Source 0 of another lane of the quad.
    QuadShuffle(Shuffle),
    /// Folds source 0 over the executing lanes of a group of `lanes`, ascending.
    Reduce {
        /// The fold.
        op: AtomicOp,
        /// 4 or 32.
        lanes: u8,
        /// Each lane gets the fold of those below it, the first the identity.
        exclusive: bool,
    },
    /// Source 0 of lane (i xor `with`) minus that of the lower of both, sign as in G13.
    QuadDifference {
        /// 1 or 2.
        with: u8,
    },
}

/// What a warp does at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BarrierOp {
    /// Barrier.
    pub id: u8,
    /// Waits; else it only arrives.
    pub wait: bool,
    /// Threads that are expected; 0: all of the block.
    pub threads: u16,
}

/// Operation of a micro-operation. `a`, `b`, `c`, `d` are its sources as numbers, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Nothing.
    Nop,
    /// a: bits, truncated or extended as an integer; the sign bit of a float by its modifiers.
    Move,
    /// a as a number of the result's type. To integers: rounded, clamped, NaN 0; between integers:
    /// truncated or saturated.
    Convert,
    /// Float a rounded to an integral value, sign of zero kept.
    RoundToIntegral,
    /// a + b, or a + b + c of integers.
    Add,
    /// a * b.
    Mul,
    /// a * b >> width of the result's type.
    MulHigh,
    /// a * b + c, rounded once.
    MulAdd,
    /// Quotient a / b of integers toward zero; all ones where b is 0.
    Quotient,
    /// Remainder of [`Op::Quotient`]; a where b is 0.
    Remainder,
    /// Smaller one; one NaN gives the other operand; -0 < +0.
    Min,
    /// Larger one, likewise.
    Max,
    /// Comparison of a and b. Destination 0: outcome, combined with source c (1 bit) by a truth table if
    /// there is a c; destination 1: the opposite outcome, likewise. A result of more than one bit is all
    /// ones or 0.
    Compare {
        /// Outcomes that are true.
        cond: Cond,
        /// Bit (outcome + 2 c) of it is the result.
        combine: u8,
    },
    /// c ? a : b, bits unchanged; c is one bit.
    Select,
    /// (a ? b) ? c : d, bits of c and d unchanged.
    CompareSelect(Cond),
    /// Bit (a + 2 b) of the truth table for each bit.
    Logic(u8),
    /// Predicates a, b, c: t = first(a + 2 b); destination 0: second(t + 2 c); destination 1: second(not t
    /// + 2 c).
    PredicateLogic {
        /// First truth table.
        first: u8,
        /// Second truth table.
        second: u8,
    },
    /// a << (b & mask), without loss before the result is formed.
    ShiftLeft {
        /// Bits of the count that are used.
        mask: u32,
    },
    /// a >> (b & mask), with the sign of a signed type.
    ShiftRight {
        /// Bits of the count that are used.
        mask: u32,
    },
    /// The c bits of a from bit b on; those beyond the type of a read as its sign, or 0; 0 bits give 0. The
    /// result's sign extends it.
    Extract,
    /// a with its d bits from bit c on replaced by the low bits of b.
    Insert,
    /// Low word a, high word b: (b:a >> (c & mask)), low bits.
    ShiftPair {
        /// Bits of the count that are used.
        mask: u32,
    },
    /// Bits of a in reverse order, over the width of its type.
    Reverse,
    /// Ones of a.
    CountOnes,
    /// Index of the highest one of a, of a signed type the highest bit unlike the sign; all ones if there
    /// is none.
    FindHigh {
        /// Counted from the top.
        from_top: bool,
    },
    /// Index of the lowest one; all ones if there is none.
    FindLow,
    /// Bits of a at even places, of b at odd places, 16 of each.
    Interleave,
    /// Special function of a.
    Special(Special),
    /// Load; the address is the sum of the sources.
    Load(Access),
    /// Store; the address is the sum of the sources but the first, which is the first register of the data.
    Store(Access),
    /// Stores a rectangle of bytes once, as the first executing lane sees its sources: first register of the
    /// rows, x and y in bytes and rows, size ((rows - 1) << 16 | bytes of a row - 1), bytes of the rows'
    /// registers, bytes from row to row in memory. A row lies in the next power of two of its bytes, 4 at
    /// least.
    StoreRectangle(Space),
    /// Atomic; the address is the sum of the sources behind the operands: one operand (a), for
    /// compare-and-exchange two (a is compared, b is stored). Destination 0 gets the old value.
    Atomic(Access, AtomicOp),
    /// Over lanes.
    Cross(CrossOp),
    /// Barrier of the block.
    Barrier(BarrierOp),
    /// Control flow.
    Flow(Flow),
    /// The program asks for a trap.
    Trap,
}
