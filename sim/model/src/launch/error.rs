//! What is wrong with a launch file.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a launch file cannot be run: place and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError {
    /// The file at fault: the launch file, or one it names.
    pub file: PathBuf,
    /// Line in it, from 1; `None` when the whole file is at fault.
    pub line: Option<usize>,
    /// Expected, found, remedy.
    pub message: String,
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for LaunchError {}

impl LaunchError {
    pub(crate) fn new(file: &Path, line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        LaunchError { file: file.to_path_buf(), line: line.into(), message: message.into() }
    }
}
