//! Passes: functions from a chip to a chip.

mod dead_wires;
mod saboteur;

pub use dead_wires::dead_wires;
pub use saboteur::{open, saboteurs};
