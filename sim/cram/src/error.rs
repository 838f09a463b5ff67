//! What is wrong with a file.

use std::path::{Path, PathBuf};

/// A file that cannot be read, or does not belong to the others.
#[derive(Debug, thiserror::Error)]
#[error("{}: {what}", path.display())]
pub struct CramError {
    /// The file.
    pub path: PathBuf,
    /// What was found, what was expected, and what to do.
    pub what: String,
}

impl CramError {
    pub(crate) fn new(path: &Path, what: impl Into<String>) -> Self {
        CramError { path: path.into(), what: what.into() }
    }
}

/// A file's text.
pub(crate) fn text(path: &Path) -> Result<String, CramError> {
    std::fs::read_to_string(path).map_err(|e| CramError::new(path, e.to_string()))
}
