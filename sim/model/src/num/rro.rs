//! Range reduction: float to the fixed-point format SIN, COS and EX2 take.
//!
//! Result: sign in bit 31, code bit 30, then 7 integer and 23 fraction bits. [`CODE_NAN`] stands
//! for NaN, [`CODE_INF`] for infinity or an EX2 argument out of range. Source: docs/numerics.md.

use super::float::{exponent, flush, is_inf, is_nan, significand};

/// Fixed-point code of NaN, without its sign (the sign of a NaN is kept, as the vectors show).
pub const CODE_NAN: u32 = 0x4000_0000;
/// Fixed-point code of infinity, without its sign.
pub const CODE_INF: u32 = 0x4080_0000;

/// The special code of `x`, if it has one.
fn code(x: u32) -> Option<u32> {
    let sign = x & 0x8000_0000;
    if is_nan(x) {
        Some(sign | CODE_NAN)
    } else if is_inf(x) {
        Some(sign | CODE_INF)
    } else {
        None
    }
}

/// `x * 2/pi` modulo 4, truncated, 2.23 fixed point.
pub fn sin(x: u32) -> u32 {
    if let Some(c) = code(x) {
        return c;
    }
    let sign = x & 0x8000_0000;
    let x = flush(x);
    if x & 0x7fff_ffff == 0 {
        return sign;
    }
    // 0xa2f983 is 2/pi with 24 fraction bits.
    let p = (u64::from(significand(x)) * 0xa2_f983) >> 16;
    let shift = exponent(x) - 127 - 8;
    let v = if shift >= 32 {
        0
    } else if shift >= 0 {
        (p << shift) as u32
    } else if shift > -64 {
        (p >> -shift) as u32
    } else {
        0
    };
    sign | (v & 0x1ff_ffff)
}

/// `x` truncated to 7.23 fixed point; magnitudes of 128 and more give [`CODE_INF`].
pub fn ex2(x: u32) -> u32 {
    if let Some(c) = code(x) {
        return c;
    }
    let sign = x & 0x8000_0000;
    let x = flush(x);
    if x & 0x7fff_ffff == 0 {
        return sign;
    }
    let shift = exponent(x) - 127;
    if shift >= 7 {
        sign | CODE_INF
    } else if shift >= 0 {
        sign | (significand(x) << shift)
    } else if shift > -32 {
        sign | (significand(x) >> -shift)
    } else {
        sign
    }
}
