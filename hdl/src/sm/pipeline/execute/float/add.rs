//! Float sum: which operand is the larger, how far the other moves, and the one adder.
//!
//! Both are windows of 24 bits and four more, one above the other by their exponents' difference; what
//! falls out on the right is or-ed into the last bit. Of a product's window the first bit may be
//! zero: nothing is lost then that a rounding could ask for, for the difference of exponents is off
//! by one only, and only from a difference of 2 on can bits fall out and one place be lost at most.
//! Source: docs/numerics.md, FADD, FMAD.

use super::unpack::{EXPONENT, WINDOW};
use crate::rtl::prelude::*;

/// How the two operands stand to each other.
pub struct Stand {
    /// The product is the one that moves.
    pub product_moves: Expr,
    /// By how many places, 5 bits; the greatest number drops it all.
    pub places: Expr,
    /// Exponent of the one that stays.
    pub exponent: Expr,
}

/// Compares the exponents of product and addend; a product that is zero moves.
pub fn stand(product: &Expr, addend: &Expr, product_zero: &Expr) -> Stand {
    let ahead = wire("ahead", product - addend);
    let behind = wire("behind", addend - product);
    // Of equal exponents the product moves: its first bit may be zero. So a difference that comes
    // out below zero has 24 bits and no more.
    let moves = wire("product_moves", !behind.bit(EXPONENT - 1) | product_zero);
    let distance = wire("distance", moves.mux(&behind, &ahead));
    let far = distance.bits(5, EXPONENT - 5).any();
    Stand { exponent: moves.mux(addend, product), places: distance.bits(0, 5) | far.repeat(5), product_moves: moves }
}

/// A sum, or a difference.
pub struct Sum {
    /// A window with one bit more on top. To be inverted where it is below zero: ones without end
    /// below it make it right.
    pub value: Expr,
    /// The difference came out below zero: the sign is that of the operand that moved.
    pub below: Expr,
}

/// `stays ± (moves >> places)`.
pub fn add(stays: &Expr, moves: &Expr, places: &Expr, subtract: &Expr) -> Sum {
    let places = places.called("places");
    // What stands in the last place ends there or below, however far it moves; it comes late.
    let upper = cat([&moves.bits(1, WINDOW - 1), &zero(1)]);
    // By 8, 16, 24, by 2, 4, 6, by 1: each step or-s what it drops, the most first.
    let (moved, lost_8) = shifted(&upper.named(), 8, &places.bit(3), &places.bit(4));
    let (moved, lost_2) = shifted(&moved, 2, &places.bit(1), &places.bit(2));
    let by_1 = places.bit(0);
    let lost_1 = &moved.bit(0) | &(&by_1 & &moved.bit(1));
    let last = any_of(&[moves.bit(0), lost_8, lost_2, lost_1]);
    let moved = by_1.mux(&cat([&zero(1), &moved.bits(2, WINDOW - 2)]), &moved.bits(1, WINDOW - 1));
    let moved = cat([&moved, &last]);
    let addend = cat([&zero(1), &moved]) ^ subtract.repeat(WINDOW + 1);
    let stays = stays.zext(WINDOW + 1);
    let sum = wire("sum_chain", carry_chain(&stays, &addend, subtract));
    let sum = wire("sum", sum.bits(0, WINDOW + 1));
    let below = wire("below", subtract & &sum.bit(WINDOW));
    Sum { value: sum, below }
}

/// `x` moved to the right by `step` where `low` and twice that where `high`, and whether that dropped
/// a one.
fn shifted(x: &Expr, step: usize, low: &Expr, high: &Expr) -> (Expr, Expr) {
    let w = x.width();
    let by = |n: usize| match n {
        0 => x.clone(),
        n => cat([&zero(n * step), &x.bits(n * step, w - n * step)]),
    };
    let moved = high.mux(&low.mux(&by(3), &by(2)), &low.mux(&by(1), &by(0)));
    let dropped = |n: usize| x.bits(n * step, step).any();
    let lost = [&(low | high) & &dropped(0), high & &dropped(1), &(low & high) & &dropped(2)];
    (wire("moved", moved), wire("lost", any_of(&lost)))
}

/// What rounds a number to an integer in place when it is added below the point (3 bits).
pub fn integral(nearest: &Expr, away: &Expr) -> Expr {
    cat([&(nearest | away), away, away])
}

/// Takes away what lies below the point of a sum with [`integral`]: three bits, and the last bit
/// of an odd integer that stood half-way.
pub fn at_point(value: &Expr, integral: &Expr, nearest: &Expr) -> Expr {
    let tie = nearest & &!value.bits(0, 3).any();
    let keep = !integral;
    cat([&value.bits(4, WINDOW - 3), &(value.bit(3) & !(integral & &tie)), &(value.bits(0, 3) & keep.repeat(3))])
}
