//! Operations on integers against exact ones.

use super::bench::Bench;
use super::operands::{compare, eight, integer};
use warpsmith_testkit::Random;

#[test]
fn mul_and_mach_give_all_64_bits() {
    let mut r = Random(4);
    let mut n = 0;
    for _ in 0..500 {
        for kind in ["UD", "D"] {
            let s: [[u32; 8]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| integer(&mut r)));
            let text = format!(
                "mul(8) acc0<1>{kind} g2<8,8,1>{kind} g4<8,8,1>{kind}\n\
                 mach(8) g10<1>{kind} g2<8,8,1>{kind} g4<8,8,1>{kind} {{ align1 1Q AccWrEnable }}\n\
                 mov(8) g11<1>{kind} acc0<8,8,1>{kind}"
            );
            let mut bench = eight(&text, &s, None);
            bench.step().expect("mach");
            bench.step().expect("mov");
            for c in 0..8 {
                let wide = |x: u32| match kind {
                    "D" => i128::from(x as i32),
                    _ => i128::from(x),
                };
                let product = wide(s[0][c]) * wide(s[1][c]);
                let high = (product >> 32) as u32;
                assert_eq!(bench.dword(80 + c), high, "{kind} {:x?}", (s[0][c], s[1][c]));
                assert_eq!(bench.dword(88 + c), product as u32);
                n += 1;
            }
        }
    }
    println!("{n} products");
}

#[test]
fn integers_of_mixed_types_are_exact() {
    let mut r = Random(5);
    // Name, bytes, sign.
    let types = [("UD", 4, false), ("D", 4, true), ("UW", 2, false), ("W", 2, true), ("UB", 1, false), ("B", 1, true)];
    let read = |x: u32, (_, bytes, signed): (&str, u32, bool)| {
        let unused = 32 - 8 * bytes;
        match signed {
            true => i128::from((x << unused) as i32 >> unused),
            false => i128::from(x << unused >> unused),
        }
    };
    let range = |(_, bytes, signed): (&str, u32, bool)| {
        let bits = 8 * bytes;
        match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        }
    };
    let mut n = 0;
    for _ in 0..6000 {
        let (a, b, d) = (r.pick(&types), r.pick(&types), r.pick(&types));
        let op = r.pick(&["add", "mul", "avg", "and", "or", "xor", "shl", "shr", "asr", "sel.l"]);
        let sat = r.word() % 2 == 0 && !matches!(op, "and" | "or" | "xor");
        let modifier = |r: &mut Random| r.pick(&["", "-", "(abs)", "-(abs)"]);
        let (ma, mb) = (modifier(&mut r), modifier(&mut r));
        let apply = |m: &str, v: i128| {
            let v = if m.ends_with("(abs)") { v.abs() } else { v };
            if m.starts_with('-') {
                -v
            } else {
                v
            }
        };
        // A product of a dword has no saturation, and the dword comes first.
        if op == "mul" && a.1.max(b.1) == 4 && (a.1 != 4 || b.1 == 4 || sat) {
            continue;
        }
        let region = |t: (&str, u32, bool)| match t.1 {
            4 => "<8,8,1>",
            2 => "<16,8,2>",
            _ => "<32,8,4>",
        };
        // As wide as the execution type: that of the wider source, a word at least.
        let stride = (a.1.max(b.1).max(2) / d.1).max(1);
        let (name, condition) = op.split_once('.').unwrap_or((op, ""));
        let condition = if condition.is_empty() { "" } else { ".l" };
        let s = if sat { ".sat" } else { "" };
        let text = format!(
            "{name}{s}{condition}(8) g10<{stride}>{} {ma}g2{}{} {mb}g4{}{}",
            d.0,
            region(a),
            a.0,
            region(b),
            b.0
        );
        let sources: [[u32; 8]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| integer(&mut r)));
        let bench = eight(&text, &sources, None);
        for c in 0..8 {
            let x = apply(ma, read(sources[0][c], a));
            let y = apply(mb, read(sources[1][c], b));
            let count = (y & 31) as u32;
            let exact = match op {
                "add" => x + y,
                "mul" => x * y,
                "avg" => (x + y + 1) >> 1,
                "and" => x & y,
                "or" => x | y,
                "xor" => x ^ y,
                "shl" => x << count,
                "shr" => (x & ((1 << (8 * a.1.max(d.1))) - 1)) >> count,
                "asr" => x >> count,
                _ => x.min(y),
            };
            let (low, high) = range(d);
            let want = if sat { exact.clamp(low, high) } else { exact };
            let mask = ((1u64 << (8 * d.1)) - 1) as u32;
            let at = 320 + c * (stride * d.1) as usize;
            let found = (0..d.1 as usize).rev().fold(0, |v, n| v << 8 | u32::from(bench.byte(at + n)));
            assert_eq!(found, want as u32 & mask, "{text}: {x} {y}");
            n += 1;
        }
    }
    println!("{n} integers");
}

#[test]
fn bit_fields_follow_their_formulas() {
    let three = "g2<4,4,1>UD g4<4,4,1>UD g6<4,4,1>UD { align16 1Q }";
    let signed = three.replace("UD", "D");
    let field = |x: [u32; 3], v: i64| {
        let (w, o) = (x[0] & 31, x[1] & 31);
        match w {
            0 => 0,
            w if o + w < 32 => (v << (64 - o - w) >> (64 - w)) as u32,
            _ => (v >> o) as u32,
        }
    };
    let n = compare(&format!("bfe(8) g10<1>UD {three}"), 2000, integer, |x| {
        let (w, o) = (x[0] & 31, x[1] & 31);
        match w {
            0 => 0,
            w if o + w < 32 => x[2] >> o & ((1 << w) - 1),
            _ => x[2] >> o,
        }
    }) + compare(&format!("bfe(8) g10<1>D {signed}"), 2000, integer, |x| field(x, i64::from(x[2] as i32)))
        + compare(&format!("bfi2(8) g10<1>UD {three}"), 500, integer, |x| x[0] & x[1] | !x[0] & x[2])
        + compare("bfi1(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD", 1000, integer, |x| {
            (((1u64 << (x[0] & 31)) - 1) << (x[1] & 31)) as u32
        })
        + compare("lzd(8) g10<1>UD g2<8,8,1>UD", 500, integer, |x| x[0].leading_zeros())
        + compare("bfrev(8) g10<1>UD g2<8,8,1>UD", 300, integer, |x| x[0].reverse_bits())
        + compare("fbh(8) g10<1>UD g2<8,8,1>D", 500, integer, |x| {
            let s = x[0] as i32;
            match s ^ s >> 31 {
                0 => u32::MAX,
                m => m.leading_zeros(),
            }
        })
        + compare("math intdiv(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD", 1000, integer, |x| {
            x[0].checked_div(x[1]).unwrap_or(u32::MAX)
        })
        + compare("math intmod(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD", 1000, integer, |x| {
            x[0].checked_rem(x[1]).unwrap_or(x[0])
        })
        + compare("math intdiv(8) g10<1>D g2<8,8,1>D g4<8,8,1>D", 1000, integer, |x| {
            let (a, b) = (x[0] as i32, x[1] as i32);
            if b == 0 {
                u32::MAX
            } else {
                a.wrapping_div(b) as u32
            }
        });
    println!("{n} fields and quotients");
    let s = [[17, 7, 100, 0, 5, 9, 1, 2], [5, 0, 7, 3, 5, 2, 1, 1]];
    let bench = eight("math intdivmod(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD", &s, None);
    assert_eq!((bench.dword(80), bench.dword(88)), (3, 2));
    assert_eq!((bench.dword(81), bench.dword(89)), (u32::MAX, 7));
}

#[test]
fn conditions_and_vectors_of_immediates() {
    let s = [[0x7fff_ffff, 5, 0, 1, 2, 3, 4, 5], [1, 2, 0, 1, 2, 3, 4, 5]];
    let bench = eight("add.o.f0.0(8) g10<1>D g2<8,8,1>D g4<8,8,1>D", &s, None);
    assert_eq!(bench.flag(0), 1);
    let nan = [[0x7fc0_0000, 0x3f80_0000, 0, 0, 0, 0, 0, 0], [0; 8]];
    let bench = eight("add.u.f0.0(8) null<1>F g2<8,8,1>F g4<8,8,1>F", &nan, None);
    assert_eq!(bench.flag(0), 1);
    let huge = [[0x7f7f_ffff, 0x7f80_0000, 0, 0, 0, 0, 0, 0], [0x7f7f_ffff; 8]];
    let bench = eight("add.o.f0.0(8) g10<1>F g2<8,8,1>F g4<8,8,1>F", &huge, None);
    assert_eq!(bench.flag(0), 3);
    let bench = eight("mov(8) g10<1>W 0x87654321V", &[], None);
    let word = |bench: &Bench, c: usize| (bench.dword(80 + c / 2) >> (16 * (c % 2))) as i16;
    let found: Vec<i16> = (0..8).map(|c| word(&bench, c)).collect();
    assert_eq!(found, [1, 2, 3, 4, 5, 6, 7, -8]);
    let bench = eight("add(8) g10<1>UW g2<16,8,2>UW 0x87654321UV", &[[100; 8]], None);
    let found: Vec<i16> = (0..8).map(|c| word(&bench, c)).collect();
    assert_eq!(found, [101, 102, 103, 104, 105, 106, 107, 108]);
    // 1.0, -0.5, 0, 31.0.
    let bench = eight("mov(4) g10<1>F 0x7f00a030VF { align1 1N }", &[], None);
    let found: Vec<f32> = (0..4).map(|c| f32::from_bits(bench.dword(80 + c))).collect();
    assert_eq!(found, [1.0, -0.5, 0.0, 31.0]);
}
