//! Instruction sets.
//!
//! [`sm10`] is the set of the chips this project builds; its items are at the root of the crate too.
//! The others stand behind one trait, [`set::InstructionSet`]: [`fermi`], [`g13`], [`ivb`]. All lower to the
//! micro-operations of [`uop`]. [`Isa`] names a set, [`ChipInfo`] says what a chip of it has.
#![warn(missing_docs)]

mod chip;
pub mod fermi;
pub mod g13;
pub mod heap;
mod identity;
pub mod ivb;
pub mod locks;
pub mod message;
pub mod numbers;
pub mod print;
pub mod set;
pub mod sets;
pub mod sm10;
pub mod uop;

pub use chip::{ChipInfo, Options};
pub use identity::Isa;
pub use sm10::*;
