//! Bit positions of operands, selectors, guard and marker in a word, each once.
//!
//! Columns: name, lowest bit + width (of two runs the low part first), meaning. Short places are those of the 4-byte and
//! the immediate forms. Fields of one bit are selectors: `.bits()` sets them, `.is_set(w)` asks for them.

use super::Field;

macro_rules! places {
    ($($name:ident $low:literal + $width:literal $($low_2:literal + $width_2:literal)?, $doc:literal;)+) => {
        $(#[doc = $doc]
        pub const $name: Field = Field { lo: ($low, $width), hi: (0 $(+ $low_2)?, 0 $(+ $width_2)?) };)+
    };
}

#[rustfmt::skip]
places! {
    SHORT_DST           2+6,        "Destination register of short words.";
    LONG_DST            2+7,        "Destination register of long words; data register of global and local stores.";
    ADDR_DST            2+3,        "Address register written.";
    OUTPUT              35+1,       "The destination is `o[]`.";
    FULL_DST            58+1,       "The destination is a full register (forms that may write a half too).";
    SHORT_SRC1          9+6,        "First source register of short words.";
    SHORT_SRC2          16+6,       "Second source register of short words.";
    LONG_SRC1           9+7,        "First source register of long words.";
    LONG_SRC2           16+7,       "Second source register of long words.";
    LONG_SRC3           46+7,       "Third source register of long words; data register of shared stores.";
    SHORT_SHARED        24+1,       "The first source of a short word is s[].";
    LONG_SHARED         53+1,       "The first source of a long word is s[].";
    CONST2              23+1,       "The second source is c[].";
    CONST3              24+1,       "The third source is c[] (long words).";
    COUNT_IMM           52+1,       "The shift count is an immediate, in the field of the second source.";
    FULL_DATA           53+1,       "The data of a shared store is a full register.";
    SHORT_SHARED_OFFSET 9+4,        "Offset of s[] in short words, in units of the access.";
    SHORT_SHARED_MODE   13+2,       "Size of the s[] access in short words, a code of [`SharedMode`](crate::sm10::codes::SHARED_MODES).";
    LONG_SHARED_OFFSET  9+5,        "Offset of s[] in long words, in units of the access.";
    LONG_SHARED_MODE    14+2,       "Size of the s[] access in long words.";
    SHORT_CONST_OFFSET  16+5,       "Offset of c[] as second source of short words.";
    SHORT_BANK          21+1,       "Bank of c[] in short words.";
    LONG_BANK           54+4,       "Bank of c[] in long words.";
    FAR_CONST_MODE      46+2,       "Size of the access of MVC.";
    FAR_OFFSET8         9+16,       "Offset of loads and stores, in bytes.";
    FAR_OFFSET16        9+15,       "Offset of loads and stores, in units of 2 bytes.";
    FAR_OFFSET32        9+14,       "Offset of loads and stores, in units of 4 bytes.";
    SHORT_AREG          26+2,       "Address register of short words.";
    LONG_AREG           26+2 34+1,  "Address register of long words.";
    AREG_HIGH           34+1,       "Its part that short words do not have.";
    POST_INC            25+1,       "The memory reference post-increments its address register.";
    IMM32               16+6 34+26, "Immediate of 32 bits.";
    IMM16               9+16,       "Immediate of 16 bits.";
    COUNT5              16+5,       "Immediate shift count of FlexGripPlus.";
    IMM10               16+10,      "Immediate of A2R in FlexGripPlus.";
    IMM12               16+12,      "Immediate of R2A in FlexGripPlus.";
    SPECIAL             46+4,       "Special register.";
    CVT_SRC             46+3,       "Source type of a conversion, a code of [`Conversion`](crate::sm10::table::CONVERSIONS).";
    MARKER              32+2,       "Marker of long words.";
    FLAG_DST            36+2,       "Flag register written.";
    FLAG_WRITE          38+1,       "Flags are written.";
    CONDITION           39+5,       "Condition of the guard.";
    GUARD_FLAG          44+2,       "Flag register of the guard, of a carry, of C2R.";
    BAR_MASK            9+12,       "Mask of a barrier.";
    ACCESS_SIZE         53+3,       "Access size of loads and stores of global and local memory.";
    ATOMIC              34+4,       "Operation of an atomic access.";
    ATOMIC_SIGNED       53+1,       "Atomic minima and maxima are those of signed words.";
    TARGET              11+16 46+6, "Branch target in units of 4 bytes.";
}

/// Offset field of loads and stores with an access of `bytes` bytes in its own units.
pub const fn far_offset(bytes: u32) -> Field {
    match bytes {
        1 => FAR_OFFSET8,
        2 => FAR_OFFSET16,
        _ => FAR_OFFSET32,
    }
}
