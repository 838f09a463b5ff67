//! What the control word of G13 has beside the others: where each operand comes from, indices of addresses, the
//! execution mask.

use crate::packed;
use crate::rtl::prelude::*;

/// Where an operand comes from (`SourceControl::from1` to `from4`).
pub mod from {
    /// Register, or what `Control::s1_kind`, `s2_kind` say.
    pub const KIND: u64 = 0;
    /// Uniform `n`, whole or a half as `Control::s1_half` and its like say.
    pub const UNIFORM: u64 = 1;
    /// The number `n`: an integer, or a float of 8 bits.
    pub const NUMBER: u64 = 2;
    /// Threads of a block along axis `n`.
    pub const BLOCK_SIZE: u64 = 3;
    /// Number of the thread in its warp.
    pub const LANE: u64 = 4;
    /// Mask of the active threads.
    pub const ACTIVE: u64 = 5;
    /// The stack pointer of the warp.
    pub const STACK: u64 = 6;
}

/// What an instruction of two passes does with what its first pass has kept of every thread
/// (`SourceControl::exchange`). The second has it as operand d, or of other threads in place of operand a; of quads alone
/// where bit 3 is set.
pub mod exchange {
    /// One pass: nothing is kept.
    pub const NONE: u64 = 0;
    /// Operand b is the thread.
    pub const TO: u64 = 1;
    /// … is added to the thread's own number,
    pub const DOWN: u64 = 2;
    /// … or subtracted,
    pub const UP: u64 = 3;
    /// … modulo the lanes,
    pub const ROTATE: u64 = 4;
    /// … or combined with it.
    pub const XOR: u64 = 5;
    /// Of two neighbours in a row of the quad a is the right one's, b the left one's.
    pub const ROW: u64 = 6;
    /// Of two in a column a is the lower one's, b the upper one's.
    pub const COLUMN: u64 = 7;
    /// Shuffles of the quad: this and one of those before.
    pub const QUAD: u64 = 8;
    /// The kept one is register `n4`: operand d.
    pub const FOURTH: u64 = 8;
    /// The result is a bit of each executing thread, those that the first pass has found.
    pub const BALLOT: u64 = 14;
    /// … from the first thread of the own quad on.
    pub const QUAD_BALLOT: u64 = 15;
}

/// Operations on the counter of the execution mask, n levels (`UopControl::table` of MASK).
pub mod mask {
    /// Falls by n, not below 0.
    pub const POP: u64 = 0;
    /// Rises by n where it is not 0; else 1 where the condition fails.
    pub const IF: u64 = 1;
    /// Below n: 0 where the condition holds, else n.
    pub const WHILE: u64 = 2;
    /// n where it is 0; where it is 1, 0 if the condition holds.
    pub const ELSE: u64 = 3;
}

packed! {
    /// Operands of G13. Operand a is register r1, b r2, c and d see `port3` and `port4`.
    pub struct SourceControl(_d: ()) {
        /// One of [`from`].
        from1: 3,
        /// Uniform or number.
        n1: 8,
        /// The number is a float: sign, 3 bits of exponent, 4 of fraction.
        mini1: 1,
        /// 16 bits are extended by their sign.
        extend1: 1,
        from2: 3,
        n2: 8,
        mini2: 1,
        extend2: 1,
        from3: 3,
        n3: 8,
        mini3: 1,
        extend3: 1,
        /// Fourth operand, of CHOOSE alone.
        from4: 3,
        n4: 8,
        half4: 1,
        hi4: 1,
        /// Register that is operand c: 0 r3, 1 r1, 2 r2.
        port3: 2,
        /// The same of operand d.
        port4: 2,
        /// One of [`exchange`].
        exchange: 4,
        /// Operand a of the last active thread goes to uniform `n4`, or the half of it that the destination says.
        stores: 1,
        /// The number in `imm`, or with `adjusts_by` operand a of the last active thread, is added to the stack pointer.
        adjusts: 1,
        adjusts_by: 1,
        /// Not 0: operand b is {these bits, its own bits 6:0}, a length and a place.
        field: 6,
        /// The base of the address is 16 bits wide,
        base_half: 1,
        /// … the high ones of its register.
        base_hi: 1,
        /// Operand b, `scale` places to the left, is added to the address,
        index: 1,
        /// … extended by its sign.
        index_signed: 1,
        scale: 3,
        /// The result is a pair of registers: a second pass makes its high word.
        sum_of_two: 1,
        /// Operand a, b, c is such a pair: the second pass reads its high word.
        step: 3,
        /// Format of what is loaded or stored: one of [`crate::sm::mem::format::code`].
        layout: 4,
        /// Element of each pass of an access, 2 bits each.
        places: 8,
        /// The registers of the machine are read.
        machine: 1,
        /// Every existing thread executes; the threads with result 0 are active from then on.
        mask: 1,
        /// Length of the instruction in halfwords.
        length: 3,
    }
}

impl SourceControl {
    /// Element that a pass of an access is about, 2 bits.
    pub fn place(&self, pass: &Expr) -> Expr {
        select(pass, &self.places.each_word(2)).called("place")
    }
}
