//! Sizes of a program of Ivy Bridge, and what its generator keeps in mind.

use super::super::skeleton;
use super::super::words::Label;

/// Register of the first parameter.
pub const PARAMETERS: u64 = 4;
/// Bytes of a channel's own global memory.
pub const OWN: u32 = 64;
/// Channels of a thread, also those that have no work-item.
pub const CHANNELS: u32 = 16;
/// Bytes of read-only global memory.
pub const READ_ONLY: u32 = 4096;

/// Reserved registers behind those of the data: two each, a dword for every channel.
pub mod reserved {
    /// Address of the channel's own global memory.
    pub const POINTER: u64 = 0;
    /// Number of the channel in the group: 16 times the thread, and the channel.
    pub const NUMBER: u64 = 1;
    /// Start of the thread's part of shared memory, in all channels.
    pub const REGION: u64 = 2;
    /// Address of the channel's exchange word.
    pub const EXCHANGE: u64 = 3;
    /// Scratch: two.
    pub const TEMP: u64 = 4;
    /// Loop counters: this one and the next two.
    pub const LOOP: u64 = 6;
    /// How many.
    pub const COUNT: u64 = 9;
}

/// Sizes drawn for one program.
pub struct Layout {
    /// Work-items of a thread, 8 or 16.
    pub simd: u32,
    /// Registers for data, an even number.
    pub pool: u64,
    /// Bytes of shared memory of a thread, a power of two.
    pub region: u32,
    pub exchange_base: u32,
    /// Words of parameters, a multiple of 8; the first 8 are the numbers of the channels as words.
    pub params: u32,
    /// Byte address of read-only memory.
    pub read_only: u32,
}

impl Layout {
    /// First register for data.
    pub fn first(&self) -> u64 {
        let end = PARAMETERS + u64::from(self.params / 8);
        end.next_multiple_of(2)
    }

    /// Behind the last register for data.
    pub fn end(&self) -> u64 {
        self.first() + self.pool
    }

    /// Behind the last register that the program uses.
    pub fn registers(&self) -> u64 {
        self.end() + 2 * reserved::COUNT
    }

    /// A register that has a value in every channel.
    pub fn is_defined(&self, register: u64) -> bool {
        let parameters = PARAMETERS..PARAMETERS + u64::from(self.params / 8);
        parameters.contains(&register) || (self.first()..self.registers()).contains(&register)
    }
}

/// A program being generated.
pub type Gen<'a> = skeleton::Gen<'a, State>;

/// What the generator keeps in mind.
#[derive(Default)]
pub struct State {
    /// Where channels of the open structures wait for the others.
    pub joins: Vec<Label>,
    /// The `while` of the open loops, and where their turns end.
    pub loops: Vec<[Label; 2]>,
    /// Where channels that halt go on.
    pub exit: Option<Label>,
}

impl Gen<'_> {
    /// Number of a reserved register.
    pub fn r(&self, n: u64) -> u64 {
        self.layout.end() + 2 * n
    }
}
