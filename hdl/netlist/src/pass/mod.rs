//! Passes: functions from a chip to a chip.

mod build;
mod dead_wires;
mod fold;
pub mod harden;
pub mod inject;
mod lift;
mod saboteur;
mod wrapper;

pub use dead_wires::dead_wires;
pub use fold::fold;
pub use saboteur::{open, saboteurs};
