//! Instruction sets.
//!
//! [`sm10`] is the set of the chips this project builds; its items are at the root of the crate too.
//! The others stand behind one trait, [`set::InstructionSet`]: [`fermi`], [`g13`], [`ivb`]. All lower to the
//! micro-operations of [`uop`].
#![warn(missing_docs)]

pub mod fermi;
pub mod g13;
pub mod ivb;
pub mod message;
pub mod numbers;
pub mod set;
pub mod sets;
pub mod sm10;
pub mod uop;

pub use sm10::*;
