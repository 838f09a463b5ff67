//! What a chip has that another may lack: its parts and fields by their names, as its instruction set asks for them.

use crate::config::{Isa, Level};
use warpsmith_isa::Options;

/// Parts and fields that not every chip has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Bits of a fetched line: the longest instruction, of SM 1.0 also two short ones.
    pub line: usize,
    /// Bits of how much of a line lies in the program: whether it does, of G13 how many halfwords, of Ivy Bridge how many
    /// units of 8 bytes.
    pub inside: usize,
    /// The row of the table that an instruction is one of is found in front of the decoder's stage.
    pub row_lines: bool,
    /// Address registers, to which operands in memory add their offset.
    pub address_registers: bool,
    /// Halves of registers have numbers of their own.
    pub numbered_halves: bool,
    /// Flags or predicates, which W writes and A reads.
    pub conditions: bool,
    /// Predicates of every thread as guard, operands and results.
    pub predicates: bool,
    /// Lanes of micro-operations.
    pub uops: bool,
    /// Every operand in memory may be wide, not global and local ones alone.
    pub wide_operands: bool,
    /// A wide access is one, aligned and checked as a whole.
    pub whole_accesses: bool,
    /// Addresses of 64 bits, constants that a register addresses.
    pub wide_addresses: bool,
    /// Loads and special functions may have no destination.
    pub null_register: bool,
    /// All registers of a starting warp are written.
    pub register_fill: bool,
    /// Barriers that expect a number of warps.
    pub barrier_counts: bool,
    /// Operand d of the lanes.
    pub fourth_operand: bool,
    /// A result that is NaN is always the same.
    pub one_nan: bool,
    /// Operands that are uniforms, numbers or sizes, chosen in A; uniforms are written, too.
    pub sources: bool,
    /// Instructions of two passes, between which threads exchange what they have.
    pub exchange: bool,
    /// Masks of active threads that the lanes make.
    pub execution_mask: bool,
    /// Loads and special functions write halves of registers, and special functions read some.
    pub late_halves: bool,
    /// Special functions take what the lanes have computed.
    pub special_behind: bool,
    /// Loads and stores convert floats from and to the formats of device memory.
    pub formats: bool,
    /// Integer sums of 64 bits, in two passes.
    pub wide_sums: bool,
    /// Atomic accesses to global memory, of SM 1.1 and later, of Fermi and of G13.
    pub atomics: bool,
    /// … differences and signed minima and maxima of micro-operations among them, of G13 alone.
    pub atomic_signs: bool,
    /// Votes: over the guard of SM 1.2 and later, over predicates of Fermi.
    pub votes: bool,
    /// Locks on words of shared memory, of SM 1.2 and later.
    pub locks: bool,
    /// Floats of 64 bits of SM 1.3: flags come with their results, NaNs of results are those of operands.
    pub late_flags: bool,
    /// Channels that wait each at an address of its own, registers read by regions.
    pub channels: bool,
}

impl Features {
    /// The same with what a level of SM 1.x adds.
    pub fn at(self, level: Level) -> Self {
        Self {
            atomics: self.atomics || level >= Level::Sm11,
            votes: self.votes || level >= Level::Sm12,
            locks: level >= Level::Sm12,
            late_flags: level >= Level::Sm13,
            ..self
        }
    }

    /// The same with what a chip has on top of the plain ones of its set, but for floats of 64 bits: they are a unit.
    pub fn with(self, options: Options) -> Self {
        Self { atomics: self.atomics || options.atomics, ..self }
    }

    /// Those of an instruction set.
    pub fn of(isa: Isa) -> Self {
        let plain = Self { line: 64, inside: 1, ..Self::default() };
        // What every set beside SM 1.0 has.
        let uops = Self {
            uops: true,
            wide_operands: true,
            wide_addresses: true,
            null_register: true,
            register_fill: true,
            barrier_counts: true,
            ..plain
        };
        match isa {
            Isa::Sm10 => {
                Self { row_lines: true, address_registers: true, numbered_halves: true, conditions: true, ..plain }
            }
            Isa::Fermi => Self { conditions: true, predicates: true, votes: true, whole_accesses: true, ..uops },
            Isa::G13 => Self {
                line: 96,
                inside: 3,
                fourth_operand: true,
                one_nan: true,
                sources: true,
                exchange: true,
                execution_mask: true,
                late_halves: true,
                formats: true,
                wide_sums: true,
                atomic_signs: true,
                ..uops
            },
            Isa::Ivb => Self {
                line: 128,
                inside: 2,
                conditions: true,
                fourth_operand: true,
                one_nan: true,
                special_behind: true,
                channels: true,
                ..uops
            },
        }
    }
}
