//! Execution units: what happens to operands between stage D and write-back.

pub mod int;
