//! Lane of micro-operations: one thread's operation a cycle, of every set beside SM 1.0.
//!
//! | port  | width | meaning                                                    |
//! |-------|-------|------------------------------------------------------------|
//! | `ctl` | 56    | operation, `UopControl`; same for every lane               |
//! | `a`   | 32    | first operand; 16-bit floats use the low half only         |
//! | `b`   | 32    | second operand, shift count                                |
//! | `c`   | 32    | third operand                                              |
//! | `d`   | 32    | fourth operand, of CHOOSE; where there are halves          |
//! | `p`   | 3     | predicates p1, p2, p3, p1 in bit 0                         |
//! | `y`   | 32    | result                                                     |
//! | `q`   | 2     | predicate results q1, q2, q1 in bit 0                      |
//!
//! ```text
//!  a b c, ctl | E1: operands | E2 to E6         | E7: value | E8: word, special
//!  floats in  |  +-> integer unit --------+     |           |
//!  single     |  +-> multiplier, product  +---> | round     | choose --> y
//!  precision  |  +-> float unit ----------+     | clamp     |
//! ```
//! The multiplier is the lane's only one: integer factors and significands take turns. So is the rounder,
//! which clamps integers as well.
//!
//! Timing: inputs of cycle t are registered at its end; `y` and `q` are valid in cycle
//! t + `UOP_STAGES`. Fully pipelined, free running: no enable, no stall.
//! Reset: none, results mean nothing until inputs did. Errors: none; what operations are is in
//! hdl/src/sm/control/uop.rs, fields that an operation does not name mean nothing to it.

pub mod align;
pub mod bits;
pub mod count;
pub mod fma;
pub mod integer;
pub mod mask;
pub mod multiplier;
pub mod normalise;
pub mod operand;
pub mod round;

use crate::rtl::prelude::*;
use crate::sm::control::int_format;
use crate::sm::control::uop::{op, UopControl};
use crate::sm::pipeline::timing::UOP_STAGES;
use fma::{UopFma, SIGNIFICANDS};
use integer::UopInteger;
use multiplier::UopMultiplier;
use round::{Finish, UopRound};

/// Registers between the operands and the rounder's.
const BEFORE_ROUNDING: usize = UOP_STAGES - 3;
/// Registers between the operands and the product.
const BEFORE_PRODUCT: usize = 3;

block! {
    /// See the module.
    /// `half`: half precision sources, SHIFT_PAIR, INTERLEAVE, CHOOSE, MASK and shift counts modulo 128.
    /// `quiet_nan`: NaN results are 0x7fc00000 and 0x7e00, else 0x7fffffff and 0x7fff.
    /// `pairs`: sums of 64 bits.
    pub struct UopLane(half: bool, quiet_nan: bool, pairs: bool) {
        in ctl(UopControl::width(())),
        in a(32),
        in b(32),
        in c(32),
        in d(if half; 32),
        in p(3),
        out y(32),
        out q(2),
        part integer(UopInteger: half, quiet_nan, pairs),
        part multiplier(UopMultiplier:),
        part fma(UopFma: half),
        part rounder(UopRound: quiet_nan),
        data e1_ctl(UopControl::width(())),
        data e1_a(32),
        data e1_b(32),
        data e1_c(32),
        data e1_d(if half; 32),
        data e1_p(3),
        /// MUL, and whether it takes the high word.
        data mul([BEFORE_PRODUCT] 2),
        data finish([BEFORE_ROUNDING] Finish::width(())),
        keep _half(bool = half),
    }
}

/// One of these operations.
fn one_of(code: &Expr, codes: &[u64]) -> Expr {
    let is: Vec<Expr> = codes.iter().map(|c| code.is(*c)).collect();
    any_of(&is)
}

impl UopLane {
    /// Reads the operands, up to the registers of E1.
    fn accept(&self) {
        let ctl = UopControl::unpack((), "op", &get(&self.ctl));
        let is = |codes: &[u64]| one_of(&ctl.op, codes);
        let rro = wire("is_rro", is(&[op::RRO_SIN, op::RRO_EX2]));
        let products = wire("is_sum", is(&[op::FADD, op::FMUL, op::FMA]));
        let ordered = match self._half {
            true => is(&[op::COMPARE, op::MINMAX, op::CHOOSE, op::MASK]),
            false => is(&[op::COMPARE, op::MINMAX]),
        };
        let ordered = wire("is_ordered", ordered & &ctl.float);
        let two = wire("two_floats", products | ordered);
        let flush = wire("flush", &ctl.flush | &rro);
        let fold = match self._half {
            true => wire("is_fold", is(&[op::SIN_FOLD])),
            false => zero(1),
        };
        let one = match self._half {
            true => any_of(&[is(&[op::F2F, op::F2I]), rro, fold.clone()]),
            false => is(&[op::F2F, op::F2I]) | &rro,
        };
        let third = is(&[op::FMA]) | (is(&[op::COMPARE_SELECT]) & &ctl.float);
        let read = |x: &Input, float: Expr, half: &Expr, abs: &Expr, neg: &Expr| {
            let half = self._half.then_some(half);
            let flush = &flush;
            let how = operand::How { float, half, flush, abs, neg };
            operand::read(&get(x), &how)
        };
        let a = read(&self.a, &two | &one, &ctl.half_a, &ctl.abs_a, &ctl.neg_a);
        let a = match self._half {
            true => {
                let byte = wire("of_byte", is(&[op::I2F]) & ctl.from.bits(0, 2).is(0));
                let sign = (ctl.from.bit(2) & a.bit(7)).repeat(24);
                byte.mux(&cat([&sign, &a.bits(0, 8)]), &a)
            }
            false => a,
        };
        let b = read(&self.b, two, &ctl.half_b, &ctl.abs_b, &ctl.neg_b);
        let (a, b) = match self._half {
            true => folded(&fold, &a, &b),
            false => (a, b),
        };
        set(&self.e1_a, a);
        set(&self.e1_b, b);
        set(&self.e1_c, read(&self.c, third, &ctl.half_c, &ctl.abs_c, &ctl.neg_c));
        if let (Some(to), Some(from)) = (self.e1_d.get(), self.d.get()) {
            set(to, get(from));
        }
        let ctl = match self._half {
            // A sum from here on.
            true => UopControl { op: fold.mux(&lit(5, op::FADD), &ctl.op), ..ctl }.pack(),
            false => get(&self.ctl),
        };
        set(&self.e1_ctl, ctl);
        set(&self.e1_p, get(&self.p));
    }

    /// What the rounder is asked for, from stage E1.
    fn finish(ctl: &UopControl, half: bool) -> Finish {
        let is = |codes: &[u64]| one_of(&ctl.op, codes);
        let to_integer = wire("is_f2i", is(&[op::F2I]));
        let fixed = wire("is_fixed", is(&[op::RRO_SIN, op::RRO_EX2]));
        let floats = is(&[op::FADD, op::FMUL, op::FMA, op::F2F, op::I2F]);
        let (add, convert) = (wire("is_add", is(&[op::ADD])), wire("is_convert", is(&[op::CONVERT])));
        let sums = wire("is_integer_sum", &add | is(&[op::MUL]));
        let word = lit(3, int_format::code(false, 32));
        let to = match half {
            true => ctl.to.clone(),
            false => sums.mux(&word, &ctl.to).called("to"),
        };
        let finish = Finish {
            float: any_of(&[floats, to_integer.clone(), fixed.clone()]),
            clamp: &to_integer | &(&ctl.sat & &(&sums | &convert)),
            to_integer,
            // Reductions truncate.
            round: &ctl.round | &fixed.repeat(2),
            fixed,
            signed: match half {
                true => to.bit(2),
                false => sums.mux(&(!add | &ctl.signed_a), &to.bit(2)),
            },
            size: to.bits(0, 2),
            sat: ctl.sat.clone(),
            tiny: ctl.tiny.clone(),
        };
        finish.check(());
        finish
    }
}

/// The operands of the sum that the first half of a sine is, where `on`: the number, and in place of b, which is 0, what
/// is added to it.
fn folded(on: &Expr, a: &Expr, b: &Expr) -> (Expr, Expr) {
    let a = a.named();
    let (exponent, fraction) = (a.bits(23, 8), a.bits(0, 23));
    let some = wire("fraction_some", fraction.any());
    let two = wire("from_2", exponent.is(128));
    let four = wire("from_4", exponent.msb() & exponent.bits(0, 7).any());
    let above_one = wire("above_1", exponent.msb() | (exponent.is(127) & &some));
    let from_three = wire("from_3", &four | &(&two & fraction.bit(22)));
    let outside = wire("outside", &four | &(a.msb() & (exponent.any() | &some)));
    let middle = wire("in_middle", all_of(&[on.clone(), above_one.clone(), !&from_three]));
    let part = |v: u64, on: &Expr| lit(10, v >> 22) & on.repeat(10);
    // -0 changes nothing; what is no number gives none.
    let inside = part(0x8000_0000, &!above_one) | part(0x4000_0000, &middle) | part(0xc080_0000, &from_three);
    let addend = outside.mux(&lit(10, 0x7fc0_0000 >> 22), &inside) & on.repeat(10);
    let turned = cat([&(a.msb() ^ middle), &a.bits(0, 31)]);
    (turned, cat([&(b.bits(22, 10) | addend), &b.bits(0, 22)]))
}

/// A value a number of registers later.
fn later(registers: &[Reg], value: Expr) -> Expr {
    registers.iter().fold(value, |value, register| {
        set(register, value);
        get(register)
    })
}

impl Rtl for UopLane {
    fn rtl(&self) {
        self.accept();
        let e1_ctl = get(&self.e1_ctl);
        let ctl = UopControl::unpack((), "e1", &e1_ctl);
        let (a, b, c) = (get(&self.e1_a), get(&self.e1_b), get(&self.e1_c));

        let f = &self.fma;
        for (port, value) in [(&f.ctl, &e1_ctl), (&f.a, &a), (&f.b, &b), (&f.c, &c)] {
            set(port, value);
        }
        set(&self.multiplier.a, get(&f.factor_a));
        set(&self.multiplier.b, get(&f.factor_b));
        let product = get(&self.multiplier.p);
        set(&f.product, product.bits(0, SIGNIFICANDS));

        let is_mul = one_of(&ctl.op, &[op::MUL]);
        let mul = later(&self.mul, cat([&(&is_mul & &ctl.high), &is_mul]));
        let word = mul.bit(1).mux(&product.bits(32, 32), &product.bits(0, 32));
        let i = &self.integer;
        for (port, value) in [(&i.ctl, &e1_ctl), (&i.a, &a), (&i.b, &b), (&i.c, &c)] {
            set(port, value);
        }
        if let (Some(to), Some(from)) = (i.d.get(), self.e1_d.get()) {
            set(to, get(from));
        }
        set(&i.p, get(&self.e1_p));
        set(&i.product, word & mul.bit(0).repeat(32));
        if let Some(to) = i.product_high.get() {
            set(to, product.bits(32, 32));
        }

        set(&self.rounder.how, later(&self.finish, Self::finish(&ctl, self._half).pack()));
        set(&self.rounder.raw, get(&f.raw));
        set(&self.rounder.value, get(&i.value));
        set(&self.y, get(&self.rounder.y));
        set(&self.q, get(&i.q));
    }
}

rtl_block!(UopLane, "uop_lane");
