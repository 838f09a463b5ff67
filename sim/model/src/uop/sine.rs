//! A sine in two halves: [`fold`] brings a quarter turn count of 0..4 to -1..1, [`ratio`] is
//! `sin(y pi/2) / y` of that; their product is the sine.

use crate::num::float::NAN;

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
const THREE: u32 = 0x4040_0000;
const FOUR: u32 = 0x4080_0000;

/// Coefficients of `sin(y pi/2) / y` as a polynomial of y^2, with 60 fraction bits; what is left out is
/// less than 2^-37 of the value.
const TAYLOR: [i64; 8] = [
    1_811_004_864_519_280_711,
    -744_745_899_218_905_439,
    91_879_342_557_802_013,
    -5_397_695_021_890_950,
    184_976_092_165_948,
    -4_149_183_757_585,
    65_626_285_697,
    -771_077_950,
];

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

/// `sin(y pi/2) / y`, within an ulp; pi/2 at 0; NaN where |y| > 1.
pub fn ratio(y: u32) -> u32 {
    let size = y & !SIGN;
    if size > ONE {
        return NAN;
    }
    let exponent = size >> 23;
    let significand = i128::from(size & 0x7f_ffff | 0x80_0000);
    // y^2 with 60 fraction bits: the significand has 23, 127 - exponent places down.
    let down = 2 * (127 - exponent.max(1));
    let square = match size {
        0 => 0,
        _ => (significand * significand) << 14 >> down.min(120),
    };
    let coefficients = TAYLOR.iter().rev();
    let sum = coefficients.fold(0, |sum, c| ((sum * square) >> 60) + i128::from(*c));
    // From 1 to pi/2: 23 fraction bits, to nearest.
    let rounded = (sum + (1 << 36)) >> 37;
    (rounded as u32 - 0x80_0000) + ONE
}
