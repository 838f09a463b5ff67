//! Why a package cannot be made.

use crate::chip::ChipError;
use crate::wrap::WrapError;
use std::path::PathBuf;
use warpsmith_cosim::CosimError;

/// Why there is no package.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file of the emitted chip is not there.
    #[error("the emitted chip has no {0}")]
    NoFile(&'static str),
    /// Its manifest.
    #[error(transparent)]
    Chip(#[from] ChipError),
    /// The wrapper.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// The testbench's kernel does not fit the chip.
    #[error("the testbench's kernel: {0}")]
    Kernel(#[from] CosimError),
    /// The testbench's kernel does not fit the board's memory.
    #[error("--memory {have}: the testbench's kernel needs {need} bytes")]
    Memory {
        /// The board's.
        have: u64,
        /// The kernel's.
        need: u64,
    },
    /// A template could not be filled in.
    #[error("a template of the package: {0}")]
    Template(#[from] askama::Error),
    /// A file cannot be written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
