//! The injecting chip of a campaign.

use crate::cli::ChipArgs;
use crate::cmd::chip::Chip;
use crate::cmd::rtl;
use anyhow::Result;
use std::path::PathBuf;

/// Folder of the cache with the injecting build of a chip. The trace port is left out: it is for
/// watching, and its registers are no part of the machine.
///
/// # Errors
/// Bad configuration; the cache cannot be written.
pub fn folder(args: &ChipArgs) -> Result<PathBuf> {
    let mut chip = Chip::resolve(args)?;
    chip.config.trace = false;
    rtl::written(&chip.emit_injecting())
}

/// The same with the trace port, for lockstep.
///
/// # Errors
/// As [`folder`].
pub fn traced_folder(args: &ChipArgs) -> Result<PathBuf> {
    let mut chip = Chip::resolve(args)?;
    chip.config.trace = true;
    rtl::written(&chip.emit_injecting())
}
