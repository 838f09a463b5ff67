//! Programs that are tried: the project's, and generated ones, whose expectations the model computes.

use super::steering::{Like, Steering};
use crate::cmd::chip::Chip;
use anyhow::{bail, Result};
use std::path::Path;
use warpsmith_bench::{lacks, suite};
use warpsmith_cosim::random::{directed_lanes, directed_words, generate, Limits};
use warpsmith_isa::{ChipInfo, Isa};
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::{Launch, ModelConfig};
use warpsmith_run::Machine;

/// Warp instructions after which the model gives a program up.
const LIMIT: u64 = 1 << 24;
/// Warp instructions of a program of the suite, at most: longer ones take long with every fault.
const LONG: u64 = 1_500;
/// Warp instructions of a program with control flow.
const SIZE: u32 = 300;

/// The project's kernels that the chip can run; none in a folder without `kernels/` but those that this program has.
///
/// # Errors
/// A kernel that cannot be read.
pub fn of_the_project(chip: &Chip) -> Result<Vec<Launch>> {
    let info = chip.info();
    let mut cases = match Path::new("kernels").is_dir() {
        true => suite::cases(Path::new("."))?,
        false => suite::built_in(),
    };
    cases.retain(|c| c.in_baseline());
    let mut launches = vec![];
    for case in cases {
        let mut launch = case.launch;
        launch.name = case.name;
        let fits = launch.isa() == info.isa && launch.check_fits(&info).is_ok() && lacks(&info, &launch).is_none();
        if !fits || launch.expects.is_empty() {
            continue;
        }
        if let Ok((_, instructions)) = modelled(&launch, &info) {
            if instructions <= LONG {
                launches.push(launch);
            }
        }
    }
    Ok(launches)
}

/// Generates programs, one after the other.
pub struct Generator {
    limits: Limits,
    info: ChipInfo,
    seed: u64,
    made: u64,
}

impl Generator {
    /// For a chip.
    ///
    /// # Errors
    /// A chip of another instruction set than SM 1.0's.
    pub fn new(chip: &Chip, seed: u64) -> Result<Self> {
        let info = chip.info();
        if info.isa != Isa::Sm10 {
            bail!(
                "fault selftest writes programs of {}; the chip `{}` is one of {}",
                Isa::Sm10.name(),
                chip.name,
                info.isa.name()
            );
        }
        Ok(Generator { limits: Limits::of(&info, info.tier), info, seed, made: 0 })
    }

    /// What programs may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The next one.
    ///
    /// # Errors
    /// The model does not run it: an error of the generator.
    pub fn next(&mut self, steering: &mut Steering) -> Result<(Launch, Like)> {
        let seed = self.seed.wrapping_mul(1 << 20).wrapping_add(self.made);
        self.made += 1;
        let like = steering.like();
        let mut launch = match like {
            Like::Flow => generate(seed, &self.limits, SIZE),
            Like::Words => directed_words(seed, &self.limits, &steering.next()),
            Like::Lanes => directed_lanes(seed, &self.limits, &steering.next()),
        };
        launch.name = format!("p{:03}", self.made);
        launch.file = format!("{}.toml", launch.name).into();
        launch.expects = modelled(&launch, &self.info)?.0;
        Ok((launch, like))
    }
}

/// Memory that the model leaves, and the warp instructions it takes.
fn modelled(launch: &Launch, info: &ChipInfo) -> Result<(Vec<GlobalSection>, u64)> {
    let config = ModelConfig::of_chip(info);
    let ran = Machine::Model { config, limit: LIMIT, threads: 1, trace: None, check: false }.run(launch)?;
    if let Some(why) = ran.ending.why(launch, "") {
        bail!("internal error, please report it: {}: {why}", launch.name);
    }
    let bytes = ran.global.read(0, launch.global_bytes as usize);
    Ok((vec![GlobalSection::new(0, bytes)], ran.counters.warp_instructions))
}
