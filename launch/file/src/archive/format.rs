//! What an archive is known by, and what it says of itself.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

/// Ending of the name of an archive.
pub(super) const ENDING: &str = ".tar.gz";
/// Version of the format.
pub(super) const FORMAT: u32 = 1;
/// The manifest's name.
pub(super) const MANIFEST: &str = "warpsmith.toml";
/// The launch file's name.
pub(super) const LAUNCH: &str = "launch.toml";
/// The first bytes of what gzip writes.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What an archive says of itself.
#[derive(Serialize, Deserialize)]
pub(super) struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// The program that made it, with its version.
    pub tool: String,
    /// Where the PTX of a program in C comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// The file with the chip.
    pub chip: String,
    /// Digests of all files but the manifest, by name.
    pub files: BTreeMap<String, String>,
}

/// Whether a path is an archive rather than a launch file: by its contents, or its name.
pub fn is_archive(path: &Path) -> bool {
    let named = path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(ENDING));
    // A pipe is read once.
    let file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    file && (named || begins(path).is_ok_and(|head| head == GZIP))
}

/// The first two bytes of a file.
fn begins(path: &Path) -> std::io::Result<[u8; 2]> {
    let mut head = [0; 2];
    std::fs::File::open(path)?.read_exact(&mut head)?;
    Ok(head)
}

/// SHA-256 in hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut s, b| {
        let _ = write!(s, "{b:02x}");
        s
    })
}
