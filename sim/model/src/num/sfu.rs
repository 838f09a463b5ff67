//! Special functions: RCP, RSQ, LG2, SIN, COS, EX2, by table and quadratic interpolation.
//!
//! The significand gives a segment index and a remainder `x`; the result is `C0 + C1 x + C2 x^2` in
//! fixed point with the hardware's truncated squarer, exact to the bit. Formulas and their origin:
//! docs/numerics.md, Special functions.

use super::float::{exponent, flush, is_inf, is_nan, pack, significand, INF, NAN};
use warpsmith_isa::{numbers, Round, SfuFn};

const SIGN: u32 = 0x8000_0000;

/// The squarer of a 17-bit `x`: each partial product is truncated before the sum.
fn square(x: u32) -> i64 {
    // Without branches, so that the compiler adds many at once.
    let sum: u32 = (0..17).map(|k| (x >> (18 - k)) & 0u32.wrapping_sub(x >> k & 1)).sum();
    i64::from(sum >> 1)
}

fn row(r: [i32; 3]) -> (i64, i64, i64) {
    (i64::from(r[0]), i64::from(r[1]), i64::from(r[2]))
}

/// Applies one function. SIN, COS and EX2 take the fixed-point format of [`super::rro`], the
/// others a float.
pub fn apply(f: SfuFn, x: u32) -> u32 {
    match f {
        SfuFn::Rcp => rcp(x),
        SfuFn::Rsq => rsq(x),
        SfuFn::Lg2 => lg2(x),
        SfuFn::Sin => sin(x),
        SfuFn::Cos => cos(x),
        SfuFn::Ex2 => ex2(x),
    }
}

/// `1 / x`.
pub fn rcp(x: u32) -> u32 {
    let sign = x & SIGN;
    let x = flush(x);
    if is_nan(x) {
        return NAN;
    }
    if is_inf(x) {
        return sign;
    }
    if x & !SIGN == 0 {
        return sign | INF;
    }
    let f = significand(x);
    let (c0, c1, c2) = row(numbers::RCP[(f >> 16 & 0x7f) as usize]);
    let r = f & 0xffff;
    let sig = ((c0 << 13) + c1 * i64::from(r) + c2 * square(2 * r) + 0x47e7) >> 15;
    pack(sign, 253 - exponent(x), sig as u32, Round::Nearest)
}

/// `1 / sqrt(x)`.
pub fn rsq(x: u32) -> u32 {
    let x = flush(x);
    if is_nan(x) {
        return NAN;
    }
    if x & !SIGN == 0 {
        return (x & SIGN) | INF;
    }
    if x & SIGN != 0 {
        return NAN;
    }
    if is_inf(x) {
        return 0;
    }
    let e = exponent(x) - 127;
    let g = (x & 0x7f_ffff) | (((e & 1) as u32) << 23);
    let half = e >> 1;
    if g == 0 {
        return pack(0, 127 - half, 1 << 23, Round::Nearest);
    }
    let (c0, c1, c2) = row(numbers::RSQ[(g >> 17) as usize]);
    let r = g & 0x1_ffff;
    let sig = ((c0 << 14) + c1 * i64::from(r) + c2 * square(r) * 4 + 0x7fff) >> 16;
    pack(0, 126 - half, sig as u32, Round::Nearest)
}

/// `log2(x)`.
pub fn lg2(x: u32) -> u32 {
    let x = flush(x);
    if is_nan(x) {
        return NAN;
    }
    if x & !SIGN == 0 {
        return SIGN | INF;
    }
    if x & SIGN != 0 {
        return NAN;
    }
    if is_inf(x) {
        return INF;
    }
    let f = significand(x);
    let (c0, c1, c2) = row(numbers::LG2[(f >> 17 & 0x3f) as usize]);
    let r = f & 0x1_ffff;
    let mut frac = ((c0 << 12) + c1 * i64::from(r) + c2 * square(r) * 2 + 0x3345) >> 2;
    if x == super::float::ONE {
        frac = 0;
    }
    let mut v = frac + (i64::from(exponent(x) - 127) << 36);
    let sign = if v < 0 { SIGN } else { 0 };
    if v < 0 {
        v = !v;
    }
    normalise(sign, v, 42, 133, 19)
}

/// Brings the leading bit of `v` to bit `top`, which has exponent `exp`, drops `low` bits.
fn normalise(sign: u32, v: i64, top: i32, exp: i32, low: i32) -> u32 {
    if v == 0 {
        return sign;
    }
    let up = top - (63 - v.leading_zeros() as i32);
    let v = if up >= 0 { v << up } else { v >> -up };
    pack(sign, exp - up, (v >> low) as u32, Round::Zero)
}

/// Quarter-wave sine of quadrant `q` and fraction `f` (23 bits).
fn wave(mut sign: bool, q: u32, f: u32) -> u32 {
    let f = if q & 1 != 0 { !f & 0x7f_ffff } else { f };
    sign ^= q & 2 != 0;
    let (c0, c1, c2) = row(numbers::SIN[(f >> 17) as usize]);
    let r = f & 0x1_ffff;
    let v = (c0 << 11) + c1 * i64::from(r) + c2 * square(r);
    normalise((sign as u32) << 31, v, 37, 127, 14)
}

/// Sine of a range-reduced argument.
pub fn sin(x: u32) -> u32 {
    if x & 0x4000_0000 != 0 {
        return NAN;
    }
    wave(x & SIGN != 0, x >> 23 & 0x7f, x & 0x7f_ffff)
}

/// Cosine of a range-reduced argument.
pub fn cos(x: u32) -> u32 {
    if x & 0x4000_0000 != 0 {
        return NAN;
    }
    wave(false, (x >> 23 & 0x7f) + 1, x & 0x7f_ffff)
}

/// Two to the power of a range-reduced argument.
pub fn ex2(x: u32) -> u32 {
    let negative = x & SIGN != 0;
    if x & 0x4000_0000 != 0 {
        return if x & 0x80_0000 == 0 {
            NAN
        } else if negative {
            0
        } else {
            INF
        };
    }
    let mut q = (x >> 23 & 0x7f) as i32;
    let mut f = x & 0x7f_ffff;
    if negative {
        q = -q;
        if f != 0 {
            q -= 1;
            f = !f & 0x7f_ffff;
        }
    }
    let (c0, c1, c2) = row(numbers::EX2[(f >> 17) as usize]);
    let r = f & 0x1_ffff;
    let sig = ((c0 << 13) + c1 * i64::from(r) + c2 * square(r) + 0x77e2) >> 15;
    pack(0, q + 127, sig as u32, Round::Nearest)
}
