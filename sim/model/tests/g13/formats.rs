//! Formats of device memory against exact numbers: integers, and powers of long ones for sRGB.

use super::Bench;
use std::cmp::Ordering;
use warpsmith_testkit::{cases, Random};

/// Fraction bits of the exact numbers.
const POINT: i32 = 60;

/// Loads words of memory with a format into r4 and on, a word every 8 bytes, all lanes.
fn load(format: &str, mask: &str, half: bool, words: &[u64; 32]) -> Bench {
    let mut bench = Bench::new();
    for (l, word) in words.iter().enumerate() {
        bench.global.write(0x100 + 8 * l as u64, &word.to_le_bytes());
        bench.set("r2_r3", l, 0x100 + 8 * l as u64);
    }
    let to = if half { "r4l_r4h_r5l_r5h" } else { "r4_r5_r6_r7" };
    let to: Vec<&str> = to.split('_').take(mask.len()).collect();
    bench.run(&format!("device_load 0, {format}, {mask}, {}, r2_r3, 0, signed", to.join("_")));
    bench
}

/// Stores four registers of each lane with a format, and gives the words of memory.
fn store(format: &str, mask: &str, half: bool, values: &[[u32; 4]; 32]) -> [u64; 32] {
    let mut bench = Bench::new();
    let names = names(half);
    for (l, value) in values.iter().enumerate() {
        bench.set("r2_r3", l, 0x100 + 8 * l as u64);
        for (name, v) in names.iter().zip(value) {
            bench.set(name, l, (*v).into());
        }
    }
    let from = names[..mask.len()].join("_");
    bench.run(&format!("device_store 0, {format}, {mask}, {from}, r2_r3, 0, signed, 0"));
    std::array::from_fn(|l| {
        let at = 0x100 + 8 * l as u32;
        u64::from(bench.global.word(at)) | u64::from(bench.global.word(at + 4)) << 32
    })
}

fn names(half: bool) -> [&'static str; 4] {
    if half {
        ["r4l", "r4h", "r5l", "r5h"]
    } else {
        ["r4", "r5", "r6", "r7"]
    }
}

/// A finite float as a number with [`POINT`] fraction bits; below them it must have none.
fn number(bits: u64, half: bool) -> i128 {
    let (fraction, bias, sign) = if half { (10, 15, 15) } else { (23, 127, 31) };
    let magnitude = bits & ((1 << sign) - 1);
    let field = (magnitude >> fraction) as i32;
    let significand = magnitude & ((1 << fraction) - 1) | u64::from(field != 0) << fraction;
    let up = POINT + field.max(1) - bias - fraction;
    let n = if up >= 0 { i128::from(significand) << up } else { i128::from(significand) >> -up };
    assert!(up >= 0 || n << -up == significand.into(), "{bits:#x}");
    if bits >> sign & 1 == 1 {
        -n
    } else {
        n
    }
}

/// The float is the nearest one to a number of at least 0, whose order to others `order` says; ties to even.
fn is_nearest(bits: u64, half: bool, order: impl Fn(i128) -> Ordering) {
    if bits == 0 {
        return assert_eq!(order(0), Ordering::Equal);
    }
    let at = number(bits, half);
    let fits = |order: Ordering, wanted: Ordering| order == wanted || order == Ordering::Equal && bits & 1 == 0;
    let above = (at + number(bits + 1, half)) / 2;
    assert!(fits(order(above), Ordering::Less), "{bits:#x} is too small");
    let below = (at + number(bits - 1, half)) / 2;
    assert!(fits(order(below), Ordering::Greater), "{bits:#x} is too large");
}

/// Order of n / d to a number.
fn ratio(n: i128, d: i128) -> impl Fn(i128) -> Ordering {
    move |other| (n << POINT).cmp(&(other * d))
}

/// A long integer, lowest word first.
fn long(n: u128, power: u32) -> Vec<u32> {
    let words: Vec<u32> = (0..4).map(|i| (n >> (32 * i)) as u32).collect();
    (0..power).fold(vec![1], |all, _| product(&all, &words))
}

fn product(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = vec![0u32; a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, y) in b.iter().chain(std::iter::repeat_n(&0, a.len() - i)).enumerate() {
            let sum = u64::from(out[i + j]) + u64::from(*x) * u64::from(*y) + carry;
            (out[i + j], carry) = (sum as u32, sum >> 32);
        }
    }
    out
}

fn longer(a: &[u32], b: &[u32]) -> Ordering {
    let len = a.len().max(b.len());
    let digits = |x: &[u32]| (0..len).rev().map(|i| x.get(i).copied().unwrap_or(0)).collect::<Vec<_>>();
    digits(a).cmp(&digits(b))
}

/// Order of the linear intensity of `twice / 2` of 255 of sRGB to a number. Up to 0.04045 it is v / 12.92, beyond
/// ((v + 0.055) / 1.055)^2.4; with v = t / 510 that is ((40 t + 1122) / 21522)^2.4, whose fifth power is one of 12.
fn srgb(twice: i128) -> impl Fn(i128) -> Ordering {
    move |other| {
        if twice * 100_000 <= 4045 * 510 {
            return ratio(twice * 100, 510 * 1292)(other);
        }
        let exact = product(&long((40 * twice + 1122) as u128, 12), &long(1 << POINT, 5));
        longer(&exact, &product(&long(other.max(0) as u128, 5), &long(21522, 12)))
    }
}

/// A float, often within 0..1 and often of a format's own numbers.
fn float(random: &mut Random, half: bool) -> u32 {
    let sign = u32::from(random.chance(20));
    let ends = [0u32, 1, 0x7f80_0000, 0x7fc0_0000, 0x7f7f_ffff, 0x3f80_0000, 0x3f7f_ffff, 0x3f80_0001];
    let x = match random.below(4) {
        0 => ends[random.index(ends.len())],
        1 => (random.below(65536) as f32 / [255.0, 510.0, 65535.0, 131070.0, 1023.0, 254.0][random.index(6)]).to_bits(),
        2 => (random.below(40) + 105) << 23 | random.word() & 0x7f_ffff,
        _ => (random.below(30) + 100) << 23 | (random.word() & 0xff) << 15,
    };
    match half {
        false => sign << 31 | x,
        true => {
            let ends = [0u32, 1, 0x7c00, 0x7e00, 0x7bff, 0x3c00, 0x3bff, 0x3c01];
            let x = if random.chance(30) { ends[random.index(ends.len())] } else { random.word() & 0x7fff };
            sign << 15 | x
        }
    }
}

/// A float as an exact one of 64 bits.
fn exact(bits: u32, half: bool) -> f64 {
    if !half {
        return f32::from_bits(bits).into();
    }
    let (field, fraction) = (bits >> 10 & 31, f64::from(bits & 0x3ff));
    let magnitude = match field {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2f64.powi(-24),
        e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
    };
    if bits >> 15 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

/// Name, bits, numerator's largest value.
const NORMALS: [(&str, u32, i128); 4] =
    [("u8norm", 8, 255), ("s8norm", 8, 127), ("u16norm", 16, 65535), ("s16norm", 16, 32767)];

/// Checks a loaded float that must be n / most.
fn is_ratio(got: u64, half: bool, n: i128, most: i128) {
    let sign = if half { 15 } else { 31 };
    assert_eq!(got >> sign == 1, n < 0, "{got:#x} of {n} / {most}");
    is_nearest(got & !(1 << sign), half, ratio(n.abs(), most));
}

#[test]
fn normal_integers_load_as_the_nearest_float() {
    let mut random = Random(21);
    for ((format, bits, most), half) in NORMALS.iter().flat_map(|f| [(f, false), (f, true)]) {
        let all = 1u64 << bits;
        for run in 0..cases(16, 2048) {
            // All bytes, or some halfwords.
            let n = |l: u64, k: u64, random: &mut Random| match bits {
                8 => (128 * run as u64 + 4 * l + k) % all,
                _ => {
                    let any = random.bits() % all;
                    random.pick(&[any, any, l, all - 1 - l, all / 2 - 2 + l % 4])
                }
            };
            let words: [u64; 32] =
                std::array::from_fn(|l| (0..4).map(|k| n(l as u64, k, &mut random) << (u64::from(*bits) * k)).sum());
            let bench = load(format, "xyzw", half, &words);
            for (l, word) in words.iter().enumerate() {
                for (k, name) in (0..).zip(names(half)) {
                    let raw = word >> (bits * k) & (all - 1);
                    let n = match format.starts_with('s') && raw >> (bits - 1) == 1 {
                        true => (i128::from(raw) - i128::from(all)).max(-most),
                        false => raw.into(),
                    };
                    is_ratio(bench.get(name, l), half, n, *most);
                }
            }
        }
    }
}

#[test]
fn srgb_loads_as_the_nearest_linear_float() {
    for (first, half) in [(0, false), (0, true), (96, false), (96, true), (192, false), (192, true)] {
        let byte = |l: usize, k: usize| (first + 2 * l as u64 + k as u64) & 255;
        let words = std::array::from_fn(|l| (0..4).map(|k| byte(l, k) << (8 * k)).sum());
        let bench = load("srgba8", "xyzw", half, &words);
        for l in 0..32 {
            for (k, name) in names(half).into_iter().enumerate() {
                let (n, got) = (byte(l, k) as i128, bench.get(name, l));
                match k {
                    3 => is_ratio(got, half, n, 255),
                    _ => is_nearest(got, half, srgb(2 * n)),
                }
            }
        }
    }
}

#[test]
fn words_of_several_floats_load_without_mask_and_shift() {
    let mut random = Random(22);
    for run in 0..cases(40, 4000) {
        let half = run % 2 == 1;
        let words: [u64; 32] = std::array::from_fn(|_| random.word().into());
        let bench = load("rgb10a2", "x", half, &words);
        for (l, word) in words.iter().enumerate() {
            for (k, name) in (0..).zip(names(half)) {
                let width = if k == 3 { 2 } else { 10 };
                let n = word >> (10 * k) & ((1 << width) - 1);
                is_ratio(bench.get(name, l), half, n.into(), (1 << width) - 1);
            }
        }
        for (format, packed) in [("rg11b10f", false), ("rg11b10f.rtz", false), ("rgb9e5", true), ("rgb9e5.rtz", true)] {
            let bench = load(format, "xy", half, &words);
            for (l, word) in words.iter().enumerate() {
                for (k, name) in (0..3).zip(names(half)) {
                    let want = match packed {
                        true => (word >> (9 * k) & 511) as f64 * 2f64.powi((word >> 27) as i32 - 24),
                        false => small(word >> (11 * k) & if k == 2 { 1023 } else { 2047 }, if k == 2 { 5 } else { 6 }),
                    };
                    let got = bench.get(name, l) as u32;
                    let nan = if half { 0x7e00 } else { 0x7fc0_0000 };
                    assert!(exact(got, half) == want || want.is_nan() && got == nan, "{format} {word:#x} {got:#x}");
                }
            }
        }
    }
    // The shift counts for others alone: 1 << 2 words and elements from 0x100 on.
    let mut bench = Bench::new();
    bench.global.write(0x100, &(0..=255).collect::<Vec<u8>>());
    (0..32).for_each(|l| bench.set("r2_r3", l, 0x103));
    bench.run("device_load 0, rgb9e5, x, r4, r2_r3, 1, signed, lsl 2");
    let [low, ..] = small_parts(0x0706_0504);
    assert_eq!(exact(bench.get("r4", 0) as u32, false), low);
    bench.run("device_load 0, u8norm, yw, r4_r5, r2_r3, 1, signed, lsl 2");
    // 3 + 4 + 1 and 3 + 4 + 3.
    is_ratio(bench.get("r4", 0), false, 8, 255);
    is_ratio(bench.get("r5", 0), false, 10, 255);
}

/// The three numbers of a word with one exponent.
fn small_parts(word: u32) -> [f64; 3] {
    [0, 9, 18].map(|at| f64::from(word >> at & 511) * 2f64.powi((word >> 27) as i32 - 24))
}

/// A float without sign of 5 bits of exponent.
fn small(bits: u64, fraction: i32) -> f64 {
    let (field, low) = ((bits >> fraction) as i32, (bits & ((1 << fraction) - 1)) as f64);
    let one = 2f64.powi(fraction);
    match field {
        31 if low == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => low / one * 2f64.powi(-14),
        e => (one + low) / one * 2f64.powi(e - 15),
    }
}

fn random_values(random: &mut Random, half: bool) -> [[u32; 4]; 32] {
    std::array::from_fn(|_| std::array::from_fn(|_| float(random, half)))
}

/// The integer is the nearest to the float times `most`, ties to even, NaN 0.
fn is_rounded(n: i128, x: f64, low: f64, most: i128) {
    let p = if x.is_nan() { 0.0 } else { x.clamp(low, 1.0) } * most as f64;
    let n_float = n as f64;
    assert!((p - n_float).abs() <= 0.5, "{n} of {x:e} * {most}");
    assert!((p - n_float).abs() < 0.5 || n % 2 == 0, "{n} of {x:e} * {most}: a tie");
}

#[test]
fn floats_store_as_the_nearest_normal_integer() {
    let mut random = Random(23);
    for run in 0..cases(20, 2000) {
        let half = run % 2 == 1;
        let values = random_values(&mut random, half);
        for (format, bits, most) in NORMALS {
            let signed = format.starts_with('s');
            let words = store(format, "xyzw", half, &values);
            for ((k, v), word) in values.iter().zip(words).flat_map(|(v, w)| (0..).zip(v).map(move |v| (v, w))) {
                let unused = 64 - bits;
                let raw = word >> (bits * k) << unused;
                let n = if signed { i128::from(raw as i64 >> unused) } else { i128::from(raw >> unused) };
                is_rounded(n, exact(*v, half), if signed { -1.0 } else { 0.0 }, most);
            }
        }
        let words = store("rgb10a2", "xyzw", half, &values);
        for (v, word) in values.iter().zip(words) {
            assert_eq!(word >> 32, 0);
            for (k, v) in (0..).zip(v) {
                let most = if k == 3 { 3 } else { 1023 };
                is_rounded((word >> (10 * k) & most).into(), exact(*v, half), 0.0, most.into());
            }
        }
        let words = store("srgba8", "xyzw", half, &values);
        for ((k, v), word) in values.iter().zip(words).flat_map(|(v, w)| (0..).zip(v).map(move |v| (v, w))) {
            let (n, x) = (i128::from(word >> (8 * k) & 255), exact(*v, half));
            if k == 3 {
                is_rounded(n, x, 0.0, 255);
                continue;
            }
            // In 2^-60, cut: no bound of a byte is so near.
            let x = (if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) } * 2f64.powi(POINT)) as i128;
            assert!(n == 0 || srgb(2 * n - 1)(x) != Ordering::Greater, "{n} of {x:#x} is too large");
            assert!(n == 255 || srgb(2 * n + 1)(x) == Ordering::Greater, "{n} of {x:#x} is too small");
        }
    }
}

/// The smallest and one bit below it of each byte of sRGB.
#[test]
fn srgb_bounds_are_exact() {
    for (n, bound) in (1..).zip(*warpsmith_isa::numbers::SRGB_BOUNDS) {
        let order = srgb(2 * n - 1);
        assert_ne!(order(number(bound.into(), false)), Ordering::Greater, "{n}");
        assert_eq!(order(number(u64::from(bound) - 1, false)), Ordering::Greater, "{n}");
    }
}

#[test]
fn floats_store_in_words_of_several() {
    let mut random = Random(24);
    let finite = [6, 6, 5].map(|f| (0..31u64 << f).map(|c| small(c, f)).collect::<Vec<f64>>());
    for run in 0..cases(20, 2000) {
        let half = run % 2 == 1;
        let mut values = random_values(&mut random, half);
        if run % 4 < 2 {
            // Of one magnitude.
            values
                .iter_mut()
                .for_each(|v| *v = [v[0], v[0] ^ random.word() & 0xff, v[0] ^ random.word() & 0xfff, v[3]]);
        }
        let exact = values.map(|v| v.map(|v| exact(v, half)));
        for (format, cut) in [("rg11b10f", false), ("rg11b10f.rtz", true)] {
            let words = store(format, "x", half, &values);
            for (x, word) in exact.iter().zip(words) {
                for (k, all) in finite.iter().enumerate() {
                    let fraction = if k == 2 { 5 } else { 6 };
                    let code = word >> (11 * k) & ((32 << fraction) - 1);
                    let last = all.len() - 1;
                    let want = match x[k] {
                        x if x.is_nan() => 31 << fraction | 1 << (fraction - 1),
                        x if x <= 0.0 => 0,
                        f64::INFINITY => 31 << fraction,
                        x => {
                            let below = all.partition_point(|v| *v <= x) - 1;
                            let middle = (all[below] + all[(below + 1).min(last)]) / 2.0;
                            let up = !cut && below < last && (x > middle || x == middle && below % 2 == 1);
                            below as u64 + u64::from(up)
                        }
                    };
                    assert_eq!(code, want, "{format} {:e}", x[k]);
                }
            }
        }
        for (format, cut) in [("rgb9e5", false), ("rgb9e5.rtz", true)] {
            let words = store(format, "xyz", half, &values);
            for (x, word) in exact.iter().zip(words) {
                assert_eq!(word, u64::from(shared_exponent([x[0], x[1], x[2]], cut)), "{format} {x:?}");
            }
        }
    }
}

/// The formula of EXT_texture_shared_exponent; `cut` without its halves.
fn shared_exponent(x: [f64; 3], cut: bool) -> u32 {
    let x = x.map(|x| if x.is_nan() { 0.0 } else { x.clamp(0.0, 65408.0) });
    let largest = x.into_iter().fold(0.0, f64::max);
    let floor_log2 = (-16..=16).rev().find(|e| largest >= 2f64.powi(*e)).unwrap_or(-16);
    let preliminary = floor_log2.max(-16) + 1 + 15;
    let rounded = |v: f64, e: i32| (v / 2f64.powi(e - 15 - 9) + if cut { 0.0 } else { 0.5 }).floor() as u32;
    let e = if rounded(largest, preliminary) == 512 { preliminary + 1 } else { preliminary };
    let [r, g, b] = x.map(|v| rounded(v, e));
    r | g << 9 | b << 18 | (e as u32) << 27
}
