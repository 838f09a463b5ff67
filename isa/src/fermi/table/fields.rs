//! Places of the operands and their signs in a word, each once, and the operands of many rows.
//!
//! A field is `name[lowest bit + width]`, the runs of a value from the least significant up.

use crate::fermi::operand::*;
use crate::set::Field;

macro_rules! fields {
    ($($constant:ident $name:ident[$($low:literal + $width:literal)+] $doc:literal;)+) => {
        $(#[doc = $doc]
        pub const $constant: Field = Field::new(stringify!($name), &[$(($low, $width)),+]);)+
    };
}

#[rustfmt::skip]
fields! {
    GUARD     P[10+3]       "Predicate of the guard.";
    GUARD_NOT PN[13+1]      "The guard is inverted.";
    JOIN      J[4+1]        "`.S`.";
    DST       D[14+6]       "Destination register; data of stores.";
    A         A[20+6]       "First register.";
    B         B[26+6]       "Second register.";
    BANK      cb[42+4 26+1] "Bank of a constant.";
    OFFSET    co[28+14]     "Word of a constant in its bank.";
    IMM20     i[26+20]      "Immediate of 20 bits.";
    IMM32     i[26+32]      "Immediate of 32 bits.";
    C         C[49+6]       "Third register.";
    PDST_17   PD[17+3]      "First predicate written by comparisons.";
    PDST2     PN2[14+3]     "Second predicate written.";
    PC        PC[49+3]      "Third predicate read.";
    SPECIAL   sr[26+8]      "Special register.";
    SHIFT     sh[5+5]       "Shift of ISCADD.";
    PA        PA[20+3]      "First predicate read.";
    PB        PB[26+3]      "Second predicate read.";
    ADDR32    o[26+32]      "Offset of an address, 32 bits.";
    ADDR24    o[26+24]      "The same of 24 bits.";
    LOAD_BANK b[42+5]       "Bank of LDC.";
    ADDR16    o[26+16]      "Offset of LDC.";
    DST2      D2[43+6]      "Destination register of ATOM.";
    ADDR20    o[26+17 55+3] "Offset of ATOM.";
    TARGET    t[26+24]      "Bytes from the next instruction to the target.";
    BARRIER   b[20+4]       "Barrier.";
    COUNT     n[26+12]      "Threads that a barrier expects.";
    PDST_54   PD[54+3]      "Predicate written by VOTE.";
}

macro_rules! signs {
    ($($constant:ident $sign:ident $name:ident[$low:literal + 1] $doc:literal;)+) => {
        $(#[doc = $doc]
        pub const $constant: Sign = Sign::$sign(Field::new(stringify!($name), &[($low, 1)]));)+
    };
}

#[rustfmt::skip]
signs! {
    NEG_9         Neg na[9+1]   "Minus of the first operand.";
    ABS_7         Abs aa[7+1]   "Magnitude of the first operand.";
    NEG_8         Neg nb[8+1]   "Minus of the second operand.";
    ABS_6         Abs ab[6+1]   "Magnitude of the second operand.";
    NEG_57        Neg nb[57+1]  "Minus of FMUL.";
    NEG_PRODUCT_9 Neg nb[9+1]   "Minus of a product.";
    NEG_C_8       Neg nc[8+1]   "Minus of the third operand.";
    NOT_52        Not PCN[52+1] "Not of [`PC`].";
    NEG_56        Neg na[56+1]  "Minus of the first operand of ISCADD.";
    NEG_55        Neg nb[55+1]  "Minus of its second.";
    INV_9         Not ia[9+1]   "Inverts the first operand.";
    INV_8         Not ib[8+1]   "Inverts the second operand.";
    NOT_23        Not PAN[23+1] "Not of [`PA`].";
    NOT_29        Not PBN[29+1] "Not of [`PB`].";
}

/// Fields of most forms: the guard and the mark `.S`.
pub const GUARD_JOIN: &[Field] = &[GUARD, GUARD_NOT, JOIN];
/// Fields of control flow without `.S`.
pub const GUARD_ONLY: &[Field] = &[GUARD, GUARD_NOT];
/// Fields of control flow that is not guarded.
pub const NO_GUARD: &[Field] = &[];

macro_rules! operands {
    ($($constant:ident $operand:expr, $doc:literal;)+) => {
        $(#[doc = $doc]
        pub const $constant: Operand = $operand;)+
    };
}

#[rustfmt::skip]
operands! {
    CONST   constant(&[BANK, OFFSET]),     "Constant of 4 bytes.";
    CONST64 constant64(&[BANK, OFFSET]),   "Constant of 8 bytes.";
    REG_D   reg(&[DST]),                   "Destination register.";
    REG_A   reg(&[A]),                     "First register.";
    REG_C   reg(&[C]),                     "Third register.";
    REG64_D reg64(&[DST]),                 "Destination pair.";
    REG64_A reg64(&[A]),                   "First pair.";
    TYPED_D reg_by_type(&[DST]),           "Destination, a pair where its type has 64 bits.";
    SIZED_D reg_by_size(&[DST]),           "Data of an access, as many registers as its size takes.";
    PRED_D  pred(&[PDST_17]),              "First predicate written by comparisons.";
    PRED_N  pred(&[PDST2]),                "Second predicate written.";
    PRED_C  pred(&[PC]).signed(&[NOT_52]), "Third predicate read.";
}

/// The operands that a place of a family has in its forms.
pub struct Family {
    /// Second register.
    pub register: Operand,
    /// Constant.
    pub constant: Operand,
    /// Immediate.
    pub immediate: Operand,
    /// Third register.
    pub third: Operand,
}

/// Family of integers.
pub const INT: Family = Family { register: reg(&[B]), constant: CONST, immediate: imm_int(&[IMM20]), third: reg(&[C]) };
/// Family of floats.
pub const F32: Family = Family { immediate: imm_f32(&[IMM20]), ..INT };
/// Family of doubles.
pub const F64: Family =
    Family { register: reg64(&[B]), constant: CONST64, immediate: imm_f64(&[IMM20]), third: reg64(&[C]) };
