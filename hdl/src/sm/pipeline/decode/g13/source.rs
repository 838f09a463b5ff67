//! A source of G13: what its value and mode say.

use crate::rtl::prelude::*;
use crate::sm::control::g13::from;

/// A source, one bit each but `index` and `n`.
pub(super) struct Source {
    /// It is a lane register,
    pub register: Expr,
    /// … a number.
    pub number: Expr,
    /// It has 16 bits,
    pub half: Expr,
    /// … the high ones.
    pub hi: Expr,
    /// Lane register, 7 bits.
    pub index: Expr,
    /// Uniform or number, 8 bits.
    pub n: Expr,
    /// A pair whose second register does not exist.
    pub beyond: Expr,
}

impl Source {
    /// The source with value `v` and mode `t`, 8 and 4 bits; without `keep` the number 0.
    pub fn of(name: &str, v: Expr, t: Expr, keep: &Expr) -> Self {
        let v = wire(&format!("v_{name}"), v & keep.repeat(8));
        let t = wire(&format!("t_{name}"), t & keep.repeat(4));
        let high = t.bits(2, 2);
        let is = |what: &str, value: Expr| wire(&format!("{name}_is_{what}"), value);
        let number = is("number", !t.any());
        let uniform = is("uniform", high.is(1));
        let half = &t.bits(0, 2).any() & &high.is(0) | (&uniform & &!t.bit(1));
        let half = is("of_16_bits", half);
        Self {
            register: is("register", !(&number | &uniform)),
            hi: &half & &v.bit(0),
            half,
            index: v.bits(1, 7),
            n: is("n", uniform.mux(&cat([&t.bit(0), &v.bits(1, 7)]), &v)),
            beyond: high.is(3) & v.bits(1, 7).all(),
            number,
        }
    }

    /// One of [`from`]; `by_kind`: the kind of the control word says it.
    pub fn from(&self, by_kind: &Expr) -> Expr {
        let uniform = !(&self.register | &self.number);
        let number = self.number.mux(&lit(3, from::NUMBER), &lit(3, from::KIND));
        by_kind.mux(&lit(3, from::KIND), &uniform.mux(&lit(3, from::UNIFORM), &number))
    }
}
