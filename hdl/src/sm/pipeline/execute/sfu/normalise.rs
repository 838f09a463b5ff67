//! The sum becomes a float: magnitude, leading one to the front, truncated to 24 bits.
//!
//! Bits 1:0 of the sum are dropped first. A negative sum, which only logarithms have, is
//! complemented, as docs/numerics.md does. The leading one moves to bit 44 in steps of 16 and 4 before
//! E4 and of 1 behind it; each place takes one from the exponent. Exponents below 1 give zero;
//! above 254 none comes.

use super::index::EXPONENT;
use super::sum::SUM;
use crate::rtl::prelude::*;

/// Bits of the magnitude.
const MAGNITUDE: usize = SUM - 3;
/// Bits that are left when only up to 3 places of shift remain.
pub const COARSE: usize = 24 + 3;
/// … and up to 15.
const MIDDLE: usize = COARSE + 12;

/// The magnitude with a one in its first four bits, or zero there, and the exponent of the first.
pub fn coarse(sum: &Expr, exponent: &Expr) -> (Expr, Expr) {
    let magnitude = sum.bits(2, MAGNITUDE) ^ sum.msb().repeat(MAGNITUDE);
    let magnitude = wire("magnitude", magnitude);
    let (middle, by16) = step("middle", &magnitude, 16, MIDDLE, 2);
    let (near, by4) = step("near", &middle, 4, COARSE, 3);
    let places = cat([&by16, &by4, &zero(2)]);
    (near, exponent - &places.zext(EXPONENT))
}

/// `x` shifted left by `count`, ... 1 or 0 times `by` so that its first `by` bits are not zero, if
/// that is enough; the first `width` bits of it, and the times (2 bits).
fn step(name: &str, x: &Expr, by: usize, width: usize, count: usize) -> (Expr, Expr) {
    let take = |n: usize| {
        let top = x.width() - n * by;
        if top >= width {
            x.bits(top - width, width)
        } else {
            cat([&x.bits(0, top), &zero(width - top)])
        }
    };
    let mut found = (take(count), lit(2, count as u64));
    for n in (0..count).rev() {
        let here = wire(&format!("{name}_{n}"), x.bits(x.width() - (n + 1) * by, by).any());
        found = (here.mux(&take(n), &found.0), here.mux(&lit(2, n as u64), &found.1));
    }
    (wire(name, found.0), wire(&format!("{name}_steps"), found.1))
}

/// Exponent and fraction of the result, 31 bits, from what [`coarse`] gave.
pub fn fine(near: &Expr, exponent: &Expr) -> Expr {
    let (significand, by1) = step("significand", near, 1, 24, 3);
    let exponent = wire("final_exponent", exponent - &by1.zext(EXPONENT));
    let normal = significand.msb() & !exponent.msb() & exponent.any();
    cat([&exponent.bits(0, 8), &significand.bits(0, 23)]) & normal.repeat(31)
}
