//! Runs emitted Verilog through Verilator, behind the seam of `warpsmith-engine`.
//!
//! Each simulation is a shared library built at run time by the installed Verilator, with its own copy
//! of the runtime: hidden visibility, a version script that exports only the `ws_` functions,
//! `-Bsymbolic` and `-fno-gnu-unique` keep every runtime symbol inside. The crate `verilated`, which a
//! cargo feature adds, links another copy into the program; the two never meet. Random power-on
//! values, seeds and waveforms are set on the library's own `VerilatedContext`, one for each device.
//!
//! Verilator is looked for when a simulation is built. All unsafe code is in `library.rs`: loading the
//! library, calling its functions, and reading and writing the storage they name.

#![warn(missing_docs)]

mod build;
mod executable;
mod library;
mod shim;
#[cfg(test)]
mod tests;

pub use build::{lint, BuildOptions, Module, WAIVERS};
pub use executable::{executable, Executable};
pub use library::Verilator;

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

/// Version of the runtime that the crate `verilated` linked into this program.
#[cfg(feature = "verilated")]
pub fn runtime_version() -> String {
    format!(
        "{} {}",
        verilated::api::product_name().to_string_lossy(),
        verilated::api::product_version().to_string_lossy()
    )
}
