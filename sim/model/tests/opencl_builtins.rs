//! Built-in functions of OpenCL C on the model: vector forms of the table against their scalar forms, saturation, halves and
//! conversions against plain Rust.

use crate::builtins::{check, opencl, rows, Expected, OPERANDS};
use crate::common::kernels::Kernels;
use std::fmt::Write as _;
use warpsmith_compiler::clang::builtins::{functions, Function, Type};
use warpsmith_compiler::clang::find;

/// An argument as the vector form takes it, and the one of each element.
type Operand = (String, Vec<String>);

/// A form's kernel: a bit of the output for each element that differs from what the scalar form gives.
fn kernel(text: &mut String, n: usize, f: &Function, scalar: &str) {
    let width = f.result.width;
    let mut args = Vec::new();
    let mut setup = String::new();
    for (i, a) in f.args.iter().enumerate() {
        let element = |e: u32| match a.width {
            1 => format!("a{i}"),
            _ => format!("a{i}.s{e:x}"),
        };
        match a.space {
            None => {
                let _ = write!(setup, "{a} a{i} = *(__global const {a} *)(in + 32 * (x + {})); ", 7 * i);
                args.push((format!("a{i}"), (0..width).map(element).collect::<Vec<_>>()));
            }
            Some(space) => {
                let (whole, one) = (a.value(), Type { width: 1, ..a.value() });
                let _ = match space {
                    "__private" => write!(setup, "{whole} v{i}; {whole} *a{i} = &v{i}; "),
                    "__local" => write!(setup, "__local {whole} v{i}[16]; __local {whole} *a{i} = v{i} + x; "),
                    _ => write!(setup, "__global {whole} *a{i} = (__global {whole} *)(room + 16 * (16 * y + x)); "),
                };
                let _ = write!(setup, "{one} t{i}; ");
                args.push((format!("a{i}"), vec![format!("&t{i}"); width as usize]));
            }
        }
    }
    let list = |pick: &dyn Fn(&Operand) -> String| args.iter().map(pick).collect::<Vec<_>>().join(", ");
    let whole = list(&|a| a.0.clone());
    let _ = write!(
        text,
        "__kernel void f{n}(__global const uint *in, __global uint *out, __global uint *room) {{ uint x = get_local_id(0), y = get_group_id(0); \
         in += 32 * y; {setup}{} r = {}({whole}); uint bad = 0;",
        f.result, f.name
    );
    let differs = |ty: Type, one: &str, other: &str| match ty.element {
        "float" => format!("as_uint({one}) != as_uint({other})"),
        "double" => format!("as_ulong({one}) != as_ulong({other})"),
        _ => format!("{one} != {other}"),
    };
    for e in 0..width as usize {
        let parts = list(&|a| a.1[e].clone());
        let _ = write!(
            text,
            " {{ {} s = {scalar}({parts}); bad |= ({}",
            Type { width: 1, ..f.result },
            differs(f.result, "s", &format!("r.s{e:x}"))
        );
        for (i, a) in f.args.iter().enumerate().filter(|(_, a)| a.space.is_some()) {
            let _ = write!(text, " || {}", differs(*a, &format!("t{i}"), &format!("(*a{i}).s{e:x}")));
        }
        let _ = write!(text, ") << {e}; }}");
    }
    text.push_str(" out[get_global_id(0)] = bad; }\n");
}

/// Runs kernels of [`kernel`] on 16 work-items of two groups.
fn run(source: &str, forms: &[(Function, String)], words: &[u32]) {
    let kernels = Kernels::new("k.cl", source);
    for (n, (form, _)) in forms.iter().enumerate() {
        let (_, found) = kernels.run(n, [2, 16], (words, 32), "", &[("room", 4096)]);
        for (item, bad) in found.into_iter().enumerate() {
            assert_eq!(bad, 0, "{form}: elements {bad:b} in work-item {item}");
        }
    }
}

/// Of each function by elements one form, taken in turn so that every width, type and space occurs.
#[test]
fn vectors_of_the_table_agree_with_their_scalars() {
    if warpsmith_testkit::found(find::find(None)).is_none() {
        return;
    }
    let mut forms: Vec<(Function, String)> =
        functions().into_iter().filter(|f| f.result.width > 1).filter_map(|f| Some((f.clone(), f.scalar?))).collect();
    forms.sort_by(|a, b| a.1.cmp(&b.1));
    let of_one: Vec<_> = forms.chunk_by(|a, b| a.1 == b.1).collect();
    assert!(of_one.len() > 190, "{} functions", of_one.len());
    let chosen: Vec<(Function, String)> = of_one
        .iter()
        .enumerate()
        // Conversions are most of the names.
        .filter(|(turn, of)| !of[0].1.starts_with("convert_") || turn % 4 == 0)
        .map(|(turn, of)| of[turn * 5 % of.len()].clone())
        // Without saturation a float beyond an integer type's range is any number.
        .filter(|(f, name)| {
            let floats = |t: &Type| ["float", "double"].contains(&t.element);
            !name.starts_with("convert_") || name.contains("_sat") || floats(&f.result) || !floats(&f.args[0])
        })
        .collect();
    // Small numbers as integers and as floats, and words at random.
    let mut state = 12345u32;
    let words: Vec<u32> = (0..32 * 48)
        .map(|n| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let small = (state >> 8) as i32 % 40 - 8;
            match n % 3 {
                0 => state,
                1 => small as u32,
                _ => (small as f32 * 0.37).to_bits(),
            }
        })
        .collect();
    for chosen in chosen.chunks(16) {
        let mut source = String::new();
        for (n, (form, scalar)) in chosen.iter().enumerate() {
            kernel(&mut source, n, form, scalar);
        }
        run(&source, chosen, &words);
    }
}

/// A half of a float: towards zero, and the next one, of which a rule on the exact values takes one.
fn half(x: i32, up: fn(f32, f64, f64, u32) -> bool) -> i32 {
    let x = f32::from_bits(x as u32);
    let value = |h: u32| match h {
        0x7c00 => 65536.0,
        _ => match (h >> 10, f64::from(h & 1023)) {
            (0, m) => m * 2f64.powi(-24),
            (e, m) => (1024.0 + m) * 2f64.powi(e as i32 - 25),
        },
    };
    let sign = i32::from(x.is_sign_negative()) << 15;
    let a = f64::from(x.abs());
    if a.is_infinite() {
        return sign | 0x7c00;
    }
    let low = (0..0x7c00u32).rev().find(|h| value(*h) <= a).unwrap_or(0);
    let round = a != value(low) && up(x, a - value(low), value(low + 1) - a, low);
    sign | (low + u32::from(round)) as i32
}

macro_rules! halves {
    ($m:literal, $up:expr) => {
        (
            concat!("({ ushort h[8] = {0}; vstore_half", $m, "(f, 3, (__private half *)h); vstorea_half3", $m, "((float3)(1.0f, f, f), 1, (__private half *)h); h[5] == h[3] && h[6] == h[3] && h[7] == 0 ? h[3] : -1; })"),
            |x, _| half(x, $up),
        )
    };
}

/// Of doubles that are those floats.
macro_rules! halves_of_doubles {
    ($m:literal, $up:expr) => {
        (
            concat!(
                "({ ushort h[4] = {0}; vstore_half",
                $m,
                "((double)f, 1, (__private half *)h); vstorea_half2",
                $m,
                "((double2)(1.0, f), 1, (__private half *)h); h[1] == h[3] ? h[1] : -1; })"
            ),
            |x, _| half(x, $up),
        )
    };
}

/// Of bits of floats.
#[rustfmt::skip]
const HALVES: [(&str, Expected); 10] = [
    halves!("", |_, below, above, low| below > above || below == above && low & 1 == 1),
    halves!("_rte", |_, below, above, low| below > above || below == above && low & 1 == 1),
    halves!("_rtz", |_, _, _, _| false),
    halves!("_rtp", |x, _, _, _| x > 0.0),
    halves!("_rtn", |x, _, _, _| x < 0.0),
    halves_of_doubles!("_rte", |_, below, above, low| below > above || below == above && low & 1 == 1),
    halves_of_doubles!("_rtp", |x, _, _, _| x > 0.0),
    halves_of_doubles!("_rtz", |_, _, _, _| false),
    // A float of it would be a tie.
    ("({ ushort h[2]; vstore_half((double)(f - f == 0.0f) + 0x1p-11 + 0x1p-40, 0, (__private half *)h); f - f == 0.0f ? h[0] : 0x3c01; })", |_, _| 0x3c01),
    ("({ ushort h[16]; vstore_half16((float16)(f), 0, (__private half *)h); as_int(vload_half16(0, (__private half *)h).sd) == as_int(vloada_half3(1, (__private half *)h).y); })", |_, _| 1),
];

#[test]
fn halves_are_rounded_as_named() {
    let floats = [
        0.0f32,
        -0.0,
        1.0,
        -1.0,
        1.000_6,
        -1.000_6,
        1.000_488_3,
        1.001_464_8,
        65504.0,
        65519.0,
        65520.0,
        -65521.0,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        6e-8,
        -6e-8,
        3e-8,
        -2e-8,
        8.9e-8,
        6.1e-5,
        6.097e-5,
        -0.333_333,
    ];
    let bits: Vec<i32> = floats.iter().map(|f| f.to_bits() as i32).collect();
    let calls: Vec<String> = HALVES.iter().map(|r| r.0.to_string()).collect();
    check("k.cl", &rows(&HALVES), &bits, &opencl(&calls));
}

/// An integer as a float: the exact one, or its neighbour on the side that the rounding names.
fn rounded(x: i128, mode: char) -> i32 {
    let f = x as f32;
    let exact = f as i128;
    let step = |f: f32, up: bool| {
        let away = up == (f > 0.0);
        f32::from_bits(if away { f.to_bits() + 1 } else { f.to_bits() - 1 })
    };
    let f = match mode {
        'p' if exact < x => step(f, true),
        'n' if exact > x => step(f, false),
        'z' if exact.abs() > x.abs() => step(f, x < 0),
        _ => f,
    };
    f.to_bits() as i32
}

fn wide(x: i32, y: i32) -> i64 {
    (i64::from(x) << 32) | i64::from(y as u32)
}

#[rustfmt::skip]
const INTEGERS: [(&str, Expected); 22] = [
    ("mad_sat((char)x, (char)y, (char)7)", |x, y| (i32::from(x as i8) * i32::from(y as i8) + 7).clamp(-128, 127)),
    ("mad_sat((uchar)x, (uchar)y, (uchar)7)", |x, y| (i32::from(x as u8) * i32::from(y as u8) + 7).min(255)),
    ("mad_sat((short)x, (short)y, (short)-7)", |x, y| (i64::from(x as i16) * i64::from(y as i16) - 7).clamp(-32768, 32767) as i32),
    ("mad_sat((ushort)x, (ushort)y, (ushort)65535)", |x, y| (u64::from(x as u16) * u64::from(y as u16) + 65535).min(65535) as i32),
    ("mad_sat(x, y, x)", |x, y| (i64::from(x) * i64::from(y) + i64::from(x)).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32),
    ("(int)mad_sat((uint)x, (uint)y, (uint)y)", |x, y| (u64::from(x as u32) * u64::from(y as u32) + u64::from(y as u32)).min(0xffff_ffff) as u32 as i32),
    ("(int)(mad_sat((long)x << 20, (long)y << 9, (long)x << 32 | (uint)y) >> 32)", |x, y| ((i128::from(i64::from(x) << 20) * i128::from(i64::from(y) << 9) + i128::from(wide(x, y))).clamp(i128::from(i64::MIN), i128::from(i64::MAX)) >> 32) as i32),
    ("(int)mad_sat((long)x << 32 | (uint)y, (long)y, (long)x)", |x, y| (i128::from(wide(x, y)) * i128::from(y) + i128::from(x)).clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i32),
    ("(int)(mad_sat((ulong)(uint)x << 9, (ulong)(uint)y << 8, ((ulong)(uint)x << 32) | (uint)y) >> 20)", |x, y| ((u128::from(u64::from(x as u32) << 9) * u128::from(u64::from(y as u32) << 8) + u128::from(wide(x, y) as u64)).min(u128::from(u64::MAX)) >> 20) as i32),
    ("mad_sat((int16)(x), (int16)(y), (int16)(1)).sb", |x, y| (i64::from(x) * i64::from(y) + 1).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32),
    ("(int)(mul_hi((long)x << 32 | (uint)y, (long)y << 32 | (uint)x) >> 3)", |x, y| ((i128::from(wide(x, y)) * i128::from(wide(y, x))) >> 67) as i32),
    ("as_int(convert_float_rtz(x))", |x, _| rounded(x.into(), 'z')),
    ("as_int(convert_float_rtp(x))", |x, _| rounded(x.into(), 'p')),
    ("as_int(convert_float_rtn(x))", |x, _| rounded(x.into(), 'n')),
    ("as_int(convert_float16_rtn((uint16)((uint)x)).se)", |x, _| rounded((x as u32).into(), 'n')),
    ("as_int(convert_float_rtp((uint)x))", |x, _| rounded((x as u32).into(), 'p')),
    ("as_int(convert_float_rtz((long)x << 32 | (uint)y))", |x, y| rounded(wide(x, y).into(), 'z')),
    ("as_int(convert_float2_rtp((long2)((long)x << 32 | (uint)y)).y)", |x, y| rounded(wide(x, y).into(), 'p')),
    ("as_int(convert_float_rtn((long)x << 32 | (uint)y))", |x, y| rounded(wide(x, y).into(), 'n')),
    ("as_int(convert_float_rtp((ulong)x << 32 | (uint)y))", |x, y| rounded((wide(x, y) as u64).into(), 'p')),
    ("(int)convert_char8_sat_rtp((long8)((long)x << 32 | (uint)y)).s6", |x, y| wide(x, y).clamp(-128, 127) as i32),
    ("as_int(convert_ushort2_sat_rtn((int2)(x, y)))", |x, y| x.clamp(0, 65535) | y.clamp(0, 65535) << 16),
];

#[test]
fn integers_saturate_and_become_floats() {
    let calls: Vec<String> = INTEGERS.iter().map(|r| r.0.to_string()).collect();
    check("k.cl", &rows(&INTEGERS), &OPERANDS, &opencl(&calls));
}

/// Bits of a float as the double is rounded to the side that the mode names.
fn single(x: f64, mode: char) -> i32 {
    let f = x as f32;
    let step = |up: bool| f32::from_bits(if up == (f > 0.0) { f.to_bits() + 1 } else { f.to_bits() - 1 });
    let f = match mode {
        'p' if f64::from(f) < x => step(true),
        'n' if f64::from(f) > x => step(false),
        'z' if f64::from(f).abs() > x.abs() => step(x < 0.0),
        _ => f,
    };
    f.to_bits() as i32
}

/// Third parts of integers, and integers of 64 bits.
#[rustfmt::skip]
const OF_DOUBLES: [(&str, Expected); 16] = [
    ("convert_char_sat_rtp(x / 3.0)", |x, _| (f64::from(x) / 3.0).ceil() as i8 as i32),
    ("convert_uchar4_sat((double4)(x / 3.0)).z", |x, _| (f64::from(x) / 3.0) as u8 as i32),
    ("convert_short_sat_rtn(x / 3.0)", |x, _| (f64::from(x) / 3.0).floor() as i16 as i32),
    ("convert_ushort2_sat_rte((double2)(x / 2.0)).y", |x, _| (f64::from(x) / 2.0).round_ties_even() as u16 as i32),
    ("convert_int_rte(x / 2.0)", |x, _| (f64::from(x) / 2.0).round_ties_even() as i32),
    ("convert_int_sat(x * 1.5)", |x, _| (f64::from(x) * 1.5) as i32),
    ("convert_int_sat(nan((ulong)x))", |_, _| 0),
    ("(int)convert_uint_sat_rtp(x * 2.5)", |x, _| (f64::from(x) * 2.5).ceil() as u32 as i32),
    ("(int)(convert_long_sat_rtn(x * 1e10 / 3.0) >> 3)", |x, _| ((f64::from(x) * 1e10 / 3.0).floor() as i64 >> 3) as i32),
    ("(int)(convert_ulong_sat(x * 1e10) >> 30)", |x, _| ((f64::from(x) * 1e10) as u64 >> 30) as i32),
    ("as_int(convert_float_rtp(x / 3.0))", |x, _| single(f64::from(x) / 3.0, 'p')),
    ("as_int(convert_float3_rtn((double3)(x / 3.0)).z)", |x, _| single(f64::from(x) / 3.0, 'n')),
    ("as_int(convert_float_rtz(x / 3.0))", |x, _| single(f64::from(x) / 3.0, 'z')),
    ("as_int(convert_float(x / 3.0))", |x, _| single(f64::from(x) / 3.0, 'e')),
    ("convert_double_rtp((long)x << 32 | (uint)y) >= convert_double_rtz((long)x << 32 | (uint)y)", |_, _| 1),
    ("signbit((double)x) + 2 * isequal((double)x, (double)y) + 4 * isgreater((double)x, (double)y) + 8 * isnormal((double)x) + 16 * all(isless((double2)(x), (double2)(y)))",
        |x, y| i32::from(x < 0) + 2 * i32::from(x == y) + 4 * i32::from(x > y) + 8 * i32::from(x != 0) + 16 * i32::from(x < y)),
];

#[test]
fn doubles_round_and_saturate() {
    let calls: Vec<String> = OF_DOUBLES.iter().map(|r| r.0.to_string()).collect();
    check("k.cl", &rows(&OF_DOUBLES), &OPERANDS, &opencl(&calls));
}
