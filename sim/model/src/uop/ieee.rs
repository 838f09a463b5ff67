//! Floats of 16, 32 and 64 bits in integer code: exact values, one rounding.
//!
//! A float is taken apart ([`unpack`]) into an exact value; sums and products of values are exact as far as any
//! rounding can see; [`pack`] rounds once into a format. Denormals, overflow and NaN follow the
//! [`FloatMode`].

use std::cmp::Ordering;
use warpsmith_isa::uop::{FloatMode, Nan, Round, Tiny, Type};

/// A float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    /// Bits of the significand with the leading one.
    precision: i32,
    /// Exponent of the largest normal numbers; also the bias.
    max: i32,
    /// Bits of the whole.
    bits: u32,
}

impl Format {
    const fn of(ty: Type) -> Format {
        match ty {
            Type::F16 => Format { precision: 11, max: 15, bits: 16 },
            Type::F64 => Format { precision: 53, max: 1023, bits: 64 },
            // The caller has a float type; every other is read as 32 bits.
            _ => Format { precision: 24, max: 127, bits: 32 },
        }
    }

    /// Exponent of the smallest normal number.
    const fn min(self) -> i32 {
        1 - self.max
    }

    /// Bits of the fraction field.
    const fn fraction(self) -> u32 {
        self.precision as u32 - 1
    }

    const fn sign(self, negative: bool) -> u64 {
        (negative as u64) << (self.bits - 1)
    }

    /// Infinity without sign.
    const fn infinity(self) -> u64 {
        ((2 * self.max + 1) as u64) << self.fraction()
    }
}

/// What a float stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// No number.
    Nan,
    /// An infinity.
    Infinity {
        /// Minus.
        negative: bool,
    },
    /// A number, perhaps a zero.
    Finite(Finite),
}

/// `significand * 2^exponent` with a sign, at most 106 bits of significand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finite {
    /// Minus.
    pub negative: bool,
    /// Integer significand; 0: a zero.
    pub significand: u128,
    /// Exponent of its lowest bit.
    pub exponent: i32,
}

impl Value {
    /// Zero.
    pub const ZERO: Value = Value::Finite(Finite { negative: false, significand: 0, exponent: 0 });

    /// An integer.
    pub fn integer(n: i128) -> Value {
        Value::Finite(Finite { negative: n < 0, significand: n.unsigned_abs(), exponent: 0 })
    }

    /// The magnitude.
    pub fn abs(self) -> Value {
        self.with_sign(|_| false)
    }

    /// The opposite.
    pub fn negated(self) -> Value {
        self.with_sign(|s| !s)
    }

    /// True for zeros of either sign.
    pub fn is_zero(self) -> bool {
        matches!(self, Value::Finite(f) if f.significand == 0)
    }

    /// The sign; a NaN has none.
    pub fn is_negative(self) -> bool {
        match self {
            Value::Nan => false,
            Value::Infinity { negative } => negative,
            Value::Finite(f) => f.negative,
        }
    }

    fn with_sign(self, f: impl Fn(bool) -> bool) -> Value {
        match self {
            Value::Nan => Value::Nan,
            Value::Infinity { negative } => Value::Infinity { negative: f(negative) },
            Value::Finite(x) => Value::Finite(Finite { negative: f(x.negative), ..x }),
        }
    }

    /// A number without leading or trailing zeros beyond what `pack` needs: leading one at bit 125.
    fn normalised(f: Finite) -> Finite {
        let up = f.significand.leading_zeros() as i32 - 2;
        Finite { significand: shift(f.significand, up), exponent: f.exponent - up, ..f }
    }
}

/// Left shift by a number of either sign; what is lost is or'ed into bit 0.
fn shift(v: u128, by: i32) -> u128 {
    match by {
        0.. => v << by.min(127),
        -127..=-1 => {
            let lost = v & ((1 << -by) - 1) != 0;
            v >> -by | u128::from(lost)
        }
        _ => u128::from(v != 0),
    }
}

/// The bits of a float as a value.
pub fn unpack(ty: Type, bits: u64) -> Value {
    let f = Format::of(ty);
    let negative = bits >> (f.bits - 1) & 1 == 1;
    let field = (bits & !f.sign(true) & ty.mask()) >> f.fraction();
    let fraction = bits & ((1 << f.fraction()) - 1);
    let top = (2 * f.max + 1) as u64;
    match (field, fraction) {
        (e, 0) if e == top => Value::Infinity { negative },
        (e, _) if e == top => Value::Nan,
        (e, _) => {
            let hidden = u64::from(e != 0) << f.fraction();
            Value::Finite(Finite {
                negative,
                significand: u128::from(hidden | fraction),
                exponent: (e as i32).max(1) - f.max - f.fraction() as i32,
            })
        }
    }
}

/// True for a denormal, a zero excluded.
pub fn is_denormal(ty: Type, bits: u64) -> bool {
    let f = Format::of(ty);
    let magnitude = bits & ty.mask() & !f.sign(true);
    magnitude != 0 && magnitude >> f.fraction() == 0
}

/// The NaN of a format.
pub fn nan(ty: Type, kind: Nan) -> u64 {
    let f = Format::of(ty);
    match kind {
        Nan::AllOnes => f.sign(true) - 1,
        Nan::Quiet => f.infinity() | 1 << (f.fraction() - 1),
    }
}

/// Whether a magnitude whose dropped part is `rest` of `half * 2` units goes up.
fn goes_up(round: Round, negative: bool, odd: bool, rest: u128, half: u128) -> bool {
    match round {
        Round::Nearest => rest > half || rest == half && odd,
        Round::Down => negative && rest != 0,
        Round::Up => !negative && rest != 0,
        Round::Zero => false,
    }
}

/// Drops `n` low bits of a magnitude.
fn round_off(v: u128, n: i32, round: Round, negative: bool) -> u128 {
    if n <= 0 {
        return v;
    }
    // A leading one above bit 126 would not leave room; normalised numbers end at bit 125.
    if n > 126 {
        return u128::from(goes_up(round, negative, false, u128::from(v != 0), 2));
    }
    let q = v >> n;
    let up = goes_up(round, negative, q & 1 == 1, v & ((1 << n) - 1), 1 << (n - 1));
    q + u128::from(up)
}

/// Rounds a value into a format.
pub fn pack(ty: Type, value: Value, mode: FloatMode) -> u64 {
    let f = Format::of(ty);
    let x = match value {
        Value::Nan => return nan(ty, mode.nan),
        Value::Infinity { negative } => return f.sign(negative) | f.infinity(),
        Value::Finite(x) if x.significand == 0 => return f.sign(x.negative),
        Value::Finite(x) => Value::normalised(x),
    };
    let sign = f.sign(x.negative);
    // Exponent of the leading one.
    let e = x.exponent + 125;
    let below = match mode.tiny {
        Tiny::FlushExact => e < f.min(),
        Tiny::FlushUnbounded if e < f.min() => {
            // Rounded up to the next power of two it may reach the normal range.
            let n = 125 - f.fraction() as i32;
            let whole = round_off(x.significand, n, mode.round, x.negative);
            e + ((whole >> f.precision) as i32) < f.min()
        }
        _ => false,
    };
    if below {
        return sign;
    }
    // The unit in the last place of the result.
    let unit = e.max(f.min()) - f.fraction() as i32;
    let significand = round_off(x.significand, unit - x.exponent, mode.round, x.negative) as u64;
    let normal = 1 << f.fraction();
    if significand < normal {
        return match mode.tiny {
            Tiny::Keep => sign | significand,
            _ => sign,
        };
    }
    // Rounding may carry into the next power of two: the sum below carries into the exponent field.
    let field = (unit + f.fraction() as i32 + f.max) as u64;
    if (field << f.fraction()) + (significand - normal) < f.infinity() {
        return sign | ((field << f.fraction()) + (significand - normal));
    }
    let infinite = match mode.round {
        Round::Nearest => true,
        Round::Zero => false,
        Round::Down => x.negative,
        Round::Up => !x.negative,
    };
    sign | (f.infinity() - u64::from(!infinite))
}

/// 0..1: NaN and anything negative become +0, anything above 1 becomes 1.
pub fn saturate(ty: Type, bits: u64) -> u64 {
    let f = Format::of(ty);
    let one = (f.max as u64) << f.fraction();
    match unpack(ty, bits) {
        Value::Nan => 0,
        v if v.is_negative() => 0,
        _ => bits.min(one),
    }
}

/// The sum of two values, exact enough for one rounding into any format.
pub fn add(a: Value, b: Value, round: Round) -> Value {
    let (x, y) = match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => return Value::Nan,
        (Value::Infinity { negative: m }, Value::Infinity { negative: n }) if m != n => return Value::Nan,
        (Value::Infinity { .. }, _) => return a,
        (_, Value::Infinity { .. }) => return b,
        (Value::Finite(x), Value::Finite(y)) => (x, y),
    };
    match (x.significand == 0, y.significand == 0) {
        (true, true) => return zero_sum(x.negative, y.negative, round),
        (true, false) => return b,
        (false, true) => return a,
        _ => {}
    }
    let (x, y) = (Value::normalised(x), Value::normalised(y));
    let (high, low) = if x.exponent >= y.exponent { (x, y) } else { (y, x) };
    let aligned = shift(low.significand, (low.exponent - high.exponent).max(-128));
    let signed = |f: &Finite, s: u128| if f.negative { -(s as i128) } else { s as i128 };
    let sum = signed(&high, high.significand) + signed(&low, aligned);
    if sum == 0 {
        return zero_sum(false, true, round);
    }
    Value::Finite(Finite { negative: sum < 0, significand: sum.unsigned_abs(), exponent: high.exponent })
}

/// A sum that is exactly zero.
fn zero_sum(a: bool, b: bool, round: Round) -> Value {
    let negative = if a == b { a } else { round == Round::Down };
    Value::Finite(Finite { negative, significand: 0, exponent: 0 })
}

/// A value cut off to the precision of a format, its exponent without limits.
pub fn cut_off(ty: Type, value: Value) -> Value {
    match value {
        Value::Finite(f) if f.significand != 0 => {
            let lost = (128 - f.significand.leading_zeros() as i32) - Format::of(ty).precision;
            let low = lost.clamp(0, 127) as u32;
            Value::Finite(Finite { significand: f.significand >> low << low, ..f })
        }
        other => other,
    }
}

/// The exact product of two values that were unpacked from floats.
pub fn multiply(a: Value, b: Value) -> Value {
    let negative = a.is_negative() != b.is_negative();
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinity { .. }, other) | (other, Value::Infinity { .. }) => {
            if other.is_zero() {
                Value::Nan
            } else {
                Value::Infinity { negative }
            }
        }
        (Value::Finite(x), Value::Finite(y)) => Value::Finite(Finite {
            negative,
            significand: x.significand * y.significand,
            exponent: x.exponent + y.exponent,
        }),
    }
}

/// How two values compare; `None` with a NaN. Zeros are equal.
pub fn compare(a: Value, b: Value) -> Option<Ordering> {
    let key = |v: Value| match v {
        Value::Nan => None,
        Value::Infinity { negative } => Some((if negative { -2 } else { 2 }, 0, 0)),
        Value::Finite(f) if f.significand == 0 => Some((0, 0, 0)),
        Value::Finite(f) => {
            let n = Value::normalised(f);
            let (e, s) = (i128::from(n.exponent), n.significand as i128);
            Some(if f.negative { (-1, -e, -s) } else { (1, e, s) })
        }
    };
    Some(key(a)?.cmp(&key(b)?))
}

/// The value rounded to an integer, the ends of the range for values beyond it; `None` for NaN.
pub fn to_integer(value: Value, round: Round) -> Option<i128> {
    let signed = |negative: bool, m: i128| if negative { -m } else { m };
    match value {
        Value::Nan => None,
        Value::Infinity { negative } => Some(signed(negative, i128::MAX)),
        Value::Finite(f) if f.significand == 0 => Some(0),
        Value::Finite(f) => {
            let n = Value::normalised(f);
            let magnitude = match n.exponent {
                1.. => i128::MAX,
                0 => n.significand as i128,
                e => round_off(n.significand, -e, round, f.negative) as i128,
            };
            Some(signed(f.negative, magnitude))
        }
    }
}

/// The value rounded to an integral value, its sign kept.
pub fn to_integral(value: Value, round: Round) -> Value {
    match value {
        Value::Finite(f) if f.exponent < 0 && f.significand != 0 => {
            let n = Value::normalised(f);
            match n.exponent {
                0.. => value,
                e => Value::Finite(Finite {
                    negative: f.negative,
                    significand: round_off(n.significand, -e, round, f.negative),
                    exponent: 0,
                }),
            }
        }
        other => other,
    }
}
