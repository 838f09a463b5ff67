//! Operations on floats against those of the host and of LLVM.

use super::bench::{code, Bench};
use super::operands::{canonical, compare, eight, float, flushed, integer};
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};
use warpsmith_testkit::Random;

#[test]
fn floats_round_as_the_host_does() {
    let two = "g2<8,8,1>F g4<8,8,1>F";
    let three = "g2<4,4,1>F g4<4,4,1>F g6<4,4,1>F";
    let f =
        |op: fn(f32, f32, f32) -> f32| move |x: [u32; 3]| canonical(op(flushed(x[0]), flushed(x[1]), flushed(x[2])));
    // Each step of a chain is flushed.
    fn flush(x: f32) -> f32 {
        flushed(x.to_bits())
    }
    let n = compare(&format!("add(8) g10<1>F {two}"), 2000, float, f(|a, b, _| a + b))
        + compare(&format!("mul(8) g10<1>F {two}"), 2000, float, f(|a, b, _| a * b))
        + compare(&format!("mad(8) g10<1>F {three} {{ align16 1Q }}"), 2000, float, f(|a, b, c| b.mul_add(c, a)))
        + compare(
            &format!("lrp(8) g10<1>F {three} {{ align16 1Q }}"),
            2000,
            float,
            f(|a, b, c| flush(a * b) + flush(flush(1.0 - a) * c)),
        )
        + compare("rndd(8) g10<1>F g2<8,8,1>F", 1000, float, f(|a, _, _| a.floor()))
        + compare("rndz(8) g10<1>F g2<8,8,1>F", 1000, float, f(|a, _, _| a.trunc()))
        + compare("rnde(8) g10<1>F g2<8,8,1>F", 1000, float, f(|a, _, _| a.round_ties_even()))
        + compare("rndu(8) g10<1>F g2<8,8,1>F", 1000, float, f(|a, _, _| a.ceil()));
    println!("{n} floats");
}

#[test]
fn accumulators_take_part() {
    let mut r = Random(3);
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
    let mut r = Random(6);
    fn flush(x: f32) -> f32 {
        flushed(x.to_bits())
    }
    for _ in 0..500 {
        let s: [[u32; 8]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| float(&mut r)));
        let f = |s: [u32; 8], n: usize| flushed(s[n]);
        for (name, terms, one) in [("dp4", 4, false), ("dp3", 3, false), ("dp2", 2, false), ("dph", 3, true)] {
            for (a, b, mode) in [("g2<8,8,1>F", "g4<8,8,1>F", "align1"), ("g2<4>F", "g4<4>F", "align16")] {
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
    let s = [[0x0a05_ff00, 0, 0, 0, 0, 0, 0, 0], [0x0305_01ff, 0, 0, 0, 0, 0, 0, 0]];
    let text = "sada2(4) g10<1>UW g2<4,4,1>UB g4<4,4,1>UB { align1 1N }";
    let bench = eight(text, &s, Some([1000; 8]));
    assert_eq!(bench.dword(80) & 0xffff, 1000 + 255 + 254);
    assert_eq!(bench.dword(81) & 0xffff, 1000 + 7);
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
    let add = "add(2) g10<1>DF g2<2,2,1>DF g4<2,2,1>DF { align1 1N }";
    let mul = "mul(2) g10<1>DF g2<2,2,1>DF g4<2,2,1>DF { align1 1N }";
    let mut r = Random(9);
    for _ in 0..3000 {
        let double = |r: &mut Random| {
            let bits = u64::from(r.word()) << 32 | u64::from(r.word());
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
