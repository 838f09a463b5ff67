//! The sum of a row: `base + C1 X + C2 sq(X)`, 46 bits, two's complement.
//!
//! Two products, each with the addition behind it: one DSP slice a stage. The scale makes the low
//! two bits of every function those that docs/numerics.md shifts out or that are zero, and the first one
//! of RCP, RSQ and EX2 bit 39 (bit 40 for the exact reciprocal of a power of two).

use super::index::{Function, REMAINDER};
use super::squarer::SQUARE;
use super::tables::{BASE, C1, C2, LOW, LOW_BITS, ROW};
use crate::rtl::prelude::*;

/// Bits of the sum.
pub const SUM: usize = 46;
/// Place of the integer part of a logarithm.
const INTEGER: usize = 38;

/// Base and C1 X. A logarithm adds the exponent of its operand.
pub fn linear(f: &Function, row: &Expr, exponent: &Expr, x: &Expr) -> Expr {
    assert_eq!((row.width(), x.width()), (ROW, REMAINDER));
    let split = INTEGER - LOW_BITS;
    let whole = exponent.bits(0, SUM - INTEGER) & f.lg2.repeat(SUM - INTEGER);
    let high = row.bits(split, BASE - split).zext(SUM - INTEGER) + whole;
    let [rcp, rsq, lg2, sin, ex2] = LOW.map(|v| lit(LOW_BITS, v));
    let fixed = f.wave.mux(&sin, &ex2);
    let low = f.rcp.mux(&rcp, &f.rsq.mux(&rsq, &f.lg2.mux(&lg2, &fixed)));
    let low = wire("low", low);
    let base = wire("base", cat([&high, &row.bits(0, split), &low]));
    base + product("linear", &row.bits(BASE, C1), x)
}

/// Adds C2 sq(X).
pub fn quadratic(linear: &Expr, c2: &Expr, square: &Expr) -> Expr {
    assert_eq!((c2.width(), square.width()), (C2, SQUARE));
    linear + product("quadratic", c2, square)
}

/// A two's complement coefficient times a number. Signed in the Verilog sense and an expression of
/// its own, so that synthesis sees the widths behind the extension.
fn product(name: &str, coefficient: &Expr, x: &Expr) -> Expr {
    wire(name, coefficient.sext(SUM).mul_signed(&x.zext(SUM)))
}

/// C2 of a row.
pub fn c2(row: &Expr) -> Expr {
    row.bits(BASE + C1, C2)
}
