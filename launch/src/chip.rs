//! What a launch asks of a chip: registers, shared memory, constants and program as the chip holds them.

use crate::launch::Launch;
use crate::memory::Constants;
use warpsmith_isa::{ivb, Isa};

/// Registers behind a thread's own, for its index and that of its warp, on chips of other sets than
/// SM 1.0.
const EXTRA_REGISTERS: u32 = 2;

/// 32-bit registers of a warp of Ivy Bridge.
const CHANNEL_REGISTERS: u32 = (ivb::REGISTERS as usize * ivb::DWORDS) as u32;

/// Bytes of the header that lies in front of the shared memory of a block, on chips of other sets.
const HEADER: u32 = 16;

/// Constants of Fermi: byte of bank 0 where the sizes of block and grid begin.
const SIZES: usize = 0x08;
/// Byte of bank 0 where its parameters begin.
const PARAMETERS: usize = 0x20;
/// Bank and byte of the top of its local memory.
const LOCAL_TOP: (u8, usize) = (1, 0x100);

/// Bytes of the uniform registers of G13, u0 to u255, which a chip keeps at the start of bank 0.
pub const UNIFORM_BYTES: usize = 256 * 4;

impl Launch {
    /// Registers that a chip holds for a thread; 0 of Ivy Bridge, whose registers are a warp's.
    pub fn chip_registers(&self) -> u32 {
        match self.isa() {
            Isa::Sm10 => self.registers,
            Isa::Ivb => 0,
            _ => self.registers + EXTRA_REGISTERS,
        }
    }

    /// 32-bit registers that a chip holds for a warp.
    pub fn chip_warp_registers(&self) -> u32 {
        match self.isa() {
            Isa::Ivb => CHANNEL_REGISTERS,
            _ => self.chip_registers() * 32,
        }
    }

    /// What the register REGISTERS of a chip is set to: registers of a thread, of Ivy Bridge threads that a warp
    /// covers.
    pub fn registers_value(&self) -> u32 {
        match self.isa() {
            Isa::Ivb => self.warp_threads(),
            _ => self.chip_registers(),
        }
    }

    /// Shared bytes that a chip holds for a block.
    pub fn chip_shared_bytes(&self) -> u32 {
        match self.isa() {
            Isa::Sm10 => self.shared_bytes,
            _ => self.shared_bytes + HEADER,
        }
    }

    /// Parameters that a chip puts into shared memory, of Ivy Bridge into the registers of each warp; other sets find
    /// theirs among the constants.
    pub fn chip_params(&self) -> &[u32] {
        match self.isa() {
            Isa::Sm10 | Isa::Ivb => &self.params,
            _ => &[],
        }
    }

    /// Constants as the program sees them: those that the set provides, and the launch's.
    pub fn constant_memory(&self) -> Constants {
        let mut constants = Constants::default();
        let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
        match self.isa() {
            Isa::Fermi => {
                let ([x, y], [bx, by, bz]) = (self.grid, self.block);
                constants.write(0, SIZES, &bytes(&[bx, by, bz, x, y, 1]));
                constants.write(0, PARAMETERS, &bytes(&self.params));
                constants.write(LOCAL_TOP.0, LOCAL_TOP.1, &self.local_bytes.to_le_bytes());
            }
            Isa::G13 => {
                let mut uniforms = bytes(&self.params);
                uniforms.resize(UNIFORM_BYTES, 0);
                constants.write(0, 0, &uniforms);
            }
            Isa::Sm10 | Isa::Ivb => {}
        }
        for section in &self.constants {
            constants.write(section.bank, section.offset as usize, &section.bytes);
        }
        constants
    }
}
