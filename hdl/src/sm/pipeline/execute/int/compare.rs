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

/// Whether the operands are keys of floats, and one of them no number.
pub struct Float<'a> {
    /// They are.
    pub real: &'a Expr,
    /// One is no number.
    pub nan: &'a Expr,
}

/// Flags of a difference.
pub struct Flags {
    zero: Expr,
    sign: Expr,
    carry: Expr,
    overflow: Expr,
}

impl Flags {
    /// Whether a condition on them holds: its low 3 bits, of the codes 0x10 to 0x13 and 0x1c to 0x1f.
    pub fn hold(&self, cond: &Expr) -> Expr {
        // The second four are the inverse of the first, in the reverse order.
        let which = cond.bits(0, 2) ^ cond.bit(2).repeat(2);
        let above = !&self.zero & &self.carry;
        let one =
            which.bit(1).mux(&which.bit(0).mux(&self.sign, &above), &which.bit(0).mux(&self.carry, &self.overflow));
        one ^ cond.bit(2)
    }
}

impl Relation {
    /// Flags of a - b at 16 bits (`narrow`) or 32; of floats Z and S of the comparison, C and O clear.
    pub fn flags(&self, a: &Expr, b: &Expr, narrow: &Expr, float: &Float) -> Flags {
        let top = |x: &Expr| narrow.mux(&x.bit(15), &x.bit(31));
        let (a_top, b_top, sign) = (top(a), top(b), top(&self.difference));
        let differ = wire("tops_differ", a_top ^ b_top);
        // Operands extended by their sign compare as signed ones.
        let by_sign = a.bit(32) | b.bit(32);
        let borrow = wire("borrow", &self.less ^ &(&differ & &by_sign));
        let below = &borrow ^ &differ;
        let number = !float.real;
        Flags {
            zero: &self.equal | &(float.real & float.nan),
            sign: float.real.mux(&(float.nan | &self.less), &sign),
            carry: &number & &!&borrow,
            overflow: &number & &(&below ^ &sign),
        }
    }

    /// Whether `cond` (bit 0 less, 1 equal, 2 greater) holds.
    pub fn holds(&self, cond: &Expr) -> Expr {
        let greater = !(&self.less | &self.equal);
        let hits = [&cond.bit(0) & &self.less, &cond.bit(1) & &self.equal, &cond.bit(2) & &greater];
        any_of(&hits)
    }
}
