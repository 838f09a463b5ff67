//! Golden model of Fermi: registers, predicates, divergence stack, launch.
//!
//! Rules: docs/instruction-sets.md. What an instruction does is its lowering in `warpsmith-isa`;
//! [`crate::uop`] executes it.

mod registers;
mod stack;

pub use registers::Registers;
pub use stack::Stack;

use crate::launch::Launch;
use crate::memory::Constants;
use crate::uop::{Core, Geometry, Set, Warp};
use warpsmith_isa::set::InstructionSet;

/// Byte of bank 0 where the sizes of block and grid begin.
const SIZES: usize = 0x08;
/// Byte of bank 0 where the parameters begin.
const PARAMETERS: usize = 0x20;
/// Bank and byte of the top of local memory.
const LOCAL_TOP: (u8, usize) = (1, 0x100);

/// The set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fermi;

impl Set for Fermi {
    fn instructions(&self) -> &'static dyn InstructionSet {
        &warpsmith_isa::fermi::Fermi
    }

    fn constants(&self, launch: &Launch, constants: &mut Constants) {
        let [x, y] = launch.grid;
        let sizes = launch.block.into_iter().chain([x, y, 1]);
        let bytes = |words: &mut dyn Iterator<Item = u32>| -> Vec<u8> { words.flat_map(u32::to_le_bytes).collect() };
        constants.write(0, SIZES, &bytes(&mut sizes.into_iter()));
        constants.write(0, PARAMETERS, &bytes(&mut launch.params.iter().copied()));
        constants.write(LOCAL_TOP.0, LOCAL_TOP.1, &launch.local_bytes.to_le_bytes());
    }

    fn start(
        &self,
        launch: &Launch,
        geometry: &Geometry,
        _block: [u32; 3],
        warp: u32,
        stack_depth: usize,
    ) -> Box<dyn Warp> {
        Box::new(Core::new(Registers::default(), Stack::new(geometry.present(warp), stack_depth), launch.local_bytes))
    }
}
