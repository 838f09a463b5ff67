//! Float sum: which operand is the larger, how far the other moves, and the one adder.
//!
//! Both are windows of 24 bits and four more, one above the other by their exponents' difference; what
//! falls out on the right is or-ed into the last bit. Of a product's window the first bit may be
//! zero: nothing is lost then that a rounding could ask for, for the difference of exponents is off
//! by one only, and only from a difference of 2 on can bits fall out and one place be lost at most.
//! Source: numerics.md, FADD, FMAD.

use super::{EXPONENT, WINDOW};
use crate::rtl::prelude::*;

/// How the two operands stand to each other.
pub struct Stand {
    /// The product is the one that moves.
    pub product_moves: Ex,
    /// By how many places, 5 bits; the greatest number drops it all.
    pub places: Ex,
    /// Exponent of the one that stays.
    pub exponent: Ex,
}

/// Compares the exponents of product and addend; a product that is zero moves.
pub fn stand(product: &Ex, addend: &Ex, product_zero: &Ex) -> Stand {
    let ahead = wire("ahead", product - addend);
    let behind = wire("behind", addend - product);
    // Of equal exponents the product moves: its first bit may be zero. So a difference that comes
    // out below zero has 24 bits and no more.
    let moves = wire("product_moves", !behind.bit(EXPONENT - 1) | product_zero);
    let distance = wire("distance", moves.mux(&behind, &ahead));
    let far = distance.bits(5, EXPONENT - 5).any();
    Stand {
        exponent: moves.mux(addend, product),
        places: distance.bits(0, 5) | far.repeat(5),
        product_moves: moves,
    }
}

/// A sum's magnitude.
pub struct Sum {
    /// A window with one bit more on top. A difference below zero stands inverted: ones without end
    /// below it make it right.
    pub value: Ex,
    /// The difference came out below zero: the sign is that of the operand that moved.
    pub below: Ex,
}

/// `stays ± (moves >> places)`; `drop` drops what moves.
pub fn add(stays: &Ex, moves: &Ex, places: &Ex, drop: &Ex, subtract: &Ex) -> Sum {
    let (value, places) = (moves.named(), places.named());
    let moved = wire("moved", value.shr(&places));
    let out = wire("out", !ones(WINDOW).shl(&places));
    let lost = wire("lost", (&value & &out).any());
    let last = moved.bit(0) | &lost;
    let moved = cat([&moved.bits(1, WINDOW - 1), &last]) & (!drop).repeat(WINDOW);
    let addend = cat([&zero(1), &moved]) ^ subtract.repeat(WINDOW + 1);
    // One more bit at the bottom brings the carry in: a single carry chain.
    let chain = cat([&zero(1), stays, &lit(1, 1)]) + cat([&addend, subtract]);
    let sum = wire("sum", wire("sum_chain", chain).bits(1, WINDOW + 1));
    let below = wire("below", subtract & &sum.bit(WINDOW));
    Sum {
        value: sum ^ below.repeat(WINDOW + 1),
        below,
    }
}

/// What rounds a number to an integer in place when it is added below the point (3 bits).
pub fn integral(nearest: &Ex, away: &Ex) -> Ex {
    cat([&(nearest | away), away, away])
}

/// Takes away what lies below the point of a sum with [`integral`]: three bits, and the last bit
/// of an odd integer that stood half-way.
pub fn at_point(value: &Ex, integral: &Ex, nearest: &Ex) -> Ex {
    let tie = nearest & &!value.bits(0, 3).any();
    let keep = !integral;
    cat([
        &value.bits(4, WINDOW - 3),
        &(value.bit(3) & !(integral & &tie)),
        &(value.bits(0, 3) & keep.repeat(3)),
    ])
}
