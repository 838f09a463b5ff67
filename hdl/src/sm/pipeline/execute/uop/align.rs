//! Window of the float sum: where product and addend stand in it, and their sum.
//!
//! ```text
//!  76            53 52 51 50                          3 2 1 0
//!  addend, at most  0  0  product                       0 0 sticky
//! ```
//! Bit i of the window stands for 2^(base - 203 + i): the base is the exponent, biased by 127, of a number
//! with its leading one in bit 76. An addend moves down from the top; what leaves the window is or-ed
//! into its last bit. An addend that would stand above the top stays there, and the product, too small
//! for any of its places, is that last bit.

use crate::rtl::prelude::*;

/// Bits of the window.
pub const WINDOW: usize = 77;
/// Bits of an exponent in two's complement.
pub const EXPONENT: usize = 10;
/// Bits of a base.
pub const BASE: usize = 9;
/// A product with these exponents less this has the window's base.
pub const REBASE: u64 = 100;
/// Places beyond which an addend has left the window.
const FAR: u64 = 80;
/// Bits of an addend moved by up to seven places.
pub const FINE: usize = 31;

/// How the addend stands to the product.
pub struct Stand {
    /// The addend is above the window of the product.
    pub above: Expr,
    /// Exponent of the window's top bit.
    pub base: Expr,
    /// Places the addend moves down from the top, 7 bits.
    pub places: Expr,
}

/// Compares the base of the product's window with the exponent of the addend.
pub fn stand(product: &Expr, addend: &Expr) -> Stand {
    let distance = wire("distance", product - addend.zext(EXPONENT));
    let above = distance.bit(EXPONENT - 1);
    let far = wire("far", distance.gt(&lit(EXPONENT, FAR)));
    let places = far.mux(&lit(7, FAR), &distance.bits(0, 7)) & (!&above).repeat(7);
    Stand { base: above.mux(&addend.zext(BASE), &product.bits(0, BASE)), places, above }
}

/// The significand of an addend moved by the low three bits of `places`.
pub fn fine(significand: &Expr, places: &Expr) -> Expr {
    cat([significand, &zero(7)]).shr(&places.bits(0, 3))
}

/// That in the window, moved by the rest of `places`.
pub fn coarse(fine: &Expr, places: &Expr) -> Expr {
    let by = cat([&places.bits(3, 4), &zero(3)]);
    let moved = cat([fine, &zero(FAR as usize)]).shr(&by);
    let moved = wire("moved", moved);
    let below = moved.width() - (WINDOW - 1);
    cat([&moved.bits(below, WINDOW - 1), &moved.bits(0, below).any()])
}

/// Magnitude and sign of a sum.
pub struct Sum {
    pub value: Expr,
    /// The addend was the greater: the sign is its.
    pub below: Expr,
}

/// `product ± addend`. Both differences are made; the one that is not below zero counts.
pub fn add(product: &Expr, addend: &Expr, subtract: &Expr) -> Sum {
    let (x, y) = (product.named(), (addend ^ &subtract.repeat(WINDOW)).named());
    let plain = wire("plain_sum", &x + &y);
    let one = cat([&zero(1), &x, &lit(1, 1)]) + cat([&zero(1), &y, &lit(1, 1)]);
    let next = wire("next_sum", one).bits(1, WINDOW + 1).called("next");
    let ahead = wire("ahead", subtract & &next.bit(WINDOW));
    let below = wire("below", subtract & !next.bit(WINDOW));
    let value = ahead.mux(&next.bits(0, WINDOW), &(&plain ^ &below.repeat(WINDOW)));
    Sum { value, below }
}
