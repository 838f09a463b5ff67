//! The relation of two operands and their difference: SET, MINMAX and SAD.
//!
//! Operands come extended to 33 signed bits, so one subtraction orders signed and unsigned values
//! of either width. |a - b| is the difference, or its inverse plus one through the adder's carry.
//! Source: docs/integers.md, ISET, IMIN, IMAX, ISAD.

use crate::rtl::prelude::*;

/// How a stands to b.
pub struct Relation {
    /// a - b, low 32 bits.
    pub difference: Expr,
    /// a < b.
    pub less: Expr,
    /// a = b.
    pub equal: Expr,
    /// |a - b| is 2^31 while the adder is handed 2^31 - 1 and a carry: its sign, which the
    /// overflow flag asks for, is not the one the adder sees.
    pub flip: Expr,
}

/// Compares two operands of 33 signed bits.
pub fn relation(a: &Expr, b: &Expr) -> Relation {
    let d = wire("difference", a - b);
    let (less, top) = (d.bit(32), d.bit(31));
    let low_zero = wire("difference_low_zero", !d.bits(0, 31).any());
    Relation { difference: d.bits(0, 32), equal: &low_zero & &!&top, flip: &(&less & &top) & &low_zero, less }
}

impl Relation {
    /// Whether `cond` (bit 0 less, 1 equal, 2 greater) holds.
    pub fn holds(&self, cond: &Expr) -> Expr {
        let greater = !(&self.less | &self.equal);
        let hits = [&cond.bit(0) & &self.less, &cond.bit(1) & &self.equal, &cond.bit(2) & &greater];
        any_of(&hits)
    }
}
