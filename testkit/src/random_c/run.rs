//! Seeds in batches: both compilers, results compared.

use super::program::{Program, RESULTS};
use super::{device, generate, host};
use std::path::Path;
use warpsmith_compiler::clang::Clang;
use warpsmith_compiler::{OptLevel, Target};

/// How a program is compiled by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Effort.
    pub level: OptLevel,
    /// Registers it may use; few make it spill.
    pub registers: Option<u32>,
}

/// All ways.
pub const WAYS: [Way; 3] = [
    Way { level: OptLevel::O0, registers: None },
    Way { level: OptLevel::O2, registers: None },
    Way { level: OptLevel::O2, registers: Some(9) },
];

/// The chip that programs are compiled for: everything, with a divergence stack of so many entries.
pub fn target(stack_depth: u32) -> Target {
    Target { stack_depth, ..Target::unlimited() }
}

/// Entries of the divergence stack of `tiny`.
pub const TINY: u32 = 16;

/// True where a message is a refusal that docs/compiler.md names: the program is left out.
pub fn refused(message: &str) -> bool {
    message.contains("may point to more than one of")
}

/// True where so many left out of so many are below 1 %; of few, one may be.
pub fn few(left_out: usize, of: usize) -> bool {
    left_out * 100 < of.max(101)
}

/// Failure of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How it was compiled.
    pub way: Way,
    /// In short, without numbers: two failures of one cause are alike.
    pub kind: String,
    /// In full.
    pub detail: String,
}

/// Result of a batch.
#[derive(Default)]
pub struct Batch {
    /// Programs that fail, with the first way in which they do.
    pub failures: Vec<(Program, Failure)>,
    /// Programs that our compiler refuses, for a reason of docs/compiler.md.
    pub left_out: usize,
    /// Programs compared.
    pub programs: usize,
    /// Warp instructions on the model.
    pub instructions: u64,
    /// Deepest divergence stack that the compiler foresees.
    pub stack_depth: u32,
    /// Words spilled by the program that spills most.
    pub spilled: u32,
}

impl Batch {
    /// Adds another batch.
    pub fn add(&mut self, other: Batch) {
        self.failures.extend(other.failures);
        self.left_out += other.left_out;
        self.programs += other.programs;
        self.instructions += other.instructions;
        self.stack_depth = self.stack_depth.max(other.stack_depth);
        self.spilled = self.spilled.max(other.spilled);
    }
}

/// Compiles and runs the programs of some seeds.
///
/// # Errors
/// The host's compiler or clang cannot compile them, which is no fault of ours.
pub fn seeds(clang: &Clang, seeds: &[u64], folder: &Path) -> Result<Batch, String> {
    let programs: Vec<Program> = seeds.iter().map(|s| generate::program(*s)).collect();
    let list: Vec<&Program> = programs.iter().collect();
    batch(clang, &list, folder, &target(TINY))
}

/// Compiles and runs programs.
///
/// # Errors
/// As [`seeds`].
pub fn batch(clang: &Clang, programs: &[&Program], folder: &Path, target: &Target) -> Result<Batch, String> {
    let expected = host::run(programs, folder)?;
    let mut batch = Batch { programs: programs.len(), ..Batch::default() };
    let mut failed = vec![false; programs.len()];
    let mut ptx = (None, String::new());
    for way in WAYS {
        if ptx.0 != Some(way.level) {
            ptx = (Some(way.level), device::ptx(clang, programs, way.level, folder)?);
        }
        for (n, p) in programs.iter().enumerate() {
            if failed[n] {
                continue;
            }
            if let Err((kind, detail)) = one(p, &ptx.1, n, way, target, &expected[n], &mut batch) {
                failed[n] = true;
                if refused(&detail) {
                    batch.left_out += 1;
                    continue;
                }
                batch.failures.push(((*p).clone(), Failure { way, kind, detail }));
            }
        }
    }
    Ok(batch)
}

/// Compiles and runs one program of a file.
fn one(
    p: &Program, ptx: &str, number: usize, way: Way, target: &Target, expected: &[u64], batch: &mut Batch,
) -> Result<(), (String, String)> {
    let compiled = std::panic::catch_unwind(|| device::compile(ptx, number, way, target));
    let (unit, kernel) = match compiled {
        Ok(Ok(compiled)) => compiled,
        Ok(Err(e)) => return Err((without_numbers(&e), e)),
        Err(_) => return Err(("panic of the compiler".into(), "panic of the compiler".into())),
    };
    batch.stack_depth = batch.stack_depth.max(kernel.stack_depth);
    batch.spilled = batch.spilled.max(kernel.spilled_words);
    let launch = device::launch(p, &unit, &kernel);
    let run = device::run(&launch, Some(p.seed)).map_err(|e| (without_numbers(&e), e))?;
    batch.instructions += run.instructions;
    match run.results.iter().zip(expected).position(|(a, b)| a != b) {
        None => Ok(()),
        Some(i) => Err((
            "wrong result".into(),
            format!(
                "wrong result {} of thread {}: {:#x} instead of {:#x}",
                i % RESULTS,
                i / RESULTS,
                run.results[i],
                expected[i]
            ),
        )),
    }
}

/// A message without what differs from program to program.
fn without_numbers(message: &str) -> String {
    let words = message.split_whitespace().filter(|w| !w.chars().any(|c| c.is_ascii_digit()));
    words.take(12).collect::<Vec<_>>().join(" ")
}
