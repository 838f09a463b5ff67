//! Normaliser of the unit for floats of 64 bits: leading zeros with a limit.

use super::align::{PLACES, WINDOW};
use super::operand::EXPONENT;
use crate::rtl::prelude::*;
use crate::sm::pipeline::execute::uop::count::leading_zeros;

/// Bits of a group that is looked at as one.
const GROUP: usize = 16;

/// Leading zeros of the window, or `limit` where that is less, [`PLACES`] bits; whether the window is zero.
pub fn places(window: &Expr, limit: &Expr) -> (Expr, Expr) {
    let groups = WINDOW.div_ceil(GROUP);
    let padded = wire("padded", cat([window, &zero(groups * GROUP - WINDOW)]));
    let words: Vec<Expr> = padded.each_word(GROUP).into_iter().rev().collect();
    let some: Vec<Expr> = words.iter().map(|w| wire("group_some", w.any())).collect();
    let some = wire("groups", pack(some.iter()));
    let first = wire("first_group", lowest_one_hot(&some));
    let zeros: Vec<Expr> = words.iter().map(|w| wire("group_zeros", leading_zeros(w))).collect();
    let within = one_hot_mux(&first, &zeros);
    let leading = wire("leading", cat([&one_hot_index(&first, PLACES - 4), &within]));
    let more = limit.bits(PLACES, EXPONENT - PLACES).any();
    let less = !more & limit.bits(0, PLACES).lt(&leading);
    (wire("limited", less).mux(&limit.bits(0, PLACES), &leading), !some.any())
}

/// The window moved up by the high four bits of `places`.
pub fn coarse(window: &Expr, places: &Expr) -> Expr {
    window.shl(&cat([&places.bits(4, PLACES - 4), &zero(4)]))
}

/// The window moved up by the low four bits of `places`.
pub fn fine(window: &Expr, places: &Expr) -> Expr {
    window.shl(&places.bits(0, 4))
}
