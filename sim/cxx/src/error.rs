//! Why nothing could be built.

use std::path::PathBuf;
use thiserror::Error;

/// Something kept a program or library from being built.
#[derive(Debug, Error)]
pub enum CxxError {
    /// A tool from outside is missing or too old.
    #[error("{tool} not found or not usable ({why}); simulating the Verilog needs it (Verilator 5.006 or later, g++, make). Install it ({install}), set {variable}, or run the netlist (--engine native); `warpsmith doctor` lists what is present")]
    Tool {
        /// Program tried.
        tool: String,
        /// What happened.
        why: String,
        /// Variable that names another program.
        variable: &'static str,
        /// Command that installs it.
        install: &'static str,
    },
    /// A tool refused its input.
    #[error("{tool} failed in {}:\n  {lines}\nthe whole output is in log.txt there", dir.display())]
    Build {
        /// Program.
        tool: String,
        /// Folder it ran in.
        dir: PathBuf,
        /// First lines of its complaint.
        lines: String,
    },
    /// The build cache.
    #[error("{}: {source}; set WARPSMITH_CACHE to a folder that can be written", path.display())]
    Cache {
        /// Path.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
    /// The variable that says how C++ is checked.
    #[error("WARPSMITH_CXX_CHECKS is `{0}`; it is none, strict or sanitize")]
    Checks(String),
}
