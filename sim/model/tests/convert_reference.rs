//! The conversion unit against LLVM's software float.
//!
//! Half floats and 8- and 16-bit integers are exhausted, in every rounding mode and with every
//! modifier; singles and 32-bit integers are random and special. `WARPSMITH_SOAK=1` runs 50 times
//! as many of those.

use crate::common::reference;
use reference::{cases, ieee, single, word, Operands, ROUNDS, SPECIALS};
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};
use warpsmith_isa::{FloatType, IntType, Round};
use warpsmith_model::num::convert;
use warpsmith_testkit::Random;

const INTS: [IntType; 6] = [IntType::U8, IntType::S8, IntType::U16, IntType::S16, IntType::U32, IntType::S32];

/// Operand modifiers: absolute value first.
fn modified<F: Float>(x: F, abs: bool, neg: bool) -> F {
    let x = if abs { x.abs() } else { x };
    if neg {
        -x
    } else {
        x
    }
}

/// Half floats keep their denormals; their NaN is 0x7fff.
fn half(x: u32) -> Half {
    Half::from_bits((x & 0xffff).into())
}

fn half_word(x: Half) -> u32 {
    if x.is_nan() {
        0x7fff
    } else {
        x.to_bits() as u32
    }
}

/// Saturation to [0, 1]; NaN stays.
fn saturated<F: Float>(x: F, sat: bool) -> F {
    if sat && !x.is_nan() {
        x.maximum(F::ZERO).minimum(F::from_u128(1).value)
    } else {
        x
    }
}

/// Width in bits and signedness.
fn shape(ty: IntType) -> (usize, bool) {
    match ty {
        IntType::U8 => (8, false),
        IntType::S8 => (8, true),
        IntType::U16 => (16, false),
        IntType::S16 => (16, true),
        IntType::U32 => (32, false),
        IntType::S32 => (32, true),
    }
}

/// The reference clamps out-of-range values and gives 0 for NaN, as the machine does.
fn to_int<F: Float>(x: F, ty: IntType, round: Round) -> u32 {
    let (bits, signed) = shape(ty);
    if signed {
        x.to_i128_r(bits, ieee(round), &mut false).value as u32
    } else {
        x.to_u128_r(bits, ieee(round), &mut false).value as u32
    }
}

/// The integer a word holds.
fn integer(x: u32, ty: IntType) -> i128 {
    let (bits, signed) = shape(ty);
    let low = i128::from(x) & ((1 << bits) - 1);
    if signed && low >> (bits - 1) != 0 {
        low - (1 << bits)
    } else {
        low
    }
}

/// Singles: special words with either sign, then random ones about the integer ranges.
fn singles(seed: u64, count: u32, mut check: impl FnMut(u32)) {
    for x in SPECIALS {
        check(x);
        check(x | reference::SIGN);
    }
    let mut operands = Random(seed);
    for _ in 0..cases(count) {
        check(match operands.below(4) {
            0 => operands.any(),
            1 => operands.with_exponent(90, 115),
            _ => operands.with_exponent(120, 160),
        });
    }
}

#[test]
fn floats_become_integers() {
    let check = |x: u32, src: FloatType, modifiers: u32| {
        let (abs, neg) = (modifiers & 1 != 0, modifiers & 2 != 0);
        for round in ROUNDS {
            for ty in &INTS[2..] {
                let want = match src {
                    FloatType::F32 => to_int(modified(single(x), abs, neg), *ty, round),
                    FloatType::F16 => to_int(modified(half(x), abs, neg), *ty, round),
                };
                let got = convert::f2i(x, src, *ty, round, neg, abs);
                assert_eq!(
                    got, want,
                    "{src:?} {x:08x} to {ty:?} {round:?} neg {neg} abs {abs}: {got:08x}, reference {want:08x}"
                );
            }
        }
    };
    singles(1, 300_000, |x| check(x, FloatType::F32, x & 3));
    for x in 0..0x1_0000 {
        for modifiers in 0..4 {
            check(x, FloatType::F16, modifiers);
        }
    }
}

#[test]
fn integers_become_floats() {
    let check = |x: u32, ty: IntType, modifiers: u32| {
        let (abs, neg, sat) = (modifiers & 1 != 0, modifiers & 2 != 0, modifiers & 4 != 0);
        let v = integer(x, ty);
        let v = if abs { v.abs() } else { v };
        let v = if neg { -v } else { v };
        for round in ROUNDS {
            let s = Single::from_i128_r(v, ieee(round)).value;
            let h = Half::from_i128_r(v, ieee(round)).value;
            for (dst, want) in
                [(FloatType::F32, word(saturated(s, sat))), (FloatType::F16, half_word(saturated(h, sat)))]
            {
                let got = convert::i2f(x, ty, dst, round, neg, abs, sat);
                assert_eq!(
                    got, want,
                    "{ty:?} {x:08x} to {dst:?} {round:?} neg {neg} abs {abs} sat {sat}: {got:08x}, reference {want:08x}"
                );
            }
        }
    };
    for ty in INTS {
        for x in 0..0x1_0000 {
            check(x, ty, x & 7);
            check(x, ty, 0);
        }
    }
    let mut operands = Random(2);
    for _ in 0..cases(200_000) {
        // Lengths from 1 to 32 bits, so that every shift of the normaliser occurs.
        let x = (operands.bits() as u32 >> operands.below(32)) ^ (operands.bits() as u32 & 1);
        for ty in &INTS[4..] {
            for x in [x, x.wrapping_neg(), !x] {
                check(x, *ty, operands.below(8));
            }
        }
    }
}

#[test]
fn integers_become_integers_by_clamping() {
    let mut operands = Random(3);
    for i in 0..cases(200_000) {
        let x = if i < 0x1_0000 { i } else { operands.bits() as u32 >> operands.below(32) };
        for src in INTS {
            for dst in INTS {
                for (abs, neg) in [(false, false), (true, false), (false, true), (true, true)] {
                    let v = integer(x, src);
                    let v = if abs { v.abs() } else { v };
                    let v = if neg { -v } else { v };
                    let (bits, signed) = shape(dst);
                    let ends =
                        if signed { (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
                    let want = v.max(ends.0).min(ends.1) as u32;
                    let got = convert::i2i(x, src, dst, neg, abs);
                    assert_eq!(got, want, "{src:?} {x:08x} to {dst:?} neg {neg} abs {abs}");
                }
            }
        }
    }
}

/// Float to float by the reference. A single at or below exponent field 0x5d gives a signed zero
/// half in every mode: the aligner's reach ends there, a rule of the machine and not of IEEE.
fn f2f(x: u32, src: FloatType, dst: FloatType, round: Round, to_int: bool, m: u32) -> u32 {
    let (abs, neg, sat) = (m & 1 != 0, m & 2 != 0, m & 4 != 0);
    let integral = |x: Single| {
        if to_int {
            x.round_to_integral(ieee(round)).value
        } else {
            x
        }
    };
    let x = match src {
        FloatType::F32 => integral(modified(single(x), abs, neg)),
        FloatType::F16 => integral(modified(half(x), abs, neg).convert(&mut false).value),
    };
    match dst {
        FloatType::F32 => word(saturated(x, sat)),
        FloatType::F16 => {
            let out_of_reach = x.is_finite_non_zero() && x.ilogb() + 127 <= 0x5d;
            let x = if out_of_reach { Single::ZERO.copy_sign(x) } else { x };
            half_word(saturated(x.convert_r(ieee(round), &mut false).value, sat))
        }
    }
}

#[test]
fn floats_become_floats() {
    use FloatType::{F16, F32};
    let check = |x: u32, src, dst, m: u32| {
        for round in ROUNDS {
            // Between precisions the instruction set has no rounding to integers.
            for to_int in [false, true] {
                if to_int && src != dst {
                    continue;
                }
                let (abs, neg, sat) = (m & 1 != 0, m & 2 != 0, m & 4 != 0);
                let want = f2f(x, src, dst, round, to_int, m);
                let got = convert::f2f(x, src, dst, round, to_int, neg, abs, sat);
                assert_eq!(
                    got, want,
                    "{src:?} {x:08x} to {dst:?} {round:?} integer {to_int} modifiers {m:03b}: {got:08x}, reference {want:08x}"
                );
            }
        }
    };
    singles(4, 300_000, |x| {
        check(x, F32, F32, x & 7);
        check(x, F32, F16, x & 7);
    });
    // Every half exponent, its denormals and the exponents just out of reach.
    let mut operands = Random(5);
    for _ in 0..cases(300_000) {
        let x = operands.with_exponent(0x5a, 0x90);
        check(x, F32, F16, x & 7);
    }
    for x in 0..0x1_0000 {
        for m in 0..8 {
            check(x, F16, F32, m);
            check(x, F16, F16, m);
        }
    }
}
