//! Reciprocal: table and quadratic interpolation, and the packing of the result.
//!
//! significand = (C0 2^13 + C1 x + C2 sq(2x) + 0x47e7) >> 15, exponent 253 - e. The segment is the
//! first 7 bits of the fraction, x the other 16. Rounding is in the constant.
//! Source: numerics.md, RCP.

use super::tables::{lookup, RCP};
use crate::rtl::prelude::*;

/// Bits of C0; the next one is set in every row.
pub const C0: usize = 25;
/// Bits of -C1.
pub const C1: usize = 16;
/// Bits of C2.
pub const C2: usize = 10;
/// Bits of the sum.
pub const SUM: usize = 40;
const BIAS: u64 = 0x47e7;

/// Coefficients of segment `index`: C0 without its first bit, -C1, C2.
pub fn coefficients(index: &Ex) -> (Ex, Ex, Ex) {
    (
        wire(
            "rcp_c0",
            lookup(index, |i| RCP[i][0] as u64 & ((1 << C0) - 1), C0),
        ),
        wire(
            "rcp_c1",
            lookup(index, |i| RCP[i][1].unsigned_abs().into(), C1),
        ),
        wire("rcp_c2", lookup(index, |i| RCP[i][2] as u64, C2)),
    )
}

/// The significand, 2^23..=2^24 (25 bits), from C0 and the two products.
pub fn significand(c0: &Ex, linear: &Ex, quadratic: &Ex) -> Ex {
    let base = cat([&zero(1), &lit(1, 1), c0, &lit(13, 0)]);
    let raised = wire("raised", quadratic.zext(SUM) + lit(SUM, BIAS));
    let sum = wire("rcp_sum", base - linear.zext(SUM) + &raised);
    sum.bits(15, 25)
}

/// Packs with the exponent 253 - `e`: flushes to zero, 2^24 is the next power of two.
pub fn pack_result(significand: &Ex, e: &Ex) -> Ex {
    // The leading one of the significand is part of the exponent's sum: 252 - e + 1 or + 2.
    let exponent = lit(9, 252) - &e.zext(9) + &significand.bits(23, 2).zext(9);
    let exponent = wire("rcp_exponent", exponent);
    let normal = wire("rcp_normal", !exponent.bit(8) & exponent.bits(0, 8).any());
    cat([&exponent.bits(0, 8), &significand.bits(0, 23)]) & normal.repeat(31)
}
