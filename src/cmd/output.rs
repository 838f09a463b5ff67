//! Output that never panics and files that are never half written.

use anyhow::{Context, Result};
use std::io::{self, Write};
use std::path::Path;
use warpsmith_cache::input;

/// Writes to stdout; a closed pipe comes back as an error that `main` keeps quiet about.
pub fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a file under a temporary name beside it, then renames: a reader sees all or nothing.
///
/// # Errors
/// Names the path.
pub fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    warpsmith_cache::whole::write_with(path, write).with_context(|| path.display().to_string())
}

/// Writes bytes or a text in the same way.
///
/// # Errors
/// Names the path.
pub fn write_all(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    write_file(path, |out| out.write_all(contents.as_ref()))
}

/// Prints an object as JSON on one line.
pub fn print_json(object: impl Into<serde_json::Value>) -> Result<()> {
    print(&format!("{}\n", object.into()))
}

/// Reads a file, or what comes through a pipe, up to a bound.
///
/// # Errors
/// Names the path.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    input::read_any(path, input::TEXT).with_context(|| path.display().to_string())
}

/// Reads a text file; the error names the path.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("{}: text is needed here, this file is binary", path.display()))
}

/// The ending of a file name, lower case, without the dot.
pub fn ending(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
