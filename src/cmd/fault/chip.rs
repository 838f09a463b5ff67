//! The injecting build of a chip, in the cache.

use crate::cli::ChipArgs;
use crate::cmd::{chip::Chip, rtl};
use anyhow::Result;
use std::path::PathBuf;

/// Folder of the cache with the injecting build, which has no trace port.
///
/// # Errors
/// Bad configuration; the cache cannot be written.
pub fn folder(args: &ChipArgs) -> Result<PathBuf> {
    let mut chip = Chip::resolve(args)?;
    chip.config.trace = false;
    rtl::emitted(&chip)
}
