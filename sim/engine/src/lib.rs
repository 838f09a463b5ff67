//! The seam between a simulated chip and everything that drives it.
//!
//! Below the seam stands an engine: it turns a chip into [`Device`]s, which have ports, a clock and,
//! when the chip is open to fault injection, sites. Above it stand host, memory, trace, faults and
//! images of the whole state: they exist once and know no engine.
//!
//! A cycle is [`Device::eval`] (the logic settles after the inputs changed) and [`Device::edge`] (the
//! rising edge of the clock). Outputs of a cycle are read between the two.

#![warn(missing_docs)]

mod device;
mod state;

pub use device::{Device, Engine, Saboteur, Storage, WaveError};
pub use state::{Image, State};
