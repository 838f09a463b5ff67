//! Rows of the lowering table: an operation in C, what Rust says it gives, and operands for both.

pub mod float;
pub mod integer;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;
use warpsmith_compiler::clang::{Clang, ClangOptions, Language};
use warpsmith_compiler::{Kernel, OptLevel, Options, Target};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::{Launch, Machine, ModelConfig};

/// Threads of a block.
const THREADS: u32 = 64;

/// An operation on two 64-bit words, of which its types use the lower bits.
pub struct Row {
    /// Name, an identifier in C.
    pub name: String,
    /// C type of both operands.
    pub operand: &'static str,
    /// C type of the result.
    pub result: &'static str,
    /// C expression of `a` and `b`.
    pub text: String,
    /// The result's bits.
    pub expected: Box<dyn Fn(u64, u64) -> u64>,
    /// Pairs of operands; those the operation is not defined for are left out.
    pub operands: Vec<(u64, u64)>,
    /// Distance in units of the last place that a float may have.
    pub max_ulp: u32,
}

/// Bytes of a C type of [`Row`].
fn bytes(ty: &str) -> usize {
    match ty {
        "i8" | "u8" => 1,
        "i16" | "u16" => 2,
        "i64" | "u64" => 8,
        _ => 4,
    }
}

/// The lower bits of a word for a type.
pub fn cut(ty: &str, x: u64) -> u64 {
    match bytes(ty) {
        8 => x,
        n => x & ((1 << (8 * n)) - 1),
    }
}

/// The value that bits stand for in an integer type.
pub fn value(ty: &str, x: u64) -> i128 {
    let bits = 8 * bytes(ty) as u32;
    match ty.starts_with('i') {
        true => i128::from((x << (64 - bits)) as i64 >> (64 - bits)),
        false => i128::from(cut(ty, x)),
    }
}

/// Corners of an integer type: both ends, powers of two and their neighbours; then anything.
pub fn integers(ty: &str, seed: u64) -> Vec<(u64, u64)> {
    let bits = 8 * bytes(ty) as u32;
    let mut corners: Vec<u64> = vec![0, 1, 2, 3, 5, 7, 10, 100, u64::MAX, u64::MAX - 1, u64::MAX - 6];
    for k in [7, 8, 15, 16, 23, 24, 31, 32, 33, 47, 62, 63] {
        if k < bits {
            corners.extend([(1u64 << k) - 1, 1 << k, (1u64 << k) + 1, 0u64.wrapping_sub(1 << k)]);
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pairs: Vec<(u64, u64)> = vec![];
    for a in &corners {
        // Every corner with a few others: all pairs would be thousands.
        for k in 0..12 {
            pairs.push((*a, corners[(rng.gen::<usize>() + k) % corners.len()]));
        }
    }
    for _ in 0..400 {
        let (s, t) = (rng.gen_range(0..bits), rng.gen_range(0..bits));
        pairs.push((rng.gen::<u64>() >> s, rng.gen::<u64>() >> t));
    }
    pairs.iter().map(|(a, b)| (cut(ty, *a), cut(ty, *b))).collect()
}

/// Source of all rows: a kernel for each.
pub fn source(rows: &[Row]) -> String {
    let mut out = String::from(warpsmith_testkit::random_c::print::PRELUDE);
    for r in rows {
        let _ = writeln!(
            out,
            "KERNEL void row_{}(const {} *left, const {} *right, {} *out, int n)\n{{\n    int i = blockIdx.x * {THREADS} + threadIdx.x;\n    if (i >= n)\n        return;\n    {} a = left[i], b = right[i];\n    out[i] = {};\n}}",
            r.name, r.operand, r.operand, r.result, r.operand, r.text
        );
    }
    out
}

/// Rows of one file: each file costs a call of clang, each row reads the file's PTX.
const TOGETHER: usize = 30;

/// Runs every row at a level on the model; the differences.
pub fn check(clang: &Clang, rows: &[Row], level: OptLevel, target: &Target) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("rows.cu");
    let options = ClangOptions { level, ..ClangOptions::default() };
    let mut wrong = vec![];
    for rows in rows.chunks(TOGETHER) {
        std::fs::write(&file, source(rows)).expect("the folder can be written");
        let ptx = clang.compile(&file, Language::Cuda, &options).unwrap_or_else(|e| panic!("{e}"));
        for row in rows {
            let options = Options { level, ..Options::default() };
            let name = format!("row_{}", row.name);
            match warpsmith_compiler::compile(&ptx.text, "rows.cu", Some(&name), target, &options) {
                Err(e) => wrong.push(format!("{}: {e}", row.name)),
                Ok((_, kernel)) => wrong.extend(run(row, &kernel)),
            }
        }
    }
    wrong
}

/// The first difference of a row.
fn run(row: &Row, kernel: &Kernel) -> Option<String> {
    let n = row.operands.len() as u32;
    let size = |ty: &str| (n * bytes(ty) as u32).next_multiple_of(64);
    let pack = |pick: &dyn Fn(&(u64, u64)) -> u64| -> Vec<u8> {
        let words = row.operands.iter().map(pick);
        words.flat_map(|w| w.to_le_bytes()[..bytes(row.operand)].to_vec()).collect()
    };
    let (right, out) = (size(row.operand), 2 * size(row.operand));
    let section = |offset: u32, bytes| GlobalSection::new(offset.into(), bytes);
    let mut launch = Launch::from_words(&row.name, kernel.words.clone());
    launch.grid = [n.div_ceil(THREADS), 1];
    launch.block = [THREADS, 1, 1];
    launch.registers = kernel.registers.max(1);
    launch.shared_bytes = kernel.shared_bytes;
    launch.local_bytes = kernel.local_bytes.next_multiple_of(4);
    launch.params = vec![0, right, out, n];
    launch.global_bytes = u64::from(out + size(row.result));
    launch.globals = vec![section(0, pack(&|p| p.0)), section(right, pack(&|p| p.1))];
    if !kernel.literals.is_empty() {
        launch.constants.push(ConstantSection::new(
            1,
            0,
            kernel.literals.iter().flat_map(|w| w.to_le_bytes()).collect(),
        ));
    }
    let config = ModelConfig { fill: Some(1), ..ModelConfig::default() };
    let mut machine = Machine::new(&launch, config);
    if let Err(e) = machine.run(10_000_000) {
        return Some(format!("{}: {e}", row.name));
    }
    let width = bytes(row.result);
    let found = machine.global().read(out.into(), n as usize * width);
    for (chunk, (a, b)) in found.chunks(width).zip(&row.operands) {
        let got = chunk.iter().rev().fold(0u64, |w, b| w << 8 | u64::from(*b));
        let expected = cut(row.result, (row.expected)(*a, *b));
        if !near(row, got, expected) {
            return Some(format!(
                "{}: {} with a = {a:#x}, b = {b:#x} gives {got:#x} instead of {expected:#x}",
                row.name, row.text
            ));
        }
    }
    None
}

/// Equal bits, or floats no farther apart than the row allows; any NaN is one.
fn near(row: &Row, got: u64, expected: u64) -> bool {
    if got == expected {
        return true;
    }
    if row.result != "f32" {
        return false;
    }
    let (x, y) = (f32::from_bits(got as u32), f32::from_bits(expected as u32));
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    let place = |f: f32| match f.to_bits() {
        b if b >> 31 == 1 => -i64::from(b & 0x7fff_ffff),
        b => i64::from(b),
    };
    row.max_ulp > 0 && place(x).abs_diff(place(y)) <= row.max_ulp.into()
}
