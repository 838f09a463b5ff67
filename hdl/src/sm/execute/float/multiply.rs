//! Float product: exponent and kind of the result, and the product of the significands made ready
//! to round.
//!
//! The significands multiply in the lane's integer multiplier; two numbers of 1 ≤ f < 2 give a
//! product below 4, so one bit says which way it is aligned.
//! Source: numerics.md, FMUL.

use super::round::Raw;
use super::unpack::Number;
use crate::rtl::prelude::*;

/// What the operands say before they are multiplied.
pub struct Product {
    pub nan: Ex,
    pub infinite: Ex,
    pub zero: Ex,
    /// Exponent of a product below 2, biased by 127, two's complement (10 bits).
    pub exponent: Ex,
}

/// Kind and exponent of `a * b`.
pub fn prepare(a: &Number, b: &Number) -> Product {
    let infinite = wire("product_infinite", &a.infinite | &b.infinite);
    let zero = wire("product_zero", &a.tiny | &b.tiny);
    let sum = a.exponent.zext(10) + &b.exponent.zext(10);
    Product {
        nan: any_of(&[a.nan.clone(), b.nan.clone(), &infinite & &zero]),
        infinite,
        zero,
        exponent: sum - lit(10, 127),
    }
}

/// The 48-bit product, ready to round: fraction, the bit that raises the exponent, lost bits.
pub fn align(product: &Ex, exponent: &Ex) -> Raw {
    let p = product.named();
    let top = p.bit(47);
    let fraction = top.mux(&p.bits(24, 23), &p.bits(23, 23));
    let below = wire("product_below", p.bits(0, 22).any());
    let guard = top.mux(&p.bit(23), &p.bit(22));
    Raw {
        body: cat([exponent, &fraction]),
        raise: top.clone(),
        guard,
        sticky: below | (&top & &p.bit(22)),
    }
}
