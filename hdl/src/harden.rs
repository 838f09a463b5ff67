//! Hardening: the blocks of a chip with the schemes of its configuration in them.

use crate::config::{ConfigError, GpuConfig};
use crate::emit;
use crate::gpu::Gpu;
use warpsmith_netlist::pass::harden::{harden, PlanError, Sinks};
use warpsmith_netlist::Tree;

/// The blocks of a chip, protected as `cfg` says.
///
/// # Errors
/// A scheme of a block that the chip does not have, or that has nothing of the kind.
pub fn apply(cfg: &GpuConfig, tree: Tree) -> Result<Tree, PlanError> {
    if cfg.harden.is_empty() {
        return Ok(tree);
    }
    harden(tree, &cfg.harden, &Sinks { corrected: "launch_chip_corrected", detected: "launch_chip_detected" })
}

/// Whether the schemes of a configuration that is checked otherwise fit its chip.
///
/// # Errors
/// [`ConfigError::Impossible`] with the reason, as of [`apply`].
pub fn check(cfg: &GpuConfig) -> Result<(), ConfigError> {
    if cfg.harden.is_empty() {
        return Ok(());
    }
    apply(cfg, emit::tree("warpsmith", &Gpu::new(cfg))).map(|_| ()).map_err(|e| {
        let schemes: Vec<String> = cfg.harden.iter().map(|(block, s)| format!("{block} = \"{s}\"")).collect();
        ConfigError::Impossible { key: "harden", value: format!("{{ {} }}", schemes.join(", ")), why: e.to_string() }
    })
}
