//! Fields of the native format, by the names of the pages.

use crate::set::Field;

macro_rules! fields {
    ($($const:ident $name:literal $low:literal $width:literal),* $(,)?) => {
        $(#[doc = concat!("`", $name, "`, ", stringify!($width), " bits from bit ", stringify!($low), ".")]
        pub const $const: Field = Field::new($name, &[($low, $width)]);)*
    };
}

fields! {
    ALIGN16 "access_mode" 8 1, NO_MASK "mask_ctrl" 9 1, NO_CLEAR "no_dd_clear" 10 1,
    NO_CHECK "no_dd_check" 11 1, QUARTER "qtr_ctrl" 12 2, THREAD "thread_ctrl" 14 2,
    PREDICATE "pred_ctrl" 16 4, INVERT "pred_inv" 20 1, EXEC "exec_size" 21 3,
    CONDITION "cond_mod" 24 4, ACC_WRITE "acc_wr" 28 1, DEBUG "debug" 30 1, SATURATE "sat" 31 1,
    NIBBLE "nib_ctrl" 47 1,
    FLAG_SUB "flag_subreg" 89 1, FLAG "flag_reg" 90 1,
    IMMEDIATE "imm32" 96 32, JIP "jip" 96 16, UIP "uip" 112 16,
    DESCRIPTOR "desc" 96 29, END "eot" 127 1,
    DST_FILE "dst_file" 32 2, DST_TYPE "dst_type" 34 3, DST_STRIDE "dst_hstride" 61 2,
    DST_INDIRECT "dst_mode" 63 1, DST_SUB "dst_subreg" 48 5, DST_REG "dst_reg" 53 8,
    DST_CHANNELS "dst_chan_en" 48 4, DST_HALF "dst_subreg4" 52 1,
    DST_OFFSET "dst_addr_imm" 48 10, DST_OFFSET_HIGH "dst_addr_imm_hi" 52 6,
    DST_ADDRESS "dst_addr_subreg" 58 3,
}

/// Fields of a source of a one- or two-source instruction.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Register file.
    pub file: Field,
    /// Type.
    pub kind: Field,
    /// Absolute value.
    pub abs: Field,
    /// Minus.
    pub neg: Field,
    /// Addressed by a0.
    pub indirect: Field,
    /// Vertical stride.
    pub vertical: Field,
    /// Width of a row, align1.
    pub width: Field,
    /// Horizontal stride, align1.
    pub horizontal: Field,
    /// Register, direct.
    pub reg: Field,
    /// Byte in the register, direct align1.
    pub sub: Field,
    /// Half of the register, direct align16.
    pub half: Field,
    /// Components, align16.
    pub swizzle: [Field; 4],
    /// Reserved bit, align16.
    pub reserved: Field,
    /// Bytes added to the address, indirect align1.
    pub offset: Field,
    /// The same without its low four bits, indirect align16.
    pub offset_high: Field,
    /// Element of a0, indirect.
    pub address: Field,
    /// All its bits but file and type.
    pub all: Field,
}

macro_rules! source {
    ($n:literal, $o:literal, $file:literal) => {
        Source {
            file: Field::new(concat!("src", $n, "_file"), &[($file, 2)]),
            kind: Field::new(concat!("src", $n, "_type"), &[($file + 2, 3)]),
            abs: Field::new(concat!("src", $n, "_abs"), &[($o + 13, 1)]),
            neg: Field::new(concat!("src", $n, "_neg"), &[($o + 14, 1)]),
            indirect: Field::new(concat!("src", $n, "_mode"), &[($o + 15, 1)]),
            vertical: Field::new(concat!("src", $n, "_vstride"), &[($o + 21, 4)]),
            width: Field::new(concat!("src", $n, "_width"), &[($o + 18, 3)]),
            horizontal: Field::new(concat!("src", $n, "_hstride"), &[($o + 16, 2)]),
            reg: Field::new(concat!("src", $n, "_reg"), &[($o + 5, 8)]),
            sub: Field::new(concat!("src", $n, "_subreg"), &[($o, 5)]),
            half: Field::new(concat!("src", $n, "_subreg4"), &[($o + 4, 1)]),
            swizzle: [
                Field::new(concat!("src", $n, "_swz_x"), &[($o, 2)]),
                Field::new(concat!("src", $n, "_swz_y"), &[($o + 2, 2)]),
                Field::new(concat!("src", $n, "_swz_z"), &[($o + 16, 2)]),
                Field::new(concat!("src", $n, "_swz_w"), &[($o + 18, 2)]),
            ],
            reserved: Field::new(concat!("src", $n, "_rsv84"), &[($o + 20, 1)]),
            offset: Field::new(concat!("src", $n, "_addr_imm"), &[($o, 10)]),
            offset_high: Field::new(concat!("src", $n, "_addr_imm_hi"), &[($o + 4, 6)]),
            address: Field::new(concat!("src", $n, "_addr_subreg"), &[($o + 10, 3)]),
            all: Field::new(concat!("src", $n), &[($o, 25)]),
        }
    };
}

/// The two sources.
pub const SOURCES: [Source; 2] = [source!("0", 64, 37), source!("1", 96, 42)];

/// Fields of a source of a three-source instruction.
#[derive(Clone, Copy, Debug)]
pub struct Third {
    /// Absolute value.
    pub abs: Field,
    /// Minus.
    pub neg: Field,
    /// One component for all channels.
    pub replicate: Field,
    /// Components, two bits each, x lowest.
    pub swizzle: Field,
    /// Dword in the register.
    pub sub: Field,
    /// Register.
    pub reg: Field,
}

macro_rules! third {
    ($n:literal, $o:literal, $sign:literal) => {
        Third {
            abs: Field::new(concat!("src", $n, "_abs"), &[($sign, 1)]),
            neg: Field::new(concat!("src", $n, "_neg"), &[($sign + 1, 1)]),
            replicate: Field::new(concat!("src", $n, "_rep"), &[($o, 1)]),
            swizzle: Field::new(concat!("src", $n, "_swz"), &[($o + 1, 8)]),
            sub: Field::new(concat!("src", $n, "_subreg"), &[($o + 9, 3)]),
            reg: Field::new(concat!("src", $n, "_reg"), &[($o + 12, 8)]),
        }
    };
}

/// The three sources of a three-source instruction.
pub const THIRDS: [Third; 3] = [third!("0", 64, 36), third!("1", 85, 38), third!("2", 106, 40)];

/// Fields of the destination of a three-source instruction, and what its sources share.
pub mod three {
    use super::Field;

    fields! {
        FLAG_SUB "flag_subreg" 33 1, FLAG "flag_reg" 34 1, SRC_TYPE "src_type" 42 2,
        DST_TYPE "dst_type" 44 2, CHANNELS "dst_chan_en" 49 4, SUB "dst_subreg" 53 3,
        REG "dst_reg" 56 8,
    }

    /// Reserved bits.
    pub const RESERVED: &[(u8, u8)] = &[(7, 1), (32, 1), (35, 1), (46, 1), (48, 1), (84, 1), (105, 1), (126, 2)];
}

/// Fields of the compact format.
pub mod compact {
    use super::Field;

    fields! {
        DEBUG "debug" 7 1, CONTROL "control_index" 8 5, DATATYPE "datatype_index" 13 5,
        SUBREG "subreg_index" 18 5, ACC_WRITE "acc_wr" 23 1, CONDITION "cond_mod" 24 4,
        SRC0 "src0_index" 30 5, SRC1 "src1_index" 35 5, DST_REG "dst_reg" 40 8,
        SRC0_REG "src0_reg" 48 8, SRC1_REG "src1_reg" 56 8,
    }

    /// All of them.
    pub const ALL: [Field; 11] =
        [DEBUG, CONTROL, DATATYPE, SUBREG, ACC_WRITE, CONDITION, SRC0, SRC1, DST_REG, SRC0_REG, SRC1_REG];
    /// The reserved bit.
    pub const RESERVED: &[(u8, u8)] = &[(28, 1)];
}
