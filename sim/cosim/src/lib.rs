//! Runs the emitted chip under Verilator, alone or in lockstep with the golden model.
//!
//! The crate reads an emitted folder; it does not know the hardware description.

#![warn(missing_docs)]

pub mod bridge;
pub mod error;

pub use error::CosimError;
