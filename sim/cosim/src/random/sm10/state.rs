//! Sizes of a program of SM 1.0, and what its generator keeps in mind.

use super::super::shape::Slots;
use super::super::skeleton;

/// What a form wants in its source registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// Anything.
    Any,
    /// Floats.
    Float,
    /// The fixed point that range reduction makes.
    Reduced,
}

/// What an address register points to; all are multiples of 16 away from their region's ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// The warp's own part of shared memory.
    Shared,
    /// The first bytes of every constant bank.
    Constant,
    /// Local memory.
    Local,
    /// Anything; never used for an access.
    Free,
}

/// An address register: values from `low` to `high` above the start of its region.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// Region.
    pub points: Points,
    /// Least value now.
    pub low: i32,
    /// Greatest value now.
    pub high: i32,
    /// Those it is set to.
    pub home: (i32, i32),
}

/// Reserved registers, counted from the end of the pool.
pub mod reserved {
    /// Thread number in the block.
    pub const THREAD: u8 = 0;
    /// Address of the thread's own global memory.
    pub const GLOBAL: u8 = 1;
    /// Home of the shared pointer.
    pub const SHARED: u8 = 2;
    /// Home of the constant pointer.
    pub const CONSTANT: u8 = 3;
    /// Home of the local pointer.
    pub const LOCAL: u8 = 4;
    /// Scratch for addresses.
    pub const TEMP: u8 = 5;
    /// Address of the thread's exchange word.
    pub const EXCHANGE: u8 = 6;
    /// Loop counters: this one and the next two.
    pub const LOOP: u8 = 7;
    /// How many.
    pub const COUNT: u8 = 10;
}

/// Sizes drawn for one program.
pub struct Layout {
    pub registers: u8,
    /// R0 to this (exclusive) hold data.
    pub pool: u8,
    pub header: u32,
    pub warp_shared: u32,
    pub shared_base: u32,
    /// Shared pointer: thread number masked, shifted left.
    pub shared_home: (u32, u32),
    pub exchange_base: u32,
    pub banks: Vec<(u8, u32)>,
    pub constant_home: u32,
    pub local: u32,
    /// A thread's own global memory.
    pub slots: Slots,
    /// Byte address and size (a power of two) of read-only global memory.
    pub read_only: (u32, u32),
    /// The same of words that all threads replace; none on a chip without atomic accesses.
    pub atomics: (u32, u32),
}

impl Layout {
    /// Bytes every region of this kind has at least.
    pub fn pointer_room(&self, points: Points) -> i32 {
        (match points {
            Points::Shared => self.warp_shared,
            Points::Constant => self.banks.iter().map(|b| b.1).min().unwrap_or(0),
            Points::Local => self.local,
            Points::Free => 0,
        }) as i32
    }
}

/// A program being generated.
pub type Gen<'a> = skeleton::Gen<'a, State>;

/// What the generator keeps in mind.
pub struct State {
    /// Address registers.
    pub pointers: [Pointer; 8],
    /// Float operations between a fresh value and what each data register holds.
    pub ages: [u8; 32],
    /// Register of the last range reduction.
    pub reduced: Option<u8>,
    /// What the instruction under construction wants to read.
    pub operands: Operands,
    pub count_immediate: bool,
    /// A word whose modifiers the instruction under construction takes.
    pub like: Option<u64>,
    /// Bit k: warps arrived at barrier k, without waiting, since the last barrier for all.
    pub arrived: u16,
    /// Rows of atomic accesses.
    pub atomics: Vec<usize>,
    /// Rows for straight-line code that may carry a marker.
    pub markable: Vec<usize>,
}
