//! Tests of gate-level fault simulation.

mod agreement;
mod hand_made;
mod proofs;
mod spliced;
mod support;
