//! Conversion unit: float to integer, integer to float, float to float, integer to integer.
//!
//! Order of work: absolute value, negation, conversion with rounding, saturation. Half floats are
//! 16-bit words in the low half of their operand. Source: docs/numerics.md, Conversions.

use super::float::{INF, NAN};
use super::int::{clamp_to, value_of};
use warpsmith_isa::{FloatType, IntType, Round};

/// A number between unpacking and packing; finite value = `sig` * 2^`exp`.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Nan,
    Infinite,
    Finite { sig: u64, exp: i32 },
}

/// Drops `n` low bits in the named mode; `n` may exceed the width.
fn round_off(v: u64, n: u32, round: Round, negative: bool) -> u64 {
    if n == 0 {
        return v;
    }
    let (q, rest, half) = if n < 64 {
        (v >> n, v & ((1 << n) - 1), 1u64 << (n - 1))
    } else {
        // Significands stay below 2^40, so all of one is less than half of 2^64.
        (0, v, u64::MAX)
    };
    let up = match round {
        Round::Nearest => rest > half || (rest == half && q & 1 != 0),
        Round::Zero => false,
        Round::Down => negative && rest != 0,
        Round::Up => !negative && rest != 0,
    };
    q + up as u64
}

fn unpack(ty: FloatType, x: u32) -> Number {
    let (negative, e, fraction, top, bias, width) = match ty {
        FloatType::F32 => (x >> 31 != 0, (x >> 23) & 0xff, x & 0x7f_ffff, 0xff, 127, 23),
        FloatType::F16 => ((x >> 15) & 1 != 0, (x >> 10) & 0x1f, x & 0x3ff, 0x1f, 15, 10),
    };
    let kind = if e == top {
        if fraction != 0 {
            Kind::Nan
        } else {
            Kind::Infinite
        }
    } else if e == 0 {
        // F32 denormals are zero; half denormals are read exactly.
        let sig = if ty == FloatType::F16 { fraction } else { 0 };
        Kind::Finite { sig: u64::from(sig), exp: 1 - bias - width }
    } else {
        Kind::Finite { sig: u64::from(fraction | (1 << width)), exp: e as i32 - bias - width }
    };
    Number { negative, kind }
}

fn modify(mut n: Number, abs: bool, neg: bool) -> Number {
    n.negative = (n.negative && !abs) ^ neg;
    n
}

/// Whether an overflow in this direction goes to infinity rather than to the largest number.
fn overflows_to_infinity(round: Round, negative: bool) -> bool {
    match round {
        Round::Nearest => true,
        Round::Zero => false,
        Round::Down => negative,
        Round::Up => !negative,
    }
}

fn pack(ty: FloatType, n: Number, round: Round) -> u32 {
    match ty {
        FloatType::F32 => pack_f32(n, round),
        FloatType::F16 => pack_f16(n, round),
    }
}

fn pack_f32(n: Number, round: Round) -> u32 {
    let sign = (n.negative as u32) << 31;
    let (sig, exp) = match n.kind {
        Kind::Nan => return NAN,
        Kind::Infinite => return sign | INF,
        Kind::Finite { sig: 0, .. } => return sign,
        Kind::Finite { sig, exp } => (sig, exp),
    };
    let top = 63 - sig.leading_zeros() as i32;
    let mut biased = exp + top + 127;
    let mut m = if top > 23 { round_off(sig, (top - 23) as u32, round, n.negative) } else { sig << (23 - top) };
    if m >> 24 != 0 {
        m >>= 1;
        biased += 1;
    }
    if biased < 1 {
        sign
    } else if biased > 254 {
        sign | if overflows_to_infinity(round, n.negative) { INF } else { INF - 1 }
    } else {
        sign | ((biased as u32) << 23) | (m as u32 & 0x7f_ffff)
    }
}

fn pack_f16(n: Number, round: Round) -> u32 {
    let sign = (n.negative as u32) << 15;
    let (sig, exp) = match n.kind {
        Kind::Nan => return 0x7fff,
        Kind::Infinite => return sign | 0x7c00,
        Kind::Finite { sig: 0, .. } => return sign,
        Kind::Finite { sig, exp } => (sig, exp),
    };
    let power = exp + 63 - sig.leading_zeros() as i32;
    // The aligner's reach ends here: even rounding away from zero gives zero.
    if power + 127 <= 0x5d {
        return sign;
    }
    let ulp = (power - 10).max(-24);
    let m = if ulp > exp { round_off(sig, (ulp - exp) as u32, round, n.negative) } else { sig << (exp - ulp).min(40) };
    // A carry out of the significand walks into the exponent, which is what it should do.
    let magnitude = if power < -14 {
        m
    } else if power > 15 {
        0x7c00
    } else {
        (((power + 14) as u64) << 10) + m
    };
    if magnitude >= 0x7c00 {
        sign | if overflows_to_infinity(round, n.negative) { 0x7c00 } else { 0x7bff }
    } else {
        sign | magnitude as u32
    }
}

/// Float to integer: clamps to the destination range, NaN gives 0. The result is sign or zero
/// extended to 32 bits.
pub fn f2i(x: u32, src: FloatType, dst: IntType, round: Round, neg: bool, abs: bool) -> u32 {
    let n = modify(unpack(src, x), abs, neg);
    let magnitude = match n.kind {
        Kind::Nan => return 0,
        Kind::Infinite => 1 << 40,
        Kind::Finite { sig: 0, .. } => 0,
        // A significand has at most 24 bits, so 2^16 times it is beyond every integer type.
        Kind::Finite { exp, .. } if exp > 16 => 1 << 40,
        Kind::Finite { sig, exp } if exp >= 0 => sig << exp,
        Kind::Finite { sig, exp } => round_off(sig, exp.unsigned_abs(), round, n.negative),
    } as i64;
    clamp_to(dst, if n.negative { -magnitude } else { magnitude })
}

/// Integer to float, rounded in the named mode.
pub fn i2f(x: u32, src: IntType, dst: FloatType, round: Round, neg: bool, abs: bool, sat: bool) -> u32 {
    let v = modified_integer(x, src, neg, abs);
    let n = Number { negative: v < 0, kind: Kind::Finite { sig: v.unsigned_abs(), exp: 0 } };
    saturate(dst, pack(dst, n, round), sat)
}

/// Float to float: between precisions, or within one; with `to_int` to an integer value.
pub fn f2f(x: u32, src: FloatType, dst: FloatType, round: Round, to_int: bool, neg: bool, abs: bool, sat: bool) -> u32 {
    let mut n = modify(unpack(src, x), abs, neg);
    if to_int {
        if let Kind::Finite { sig, exp } = n.kind {
            if exp < 0 {
                n.kind = Kind::Finite { sig: round_off(sig, exp.unsigned_abs(), round, n.negative), exp: 0 };
            }
        }
    }
    saturate(dst, pack(dst, n, round), sat)
}

/// Integer to integer: clamps to the destination range, 8-bit types too, then extends.
pub fn i2i(x: u32, src: IntType, dst: IntType, neg: bool, abs: bool) -> u32 {
    clamp_to(dst, modified_integer(x, src, neg, abs))
}

/// Modifiers act on the mathematical value: the negation of an unsigned operand is negative, the
/// absolute value of the smallest number is not clipped.
fn modified_integer(x: u32, src: IntType, neg: bool, abs: bool) -> i64 {
    let v = value_of(src, x);
    let v = if abs { v.abs() } else { v };
    if neg {
        -v
    } else {
        v
    }
}

fn saturate(ty: FloatType, x: u32, sat: bool) -> u32 {
    match ty {
        _ if !sat => x,
        FloatType::F32 => super::float::saturate(x),
        FloatType::F16 if x & 0x7fff > 0x7c00 => 0x7fff,
        FloatType::F16 if x & 0x8000 != 0 => 0,
        FloatType::F16 => x.min(0x3c00),
    }
}

/// Flags of a float result at its precision: Z zero or NaN, S negative (not −0) or NaN.
pub fn flags(ty: FloatType, r: u32) -> u8 {
    match ty {
        FloatType::F32 => super::float::flags(r),
        FloatType::F16 if r & 0x7fff > 0x7c00 => super::Z | super::S,
        FloatType::F16 if r & 0x7fff == 0 => super::Z,
        FloatType::F16 => (((r >> 15) & 1) as u8) << 1,
    }
}
