//! Any bitwise function of two operands, as a truth table of four bits.
//!
//! Bit 2*a + b of the table is the result for operand bits a and b. One look-up table a bit serves
//! the logic instructions, the selection of minimum and maximum, and passing or inverting `a` on
//! its way to the adder.
//! Source: sm10-isa.md, executable semantics, logop.

use crate::rtl::prelude::*;

/// Result is a.
pub const PASS_A: u64 = 0b1100;
/// Result is b.
pub const PASS_B: u64 = 0b1010;

/// Truth table of a logic instruction: `op` 0 and, 1 or, 2 xor, 3 pass b, operands inverted first.
pub fn table(op: &Ex, not_a: &Ex, not_b: &Ex) -> Ex {
    let flip = |x: &Ex, bit: usize| if bit == 0 { x.clone() } else { !x };
    let row = |i: usize| {
        let (a, b) = (flip(not_a, i >> 1), flip(not_b, i & 1));
        select(op, &[&a & &b, &a | &b, &a ^ &b, b])
    };
    let rows: Vec<Ex> = (0..4).map(row).collect();
    pack(rows.iter())
}

/// The function `table` of every bit pair of `a` and `b` (equal widths): one table a bit in hardware,
/// a handful of operations on whole words in simulation.
pub fn apply(table: &Ex, a: &Ex, b: &Ex) -> Ex {
    let (a, b) = (a.named(), b.named());
    let t = |i: usize| table.bit(i).repeat(a.width());
    (&a & &b & t(3)) | (&a & &!&b & t(2)) | (&!&a & &b & t(1)) | (&!&a & &!&b & t(0))
}
