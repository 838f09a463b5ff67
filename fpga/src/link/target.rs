//! What a launch needs of a board, whatever the wire.

use super::error::LinkError;
use warpsmith_contract::registers as map;
use warpsmith_isa::ChipInfo;

/// What the board told about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Bytes of its memory.
    pub memory_bytes: u64,
    /// Its chip.
    pub info: ChipInfo,
}

/// What a line did since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Requests sent, each as often as it was.
    pub requests: u64,
    /// Requests sent again.
    pub resent: u64,
    /// Requests after which no byte came in time.
    pub silent: u64,
    /// Requests after which bytes came, but no sound answer in time.
    pub garbled: u64,
    /// Resets of the board that an answer told of.
    pub resets: u64,
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The chip's bus: docs/registers.md.
    Bus,
    /// Global memory.
    Memory,
}

/// A chip and its memory on a board. Errors of all functions: the wire or the board fails.
#[allow(clippy::missing_errors_doc)]
pub trait Link {
    /// Makes the chip ready for a launch, and says what the board is.
    fn hello(&mut self) -> Result<&About, LinkError>;
    /// Words from an address on.
    fn read(&mut self, space: Space, address: u32, count: usize) -> Result<Vec<u32>, LinkError>;
    /// Words to an address and those behind it.
    fn write(&mut self, space: Space, address: u32, words: &[u32]) -> Result<(), LinkError>;
    /// Zeros to all of memory, or to its first `bytes`.
    fn clear(&mut self, bytes: u64) -> Result<(), LinkError>;
    /// One word to CONTROL, once.
    fn start(&mut self, word: u32) -> Result<(), LinkError>;
    /// STATUS, and `count` words from COUNTER on.
    fn look(&mut self, count: u8) -> Result<(u32, Vec<u32>), LinkError> {
        let status = self.read(Space::Bus, map::STATUS.address, 1)?[0];
        Ok((status, self.read(Space::Bus, map::COUNTER.address, usize::from(count))?))
    }
    /// What is going on, for errors.
    fn doing(&mut self) -> &mut &'static str;
    /// What the line did so far.
    fn statistics(&self) -> Statistics;
}

/// Whether a word is the ID of a chip of ours.
pub(super) fn identified(doing: &'static str, id: u32) -> Result<(), LinkError> {
    if id == map::ID_VALUE {
        return Ok(());
    }
    let what = format!("0x{id:08x} for the chip's ID, not 0x{:08x}", map::ID_VALUE);
    Err(LinkError::Answer { doing, what })
}
