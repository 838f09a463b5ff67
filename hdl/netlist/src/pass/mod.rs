//! Passes: functions from a chip to a chip.

mod build;
mod dead_wires;
mod fold;
pub mod harden;
pub mod inject;
mod lift;
mod saboteur;

pub use dead_wires::dead_wires;
pub use fold::fold;
pub use saboteur::{open, saboteurs};

/// Name of a block by that of its instance.
fn block_of(instance: &str) -> &str {
    let stem = instance.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem.strip_suffix('_') {
        Some(stem) if stem.len() < instance.len() && !stem.is_empty() => stem,
        _ => instance,
    }
}
