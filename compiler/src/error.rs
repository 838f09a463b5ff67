//! Errors of the compiler: place in the source, mistake, remedy.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Message for PTX without kernels.
pub(crate) const NO_KERNEL: &str =
    "there is no kernel in it: PTX begins one with `.entry`; is the end of the file missing?";

/// A place in a source file: file by index into [`Unit::files`](crate::program::Unit::files), line from 1.
///
/// `line` 0 means unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Loc {
    /// Index of the file in the module's table.
    pub file: u16,
    /// Line, from 1; 0 is unknown.
    pub line: u32,
}

/// Why a program cannot be compiled.
///
/// `file` and `line` name the C source where the PTX carries `.loc` lines, else the PTX file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// Name of the source file as the caller gave it, or as `.file` of the PTX names it.
    pub file: String,
    /// Line from 1; `None` when the whole file is at fault.
    pub line: Option<u32>,
    /// What was expected or is not possible, and what to do instead.
    pub message: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for CompileError {}
