//! Special functions: the vectors of the G80 through MUFU and RRO, and the high words of 64 bits.

use super::results;
use rustc_apfloat::ieee::Double;
use rustc_apfloat::{Float, Round};
use std::fmt::Write;
use warpsmith_testkit::Random;

/// Applies an instruction to words, 40 a run.
fn apply(instruction: &str, words: &[u32]) -> Vec<u32> {
    let run = |part: &[u32]| {
        let mut source = String::from("MOV R1, RZ;\n");
        for (t, x) in part.iter().enumerate() {
            let _ = writeln!(source, "ISETP.EQ.AND P0, PT, R0, {t:#x}, PT;");
            let _ = writeln!(source, "@P0 MOV32I R1, {x:#x};");
        }
        let _ = writeln!(source, "{instruction};");
        results(&source)[..part.len()].to_vec()
    };
    words.chunks(40).flat_map(run).collect()
}

#[test]
fn mufu_and_rro_give_the_vectors_of_the_hardware() {
    let mut checked = 0;
    for op in warpsmith_conformance::arithmetic() {
        let instruction = match op.name.as_str() {
            name @ ("RCP" | "RSQ" | "LG2" | "SIN" | "COS" | "EX2") => format!("MUFU.{name} R1, R1"),
            "RRO.SIN" => "RRO.SINCOS R1, R1".to_string(),
            "RRO.EX2" => "RRO.EX2 R1, R1".to_string(),
            _ => continue,
        };
        let inputs: Vec<u32> = op.results.iter().map(|r| r.operands[0]).collect();
        for (want, got) in op.results.iter().zip(apply(&instruction, &inputs)) {
            assert_eq!(got, want.result, "{instruction} of {:08x}", want.operands[0]);
            checked += 1;
        }
    }
    println!("{checked} vectors");
    assert!(checked >= 2400, "{checked}");
}

#[test]
fn high_words_of_64_bits_are_those_of_a_division_cut_off() {
    let mut r = Random(64);
    let mut words: Vec<u32> = vec![
        0, 0x8000_0000, 1, 0x000f_ffff, 0x0010_0000, 0x3ff0_0000, 0x4000_0000, 0x4010_0000, 0x7fd0_0000, 0x7fe0_0000,
        0x7fef_ffff, 0x7ff0_0000, 0x7ff0_0001, 0xfff0_0000, 0xbff0_0000,
    ];
    words.extend((0..2000).map(|_| r.bits() as u32));
    let double = |x: u32| Double::from_bits(u128::from(x) << 32);
    let high = |x: Double| match x {
        x if x.is_nan() => 0x7fff_ffff,
        x if x.is_denormal() => (Double::ZERO.copy_sign(x).to_bits() >> 32) as u32,
        x => (x.to_bits() >> 32) as u32,
    };
    let one = Double::from_bits(0x3ff0_0000_0000_0000);
    let got = apply("MUFU.RCP64H R1, R1", &words);
    for (x, got) in words.iter().zip(got) {
        let want = high(one.div_r(double(*x), Round::TowardZero).value);
        assert_eq!(got, want, "1 / {x:08x}");
    }
    // y = 1/sqrt(x) cut off to 20 bits of fraction: y x y <= 1 < z x z with z one unit more; y x is exact.
    let got = apply("MUFU.RSQ64H R1, R1", &words);
    let mut roots = 0;
    for (x, y) in words.iter().zip(got) {
        let d = double(*x);
        if d.is_nan() || d.is_negative() && !d.is_zero() {
            assert_eq!(y, 0x7fff_ffff, "1 / sqrt({x:08x})");
        } else if d.is_zero() {
            assert_eq!(y, x & 0x8000_0000 | 0x7ff0_0000);
        } else if d.is_infinite() {
            assert_eq!(y, 0);
        } else {
            let times = |y: u32| (double(y) * d).value;
            let at_most = |y: u32| times(y).mul_r(double(y), Round::TowardPositive).value <= one;
            let above = |y: u32| times(y).mul_r(double(y), Round::TowardNegative).value > one;
            assert!(at_most(y) && above(y + 1), "1 / sqrt({x:08x}) = {y:08x}");
            roots += 1;
        }
    }
    println!("{} reciprocals, {roots} roots", words.len());
}
