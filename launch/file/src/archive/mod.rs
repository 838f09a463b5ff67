//! Launch archives: a launch file with everything that it names, as one file.
//!
//! An archive is a tar in gzip with one folder. In it `warpsmith.toml`, the manifest, says which files there are, with
//! the SHA-256 digest of each; `launch.toml` is the launch file, whose paths stay in the folder. A program in C is there
//! as PTX, with its sources beside it for their lines. `chip/NAME.toml` is the chip that it was made for. The same
//! input gives the same bytes: entries are sorted and have no times.

mod document;
mod format;
mod pack;
mod unpack;

pub use format::is_archive;
pub use pack::{pack, Packed};

use crate::parse::parse_spaced;
use format::{Manifest, LAUNCH, MANIFEST};
use std::path::{Path, PathBuf};
use warpsmith_cache::input;
use warpsmith_isa::ChipInfo;
use warpsmith_launch::{Launch, LaunchError};

/// Loads the launch of an archive.
///
/// # Errors
/// An archive that is damaged or none, and all that launch files are refused for.
pub(crate) fn load(path: &Path, chip: &ChipInfo, apart: bool) -> Result<Launch, LaunchError> {
    let folder = unpack::folder(path)?;
    let file = folder.join(LAUNCH);
    let text = input::read(&file, input::TEXT).map(String::from_utf8);
    let Ok(Ok(text)) = text else { return Err(LaunchError::new(&path.join(LAUNCH), None, "it is not text")) };
    let launch = parse_spaced(&file, &text, chip, apart).map_err(|e| inside(path, &folder, e))?;
    Ok(Launch { file: path.into(), ..launch })
}

/// An error of an unpacked file as one of the archive.
fn inside(path: &Path, folder: &Path, e: LaunchError) -> LaunchError {
    let file = match e.file.strip_prefix(folder) {
        Ok(name) => path.join(name),
        Err(_) => e.file,
    };
    let message = e.message.replace(&format!("{}/", folder.display()), &format!("{}/", path.display()));
    LaunchError { file, message, ..e }
}

/// The file with the chip that a launch was packed for: of an archive, or of the folder of an unpacked one. None where
/// the launch file is of neither, or of a damaged one, which `load_for` says.
pub fn chip(path: &Path) -> Option<PathBuf> {
    let folder = match is_archive(path) {
        true => unpack::folder(path).ok()?,
        false => path.parent()?.to_path_buf(),
    };
    let text = input::read(&folder.join(MANIFEST), input::TEXT).ok()?;
    let manifest: Manifest = toml::from_str(&String::from_utf8(text).ok()?).ok()?;
    // As the unpacked archive: what is named lies in its folder.
    let chip = folder.join(unpack::safe(&manifest.chip)?);
    chip.is_file().then_some(chip)
}
