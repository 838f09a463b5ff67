//! Float operands: half precision made single, denormals flushed, signs; and what kind of number.
//!
//! Half precision is exact in single precision, its denormals become normal numbers. What follows knows
//! one format.

use super::count::leading_zeros;
use crate::rtl::prelude::*;

/// How an operand is read.
pub struct How<'a> {
    /// It is a float; else its word passes.
    pub float: Expr,
    /// It has half precision; `None` where a lane knows none.
    pub half: Option<&'a Expr>,
    /// A denormal of single precision is a zero of its sign.
    pub flush: &'a Expr,
    pub abs: &'a Expr,
    pub neg: &'a Expr,
}

/// The word of an operand, of a float in single precision.
pub fn read(x: &Expr, how: &How) -> Expr {
    let float = wire("float_operand", how.float.clone());
    let tiny = !x.bits(23, 8).any();
    let flushed = wire("flushed", &float & how.flush & tiny);
    let single = x.bits(0, 31) & (!flushed).repeat(31);
    let (magnitude, negative) = match how.half {
        None => (single, x.bit(31)),
        Some(half) => {
            let half = wire("half_operand", half & &float);
            let negative = half.mux(&x.bit(15), &x.bit(31));
            (half.mux(&widen(&x.bits(0, 15)), &single), negative)
        }
    };
    let positive = &float & how.abs;
    let sign = (negative & !positive) ^ (&float & how.neg);
    cat([&sign, &magnitude])
}

/// Half precision without its sign as single precision without its sign.
pub fn widen(x: &Expr) -> Expr {
    let (field, fraction) = (x.bits(10, 5), x.bits(0, 10).named());
    let tiny = wire("half_tiny", !field.any());
    let full = field.all();
    // A denormal moves up until its leading one has left the fraction.
    let zeros = wire("half_zeros", leading_zeros(&cat([&fraction, &zero(6)])));
    let moved = wire("half_moved", cat([&fraction, &zero(1)]).shl(&zeros));
    let denormal = moved.bits(0, 10);
    let exponent = lit(8, 112) - zeros.zext(8);
    let normal = cat([&full.repeat(3), &field]) + (lit(8, 112) & (!&full).repeat(8));
    let exponent = tiny.mux(&(exponent & fraction.any().repeat(8)), &normal);
    cat([&exponent, &tiny.mux(&denormal, &fraction), &zero(13)])
}

/// A number of single precision taken apart.
pub struct Number {
    pub negative: Expr,
    /// Biased by 127, 8 bits; that of denormals is 1.
    pub exponent: Expr,
    /// 24 bits.
    pub significand: Expr,
    pub zero: Expr,
    pub infinite: Expr,
    pub nan: Expr,
}

/// Takes a number apart.
pub fn number(name: &str, x: &Expr) -> Number {
    let x = x.named();
    let tiny = wire(&format!("{name}_tiny"), !x.bits(23, 8).any());
    let full = wire(&format!("{name}_full"), x.bits(23, 8).all());
    let some = wire(&format!("{name}_some"), x.bits(0, 23).any());
    Number {
        negative: x.bit(31),
        exponent: cat([&x.bits(24, 7), &(x.bit(23) | &tiny)]),
        significand: cat([&!&tiny, &x.bits(0, 23)]),
        zero: &tiny & &!&some,
        infinite: &full & &!&some,
        nan: &full & &some,
    }
}
