//! Execution units: what happens to operands between stage D and write-back.

pub mod float;
pub mod int;
pub mod lane;
pub mod sfu;
