//! Runs the emitted chip under Verilator, alone or in lockstep with the golden model.
//!
//! The crate reads an emitted folder; it does not know the hardware description. [`Chip::open`]
//! builds and loads it, [`run_rtl`] runs a launch on it, [`cosim()`] runs it in lockstep with the
//! model, [`cosim_random`] does that for random programs.

#![warn(missing_docs)]
// Threads are indices: the same `l` walks masks, values and addresses side by side.
#![allow(clippy::needless_range_loop)]

pub mod chip;
pub mod cosim;
pub mod coverage;
pub mod design;
pub mod error;
pub mod folder;
pub mod host;
pub mod launch_sequence;
pub mod lockstep;
pub mod observe;
pub mod random;
pub mod simulation;

pub use chip::{Chip, ChipInfo};
pub use cosim::{
    cosim, cosim_disturbed, cosim_observed, cosim_random, patched_copy, CosimOptions, CosimReport,
    Outcome, RandomOptions, RandomReport,
};
pub use coverage::Coverage;
pub use design::Design;
pub use error::CosimError;
pub use host::{
    run_in_turn, run_observed, run_rtl, Counters, Ending, Host, RtlTrap, RunOptions, RunReport,
};
pub use launch_sequence::launch_sequence;
pub use simulation::{Collect, MemoryOptions, Simulation, Stop};
pub use warpsmith_contract::StallCause;
pub use warpsmith_engine_native::BuildOptions as NativeOptions;
pub use warpsmith_engine_verilator::BuildOptions;
