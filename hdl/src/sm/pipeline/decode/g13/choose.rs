//! Registers of an instruction: three are read, of four operands too.

use super::source::Source;
use crate::rtl::prelude::*;

/// What is read.
pub(super) struct Ports {
    pub r1: Expr,
    pub r2: Expr,
    pub r3: Expr,
    /// The registers are read.
    pub use1: Expr,
    pub use2: Expr,
    pub use3: Expr,
    /// As in `SourceControl`.
    pub port3: Expr,
    pub port4: Expr,
    /// The operands are four different registers: d is read in a pass of its own.
    pub four: Expr,
}

impl Ports {
    /// Of operands a to d; d is there where `choose`.
    pub fn of(choose: &Expr, [a, b, c, d]: [&Source; 4]) -> Self {
        let same = |x: &Source, y: &Source| {
            let both = &x.register & &y.register;
            choose & &both & x.index.eq(&y.index)
        };
        let c_as_a = wire("c_as_a", same(c, a));
        let c_as_b = wire("c_as_b", same(c, b) & !&c_as_a);
        // Operand d takes the place of an operand that is no register, or is one of them.
        let needed = wire("d_needed", choose & &d.register);
        let at_1 = wire("d_at_1", &needed & &(!&a.register | same(d, a)));
        let at_2 = wire("d_at_2", &needed & &!&at_1 & (!&b.register | same(d, b)));
        let at_3 = wire("d_at_3", &needed & !&at_1 & !&at_2);
        let own_c = wire("c_at_3", &c.register & &!(&c_as_a | &c_as_b));
        let four = wire("four_registers", &at_3 & &own_c & !same(d, c));
        let at_3 = wire("d_at_3_alone", &at_3 & &!&four);
        Self {
            r1: (&at_1 & &!&a.register).mux(&d.index, &a.index),
            r2: (&at_2 & &!&b.register).mux(&d.index, &b.index),
            r3: at_3.mux(&d.index, &c.index),
            use1: &a.register | &at_1,
            use2: &b.register | &at_2,
            use3: &own_c | &at_3,
            port3: cat([&c_as_b, &c_as_a]),
            port4: cat([&at_2, &at_1]),
            four,
        }
    }
}
