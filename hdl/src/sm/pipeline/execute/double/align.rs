//! Window of a sum of 64-bit floats: where product and addend stand in it, and their sum.
//!
//! ```text
//!  162          110 109 108 107                              2   1 0
//!  addend, at most   0   0  product                               0 0
//! ```
//! The base is the exponent, biased by 1023, of a number with its leading one in bit 162. A product of a denormal may end in
//! bit 2 and have no more bits than a result: the two below it are those that a difference needs then. An addend moves down from the top;
//! what leaves the window is only known to be something. An addend that would stand above the top stays there: the product
//! is then too small to be more than the last bit of all.

use super::multiplier::PRODUCT;
use super::operand::{EXPONENT, SIGNIFICAND};
use crate::rtl::prelude::*;

/// Bits of the window below a product.
const BELOW: usize = 2;
/// Bits of the window.
pub const WINDOW: usize = BELOW + PRODUCT + 2 + SIGNIFICAND;
/// Bits of a base in two's complement.
pub const BASE: usize = EXPONENT + 1;
/// A product with these exponents less this has the window's base.
pub const REBASE: u64 = 1023 - (SIGNIFICAND as u64 + 2 + 1);
/// Bits of a number of places.
pub const PLACES: usize = 8;
/// Places by which an addend has left the window.
const FAR: u64 = WINDOW as u64 + 1;
/// Bits of an addend moved by up to 15 places.
pub const FINE: usize = SIGNIFICAND + 15;

/// How the addend stands to the product.
pub struct Stand {
    /// Exponent of the window's top bit, [`EXPONENT`] bits.
    pub top: Expr,
    /// Places the addend moves down from the top, [`PLACES`] bits.
    pub places: Expr,
}

/// Compares the base of the product's window with the exponent of the addend.
pub fn stand(base: &Expr, addend: &Expr) -> Stand {
    let distance = wire("distance", base - addend.zext(BASE));
    let above = wire("addend_above", distance.msb());
    let far = distance.bits(0, EXPONENT).gt(&lit(EXPONENT, FAR));
    let places = wire("far", far).mux(&lit(PLACES, FAR), &distance.bits(0, PLACES));
    Stand { top: above.mux(addend, &base.bits(0, EXPONENT)), places: places & (!&above).repeat(PLACES) }
}

/// The significand of an addend moved by the low four bits of `places`.
pub fn fine(significand: &Expr, places: &Expr) -> Expr {
    cat([significand, &zero(FINE - SIGNIFICAND)]).shr(&places.bits(0, 4))
}

/// That in the window, moved by the rest of `places`, and whether something is lost below it.
pub fn coarse(fine: &Expr, places: &Expr) -> (Expr, Expr) {
    let below = FINE;
    let by = cat([&places.bits(4, PLACES - 4), &zero(4)]);
    let moved = wire("moved", cat([fine, &zero(WINDOW - FINE + below)]).shr(&by));
    (moved.bits(below, WINDOW), moved.bits(0, below).any())
}

/// The sum of product and addend in two's complement, [`WINDOW`] bits; whether it is below zero. `lost`: something of
/// the addend is below the window, and its sign is `subtract`.
pub fn add(product: &Expr, addend: &Expr, subtract: &Expr, lost: &Expr) -> (Expr, Expr) {
    let product = cat([product, &zero(BELOW)]).zext(WINDOW);
    let addend = addend ^ &subtract.repeat(WINDOW);
    let sum = wire("sum", carry_chain(&product, &addend, &(subtract & !lost)));
    (sum.bits(0, WINDOW), subtract & !sum.msb())
}

/// The magnitude of a sum.
pub fn magnitude(sum: &Expr, below: &Expr) -> Expr {
    (sum ^ &below.repeat(WINDOW)) + below.zext(WINDOW)
}
