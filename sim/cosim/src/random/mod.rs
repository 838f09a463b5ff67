//! Random programs: seeded, and constrained so that they end, never trap and have one result.
//!
//! A program initialises its registers, flags, pointers and memories, then runs straight-line pieces
//! inside random structured control flow ([`skeleton`]), and stores its registers at the end. Threads write only
//! memory of their own; between barriers a warp writes only its own part of shared memory.
//!
//! Where chips compute with floats, memories, parameters and immediates hold floats too. Float operands come from
//! registers loaded a short time ago, because chained results soon are NaN, infinity or zero.

pub mod fermi;
pub mod g13;
mod limits;
mod shape;
mod skeleton;
pub mod sm10;
mod value;
mod words;
mod write;

pub use limits::Limits;
pub use write::write_launch;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use skeleton::program;
use warpsmith_isa::table::OpFamily;
use warpsmith_isa::{FloatType, IntType, Isa, SfuFn};
use warpsmith_model::launch::{ConstantSection, GlobalSection};
use warpsmith_model::Launch;

/// A launch with one short instruction and no memory, to be filled in.
pub fn empty_launch(name: &str) -> Launch {
    Launch {
        file: format!("{name}.toml").into(),
        program_file: format!("{name}.hex").into(),
        block: [1, 1, 1],
        registers: 1,
        ..Launch::from_words(name, vec![0x1000_8000])
    }
}

/// The program of a seed: about `size` warp instructions executed over all warps.
pub fn generate(seed: u64, limits: &Limits, size: u32) -> Launch {
    let rng = ChaCha8Rng::seed_from_u64(seed);
    let launch = match limits.isa {
        Isa::Fermi => program::<fermi::State>(rng, limits, size),
        Isa::G13 => program::<g13::State>(rng, limits, size),
        _ => program::<sm10::State>(rng, limits, size),
    };
    let name = format!("random-{seed}");
    Launch { file: format!("{name}.toml").into(), program_file: format!("{name}.hex").into(), name, ..launch }
}

/// Words of memory: with `floats`, a float more often than an integer.
fn random_words(rng: &mut impl Rng, floats: bool, count: u32) -> Vec<u32> {
    let mut word = || match floats && rng.gen_bool(0.65) {
        true => value::float(rng),
        false => value::integer(rng),
    };
    (0..count).map(|_| word()).collect()
}

/// Bytes of memory. With kinds of operations, most groups of 16 bytes begin with words that make a case of some rule
/// of one of them when they meet.
fn random_bytes(rng: &mut impl Rng, bytes: u32, kinds: &[OpFamily]) -> Vec<u8> {
    let mut words = random_words(rng, !kinds.is_empty(), bytes / 4);
    for group in words.chunks_exact_mut(4) {
        if !kinds.is_empty() && rng.gen_bool(0.8) {
            let kind = kinds[rng.gen_range(0..kinds.len())];
            group[..3].copy_from_slice(&value::together(rng, kind));
        }
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Global memory that holds these bytes.
fn global(bytes: Vec<u8>) -> Vec<GlobalSection> {
    vec![GlobalSection { offset: 0, bytes, max_ulp: None, floats: false, line: None }]
}

/// A bank of constant memory that begins with these bytes.
fn constant(bank: u8, bytes: Vec<u8>) -> ConstantSection {
    ConstantSection { bank, offset: 0, bytes, reserved: false, line: None }
}

/// Operations of the sets beside SM 1.0 whose cases words of memory make.
const KINDS: [OpFamily; 10] = [
    OpFamily::FAdd,
    OpFamily::FAdd,
    OpFamily::FMul,
    OpFamily::FMad,
    OpFamily::FMad,
    OpFamily::FMin,
    OpFamily::Sfu(SfuFn::Ex2),
    OpFamily::Sfu(SfuFn::Rcp),
    OpFamily::F2I(IntType::S32, FloatType::F32),
    OpFamily::F2F(FloatType::F16, FloatType::F32, false),
];

#[cfg(test)]
mod tests;
