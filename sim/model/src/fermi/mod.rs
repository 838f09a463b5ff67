//! Golden model of Fermi: registers, predicates, divergence stack, launch.
//!
//! Rules: docs/instruction-sets.md. What an instruction does is its lowering in `warpsmith-isa`;
//! [`crate::uop`] executes it.

mod registers;
mod stack;

pub use registers::Registers;
pub use stack::Stack;

use crate::uop::{Core, Geometry, Set, Warp};
use warpsmith_isa::set::InstructionSet;
use warpsmith_launch::Launch;

/// The set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fermi;

impl Set for Fermi {
    fn instructions(&self) -> &'static dyn InstructionSet {
        &warpsmith_isa::fermi::Fermi
    }

    fn start(
        &self, launch: &Launch, geometry: &Geometry, _block: [u32; 3], warp: u32, stack_depth: usize,
    ) -> Box<dyn Warp> {
        Box::new(Core::new(Registers::default(), Stack::new(geometry.present(warp), stack_depth), launch.local_bytes))
    }
}
