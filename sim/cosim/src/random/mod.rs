//! Random programs: seeded, and constrained so that they end, never trap and have one result.
//!
//! A program initialises its registers, flags, pointers and memories, then runs straight-line pieces
//! inside random structured control flow ([`skeleton`]), and stores its registers at the end. Threads write only
//! memory of their own; between barriers a warp writes only its own part of shared memory.
//!
//! Where chips compute with floats, memories, parameters and immediates hold floats too. Float operands come from
//! registers loaded a short time ago, because chained results soon are NaN, infinity or zero.

mod data;
mod double;
pub mod fermi;
pub mod g13;
pub mod ivb;
mod limits;
mod shape;
mod skeleton;
pub mod sm10;
mod value;
mod words;
mod write;

pub use data::empty_launch;
pub use limits::Limits;
pub use sm10::directed::lanes::directed_lanes;
pub use sm10::directed::words::directed_words;
pub use sm10::directed::{rows as directed_rows, Steer, Wish};
pub use write::write_launch;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use skeleton::program;
use warpsmith_isa::Isa;
use warpsmith_model::Launch;

/// The program of a seed, of a size that follows from the seed.
pub fn seeded(seed: u64, limits: &Limits) -> Launch {
    let size = 300 + 100 * (ChaCha8Rng::seed_from_u64(!seed).gen_range(0..28u32));
    generate(seed, limits, size)
}

/// The program of a seed: about `size` warp instructions executed over all warps.
pub fn generate(seed: u64, limits: &Limits, size: u32) -> Launch {
    let rng = ChaCha8Rng::seed_from_u64(seed);
    let launch = match limits.isa {
        Isa::Fermi => program::<fermi::State>(rng, limits, size),
        Isa::G13 => program::<g13::State>(rng, limits, size),
        Isa::Ivb => program::<ivb::State>(rng, limits, size),
        Isa::Sm10 => program::<sm10::State>(rng, limits, size),
    };
    let name = format!("random-{seed}");
    Launch { file: format!("{name}.toml").into(), program_file: format!("{name}.hex").into(), name, ..launch }
}

#[cfg(test)]
pub(crate) mod tests;
