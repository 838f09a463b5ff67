//! A campaign file with its chip and launch.

use super::chip;
use crate::cli::{ChipArgs, Engine};
use crate::cmd::launch::load;
use anyhow::{bail, Result};
use std::path::{Path, PathBuf};
use warpsmith_cosim::{BuildOptions, Design};
use warpsmith_fault::campaign::{chip_digest, launch_digest};
use warpsmith_fault::{Campaign, Golden, Header, Sites};
use warpsmith_model::Launch;

/// A campaign, its chip and its launch.
pub struct LoadedCampaign {
    path: PathBuf,
    pub campaign: Campaign,
    pub chip: ChipArgs,
    folder: PathBuf,
    launch: Launch,
}

impl LoadedCampaign {
    /// Reads a campaign file; nothing is simulated yet.
    ///
    /// # Errors
    /// A mistake in the file; a chip or a launch that is not the one the faults were drawn for.
    pub fn read(path: &Path) -> Result<Self> {
        let header = Header::read(path)?;
        let args = ChipArgs { config: Some(header.chip_config(path)), set: header.set.clone() };
        let folder = chip::folder(&args)?;
        let launch = load(header.launch_path(path), &args)?;
        let (chip, program) = (chip_digest(&folder)?, launch_digest(&launch));
        header.check(path, &chip, &program)?;
        let mut campaign = Campaign::read(path, &Sites::load(&folder)?)?;
        // A list made by hand need not say these.
        (campaign.header.chip, campaign.header.program) = (chip, program);
        Ok(LoadedCampaign { path: path.to_path_buf(), campaign, chip: args, folder, launch })
    }

    /// The engine for waveforms where the choice is left to the program, which says it.
    ///
    /// # Errors
    /// The cache cannot be read.
    pub fn engine_of_waves(&self) -> Result<Engine> {
        let options = BuildOptions { wave: true, ..BuildOptions::default() };
        let choice = Design::choice(&self.folder, &options)?;
        eprintln!("{choice}");
        Ok(match choice.native {
            true => Engine::Native,
            false => Engine::Verilator,
        })
    }

    /// Makes the chip on an engine and runs it without a fault.
    ///
    /// # Errors
    /// Missing tools; a run that fails, or is not as long as it was when the faults were drawn.
    pub fn golden(&mut self, engine: Engine) -> Result<Golden> {
        let header = &mut self.campaign.header;
        let golden = chip::golden(engine, &self.folder, self.launch.clone(), header.power_on)?;
        if header.cycles != 0 && header.cycles != golden.cycles() {
            bail!(
                "{}: the fault-free run has {} cycles and not {}: draw the faults again with `warpsmith fault plan`",
                self.path.display(),
                golden.cycles(),
                header.cycles
            );
        }
        header.cycles = golden.cycles();
        Ok(golden)
    }
}
