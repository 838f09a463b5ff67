//! Operands of the unit for floats of 64 bits, taken apart.
//!
//! Single precision is exact in double precision, its denormals become numbers that do not begin with a one. What follows
//! knows one format.

use crate::rtl::prelude::*;

/// Bits of a significand with its leading one.
pub const SIGNIFICAND: usize = 53;
/// Bits of an exponent, biased by 1023.
pub const EXPONENT: usize = 12;
/// The bias of double precision less that of single precision.
const REBIAS: u64 = 1023 - 127;

/// How an operand is read.
pub struct Read<'a> {
    /// It has 64 bits, else 32 in the low word.
    pub wide: &'a Expr,
    /// A denormal of single precision is a zero of its sign.
    pub flush: &'a Expr,
    pub abs: &'a Expr,
    pub neg: &'a Expr,
}

/// A number taken apart.
pub struct Number {
    pub negative: Expr,
    /// [`EXPONENT`] bits; that of denormals is that of the smallest normal number.
    pub exponent: Expr,
    /// [`SIGNIFICAND`] bits.
    pub significand: Expr,
    pub zero: Expr,
    pub infinite: Expr,
    pub nan: Expr,
}

/// Takes a float of 64 or 32 bits apart.
pub fn number(name: &str, x: &Expr, how: &Read) -> Number {
    let called = |what: &str| format!("{name}_{what}");
    let (x, wide) = (x.named(), how.wide);
    let field = wide.mux(&x.bits(52, 11), &x.bits(23, 8).zext(11));
    let field = wire(&called("field"), field);
    let tiny = wire(&called("tiny"), !field.any());
    let full = wire(&called("full"), field.bits(0, 8).all() & (field.bits(8, 3).all() | !wide));
    let flushed = all_of(&[!wide, how.flush.clone(), tiny.clone()]);
    let single = x.bits(0, 23) & (!flushed).repeat(23);
    let fraction = wide.mux(&x.bits(0, 52), &cat([&single, &zero(29)]));
    let fraction = wire(&called("fraction"), fraction);
    let some = wire(&called("some"), fraction.any());
    let least = cat([&field.bits(1, 10), &(field.bit(0) | &tiny)]).zext(EXPONENT);
    let exponent = least + (lit(EXPONENT, REBIAS) & (!wide).repeat(EXPONENT));
    let negative = wide.mux(&x.bit(63), &x.bit(31));
    Number {
        negative: wire(&called("negative"), (negative & !how.abs) ^ how.neg),
        exponent: wire(&called("exponent"), exponent),
        significand: cat([&!&tiny, &fraction]),
        zero: &tiny & &!&some,
        infinite: &full & &!&some,
        nan: &full & &some,
    }
}

/// An integer of 32 bits as a number that need not begin with a one. It is magnitude and minus as the operand says.
pub fn integer(x: &Expr, signed: &Expr, abs: &Expr, neg: &Expr) -> Number {
    let below = wire("integer_below", signed & x.bit(31));
    let magnitude = (x ^ &below.repeat(32)) + below.zext(32);
    let magnitude = wire("integer_magnitude", magnitude);
    let some = magnitude.any();
    Number {
        negative: wire("integer_negative", ((below & !abs) ^ neg) & &some),
        exponent: lit(EXPONENT, 1023 + 52),
        significand: magnitude.zext(SIGNIFICAND),
        zero: !some,
        infinite: zero(1),
        nan: zero(1),
    }
}
