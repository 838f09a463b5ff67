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
mod error;
mod library;
mod shim;

pub use build::{lint, BuildOptions, Module, WAIVERS};
pub use error::VerilatorError;
pub use library::Verilator;

/// Version of the runtime that the crate `verilated` linked into this program.
#[cfg(feature = "verilated")]
pub fn runtime_version() -> String {
    format!(
        "{} {}",
        verilated::api::product_name().to_string_lossy(),
        verilated::api::product_version().to_string_lossy()
    )
}

#[cfg(all(test, feature = "verilated"))]
mod beside_verilated;
#[cfg(all(test, feature = "verilated"))]
#[allow(clippy::all, missing_abi, missing_docs)]
mod int_unit;
#[cfg(test)]
mod tests;
