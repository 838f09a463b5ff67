//! Shifter: a rotation left, and a mask for the bits that came around.
//!
//! Left by n rotates by n and drops bits below n; right by n rotates by 32 - n and replaces bits
//! from 32 - n. Both are "rotate by m, boundary at m", so one 6-bit number says everything, and a
//! count beyond the width is the m that drops every bit. 16-bit operands come extended to 32 bits.
//! Source: sm10-isa.md, executable semantics, shift.

use crate::rtl::prelude::*;

/// A shift count, prepared in the stage before the shift.
pub struct Amount {
    /// Rotation to the left and boundary, 0..=32 (6 bits).
    pub boundary: Ex,
    /// 0 < count < operation width: the carry flag is the last bit shifted out.
    pub carries: Ex,
    /// Count is one: the overflow flag says whether the sign changed.
    pub one: Ex,
}

/// Prepares the unsigned count `b` (32 bits; a 16-bit operation, `w16`, uses the low half).
pub fn amount(b: &Ex, right: &Ex, w16: &Ex) -> Amount {
    let n = b.bits(0, 5);
    let upper = &!w16 & &b.bits(16, 16).any();
    let large = wire("count_large", b.bits(5, 11).any() | upper);
    let least = n.zext(6);
    let left = large.mux(&lit(6, 32), &least);
    let right_boundary = large.mux(&lit(6, 0), &(lit(6, 32) - &least));
    let beyond = &large | &(w16 & &n.bit(4));
    Amount {
        boundary: right.mux(&right_boundary, &left),
        carries: n.any() & !beyond,
        one: n.is(1) & !&large,
    }
}

/// Shifts the low 32 bits of `a` to the `boundary` of [`amount`]; vacated bits become `fill` (0
/// for a shift to the left). Gives the result and the last bit shifted out, for counts
/// of 1 to the operation's width - 1.
pub fn shift(a: &Ex, boundary: &Ex, right: &Ex, fill: &Ex, narrow: &Ex) -> (Ex, Ex) {
    let m = boundary.named();
    let by4 = |x: &Ex, at: usize| {
        let turned: Vec<Ex> = (0..4).map(|k| rotate_left(x, k << at)).collect();
        let (low, high) = (m.bit(at), m.bit(at + 1));
        let upper = low.mux(&turned[3], &turned[2]);
        high.mux(&upper, &low.mux(&turned[1], &turned[0]))
    };
    let fine = wire("rotated_0_3", by4(&a.bits(0, 32), 0));
    let coarse = wire("rotated_0_15", by4(&fine, 2));
    let rotated = wire("rotated", m.bit(4).mux(&rotate_left(&coarse, 16), &coarse));
    // Bits below the boundary; as a shift of ones, which synthesis turns into one table a bit.
    let below = wire("below", !ones(32).shl(&m));
    let kept = &below ^ &(!right).repeat(32);
    let result = (&rotated & &kept) | (&!&kept & &fill.repeat(32));
    let left_out = narrow.mux(&rotated.bit(16), &rotated.bit(0));
    (result, right.mux(&rotated.bit(31), &left_out))
}

fn rotate_left(x: &Ex, by: usize) -> Ex {
    if by == 0 {
        return x.clone();
    }
    let x = x.named();
    let w = x.width();
    cat([&x.bits(0, w - by), &x.bits(w - by, by)])
}
