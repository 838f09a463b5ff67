//! What keeps a simulation from being built.

use std::path::PathBuf;
use warpsmith_cxx::CxxError;

/// A simulation cannot be built or loaded.
#[derive(Debug, thiserror::Error)]
pub enum VerilatorError {
    /// A missing tool, Verilog or C++ that does not compile, a cache that cannot be written.
    #[error(transparent)]
    Cxx(#[from] CxxError),
    /// The shim.
    #[error("the shim cannot be rendered: {0}")]
    Shim(String),
    /// The built library.
    #[error("{}: cannot be loaded ({why}); remove the folder to build it again", path.display())]
    Load {
        /// Library.
        path: PathBuf,
        /// What happened.
        why: String,
    },
}

impl VerilatorError {
    /// Why Verilator cannot be used here, in a line: a tool that is missing, one that refuses its own runtime.
    /// `None` for any other error.
    pub fn unusable(&self) -> Option<String> {
        match self {
            Self::Cxx(CxxError::Tool { tool, why, .. }) => Some(format!("{tool}: {why}")),
            Self::Cxx(CxxError::Build { tool, lines, .. }) => {
                let first = lines.lines().find(|l| !l.trim().is_empty());
                Some(format!("{tool}: {}", first.unwrap_or("fails").trim()))
            }
            _ => None,
        }
    }
}
