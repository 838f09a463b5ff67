//! Counter of G13's execution mask: what an instruction makes of it.
//!
//! A thread is active where its counter is 0. The rules are in docs/instruction-sets.md, G13 on a chip.

use crate::rtl::prelude::*;
use crate::sm::control::g13::mask;

/// Bits of a counter.
pub const COUNTER: usize = 16;

/// The counter afterwards.
pub struct Next {
    /// Where the condition holds.
    pub holds: Expr,
    /// Where it does not.
    pub fails: Expr,
}

/// After the operation `code` of [`mask`] with so many `levels`, of the counter `v`.
pub fn next(code: &Expr, levels: &Expr, v: &Expr) -> Next {
    let v = wire("counter", v.clone());
    let n = wire("levels", levels.zext(COUNTER));
    let is = |operation: u64| code.is(operation);
    let (zero_now, one_now) = (wire("is_0", !v.any()), wire("is_1", v.is(1)));
    let less = wire("counter_less", v.lt(&n));
    let left = (&v - &n) & (!&less).repeat(COUNTER);
    // IF, WHILE and ELSE of a thread that the condition is not about.
    let stays = [(mask::POP, left), (mask::IF, &v + &n), (mask::WHILE, v.clone()), (mask::ELSE, zero_now.mux(&n, &v))];
    let stays = stays.into_iter().map(|(operation, value)| value & is(operation).repeat(COUNTER));
    let stays = any_of(&stays.collect::<Vec<_>>());
    let asks =
        wire("asks_condition", any_of(&[is(mask::IF) & &zero_now, is(mask::WHILE) & &less, is(mask::ELSE) & &one_now]));
    let outside = is(mask::WHILE).mux(&n, &lit(COUNTER, 1));
    Next { holds: asks.mux(&zero(COUNTER), &stays), fails: asks.mux(&outside, &stays) }
}
