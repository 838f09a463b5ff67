//! The chip of a command.

use super::output::read_text;
use crate::cli::ChipArgs;
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use warpsmith_hdl::config::{GpuConfig, NAMES};
use warpsmith_hdl::emit::Emitted;
use warpsmith_isa::ChipInfo;
use warpsmith_launch_file::archive;

/// A checked configuration and the name it goes by.
pub struct Chip {
    pub name: String,
    pub config: GpuConfig,
}

impl Chip {
    /// Resolves `--config` and `--set`.
    ///
    /// # Errors
    /// Unknown name, unreadable or wrong file, unknown key, impossible combination.
    pub fn resolve(args: &ChipArgs) -> Result<Self> {
        let (mut name, mut config) = if NAMES.contains(&args.config()) || !looks_like_file(args.config()) {
            (args.config().into(), GpuConfig::named(args.config())?)
        } else {
            let path = described(Path::new(args.config()))?;
            let config = GpuConfig::from_toml(&path.display().to_string(), &read_text(&path)?)?;
            (GpuConfig::name_of(&path), config)
        };
        for assignment in &args.set {
            config.set(assignment)?;
            name = format!("{name}-{}", assignment.replace('=', "").replace(',', "+"));
        }
        warpsmith_hdl::check(&config)?;
        Ok(Self { name, config })
    }

    /// The same for hardware: only lockstep reads the trace port, elsewhere it is wires for nothing,
    /// so it is left out unless asked for.
    ///
    /// # Errors
    /// As [`Chip::resolve`].
    pub fn for_hardware(args: &ChipArgs) -> Result<Self> {
        let mut chip = Self::resolve(args)?;
        chip.config.trace &= args.set.iter().any(|s| s.starts_with("trace="));
        Ok(chip)
    }

    /// What it executes and has.
    pub fn info(&self) -> ChipInfo {
        warpsmith_hdl::info(&self.config, &self.name)
    }

    /// The chip as Verilog.
    pub fn emit(&self) -> Emitted {
        warpsmith_hdl::chip(&self.config, &self.name)
    }

    /// The same, open to fault injection.
    pub fn emit_injecting(&self) -> Emitted {
        warpsmith_hdl::injecting_chip(&self.config, &self.name)
    }
}

/// The file that describes a chip: of a launch archive the one in it.
fn described(path: &Path) -> Result<PathBuf> {
    match archive::is_archive(path) {
        true => archive::chip(path).with_context(|| format!("{}: no launch archive with a chip", path.display())),
        false => Ok(path.into()),
    }
}

/// A path rather than a misspelt name.
fn looks_like_file(config: &str) -> bool {
    config.contains(['/', '\\']) || config.ends_with(".toml") || Path::new(config).is_file()
}
