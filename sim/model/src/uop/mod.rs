//! Execution of micro-operations, shared by the golden models of the instruction sets but SM 1.0's own.
//!
//! A set gives its registers ([`Registers`]), its way to diverge ([`Divergence`]) and the start of a warp
//! ([`Set`]); [`Machine`] runs a launch of it. Floats are [`ieee`]; [`eval()`] computes one lane's result.

mod access;
mod bits;
pub mod cause;
pub mod cross;
pub mod eval;
pub mod ieee;
mod machine;
pub mod memory;
pub mod program;
pub(crate) mod read;
mod rectangle;
pub mod registers;
mod retire;
mod sine;
pub mod special;
mod undefined;
pub mod warp;

pub use cause::{Cause, Trap};
pub use eval::eval;
pub use memory::{Env, Geometry};
pub use program::{Program, Rules, Slot};
pub use registers::{RegisterFile, Registers};
pub use warp::{Core, Divergence, Moved, Set, Step, Warp, Write};

/// The golden model of one launch of a set.
pub type Machine = crate::machine::Machine<machine::Setup>;

/// How a run ended before its end.
pub type Ended = crate::types::RunError<Trap>;
