//! Lane: one thread's arithmetic operation a cycle, in five stages; in three where there are only integers.
//!
//! | port    | width | meaning                                                              |
//! |---------|-------|----------------------------------------------------------------------|
//! | `ctl`   | 35    | operation, `AluControl`; same for every lane                         |
//! | `a`     | 32    | first operand; 16-bit formats use the low half only                  |
//! | `b`     | 32    | second operand, shift count                                          |
//! | `c`     | 32    | addend of MUL with accumulate, SAD and FMAD; the float that chooses  |
//! | `cin`   | 1     | carry flag for kind 3 (a + b + carry)                                |
//! | `y`     | 32    | result; of a 16-bit format in the low half, upper half zero          |
//! | `flags` | 4     | bit 0 Z, 1 S (of the result at its width), 2 C, 3 O (0 where unset)  |
//!
//! ```text
//!  a b c -+-> integer unit ----+-------------> y, flags
//!         |     | addend,      |                  ^
//!         |     v magnitude    |                  |
//!         +-> float unit ------|------------------+
//!               | factors      |
//!               v              v
//!             multiplier: the product, to both
//! ```
//! The multiplier is the lane's only one: integer factors and float significands take turns.
//!
//! Timing: inputs of cycle t are registered at its end; `y` and `flags` are valid in cycle t + 5,
//! one table behind registers: what was rounded gives way there to what no rounding gives, which is
//! known last. Of integers alone (`float = false`, `sfus = 0`) they are the integer unit's, in cycle t + 3.
//! Fully pipelined, free running: no enable, no stall.
//! Reset: none, results mean nothing until inputs did. Errors: none.
//! Source: docs/integers.md, and docs/numerics.md for floats.

use super::float::product::TWO_OVER_PI;
use super::float::round::ALIKE;
use super::float::FloatUnit;
use super::int::convert::spread;
use super::int::multiplier::{self, Multiplier};
use super::int::IntUnit;
use crate::config::{Floats, Semantics};
use crate::rtl::prelude::*;
use crate::sm::control::{unit, AluControl};

block! {
    /// See the module.
    /// With [`Floats::Division`] it has of the float operations FMUL, I2F and F2I alone.
    pub struct Lane(floats: Floats, semantics: Semantics) {
        in ctl(AluControl::width(())),
        in a(32),
        in b(32),
        in c(32),
        in cin(1),
        out y(32),
        out flags(4),
        part integer(IntUnit: floats, semantics),
        part float(if float; FloatUnit: floats == Floats::All),
        part multiplier(Multiplier:),
        data e1_float(if float; 1),
        data e2_float(if float; 1),
        data e3_float(if float; 1),
        data e4_float(if float; 1),
        data e4_y(if float; 32),
        data e4_flags(if float; 4),
        data e5_y(if float; 32),
        data e5_flags(if float; 4),
        data e5_replaced(if float; 1),
        data e5_special(if float; ALIKE.len()),
        data e5_special_flags(if float; 2),
    } where {
        let float = floats != Floats::None;
    }
}

/// A cycle later, where there is a register.
fn held(by: &Maybe<Reg>, value: Expr) -> Expr {
    match by.get() {
        Some(register) => {
            set(register, value);
            get(register)
        }
        None => value,
    }
}

impl Rtl for Lane {
    fn rtl(&self) {
        let ctl = get(&self.ctl);
        let op = AluControl::unpack((), "op", &ctl);
        let (a, b) = (get(&self.a), get(&self.b));

        // Bit 3 of the unit's number says float.
        let float = self.float.get().map(|_| wire("is_float", op.unit.bit(3)));
        // Units without a product multiply by zero.
        let is_mul = wire("is_mul", op.unit.is(unit::MUL));
        let used = match self.float.get() {
            Some(unit) => wire("b_is_factor", &is_mul | &get(&unit.b_used)),
            None => is_mul,
        };
        let right = &b & &used.repeat(32);
        let (left, right) = match (self.float.get(), &float) {
            (Some(unit), Some(float)) => {
                let factor = |x: &Expr, leading: &Expr, signed: &Expr| {
                    multiplier::significand(x, leading, float, &op.mul24, signed)
                };
                let left = cat([&a.bits(23, 9), &get(&unit.a_fraction)]);
                let constant = lit(32, TWO_OVER_PI) & get(&unit.b_constant).repeat(32);
                let right = right | constant;
                (
                    factor(&left, &get(&unit.a_leading), &op.signed_a),
                    factor(&right, &get(&unit.b_leading), &op.signed_b),
                )
            }
            _ => (
                multiplier::factor(&a, &op.mul24, &op.signed_a),
                multiplier::factor(&right.named(), &op.mul24, &op.signed_b),
            ),
        };
        set(&self.multiplier.a, left);
        set(&self.multiplier.b, right);
        let product = get(&self.multiplier.p);

        set(&self.integer.ctl, &ctl);
        set(&self.integer.a, &a);
        set(&self.integer.b, &b);
        set(&self.integer.c, get(&self.c));
        set(&self.integer.cin, get(&self.cin));
        set(&self.integer.product, &product);

        if let Some(unit) = self.float.get() {
            set(&unit.ctl, &ctl);
            set(&unit.a, &a);
            set(&unit.b, &b);
            set(&unit.negative, get(&self.integer.negative));
            set(&unit.addend, get(&self.integer.addend));
            set(&unit.magnitude, get(&self.integer.magnitude));
            set(&unit.product, &product);
        }

        // The integer result waits for the float unit's, if there is one.
        let mut y = held(&self.e4_y, get(&self.integer.y));
        let mut flags = held(&self.e4_flags, get(&self.integer.flags));
        if let (Some(unit), Some(mut is_float)) = (self.float.get(), float) {
            let stages = [&self.e1_float, &self.e2_float, &self.e3_float, &self.e4_float];
            for stage in stages.into_iter().filter_map(Maybe::get) {
                set(stage, &is_float);
                is_float = get(stage);
            }
            y = is_float.mux(&get(&unit.y), &y);
            flags = is_float.mux(&get(&unit.flags).zext(4), &flags);
            if let Some(replaced) = self.e5_replaced.get() {
                set(replaced, &is_float & &get(&unit.replaced));
            }
            if let Some(special) = self.e5_special.get() {
                set(special, get(&unit.special));
            }
            if let Some(flags) = self.e5_special_flags.get() {
                set(flags, get(&unit.special_flags));
            }
        }
        let mut y = held(&self.e5_y, y);
        let mut flags = held(&self.e5_flags, flags);
        if let (Some(replaced), Some(special), Some(special_flags)) =
            (self.e5_replaced.get(), self.e5_special.get(), self.e5_special_flags.get())
        {
            let replaced = get(replaced);
            y = replaced.mux(&spread(&get(special), &ALIKE), &y);
            flags = cat([&flags.bits(2, 2), &replaced.mux(&get(special_flags), &flags.bits(0, 2))]);
        }
        set(&self.y, y);
        set(&self.flags, flags);
    }
}

rtl_block!(Lane, "lane");
