//! What a program may use, and the state of one that is being generated.

use super::code::Code;
use rand_chacha::ChaCha8Rng;
use warpsmith_isa::{ChipInfo, Isa};
use warpsmith_isa::{Label, Tier};

/// What a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the instruction set.
    pub isa: Isa,
    /// Bytes of program memory.
    pub program_bytes: u32,
    /// Bytes of constant memory, all banks together.
    pub constant_bytes: u32,
    /// 32-bit registers of an SM.
    pub registers: u32,
    /// Shared bytes of an SM.
    pub shared_bytes: u32,
    /// Resident warps of an SM.
    pub warps: u32,
    /// Entries of a divergence stack.
    pub stack_depth: u32,
    /// Which rows of SM 1.0 to draw from.
    pub tier: Tier,
    /// Only what chips execute; otherwise all that the model does, in sets that have more.
    pub chip: bool,
}

impl Limits {
    /// The limits of a chip, drawing from `tier`.
    pub fn of(info: &ChipInfo, tier: Tier) -> Self {
        Limits {
            isa: info.isa,
            program_bytes: info.program_bytes,
            constant_bytes: info.constant_bytes,
            registers: info.registers,
            shared_bytes: info.shared_bytes,
            warps: info.warps,
            stack_depth: info.stack_depth,
            tier,
            chip: true,
        }
    }

    /// The limits of the smallest named configuration.
    pub fn tiny() -> Self {
        Limits {
            isa: Isa::Sm10,
            program_bytes: 4096,
            constant_bytes: 1024,
            registers: 2048,
            shared_bytes: 4096,
            warps: 4,
            stack_depth: 16,
            tier: Tier::integer(),
            chip: true,
        }
    }
}

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
    pub block: [u32; 3],
    pub grid: [u32; 2],
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
    /// 16-byte slots of a thread's own global memory.
    pub slots: u32,
    pub thread_stride: u32,
    pub slot_stride: u32,
    /// Byte address and size (a power of two) of read-only global memory.
    pub read_only: (u32, u32),
}

impl Layout {
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    pub fn full_warps(&self) -> bool {
        self.threads() % 32 == 0
    }

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
pub struct Gen<'a> {
    pub rng: ChaCha8Rng,
    pub limits: &'a Limits,
    pub layout: Layout,
    pub code: Code,
    pub pointers: [Pointer; 8],
    pub recent: [u8; 4],
    /// Float rows by their weight, and those that add or multiply.
    pub float_rows: Vec<usize>,
    pub arithmetic: Vec<usize>,
    /// Float operations between a fresh value and what each data register holds.
    pub ages: [u8; 32],
    /// Registers loaded for the next instruction, and which its next operand takes.
    pub wanted: Vec<u8>,
    pub turn: usize,
    /// Register of the last range reduction.
    pub reduced: Option<u8>,
    /// What the instruction under construction wants to read.
    pub operands: Operands,
    pub count_immediate: bool,
    /// Bit k: warps arrived at barrier k, without waiting, since the last barrier for all.
    pub arrived: u16,
    /// Rows for straight-line code, and those of them that may carry a marker.
    pub plain: Vec<usize>,
    pub markable: Vec<usize>,
    /// Functions: label and call level.
    pub functions: Vec<(Label, u32)>,
    /// Estimate of a warp's instructions so far, and the aim.
    pub cost: f64,
    pub aim: f64,
}
