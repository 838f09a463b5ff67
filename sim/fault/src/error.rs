//! Errors of making, running and reading a campaign. The effect of a fault is a result, never an error.

use std::path::{Path, PathBuf};
use thiserror::Error;
use warpsmith_cosim::CosimError;

/// Something prevented the work: exit code 2 of the command line.
#[derive(Debug, Error)]
pub enum FaultError {
    /// A file, with the line where that helps.
    #[error("{}{}: {what}", path.display(), line.map_or(String::new(), |l| format!(":{l}")))]
    File {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: Option<usize>,
        /// The mistake and its remedy.
        what: String,
    },
    /// The request cannot be done; the text says what was expected.
    #[error("{0}")]
    Ask(String),
    /// The fault-free control run is not what it must be: nothing is reported.
    #[error("the fault-free control run failed: {0}")]
    Control(String),
    /// The chip could not be built or run.
    #[error(transparent)]
    Cosim(#[from] CosimError),
    /// The results' database.
    #[error("{}: {why}: {advice}", path.display())]
    Store {
        /// Database file.
        path: PathBuf,
        /// SQLite's error.
        why: Box<rusqlite::Error>,
        /// What to do.
        advice: &'static str,
    },
}

impl FaultError {
    /// A file that cannot be read or written, or is wrong as a whole.
    pub fn file(path: &Path, what: impl ToString) -> Self {
        FaultError::File { path: path.to_path_buf(), line: None, what: what.to_string() }
    }

    /// A line of a file.
    pub fn line(path: &Path, line: usize, what: impl ToString) -> Self {
        FaultError::File { path: path.to_path_buf(), line: Some(line), what: what.to_string() }
    }
}
