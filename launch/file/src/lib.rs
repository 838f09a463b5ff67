//! Launch files: TOML text and the files it names, as a [`Launch`]; programs in C are compiled.
//!
//! Format: docs/launch-file.md. Every error names the file, the line, the limit and what to do.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod archive;
mod args;
mod buffers;
mod compiled;
mod files;
mod heap;
mod parse;
mod picture;
mod placed;
mod raw;
mod textures;

pub use parse::{parse, parse_for};

use std::path::{Path, PathBuf};
use warpsmith_cache::input;
use warpsmith_isa::ChipInfo;
use warpsmith_launch::{Launch, LaunchError};

/// Reads and checks a launch file and the files it names, or an [archive] of them; a program in C is compiled
/// for a chip without limits.
///
/// # Errors
/// [`LaunchError`], naming the place; the first found.
pub fn load(path: impl AsRef<Path>) -> Result<Launch, LaunchError> {
    load_for(path, &ChipInfo::unlimited())
}

/// [`load`], where a program in C is compiled for a chip.
///
/// # Errors
/// [`LaunchError`], naming the place; the first found.
pub fn load_for(path: impl AsRef<Path>, chip: &ChipInfo) -> Result<Launch, LaunchError> {
    load_spaced(path.as_ref(), chip, false)
}

/// [`load_for`] for a run in which accesses outside buffers are looked for: room is left in front of the first buffer,
/// between them and behind the last one, so that what reaches beyond one does not fall into the next. Launches that
/// name addresses of their own stay as they are.
///
/// # Errors
/// [`LaunchError`], naming the place; the first found.
pub fn load_apart(path: impl AsRef<Path>, chip: &ChipInfo) -> Result<Launch, LaunchError> {
    load_spaced(path.as_ref(), chip, true)
}

fn load_spaced(path: &Path, chip: &ChipInfo, apart: bool) -> Result<Launch, LaunchError> {
    if archive::is_archive(path) {
        return archive::load(path, chip, apart);
    }
    let fail = |e| LaunchError::new(path, None, format!("cannot read the launch file: {e}"));
    // The shell makes pipes: run <(script).
    let bytes = input::read_any(path, input::TEXT).map_err(|e| fail(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is not text".into()))?;
    parse::parse_spaced(path, &text, chip, apart)
}

/// The files a launch file names: programs, data, expectations; none where it cannot be read, which
/// [`load`] says.
pub fn named_files(path: &Path) -> Vec<PathBuf> {
    let text = input::read(path, input::TEXT).ok();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or(vec![], |text| raw::named_files(path, &text))
}
