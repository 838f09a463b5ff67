//! Golden models: whole warps, no lanes, no cycles; no host floating point but in the quick path of SM 1.0, which is
//! compared with the plain one.
//!
//! A [`Launch`] is what runs, [`Model`] runs it. Behind it [`Machine`] executes SM 1.0, [`Retired`] is the record of one of its warp
//! instructions, [`num`] its arithmetic. [`uop::Machine`] executes the other sets ([`sets`]). The crate does
//! not depend on the hardware description; both read the instruction tables of `warpsmith-isa`.

#![warn(missing_docs)]
#![forbid(unsafe_code)]
// Threads are indices: the same `l` walks masks, operands and results side by side.
#![allow(clippy::needless_range_loop)]

pub mod barrier;
pub mod divergence;
mod exec;
pub mod fermi;
pub mod g13;
pub mod ivb;
mod machine;
mod memory;
mod model;
mod mutant;
pub mod num;
mod parallel;
mod program;
mod quick;
mod record;
pub mod sets;
mod trap;
mod types;
pub mod undefined;
pub mod uop;
mod warp;
pub mod watch;

pub use machine::block::Standing;
pub use memory::Global;
pub use model::{Model, State, Stopped, Trace, Traced, Written};
pub use mutant::Mutant;
pub use record::{
    half_of, AccessKind, BarrierEvent, BlockId, Lanes, MemAccess, PredicateWrites, Retired, RetiredDst, Spread,
};
pub use trap::{FaultingAccess, Space, Trap, TrapCause};
pub use types::{ModelConfig, RunError, Stats, StepError};
pub use warp::{thread_id, Warp};
pub use warpsmith_launch as launch;
pub use warpsmith_launch::{Constants, Difference, GlobalMemory, Launch, LaunchError};

/// The golden model of one launch of SM 1.0.
pub type Machine = machine::Machine<machine::setup::Setup>;
