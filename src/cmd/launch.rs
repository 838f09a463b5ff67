//! Launch files: programs in C are compiled for the chip of the command.

use super::chip::{target, Chip};
use crate::cli::{ChipArgs, SimArgs};
use anyhow::Result;
use std::path::Path;
use warpsmith_cosim::ChipInfo;
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
