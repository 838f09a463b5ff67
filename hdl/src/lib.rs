//! The chip, in rust-hdl: one block a file; the folder reads as the block diagram.
//!
//! [`rtl`] is the language, [`emit`] turns a block tree into Verilog.

pub mod config;
pub mod emit;
pub mod rtl;
pub mod sm;
