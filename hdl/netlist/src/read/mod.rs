//! Readers: a file becomes a [`Design`](crate::Design), or an error that names file and place.

mod error;
mod netlist;
mod yosys;

pub use error::ReadError;
pub use netlist::netlist;
pub use yosys::{identifier, yosys};
