//! Golden model of Apple G13: registers, uniforms, execution mask, start of a SIMD-group.
//!
//! A warp of the shared execution is a SIMD-group, a block a threadgroup. Uniforms u0, u1, ... hold the
//! parameters of the launch; every register and the stack pointer start at 0.

mod mask;
mod registers;

use crate::uop::{Core, Geometry, Set, Warp};
use warpsmith_isa::set::InstructionSet;
use warpsmith_launch::Launch;

pub use mask::ExecutionMask;

pub use registers::SimdRegisters;

/// The set's part of the shared execution.
#[derive(Clone, Copy, Debug, Default)]
pub struct G13;

impl Set for G13 {
    fn instructions(&self) -> &'static dyn InstructionSet {
        &warpsmith_isa::g13::G13
    }

    fn start(
        &self, launch: &Launch, geometry: &Geometry, _block: [u32; 3], warp: u32, _stack_depth: usize,
    ) -> Box<dyn Warp> {
        let registers = SimdRegisters::new(&launch.params);
        let mask = ExecutionMask::new(geometry.present(warp));
        Box::new(Core::new(registers, mask, launch.local_bytes))
    }
}
