//! Floats of 16, 32 and 64 bits of the shared evaluation against LLVM's software float.
//!
//! Every operation in four rounding modes, denormals kept, flushed after rounding and flushed before it, on
//! special operands in all pairs and on random ones that meet each other. `WARPSMITH_SOAK=1` runs 50 times
//! as many.

use crate::common::reference::cases;
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round as IeeeRound};
use warpsmith_isa::uop::{Cond, FloatMode, Nan, Op, Place, Round, Src, Tiny, Type, Uop};
use warpsmith_model::uop::eval;
use warpsmith_testkit::Random;

const ROUNDS: [(Round, IeeeRound); 4] = [
    (Round::Nearest, IeeeRound::NearestTiesToEven),
    (Round::Down, IeeeRound::TowardNegative),
    (Round::Up, IeeeRound::TowardPositive),
    (Round::Zero, IeeeRound::TowardZero),
];
const TINY: [Tiny; 3] = [Tiny::Keep, Tiny::FlushRounded, Tiny::FlushExact];
const FORMATS: [Type; 3] = [Type::F16, Type::F32, Type::F64];

/// Bits of the fraction field.
fn fraction(ty: Type) -> u32 {
    match ty {
        Type::F16 => 10,
        Type::F32 => 23,
        _ => 52,
    }
}

/// Bits where rules change, without sign.
fn specials(ty: Type) -> Vec<u64> {
    let f = fraction(ty);
    let infinity = (ty.mask() >> 1) >> f << f;
    let one = (infinity >> 1) >> f << f;
    let low = 1u64 << f;
    [0, 1, low / 2, low - 1, low, low + 1, 2 * low, one - 1, one, one + 1, one + low / 2]
        .into_iter()
        .chain([infinity - low, infinity - 1, infinity, infinity + 1, infinity + low / 2])
        .chain([ty.mask() >> 1])
        .collect()
}

/// Random operands of a format.
struct Floats {
    ty: Type,
    source: Random,
}

impl Floats {
    fn any(&mut self) -> u64 {
        let ty = self.ty;
        let f = fraction(ty);
        let sign = self.source.bits() << (ty.bits() - 1) & ty.mask();
        match self.source.below(6) {
            0 => {
                let all = specials(ty);
                all[self.source.below(all.len() as u32) as usize] | sign
            }
            // Denormals and their neighbours.
            1 => (self.source.bits() & ((2u64 << f) - 1)) | sign,
            // Few bits.
            2 => {
                let v = self.source.bits() & ty.mask();
                v >> (f - 3) << (f - 3)
            }
            _ => self.source.bits() & ty.mask(),
        }
    }

    /// An operand whose exponent or bits are near those of `a`.
    fn beside(&mut self, a: u64) -> u64 {
        let (f, mask) = (fraction(self.ty), self.ty.mask());
        match self.source.below(4) {
            0 => (a ^ 1 << (self.ty.bits() - 1)).wrapping_add(self.source.bits() % 9) & mask,
            1 => a.wrapping_add((self.source.bits() % 60) << f).wrapping_sub(30 << f) & mask,
            2 => (a ^ self.source.bits() & ((1 << f) - 1)) & mask,
            _ => self.any(),
        }
    }
}

fn uop(op: Op, ty: Type, src: &[Type], round: Round, tiny: Tiny) -> Uop {
    let src = src.iter().map(|t| Src::new(Place::None, *t)).collect();
    Uop::new(op, ty, Place::None, src).with_mode(FloatMode { round, tiny, nan: Nan::Quiet, ..FloatMode::default() })
}

/// Bits of a reference result of a rounding: NaN canonical, tiny ones as the mode says.
fn expected<F: Float>(ty: Type, tiny: Tiny, at: IeeeRound, f: impl Fn(IeeeRound) -> F) -> u64 {
    let x = f(at);
    if x.is_nan() {
        let f = fraction(ty);
        return (ty.mask() >> 1) >> (f - 1) << (f - 1);
    }
    let zero = F::ZERO.copy_sign(x).to_bits() as u64;
    let toward_zero = f(IeeeRound::TowardZero);
    match tiny {
        Tiny::FlushRounded if x.is_denormal() => zero,
        // An exact result below the normal range is still below it when cut off.
        Tiny::FlushExact if toward_zero.is_denormal() || toward_zero.is_zero() => zero,
        _ => x.to_bits() as u64,
    }
}

/// Every special pair with every sign, then random triples.
fn triples(ty: Type, seed: u64, count: u32, mut check: impl FnMut(u64, u64, u64)) -> u64 {
    let mut floats = Floats { ty, source: Random(seed) };
    let mut n = 0;
    let sign = 1u64 << (ty.bits() - 1);
    let all: Vec<u64> = specials(ty).iter().flat_map(|s| [*s, s | sign]).collect();
    for &a in &all {
        for &b in &all {
            let c = floats.any();
            check(a, b, c);
            n += 1;
        }
    }
    for _ in 0..cases(count) {
        let a = floats.any();
        let b = floats.beside(a);
        let c = match floats.source.below(2) {
            0 => floats.any(),
            _ => floats.beside(b),
        };
        check(a, b, c);
        n += 1;
    }
    n
}

fn arithmetic<F: Float>(ty: Type) -> u64 {
    let number = |bits: u64| F::from_bits(bits.into());
    triples(ty, 7, 20_000, |a, b, c| {
        let (x, y, z) = (number(a), number(b), number(c));
        for (round, at) in ROUNDS {
            for tiny in TINY {
                let check = |op: Op, raw: &[u64], f: &dyn Fn(IeeeRound) -> F| {
                    let got = eval(&uop(op, ty, &[ty; 3][..raw.len()], round, tiny), raw)[0];
                    let want = expected(ty, tiny, at, f);
                    assert_eq!(got, want, "{op:?} {round:?} {tiny:?} {ty:?} {raw:x?}: {got:x}, reference {want:x}");
                };
                check(Op::Add, &[a, b], &|r| x.add_r(y, r).value);
                check(Op::Mul, &[a, b], &|r| x.mul_r(y, r).value);
                check(Op::MulAdd, &[a, b, c], &|r| x.mul_add_r(y, z, r).value);
                check(Op::RoundToIntegral, &[a], &|r| {
                    // Integral values are never tiny: the mode that is asked for decides.
                    let _ = r;
                    x.round_to_integral(at).value
                });
            }
        }
        let outcome = match x.partial_cmp(&y) {
            Some(std::cmp::Ordering::Less) => Cond::LESS,
            Some(std::cmp::Ordering::Equal) => Cond::EQUAL,
            Some(std::cmp::Ordering::Greater) => Cond::GREATER,
            None if x.is_nan() => Cond::NAN_A,
            None => Cond::NAN_B,
        };
        for bit in 0..5 {
            let op = Op::Compare { cond: Cond(1 << bit), combine: 0 };
            let got = eval(&uop(op, Type::Bool, &[ty; 2], Round::Nearest, Tiny::Keep), &[a, b])[0];
            assert_eq!(got == 1, outcome == 1 << bit, "{a:x} ? {b:x}, bit {bit}");
        }
        for (op, max) in [(Op::Min, false), (Op::Max, true)] {
            let got = eval(&uop(op, ty, &[ty; 2], Round::Nearest, Tiny::Keep), &[a, b])[0];
            let want = expected(ty, Tiny::Keep, IeeeRound::NearestTiesToEven, |_| match (x.is_nan(), y.is_nan()) {
                (true, _) => y,
                (_, true) => x,
                _ if max => x.maximum(y),
                _ => x.minimum(y),
            });
            assert_eq!(got, want, "{op:?} {a:x} {b:x}");
        }
    })
}

#[test]
fn arithmetic_is_that_of_ieee_in_every_format_and_mode() {
    let n = arithmetic::<Half>(Type::F16) + arithmetic::<Single>(Type::F32) + arithmetic::<Double>(Type::F64);
    println!("{n} operand triples, 4 operations, 4 roundings, 3 ways with denormals");
}

fn converted<A: Float + FloatConvert<B>, B: Float>(from: Type, to: Type) -> u64 {
    triples(from, 11, 30_000, |a, _, _| {
        for (round, at) in ROUNDS {
            for tiny in TINY {
                let got = eval(&uop(Op::Convert, to, &[from], round, tiny), &[a])[0];
                let x = A::from_bits(a.into());
                let want = expected::<B>(to, tiny, at, |r| x.convert_r(r, &mut false).value);
                assert_eq!(got, want, "{from:?} {a:x} to {to:?} {round:?} {tiny:?}: {got:x}, reference {want:x}");
            }
        }
    })
}

#[test]
fn conversions_between_formats_are_those_of_ieee() {
    use Type::{F16, F32, F64};
    let n = converted::<Half, Single>(F16, F32)
        + converted::<Half, Double>(F16, F64)
        + converted::<Single, Half>(F32, F16)
        + converted::<Single, Double>(F32, F64)
        + converted::<Double, Half>(F64, F16)
        + converted::<Double, Single>(F64, F32);
    println!("{n} conversions of floats, 4 roundings, 3 ways with denormals");
}

fn integers<F: Float>(ty: Type) -> u64 {
    let mut n = 0;
    for to in Type::ALL {
        if to.is_float() || to == Type::Bool {
            continue;
        }
        n += triples(ty, 13, 8_000, |a, b, _| {
            let x = F::from_bits(a.into());
            for (round, at) in ROUNDS {
                let mut exact = false;
                let want = match to.is_signed() {
                    true => x.to_i128_r(to.bits() as usize, at, &mut exact).value as u64,
                    false => x.to_u128_r(to.bits() as usize, at, &mut exact).value as u64,
                };
                let want = if x.is_nan() { 0 } else { want & to.mask() };
                let got = eval(&uop(Op::Convert, to, &[ty], round, Tiny::Keep), &[a])[0];
                assert_eq!(got, want, "{ty:?} {a:x} to {to:?} {round:?}");
                let whole = (a ^ b.rotate_left(17)) & to.mask();
                let unused = 64 - to.bits();
                let want = expected::<F>(ty, Tiny::Keep, at, |r| match to.is_signed() {
                    true => F::from_i128_r(i128::from(((whole << unused) as i64) >> unused), r).value,
                    false => F::from_u128_r(whole.into(), r).value,
                });
                let got = eval(&uop(Op::Convert, ty, &[to], round, Tiny::Keep), &[whole])[0];
                assert_eq!(got, want, "{to:?} {whole:x} to {ty:?} {round:?}");
            }
        });
    }
    n
}

#[test]
fn conversions_from_and_to_integers_are_those_of_ieee() {
    let n = integers::<Half>(Type::F16) + integers::<Single>(Type::F32) + integers::<Double>(Type::F64);
    println!("{n} conversions from and to 8 integer types, 4 roundings");
}

#[test]
fn every_half_survives_every_wider_format() {
    for a in 0..=0xffffu64 {
        for wide in FORMATS {
            let up = eval(&uop(Op::Convert, wide, &[Type::F16], Round::Nearest, Tiny::Keep), &[a])[0];
            let back = eval(&uop(Op::Convert, Type::F16, &[wide], Round::Nearest, Tiny::Keep), &[up])[0];
            let nan = a & 0x7fff > 0x7c00;
            assert_eq!(back, if nan { 0x7e00 } else { a });
        }
    }
}
