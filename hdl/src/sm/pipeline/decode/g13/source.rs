//! A source of an instruction: register, uniform or number.

use super::super::derive::Fields;
use crate::rtl::prelude::*;
use crate::sm::control::g13::from;

/// A source: what its number and mode say.
pub(super) struct Source {
    /// It is a lane register.
    pub register: Expr,
    /// One of [`from`].
    pub from: Expr,
    /// Lane register, 7 bits.
    pub index: Expr,
    /// The high half of it, where it is a half.
    pub high: Expr,
    /// Uniform or number, 8 bits.
    pub n: Expr,
}

impl Source {
    /// Operand `n` of the lane, which comes from `from`.
    pub fn of(f: &mut Fields, n: usize, from: &Expr) -> Self {
        let mut field = |what: &str| f.field(&format!("{what}_{n}"));
        let keep = !field("zero");
        let number = wire("number", field("number") & keep.repeat(8));
        let from = wire("from", keep.mux(from, &lit(3, from::NUMBER)));
        let uniform = from.is(from::UNIFORM);
        Self {
            register: wire("register", field("register") & &keep),
            index: number.bits(1, 7),
            high: number.bit(0),
            n: uniform.mux(&cat([&field("page"), &number.bits(1, 7)]), &number),
            from,
        }
    }
}
