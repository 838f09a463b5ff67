//! Bit fields, counts, permutations.

use super::{int, Row};
use crate::program::Options;
use warpsmith_isa::ChipInfo as Target;
use warpsmith_isa::Tier;

/// `bfe` bit by bit, as the instruction's definition says.
fn bfe(a: u64, at: u32, len: u32, bits: u32, signed: bool) -> u64 {
    let (at, len) = (at & 0xff, len & 0xff);
    let fill = signed && len != 0 && a >> (at + len - 1).min(bits - 1) & 1 == 1;
    (0..bits).fold(0, |d, i| {
        let inside = i < len && at + i < bits;
        let bit = if inside { a >> (at + i) & 1 == 1 } else { fill };
        d | u64::from(bit) << i
    })
}

fn bfi(a: u64, b: u64, at: u32, len: u32, bits: u32) -> u64 {
    let (at, len) = (at & 0xff, len & 0xff);
    (0..len).fold(b, |d, i| {
        if at + i >= bits {
            return d;
        }
        d & !(1 << (at + i)) | (a >> i & 1) << (at + i)
    })
}

#[test]
fn fields() {
    for (ty, signed) in [("u32", false), ("s32", true)] {
        int(&format!("bfe.{ty} %x, %a, %b, %c;"), 3, |a, b, c| bfe(a.into(), b, c, 32, signed) as u32);
        for (at, len) in [(0, 8), (8, 8), (24, 8), (5, 3), (0, 0), (16, 16), (20, 30), (0, 32), (40, 4)] {
            int(&format!("bfe.{ty} %x, %a, {at}, {len};"), 1, |a, _, _| bfe(a.into(), at, len, 32, signed) as u32);
        }
    }
    for (at, len) in [(0, 8), (8, 8), (24, 8), (5, 3), (3, 0), (20, 30), (0, 32), (32, 4)] {
        int(&format!("bfi.b32 %x, %a, %b, {at}, {len};"), 2, |a, b, _| bfi(a.into(), b.into(), at, len, 32) as u32);
    }
    Row::new("bfi.b32 %x, %a, %b, %c, %d;", &["b32"; 4], "b32")
        .check(|i| Some(bfi(i[0], i[1], i[2] as u32, i[3] as u32, 32)));
    for (ty, signed) in [("u64", false), ("s64", true)] {
        Row::new(&format!("bfe.{ty} %x, %a, %b, %c;"), &["b64", "b32", "b32"], "b64")
            .check(|i| Some(bfe(i[0], i[1] as u32, i[2] as u32, 64, signed)));
        Row::new(&format!("bfe.{ty} %x, %a, 20, 30;"), &["b64"], "b64").check(|i| Some(bfe(i[0], 20, 30, 64, signed)));
    }
    Row::new("bfi.b64 %x, %a, %b, %c, %d;", &["b64", "b64", "b32", "b32"], "b64")
        .check(|i| Some(bfi(i[0], i[1], i[2] as u32, i[3] as u32, 64)));
}

#[test]
fn counts() {
    let mut tiny = Target::unlimited();
    tiny.tier = Tier::integer();
    for target in [Target::unlimited(), tiny] {
        let row = |body: &str, ty| Row::on(body, &[ty], "b32", &target, &Options::default());
        row("clz.b32 %x, %a;", "b32").check(|i| Some((i[0] as u32).leading_zeros().into()));
        row("clz.b64 %x, %a;", "b64").check(|i| Some(i[0].leading_zeros().into()));
        row("popc.b32 %x, %a;", "b32").check(|i| Some(i[0].count_ones().into()));
        row("popc.b64 %x, %a;", "b64").check(|i| Some(i[0].count_ones().into()));
        let place = |n: u32, zeros: u32| u64::from((n - 1).wrapping_sub(zeros));
        row("bfind.u32 %x, %a;", "b32").check(|i| Some(place(32, (i[0] as u32).leading_zeros())));
        row("bfind.u64 %x, %a;", "b64").check(|i| Some(place(64, i[0].leading_zeros())));
        row("bfind.s32 %x, %a;", "b32").check(|i| {
            let a = i[0] as i32;
            Some(place(32, (a ^ a >> 31).leading_zeros()))
        });
        row("bfind.shiftamt.u32 %x, %a;", "b32").check(|i| {
            let n = (i[0] as u32).leading_zeros();
            Some(if n == 32 { u32::MAX.into() } else { n.into() })
        });
    }
    int("brev.b32 %x, %a;", 1, |a, _, _| a.reverse_bits());
    Row::new("brev.b64 %x, %a;", &["b64"], "b64").check(|i| Some(i[0].reverse_bits()));
}

#[test]
fn funnels_and_masks() {
    let wide = |a: u32, b: u32| u64::from(b) << 32 | u64::from(a);
    int("shf.l.wrap.b32 %x, %a, %b, %c;", 3, |a, b, c| (wide(a, b) << (c & 31) >> 32) as u32);
    int("shf.r.wrap.b32 %x, %a, %b, %c;", 3, |a, b, c| (wide(a, b) >> (c & 31)) as u32);
    int("shf.l.clamp.b32 %x, %a, %b, %c;", 3, |a, b, c| (wide(a, b) << c.min(32) >> 32) as u32);
    int("shf.r.clamp.b32 %x, %a, %b, %c;", 3, |a, b, c| (wide(a, b) >> c.min(32)) as u32);
    for n in [0, 1, 13, 31, 32] {
        int(&format!("shf.l.wrap.b32 %x, %a, %a, {n};"), 1, |a, _, _| a.rotate_left(n));
    }
    let ones = |n: u32| 1u32.checked_shl(n).unwrap_or(0).wrapping_sub(1);
    int("bmsk.clamp.b32 %x, %a, %b;", 2, |a, b, _| ones(b).checked_shl(a).unwrap_or(0));
    int("bmsk.wrap.b32 %x, %a, %b;", 2, |a, b, _| ones(b & 31) << (a & 31));
    int("szext.wrap.s32 %x, %a, %b;", 2, |a, b, _| bfe(a.into(), 0, b & 31, 32, true) as u32);
    int("szext.clamp.u32 %x, %a, %b;", 2, |a, b, _| bfe(a.into(), 0, b.min(32), 32, false) as u32);
}

#[test]
fn permutations() {
    let pick = |a: u32, b: u32, s: u32| {
        let bytes = u64::from(b) << 32 | u64::from(a);
        (0..4).fold(0, |d, i| {
            let n = s >> (4 * i) & 15;
            let byte = (bytes >> (8 * (n & 7))) as u8;
            let byte = if n & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte };
            d | u32::from(byte) << (8 * i)
        })
    };
    int("prmt.b32 %x, %a, %b, %c;", 3, pick);
    for s in
        [0x3210, 0x7654, 0x0123, 0x4321, 0x5410, 0x7632, 0x7771, 0x3340, 0x0008, 0x9a31, 0x2105, 0x6420, 0x4440, 0x0321]
    {
        int(&format!("prmt.b32 %x, %a, %b, {s};"), 2, |a, b, _| pick(a, b, s));
        int(&format!("prmt.b32 %x, %a, 0, {s};"), 1, |a, _, _| pick(a, 0, s));
    }
    for (mode, table) in [
        ("f4e", [0x3210u32, 0x4321, 0x5432, 0x6543]),
        ("b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
        ("rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
        ("ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
        ("ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
        ("rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
    ] {
        for (c, s) in table.into_iter().enumerate() {
            int(&format!("prmt.b32.{mode} %x, %a, %b, {c};"), 2, |a, b, _| pick(a, b, s));
        }
    }
}

#[test]
fn logic_of_three() {
    for table in 0..=255u32 {
        let row = Row::new(&format!("lop3.b32 %x, %a, %b, %c, {table};"), &["b32"; 3], "b32");
        let (a, b, c) = (0xf0f0_1234u64, 0xcccc_5678u64, 0xaaaa_9abcu64);
        let want = (0..32).fold(0, |d, i| {
            let n = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);
            d | (u64::from(table) >> n & 1) << i
        });
        assert_eq!(row.run(&[a, b, c]), want, "table {table:#x}");
    }
}
