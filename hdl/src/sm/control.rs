//! Bundles that travel down the pipeline: one word each, field by field.
//!
//! [`AluControl`] is what an integer lane needs to know; it is ISA-neutral.

use crate::packed;

/// Units of the integer lane (`AluControl::unit`).
pub mod unit {
    /// `a + b` and its relatives (`kind`, `w16`, `sat`).
    pub const ADD: u64 = 0;
    /// 16- or 24-bit product, plus `c` when `accumulate` (`kind`, `sat`).
    pub const MUL: u64 = 1;
    /// `|a - b| + c`.
    pub const SAD: u64 = 2;
    /// All ones when the relation `cond` holds.
    pub const SET: u64 = 3;
    /// Minimum, or maximum with `right`.
    pub const MINMAX: u64 = 4;
    /// Shift left, or right with `right`, of `a` by `b`.
    pub const SHIFT: u64 = 5;
    /// Bitwise operation `logic`.
    pub const LOGIC: u64 = 6;
    /// Integer conversion.
    pub const CONVERT: u64 = 7;
}

/// Integer formats of a conversion (`from`, `to`): `{signed, size}`, size 0 = 8, 1 = 16, 2 = 32 bits.
pub mod int_format {
    /// Encodes a format.
    pub fn code(signed: bool, bits: usize) -> u64 {
        let size = match bits {
            8 => 0,
            16 => 1,
            _ => 2,
        };
        (signed as u64) << 2 | size
    }
}

packed! {
    /// What the integer lane does (`sm10-isa.md`, executable semantics).
    pub struct AluControl(_d: ()) {
        /// One of [`unit`].
        unit: 3,
        /// 16-bit operation: operands in the low half, result in the low half, flags from bit 15.
        w16: 1,
        /// 0 a+b, 1 a-b, 2 b-a, 3 a+b+carry; in MUL the product takes the place of a and c of b.
        kind: 2,
        /// Signed saturation of an addition.
        sat: 1,
        /// MUL: a is signed. SET, MINMAX, SHIFT, SAD: the operation is signed.
        signed_a: 1,
        /// MUL: b is signed.
        signed_b: 1,
        /// MUL: 24-bit operands, else 16-bit.
        mul24: 1,
        /// MUL: bits 47:16 of the 48-bit product, else 31:0.
        high: 1,
        /// MUL: add c.
        accumulate: 1,
        /// SET: bit 0 less, 1 equal, 2 greater.
        cond: 3,
        /// SHIFT: right. MINMAX: maximum.
        right: 1,
        /// LOGIC: 0 and, 1 or, 2 xor, 3 pass b.
        logic: 2,
        /// LOGIC: invert a.
        not_a: 1,
        /// LOGIC: invert b.
        not_b: 1,
        /// CONVERT: source format ([`int_format`]).
        from: 3,
        /// CONVERT: destination format.
        to: 3,
        /// CONVERT: negate (after absolute value).
        neg: 1,
        /// CONVERT: absolute value.
        abs: 1,
    }
}
