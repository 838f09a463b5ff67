//! Passes: functions from a chip to a chip.

mod saboteur;

pub use saboteur::{open, saboteurs};
