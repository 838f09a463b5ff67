//! Add, multiply, multiply-add and compare against LLVM's software float.
//!
//! Operands are random with their exponents near each other, cancelling, at both ends of the
//! range, and special. `WARPSMITH_SOAK=1` runs 50 times as many.

use crate::common::reference;
use reference::{cases, flushed, ieee, single, word, Operands, SIGN, SPECIALS};
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round as IeeeRound};
use std::cmp::Ordering;
use warpsmith_isa::Round;
use warpsmith_model::num::float;
use warpsmith_testkit::Random;

const MODES: [Round; 2] = [Round::Nearest, Round::Zero];

fn add(a: u32, b: u32, round: Round) -> u32 {
    word(single(a).add_r(single(b), ieee(round)).value)
}

/// The product is exact in double precision. The machine rounds it as if exponents had no lower
/// end and flushes then, where IEEE would round to a multiple of 2^-149: a small product is
/// scaled up by 2^64 before it becomes a single, and a result below 2^-126 is zero.
fn mul(a: u32, b: u32, round: Round) -> u32 {
    let mut lossy = false;
    let wide = |x: u32| -> Double { single(x).convert(&mut false).value };
    let exact = (wide(a) * wide(b)).value;
    if exact.is_finite_non_zero() && exact.ilogb() < -100 {
        let scaled: Single = exact.scalbn(64).convert_r(ieee(round), &mut lossy).value;
        if scaled.ilogb() < -126 + 64 {
            return (a ^ b) & SIGN;
        }
        return word(scaled.scalbn(-64));
    }
    word(exact.convert_r(ieee(round), &mut lossy).value)
}

/// Product exact in quad precision and truncated to 24 bits, sum to nearest.
///
/// Rounding the sum to quad first does no harm: with exponents up to 89 apart it is exact in 113
/// bits; further apart one term is below a quarter of the other's last place in single precision
/// and the larger, which has 24 bits, is the result either way.
fn mad(a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (single(a), single(b), single(c));
    if x.is_zero() || y.is_zero() || z.is_zero() {
        return add(mul(a, b, Round::Nearest), c, Round::Nearest);
    }
    let wide = |x: Single| -> Quad { x.convert(&mut false).value };
    let mut product = (wide(x) * wide(y)).value;
    if product.is_finite() {
        product = Quad::from_bits(product.to_bits() >> 89 << 89);
    }
    let sum = (product + wide(z)).value;
    word(sum.convert_r(IeeeRound::NearestTiesToEven, &mut false).value)
}

/// IEEE 754-2008 minNum and maxNum with -0 below +0.
fn min_max(max: bool, a: u32, b: u32) -> u32 {
    let (x, y) = (single(a), single(b));
    word(match (x.is_nan(), y.is_nan()) {
        (true, _) => y,
        (_, true) => x,
        _ if max => x.maximum(y),
        _ => x.minimum(y),
    })
}

fn relation(a: u32, b: u32) -> u32 {
    match single(a).partial_cmp(&single(b)) {
        Some(Ordering::Less) => 0,
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        None => 3,
    }
}

/// Every pair of special words with either sign, then random pairs.
fn pairs(seed: u64, count: u32, mut check: impl FnMut(u32, u32)) {
    for a in SPECIALS {
        for b in SPECIALS {
            for signs in 0..4 {
                check(a ^ (signs & 1) << 31, b ^ (signs >> 1) << 31);
            }
        }
    }
    let mut operands = Random(seed);
    for _ in 0..cases(count) {
        let a = operands.any();
        let b = operands.beside(a);
        check(a, b);
    }
}

#[test]
fn sums_are_those_of_ieee_single_precision() {
    pairs(1, 2_000_000, |a, b| {
        for round in MODES {
            let (got, want) = (float::add(a, b, round), add(a, b, round));
            assert_eq!(got, want, "{a:08x} + {b:08x} {round:?}: {got:08x}, reference {want:08x}");
        }
    });
}

#[test]
fn products_are_those_of_ieee_single_precision_but_for_the_flush() {
    let mut flushed_by_scaling = 0;
    pairs(2, 2_000_000, |a, b| {
        for round in MODES {
            let (got, want) = (float::mul(a, b, round), mul(a, b, round));
            assert_eq!(got, want, "{a:08x} * {b:08x} {round:?}: {got:08x}, reference {want:08x}");
            let grid = word(single(a).mul_r(single(b), ieee(round)).value);
            flushed_by_scaling += u32::from(grid != want);
        }
    });
    // Products between 2^-126 - 2^-150 and 2^-126 - 2^-151: IEEE would round them up to 2^-126.
    assert!(flushed_by_scaling > 0, "no product met the lower end");
}

#[test]
fn multiply_adds_truncate_the_product() {
    let check = |a: u32, b: u32, c: u32| {
        let (got, want) = (float::mad(a, b, c), mad(a, b, c));
        assert_eq!(got, want, "{a:08x} * {b:08x} + {c:08x}: {got:08x}, reference {want:08x}");
        want
    };
    for a in SPECIALS {
        for b in SPECIALS {
            for c in SPECIALS {
                for signs in 0..4 {
                    check(a, b ^ (signs & 1) << 31, c ^ (signs >> 1) << 31);
                }
            }
        }
    }
    let mut operands = Random(3);
    let (mut not_fused, mut not_rounded) = (0, 0);
    for _ in 0..cases(3_000_000) {
        let a = operands.any();
        let b = operands.beside(a);
        // Half of the addends meet the product.
        let c = if operands.below(2) == 0 {
            operands.any()
        } else {
            let p = mul(a, b, Round::Zero);
            operands.beside(p)
        };
        let want = check(a, b, c);
        let fused = single(a).mul_add(single(b), single(c)).value;
        not_fused += u32::from(word(fused) != want);
        let rounded = add(mul(a, b, Round::Nearest), c, Round::Nearest);
        not_rounded += u32::from(rounded != want);
    }
    // The operands tell the three ways to multiply and add apart.
    assert!(not_fused > 1000 && not_rounded > 1000, "{not_fused} {not_rounded}");
}

/// The worked example of docs/numerics.md: 1 + 5/2^14 squared, minus 1 + 5/2^13.
#[test]
fn three_ways_to_multiply_and_add_give_three_results() {
    let (a, c) = (0x3f80_0a00, 0xbf80_1400);
    assert_eq!(mul(a, a, Round::Zero), 0x3f80_1400);
    assert_eq!(mul(a, a, Round::Nearest), 0x3f80_1401);
    assert_eq!(float::mad(a, a, c), 0);
    let two_instructions = float::add(float::mul(a, a, Round::Nearest), c, Round::Nearest);
    assert_eq!(two_instructions, 0x3400_0000);
    assert_eq!(word(single(a).mul_add(single(a), single(c)).value), 0x33c8_0000);
}

#[test]
fn minimum_and_maximum_skip_one_nan_and_order_zeros() {
    pairs(4, 500_000, |a, b| {
        for max in [false, true] {
            let (got, want) = (float::min_max(max, a, b), min_max(max, a, b));
            assert_eq!(got, want, "{a:08x} {b:08x} max {max}: {got:08x}, reference {want:08x}");
        }
    });
}

#[test]
fn comparisons_are_those_of_ieee() {
    let mut seen = [0; 4];
    pairs(5, 500_000, |a, b| {
        let want = relation(a, b);
        seen[want as usize] += 1;
        assert_eq!(float::relation(a, b), want, "{a:08x} ? {b:08x}");
        for cond in 0..16 {
            let mask = if cond >> want & 1 != 0 { u32::MAX } else { 0 };
            assert_eq!(float::set(cond, a, b).0, mask, "{a:08x} ? {b:08x}, condition {cond:04b}");
        }
        // Select: the raw word of the first operand if the third is at least zero.
        let chosen = if matches!(relation(b, 0), 1 | 2) { a } else { !a };
        assert_eq!(float::select(a, !a, b).0, chosen, "{b:08x} selects");
    });
    assert!(seen.iter().all(|&n| n > 100), "relations seen: {seen:?}");
}

#[test]
fn saturation_clamps_to_zero_and_one() {
    let mut operands = Random(6);
    for i in 0..cases(200_000) {
        let x = SPECIALS.get(i as usize).copied().unwrap_or_else(|| operands.any());
        // Results are flushed before they are saturated.
        let x = word(single(x));
        let one = Single::from_u128(1).value;
        let want =
            if single(x).is_nan() { 0x7fff_ffff } else { word(flushed(single(x)).maximum(Single::ZERO).minimum(one)) };
        assert_eq!(float::saturate(x), want, "{x:08x}");
    }
}
