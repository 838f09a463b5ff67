//! What a launch asks of a chip: registers, shared memory, constants and program as the chip holds them.

use super::Launch;
use crate::memory::Constants;
use crate::sets;
use std::borrow::Cow;

/// Registers behind a thread's own, for its index and that of its warp, on chips of other sets than
/// SM 1.0.
const EXTRA_REGISTERS: u32 = 2;

/// Bytes of the header that lies in front of the shared memory of a block, on chips of other sets.
const HEADER: u32 = 16;

impl Launch {
    /// Whether the set has a model on micro-operations: every one but SM 1.0.
    fn is_of_set(&self) -> bool {
        sets::by_name(self.isa).is_some()
    }

    /// Registers that a chip holds for a thread.
    pub fn chip_registers(&self) -> u32 {
        match self.is_of_set() {
            true => self.registers + EXTRA_REGISTERS,
            false => self.registers,
        }
    }

    /// Shared bytes that a chip holds for a block.
    pub fn chip_shared_bytes(&self) -> u32 {
        match self.is_of_set() {
            true => self.shared_bytes + HEADER,
            false => self.shared_bytes,
        }
    }

    /// Parameters that a chip puts into shared memory; other sets find theirs among the constants.
    pub fn chip_params(&self) -> &[u32] {
        match self.is_of_set() {
            true => &[],
            false => &self.params,
        }
    }

    /// The program as 32-bit words in memory order.
    pub fn program_words(&self) -> Cow<'_, [u32]> {
        if !self.is_of_set() {
            return Cow::Borrowed(&self.program);
        }
        let word = |b: &[u8]| b.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
        Cow::Owned(self.code.chunks(4).map(word).collect())
    }

    /// Bytes of the program.
    pub fn program_bytes(&self) -> u32 {
        match self.is_of_set() {
            true => self.code.len() as u32,
            false => 4 * self.program.len() as u32,
        }
    }

    /// Constants as the program sees them: those that the set provides, and the launch's.
    pub fn constant_memory(&self) -> Constants {
        let mut constants = Constants::default();
        if let Some(set) = sets::by_name(self.isa) {
            set.constants(self, &mut constants);
        }
        for section in &self.constants {
            constants.write(section.bank, section.offset as usize, &section.bytes);
        }
        constants
    }
}
