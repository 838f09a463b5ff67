//! Special functions: those of [`crate::num`], and the high words of f64 functions.

use super::ieee::{self, Value};
use super::sine;
use crate::num::{float, rro, sfu};
use warpsmith_isa::uop::{FloatMode, Nan, Round, Special, Tiny, Type};

/// Applies a function to 32 bits.
pub fn apply(f: Special, x: u32, nan: Nan) -> u32 {
    let word = match f {
        Special::Rcp => sfu::rcp(x),
        Special::Rsq => sfu::rsq(x),
        Special::Lg2 => sfu::lg2(x),
        Special::Ex2 => sfu::ex2(x),
        Special::Sin => sfu::sin(x),
        Special::Cos => sfu::cos(x),
        // Fixed-point codes, not floats.
        Special::ReduceEx2 => return rro::ex2(x),
        Special::ReduceSin => return rro::sin(x),
        Special::Rcp64High => return high_word(x, reciprocal),
        Special::Rsq64High => return high_word(x, reciprocal_root),
        Special::RsqForSqrt => match x & 0x7fff_ffff {
            0 => 0,
            float::INF if x == float::INF => float::INF,
            _ => sfu::rsq(x),
        },
        Special::SinFold => sine::fold(x),
        Special::SinRatio => sine::ratio(x),
    };
    match float::is_nan(word) {
        true => ieee::nan(Type::F32, nan) as u32,
        false => word,
    }
}

/// A function of the f64 with high word `x` and low word 0: high word of the result toward zero,
/// denormals as zeros.
fn high_word(x: u32, f: fn(Value) -> Value) -> u32 {
    let mode = FloatMode { round: Round::Zero, tiny: Tiny::FlushRounded, nan: Nan::AllOnes, ..FloatMode::default() };
    (ieee::pack(Type::F64, f(ieee::unpack(Type::F64, u64::from(x) << 32)), mode) >> 32) as u32
}

/// 1 / x, cut off behind more bits than a high word has.
fn reciprocal(x: Value) -> Value {
    match x {
        Value::Nan => Value::Nan,
        Value::Infinity { negative } => Value::Finite(ieee::Finite { negative, significand: 0, exponent: 0 }),
        Value::Finite(f) if f.significand == 0 => Value::Infinity { negative: f.negative },
        // The low word of the argument is 0: the significand has at most 21 significant bits, the
        // quotient of 2^126 by it more than 72.
        Value::Finite(f) => Value::Finite(ieee::Finite {
            negative: f.negative,
            significand: (1 << 126) / f.significand,
            exponent: -126 - f.exponent,
        }),
    }
}

/// 1 / sqrt(x), likewise.
fn reciprocal_root(x: Value) -> Value {
    match x {
        Value::Finite(f) if f.significand != 0 && !f.negative => {
            // An even exponent: x = s 2^2k, 1/sqrt(x) = sqrt(2^106 / s) 2^(-53 - k).
            let odd = f.exponent & 1;
            let significand = f.significand << odd;
            let k = (f.exponent - odd) / 2;
            Value::Finite(ieee::Finite {
                negative: false,
                significand: ((1u128 << 126) / significand).isqrt(),
                exponent: -63 - k,
            })
        }
        Value::Finite(f) if f.significand == 0 => Value::Infinity { negative: f.negative },
        Value::Infinity { negative: false } => Value::ZERO,
        _ => Value::Nan,
    }
}
