//! Bit positions of operands, selectors, guard and marker in a word, each once.
//!
//! Short places are those of the 4-byte and the immediate forms. Fields of one bit are selectors:
//! `.bits()` sets them, `.is_set(w)` asks for them.

use super::Field;

/// Destination register of short words.
pub const SHORT_DST: Field = Field::one(2, 6);
/// Destination register of long words; data register of global and local stores.
pub const LONG_DST: Field = Field::one(2, 7);
/// Address register written.
pub const ADDR_DST: Field = Field::one(2, 3);
/// The destination is `o[]`.
pub const OUTPUT: Field = Field::one(35, 1);
/// The destination is a full register (forms that may write a half too).
pub const FULL_DST: Field = Field::one(58, 1);

/// First source register of short words.
pub const SHORT_SRC1: Field = Field::one(9, 6);
/// Second source register of short words.
pub const SHORT_SRC2: Field = Field::one(16, 6);
/// First source register of long words.
pub const LONG_SRC1: Field = Field::one(9, 7);
/// Second source register of long words.
pub const LONG_SRC2: Field = Field::one(16, 7);
/// Third source register of long words; data register of shared stores.
pub const LONG_SRC3: Field = Field::one(46, 7);

/// The first source of a short word is s\[\].
pub const SHORT_SHARED: Field = Field::one(24, 1);
/// The first source of a long word is s\[\].
pub const LONG_SHARED: Field = Field::one(53, 1);
/// The second source is c\[\].
pub const CONST2: Field = Field::one(23, 1);
/// The third source is c\[\] (long words).
pub const CONST3: Field = Field::one(24, 1);
/// The shift count is an immediate, in the field of the second source.
pub const COUNT_IMM: Field = Field::one(52, 1);
/// The data of a shared store is a full register.
pub const FULL_DATA: Field = Field::one(53, 1);

/// Offset of s\[\] in short words, in units of the access.
pub const SHORT_SHARED_OFFSET: Field = Field::one(9, 4);
/// Size of the s\[\] access in short words, a code of [`SharedMode`](crate::sm10::codes::SHARED_MODES).
pub const SHORT_SHARED_MODE: Field = Field::one(13, 2);
/// Offset of s\[\] in long words, in units of the access.
pub const LONG_SHARED_OFFSET: Field = Field::one(9, 5);
/// Size of the s\[\] access in long words.
pub const LONG_SHARED_MODE: Field = Field::one(14, 2);
/// Offset of c\[\] as second source of short words.
pub const SHORT_CONST_OFFSET: Field = Field::one(16, 5);
/// Bank of c\[\] in short words.
pub const SHORT_BANK: Field = Field::one(21, 1);
/// Bank of c\[\] in long words.
pub const LONG_BANK: Field = Field::one(54, 4);
/// Size of the access of MVC.
pub const FAR_CONST_MODE: Field = Field::one(46, 2);
/// Offset of loads and stores, in bytes.
pub const FAR_OFFSET8: Field = Field::one(9, 16);
/// Offset of loads and stores, in units of 2 bytes.
pub const FAR_OFFSET16: Field = Field::one(9, 15);
/// Offset of loads and stores, in units of 4 bytes.
pub const FAR_OFFSET32: Field = Field::one(9, 14);

/// Address register of short words.
pub const SHORT_AREG: Field = Field::one(26, 2);
/// Address register of long words.
pub const LONG_AREG: Field = Field::two((26, 2), (34, 1));
/// The memory reference post-increments its address register.
pub const POST_INC: Field = Field::one(25, 1);

/// Immediate of 32 bits.
pub const IMM32: Field = Field::two((16, 6), (34, 26));
/// Immediate of 16 bits.
pub const IMM16: Field = Field::one(9, 16);
/// Special register.
pub const SPECIAL: Field = Field::one(46, 4);
/// Source type of a conversion, a code of [`Conversion`](crate::sm10::codes::CONVERSIONS).
pub const CVT_SRC: Field = Field::one(46, 3);

/// Marker of long words.
pub const MARKER: Field = Field::one(32, 2);
/// Flag register written.
pub const FLAG_DST: Field = Field::one(36, 2);
/// Flags are written.
pub const FLAG_WRITE: Field = Field::one(38, 1);
/// Condition of the guard.
pub const CONDITION: Field = Field::one(39, 5);
/// Flag register of the guard, of a carry, of C2R.
pub const GUARD_FLAG: Field = Field::one(44, 2);
/// Access size of loads and stores of global and local memory.
pub const ACCESS_SIZE: Field = Field::one(53, 3);
/// Branch target in units of 4 bytes.
pub const TARGET: Field = Field::two((11, 16), (46, 6));

/// Offset field of loads and stores with an access of `bytes` bytes in its own units.
pub const fn far_offset(bytes: u32) -> Field {
    match bytes {
        1 => FAR_OFFSET8,
        2 => FAR_OFFSET16,
        _ => FAR_OFFSET32,
    }
}
