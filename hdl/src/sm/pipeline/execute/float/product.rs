//! Float product: exponent and kind of `a * b`, and the window on the product's bits that is added.
//!
//! The significands multiply in the lane's integer multiplier. Sums, conversions and range
//! reductions go the same way: their second factor is 1, or 2/pi.
//! Source: docs/numerics.md, FMUL, FMAD, RRO.

use super::unpack::{Number, EXPONENT, WINDOW};
use crate::rtl::prelude::*;

/// 2/pi with 24 fraction bits, without its leading one.
pub const TWO_OVER_PI: u64 = 0x22_f983;

/// What the operands say before they are multiplied.
pub struct Product {
    pub nan: Expr,
    pub infinite: Expr,
    pub zero: Expr,
    /// Exponent, biased by 127, of a product of 2 and more, two's complement.
    pub exponent: Expr,
}

/// Kind and exponent of `a * b`, or of `a` where `times` is clear. A half precision denormal is no
/// zero: `half` says that `a` has that format.
pub fn prepare(a: &Number, b: &Number, times: &Expr, half: &Expr) -> Product {
    let b_infinite = wire("factor_infinite", times & &b.infinite);
    let b_zero = wire("factor_zero", times & &b.tiny);
    let zero = wire("product_zero", (&a.tiny & &!half) | &b_zero);
    let impossible = (&a.infinite & &b_zero) | (&b_infinite & &a.tiny);
    // 127, or that and the bias of half precision, of a denormal one more.
    let rebiased = cat([&ones(3), &a.tiny, &(!&a.tiny).repeat(4)]);
    let other = times.mux(&b.exponent, &half.mux(&rebiased, &lit(8, 127)));
    let sum = a.exponent.zext(EXPONENT) + other.zext(EXPONENT);
    Product {
        nan: any_of(&[a.nan.clone(), times & &b.nan, impossible]),
        infinite: &a.infinite | &b_infinite,
        zero,
        exponent: wire("product_exponent", sum - lit(EXPONENT, 126)),
    }
}

/// The product as a number below 2 with its leading one in the first or second place, 24 bits, and
/// four bits more: exact, the last standing for all below, or with `truncate` cut off behind 24 bits.
pub fn window(product: &Expr, truncate: &Expr) -> Expr {
    let p = product.named();
    let keep = !truncate;
    let next = &p.bit(23) & &(&keep | &!p.bit(47));
    let rest = wire("product_rest", p.bits(0, 22).any());
    let window = cat([&p.bits(24, 24), &next, &(&keep & &p.bit(22)), &zero(1), &(&keep & &rest)]);
    assert_eq!(window.width(), WINDOW);
    wire("product_window", window)
}
