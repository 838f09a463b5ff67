//! One launch on one machine, from beginning to end: the golden model, an emitted chip on an engine, or a board.
//!
//! A [`Machine`] is made, runs a launch and is used up; every one of them gives the same [`Ran`]. How a launch ended is
//! a result ([`Ending`], with its text), never an error.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod beside;
mod machine;

pub use beside::{beside, Beside};
pub use machine::{Machine, RunError};
pub use warpsmith_cosim::{Ending, Ran};
