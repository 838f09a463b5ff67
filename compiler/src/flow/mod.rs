//! Control flow: graphs, and where the threads of a warp join.

pub mod bits;
mod dominators;
pub mod graph;
mod joins;
mod layer;
pub mod linear;
mod loops;
pub mod simplify;
pub mod structure;

pub use joins::{joins, Entry, Joins, Scope, Way};

#[cfg(test)]
mod tests;
