//! Launch files: programs in C are compiled for the chip of the command, and the chip is one of the launch's
//! instruction set.

use super::chip::Chip;
use super::output::read_text;
use crate::cli::{ChipArgs, SimArgs, COMPUTE};
use anyhow::Result;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use warpsmith_cosim::chip_info;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_isa::{ChipInfo, Isa, Level};
use warpsmith_launch_file::archive;
use warpsmith_model::{Launch, LaunchError};

/// Loads a launch for the chip that `--config` and `--set` describe.
///
/// # Errors
/// Bad configuration; everything the launch file and the program are refused for.
pub fn load(path: impl AsRef<Path>, chip: &ChipArgs) -> Result<Launch> {
    load_spaced(path.as_ref(), chip, false)
}

/// [`load`]; `apart` with room between the buffers, for a run that is checked.
///
/// # Errors
/// As [`load`].
pub fn load_spaced(path: &Path, chip: &ChipArgs, apart: bool) -> Result<Launch> {
    let load = |chip: &ChipInfo| spaced(path, chip, apart);
    load(&Chip::resolve(chip)?.info()).map_err(|e| with_remedy(e.into(), chip, |other| load(other).is_ok()))
}

/// An error of a program on a chip; where the program is `taken` by the chip for compiled ones, its end says so.
pub fn with_remedy(e: anyhow::Error, chip: &ChipArgs, taken: impl FnOnce(&ChipInfo) -> bool) -> anyhow::Error {
    let other = Chip::resolve(&ChipArgs::compute()).ok().filter(|_| chip.config() != COMPUTE);
    match other.is_some_and(|other| taken(&other.info())) {
        true => anyhow::anyhow!("{e}; `--config {COMPUTE}` has all that it needs"),
        false => e,
    }
}

/// Gives open options of a chip the chip that the launches were packed for, if they are archives of one; that is said.
pub fn packed_chip(chip: &mut ChipArgs, launches: &[&PathBuf]) {
    if !chip.is_open() {
        return;
    }
    let mut found: Option<(PathBuf, PathBuf, String)> = None;
    for launch in launches {
        let of_launch = archive::chip(launch).and_then(|file| Some((read_text(&file).ok()?, file)));
        let Some((text, file)) = of_launch else { return };
        match &found {
            Some((_, _, other)) if *other != text => return,
            // The archive stays where it is; what it was unpacked to may go.
            _ if archive::is_archive(launch) => found = Some((launch.to_path_buf(), file, text)),
            _ => found = Some((file.clone(), file, text)),
        }
    }
    let Some((config, file, _)) = found else { return };
    let names: Vec<String> = launches.iter().map(|l| l.display().to_string()).collect();
    eprintln!("chip: {}, that of {}", GpuConfig::name_of(&file), names.join(", "));
    chip.config = Some(config.display().to_string());
}

/// Loads a launch for the chip to be simulated: `--rtl`'s, or the described one; `apart` as [`load_spaced`].
///
/// # Errors
/// As [`load`]; a folder that is no chip.
pub fn load_simulated(path: &Path, chip: &ChipArgs, sim: &SimArgs, apart: bool) -> Result<Launch> {
    match &sim.rtl {
        Some(folder) => Ok(spaced(path, &chip_info(folder)?, apart)?),
        None => load_spaced(path, chip, apart),
    }
}

fn spaced(path: &Path, chip: &ChipInfo, apart: bool) -> Result<Launch, LaunchError> {
    match apart {
        true => warpsmith_launch_file::load_apart(path, chip),
        false => warpsmith_launch_file::load_for(path, chip),
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
