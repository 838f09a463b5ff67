//! 64-bit integers.

use super::{Row, RELATIONS};
use crate::program::Options;
use warpsmith_isa::ChipInfo as Target;
use warpsmith_isa::Tier;

fn wide(body: &str, n: usize, want: impl Fn(u64, u64, u64) -> u64) {
    let at = |i: &[u64], k: usize| i.get(k).copied().unwrap_or(0);
    Row::new(body, &["b64", "b64", "b64"][..n], "b64").check(|i| Some(want(at(i, 0), at(i, 1), at(i, 2))));
}

#[test]
fn sums_products_and_logic() {
    wide("add.s64 %x, %a, %b;", 2, |a, b, _| a.wrapping_add(b));
    wide("add.s64 %x, %a, 0x123456789;", 1, |a, _, _| a.wrapping_add(0x1_2345_6789));
    wide("add.s64 %a, %a, %a; add.s64 %x, %a, %b;", 2, |a, b, _| a.wrapping_mul(2).wrapping_add(b));
    wide("sub.s64 %x, %a, %b;", 2, |a, b, _| a.wrapping_sub(b));
    wide("mul.lo.s64 %x, %a, %b;", 2, |a, b, _| a.wrapping_mul(b));
    wide("mul.lo.s64 %a, %a, %b; mov.b64 %x, %a;", 2, |a, b, _| a.wrapping_mul(b));
    wide("mul.hi.u64 %x, %a, %b;", 2, |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    wide("mul.hi.s64 %x, %a, %b;", 2, |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64);
    wide("mad.lo.s64 %x, %a, %b, %c;", 3, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    wide("neg.s64 %x, %a;", 1, |a, _, _| a.wrapping_neg());
    wide("abs.s64 %x, %a;", 1, |a, _, _| (a as i64).wrapping_abs() as u64);
    wide("not.b64 %x, %a;", 1, |a, _, _| !a);
    wide("and.b64 %x, %a, %b;", 2, |a, b, _| a & b);
    wide("or.b64 %x, %a, %b;", 2, |a, b, _| a | b);
    wide("xor.b64 %x, %a, %b;", 2, |a, b, _| a ^ b);
    wide("min.s64 %x, %a, %b;", 2, |a, b, _| (a as i64).min(b as i64) as u64);
    wide("max.s64 %x, %a, %b;", 2, |a, b, _| (a as i64).max(b as i64) as u64);
    wide("min.u64 %x, %a, %b;", 2, |a, b, _| a.min(b));
    wide("max.u64 %x, %a, %b;", 2, |a, b, _| a.max(b));
}

#[test]
fn products_of_words() {
    let words = ["b32", "b32", "b64"];
    Row::new("mul.wide.u32 %x, %a, %b;", &words[..2], "b64").check(|i| Some(i[0] * i[1]));
    let s = |x: u64| i64::from(x as i32);
    Row::new("mul.wide.s32 %x, %a, %b;", &words[..2], "b64").check(|i| Some(s(i[0]).wrapping_mul(s(i[1])) as u64));
    Row::new("mad.wide.s32 %x, %a, %b, %c;", &words, "b64")
        .check(|i| Some((s(i[0]) * s(i[1])).wrapping_add(i[2] as i64) as u64));
    Row::new("mad.wide.u32 %x, %a, %b, %c;", &words, "b64").check(|i| Some((i[0] * i[1]).wrapping_add(i[2])));
}

#[test]
fn shifts() {
    type Shift = fn(u64, u32) -> u64;
    let shifts: [(&str, Shift); 3] = [
        ("shl.b64", |a, n| a.checked_shl(n).unwrap_or(0)),
        ("shr.u64", |a, n| a.checked_shr(n).unwrap_or(0)),
        ("shr.s64", |a, n| (a as i64 >> n.min(63)) as u64),
    ];
    for (name, f) in shifts {
        Row::new(&format!("{name} %x, %a, %b;"), &["b64", "b32"], "b64").check(|i| Some(f(i[0], i[1] as u32)));
        for n in [0, 1, 7, 31, 32, 33, 63, 64, 100] {
            wide(&format!("{name} %x, %a, {n};"), 1, |a, _, _| f(a, n));
        }
    }
}

#[test]
fn comparisons() {
    for (name, holds) in RELATIONS {
        for ty in ["s64", "u64"] {
            let value = move |x: u64| if ty == "s64" { i128::from(x as i64) } else { i128::from(x) };
            Row::new(&format!("setp.{name}.{ty} %x, %a, %b;"), &["b64", "b64"], "pred")
                .check(|i| Some(u64::from(holds(value(i[0]), value(i[1])))));
            for c in [0u64, 5, 1 << 40, u64::MAX] {
                Row::new(&format!("setp.{name}.{ty} %x, %a, {c};"), &["b64"], "pred")
                    .check(|i| Some(u64::from(holds(value(i[0]), value(c)))));
            }
        }
    }
    Row::new("selp.b64 %x, %a, %b, %c;", &["b64", "b64", "pred"], "b64")
        .check(|i| Some(if i[2] == 1 { i[0] } else { i[1] }));
}

#[test]
fn moves_of_halves() {
    wide(".reg .b32 %l, %h; mov.b64 {%l, %h}, %a; mov.b64 %x, {%h, %l};", 1, |a, _, _| a.rotate_left(32));
    wide(".reg .b32 %l, %h; mov.b64 {%l, _}, %a; mov.b64 {_, %h}, %b; mov.b64 %x, {%l, %h};", 2, |a, b, _| {
        a & 0xffff_ffff | b & 0xffff_ffff_0000_0000
    });
}

#[test]
fn division() {
    let mut tiny = Target::unlimited();
    tiny.tier = Tier::integer();
    for target in [Target::unlimited(), tiny] {
        let row = |body: &str| Row::on(body, &["b64", "b64"], "b64", &target, &Options::default());
        row("div.u64 %x, %a, %b;").check(|i| i[0].checked_div(i[1]));
        row("rem.u64 %x, %a, %b;").check(|i| i[0].checked_rem(i[1]));
        row("div.s64 %x, %a, %b;").check(|i| (i[1] != 0).then(|| (i[0] as i64).wrapping_div(i[1] as i64) as u64));
        row("rem.s64 %x, %a, %b;").check(|i| (i[1] != 0).then(|| (i[0] as i64).wrapping_rem(i[1] as i64) as u64));
    }
}
