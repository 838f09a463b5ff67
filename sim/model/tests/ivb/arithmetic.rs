//! Operations against references of their own: exact integers, floats of the host and of LLVM.

use super::bench::{code, Bench, Random};
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};

/// Floats with every exponent that matters, and the special ones.
fn float(r: &mut Random) -> u32 {
    let special = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        1,
        0x807f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
        0x3fff_ffff,
    ];
    match r.next() % 4 {
        0 => r.one(&special),
        1 => r.next(),
        // Near 1, so that sums cancel and products stay.
        _ => r.next() & 0x80ff_ffff | 0x3e00_0000 + (r.next() % 8 << 23),
    }
}

fn integer(r: &mut Random) -> u32 {
    let corners = [
        0,
        1,
        2,
        31,
        32,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        u32::MAX,
    ];
    match r.next() % 3 {
        0 => r.one(&corners),
        1 => r.next() >> (r.next() % 32),
        _ => r.next(),
    }
}

/// A denormal as the zero of its sign; the NaN.
fn canonical(x: f32) -> u32 {
    match x {
        x if x.is_nan() => 0x7fc0_0000,
        x if x.is_subnormal() => x.to_bits() & 0x8000_0000,
        x => x.to_bits(),
    }
}

fn flushed(x: u32) -> f32 {
    match f32::from_bits(x) {
        f if f.is_subnormal() => f32::from_bits(x & 0x8000_0000),
        f => f,
    }
}

/// One instruction on eight channels; sources in g2, g4, g6 and accumulators, the result in g10.
fn eight(text: &str, sources: &[[u32; 8]], accumulators: Option<[u64; 8]>) -> Bench {
    let mut bench = Bench::new(8, &code(text));
    for (s, words) in sources.iter().enumerate() {
        for (n, w) in words.iter().enumerate() {
            bench.set_dword(16 + 16 * s + n, *w);
        }
    }
    for (n, a) in accumulators.into_iter().flatten().enumerate() {
        bench.set_accumulator(n, a);
    }
    bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
    bench
}

/// Compares an instruction of three sources or fewer with a function of one channel.
fn compare(
    text: &str,
    rounds: u32,
    operand: fn(&mut Random) -> u32,
    want: impl Fn([u32; 3]) -> u32,
) -> u32 {
    let mut r = Random::new(text.len() as u64 * 31 + 5);
    for _ in 0..rounds {
        let s: [[u32; 8]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| operand(&mut r)));
        let bench = eight(text, &s, None);
        for n in 0..8 {
            let one = [s[0][n], s[1][n], s[2][n]];
            let (found, want) = (bench.dword(80 + n), want(one));
            assert_eq!(
                found, want,
                "{text}: {one:x?} gives {found:#x}, not {want:#x}"
            );
        }
    }
    rounds * 8
}

#[test]
fn floats_round_as_the_host_does() {
    let two = "g2<8,8,1>F g4<8,8,1>F";
    let three = "g2<4,4,1>F g4<4,4,1>F g6<4,4,1>F";
    let f = |op: fn(f32, f32, f32) -> f32| {
        move |x: [u32; 3]| canonical(op(flushed(x[0]), flushed(x[1]), flushed(x[2])))
    };
    // Each step of a chain is flushed.
    fn flush(x: f32) -> f32 {
        flushed(x.to_bits())
    }
    let n = compare(
        &format!("add(8) g10<1>F {two}"),
        2000,
        float,
        f(|a, b, _| a + b),
    ) + compare(
        &format!("mul(8) g10<1>F {two}"),
        2000,
        float,
        f(|a, b, _| a * b),
    ) + compare(
        &format!("mad(8) g10<1>F {three} {{ align16 1Q }}"),
        2000,
        float,
        f(|a, b, c| b.mul_add(c, a)),
    ) + compare(
        &format!("lrp(8) g10<1>F {three} {{ align16 1Q }}"),
        2000,
        float,
        f(|a, b, c| flush(a * b) + flush(flush(1.0 - a) * c)),
    ) + compare(
        "rndd(8) g10<1>F g2<8,8,1>F",
        1000,
        float,
        f(|a, _, _| a.floor()),
    ) + compare(
        "rndz(8) g10<1>F g2<8,8,1>F",
        1000,
        float,
        f(|a, _, _| a.trunc()),
    ) + compare(
        "rnde(8) g10<1>F g2<8,8,1>F",
        1000,
        float,
        f(|a, _, _| a.round_ties_even()),
    ) + compare(
        "rndu(8) g10<1>F g2<8,8,1>F",
        1000,
        float,
        f(|a, _, _| if a == a.floor() { a } else { a.floor() + 1.0 }),
    ) + compare(
        "line(8) g10<1>F g2<0,1,0>F g4<8,8,1>F",
        0,
        float,
        f(|a, _, _| a),
    );
    println!("{n} floats");
}

#[test]
fn accumulators_take_part() {
    let mut r = Random::new(3);
    let mut n = 0;
    for _ in 0..500 {
        let s: [[u32; 8]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| float(&mut r)));
        let acc: [u64; 8] = std::array::from_fn(|_| float(&mut r).into());
        let text = "mac(8) g10<1>F g2<8,8,1>F g4<8,8,1>F { align1 1Q AccWrEnable }";
        let bench = eight(text, &s, Some(acc));
        for c in 0..8 {
            let product = flushed(s[0][c]) * flushed(s[1][c]);
            let sum = flushed(product.to_bits()) + flushed(acc[c] as u32);
            assert_eq!(bench.dword(80 + c), canonical(sum));
            assert_eq!(bench.accumulator(c), u64::from(canonical(sum)));
            n += 1;
        }
        // Words: mac adds to an integer.
        let acc: [u64; 8] = std::array::from_fn(|_| integer(&mut r).into());
        let words = [s[0].map(|x| x >> 3), s[1].map(|x| x >> 5)];
        let text = "mac.sat(8) g10<1>D g2<16,8,2>W g4<16,8,2>UW";
        let bench = eight(text, &words, Some(acc));
        for c in 0..8 {
            let product = i64::from(words[0][c] as i16) * i64::from(words[1][c] as u16);
            let sum = (product + acc[c] as i64).clamp(i32::MIN.into(), i32::MAX.into());
            assert_eq!(bench.dword(80 + c), sum as u32);
            n += 1;
        }
    }
    println!("{n} sums");
}

#[test]
fn mul_and_mach_give_all_64_bits() {
    let mut r = Random::new(4);
    let mut n = 0;
    for _ in 0..500 {
        for kind in ["UD", "D"] {
            let s: [[u32; 8]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| integer(&mut r)));
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
                assert_eq!(
                    bench.dword(80 + c),
                    high,
                    "{kind} {:x?}",
                    (s[0][c], s[1][c])
                );
                assert_eq!(bench.dword(88 + c), product as u32);
                n += 1;
            }
        }
    }
    println!("{n} products");
}

#[test]
fn integers_of_mixed_types_are_exact() {
    let mut r = Random::new(5);
    // Name, bytes, sign.
    let types = [
        ("UD", 4, false),
        ("D", 4, true),
        ("UW", 2, false),
        ("W", 2, true),
        ("UB", 1, false),
        ("B", 1, true),
    ];
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
        let (a, b, d) = (r.one(&types), r.one(&types), r.one(&types));
        let op = r.one(&[
            "add", "mul", "avg", "and", "or", "xor", "shl", "shr", "asr", "sel.l",
        ]);
        let sat = r.next() % 2 == 0 && !matches!(op, "and" | "or" | "xor");
        let modifier = |r: &mut Random| r.one(&["", "-", "(abs)", "-(abs)"]);
        let (ma, mb) = (modifier(&mut r), modifier(&mut r));
        let apply = |m: &str, v: i128| {
            let v = if m.ends_with("(abs)") { v.abs() } else { v };
            if m.starts_with('-') {
                -v
            } else {
                v
            }
        };
        if op == "mul" && a.1 == 4 && b.1 == 4 {
            continue;
        }
        let region = |t: (&str, u32, bool)| match t.1 {
            4 => "<8,8,1>",
            2 => "<16,8,2>",
            _ => "<32,8,4>",
        };
        let stride = 4 / d.1;
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
        let sources: [[u32; 8]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| integer(&mut r)));
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
            let found = bench.dword(80 + c) & mask;
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
    }) + compare(&format!("bfe(8) g10<1>D {signed}"), 2000, integer, |x| {
        field(x, i64::from(x[2] as i32))
    }) + compare(&format!("bfi2(8) g10<1>UD {three}"), 500, integer, |x| {
        x[0] & x[1] | !x[0] & x[2]
    }) + compare(
        "bfi1(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD",
        1000,
        integer,
        |x| ((1u64 << (x[0] & 31)) - 1 << (x[1] & 31)) as u32,
    ) + compare("lzd(8) g10<1>UD g2<8,8,1>UD", 500, integer, |x| {
        x[0].leading_zeros()
    }) + compare("bfrev(8) g10<1>UD g2<8,8,1>UD", 300, integer, |x| {
        x[0].reverse_bits()
    }) + compare("fbh(8) g10<1>UD g2<8,8,1>D", 500, integer, |x| {
        let s = x[0] as i32;
        match s ^ s >> 31 {
            0 => u32::MAX,
            m => m.leading_zeros(),
        }
    }) + compare(
        "math intdiv(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD",
        1000,
        integer,
        |x| x[0].checked_div(x[1]).unwrap_or(u32::MAX),
    ) + compare(
        "math intmod(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD",
        1000,
        integer,
        |x| x[0].checked_rem(x[1]).unwrap_or(x[0]),
    ) + compare(
        "math intdiv(8) g10<1>D g2<8,8,1>D g4<8,8,1>D",
        1000,
        integer,
        |x| {
            let (a, b) = (x[0] as i32, x[1] as i32);
            if b == 0 {
                u32::MAX
            } else {
                a.wrapping_div(b) as u32
            }
        },
    );
    println!("{n} fields and quotients");
    let s = [[17, 7, 100, 0, 5, 9, 1, 2], [5, 0, 7, 3, 5, 2, 1, 1]];
    let bench = eight(
        "math intdivmod(8) g10<1>UD g2<8,8,1>UD g4<8,8,1>UD",
        &s,
        None,
    );
    assert_eq!((bench.dword(80), bench.dword(88)), (3, 2));
    assert_eq!((bench.dword(81), bench.dword(89)), (u32::MAX, 7));
}

#[test]
fn halves_convert_as_llvm_does() {
    let n = compare("f32to16(8) g10<2>W g2<8,8,1>F", 4000, float, |x| {
        let x = flushed(x[0]).to_bits();
        let half: Half = Single::from_bits(x.into()).convert(&mut false).value;
        match half.is_nan() {
            true => 0x7e00,
            false => half.to_bits() as u32,
        }
    });
    let mut all = 0;
    for start in (0..0x1_0000u32).step_by(8) {
        let s = [std::array::from_fn(|c| start + c as u32)];
        let bench = eight("f16to32(8) g10<1>F g2<16,8,2>UW", &s, None);
        for c in 0..8 {
            let half = Half::from_bits((start + c).into());
            let single: Single = half.convert(&mut false).value;
            let want = match single.is_nan() {
                true => 0x7fc0_0000,
                false => single.to_bits() as u32,
            };
            assert_eq!(bench.dword(80 + c as usize), want, "{:#x}", start + c);
            all += 1;
        }
    }
    println!("{n} to halves, {all} from halves");
}

#[test]
fn groups_of_four_and_planes() {
    let mut r = Random::new(6);
    fn flush(x: f32) -> f32 {
        flushed(x.to_bits())
    }
    for _ in 0..500 {
        let s: [[u32; 8]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| float(&mut r)));
        let f = |s: [u32; 8], n: usize| flushed(s[n]);
        for (name, terms, one) in [
            ("dp4", 4, false),
            ("dp3", 3, false),
            ("dp2", 2, false),
            ("dph", 3, true),
        ] {
            for (a, b, mode) in [
                ("g2<8,8,1>F", "g4<8,8,1>F", "align1"),
                ("g2<4>F", "g4<4>F", "align16"),
            ] {
                let text = format!("{name}(8) g10<1>F {a} {b} {{ {mode} 1Q }}");
                let bench = eight(&text, &s, None);
                for c in 0..8 {
                    let g = c / 4 * 4;
                    let product = |k: usize| flush(f(s[0], g + k) * f(s[1], g + k));
                    let mut sum = product(0);
                    for k in 1..terms {
                        sum = flush(sum + product(k));
                    }
                    if one {
                        sum += f(s[1], g + 3);
                    }
                    assert_eq!(bench.dword(80 + c), canonical(sum), "{text}");
                }
            }
        }
        let bench = eight("line(8) g10<1>F g2.4<0,1,0>F g4<8,8,1>F", &s, None);
        for c in 0..8 {
            let want = f(s[0], 4).mul_add(f(s[1], c), f(s[0], 7));
            assert_eq!(bench.dword(80 + c), canonical(want));
        }
        let mut bench = Bench::new(8, &code("pln(8) g10<1>F g2<0,1,0>F g4<8,8,1>F"));
        let v: [u32; 8] = std::array::from_fn(|_| float(&mut r));
        for c in 0..8 {
            bench.set_dword(16 + c, s[0][c]);
            bench.set_dword(32 + c, s[1][c]);
            bench.set_dword(40 + c, v[c]);
        }
        bench.step().expect("pln");
        for c in 0..8 {
            let t = flush(f(s[0], 0).mul_add(f(s[1], c), f(s[0], 3)));
            let want = f(s[0], 1).mul_add(f(v, c), t);
            assert_eq!(bench.dword(80 + c), canonical(want));
        }
    }
    // Sums of differences of bytes, in the even words.
    let s = [
        [0x0a05_ff00, 0, 0, 0, 0, 0, 0, 0],
        [0x0305_01ff, 0, 0, 0, 0, 0, 0, 0],
    ];
    let text = "sada2(4) g10<1>UW g2<4,4,1>UB g4<4,4,1>UB { align1 1N }";
    let bench = eight(text, &s, Some([1000; 8]));
    assert_eq!(bench.dword(80) & 0xffff, 1000 + 255 + 254);
    assert_eq!(bench.dword(81) & 0xffff, 1000 + 7);
}

#[test]
fn functions_stay_inside_their_bounds() {
    // Text, function in f64, bound in ulp of the result, range of the argument.
    type Exact = fn(f64) -> f64;
    let ulp = |want: f64| {
        let e = want.abs().log2().floor();
        (e - 23.0).exp2()
    };
    let rows: [(&str, Exact, f64, f64, f64); 5] = [
        ("inv", |x| 1.0 / x, 1.0, 1.2e-38, 8e37),
        ("sqrt", f64::sqrt, 1.0, 1.2e-38, 3e38),
        ("rsq", |x| 1.0 / x.sqrt(), 3.0, 1.2e-38, 3e38),
        ("exp", f64::exp2, 3.0, 1e-3, 100.0),
        ("log", f64::log2, 0.0, 1.2e-38, 3e38),
    ];
    let mut r = Random::new(8);
    for (name, exact, bound, low, high) in rows {
        let text = format!("math {name}(8) g10<1>F g2<8,8,1>F null<8,8,1>F");
        let mut worst = 0.0f64;
        for _ in 0..3000 {
            let x: [f32; 8] = std::array::from_fn(|_| {
                let t = f64::from(r.next()) / f64::from(u32::MAX);
                (low * (high / low).powf(t)) as f32
            });
            let bench = eight(&text, &[x.map(f32::to_bits)], None);
            for c in 0..8 {
                let (found, want) = (f32::from_bits(bench.dword(80 + c)), exact(x[c].into()));
                let error = (f64::from(found) - want).abs();
                // log2: 2^-21 of the value or absolute.
                let error = match name {
                    "log" => error / want.abs().max(1.0) * (1 << 21) as f64,
                    _ => error / ulp(want),
                };
                worst = worst.max(error);
            }
        }
        let bound = if name == "log" { 1.0 } else { bound };
        let unit = if name == "log" { "2^-21" } else { "ulp" };
        println!("{name}: {worst:.3} of {bound} {unit}");
        assert!(worst <= bound, "{name}: {worst}");
    }
    for (name, exact) in [("sin", f64::sin as Exact), ("cos", f64::cos)] {
        let text = format!("math {name}(8) g10<1>F g2<8,8,1>F null<8,8,1>F");
        let mut worst = 0.0f64;
        for _ in 0..3000 {
            let x: [f32; 8] = std::array::from_fn(|_| {
                (f64::from(r.next() as i32) / f64::from(i32::MAX) * 314.0) as f32
            });
            let bench = eight(&text, &[x.map(f32::to_bits)], None);
            for c in 0..8 {
                let found = f64::from(f32::from_bits(bench.dword(80 + c)));
                worst = worst.max((found - exact(x[c].into())).abs());
            }
        }
        println!("{name}: {worst:.6} of 0.0008");
        assert!(worst <= 0.0008, "{name}: {worst}");
    }
    let special = [
        0,
        0x8000_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x40800000,
        1,
        0xbf800000,
    ];
    let bench = eight(
        "math sqrt(8) g10<1>F g2<8,8,1>F null<8,8,1>F",
        &[special],
        None,
    );
    let found: Vec<u32> = (0..8).map(|c| bench.dword(80 + c)).collect();
    let nan = 0x7fc0_0000;
    assert_eq!(
        found,
        [0, 0x8000_0000, 0x7f80_0000, nan, nan, 0x40000000, 0, nan]
    );
}

#[test]
fn doubles_and_the_control_register() {
    // One channel each: sources and result of 8 bytes.
    let run = |text: &str, a: f64, b: f64, control: u32| {
        let mut bench = Bench::new(8, &code(text));
        for (at, v) in [(16, a), (32, b)] {
            let bits = v.to_bits();
            bench.set_dword(at, bits as u32);
            bench.set_dword(at + 1, (bits >> 32) as u32);
        }
        bench.set_control(control);
        bench.step().unwrap_or_else(|e| panic!("{text}: {e}"));
        f64::from_bits(u64::from(bench.dword(80)) | u64::from(bench.dword(81)) << 32)
    };
    let add = "add(1) g10<1>DF g2<0,1,0>DF g4<0,1,0>DF { align1 1N }";
    let mul = "mul(1) g10<1>DF g2<0,1,0>DF g4<0,1,0>DF { align1 1N }";
    let mut r = Random::new(9);
    for _ in 0..3000 {
        let double = |r: &mut Random| {
            let bits = u64::from(r.next()) << 32 | u64::from(r.next());
            f64::from_bits(bits & 0x80ff_ffff_ffff_ffff | 0x3f00_0000_0000_0000)
        };
        let (a, b) = (double(&mut r), double(&mut r));
        assert_eq!(run(add, a, b, 0).to_bits(), (a + b).to_bits());
        assert_eq!(run(mul, a, b, 0).to_bits(), (a * b).to_bits());
    }
    let tiny = f64::MIN_POSITIVE / 4.0;
    assert_eq!(run(add, tiny, 0.0, 0), 0.0);
    assert_eq!(run(add, tiny, 0.0, 1 << 6), tiny);
    // Rounding: to nearest, up, down, to zero.
    let (one, bit) = (1.0, f64::EPSILON / 4.0);
    let above = 1.0 + f64::EPSILON;
    for (mode, want) in [(0, 1.0), (1, above), (2, 1.0), (3, 1.0)] {
        assert_eq!(run(add, one, bit, mode << 4), want, "{mode}");
    }
    let below = -1.0 - f64::EPSILON;
    for (mode, want) in [(0, -1.0), (1, -1.0), (2, below), (3, -1.0)] {
        assert_eq!(run(add, -one, -bit, mode << 4), want, "{mode}");
    }
}

#[test]
fn conditions_and_vectors_of_immediates() {
    let s = [[0x7fff_ffff, 5, 0, 1, 2, 3, 4, 5], [1, 2, 0, 1, 2, 3, 4, 5]];
    let bench = eight("add.o.f0.0(8) g10<1>D g2<8,8,1>D g4<8,8,1>D", &s, None);
    assert_eq!(bench.flag(0), 1);
    let nan = [[0x7fc0_0000, 0x3f80_0000, 0, 0, 0, 0, 0, 0], [0; 8]];
    let bench = eight("cmp.u.f0.0(8) null<1>F g2<8,8,1>F g4<8,8,1>F", &nan, None);
    assert_eq!(bench.flag(0), 1);
    let huge = [
        [0x7f7f_ffff, 0x7f80_0000, 0, 0, 0, 0, 0, 0],
        [0x7f7f_ffff; 8],
    ];
    let bench = eight("add.o.f0.0(8) g10<1>F g2<8,8,1>F g4<8,8,1>F", &huge, None);
    assert_eq!(bench.flag(0), 3);
    let bench = eight("mov(8) g10<1>D 0x87654321V", &[], None);
    let found: Vec<i32> = (0..8).map(|c| bench.dword(80 + c) as i32).collect();
    assert_eq!(found, [1, 2, 3, 4, 5, 6, 7, -8]);
    let bench = eight(
        "add(8) g10<1>UD g2<8,8,1>UD 0x87654321UV",
        &[[100; 8]],
        None,
    );
    let found: Vec<u32> = (0..8).map(|c| bench.dword(80 + c)).collect();
    assert_eq!(found, [101, 102, 103, 104, 105, 106, 107, 108]);
    // 1.0, -0.5, 0, 31.0.
    let bench = eight("mov(4) g10<1>F 0x7f00a030VF { align1 1N }", &[], None);
    let found: Vec<f32> = (0..4)
        .map(|c| f32::from_bits(bench.dword(80 + c)))
        .collect();
    assert_eq!(found, [1.0, -0.5, 0.0, 31.0]);
}
