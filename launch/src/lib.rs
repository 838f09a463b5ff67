//! A launch: what runs (program, grid, memories) and what is expected of it, as data.
//!
//! `warpsmith-launch-file` makes one of a file; models, chips and boards run it. [`Launch::check`] finds what is wrong
//! on every chip, [`Launch::check_fits`] compares with a chip, [`Launch::compare`] with the memory after the run. Every
//! error names the file, the line, the limit and what to do.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod check;
mod chip;
mod compare;
mod launch;
mod lines;
pub mod memory;
mod print;
mod program;
pub mod snapshot;

pub use chip::UNIFORM_BYTES;
pub use compare::{ulp_distance, Difference};
pub use launch::{room, Buffer, ConstantSection, GlobalSection, KeyLines, Launch, LaunchError};
pub use lines::SourceLines;
pub use memory::{Constants, GlobalMemory};
pub use print::Printed;
pub use program::Program;

/// Bytes of global memory that a guard keeps kernels out of, from address 0 on.
pub use warpsmith_contract::registers::GUARD_BYTES;
