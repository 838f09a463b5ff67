//! Control words of the sets beside SM 1.0: a micro-operation as the lane takes it, predicates, addresses.
//!
//! They encode `warpsmith_isa::uop`, which says what each operation means. A lane of micro-operations
//! has three operands a, b, c of 32 bits, three predicates p1, p2, p3 (with their inversion done), a
//! result y and two predicate results q1, q2. 16-bit integers come to it extended.

use crate::packed;

/// Operations (`UopControl::op`). `±` is what `neg_a`, `neg_b`, `neg_c` ask for, after an absolute value.
pub mod op {
    /// y = a.
    pub const MOVE: u64 = 0;
    /// Integers: ±(a << shift) ± b; both negative: (a << shift) + b + 1. `sat`, of signed ones with
    /// `signed_a`, without `shift`. Of G13 a is signed with `signed_a`, b with `signed_b`, and `sat` clamps to the
    /// format `to`. With `reverse` the low words of a sum of 64 bits, with `high` too the high ones: a word that is no
    /// high one counts as what its sign and `shift` have above bit 31, of a with `from` bit 0, of b with bit 1.
    pub const ADD: u64 = 1;
    /// Low word, with `high` the high word, of a × b (`signed_a`, `signed_b`), ± by `neg_a`, with
    /// `accumulate` ± c by `neg_c`; both negative: word + c + 1. `sat` (the sum, signed). Of G13 the low word alone,
    /// no `neg_a`; it adds ±(c << `shift`), and `sat` clamps the whole sum to the format `to`, where c is signed with
    /// `from` bit 2. `reverse`, `high` and `from` bit 0, of c, as of ADD.
    pub const MUL: u64 = 2;
    /// Truth table `table` for each bit of a (`neg_a` inverts) and b (`neg_b` inverts): bit a + 2 b of it.
    pub const LOGIC: u64 = 3;
    /// a << (b & count mask), 0 beyond.
    pub const SHIFT_LEFT: u64 = 4;
    /// a >> (b & count mask), `signed_a` with the sign, which also fills beyond. Of G13 with `high` of a << 32; with
    /// `accumulate` c where a field of b\[15:8\] bits, which the shift moves from bit 0, or with `high` from bit 32,
    /// downward, has none.
    pub const SHIFT_RIGHT: u64 = 5;
    /// b\[15:8\] bits of a from bit b\[7:0\] on, sign-extended with `signed_a`; with `reverse` of a with
    /// its bits reversed. Bits beyond a read as its sign with `signed_a`, else 0; length 0 gives 0.
    pub const EXTRACT: u64 = 6;
    /// c with its b\[15:8\] bits from bit b\[7:0\] on replaced by the low bits of a. Of G13 with `high` the field
    /// begins 32 bits lower, at bit 0 at least, and its bits are those of a << b\[7:0\] from bit 32 on.
    pub const INSERT: u64 = 7;
    /// Ones of a & b (`neg_a`, `neg_b` invert).
    pub const COUNT: u64 = 8;
    /// Index of the highest one of a (`neg_a` inverts), with `signed_a` of the highest bit unlike the
    /// sign; with `reverse` counted from the top; all ones where there is none.
    pub const FIND: u64 = 9;
    /// o = a `cond` b, integers (`signed_a`) or `float`s; q1 = bit o + 2 p1 of `table`, q2 = bit
    /// !o + 2 p1 of it.
    pub const COMPARE: u64 = 10;
    /// p1 ? a : b.
    pub const SELECT: u64 = 11;
    /// (c `cond` 0) ? a : b, integers (`signed_a`) or a `float` c.
    pub const COMPARE_SELECT: u64 = 12;
    /// p1 ? minimum : maximum of a and b, integers (`signed_a`) or `float`s.
    pub const MINMAX: u64 = 13;
    /// t = bit p1 + 2 p2 of `table`; q1 = bit t + 2 p3 of `table_2`, q2 = bit !t + 2 p3 of it.
    pub const PREDICATES: u64 = 14;
    /// Integer ±a (signed with `from` bit 2) as the format `to`, truncated or, with `sat`, clamped, extended to 32 bits.
    pub const CONVERT: u64 = 15;
    /// y = b, q1 = p1: what a vote has found.
    pub const VOTE: u64 = 16;
    /// Float ±a ± b.
    pub const FADD: u64 = 17;
    /// Float a × b, ± by `neg_a` xor `neg_b`.
    pub const FMUL: u64 = 18;
    /// Float a × b ± c, rounded once; the product ± by `neg_a` xor `neg_b`.
    pub const FMA: u64 = 19;
    /// Float ±a as a float of `format`; with `integral` rounded to an integral value.
    pub const F2F: u64 = 20;
    /// Float ±a as integer of format `to`, clamped, extended to 32 bits; NaN gives 0.
    pub const F2I: u64 = 21;
    /// Integer ±a (32 bits, signed with `from` bit 2) as a float of `format`. Of G13 its low byte where `from` says so.
    pub const I2F: u64 = 22;
    /// Range reduction in front of sine and cosine, of ±a with denormals flushed.
    pub const RRO_SIN: u64 = 23;
    /// Range reduction in front of the power of two, likewise.
    pub const RRO_EX2: u64 = 24;
    /// Bits of a at even places, of b at odd places, 16 of each.
    pub const INTERLEAVE: u64 = 25;
    /// {c, a} >> (b & count mask), the low b\[15:8\] bits.
    pub const SHIFT_PAIR: u64 = 26;
    /// (a `cond` b) ? c : d, integers (`signed_a`) or `float`s. Of G13 alone, as the fourth operand d.
    pub const CHOOSE: u64 = 27;
    /// The counter of the execution mask: c after the [`mask`](crate::sm::control::g13::mask) operation in `table` with the
    /// levels in `shift`; a `cond` b of integers (`signed_a`) or `float`s. Of G13 alone.
    pub const MASK: u64 = 28;
    /// First half of a sine: ±a of 0 to 4 as a float of `format`; a up to 1, 2 - a up to 3, then a - 4;
    /// b is 0. Of G13 alone.
    pub const SIN_FOLD: u64 = 29;
    /// High word of 1 / x of the float of 64 bits with high word ±a and low word 0, cut off. With floats of 64 bits alone.
    pub const RCP64H: u64 = 30;
    /// High word of 1 / sqrt(x), likewise.
    pub const RSQ64H: u64 = 31;
}

/// Bits of a shift count that count (`UopControl::count`).
pub mod count {
    /// All 32.
    pub const ALL: u64 = 0;
    /// Modulo 32.
    pub const MOD_32: u64 = 1;
    /// Modulo 128.
    pub const MOD_128: u64 = 2;
}

/// Outcomes of a comparison that are true (`UopControl::cond`), the bits of `warpsmith_isa::uop::Cond`.
pub mod cond {
    /// Less, equal, greater, a is NaN, b is NaN and a is not.
    pub const BITS: usize = 5;
}

/// Float results below the normal range (`UopControl::tiny`).
pub mod tiny {
    /// A denormal.
    pub const KEEP: u64 = 0;
    /// A zero of its sign, if the rounded result is a denormal.
    pub const FLUSH_ROUNDED: u64 = 1;
    /// A zero of its sign, if the exact result lies below the normal range.
    pub const FLUSH_EXACT: u64 = 2;
}

/// Formats of float results (`UopControl::format`).
pub mod format {
    /// Single precision.
    pub const F32: u64 = 0;
    /// Half precision in the low half of the word, denormals kept, the high half 0; rounded once.
    pub const F16: u64 = 1;
    /// Single precision, with `tiny`, and that rounded to half precision, nearest.
    pub const F32_F16: u64 = 2;
}

packed! {
    /// What a lane of micro-operations does. Fields an operation does not name mean nothing to it.
    pub struct UopControl(_d: ()) {
        /// One of [`op`].
        op: 5,
        /// Integers: a is signed (and the operation, where it says so).
        signed_a: 1,
        /// MUL: b is signed.
        signed_b: 1,
        /// MUL: bits 63:32 of the product.
        high: 1,
        /// MUL: adds c.
        accumulate: 1,
        /// Integers: clamped. Floats: clamped to 0 … 1, NaN and -0 to +0.
        sat: 1,
        /// Sign of a; LOGIC, COUNT, FIND: inverts it.
        neg_a: 1,
        /// Absolute value of a, before its sign.
        abs_a: 1,
        neg_b: 1,
        abs_b: 1,
        neg_c: 1,
        abs_c: 1,
        /// ADD: places a moves to the left first.
        shift: 5,
        /// One of [`count`].
        count: 2,
        /// EXTRACT: of the reversed bits. FIND: from the top. ADD, MUL: of 64 bits.
        reverse: 1,
        /// Truth table. Special functions: [`super::function`] in the low 3 bits; of G13 and Ivy Bridge [`ROOT`] above them.
        table: 4,
        /// PREDICATES: the second truth table.
        table_2: 4,
        /// See [`cond`].
        cond: 5,
        /// COMPARE, COMPARE_SELECT, MINMAX: of floats.
        float: 1,
        /// The float source is half precision, in the low half of the word; exact.
        half_a: 1,
        half_b: 1,
        half_c: 1,
        /// Single-precision sources: denormals are zeros of their sign.
        flush: 1,
        /// One of [`tiny`].
        tiny: 2,
        /// One of [`super::round`]: floats, conversions.
        round: 2,
        /// A product with a zero factor is +0, whatever the other factor.
        zero_product: 1,
        /// One of [`mod@format`].
        format: 2,
        /// F2F: to an integral value.
        integral: 1,
        /// Integer formats of conversions ([`super::int_format`]).
        from: 3,
        to: 3,
    }
}

/// RSQ's infinity becomes a zero and its zero infinity (`UopControl::table` of a special function).
pub const ROOT: u64 = 8;

/// A predicate that is always true, and as a destination none.
pub const TRUE: u64 = 7;

/// Votes (`PredicateControl::vote`), over the threads that execute: y is the mask of those whose p1 is
/// true, q1 as follows. The mask takes the place of the immediate, which b has to be.
pub mod vote {
    /// No vote.
    pub const NONE: u64 = 0;
    /// All are.
    pub const ALL: u64 = 1;
    /// Some is.
    pub const ANY: u64 = 2;
    /// All are or none is.
    pub const SAME: u64 = 3;
}

packed! {
    /// Predicates of an instruction: P0 to P6, 7 is [`TRUE`].
    pub struct PredicateControl(_d: ()) {
        /// Threads where it is true execute.
        guard: 3,
        guard_not: 1,
        p1: 3,
        p1_not: 1,
        p2: 3,
        p2_not: 1,
        p3: 3,
        p3_not: 1,
        /// Destinations.
        q1: 3,
        q2: 3,
        /// One of [`vote`].
        vote: 2,
    }
}

packed! {
    /// How the address of a memory operand is made: 32 bits, `imm` and what follows.
    pub struct AddressControl(_d: ()) {
        /// Operand register r1 is added.
        base: 1,
        /// Operand register r2 is the high word of the address: where it is not 0, the access is out of range.
        far: 1,
        /// The constant operand has this address; else `c_offset`.
        indexed: 1,
        /// The shared operand is a word of the block's header, which no program reaches.
        header: 1,
    }
}
