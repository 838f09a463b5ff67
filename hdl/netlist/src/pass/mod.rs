//! Passes: functions from a chip to a chip.

mod dead_wires;
mod fold;
pub mod harden;
mod saboteur;

pub use dead_wires::dead_wires;
pub use fold::fold;
pub use saboteur::{open, saboteurs};
