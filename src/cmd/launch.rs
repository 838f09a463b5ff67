//! Launch files: programs in C are compiled for the chip of the command, and the chip is one of the launch's
//! instruction set.

use super::chip::{target, Chip};
use crate::cli::{ChipArgs, SimArgs};
use anyhow::Result;
use std::path::Path;
use warpsmith_cosim::ChipInfo;
use warpsmith_model::launch::{CHIP, OF_CHIPS};
use warpsmith_model::{Launch, Target};

/// Loads a launch for the chip that `--config` and `--set` describe.
///
/// # Errors
/// Bad configuration; everything the launch file and the program are refused for.
pub fn load(path: impl AsRef<Path>, chip: &ChipArgs) -> Result<Launch> {
    Ok(Launch::load_for(path, &target(&Chip::resolve(chip)?))?)
}

/// Properties for the compiler of the chip to be simulated: `--rtl`'s, or the described one.
///
/// # Errors
/// Bad configuration, a folder that is no chip.
pub fn simulated(chip: &ChipArgs, sim: &SimArgs) -> Result<Target> {
    match &sim.rtl {
        Some(folder) => Ok(ChipInfo::load(folder)?.target()),
        None => Ok(target(&Chip::resolve(chip)?)),
    }
}

/// The chip's options where `--config` and `--set` name no instruction set: with that of the launch, which is
/// said. A launch of a set that the chip does not execute is refused later, by its limits.
///
/// # Errors
/// Bad configuration.
pub fn chip_for(chip: &ChipArgs, launch: &Launch) -> Result<ChipArgs> {
    let mut chip = chip.clone();
    let named = chip.set.iter().any(|s| s.trim_start().starts_with("isa"));
    let open = !named && Chip::resolve(&chip)?.config.isa.name() == CHIP;
    let isa = launch.isa;
    if open && isa != CHIP && OF_CHIPS.contains(&isa) {
        eprintln!("isa: {isa}, that of {}", launch.file.display());
        chip.set.push(format!("isa={isa}"));
    }
    Ok(chip)
}
