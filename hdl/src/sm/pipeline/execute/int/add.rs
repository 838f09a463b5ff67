//! The adder of a lane: every sum, difference, accumulation and negation ends here.
//!
//! sum = x + y + cin over 32 bits. Subtractions arrive with one side inverted and `cin` set. A
//! 16-bit addition uses the low half: its carry is read from the sum at bit 16, so the upper
//! halves may hold anything.
//! Source: docs/integers.md, IADD.

use crate::rtl::prelude::*;

/// What the adder gives.
pub struct Sum {
    /// x + y + cin, 32 bits.
    pub value: Expr,
    /// Carry out of bit 31.
    pub carry_out: Expr,
    /// Carry out of the top bit of the operation's width (C).
    pub carry: Expr,
    /// Signed overflow at the operation's width (O).
    pub overflow: Expr,
    /// Sign of `x` as added: the direction in which an overflow saturates.
    pub x_negative: Expr,
}

/// The sum of 32-bit `x` and `y` and the bit `cin`; `narrow` reads carry and overflow at 16 bits.
/// `flip` inverts the sign `x` counts with (see `compare::Relation::flip`).
pub fn add(x: &Expr, y: &Expr, cin: &Expr, narrow: &Expr, flip: &Expr) -> Sum {
    let (x, y) = (x.named(), y.named());
    let chain = wire("sum_carry", carry_chain(&y, &x, cin));
    let value = wire("sum", chain.bits(0, 32));
    let carry_out = chain.bit(32);
    let carry16 = &(&x.bit(16) ^ &y.bit(16)) ^ &value.bit(16);
    let sign = |v: &Expr| narrow.mux(&v.bit(15), &v.bit(31));
    let x_negative = wire("x_negative", sign(&x) ^ flip);
    let differs = |v: &Expr| &x_negative ^ &sign(v);
    let overflow = wire("overflow", !differs(&y) & differs(&value));
    Sum { carry: narrow.mux(&carry16, &carry_out), value, carry_out, overflow, x_negative }
}
