//! Float instructions against LLVM's software float; special functions against the unit they share.

use super::{code, Bench};
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use warpsmith_model::num::{rro, sfu};
use warpsmith_testkit::{cases, Random};

const SINGLES: [u32; 16] = [
    0, 1, 0x7f_ffff, 0x80_0000, 0x80_0001, 0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001, 0x7f7f_ffff, 0x7f80_0000,
    0x7f80_0001, 0x7fc0_0000, 0x3380_0000, 0x3300_0000, 0x4b80_0000, 0x0100_0000,
];
const HALVES: [u16; 12] = [0, 1, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00];

fn single(x: u32) -> Single {
    let s = Single::from_bits(x.into());
    match s.is_denormal() {
        true if x >> 31 == 1 => -Single::ZERO,
        true => Single::ZERO,
        false => s,
    }
}

/// Operands of 32 bits, often special, near each other or near the ends.
fn word(random: &mut Random) -> u32 {
    let sign = (random.bits() as u32) & 0x8000_0000;
    sign | match random.below_wide(5) {
        0 => SINGLES[random.below_wide(16) as usize],
        1 => (random.below_wide(8) as u32 + 123) << 23 | random.bits() as u32 & 0x7f_ffff,
        2 => (random.below_wide(66) as u32) << 23 | random.bits() as u32 & 0x7f_ffff,
        3 => (random.below_wide(30) as u32 + 100) << 23 | (random.bits() as u32 & 0x7) << 20,
        _ => random.bits() as u32 & 0x7fff_ffff,
    }
}

fn half(random: &mut Random) -> u16 {
    let sign = (random.bits() as u16) & 0x8000;
    sign | match random.below_wide(3) {
        0 => HALVES[random.below_wide(12) as usize],
        1 => (random.below_wide(6) as u16 + 12) << 10 | random.bits() as u16 & 0x3ff,
        _ => random.bits() as u16 & 0x7fff,
    }
}

/// a * b + c to nearest; a result below the normal numbers before it is rounded is a zero.
fn fma(a: Single, b: Single, c: Single) -> Single {
    let down = a.mul_add_r(b, c, Round::TowardZero);
    let near = a.mul_add_r(b, c, Round::NearestTiesToEven).value;
    let exact_zero = down.value.is_zero() && down.status == Status::OK;
    if (down.value.is_denormal() || down.value.is_zero()) && !exact_zero {
        return if down.value.is_negative() { -Single::ZERO } else { Single::ZERO };
    }
    near
}

/// The bits of a result of 32 bits, of a NaN the one that there is.
fn bits32(x: Single) -> u64 {
    if x.is_nan() {
        0x7fc0_0000
    } else {
        x.to_bits() as u64
    }
}

fn bits16(x: Half) -> u64 {
    if x.is_nan() {
        0x7e00
    } else {
        x.to_bits() as u64
    }
}

/// Clamped to 0..1; NaN and -0 are +0.
fn saturated<F: Float>(x: F, one: F) -> F {
    if x.is_nan() || x.is_negative() {
        F::ZERO
    } else if x > one {
        one
    } else {
        x
    }
}

#[test]
fn single_precision_rounds_once_and_flushes_before() {
    let rounds = cases(500, 20_000);
    let mut random = Random(7);
    let mut compared = 0;
    let one = Single::from_bits(0x3f80_0000);
    for _ in 0..rounds {
        let mut bench = Bench::new();
        let lanes: Vec<[u32; 3]> = (0..32).map(|_| [0; 3].map(|_| word(&mut random))).collect();
        let halves: Vec<u16> = (0..32).map(|_| half(&mut random)).collect();
        for (l, x) in lanes.iter().enumerate() {
            for (name, v) in ["r1", "r2", "r3"].iter().zip(x) {
                bench.set(name, l, (*v).into());
            }
            bench.set("r4h", l, halves[l].into());
        }
        for text in [
            "fmadd32 r8, r1, r2, r3", "fmadd32 r9, r1.neg, r2.abs, r3.abs.neg", "fmadd32.sat r10, r1, r2, r3",
            "fmadd32 r11l, r1, r2, r3", "fadd32 r12, r1, r2", "fmul32 r13, r1, r2", "fmadd32 r14, r4h, r2, r3",
        ] {
            bench.run(text);
        }
        for (l, x) in lanes.iter().enumerate() {
            let [a, b, c] = x.map(single);
            let sum = fma(a, b, c);
            let (mut inexact, h) = (false, Half::from_bits(halves[l].into()));
            let wide: Single = h.convert(&mut inexact).value;
            let short: Half = sum.convert(&mut inexact).value;
            let zero = Single::ZERO;
            let negated = fma(-a, if b.is_negative() { -b } else { b }, if c.is_negative() { c } else { -c });
            let wanted = [
                bits32(sum),
                bits32(negated),
                bits32(saturated(sum, one)),
                bits16(short),
                bits32(fma(a, one, b)),
                bits32(fma(a, b, zero)),
                bits32(fma(wide, b, c)),
            ];
            let names = ["r8", "r9", "r10", "r11l", "r12", "r13", "r14"];
            for (name, wanted) in names.iter().zip(wanted) {
                assert_eq!(bench.get(name, l), wanted, "{name} of {x:x?}, {:x}", halves[l]);
                compared += 1;
            }
        }
    }
    println!("floats: {compared} results of 32-bit instructions");
}

#[test]
fn half_precision_keeps_denormals() {
    let rounds = cases(500, 20_000);
    let mut random = Random(8);
    let mut compared = 0;
    let one = Half::from_bits(0x3c00);
    for _ in 0..rounds {
        let mut bench = Bench::new();
        let lanes: Vec<[u16; 3]> = (0..32).map(|_| [0; 3].map(|_| half(&mut random))).collect();
        for (l, x) in lanes.iter().enumerate() {
            for (name, v) in ["r1l", "r1h", "r2l"].iter().zip(x) {
                bench.set(name, l, (*v).into());
            }
        }
        for text in [
            "fmadd16 r8l, r1l, r1h, r2l", "fmadd16.sat r8h, r1l, r1h.neg, r2l", "fadd16 r9l, r1l, r1h",
            "fmul16 r9h, r1l, r1h",
        ] {
            bench.run(text);
        }
        for (l, x) in lanes.iter().enumerate() {
            let [a, b, c] = x.map(|v| Half::from_bits(v.into()));
            let wanted = [
                bits16(a.mul_add(b, c).value),
                bits16(saturated(a.mul_add(-b, c).value, one)),
                bits16((a + b).value),
                bits16(a.mul_add(b, Half::ZERO).value),
            ];
            for (name, wanted) in ["r8l", "r8h", "r9l", "r9h"].iter().zip(wanted) {
                assert_eq!(bench.get(name, l), wanted, "{name} of {x:x?}");
                compared += 1;
            }
        }
    }
    println!("floats: {compared} results of 16-bit instructions");
}

#[test]
fn special_functions_are_those_of_the_project() {
    let mut random = Random(9);
    let mut bench = Bench::new();
    for _ in 0..200 {
        let x: Vec<u32> = (0..32).map(|_| word(&mut random)).collect();
        for (l, x) in x.iter().enumerate() {
            bench.set("r1", l, (*x).into());
        }
        for text in ["rcp r2, r1", "rsqrt r3, r1", "log2 r4, r1", "exp2 r5, r1", "rsqrt_special r6, r1"] {
            bench.run(text);
        }
        for (l, x) in x.iter().enumerate() {
            let canonical = |v: u32| {
                if v & 0x7fff_ffff > 0x7f80_0000 {
                    0x7fc0_0000
                } else {
                    u64::from(v)
                }
            };
            assert_eq!(bench.get("r2", l), canonical(sfu::rcp(*x)), "rcp {x:x}");
            assert_eq!(bench.get("r3", l), canonical(sfu::rsq(*x)), "rsqrt {x:x}");
            assert_eq!(bench.get("r4", l), canonical(sfu::lg2(*x)), "log2 {x:x}");
            assert_eq!(bench.get("r5", l), canonical(sfu::ex2(rro::ex2(*x))), "exp2 {x:x}");
            // Denormals are zeros.
            let root = match x & 0x7f80_0000 {
                0 => 0,
                0x7f80_0000 if *x == 0x7f80_0000 => 0x7f80_0000,
                _ => canonical(sfu::rsq(*x)),
            };
            assert_eq!(bench.get("r6", l), root, "rsqrt_special {x:x}");
        }
    }
}

/// The two halves of the sine over 0..4: their exact product is the sine within two ulp of the second.
#[test]
fn the_sine_comes_in_two_halves() {
    let mut worst = 0f64;
    let mut bench = Bench::new();
    for step in 0..4096u32 {
        let x = f32::from_bits(step * 0x4080_0000u32.div_ceil(4096));
        if x >= 4.0 {
            break;
        }
        bench.set("r1", 0, x.to_bits().into());
        for text in ["sin_pt_1 r2, r1", "sin_pt_2 r3, r2"] {
            let stepped = bench.step(&code(text), 1);
            assert!(stepped.is_ok());
        }
        let y = f32::from_bits(bench.get("r2", 0) as u32);
        let ratio = f32::from_bits(bench.get("r3", 0) as u32);
        // Denormals are read as zeros.
        let seen = if x.is_subnormal() { 0.0 } else { x };
        let folded = if seen <= 1.0 {
            seen
        } else if seen < 3.0 {
            2.0 - seen
        } else {
            seen - 4.0
        };
        assert_eq!(y, folded, "{x}");
        let y = f64::from(y);
        let exact = match y == 0.0 {
            true => std::f64::consts::FRAC_PI_2,
            false => (y * std::f64::consts::FRAC_PI_2).sin() / y,
        };
        worst = worst.max((f64::from(ratio) - exact).abs() / 2f64.powi(-23));
    }
    println!("floats: sin_pt_2 within {worst:.3} ulp");
    assert!(worst <= 0.51, "{worst}");
    for x in [0x4080_0000u64, 0xbf80_0000, 0x7f80_0000, 0x7fc0_0001, 0xff80_0000] {
        bench.set("r1", 0, x);
        let stepped = bench.step(&code("sin_pt_1 r2, r1"), 1);
        assert!(stepped.is_ok());
        assert_eq!(bench.get("r2", 0), 0x7fc0_0000, "{x:x}");
    }
}
