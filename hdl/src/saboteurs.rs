//! Saboteurs in hardware: the blocks of a chip with those that its configuration asks for.

use crate::config::{ConfigError, GpuConfig};
use crate::{emit, gpu, harden};
use warpsmith_netlist::pass::inject::{inject, Chain, InjectError};
use warpsmith_netlist::Tree;

/// The blocks of a chip with the saboteurs that `cfg` asks for, and where in the chain each site is; no chain without any.
///
/// # Errors
/// A block that the chip does not have, or that has no state.
pub fn apply(cfg: &GpuConfig, tree: Tree) -> Result<(Tree, Option<Chain>), InjectError> {
    if cfg.saboteurs.is_empty() {
        return Ok((tree, None));
    }
    inject(tree, &cfg.saboteurs).map(|(tree, chain)| (tree, Some(chain)))
}

/// Whether the blocks that a configuration names, which is checked otherwise, are those of its chip.
///
/// # Errors
/// [`ConfigError::Impossible`] with the reason, as of [`apply`].
pub fn check(cfg: &GpuConfig) -> Result<(), ConfigError> {
    chain(cfg).map(drop)
}

/// The chain of a configuration that is checked otherwise.
///
/// # Errors
/// As [`check`].
pub fn chain(cfg: &GpuConfig) -> Result<Option<Chain>, ConfigError> {
    if cfg.saboteurs.is_empty() {
        return Ok(None);
    }
    let tree = emit::tree("warpsmith", &gpu::Gpu::new(cfg));
    let tree = harden::apply(cfg, tree).unwrap_or_else(|e| panic!("{e}"));
    apply(cfg, tree).map(|(_, chain)| chain).map_err(|e| ConfigError::Impossible {
        key: "saboteurs",
        value: format!("{:?}", cfg.saboteurs),
        why: e.to_string(),
    })
}
