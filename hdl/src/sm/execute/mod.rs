//! Execution units: what happens to operands between stage D and write-back.

pub mod float;
pub mod int;
pub mod lane;
pub mod sfu;
pub mod special;

/// Cycles from operands to result, the same for a lane and a special-function unit.
pub const STAGES: usize = 5;
