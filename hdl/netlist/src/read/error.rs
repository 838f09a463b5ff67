//! Mistakes of a file, and where they are.

use std::path::{Path, PathBuf};

/// Why a file is no design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {place}{what}; {remedy}", file.display())]
pub struct ReadError {
    /// The file.
    pub file: PathBuf,
    /// Where in it, with `: ` behind it; empty for the whole.
    place: String,
    /// The mistake.
    what: String,
    /// What to do.
    remedy: &'static str,
}

/// A mistake and the way to it, the innermost place first.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) places: Vec<String>,
    pub(super) what: String,
}

/// Makes a fault of a text.
pub(super) fn fault<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { places: vec![], what: what.into() })
}

impl Fault {
    pub(super) fn error(self, file: &Path, remedy: &'static str) -> ReadError {
        let places = self.places.iter().rev();
        ReadError { file: file.into(), place: places.map(|p| format!("{p}: ")).collect(), what: self.what, remedy }
    }
}

/// Says where a fault was found.
pub(super) trait At<T> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Fault>;
}

impl<T> At<T> for Result<T, Fault> {
    fn at(self, place: impl FnOnce() -> String) -> Self {
        self.map_err(|mut e| {
            e.places.push(place());
            e
        })
    }
}
