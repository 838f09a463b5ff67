//! Random kernels in OpenCL C: integers of all widths, vectors, built-ins, conversions, local memory, branches.
//! Results equal those of PoCL.

use crate::support::{agree, host, passes, pocl, tools, with_driver, Driver};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::fmt::Write as _;
use std::process::Command;

/// Types of values, by OpenCL's names, with the unsigned type of the same width and the width in bits.
const TYPES: [(&str, &str, u32); 8] = [
    ("char", "uchar", 8),
    ("uchar", "uchar", 8),
    ("short", "ushort", 16),
    ("ushort", "ushort", 16),
    ("int", "uint", 32),
    ("uint", "uint", 32),
    ("long", "ulong", 64),
    ("ulong", "ulong", 64),
];

struct Writer {
    random: StdRng,
    text: String,
    /// Variables: name, index in [`TYPES`], lanes (1, 2 or 4).
    variables: Vec<(String, usize, u32)>,
}

impl Writer {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.gen_range(0..from.len())]
    }

    fn type_name(kind: usize, lanes: u32) -> String {
        match lanes {
            1 => TYPES[kind].0.into(),
            n => format!("{}{n}", TYPES[kind].0),
        }
    }

    /// A variable or a constant of a type, converted where it has another.
    fn leaf(&mut self, kind: usize, lanes: u32) -> String {
        let name = Self::type_name(kind, lanes);
        let fits: Vec<(String, usize)> =
            self.variables.iter().filter(|v| v.2 == lanes).map(|v| (v.0.clone(), v.1)).collect();
        if fits.is_empty() || self.random.gen_ratio(1, 5) {
            let value: i32 = match self.random.gen_range(0..4) {
                0 => self.random.gen_range(0..4),
                1 => self.random.gen_range(-100..100),
                _ => self.random.gen(),
            };
            return format!("(({name})({value}))");
        }
        let (variable, own) = fits[self.random.gen_range(0..fits.len())].clone();
        match own == kind {
            true => variable,
            false => {
                let saturated = self.pick(&["", "_sat"]);
                format!("convert_{name}{saturated}({variable})")
            }
        }
    }

    /// An expression of a type; what the standard leaves open does not occur.
    fn expression(&mut self, kind: usize, lanes: u32, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(kind, lanes);
        }
        let (_, unsigned, bits) = TYPES[kind];
        let name = Self::type_name(kind, lanes);
        // Signed overflow is open: sums and products are those of unsigned numbers.
        let wide = match lanes {
            1 => unsigned.to_string(),
            n => format!("{unsigned}{n}"),
        };
        let a = self.expression(kind, lanes, depth - 1);
        let b = self.expression(kind, lanes, depth - 1);
        match self.random.gen_range(0..14) {
            0..=2 => {
                let operator = self.pick(&["+", "-", "*"]);
                format!("as_{name}(({wide})(as_{wide}({a}) {operator} as_{wide}({b})))")
            }
            3 => {
                let operator = self.pick(&["&", "|", "^"]);
                format!("(({name})({a} {operator} {b}))")
            }
            4 => {
                let count = self.random.gen_range(0..bits);
                format!("(({name})({a} >> ({name})({count})))")
            }
            5 => {
                let count = self.random.gen_range(0..bits);
                format!("as_{name}(({wide})(as_{wide}({a}) << ({wide})({count})))")
            }
            6 => {
                let operator = self.pick(&["/", "%"]);
                // Neither zero nor -1: the quotient of the least number by -1 is open.
                format!("(({name})({a} {operator} (({name})(({b} & ({name})(15)) + ({name})(2)))))")
            }
            7 => {
                let function = self.pick(&["min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate"]);
                format!("{function}({a}, {b})")
            }
            8 => format!("convert_{name}(abs_diff({a}, {b}))"),
            9 => {
                let function = self.pick(&["popcount", "clz"]);
                format!("{function}({a})")
            }
            10 => {
                let c = self.leaf(kind, lanes);
                format!("bitselect({a}, {b}, {c})")
            }
            11 => {
                let c = self.leaf(kind, lanes);
                let relation = self.pick(&["<", "==", ">=", "!="]);
                match lanes {
                    1 => format!("(({name})(({a} {relation} {c}) ? {a} : {b}))"),
                    _ => format!("select({a}, {b}, as_{wide}({a} {relation} {c}))"),
                }
            }
            12 if lanes > 1 => {
                let swizzles: &[&str] =
                    if lanes == 2 { &["yx", "xx", "yy"] } else { &["wzyx", "yxwz", "xxyy", "zwxy"] };
                let swizzle = self.pick(swizzles);
                format!("({a}).{swizzle}")
            }
            12 if bits == 32 => {
                let function = self.pick(&["mad24", "mul24"]);
                let (x, y) = (format!("({a} & 0x7ff)"), format!("({b} & 0xfff)"));
                match function {
                    "mul24" => format!("mul24({x}, {y})"),
                    _ => format!("mad24({x}, {y}, ({name})3)"),
                }
            }
            _ => format!("clamp({a}, min({a}, {b}), max({a}, {b}))"),
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.random.gen_range(0..6) {
            0 if depth > 0 => {
                let condition = self.leaf(4, 1);
                let _ = writeln!(self.text, "if ({condition} & 1) {{");
                self.assignment();
                self.text += "} else {\n";
                self.assignment();
                self.text += "}\n";
            }
            1 if depth > 0 => {
                let rounds = self.leaf(5, 1);
                let _ = writeln!(self.text, "for (uint r = 0; r < ({rounds} & 7); r++) {{");
                self.assignment();
                self.text += "}\n";
            }
            2 if depth > 0 => {
                let value = self.expression(5, 1, 1);
                let _ = writeln!(
                    self.text,
                    "barrier(CLK_LOCAL_MEM_FENCE); t[l] = {value}; barrier(CLK_LOCAL_MEM_FENCE); v0 ^= t[(l * 5 + 3) & 31];"
                );
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let at = self.random.gen_range(0..self.variables.len());
        let (name, kind, lanes) = self.variables[at].clone();
        let depth = self.random.gen_range(1..3);
        let value = self.expression(kind, lanes, depth);
        let _ = writeln!(self.text, "{name} = {value};");
    }
}

/// A kernel for `hosts/run_kernel.c`.
fn kernel(seed: u64) -> String {
    let mut w =
        Writer { random: StdRng::seed_from_u64(seed), text: String::new(), variables: vec![("v0".into(), 5, 1)] };
    let start = "__kernel void k(__global uint *o, __global const uint *a, __local uint *t) {\n\
                 uint i = get_global_id(0), l = get_local_id(0); uint v0 = a[4 * i];\n";
    w.text += start;
    for n in 1..7 {
        let kind = w.random.gen_range(0..TYPES.len());
        let lanes = [1, 1, 2, 4][w.random.gen_range(0..4)];
        let name = Writer::type_name(kind, lanes);
        let value = match lanes {
            1 => format!("({name})a[4 * i + {}]", n % 4),
            2 => format!("convert_{name}(vload2(i * 2, a))"),
            _ => format!("convert_{name}(vload4(i, a))"),
        };
        let _ = writeln!(w.text, "{name} v{n} = {value};");
        w.variables.push((format!("v{n}"), kind, lanes));
    }
    for _ in 0..w.random.gen_range(3..9) {
        w.statement(1);
    }
    w.text += "ulong h = v0;\n";
    for (name, kind, lanes) in w.variables.clone() {
        match lanes {
            1 => {
                let _ = writeln!(w.text, "h = h * 31 + (ulong){name};");
            }
            _ => {
                for lane in ["x", "y", "z", "w"].iter().take(lanes as usize) {
                    let _ = writeln!(w.text, "h = h * 31 + (ulong){name}.{lane};");
                }
            }
        }
        // Something of each variable by itself.
        if kind == 5 && lanes == 1 {
            let _ = writeln!(w.text, "o[4 * i + 2] ^= {name};");
        }
    }
    w.text += "o[4 * i] = (uint)h; o[4 * i + 1] = (uint)(h >> 32);\n}\n";
    w.text
}

fn random(device: &'static str, seeds: std::ops::Range<u64>) {
    if !tools() || !pocl() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for seed in seeds {
        let source = kernel(seed);
        let file = folder.path().join(format!("{seed}.cl"));
        std::fs::write(&file, &source).expect("it can be written");
        let run = |driver| {
            let mut command: Command = with_driver(&host("run_kernel"), driver);
            passes(&format!("kernel {seed} on {driver:?}\n{source}"), command.arg(&file))
        };
        let ours = run(Driver::Warpsmith(device));
        let theirs = run(Driver::Pocl);
        if let Err(difference) = agree(&ours, &theirs) {
            panic!("kernel {seed}: Warpsmith and PoCL differ:\n{difference}\n{source}");
        }
    }
}

/// Kernels of a run; `make soak` tries more.
fn count(few: u64) -> u64 {
    warpsmith_testkit::cases(few, 20 * few)
}

#[test]
fn random_kernels_on_the_model() {
    random("model", 0..count(25));
}

#[test]
fn random_kernels_on_the_verilog_of_default() {
    random("rtl:default", 1000..1000 + count(5));
}
