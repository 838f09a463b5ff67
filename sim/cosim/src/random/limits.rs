//! What a program may use.

use warpsmith_isa::{ChipInfo, Isa, Options, Tier};

/// What a program may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The instruction set.
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
    /// What the chip has on top of the plain ones of its set.
    pub options: Options,
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
            options: info.options,
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
            options: Options::default(),
            chip: true,
        }
    }
}
