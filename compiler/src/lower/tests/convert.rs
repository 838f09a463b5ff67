//! Conversions in all directions.

use super::Row;
use crate::program::Options;
use warpsmith_isa::ChipInfo as Target;

/// Value of an operand of an integer type.
fn value(x: u64, ty: &str) -> i128 {
    match ty {
        "u8" => i128::from(x as u8),
        "s8" => i128::from(x as i8),
        "u16" => i128::from(x as u16),
        "s16" => i128::from(x as i16),
        "u32" => i128::from(x as u32),
        "s32" => i128::from(x as i32),
        "u64" => i128::from(x),
        _ => i128::from(x as i64),
    }
}

fn range(ty: &str) -> (i128, i128) {
    let n: u32 = ty[1..].parse().expect("a width");
    if ty.starts_with('s') {
        (-(1 << (n - 1)), (1 << (n - 1)) - 1)
    } else {
        (0, (1 << n) - 1)
    }
}

/// Register that holds a type: 8-bit values live in 16-bit or wider registers.
fn registers(ty: &str) -> Vec<&'static str> {
    match &ty[1..] {
        "8" => vec!["b16", "b32", "b64"],
        "16" => vec!["b16", "b32"],
        "32" => vec!["b32", "b64"],
        _ => vec!["b64"],
    }
}

const INTS: [&str; 8] = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];

fn masked(v: i128, reg: &str) -> u64 {
    match reg {
        "b16" => v as u16 as u64,
        "b32" => v as u32 as u64,
        _ => v as u64,
    }
}

#[test]
fn integers_wrap() {
    for from in INTS {
        for to in INTS {
            let source = if from == "u8" || from == "s8" { "b16" } else { registers(from)[0] };
            for reg in registers(to) {
                Row::new(&format!("cvt.{to}.{from} %x, %a;"), &[source], reg)
                    .check(|i| Some(masked(value(value(i[0], from) as u64, to), reg)));
            }
        }
    }
}

#[test]
fn integers_saturate() {
    for from in INTS {
        for to in INTS {
            let source = if from == "u8" || from == "s8" { "b16" } else { registers(from)[0] };
            let reg = registers(to)[0];
            let (low, high) = range(to);
            Row::new(&format!("cvt.sat.{to}.{from} %x, %a;"), &[source], reg)
                .check(|i| Some(masked(value(i[0], from).clamp(low, high), reg)));
        }
    }
}

fn flush(x: u64) -> f64 {
    let x = f32::from_bits(x as u32);
    f64::from(if x.is_subnormal() { 0.0 } else { x })
}

#[test]
fn floats_to_integers_clamp() {
    type Round = fn(f64) -> f64;
    let modes: [(&str, Round); 4] =
        [("rzi", f64::trunc), ("rmi", f64::floor), ("rpi", f64::ceil), ("rni", f64::round_ties_even)];
    for to in &INTS[2..] {
        for (mode, round) in modes {
            let reg = registers(to)[0];
            let (low, high) = range(to);
            let nan = if to.ends_with("64") { 1 << 63 } else { 0 };
            Row::new(&format!("cvt.{mode}.ftz.{to}.f32 %x, %a;"), &["f32"], reg).check(|i| {
                let x = flush(i[0]);
                if x.is_nan() {
                    return Some(nan);
                }
                let x = round(x);
                Some(masked((x as i128).clamp(low, high), reg))
            });
        }
    }
}

#[test]
fn integers_to_floats_round() {
    for from in &INTS[2..] {
        for mode in ["rn", "rz", "rm", "rp"] {
            let row = Row::on(
                &format!("cvt.{mode}.f32.{from} %x, %a;"),
                &[registers(from)[0]],
                "f32",
                &Target::unlimited(),
                &Options::default(),
            );
            row.check(|i| Some(u64::from(to_float(value(i[0], from), mode).to_bits())));
        }
    }
    Row::new("cvt.rn.f32.u8 %x, %a;", &["b16"], "f32").check(|i| Some(u64::from(f32::from(i[0] as u8).to_bits())));
    Row::new("cvt.rn.f32.s8 %x, %a;", &["b16"], "f32").check(|i| Some(u64::from(f32::from(i[0] as i8).to_bits())));
}

/// The float of an integer, rounded as said: candidates around the nearest one.
fn to_float(v: i128, mode: &str) -> f32 {
    let nearest = v as f32;
    let as_int = nearest as i128;
    let (below, above) = match as_int.cmp(&v) {
        std::cmp::Ordering::Equal => return nearest,
        std::cmp::Ordering::Less => (nearest, nearest.next_up()),
        std::cmp::Ordering::Greater => (nearest.next_down(), nearest),
    };
    match mode {
        "rm" => below,
        "rp" => above,
        "rz" if v < 0 => above,
        "rz" => below,
        _ => nearest,
    }
}

#[test]
fn floats_round_to_integral() {
    type Round = fn(f32) -> f32;
    let modes: [(&str, Round); 4] =
        [("rzi", f32::trunc), ("rmi", f32::floor), ("rpi", f32::ceil), ("rni", f32::round_ties_even)];
    for (mode, round) in modes {
        Row::new(&format!("cvt.{mode}.ftz.f32.f32 %x, %a;"), &["f32"], "f32").check(|i| {
            let x = f32::from_bits(i[0] as u32);
            if x.is_subnormal() {
                return Some(i[0] & 0x8000_0000);
            }
            let x = round(x);
            Some(u64::from(if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }))
        });
    }
    Row::new("cvt.sat.f32.f32 %x, %a;", &["f32"], "f32").check(|i| {
        let x = f32::from_bits(i[0] as u32);
        (!x.is_nan() && !x.is_subnormal()).then(|| u64::from((x.clamp(0.0, 1.0) + 0.0).to_bits()))
    });
}

#[test]
fn halves_are_stored_and_read() {
    let back = "cvt.rn.f16.f32 %x, %a;";
    let to = Row::new(back, &["f32"], "b16");
    let from = Row::new("cvt.f32.f16 %x, %a;", &["b16"], "f32");
    for (x, half) in [(1.0f32, 0x3c00), (-2.0, 0xc000), (65504.0, 0x7bff), (0.5, 0x3800)] {
        assert_eq!(to.run(&[u64::from(x.to_bits())]), half);
        assert_eq!(from.run(&[half | 0xabcd_0000]), u64::from(x.to_bits()));
    }
}
