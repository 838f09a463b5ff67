//! Programs through our compiler and on the golden model.

use super::print;
use super::program::*;
use super::run::Way;
use std::path::Path;
use warpsmith_compiler::clang::{Clang, ClangOptions, Language};
use warpsmith_compiler::{Kernel, OptLevel, Options, Target, Unit};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::{Launch, Machine, ModelConfig};

/// Byte address of the input.
const IN: u32 = 0x100;
/// Byte address of the results.
const OUT: u32 = 0x400;
/// Warp instructions after which a program is given up.
pub const LIMIT: u64 = 3_000_000;

/// PTX of a file with all programs.
///
/// # Errors
/// Messages of clang.
pub fn ptx(clang: &Clang, programs: &[&Program], level: OptLevel, folder: &Path) -> Result<String, String> {
    let source = folder.join("device.cu");
    let mut text = String::from(print::PRELUDE);
    for (n, p) in programs.iter().enumerate() {
        text.push_str(&print::program(p, n));
    }
    std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
    let options = ClangOptions { level, arguments: vec!["-Wno-everything".into()], ..ClangOptions::default() };
    clang.compile(&source, Language::Cuda, &options).map(|p| p.text).map_err(|e| e.to_string())
}

/// Machine code of program `number` of the file.
///
/// # Errors
/// Messages of our compiler.
pub fn compile(ptx: &str, number: usize, way: Way, target: &Target) -> Result<(Unit, Kernel), String> {
    let options = Options { level: way.level, max_registers: way.registers, ..Options::default() };
    warpsmith_compiler::compile(ptx, "device.cu", Some(&format!("k{number}")), target, &options)
        .map_err(|e| e.to_string())
}

/// A launch of the kernel with the input, the parameters and the tables of the program.
pub fn launch(p: &Program, unit: &Unit, kernel: &Kernel) -> Launch {
    let size = THREADS * BLOCKS * RESULTS as u32 * 8;
    let mut free = OUT + size;
    let section = |offset: u32, bytes: Vec<u8>| GlobalSection::new(u64::from(offset), bytes);
    let mut launch = Launch::from_words(&format!("seed {}", p.seed), kernel.words.clone());
    launch.grid = [BLOCKS, 1];
    launch.block = match p.plane {
        true => [8, THREADS / 8, 1],
        false => [THREADS, 1, 1],
    };
    launch.registers = kernel.registers.max(1);
    launch.shared_bytes = kernel.shared_bytes;
    launch.local_bytes = kernel.local_bytes.next_multiple_of(4);
    launch.globals.push(section(IN, p.input.iter().flat_map(|w| w.to_le_bytes()).collect()));

    let mut bank = vec![0u8; unit.constant_bytes as usize];
    let mut places = vec![];
    for v in &unit.globals {
        let mut bytes = v.init.clone().unwrap_or_default();
        bytes.resize(v.bytes as usize, 0);
        match v.constant_offset {
            Some(at) => {
                bank[at as usize..(at + v.bytes) as usize].copy_from_slice(&bytes);
                places.push(at);
            }
            None => {
                free = free.next_multiple_of(v.align.max(1));
                places.push(free);
                launch.globals.push(section(free, bytes));
                free += v.bytes;
            }
        }
    }
    launch.global_bytes = u64::from(free.next_multiple_of(64));
    let mut literals = kernel.literals.clone();
    for (word, variable, add) in &kernel.address_words {
        literals[*word as usize] = places[*variable as usize].wrapping_add_signed(*add);
    }
    let mut constant = |number: u8, bytes: Vec<u8>| {
        if !bytes.is_empty() {
            launch.constants.push(ConstantSection::new(number, 0, bytes));
        }
    };
    constant(0, bank);
    constant(1, literals.iter().flat_map(|w| w.to_le_bytes()).collect());

    let mut params = vec![0u8; kernel.param_bytes.next_multiple_of(4) as usize];
    let mut values = vec![IN.to_le_bytes().to_vec(), OUT.to_le_bytes().to_vec()];
    values.extend(p.params.iter().map(|(ty, v)| v.to_le_bytes()[..ty.bits() as usize / 8].to_vec()));
    for (param, value) in kernel.params.iter().zip(values) {
        let at = param.offset as usize;
        params[at..at + value.len()].copy_from_slice(&value);
    }
    launch.params = params.chunks(4).map(|b| b.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))).collect();
    launch
}

/// Results that a launch is to leave.
pub fn results(bytes: Vec<u8>) -> GlobalSection {
    GlobalSection::new(OUT.into(), bytes)
}

/// Result of a run: values as of the host, and warp instructions.
pub struct Run {
    /// 64-bit words, a row a thread.
    pub results: Vec<u64>,
    /// Warp instructions.
    pub instructions: u64,
}

/// The program on the model.
///
/// # Errors
/// A trap, or no end.
pub fn run(launch: &Launch, fill: Option<u64>) -> Result<Run, String> {
    let config = ModelConfig { stack_depth: 64, fill, tier: Default::default(), ..ModelConfig::default() };
    let mut machine = Machine::new(launch, config);
    let stats = machine.run(LIMIT).map_err(|e| e.to_string())?;
    let size = (THREADS * BLOCKS) as usize * RESULTS * 8;

    let bytes = machine.global().read(u64::from(OUT), size);
    Ok(Run {
        results: bytes.chunks_exact(8).map(|b| b.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b))).collect(),
        instructions: stats.warp_instructions,
    })
}
