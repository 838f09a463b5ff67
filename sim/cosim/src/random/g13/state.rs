//! Sizes of a program of G13, and what its generator keeps in mind.

use super::super::skeleton;

/// First register for data: r0 holds the counter of the mask, r1 links.
pub const FIRST: u64 = 2;
/// Bytes of a thread's own global memory.
pub const OWN: u32 = 64;
/// Bytes of read-only global memory: an index of 8 bits, shifted as far as it can be, stays inside.
pub const READ_ONLY: u32 = 4096;

/// Reserved registers, counted from the end of the data.
pub mod reserved {
    /// Address of the thread's own global memory, a pair.
    pub const POINTER: u64 = 0;
    /// Thread number in the block.
    pub const THREAD: u64 = 2;
    /// Scratch: two.
    pub const TEMP: u64 = 3;
    /// Start of the SIMD-group's threadgroup memory.
    pub const REGION: u64 = 5;
    /// Address of the thread's exchange word.
    pub const EXCHANGE: u64 = 6;
    /// Where a function keeps the link.
    pub const LINK: u64 = 7;
    /// Loop counters: this one and the next two.
    pub const LOOP: u64 = 8;
    /// How many.
    pub const COUNT: u64 = 11;
}

/// Sizes drawn for one program.
pub struct Layout {
    /// Registers for data from [`FIRST`] on.
    pub pool: u64,
    /// Bytes of threadgroup memory of a SIMD-group, a power of two.
    pub region: u32,
    pub exchange_base: u32,
    /// Bytes of private memory.
    pub local: u32,
    /// Words of parameters, 64 at most; the first two are the address of read-only memory, the next two 0.
    pub params: u32,
    /// Byte address of read-only memory.
    pub read_only: u32,
    /// Byte address, behind read-only memory, and size (a power of two) of words that all threads replace; none on a chip
    /// without atomic accesses.
    pub atomics: (u32, u32),
    /// What the pointer lies above the thread's own memory.
    pub above: u32,
}

impl Layout {
    pub fn registers(&self) -> u64 {
        FIRST + self.pool + reserved::COUNT
    }
}

/// A program being generated.
pub type Gen<'a> = skeleton::Gen<'a, State>;

/// What the generator keeps in mind.
pub struct State {
    /// The next uniform to store: each is stored at one place of a program, with one value.
    pub uniform: u64,
}

/// Uniforms behind those of the parameters.
pub const UNIFORMS: std::ops::Range<u64> = 64..256;

impl Gen<'_> {
    /// Number of a reserved register.
    pub fn r(&self, n: u64) -> u64 {
        FIRST + self.layout.pool + n
    }
}
