//! Runs the emitted chip on an engine, alone or in lockstep with the golden model.
//!
//! The crate reads an emitted folder; it does not know the hardware description. [`Chip::open`]
//! builds and loads it, [`run_rtl`] runs a launch on it, [`cosim()`] runs it in lockstep with the
//! model, [`cosim_random`] does that for random programs.

#![warn(missing_docs)]
// Threads are indices: the same `l` walks masks, values and addresses side by side.
#![allow(clippy::needless_range_loop)]

mod checker;
pub mod chip;
pub mod cosim;
pub mod coverage;
pub mod design;
pub mod disturbed;
pub mod ending;
pub mod error;
pub mod figures;
pub mod folder;
pub mod host;
pub mod instruction;
pub mod launch_sequence;
pub mod lockstep;
pub mod observe;
pub mod outcome;
pub mod random;
pub mod readout;
pub mod simulation;

pub use checker::undefined_line;
pub use chip::{chip_info, Chip};
pub use cosim::{cosim, cosim_observed, cosim_random, RandomOptions, RandomReport};
pub use coverage::Coverage;
pub use design::{Choice, Design};
pub use disturbed::Disturbed;
pub use ending::{Ending, Ran};
pub use error::CosimError;
pub use figures::thousands;
pub use folder::patched_copy;
pub use host::{run_in_turn, run_observed, run_rtl, Host, RunOptions, RESET_CYCLES};
pub use launch_sequence::{launch_sequence, start_word};
pub use outcome::{CosimOptions, CosimReport, Outcome};
pub use readout::{Counters, RtlTrap};
pub use simulation::{Collect, Dram, MemoryOptions, MemoryTiming, PortLines, Simulation, Stop, DDR3, SDRAM};
pub use warpsmith_contract::StallCause;
pub use warpsmith_engine_native::BuildOptions as NativeOptions;
pub use warpsmith_engine_verilator::BuildOptions;
pub use warpsmith_isa::ChipInfo;
