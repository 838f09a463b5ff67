//! Files that are there whole or not at all.

use std::path::Path;

/// Writes a file under a temporary name beside it, then renames it.
///
/// # Errors
/// Those of the system.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> std::io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    part.push(format!(".part{}", std::process::id()));
    std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, path))
}
