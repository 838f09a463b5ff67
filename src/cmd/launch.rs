//! Launch files: programs in C are compiled for the chip of the command, and the chip is one of the launch's
//! instruction set.

use super::chip::Chip;
use crate::cli::{ChipArgs, SimArgs};
use anyhow::Result;
use std::fmt::Display;
use std::path::Path;
use warpsmith_cosim::chip_info;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_isa::{ChipInfo, Isa, Level};
use warpsmith_model::Launch;

/// Loads a launch for the chip that `--config` and `--set` describe.
///
/// # Errors
/// Bad configuration; everything the launch file and the program are refused for.
pub fn load(path: impl AsRef<Path>, chip: &ChipArgs) -> Result<Launch> {
    Ok(warpsmith_launch_file::load_for(path, &Chip::resolve(chip)?.info())?)
}

/// The chip to be simulated: `--rtl`'s, or the described one.
///
/// # Errors
/// Bad configuration, a folder that is no chip.
pub fn simulated(chip: &ChipArgs, sim: &SimArgs) -> Result<ChipInfo> {
    match &sim.rtl {
        Some(folder) => Ok(chip_info(folder)?),
        None => Ok(Chip::resolve(chip)?.info()),
    }
}

/// The chip's options where `--config` and `--set` name no instruction set, or no level of SM 1.x: with that of the
/// launch, which is said. A launch of a set that the chip does not execute is refused later, by its limits.
///
/// # Errors
/// Bad configuration.
pub fn chip_for(chip: &ChipArgs, launch: &Launch) -> Result<ChipArgs> {
    let isa = launch.isa();
    let chip = with(chip, launch, ("isa", isa), |c| c.isa == Isa::Sm10 && isa != Isa::Sm10)?;
    level_for(&chip, launch)
}

/// The same of the level of SM 1.x alone.
///
/// # Errors
/// Bad configuration.
pub fn level_for(chip: &ChipArgs, launch: &Launch) -> Result<ChipArgs> {
    let level = launch.level;
    with(chip, launch, ("level", level), |c| c.level == Level::Sm10 && level != Level::Sm10)
}

/// The options with a key of the launch, where none of them is about it and the chip is `open` to it.
fn with(
    chip: &ChipArgs, launch: &Launch, (key, value): (&str, impl Display), open: impl Fn(&GpuConfig) -> bool,
) -> Result<ChipArgs> {
    let mut chip = chip.clone();
    let named = chip.set.iter().any(|s| s.trim_start().starts_with(key));
    if !named && open(&Chip::resolve(&chip)?.config) {
        eprintln!("{key}: {value}, that of {}", launch.file.display());
        chip.set.push(format!("{key}={value}"));
    }
    Ok(chip)
}
