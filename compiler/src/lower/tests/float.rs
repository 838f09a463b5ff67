//! Single precision: exact where the chip is, else within a bound.

use super::Row;
use crate::program::Options;
use warpsmith_isa::ChipInfo as Target;

fn f(x: u64) -> f32 {
    flush(f32::from_bits(x as u32))
}

/// The chip reads and writes denormals as zeros.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}

/// Bits of a result: one NaN, no denormals.
fn bits(x: f32) -> Option<u64> {
    let x = flush(x);
    Some(u64::from(if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }))
}

fn exact(body: &str, n: usize, want: impl Fn(f32, f32, f32) -> f32) {
    let at = |i: &[u64], k: usize| i.get(k).map_or(0.0, |x| f(*x));
    Row::new(body, &["f32", "f32", "f32"][..n], "f32").check(|i| bits(want(at(i, 0), at(i, 1), at(i, 2))));
}

/// Within `ulp` units in the last place of a double-precision result that is a normal float.
fn near(body: &str, n: usize, ulp: f64, want: impl Fn(f64, f64) -> f64) {
    let row = Row::new(body, &["f32", "f32"][..n], "f32");
    row.check(|i| {
        let at = |k: usize| i.get(k).map_or(0.0, |x| f64::from(f(*x)));
        let want = want(at(0), at(1));
        let size = want.abs();
        if !(1.2e-38..3.4e38).contains(&size) {
            return None;
        }
        let got = row.run(i);
        let unit = 2f64.powi(size.log2().floor() as i32 - 23);
        let error = (f64::from(f32::from_bits(got as u32)) - want).abs() / unit;
        assert!(error <= ulp, "{body} {i:x?}: {error} units off");
        Some(got)
    });
}

#[test]
fn sums_and_products() {
    exact("add.f32 %x, %a, %b;", 2, |a, b, _| a + b);
    exact("add.rn.ftz.f32 %x, %a, 0f40490FDB;", 1, |a, _, _| a + std::f32::consts::PI);
    exact("sub.ftz.f32 %x, %a, %b;", 2, |a, b, _| a - b);
    exact("mul.ftz.f32 %x, %a, %b;", 2, |a, b, _| a * b);
    exact("add.sat.f32 %x, %a, %b;", 2, |a, b, _| (a + b).clamp(0.0, 1.0) + 0.0);
    exact("mul.sat.f32 %x, %a, %b;", 2, |a, b, _| (a * b).clamp(0.0, 1.0) + 0.0);
    exact("min.f32 %x, %a, %b;", 2, |a, b, _| {
        if a == b && a == 0.0 {
            f32::from_bits(a.to_bits() | b.to_bits())
        } else {
            a.min(b)
        }
    });
    exact("max.f32 %x, %a, %b;", 2, |a, b, _| {
        if a == b && a == 0.0 {
            f32::from_bits(a.to_bits() & b.to_bits())
        } else {
            a.max(b)
        }
    });
    exact("neg.f32 %x, %a;", 1, |a, _, _| -a);
    exact("abs.f32 %x, %a;", 1, |a, _, _| a.abs());
}

#[test]
fn multiply_add_truncates_its_product_unless_strict() {
    let op = "fma.rn.ftz.f32 %x, %a, %b, %c;";
    let types = ["f32", "f32", "f32"];
    let model = warpsmith_model::num::float::mad;
    Row::new(op, &types, "f32").check(|i| Some(u64::from(model(i[0] as u32, i[1] as u32, i[2] as u32))));
    let strict = Options { strict_fp: true, ..Options::default() };
    Row::on(op, &types, "f32", &Target::unlimited(), &strict).check(|i| bits(flush(f(i[0]) * f(i[1])) + f(i[2])));
    let op = "mad.rn.ftz.f32 %x, %a, %b, %c;";
    Row::on(op, &types, "f32", &Target::unlimited(), &strict)
        .check(|i| Some(u64::from(model(i[0] as u32, i[1] as u32, i[2] as u32))));
}

#[test]
fn comparisons_of_all_kinds() {
    type Test = fn(f32, f32) -> bool;
    let relations: [(&str, Test); 8] = [
        ("eq", |a, b| a == b),
        ("ne", |a, b| a != b && !a.is_nan() && !b.is_nan()),
        ("lt", |a, b| a < b),
        ("le", |a, b| a <= b),
        ("gt", |a, b| a > b),
        ("ge", |a, b| a >= b),
        ("num", |a, b| !a.is_nan() && !b.is_nan()),
        ("nan", |a, b| a.is_nan() || b.is_nan()),
    ];
    for (name, holds) in relations {
        Row::new(&format!("setp.{name}.ftz.f32 %x, %a, %b;"), &["f32", "f32"], "pred")
            .check(|i| Some(u64::from(holds(f(i[0]), f(i[1])))));
        if name.len() == 2 {
            Row::new(&format!("setp.{name}u.f32 %x, %a, %b;"), &["f32", "f32"], "pred").check(|i| {
                let (a, b) = (f(i[0]), f(i[1]));
                Some(u64::from(holds(a, b) || a.is_nan() || b.is_nan()))
            });
        }
    }
    Row::new("slct.f32.f32 %x, %a, %b, %c;", &["f32", "f32", "f32"], "f32")
        .check(|i| Some(if f(i[2]) >= 0.0 { i[0] } else { i[1] }));
}

#[test]
fn bits_of_floats() {
    Row::new("copysign.f32 %x, %a, %b;", &["f32", "f32"], "f32")
        .check(|i| Some(i[0] & 0x8000_0000 | i[1] & 0x7fff_ffff));
    type Test = fn(f32) -> bool;
    let kinds: [(&str, Test); 6] = [
        ("finite", f32::is_finite),
        ("infinite", f32::is_infinite),
        ("number", |x| !x.is_nan()),
        ("notanumber", f32::is_nan),
        ("normal", f32::is_normal),
        ("subnormal", f32::is_subnormal),
    ];
    for (name, is) in kinds {
        Row::new(&format!("testp.{name}.f32 %x, %a;"), &["f32"], "pred")
            .check(|i| Some(u64::from(is(f32::from_bits(i[0] as u32)))));
    }
}

#[test]
fn quotients_roots_and_functions() {
    near("rcp.approx.ftz.f32 %x, %a;", 1, 2.0, |a, _| if a.abs() > 8e37 { f64::NAN } else { 1.0 / a });
    near("div.approx.ftz.f32 %x, %a, %b;", 2, 3.0, |a, b| if b.abs() > 8e37 { f64::NAN } else { a / b });
    // Products of scaled operands may lose what is too small for a float on the way.
    let scaled = |a: f64, b: f64| if a.abs() < 1e-36 { f64::NAN } else { a / b };
    near("div.full.ftz.f32 %x, %a, %b;", 2, 3.0, scaled);
    near("div.rn.f32 %x, %a, %b;", 2, 3.0, scaled);
    near("sqrt.approx.ftz.f32 %x, %a;", 1, 4.0, |a, _| a.sqrt());
    near("rsqrt.approx.ftz.f32 %x, %a;", 1, 3.0, |a, _| 1.0 / a.sqrt());
    let zero = Row::new("sqrt.approx.f32 %x, %a;", &["f32"], "f32");
    assert_eq!(zero.run(&[0]), 0);
    assert_eq!(zero.run(&[0x7f80_0000]), 0x7f80_0000);
    near("ex2.approx.ftz.f32 %x, %a;", 1, 8.0, |a, _| a.exp2());
    let absolute = |body: &str, bound: f64, want: fn(f64) -> f64| {
        let row = Row::new(body, &["f32"], "f32");
        for i in -400..400 {
            let a = i as f32 * 0.031;
            let got = f32::from_bits(row.run(&[u64::from(a.to_bits())]) as u32);
            assert!((f64::from(got) - want(f64::from(a))).abs() < bound, "{body} {a}");
        }
    };
    absolute("sin.approx.f32 %x, %a;", 2e-6, f64::sin);
    absolute("cos.approx.f32 %x, %a;", 2e-6, f64::cos);
    absolute("abs.f32 %x, %a; add.f32 %x, %x, 0f3F800000; lg2.approx.f32 %x, %x;", 2e-6, |a| (a.abs() + 1.0).log2());
}
