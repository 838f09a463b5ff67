//! Shifter: a window that moves down a word of 64 bits.
//!
//! To the left the word is {a, zeros}, to the right {fill, a}; what stands in its upper half after it
//! went left by m is the result: m is the count to the left, 32 - count to the right. One 6-bit
//! number says everything, a count beyond the width is the m that drops every bit, and m = 0 to the
//! left passes a. 16-bit operands come extended to 32 bits.
//! Source: docs/integers.md, SHL and SHR.

use crate::rtl::prelude::*;

/// A shift count, prepared in the stage before the shift.
pub struct Amount {
    /// Places the word moves, 0..=32 (6 bits).
    pub places: Expr,
    /// 0 < count < operation width: the carry flag is the last bit shifted out.
    pub carries: Expr,
    /// Count is one: the overflow flag says whether the sign changed.
    pub one: Expr,
}

/// Prepares the unsigned count `b` (32 bits; a 16-bit operation, `w16`, uses the low half). Where
/// `on` is clear nothing moves.
pub fn amount(b: &Expr, on: &Expr, right: &Expr, w16: &Expr) -> Amount {
    let n = b.bits(0, 5);
    let upper = &!w16 & &b.bits(16, 16).any();
    let large = wire("count_large", b.bits(5, 11).any() | upper);
    let least = n.zext(6);
    let left = large.mux(&lit(6, 32), &least);
    let rest = large.mux(&lit(6, 0), &(lit(6, 32) - &least));
    let beyond = &large | &(w16 & &n.bit(4));
    Amount {
        places: right.mux(&rest, &left) & on.repeat(6),
        carries: on & &(n.any() & !beyond),
        one: on & &(n.is(1) & !&large),
    }
}

/// Shifts the 32 bits of `a` by the `places` of [`amount`]; vacated bits become `fill` (0 for a shift
/// to the left). Gives the result and the last bit shifted out, for counts of 1 to the operation's
/// width - 1.
pub fn shift(a: &Expr, places: &Expr, right: &Expr, fill: &Expr, narrow: &Expr) -> (Expr, Expr) {
    let (a, m) = (a.named(), places.named());
    // Bits 80 to 32 of the word moved by 0, 16, 32: the result, a bit on either side of it for the
    // one shifted out, and 15 that may still come in.
    let fills = |n: usize| fill.repeat(n);
    let by16 = |words: [Expr; 3]| {
        let moved = m.bit(4).mux(&words[1], &words[0]);
        m.bit(5).mux(&words[2], &moved)
    };
    let left = by16([cat([&zero(1), &a, &zero(16)]), cat([&a.bits(0, 17), &zero(32)]), zero(49)]);
    let down = by16([cat([&fills(33), &a.bits(16, 16)]), cat([&fills(17), &a]), cat([fill, &a, &zero(16)])]);
    let coarse = wire("moved_16", right.mux(&down, &left));
    let four = |x: &Expr, at: usize, step: usize, width: usize| {
        let (low, high) = (m.bit(at), m.bit(at + 1));
        let by = |n: usize| x.bits((3 - n) * step, width);
        high.mux(&low.mux(&by(3), &by(2)), &low.mux(&by(1), &by(0)))
    };
    let middle = wire("moved_4", four(&coarse, 2, 4, 37));
    let moved = wire("moved", four(&middle, 0, 1, 34));
    let left_out = narrow.mux(&moved.bit(17), &moved.bit(33));
    let out = right.mux(&moved.bit(0), &left_out);
    (moved.bits(1, 32), out)
}
