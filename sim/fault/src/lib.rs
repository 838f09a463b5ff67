//! Fault-injection campaigns on the emitted chip.
//!
//! [`site`] lists the places of faults, [`fault`] the fault models, [`campaign`] is the list of faults as
//! a readable file, [`plan`] draws it; [`golden`] runs the chip without a fault and keeps checkpoints, a
//! [`simulator`] runs it with faults ([`serial`]: one at a time; [`run_all`]: a list; [`hardware`]: on a board), [`record`] is the result; [`run`] runs all
//! rows on all cores and resumes after a kill, [`slurm`] runs them on a cluster, [`store`] keeps the
//! results, [`report`] counts them, [`replay`] explains one, [`trail`] follows it cycle by cycle.
//!
//! The crate reads emitted folders, as `warpsmith-cosim` does; it does not know the hardware
//! description.

#![warn(missing_docs)]

pub mod campaign;
mod classify;
pub mod coverage;
pub mod differential;
pub mod engine;
pub mod error;
pub mod fault;
pub mod golden;
mod hardened;
pub mod hardware;
mod many;
pub mod plan;
pub mod record;
pub mod replay;
pub mod report;
mod resumable;
pub mod run;
pub mod serial;
pub mod simulator;
pub mod site;
pub mod slurm;
pub mod store;
pub mod trail;

pub use campaign::{Campaign, Collapsed, Header, Row};
pub use differential::{DifferentialSimulator, Mutant, Reference};
pub use engine::{Engine, RanOn};
pub use error::FaultError;
pub use fault::{Fault, FaultKind};
pub use golden::{Golden, Opened};
pub use hardware::{Hardware, HardwareSimulator};
pub use many::run_all;
pub use record::{FaultOutcome, How, Pattern, Record};
pub use replay::{ErrorClass, Explanation, Replay, Traced};
pub use report::Report;
pub use serial::SerialSimulator;
pub use simulator::{Counts, FaultSimulator, SimulatorOptions};
pub use site::{Filter, Site, SiteKind, Sites};
pub use store::{store_files, Meta, Store};
pub use trail::Step;
