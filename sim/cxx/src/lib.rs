//! C++ around models of Verilator: how each text of this project is compiled, in one place.
//!
//! Our texts and Verilator's are compiled apart. Ours get the flags of [`Checks`]; what Verilator
//! writes and its runtime come as headers of the system, which are not warned about, and as objects.
//! Between both stands [`ports::model`]: a class whose every evaluation looks whether the inputs fit
//! their ports, because the code Verilator writes relies on it.

#![warn(missing_docs)]

pub mod cache;
pub mod checks;
mod error;
mod flags;
pub mod ports;
mod program;
pub mod tool;
mod verilated;

pub use checks::Checks;
pub use error::CxxError;
pub use flags::{GENERATED, SIMULATED};
pub use program::{checked_program, includes, program, Program};
pub use tool::verilator_version;
pub use verilated::{Model, Runtime};
pub use warpsmith_cache::{cache_dir, key};
pub use warpsmith_contract::Port;
