//! Sizes of a program of Fermi, and what its generator keeps in mind.

use super::super::shape::Slots;
use super::super::skeleton;

/// Reserved registers, counted from the end of the pool. The first two pairs are even.
pub mod reserved {
    /// Address of the thread's own global memory; the register behind it is 0.
    pub const GLOBAL: u64 = 0;
    /// Scratch for addresses; the register behind it is 0.
    pub const TEMP: u64 = 2;
    /// Thread number in the block.
    pub const THREAD: u64 = 4;
    /// Start of the warp's shared memory.
    pub const REGION: u64 = 5;
    /// Pointer into it.
    pub const SHARED: u64 = 6;
    /// Pointer into local memory.
    pub const LOCAL: u64 = 7;
    /// Pointer into every constant bank.
    pub const CONSTANT: u64 = 8;
    /// Address of the thread's exchange word.
    pub const EXCHANGE: u64 = 9;
    /// Loop counters: this one and the next two.
    pub const LOOP: u64 = 10;
    /// How many.
    pub const COUNT: u64 = 13;
}

/// Sizes drawn for one program.
pub struct Layout {
    /// R0 to this (exclusive) hold data; even.
    pub pool: u64,
    /// Bytes of shared memory of a warp, a power of two.
    pub warp_shared: u32,
    /// Shared pointer: thread number masked, shifted left.
    pub shared_home: (u32, u32),
    /// Byte address of the exchange words.
    pub exchange_base: u32,
    /// Constant banks that hold data: number, bytes.
    pub banks: Vec<(u8, u32)>,
    /// Words of parameters.
    pub params: u32,
    /// Bytes of local memory of a thread.
    pub local: u32,
    /// A thread's own global memory.
    pub slots: Slots,
    /// Byte address and size (a power of two) of read-only global memory.
    pub read_only: (u32, u32),
    /// Byte address and size (a power of two) of words of global memory that all threads replace; none on a chip without
    /// atomic accesses.
    pub atomics: (u32, u32),
    /// What the global, shared, local and constant pointer lie above what they point to; offsets
    /// take it back.
    pub above: [u32; 4],
}

impl Layout {
    pub fn registers(&self) -> u64 {
        self.pool + reserved::COUNT
    }
}

/// A program being generated.
pub type Gen<'a> = skeleton::Gen<'a, State>;

/// What the generator keeps in mind.
pub struct State {
    /// Barriers that a part of the warps waits at: each is used once.
    pub mixed: u64,
    /// Whether chips have barriers with a number of threads; whether there was one, and whether a
    /// thread may have ended.
    pub counts: bool,
    pub counted: bool,
    pub exited: bool,
    /// Rows of floats of 64 bits that chips execute.
    pub doubles: Vec<usize>,
    /// Rows of atomic accesses that chips execute.
    pub atomics: Vec<usize>,
}

impl Gen<'_> {
    /// Number of a reserved register.
    pub fn r(&self, n: u64) -> u64 {
        self.layout.pool + n
    }
}
