//! The chip of a command.

use super::output::read_text;
use crate::cli::ChipArgs;
use anyhow::Result;
use std::path::Path;
use warpsmith_compiler::Target;
use warpsmith_hdl::config::{GpuConfig, NAMES};
use warpsmith_hdl::emit::Emitted;
use warpsmith_model::Limits;

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
        let (mut name, mut config) = if NAMES.contains(&args.config.as_str()) || !looks_like_file(&args.config) {
            (args.config.clone(), GpuConfig::named(&args.config)?)
        } else {
            let path = Path::new(&args.config);
            let config = GpuConfig::from_toml(&args.config, &read_text(path)?)?;
            (GpuConfig::name_of(path), config)
        };
        for assignment in &args.set {
            config.set(assignment)?;
            name = format!("{name}-{}", assignment.replace('=', ""));
        }
        config.check()?;
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

    /// The chip as Verilog.
    pub fn emit(&self) -> Emitted {
        warpsmith_hdl::chip(&self.config, &self.name)
    }

    /// The same, open to fault injection.
    pub fn emit_injecting(&self) -> Emitted {
        warpsmith_hdl::injecting_chip(&self.config, &self.name)
    }
}

/// Properties of the chip for the compiler.
pub fn target(chip: &Chip) -> Target {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let c = &chip.config;
    Target {
        name: chip.name.clone(),
        float: c.float,
        sfu: c.sfus > 0,
        registers_per_sm: number(c.registers),
        warps: number(c.warps),
        blocks: number(c.blocks),
        shared_bytes: number(c.shared_bytes),
        program_bytes: number(c.program_bytes),
        constant_bytes: number(c.constant_bytes),
        // Local memory lies in global memory: the address is what bounds it.
        local_bytes: 65536,
        stack_depth: number(c.stack_depth),
    }
}

/// A path rather than a misspelt name.
fn looks_like_file(config: &str) -> bool {
    config.contains(['/', '\\']) || config.ends_with(".toml") || Path::new(config).is_file()
}

/// Limits of the chip for a launch.
pub fn limits(name: &str, config: &GpuConfig) -> Limits {
    let bytes = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Limits {
        config: name.to_string(),
        isa: config.isa.name(),
        max_registers_per_sm: bytes(config.registers),
        shared_bytes: bytes(config.shared_bytes),
        max_warps: bytes(config.warps),
        program_bytes: bytes(config.program_bytes),
        constant_bytes: bytes(config.constant_bytes),
        // Local memory lies in global memory: the address is what bounds it.
        local_bytes: 65536,
    }
}
