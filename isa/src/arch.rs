//! Architecture constants: trap causes, special registers, condition codes.

/// Threads in a warp.
pub use crate::instr::WARP_SIZE;

/// Barriers of a block.
pub const BARRIERS: usize = 16;
/// Constant banks.
pub const CONST_BANKS: usize = 16;
/// Bytes of a constant bank at most.
pub const CONST_BANK_BYTES: u32 = 65536;
/// First shared byte of the kernel parameters (the header lies below).
pub const PARAM_BASE: u32 = 0x10;
/// Registers a thread can name.
pub const MAX_REGISTERS: u32 = 128;

/// Names of the special registers read by S2R, by number; an empty name is a number without meaning.
pub const SPECIAL_NAMES: [&str; 16] = [
    "PHYSID", "CLOCK", "", "VSTRIDE", "PM0", "PM1", "PM2", "PM3", "", "", "", "", "", "", "", "",
];

/// Names of the 32 condition codes in the assembly dialect; 0x14..=0x1b are undefined and empty.
///
/// Source: NVIDIA's listings for 0x00..=0x0f and CARRY; the others are spellings of this project.
pub const COND_NAMES: [&str; 32] = [
    "F",
    "LT",
    "EQ",
    "LE",
    "GT",
    "NE",
    "GE",
    "NUM",
    "NAN",
    "LTU",
    "EQU",
    "LEU",
    "GTU",
    "NEU",
    "GEU",
    "TRUE",
    "OVERFLOW",
    "CARRY",
    "ABOVE",
    "SIGN",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "NOT_SIGN",
    "BELOW_EQ",
    "NOT_CARRY",
    "NOT_OVERFLOW",
];

/// Value of condition `code` on `flags` (bit 0 Z, 1 S, 2 C, 3 O); `None` for the undefined codes.
///
/// Source: G80 condition table (Z = S = 1 after a float operation means NaN).
pub fn pred_holds(code: u8, flags: u8) -> Option<bool> {
    let z = flags & 1 != 0;
    let s = flags & 2 != 0;
    let c = flags & 4 != 0;
    let o = flags & 8 != 0;
    Some(match code {
        0x00 => false,
        0x01 => (s && !z) ^ o,
        0x02 => z && !s,
        0x03 => s ^ (z || o),
        0x04 => !z && !(s ^ o),
        0x05 => !z,
        0x06 => !(s ^ o),
        0x07 => !z || !s,
        0x08 => z && s,
        0x09 => s ^ o,
        0x0a => z,
        0x0b => z || (s ^ o),
        0x0c => !s ^ (z || o),
        0x0d => !z || s,
        0x0e => (!s || z) ^ o,
        0x0f => true,
        0x10 => o,
        0x11 => c,
        0x12 => !z && c,
        0x13 => s,
        0x1c => !s,
        0x1d => z || !c,
        0x1e => !c,
        0x1f => !o,
        _ => return None,
    })
}

/// Why a kernel stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Trap {
    /// Undefined encoding or condition code, or an `o[]` destination other than the discard.
    Illegal = 1,
    /// A form this machine does not execute.
    Unimplemented = 2,
    /// A long instruction at an address that is no multiple of 8.
    MisalignedLong = 3,
    /// A memory access whose address is no multiple of its size.
    MisalignedAccess = 4,
    /// A memory access beyond its space.
    OutOfRange = 5,
    /// A push on a full divergence stack.
    StackOverflow = 6,
    /// A `.S` with an empty divergence stack.
    StackUnderflow = 7,
    /// TRAP or BPT executed.
    Trap = 8,
    /// A write beyond the allocated registers.
    Register = 9,
    /// The program counter left the program.
    Fetch = 10,
    /// Every live warp of a block waits and no barrier can be released.
    BarrierDeadlock = 11,
    /// The memory behind the chip's port answered an access with an error.
    Memory = 12,
}

impl Trap {
    /// All causes in the order of their numbers.
    pub const ALL: [Trap; 12] = [
        Trap::Illegal,
        Trap::Unimplemented,
        Trap::MisalignedLong,
        Trap::MisalignedAccess,
        Trap::OutOfRange,
        Trap::StackOverflow,
        Trap::StackUnderflow,
        Trap::Trap,
        Trap::Register,
        Trap::Fetch,
        Trap::BarrierDeadlock,
        Trap::Memory,
    ];

    /// Number in the trap record, 1..=12.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The cause with this number, `None` for 0 and for unused numbers.
    pub fn from_number(n: u8) -> Option<Trap> {
        Trap::ALL.get(usize::from(n).checked_sub(1)?).copied()
    }

    /// Short name, one word with dashes.
    pub const fn name(self) -> &'static str {
        match self {
            Trap::Illegal => "illegal",
            Trap::Unimplemented => "unimplemented",
            Trap::MisalignedLong => "misaligned-long",
            Trap::MisalignedAccess => "misaligned-access",
            Trap::OutOfRange => "out-of-range",
            Trap::StackOverflow => "stack-overflow",
            Trap::StackUnderflow => "stack-underflow",
            Trap::Trap => "trap",
            Trap::Register => "register",
            Trap::Fetch => "fetch",
            Trap::BarrierDeadlock => "barrier-deadlock",
            Trap::Memory => "memory-error",
        }
    }

    /// One sentence: what happened.
    pub const fn explain(self) -> &'static str {
        match self {
            Trap::Illegal => "the word is no defined instruction, its condition code is undefined, or it writes an o[] output",
            Trap::Unimplemented => "the instruction is defined but this machine does not execute it",
            Trap::MisalignedLong => "an 8-byte instruction lies at an address that is not a multiple of 8",
            Trap::MisalignedAccess => "a memory address is not a multiple of the size of the access",
            Trap::OutOfRange => "a memory access lies beyond the space allocated to it",
            Trap::StackOverflow => "a push found the divergence stack full",
            Trap::StackUnderflow => "a .S instruction found the divergence stack empty",
            Trap::Trap => "the program executed TRAP or BPT",
            Trap::Register => "the instruction writes a register beyond those the kernel allocated",
            Trap::Fetch => "the program counter is beyond the end of the program",
            Trap::BarrierDeadlock => "every live warp of the block waits at a barrier that cannot be released",
            Trap::Memory => "the memory behind the port answered an access with an error; it is not known which, so block, warp and pc are 0",
        }
    }
}
