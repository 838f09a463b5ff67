//! 32-, 16- and 8-bit integers.

use super::{int, Row, RELATIONS};
use crate::program::Options;
use warpsmith_isa::ChipInfo as Target;
use warpsmith_isa::Tier;

fn short(body: &str, n: usize, want: impl Fn(u16, u16, u16) -> u16) {
    let types = &["b16", "b16", "b16"][..n];
    let at = |i: &[u64], k: usize| i.get(k).map_or(0, |x| *x as u16);
    Row::new(body, types, "b16").check(|i| Some(u64::from(want(at(i, 0), at(i, 1), at(i, 2)))));
}

#[test]
fn sums_products_and_logic() {
    int("add.s32 %x, %a, %b;", 2, |a, b, _| a.wrapping_add(b));
    int("add.s32 %x, %a, -7;", 1, |a, _, _| a.wrapping_sub(7));
    int("sub.u32 %x, %a, %b;", 2, |a, b, _| a.wrapping_sub(b));
    int("mul.lo.s32 %x, %a, %b;", 2, |a, b, _| a.wrapping_mul(b));
    int("mul.hi.u32 %x, %a, %b;", 2, |a, b, _| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    int("mul.hi.s32 %x, %a, %b;", 2, |a, b, _| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32);
    int("mad.lo.s32 %x, %a, %b, %c;", 3, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    int("mad.hi.u32 %x, %a, %b, %c;", 3, |a, b, c| (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c));
    int("mul24.lo.u32 %x, %a, %b;", 2, |a, b, _| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff));
    int("mul24.hi.s32 %x, %a, %b;", 2, |a, b, _| {
        let s = |x: u32| i64::from((x << 8) as i32 >> 8);
        ((s(a) * s(b)) >> 16) as u32
    });
    int("mad24.lo.s32 %x, %a, %b, %c;", 3, |a, b, c| {
        let s = |x: u32| (x << 8) as i32 >> 8;
        s(a).wrapping_mul(s(b)).wrapping_add(c as i32) as u32
    });
    int("sad.u32 %x, %a, %b, %c;", 3, |a, b, c| a.abs_diff(b).wrapping_add(c));
    int("sad.s32 %x, %a, %b, %c;", 3, |a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c));
    int("and.b32 %x, %a, %b;", 2, |a, b, _| a & b);
    int("or.b32 %x, %a, %b;", 2, |a, b, _| a | b);
    int("xor.b32 %x, %a, %b;", 2, |a, b, _| a ^ b);
    int("not.b32 %x, %a;", 1, |a, _, _| !a);
    int("cnot.b32 %x, %a;", 1, |a, _, _| u32::from(a == 0));
    int("neg.s32 %x, %a;", 1, |a, _, _| a.wrapping_neg());
    int("abs.s32 %x, %a;", 1, |a, _, _| (a as i32).wrapping_abs() as u32);
    int("min.s32 %x, %a, %b;", 2, |a, b, _| (a as i32).min(b as i32) as u32);
    int("max.u32 %x, %a, %b;", 2, |a, b, _| a.max(b));
    int("add.sat.s32 %x, %a, %b;", 2, |a, b, _| (a as i32).saturating_add(b as i32) as u32);
    int("sub.sat.s32 %x, %a, %b;", 2, |a, b, _| (a as i32).saturating_sub(b as i32) as u32);
    int("slct.b32.s32 %x, %a, %b, %c;", 3, |a, b, c| if (c as i32) < 0 { b } else { a });
}

#[test]
fn shifts_clamp_their_counts() {
    int("shl.b32 %x, %a, %b;", 2, |a, b, _| a.checked_shl(b).unwrap_or(0));
    int("shr.u32 %x, %a, %b;", 2, |a, b, _| a.checked_shr(b).unwrap_or(0));
    int("shr.s32 %x, %a, %b;", 2, |a, b, _| (a as i32 >> b.min(31)) as u32);
    int("shr.s32 %x, %a, 40;", 1, |a, _, _| (a as i32 >> 31) as u32);
    int("shl.b32 %x, %a, 32;", 1, |_, _, _| 0);
}

#[test]
fn comparisons_and_selections() {
    for (name, holds) in RELATIONS {
        for (ty, reg) in [("s32", "b32"), ("u32", "b32"), ("s16", "b16"), ("u16", "b16")] {
            let extend = move |x: u64| match ty {
                "s32" => i128::from(x as i32),
                "s16" => i128::from(x as i16),
                _ => i128::from(x),
            };
            Row::new(&format!("setp.{name}.{ty} %x, %a, %b;"), &[reg, reg], "pred")
                .check(|i| Some(u64::from(holds(extend(i[0]), extend(i[1])))));
        }
    }
    Row::new("setp.lo.u32 %x, %a, 100;", &["b32"], "pred").check(|i| Some(u64::from(i[0] < 100)));
    Row::new("setp.lt.and.s32 %x, %a, %b, !%c;", &["b32", "b32", "pred"], "pred")
        .check(|i| Some(u64::from((i[0] as i32) < i[1] as i32 && i[2] == 0)));
    Row::new("setp.lt.or.s32 %q0|%q1, %a, %b, %c; xor.pred %x, %q0, %q1;", &["b32", "b32", "pred"], "pred").check(
        |i| {
            let less = (i[0] as i32) < i[1] as i32;
            Some(u64::from((less || i[2] == 1) != (!less || i[2] == 1)))
        },
    );
    int("set.gt.u32.s32 %x, %a, %b;", 2, |a, b, _| if a as i32 > b as i32 { u32::MAX } else { 0 });
    int("set.gt.f32.u32 %x, %a, %b;", 2, |a, b, _| if a > b { 1f32.to_bits() } else { 0 });
    Row::new("selp.b32 %x, %a, %b, %c;", &["b32", "b32", "pred"], "b32")
        .check(|i| Some(if i[2] == 1 { i[0] } else { i[1] }));
    Row::new("selp.b16 %x, %a, 5, %c;", &["b16", "b16", "pred"], "b16")
        .check(|i| Some(if i[2] == 1 { i[0] } else { 5 }));
    Row::new("and.pred %q0, %a, %b; not.pred %x, %q0;", &["pred", "pred"], "pred").check(|i| Some(1 ^ i[0] & i[1]));
}

#[test]
fn carries_between_instructions() {
    let wide = |i: &[u64]| (i[0], i[1]);
    let split = ".reg .b32 %l<4>; .reg .b32 %h<4>; mov.b64 {%l0, %h0}, %a; mov.b64 {%l1, %h1}, %b;";
    let both =
        |low: &str, high: &str| format!("{split} {low} %l2, %l0, %l1; {high} %h2, %h0, %h1; mov.b64 %x, {{%l2, %h2}};");
    Row::new(&both("add.cc.u32", "addc.u32"), &["b64", "b64"], "b64").check(|i| {
        let (a, b) = wide(i);
        Some(a.wrapping_add(b))
    });
    Row::new(&both("sub.cc.s32", "subc.s32"), &["b64", "b64"], "b64").check(|i| {
        let (a, b) = wide(i);
        Some(a.wrapping_sub(b))
    });
    Row::new("add.cc.u64 %x, %a, %b; addc.u64 %x, 0, 0;", &["b64", "b64"], "b64")
        .check(|i| Some(u64::from(i[0].checked_add(i[1]).is_none())));
}

#[test]
fn narrow_integers_ignore_upper_bits() {
    short("add.s16 %x, %a, %b;", 2, |a, b, _| a.wrapping_add(b));
    short("sub.s16 %x, %a, %b;", 2, |a, b, _| a.wrapping_sub(b));
    short("mul.lo.s16 %x, %a, %b;", 2, |a, b, _| a.wrapping_mul(b));
    short("mul.hi.u16 %x, %a, %b;", 2, |a, b, _| ((u32::from(a) * u32::from(b)) >> 16) as u16);
    short("mul.hi.s16 %x, %a, %b;", 2, |a, b, _| ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u16);
    short("mad.lo.u16 %x, %a, %b, %c;", 3, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    short("and.b16 %x, %a, %b;", 2, |a, b, _| a & b);
    short("xor.b16 %x, %a, -1;", 1, |a, _, _| !a);
    short("not.b16 %x, %a;", 1, |a, _, _| !a);
    short("neg.s16 %x, %a;", 1, |a, _, _| a.wrapping_neg());
    short("abs.s16 %x, %a;", 1, |a, _, _| (a as i16).wrapping_abs() as u16);
    short("min.s16 %x, %a, %b;", 2, |a, b, _| (a as i16).min(b as i16) as u16);
    short("max.u16 %x, %a, %b;", 2, |a, b, _| a.max(b));
    for n in [0, 1, 5, 15, 16, 31, 40] {
        short(&format!("shl.b16 %x, %a, {n};"), 1, |a, _, _| a.checked_shl(n).unwrap_or(0));
        short(&format!("shr.u16 %x, %a, {n};"), 1, |a, _, _| a.checked_shr(n).unwrap_or(0));
        short(&format!("shr.s16 %x, %a, {n};"), 1, |a, _, _| (a as i16 >> n.min(15)) as u16);
    }
    for (ty, signed) in [("s16", true), ("u16", false)] {
        let wide = move |x: u64| if signed { x as i16 as i32 } else { i32::from(x as u16) };
        Row::new(&format!("mul.wide.{ty} %x, %a, %b;"), &["b16", "b16"], "b32")
            .check(|i| Some(u64::from(wide(i[0]).wrapping_mul(wide(i[1])) as u32)));
        Row::new(&format!("mad.wide.{ty} %x, %a, %b, %c;"), &["b16", "b16", "b32"], "b32").check(|i| {
            let p = wide(i[0]).wrapping_mul(wide(i[1]));
            Some(u64::from(p.wrapping_add(i[2] as i32) as u32))
        });
    }
    Row::new("mov.b32 {%x, _}, %a;", &["b32"], "b16").check(|i| Some(i[0] & 0xffff));
    Row::new("mov.b32 {_, %x}, %a;", &["b32"], "b16").check(|i| Some(i[0] >> 16));
    Row::new("mov.b32 %x, {%a, %b};", &["b16", "b16"], "b32").check(|i| Some(i[0] | i[1] << 16));
    Row::new("mov.b64 %x, {%a, %b, %c, %d};", &["b16"; 4], "b64")
        .check(|i| Some(i[0] | i[1] << 16 | i[2] << 32 | i[3] << 48));
}

fn targets() -> [Target; 2] {
    let mut tiny = Target::unlimited();
    tiny.tier = Tier::integer();
    tiny.name = "tiny".into();
    [Target::unlimited(), tiny]
}

#[test]
fn division_of_32_bits() {
    for target in targets() {
        let row = |body: &str| Row::on(body, &["b32", "b32"], "b32", &target, &Options::default());
        let unsigned =
            |f: fn(u32, u32) -> u32| move |i: &[u64]| (i[1] != 0).then(|| u64::from(f(i[0] as u32, i[1] as u32)));
        let signed = |f: fn(i32, i32) -> i32| {
            move |i: &[u64]| (i[1] != 0).then(|| u64::from(f(i[0] as i32, i[1] as i32) as u32))
        };
        row("div.u32 %x, %a, %b;").check(unsigned(|a, b| a / b));
        row("rem.u32 %x, %a, %b;").check(unsigned(|a, b| a % b));
        row("div.s32 %x, %a, %b;").check(signed(i32::wrapping_div));
        row("rem.s32 %x, %a, %b;").check(signed(i32::wrapping_rem));
        // Dividends known to be small take one estimate where there are special functions.
        row("and.b32 %t0, %a, 0xfffff; div.u32 %x, %t0, %b;").check(unsigned(|a, b| (a & 0xf_ffff) / b));
        row("and.b32 %t0, %a, 0xffff; and.b32 %t1, %b, 1023; add.u32 %t1, %t1, 1; rem.s32 %x, %t0, %t1;")
            .check(|i| Some((i[0] & 0xffff) % ((i[1] & 1023) + 1)));
    }
}

#[test]
fn division_of_16_bits() {
    for target in targets() {
        let row = |body: &str| Row::on(body, &["b16", "b16"], "b16", &target, &Options::default());
        row("div.u16 %x, %a, %b;").check(|i| (i[1] != 0).then(|| i[0] / i[1]));
        row("rem.u16 %x, %a, %b;").check(|i| (i[1] != 0).then(|| i[0] % i[1]));
        let s = |x: u64| x as i16;
        row("div.s16 %x, %a, %b;").check(|i| (i[1] != 0).then(|| u64::from(s(i[0]).wrapping_div(s(i[1])) as u16)));
        row("rem.s16 %x, %a, %b;").check(|i| (i[1] != 0).then(|| u64::from(s(i[0]).wrapping_rem(s(i[1])) as u16)));
    }
}

/// The quotient of small dividends, near every multiple of a divisor.
#[test]
fn short_division_at_the_edges() {
    let row = Row::new("and.b32 %t0, %a, 0xfffff; div.u32 %x, %t0, %b;", &["b32", "b32"], "b32");
    for b in (1u64..70).chain((70..1 << 20).step_by(40_009)) {
        for q in (0..(1u64 << 20) / b).rev().take(3).chain([1, 2]) {
            for a in [(q * b).saturating_sub(1), q * b, q * b + 1, (q + 1) * b - 1] {
                let a = a & 0xf_ffff;
                assert_eq!(row.run(&[a, b]), a / b, "{a} / {b}");
            }
        }
    }
}
