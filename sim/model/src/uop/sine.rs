//! A sine in two halves: [`fold`] brings a quarter turn count of 0..4 to -1..1, [`ratio`] is
//! `sin(y pi/2) / y` of that; their product is the sine.

use crate::num::float::NAN;
use warpsmith_isa::numbers::{SINE_RATIO, SINE_REMAINDER};

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
const THREE: u32 = 0x4040_0000;
const FOUR: u32 = 0x4080_0000;

/// x for x <= 1, 2 - x up to 3, then x - 4: each is exact. NaN outside 0..4 and for NaN.
pub fn fold(x: u32) -> u32 {
    // The bits of positive floats are in their order.
    match x {
        SIGN => x,
        0..=ONE => x,
        _ if x >= FOUR => NAN,
        _ => {
            let v = fixed(x);
            let one = 1i64 << 30;
            float(if x < THREE { 2 * one - v } else { v - 4 * one })
        }
    }
}

/// A float of 1..4 with 30 fraction bits.
fn fixed(x: u32) -> i64 {
    let significand = i64::from(x & 0x7f_ffff | 0x80_0000);
    significand << ((x >> 23) - 127 + 7)
}

/// The float of a number with 30 fraction bits and at most 24 significant ones.
fn float(v: i64) -> u32 {
    let sign = if v < 0 { SIGN } else { 0 };
    let size = v.unsigned_abs();
    if size == 0 {
        return 0;
    }
    let top = 63 - size.leading_zeros();
    let significand = (size << (63 - top) >> 40) as u32;
    sign | (top + 97) << 23 | significand & 0x7f_ffff
}

/// `sin(y pi/2) / y`, within 0.51 ulp; pi/2 at 0; NaN where |y| > 1.
pub fn ratio(y: u32) -> u32 {
    let size = y & !SIGN;
    match size {
        ONE => return ONE,
        _ if size > ONE => return NAN,
        _ => {}
    }
    // 31 fraction bits, cut off; denormals are zeros.
    let exponent = size >> 23;
    let significand = match exponent {
        0 => 0,
        _ => (size & 0x7f_ffff | 0x80_0000) << 7,
    };
    let place = significand.checked_shr(126 - exponent).unwrap_or(0);
    let [c0, c1, c2] = SINE_RATIO[(place >> SINE_REMAINDER) as usize];
    // From the middle of the segment.
    let half = 1 << (SINE_REMAINDER - 1);
    let d = i64::from(place & (2 * half - 1)) - i64::from(half);
    let short = d >> 7;
    let square = (short * short) >> 14;
    let sum = c0 + ((c1 * d) >> 21) + ((c2 * square) >> 15);
    // From 1 to pi/2: 23 fraction bits, to nearest.
    let rounded = (sum + (1 << 10)) >> 11;
    (rounded as u32 - 0x80_0000) + ONE
}
