//! Every row of the lowering table on corner and random operands, against plain Rust.
//!
//! A row is one PTX instruction in a small kernel. Its IR runs as lowered and as optimised.

mod bits;
mod control;
mod convert;
mod double;
mod errors;
mod exchange;
mod fixtures;
mod float;
mod int;
mod memory;
mod wide;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ir::eval::{Fault, Machine};
use crate::ir::{self, verify};
use crate::opt;
use crate::program::{OptLevel, Options};
use crate::{lower, ptx};
use warpsmith_isa::ChipInfo as Target;

/// Head of a PTX file.
pub(super) const HEAD: &str = ".version 7.0\n.target sm_20\n.address_size 32\n";

/// Lowers a kernel of a text; fails the test with the error.
pub(super) fn lower_text(text: &str, name: &str, target: &Target, options: &Options) -> ir::Function {
    let module = ptx::parse(text, "test.ptx").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (f, _) = lower::kernel(&module, name, target, options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let wrong = verify::verify(&f);
    assert!(wrong.is_empty(), "{wrong:?}\n{}", ir::print::function(&f));
    f
}

/// Relations of integers by their names in PTX.
type Relation = fn(i128, i128) -> bool;
const RELATIONS: [(&str, Relation); 6] = [
    ("eq", |a, b| a == b),
    ("ne", |a, b| a != b),
    ("lt", |a, b| a < b),
    ("le", |a, b| a <= b),
    ("gt", |a, b| a > b),
    ("ge", |a, b| a >= b),
];

/// Checks instructions on `n` words.
fn int(body: &str, n: usize, want: impl Fn(u32, u32, u32) -> u32) {
    let at = |i: &[u64], k: usize| i.get(k).map_or(0, |x| *x as u32);
    Row::new(body, &["b32"; 3][..n], "b32").check(|i| Some(u64::from(want(at(i, 0), at(i, 1), at(i, 2)))));
}

/// The optimised function, which is still a right one.
fn optimised(f: &ir::Function, level: OptLevel) -> ir::Function {
    let mut f = f.clone();
    opt::run(&mut f, level);
    let wrong = verify::verify(&f);
    assert!(wrong.is_empty(), "{wrong:?}\n{}", ir::print::function(&f));
    f
}

/// One instruction or a few as a kernel: inputs from parameters, the result to global memory.
pub(super) struct Row {
    text: String,
    types: Vec<&'static str>,
    result: &'static str,
    versions: Vec<ir::Function>,
}

fn bits(ty: &str) -> u32 {
    match ty {
        "pred" => 1,
        _ => ty[1..].parse().expect("a type"),
    }
}

impl Row {
    /// `body` computes `%x` of type `result` from `%a`, `%b`, `%c`, `%d` of the types given.
    pub(super) fn new(body: &str, types: &[&'static str], result: &'static str) -> Row {
        Row::on(body, types, result, &Target::unlimited(), &Options::default())
    }

    pub(super) fn on(
        body: &str, types: &[&'static str], result: &'static str, target: &Target, options: &Options,
    ) -> Row {
        let mut code = String::new();
        for (i, ty) in types.iter().enumerate() {
            let name = ["a", "b", "c", "d"][i];
            let at = 8 * i;
            code += &format!(".reg .{ty} %{name};\n");
            code += &match bits(ty) {
                1 => format!("ld.param.b32 %w, [p+{at}]; setp.ne.u32 %{name}, %w, 0;\n"),
                64 => format!("ld.param.b64 %{name}, [p+{at}];\n"),
                32 => format!("ld.param.b32 %{name}, [p+{at}];\n"),
                // The register's upper bits hold what the word held.
                _ => format!("ld.param.b32 %w, [p+{at}]; cvt.u16.u32 %{name}, %w;\n"),
            };
        }
        let store = match bits(result) {
            1 => "selp.u32 %w, 1, 0, %x; st.global.b32 [256], %w;",
            64 => "st.global.b64 [256], %x;",
            32 => "st.global.b32 [256], %x;",
            _ => "cvt.u32.u16 %w, %x; st.global.b32 [256], %w;",
        };
        let text = format!(
            "{HEAD}.visible .entry k(.param .align 8 .b8 p[32])\n{{\n.reg .b32 %w;\n.reg .b32 %t<20>;\n.reg .pred %q<4>;\n{code}.reg .{result} %x;\n{body}\n{store}\nret;\n}}\n"
        );
        let f = lower_text(&text, "k", target, options);
        let versions = vec![f.clone(), optimised(&f, OptLevel::O1), optimised(&f, OptLevel::O2)];
        Row { text, types: types.to_vec(), result, versions }
    }

    /// Runs all versions on operands; they agree, and give this result.
    pub(super) fn run(&self, operands: &[u64]) -> u64 {
        let mut results = Vec::new();
        for f in &self.versions {
            let mut m = Machine::new();
            for (i, x) in operands.iter().enumerate() {
                m.param(8 * i, *x as u32);
                m.param(8 * i + 4, (*x >> 32) as u32);
            }
            if let Err(e) = m.run(f) {
                panic!("{e:?} for {operands:x?}\n{}\n{}", self.text, ir::print::function(f));
            }
            let x = u64::from(m.word(256)) | u64::from(m.word(260)) << 32;
            results.push(match bits(self.result) {
                64 => x,
                n => x & ((1 << n) - 1),
            });
        }
        for (r, f) in results.iter().zip(&self.versions) {
            assert_eq!(
                *r,
                results[0],
                "optimised differs for {operands:x?}\n{}\n{}",
                ir::print::function(&self.versions[0]),
                ir::print::function(f)
            );
        }
        results[0]
    }

    /// Compares with `want` on corner operands and random ones; `None` is any result.
    pub(super) fn check(&self, want: impl Fn(&[u64]) -> Option<u64>) {
        let mut random = ChaCha8Rng::seed_from_u64(20);
        let corners: Vec<Vec<u64>> = self.types.iter().map(|t| corners(t)).collect();
        let mut cases: Vec<Vec<u64>> = vec![vec![]];
        for c in &corners {
            let few = cases.len() * c.len() <= 1000;
            cases = cases
                .iter()
                .flat_map(|head| {
                    let picked: Vec<u64> = if few {
                        c.clone()
                    } else {
                        vec![c[random.gen_range(0..c.len())], c[random.gen_range(0..c.len())]]
                    };
                    picked.into_iter().map(move |x| {
                        let mut case = head.clone();
                        case.push(x);
                        case
                    })
                })
                .collect();
        }
        for _ in 0..300 {
            cases.push(self.types.iter().map(|t| some(t, &mut random)).collect());
        }
        for case in cases {
            let masked: Vec<u64> = case
                .iter()
                .zip(&self.types)
                .map(|(x, t)| match bits(t) {
                    64 => *x,
                    n => x & ((1 << n) - 1),
                })
                .collect();
            let Some(want) = want(&masked) else { continue };
            let got = self.run(&case);
            assert_eq!(got, want, "{masked:x?}: got {got:#x}, expected {want:#x}\n{}", self.text);
        }
    }
}

/// Operands that lie at the edges of a type.
fn corners(ty: &str) -> Vec<u64> {
    match ty {
        "pred" => vec![0, 1],
        "f32" => [
            0.0f32,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            3.0,
            1e10,
            -1e10,
            1e38,
            -3e38,
            1e-38,
            1.2e-38,
            1e-41,
            255.5,
            -128.7,
            65535.9,
            2147483648.0,
            -2147483648.0,
            4294967296.0,
            9.3e18,
            -9.223372e18,
            1.9e19,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ]
        .iter()
        .map(|f| u64::from(f.to_bits()))
        .collect(),
        _ => {
            let n = bits(ty);
            let mut out = vec![0, 1, 2, 3, 7, 10, 31, 32, 33, 63, 64, 65, 0xff, 0x100];
            out.extend([u64::MAX, u64::MAX - 1, u64::MAX - 31, 0x1234_5678_9abc_def0]);
            for top in [7, 8, 15, 16, 23, 24, 31, 32, 62, 63] {
                if top < n {
                    out.extend([1u64 << top, (1 << top) - 1, (1u64 << top) + 1, (1u64 << top).wrapping_neg()]);
                }
            }
            out
        }
    }
}

/// A random operand, of all magnitudes; narrow types get random upper bits.
fn some(ty: &str, random: &mut ChaCha8Rng) -> u64 {
    let x: u64 = random.gen();
    match ty {
        "f32" if random.gen_ratio(1, 4) => u64::from(random.gen::<u32>()),
        "f32" => {
            // Numbers with results in range.
            let exponent = random.gen_range(100..160u32);
            u64::from(random.gen::<u32>() & 0x807f_ffff | exponent << 23)
        }
        "pred" => x & 1,
        "b16" | "u16" | "s16" => x,
        _ => x >> random.gen_range(0..bits(ty)),
    }
}

/// Runs a block.
pub(super) fn run_on(m: &mut Machine, f: &ir::Function) -> Result<(), Fault> {
    let bytes = (f.shared_bytes + 1024) as usize;
    if m.shared.len() < bytes {
        m.shared.resize(bytes, 0);
    }
    m.run(f)
}

/// Runs a kernel with words as parameters on a machine that `prepare` fills; memory afterwards.
pub(super) fn run_kernel(text: &str, words: &[u32], prepare: impl Fn(&mut Machine)) -> Result<Machine, Fault> {
    let mut last = None;
    let module = ptx::parse(text, "test.ptx").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let name = module.kernels().next().expect("a kernel").to_string();
    for level in [None, Some(OptLevel::O2)] {
        let f = lower_text(text, &name, &Target::unlimited(), &Options::default());
        let f = level.map_or(f.clone(), |level| optimised(&f, level));
        let mut m = Machine::new();
        for (i, w) in words.iter().enumerate() {
            m.param(4 * i, *w);
        }
        prepare(&mut m);
        m.run(&f)?;
        if let Some(last) = &last {
            let before: &Machine = last;
            assert_eq!(before.global, m.global, "optimised differs\n{}", ir::print::function(&f));
        }
        last = Some(m);
    }
    Ok(last.expect("two runs"))
}
