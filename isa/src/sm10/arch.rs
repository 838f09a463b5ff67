//! Architecture constants: special registers, condition codes.

/// Threads in a warp.
pub use crate::sm10::instr::WARP_SIZE;

/// Barriers of a block.
pub const BARRIERS: usize = 16;
/// Constant banks.
pub const CONST_BANKS: usize = 16;
/// Bytes of a constant bank at most.
pub const CONST_BANK_BYTES: u32 = 65536;
/// First shared byte of the kernel parameters (the header lies below).
pub const PARAM_BASE: u32 = 0x10;
/// Bytes of the parameters of a kernel at most: 64 words.
pub const PARAM_BYTES: u32 = 256;
/// Registers a thread can name.
pub const MAX_REGISTERS: u32 = 128;

/// Names of the special registers read by S2R, by number; an empty name is a number without meaning.
pub const SPECIAL_NAMES: [&str; 16] =
    ["PHYSID", "CLOCK", "", "VSTRIDE", "PM0", "PM1", "PM2", "PM3", "", "", "", "", "", "", "", ""];

/// Names of the 32 condition codes in the assembly dialect; 0x14..=0x1b are undefined and empty.
///
/// Source: NVIDIA's listings for 0x00..=0x0f and CARRY; the others are spellings of this project.
#[rustfmt::skip]
pub const COND_NAMES: [&str; 32] = [
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM",
    "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "TRUE",
    "OVERFLOW", "CARRY", "ABOVE", "SIGN", "", "", "", "",
    "", "", "", "", "NOT_SIGN", "BELOW_EQ", "NOT_CARRY", "NOT_OVERFLOW",
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
