//! Formats of memory: an element as floats of registers, and floats as an element.

use super::ieee::{self, Finite, Value};
use std::cmp::Ordering;
use warpsmith_isa::numbers::{SRGB, SRGB_BITS, SRGB_BOUNDS};
use warpsmith_isa::uop::{Access, FloatMode, Format, Nan, Product, Round, Tiny, Type};

/// To nearest, denormals of 16 bits kept; no format reaches those of 32.
const MODE: FloatMode = FloatMode {
    round: Round::Nearest,
    tiny: Tiny::Keep,
    nan: Nan::Quiet,
    zero_product: false,
    product: Product::Exact,
};

/// Bits of the four components of [`Format::Rgb10A2`].
const RGB10A2: [u32; 4] = [10, 10, 10, 2];

/// Fraction bits of the three components of [`Format::Rg11B10`], which have 5 of exponent before them.
const RG11B10: [u32; 3] = [6, 6, 5];

/// Bits from bit `at` on.
fn field(bits: u64, at: u32, width: u32) -> u64 {
    bits >> at & ((1 << width) - 1)
}

/// `n * 2^exponent`.
fn scaled(n: u64, exponent: i32) -> Value {
    Value::Finite(Finite { negative: false, significand: n.into(), exponent })
}

/// n / d, as far as a rounding can see it: 80 fraction bits, and whether there are more.
fn ratio(n: i128, d: u64) -> Value {
    let numerator = n.unsigned_abs() << 80;
    let rest = u128::from(numerator % u128::from(d) != 0);
    Value::Finite(Finite { negative: n < 0, significand: ((numerator / u128::from(d)) << 1) | rest, exponent: -81 })
}

/// Bits of register `n` of those that have an element, a float of the width of `register`.
pub fn unpack(access: &Access, register: Type, element: u64, n: u32) -> u64 {
    let bits = access.element.bits();
    let value = match access.format {
        Format::Plain => return access.element.integer(element) as u64,
        Format::Srgb if n != 3 => match element {
            0 => Value::ZERO,
            v => scaled(SRGB[v as usize & 255] << 1 | 1, -(SRGB_BITS as i32) - 1),
        },
        Format::Unorm | Format::Srgb => ratio(access.element.integer(element), (1 << bits) - 1),
        Format::Snorm => {
            let most = (1i128 << (bits - 1)) - 1;
            ratio(access.element.integer(element).max(-most), most as u64)
        }
        Format::Rgb10A2 => {
            let width = RGB10A2[n as usize & 3];
            ratio(field(element, 10 * n, width).into(), (1 << width) - 1)
        }
        Format::Rg11B10 { .. } => {
            let fraction = RG11B10[n as usize % 3];
            // The five bits of exponent are those of a half.
            let half = field(element, 11 * n, fraction + 5) << (10 - fraction);
            ieee::unpack(Type::F16, half)
        }
        Format::Rgb9E5 { .. } => scaled(field(element, 9 * n, 9), field(element, 27, 5) as i32 - 24),
    };
    ieee::pack(float(register), value, MODE)
}

/// The element that registers have, floats of the width of `register`; of a format that is not packed one, of
/// component `n`.
pub fn pack(access: &Access, register: Type, registers: &[u64], n: u32) -> u64 {
    let bits = access.element.bits();
    let value = |n: usize| ieee::unpack(float(register), registers.get(n).copied().unwrap_or(0));
    match access.format {
        Format::Plain => registers.first().copied().unwrap_or(0),
        Format::Srgb if n != 3 => {
            let x = ieee::pack(Type::F32, value(0), MODE);
            let clamped = if value(0) == Value::Nan || value(0).is_negative() { 0 } else { x };
            SRGB_BOUNDS.partition_point(|bound| u64::from(*bound) <= clamped) as u64
        }
        Format::Unorm | Format::Srgb => normal(value(0), (1 << bits) - 1, false) as u64,
        Format::Snorm => normal(value(0), (1 << (bits - 1)) - 1, true) as u64,
        Format::Rgb10A2 => {
            let part = |n: usize| (normal(value(n), (1 << RGB10A2[n]) - 1, false) as u64) << (10 * n);
            (0..4).map(part).sum()
        }
        Format::Rg11B10 { round } => (0..3).map(|n| small(value(n), RG11B10[n], round) << (11 * n)).sum(),
        Format::Rgb9E5 { round } => shared([0, 1, 2].map(value), round),
    }
}

fn float(register: Type) -> Type {
    match register.bits() {
        16 => Type::F16,
        _ => Type::F32,
    }
}

/// The value brought to the range from `low` to `high`; NaN is 0.
fn clamped(value: Value, low: Value, high: Value) -> Value {
    match (ieee::compare(value, low), ieee::compare(value, high)) {
        (None, _) => Value::ZERO,
        (Some(Ordering::Less), _) => low,
        (_, Some(Ordering::Greater)) => high,
        _ => value,
    }
}

/// A value of 0..1, or of -1..1, times `most`, to the nearest integer.
fn normal(value: Value, most: u64, signed: bool) -> i128 {
    let one = Value::integer(1);
    let low = if signed { one.negated() } else { Value::ZERO };
    let n = ieee::multiply(clamped(value, low, one), Value::integer(most.into()));
    ieee::to_integer(n, Round::Nearest).unwrap_or(0)
}

/// Exponent of the leading one.
fn exponent(f: Finite) -> i32 {
    f.exponent + 127 - f.significand.leading_zeros() as i32
}

/// A float without sign of 5 bits of exponent: NaN and infinity are kept, what is negative is 0, what is beyond the
/// largest number is that.
fn small(value: Value, fraction: u32, round: Round) -> u64 {
    let infinity = 31 << fraction;
    match value {
        Value::Nan => infinity | 1 << (fraction - 1),
        _ if value.is_negative() => 0,
        Value::Infinity { .. } => infinity,
        Value::Finite(f) if f.significand == 0 => 0,
        Value::Finite(f) => {
            let e = exponent(f).clamp(-14, 16);
            let scaled = Value::Finite(Finite { exponent: f.exponent + fraction as i32 - e, ..f });
            // The leading one counts in the exponent.
            let n = ieee::to_integer(scaled, round).unwrap_or(0).min(1 << 32) as u64;
            (n + (((e + 14) as u64) << fraction)).min(infinity - 1)
        }
    }
}

/// Three values of 0..65408 as fractions of 9 bits with an exponent, biased by 15, from bit 27 on.
fn shared(values: [Value; 3], round: Round) -> u64 {
    let values = values.map(|v| clamped(v, Value::ZERO, Value::integer(65408)));
    let fraction = |v: Value, field: i32| {
        let Value::Finite(f) = v else { return 0 };
        // Half a unit up, or cut.
        let doubled = Value::Finite(Finite { exponent: f.exponent + 25 - field, ..f });
        let n = ieee::to_integer(doubled, Round::Zero).unwrap_or(0) as u64;
        (n + u64::from(round == Round::Nearest)) >> 1
    };
    let of = |v: &Value| match v {
        Value::Finite(f) if f.significand != 0 => exponent(*f).max(-16) + 16,
        _ => 0,
    };
    let field = values.iter().map(of).max().unwrap_or(0);
    let field = field + i32::from(values.iter().any(|v| fraction(*v, field) == 512));
    let fractions = values.map(|v| fraction(v, field));
    fractions[0] | fractions[1] << 9 | fractions[2] << 18 | (field as u64) << 27
}
