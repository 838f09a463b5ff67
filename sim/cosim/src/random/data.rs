//! Memories of a random program.

use super::value;
use rand::Rng;
use warpsmith_isa::op::plain;
use warpsmith_isa::{FloatType, IntType, Op, SfuFn};
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

/// Words of memory: with `floats`, a float more often than an integer.
pub fn random_words(rng: &mut impl Rng, floats: bool, count: u32) -> Vec<u32> {
    let mut word = || match floats && rng.gen_bool(0.65) {
        true => value::float(rng),
        false => value::integer(rng),
    };
    (0..count).map(|_| word()).collect()
}

/// Bytes of memory. With operations, most groups of 16 bytes begin with words that make a case of some rule
/// of one of them when they meet.
pub fn random_bytes(rng: &mut impl Rng, bytes: u32, operations: &[Op]) -> Vec<u8> {
    let mut words = random_words(rng, !operations.is_empty(), bytes / 4);
    for group in words.chunks_exact_mut(4) {
        if !operations.is_empty() && rng.gen_bool(0.8) {
            let op = operations[rng.gen_range(0..operations.len())];
            group[..3].copy_from_slice(&value::together(rng, &op));
        }
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Global memory that holds these bytes.
pub fn global(bytes: Vec<u8>) -> Vec<GlobalSection> {
    vec![GlobalSection::new(0, bytes)]
}

/// A bank of constant memory that begins with these bytes.
pub fn constant(bank: u8, bytes: Vec<u8>) -> ConstantSection {
    ConstantSection::new(bank, 0, bytes)
}

/// Operations of the sets beside SM 1.0 whose cases words of memory make.
pub const OPERATIONS: [Op; 10] = [
    plain::FAdd(),
    plain::FAdd(),
    plain::FMul(),
    plain::FMad(),
    plain::FMad(),
    plain::FMinMax(false),
    plain::Sfu(SfuFn::Ex2),
    plain::Sfu(SfuFn::Rcp),
    plain::F2I(IntType::S32, FloatType::F32),
    plain::F2F(FloatType::F16, FloatType::F32, false),
];
