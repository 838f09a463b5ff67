//! Single precision add, multiply, multiply-add, compare and select.
//!
//! Denormal inputs and results are signed zeros, every NaN result is [`NAN`]. The rules are those of
//! docs/numerics.md, Operations, in integer arithmetic.

use super::{S, Z};
use warpsmith_isa::Round;

/// The one NaN the hardware produces.
pub const NAN: u32 = 0x7fff_ffff;
/// Plus infinity; the sign is bit 31.
pub const INF: u32 = 0x7f80_0000;
/// The float 1.0.
pub const ONE: u32 = 0x3f80_0000;
const SIGN: u32 = 0x8000_0000;

/// Whether the word is any NaN.
#[inline(always)]
pub fn is_nan(x: u32) -> bool {
    x & !SIGN > INF
}

/// Whether the word is an infinity.
#[inline(always)]
pub fn is_inf(x: u32) -> bool {
    x & !SIGN == INF
}

/// Denormals to zero of the same sign.
#[inline(always)]
pub fn flush(x: u32) -> u32 {
    if x & INF == 0 {
        x & SIGN
    } else {
        x
    }
}

/// Operand modifiers: absolute value, then negation, on the raw sign bit.
#[inline(always)]
pub fn modify(x: u32, abs: bool, neg: bool) -> u32 {
    let x = if abs { x & !SIGN } else { x };
    if neg {
        x ^ SIGN
    } else {
        x
    }
}

/// Flags of a float result: Z zero or NaN, S negative (not −0) or NaN.
#[inline(always)]
pub fn flags(r: u32) -> u8 {
    if is_nan(r) {
        Z | S
    } else if r & !SIGN == 0 {
        Z
    } else {
        ((r >> 31) as u8) << 1
    }
}

/// Clamp to [0, 1]; −0 becomes +0, NaN stays [`NAN`].
#[inline(always)]
pub fn saturate(x: u32) -> u32 {
    if is_nan(x) {
        NAN
    } else if x & SIGN != 0 {
        0
    } else {
        x.min(ONE)
    }
}

/// Exponent field.
#[inline(always)]
pub fn exponent(x: u32) -> i32 {
    ((x >> 23) & 0xff) as i32
}

/// 24-bit significand of a number known to be normal.
#[inline(always)]
pub fn significand(x: u32) -> u32 {
    (x & 0x7f_ffff) | 0x80_0000
}

/// Drops `n` low bits (1..=63), to nearest even or, for [`Round::Zero`], truncating.
#[inline(always)]
fn round_off(v: u64, n: u32, round: Round) -> u64 {
    let q = v >> n;
    if round == Round::Zero {
        return q;
    }
    let rest = v & ((1 << n) - 1);
    let half = 1u64 << (n - 1);
    q + (rest > half || (rest == half && q & 1 != 0)) as u64
}

/// Packs a rounded significand (2^23..=2^24) with its biased exponent: renormalises 2^24, flushes
/// below the normal range, overflows to infinity or, for [`Round::Zero`], to the largest number.
#[inline(always)]
pub fn pack(sign: u32, exp: i32, sig: u32, round: Round) -> u32 {
    let (exp, sig) = if sig >> 24 != 0 { (exp + 1, sig >> 1) } else { (exp, sig) };
    if exp < 1 || sig >> 23 == 0 {
        sign
    } else if exp > 254 {
        if round == Round::Zero {
            sign | 0x7f7f_ffff
        } else {
            sign | INF
        }
    } else {
        sign | ((exp as u32) << 23) | (sig & 0x7f_ffff)
    }
}

/// Right shift that ors every bit lost into the lowest bit kept.
#[inline(always)]
fn shift_sticky(v: u32, n: u32) -> u32 {
    if n >= 32 {
        (v != 0) as u32
    } else {
        (v >> n) | ((v & ((1u32 << n) - 1)) != 0) as u32
    }
}

/// Sum of two non-zero finite numbers given as sign word, biased exponent (any range) and 24-bit
/// significand.
///
/// Both are aligned one above the larger exponent with four more low bits; the sum is normalised
/// to bit 27 and the low four bits are rounded away. A sum whose exponent fell below 1 is first
/// shifted right to exponent 1 without rounding (only a multiply-add can come here with bits to
/// lose).
#[inline(always)]
fn add_parts(a: (u32, i32, u32), b: (u32, i32, u32), round: Round) -> u32 {
    let (sa, ea, fa) = a;
    let (sb, eb, fb) = b;
    let mut exp = ea.max(eb) + 1;
    let xa = shift_sticky(fa << 4, (exp - ea) as u32) as i32;
    let xb = shift_sticky(fb << 4, (exp - eb) as u32) as i32;
    let sum = if sa != 0 { -xa } else { xa } + if sb != 0 { -xb } else { xb };
    if sum == 0 {
        return 0;
    }
    let sign = if sum < 0 { SIGN } else { 0 };
    let mut mag = sum.unsigned_abs();
    let up = mag.leading_zeros() as i32 - 4;
    mag <<= up;
    exp -= up;
    if exp < 1 {
        let down = (1 - exp) as u32;
        mag = if down > 31 { 0 } else { mag >> down };
        exp = 1;
    }
    pack(sign, exp, round_off(u64::from(mag), 4, round) as u32, round)
}

/// `a + b`, to nearest even or toward zero. An exact zero sum is +0 unless both inputs are −0.
pub fn add(a: u32, b: u32, round: Round) -> u32 {
    if is_nan(a) || is_nan(b) {
        return NAN;
    }
    let (a, b) = (flush(a), flush(b));
    match (is_inf(a), is_inf(b)) {
        (true, true) if a != b => return NAN,
        (true, _) => return a,
        (_, true) => return b,
        _ => {}
    }
    match (a & !SIGN == 0, b & !SIGN == 0) {
        (true, true) => return a & b,
        (true, false) => return b,
        (false, true) => return a,
        _ => {}
    }
    add_parts((a & SIGN, exponent(a), significand(a)), (b & SIGN, exponent(b), significand(b)), round)
}

/// Normalised product of two normal numbers: biased exponent and 48-bit significand with bit 47 set.
#[inline(always)]
fn product(a: u32, b: u32) -> (i32, u64) {
    let p = u64::from(significand(a)) * u64::from(significand(b));
    let exp = exponent(a) + exponent(b) - 127;
    if p >> 47 != 0 {
        (exp + 1, p)
    } else {
        (exp, p << 1)
    }
}

/// `a * b`, to nearest even or toward zero.
pub fn mul(a: u32, b: u32, round: Round) -> u32 {
    if is_nan(a) || is_nan(b) {
        return NAN;
    }
    let (a, b) = (flush(a), flush(b));
    let sign = (a ^ b) & SIGN;
    let zero = a & !SIGN == 0 || b & !SIGN == 0;
    if is_inf(a) || is_inf(b) {
        return if zero { NAN } else { sign | INF };
    }
    if zero {
        return sign;
    }
    let (exp, p) = product(a, b);
    pack(sign, exp, round_off(p, 24, round) as u32, round)
}

/// `a * b + c`, not fused: the product is truncated to 24 bits, then added to nearest even. With
/// any zero among the three the product is rounded to nearest as [`mul`] does.
pub fn mad(a: u32, b: u32, c: u32) -> u32 {
    if is_nan(a) || is_nan(b) || is_nan(c) {
        return NAN;
    }
    let (a, b, c) = (flush(a), flush(b), flush(c));
    let zero = |x: u32| x & !SIGN == 0;
    if zero(a) || zero(b) || zero(c) || is_inf(a) || is_inf(b) {
        return add(mul(a, b, Round::Nearest), c, Round::Nearest);
    }
    if is_inf(c) {
        return c;
    }
    let (exp, p) = product(a, b);
    add_parts(((a ^ b) & SIGN, exp, (p >> 24) as u32), (c & SIGN, exponent(c), significand(c)), Round::Nearest)
}

/// Monotone integer key of a flushed number: orders floats, −0 below +0.
#[inline(always)]
fn key(x: u32) -> i32 {
    if x & SIGN != 0 {
        !(x & !SIGN) as i32
    } else {
        x as i32
    }
}

/// Larger or smaller operand; one NaN gives the other operand, two give [`NAN`]; −0 < +0.
pub fn min_max(max: bool, a: u32, b: u32) -> u32 {
    let (x, y) = (flush(a), flush(b));
    match (is_nan(a), is_nan(b)) {
        (true, true) => NAN,
        (true, false) => y,
        (false, true) => x,
        _ if (key(x) < key(y)) == max => y,
        _ => x,
    }
}

/// How two floats compare, as the bit number of a FSET condition: less 0, equal 1, greater 2,
/// unordered 3. Denormals are zero, −0 equals +0.
pub fn relation(a: u32, b: u32) -> u32 {
    if is_nan(a) || is_nan(b) {
        return 3;
    }
    let pos_zero = |x: u32| {
        let x = flush(x);
        if x == SIGN {
            0
        } else {
            x
        }
    };
    let (x, y) = (key(pos_zero(a)), key(pos_zero(b)));
    match x.cmp(&y) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    }
}

/// Compare: all ones if the bit of `cond` that [`relation`] names is set, else zero.
pub fn set(cond: u8, a: u32, b: u32) -> (u32, u8) {
    if (warpsmith_isa::op::relations(cond) >> relation(a, b)) & 1 != 0 {
        (u32::MAX, S)
    } else {
        (0, Z)
    }
}

/// `c >= 0 ? a : b`; −0 and denormals count as zero, NaN selects `b`. The chosen word passes
/// unchanged. Flags: Z when it is ±0, else S is its bit 31.
pub fn select(a: u32, b: u32, c: u32) -> (u32, u8) {
    let r = if relation(c, 0) == 1 || relation(c, 0) == 2 { a } else { b };
    let f = if r & !SIGN == 0 { Z } else { ((r >> 31) as u8) << 1 };
    (r, f)
}
