//! The PTX of four clang versions: kernels with everything, run on the IR and compared with Rust.

use super::run_on;
use crate::ir::eval::Machine;
use crate::ir::ParamKind;
use crate::program::{OptLevel, Options};
use crate::{lower, opt, ptx};
use warpsmith_isa::ChipInfo as Target;

const FEATURES: [(&str, &str); 4] = [
    ("14", include_str!("../../../tests/ptx/features-clang14.ptx")),
    ("16", include_str!("../../../tests/ptx/features-clang16.ptx")),
    ("19, unoptimised", include_str!("../../../tests/ptx/features-clang19.ptx")),
    ("22", include_str!("../../../tests/ptx/features-clang22.ptx")),
];

const SPACES: [(&str, &str); 4] = [
    ("14", include_str!("../../../tests/ptx/spaces-clang14.ptx")),
    ("16", include_str!("../../../tests/ptx/spaces-clang16.ptx")),
    ("19, unoptimised", include_str!("../../../tests/ptx/spaces-clang19.ptx")),
    ("22", include_str!("../../../tests/ptx/spaces-clang22.ptx")),
];

const X: u32 = 0x1000;
const H: u32 = 0x2000;
const O: u32 = 0x3000;
const VARIABLES: u32 = 0x8000;

/// A machine with the variables of a module placed as a launch does.
fn machine(text: &str) -> Machine {
    let unit = lower::unit(&ptx::parse(text, "k.ptx").unwrap()).unwrap();
    let mut m = Machine::new();
    m.constant = vec![0; unit.constant_bytes as usize];
    let mut at = VARIABLES;
    for v in &unit.globals {
        at = at.next_multiple_of(v.align.max(4));
        m.variables.push(at);
        if v.constant_offset.is_none() {
            at += v.bytes;
        }
    }
    for (v, at) in unit.globals.iter().zip(m.variables.clone()) {
        for (i, b) in v.init.iter().flatten().enumerate() {
            match v.constant_offset {
                Some(o) => m.constant[o as usize + i] = *b,
                None => {
                    m.global.insert(at + i as u32, *b);
                }
            }
        }
        for (o, var, add) in &v.pointers {
            let to = m.variables[*var as usize].wrapping_add(*add as u32);
            m.set_word(at + o, to);
        }
    }
    m
}

fn run(text: &str, name: &str, m: &Machine, version: &str) -> Machine {
    let f = super::lower_text(text, name, &Target::unlimited(), &Options::default());
    let mut results = Vec::new();
    for level in [None, Some(OptLevel::O2)] {
        let mut f = f.clone();
        if let Some(level) = level {
            opt::run(&mut f, level);
        }
        let mut m = m.clone();
        run_on(&mut m, &f).unwrap_or_else(|e| panic!("clang-{version}: {e:?}"));
        results.push(m);
    }
    assert_eq!(results[0].global, results[1].global, "clang-{version}: optimised differs");
    results.swap_remove(0)
}

#[test]
fn a_kernel_with_everything() {
    for (version, text) in FEATURES {
        for n in [0i32, 1, 2, 3, 4, 5, 6, 11] {
            let wide: i64 = -0x1234_5678_9abc + i64::from(n);
            let mut m = machine(text);
            m.block = [64, 1, 1];
            (m.grid, m.ctaid) = ([2, 1], [1, 0]);
            for i in 0..128 {
                m.set_word(X + 4 * i, ((i * 3) as f32).to_bits());
            }
            let h = [5i16, -7, 100, -32768, 32767, 0, 12, -1];
            for (i, p) in h.chunks(2).enumerate() {
                let word = u32::from(p[0] as u16) | u32::from(p[1] as u16) << 16;
                m.set_word(H + 4 * i as u32, word);
            }
            let wide_words = [wide as u32, (wide >> 32) as u32];
            for (at, w) in [
                (0, X),
                (4, n as u32),
                (8, 3f32.to_bits()),
                (12, 2),
                (16, 9),
                (20, H),
                (24, O),
                (32, wide_words[0]),
                (36, wide_words[1]),
            ] {
                m.param(at, w);
            }
            let m = run(text, "_Z8featuresPfi6TriplePKsPjx", &m, version);
            for t in 0..64 {
                let want = expected(n, wide, t, &h);
                let i = 64 + t;
                let got = [0, 1, 2, 3].map(|k| m.word(O + 16 * i as u32 + 4 * k));
                assert_eq!(got, want, "clang-{version}, n {n}, thread {t}");
            }
        }
    }
}

/// Value that thread `t` of block 1 stores.
fn expected(n: i32, wide: i64, t: i32, h: &[i16]) -> [u32; 4] {
    let i = 64 + t;
    let x = |i: i32| (i * 3) as f32;
    let mut r = 0u32;
    if i < n + 60 {
        let helper = 3.0 * x(9) + n as f32;
        let table = [1.0f32, 2.0, 0.0, 0.0][n as usize & 3];
        let byte = [1u8, 2, 3, 0, 0, 0, 0][i as usize % 7];
        let m = [n + 1, n & 3][n as usize & 1];
        r = (helper + table + f32::from(byte) + x(64 + (t ^ 1)) + m as f32) as i32 as u32;
    }
    r = match n {
        0 => r.wrapping_add(5),
        1 => r ^ 3,
        2 => r.wrapping_mul(7),
        3 => r.wrapping_sub(i as u32),
        4 => r | 8,
        5 => !r,
        _ => r,
    };
    let w = (wide / i64::from(n + 3)).wrapping_add((wide >> (t & 63)).wrapping_mul(i64::from(i)));
    let neighbour = i32::from(h[n as usize & 7]) * (64 + (t ^ 1) + 1);
    let sum = r.wrapping_add((neighbour + 5 + 5 + 2) as u32);
    let quotient = i as u32 / (n + 1) as u32 + u32::from(h[1] as u16) % (t + 1) as u32;
    let last = if wide < i64::from(i) { r.count_ones() } else { r.rotate_left(7) };
    [sum, w as u32 ^ (w >> 32) as u32, quotient, last]
}

#[test]
fn vectors_of_floats_and_bytes() {
    for (version, text) in FEATURES {
        let mut m = machine(text);
        m.block = [8, 1, 1];
        for i in 0..32u32 {
            m.set_word(X + 4 * i, ((i * 7 % 13) as f32).to_bits());
        }
        for i in 0..8u32 {
            m.set_word(H + 4 * i, 0x80ff_0110u32.wrapping_mul(i + 1));
        }
        m.param(0, X);
        m.param(4, H);
        m.param(8, 200);
        let before = m.clone();
        let m = run(text, "_Z7vectorsP6float4P6uchar4h", &m, version);
        for i in 0..8 {
            let v = [0, 1, 2, 3].map(|k| f32::from_bits(before.word(X + 16 * i + 4 * k)));
            let x = if v[1] > v[2] { v[3] } else { -v[0] };
            assert_eq!(m.word(X + 16 * i), x.to_bits(), "clang-{version}");
            assert_eq!(m.word(X + 16 * i + 8), v[2].to_bits());
            let [x, y, z, w] = before.word(H + 4 * i).to_le_bytes();
            let want = u32::from_le_bytes([w >> 1, y, z, x.wrapping_add(200)]);
            assert_eq!(m.word(H + 4 * i), want, "clang-{version}");
        }
    }
}

#[test]
fn address_spaces_of_opencl() {
    for (version, text) in SPACES {
        let mut m = machine(text);
        m.block = [16, 1, 1];
        let words = [X, H, 0x100, 0, 0xffff_fff0, 0xffff_ffff, 0x0403_0201];
        for (i, w) in words.into_iter().enumerate() {
            m.param(4 * i, w);
        }
        for i in 0..4 {
            m.set_word(H + 4 * i, 1000 * i);
        }
        let f = super::lower_text(text, "spaces", &Target::unlimited(), &Options::default());
        let kinds: Vec<_> = f.params.iter().map(|p| (p.offset, p.bytes, p.kind)).collect();
        use ParamKind::*;
        assert_eq!(
            kinds,
            [(0, 4, Global), (4, 4, Constant), (8, 4, Shared), (16, 8, Value), (24, 4, Value)],
            "clang-{version}"
        );
        let m = run(text, "spaces", &m, version);
        for i in 0..16u32 {
            let l = |i: u32| (1000 * (i & 3) + 7 + i % 3) as f32;
            let want = l(i ^ 7) - 16.0 + 2.0;
            assert_eq!(f32::from_bits(m.word(X + 16 * i)), want, "clang-{version}, thread {i}");
        }
    }
}

#[test]
fn all_kernels_are_listed() {
    for (_, text) in FEATURES {
        let m = ptx::parse(text, "k.ptx").unwrap();
        let names: Vec<&str> = m.kernels().collect();
        assert_eq!(names, ["_Z8featuresPfi6TriplePKsPjx", "_Z7vectorsP6float4P6uchar4h"]);
    }
}
