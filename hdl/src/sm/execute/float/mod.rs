//! Float unit of a lane: sums, products, multiply-add, every conversion from and to floats, range
//! reductions. (Comparisons order integers: they are the integer unit's.)
//!
//! | port        | width | meaning                                                             |
//! |-------------|-------|---------------------------------------------------------------------|
//! | `ctl`       | 35    | operation, `AluControl`; same for every lane                        |
//! | `a`         | 32    | first operand; half precision in the low half                       |
//! | `b`         | 32    | second operand of a product                                         |
//! | `negative`  | 1     | stage D: a is below zero as an integer of its format                |
//! | `addend`    | 32    | stage E1: addend of a sum or multiply-add, else 0                   |
//! | `magnitude` | 32    | stage E2: absolute value of a as an integer of its format           |
//! | `product`   | 48    | stage E2: product of the significands, from the lane's multiplier   |
//! | `a_leading` | 1     | stage D: a has a leading one                                        |
//! | `a_fraction`| 23    | stage D: fraction of a for the multiplier; of a 32-bit a as it is   |
//! | `b_leading` | 1     | stage D: the second factor has a leading one; else it is no factor  |
//! | `b_fraction`| 23    | stage D: fraction of the second factor, else 0                      |
//! | `y`         | 32    | stage E4: result; of a 16-bit format in the low half, upper half 0  |
//! | `flags`     | 4     | stage E4: bit 0 Z (zero, NaN), 1 S (negative, NaN); C and O are 0   |
//!
//! ```text
//!  inputs       | E1: kinds,    | E2: product | E3: value      | E4: body,     | to the lane's
//!  unpack, to   | exponent      | align, add  | turn: leading  | lost bits     | result register
//!  multiplier   | compare with  |             | one up, or at  | round, clamp, |
//!               | the addend    |             | the point      | pack          |
//! ```
//! Every operation is the multiply-add a × b + c: a sum multiplies by 1, a product adds 0, a
//! conversion does both, and a rounding to an integral value adds what rounds it there. What
//! differs is the turn, and whether the product is cut off before it is added. The rounding behind
//! it is the only one. Denormals are zeros on the way in and out of single precision. NaN is
//! 0x7fffffff, or 0x7fff, and 0 as an integer.
//!
//! Timing: inputs of cycle t are registered at its end; `y` and `flags` are combinational in cycle
//! t + 4. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.
//! Source: numerics.md, Single precision, Conversions and RRO.

pub mod add;
pub mod convert;
pub mod product;
pub mod round;
pub mod stages;
pub mod unpack;

use super::int::convert::Range;
use super::int::multiply::PRODUCT;
use crate::rtl::prelude::*;
use crate::sm::control::{round as mode, unit, AluControl};
use round::{Pack, Raw, BODY};
use stages::{Factors, First, Last, Meeting, Outcome, Second, Status, Third};

/// Bits of an exponent in two's complement, wide enough for a product's.
const EXPONENT: usize = 10;
/// Bits of an aligned operand: a significand and four bits below it.
const WINDOW: usize = 28;

/// See the module.
#[derive(LogicBlock)]
pub struct FloatUnit {
    pub ctl: Input,
    pub a: Input,
    pub b: Input,
    pub negative: Input,
    pub addend: Input,
    pub magnitude: Input,
    pub product: Input,
    pub a_leading: Output,
    pub a_fraction: Output,
    pub b_leading: Output,
    pub b_fraction: Output,
    pub y: Output,
    pub flags: Output,
    e1_control: Reg,
    e1_factors: Reg,
    e1_exponent: Reg,
    e1_keep: Reg,
    e2_control: Reg,
    e2_meeting: Reg,
    e2_exponent: Reg,
    e2_addend: Reg,
    e2_rounds: Reg,
    e2_keep: Reg,
    e3_control: Reg,
    e3_status: Reg,
    e3_value: Reg,
    e3_exponent: Reg,
    e3_keep: Reg,
    e4_control: Reg,
    e4_status: Reg,
    e4_body: Reg,
    e4_guard: Reg,
    e4_sticky: Reg,
    _full: bool,
}

impl FloatUnit {
    /// Without `full` there are FMUL, I2F and F2I, and no adder.
    pub fn new(full: bool) -> Self {
        Self {
            ctl: Input::new(AluControl::width(())),
            a: Input::new(32),
            b: Input::new(32),
            negative: Input::new(1),
            addend: Input::new(32),
            magnitude: Input::new(32),
            product: Input::new(PRODUCT),
            a_leading: Output::new(1),
            a_fraction: Output::new(23),
            b_leading: Output::new(1),
            b_fraction: Output::new(23),
            y: Output::new(32),
            flags: Output::new(4),
            e1_control: Reg::data(First::width(())),
            e1_factors: Reg::data(Factors::width(())),
            e1_exponent: Reg::data(EXPONENT),
            e1_keep: Reg::data(6),
            e2_control: Reg::data(Second::width(())),
            e2_meeting: Reg::data(Meeting::width(())),
            e2_exponent: Reg::data(EXPONENT),
            e2_addend: Reg::data(24),
            e2_rounds: Reg::data(3),
            e2_keep: Reg::data(6),
            e3_control: Reg::data(Third::width(())),
            e3_status: Reg::data(Status::width(())),
            e3_value: Reg::data(32),
            e3_exponent: Reg::data(EXPONENT),
            e3_keep: Reg::data(6),
            e4_control: Reg::data(Last::width(())),
            e4_status: Reg::data(Outcome::width(())),
            e4_body: Reg::data(BODY),
            e4_guard: Reg::data(1),
            e4_sticky: Reg::data(1),
            _full: full,
        }
    }

    /// Takes the operands apart, up to the registers of E1.
    fn accept(&self) {
        let op = AluControl::unpack((), "op", &get(&self.ctl));
        let is = |u: u64, name: &str| {
            let has = self._full || [unit::FMUL, unit::I2F, unit::F2I].contains(&u);
            let on = if has { op.unit.is(u) } else { zero(1) };
            wire(&format!("is_{name}"), on)
        };
        let (fmul, fmad, fadd) = (
            is(unit::FMUL, "fmul"),
            is(unit::FMAD, "fmad"),
            is(unit::FADD, "fadd"),
        );
        let (f2f, i2f, f2i) = (
            is(unit::F2F, "f2f"),
            is(unit::I2F, "i2f"),
            is(unit::F2I, "f2i"),
        );
        let (rro_sin, rro_ex2) = (is(unit::RRO_SIN, "rro_sin"), is(unit::RRO_EX2, "rro_ex2"));
        let rro = wire("is_rro", &rro_sin | &rro_ex2);
        let times = wire("times", &fmul | &fmad);
        let from_half = wire("from_half", (&f2f | &f2i) & op.from.bit(0));
        let to_half = wire("to_half", (&f2f | &i2f) & op.to.bit(0));
        let integral = wire("integral", &f2f & &op.high);

        let x = unpack::either(&get(&self.a), &from_half);
        let factor = unpack::single(&get(&self.b));
        set(&self.a_leading, !&x.tiny);
        set(&self.a_fraction, &x.fraction);
        let p = product::prepare(&x, &factor, &times, &from_half);
        set(&self.e1_exponent, &p.exponent);
        let target = convert::Target {
            f2i: &f2i,
            rro_sin: &rro_sin,
            rro_ex2: &rro_ex2,
            f2f: &f2f,
        };
        set(&self.e1_keep, convert::keep(&x.exponent, &target));

        // Below the reach of a half precision aligner everything is zero, however it is rounded.
        let vanishes = &f2f & &to_half & !&from_half & x.exponent.le(&lit(8, 0x5d));
        // What counts as zero multiplies by zero. An integer comes from its adder, where a product
        // would interfere; of an infinity only the sign counts.
        let nothing = any_of(&[
            p.zero.clone(),
            i2f.clone(),
            vanishes.clone(),
            &f2i & &x.full,
        ]);
        let something = wire("has_product", op.unit.bit(3) & !nothing);
        let b = &factor.fraction & &(&times & &something).repeat(23);
        let constant = lit(23, product::TWO_OVER_PI) & (&rro_sin & &something).repeat(23);
        set(&self.b_leading, something);
        set(&self.b_fraction, b | constant);
        let large = (&f2i & x.exponent.gt(&lit(8, 158)) & !&x.nan)
            | (&rro_ex2 & x.exponent.ge(&lit(8, 134)));
        let sign = |x: &Ex, on: &Ex| x & on;
        let of_factor = sign(&factor.negative, &times) ^ (&fmul & &op.neg_b);
        let of_a = i2f.mux(&get(&self.negative), &x.negative) & !&op.abs;
        let factors = Factors {
            negative: of_a ^ &op.neg ^ of_factor,
            nan: &p.nan & !(&i2f | &f2i),
            over: (&p.infinite | large) & !&i2f,
            zero: any_of(&[&p.zero & !&i2f, vanishes, &f2i & &x.nan]),
        };
        factors.check(());
        set(&self.e1_factors, factors.pack());

        let whole = wire("whole", &f2i | &rro);
        let last = Last {
            f2i,
            rro: rro.clone(),
            half: op.to.bit(0) & !(&times | &fadd | &rro),
            signed: op.to.bit(2),
            sat: op.sat,
            // A range reduction truncates.
            mode: &op.round | &rro.repeat(2),
        };
        last.check(());
        let third = Third {
            fixed: &whole | &(&f2f & &to_half & !&integral),
            whole,
            rro_sin: rro_sin.clone(),
            last: last.pack(),
        };
        third.check(());
        let second = Second {
            rro_sin,
            i2f: i2f.clone(),
            nearest: op.round.is(mode::NEAREST),
            integral: integral.clone(),
            third: third.pack(),
        };
        second.check(());
        let first = First {
            i2f,
            adds: &fmad | &fadd,
            fmad,
            neg_c: op.neg_b,
            integral,
            second: second.pack(),
        };
        first.check(());
        set(&self.e1_control, first.pack());
    }

    /// Compares the product with the addend, in stage E1.
    fn compare(&self) {
        let e1 = First::unpack((), "e1", &get(&self.e1_control));
        let second = Second::unpack((), "e1_second", &e1.second);
        let third = Third::unpack((), "e1_third", &second.third);
        let last = Last::unpack((), "e1_last", &third.last);
        let p = Factors::unpack((), "e1", &get(&self.e1_factors));
        let addend = if self._full {
            get(&self.addend)
        } else {
            zero(32)
        };
        let c = unpack::single(&addend);
        let negative = e1.adds.mux(&(&c.negative ^ &e1.neg_c), &p.negative);
        let negative = wire("addend_negative", negative);
        let differ = wire("signs_differ", &negative ^ &p.negative);

        // Without an addend its exponent is the least the result's window may have: that of an
        // integer's unit, of the smallest normal half; an integer stands where a window does.
        let at_least = [
            (&e1.integral, 127 + 24),
            (&(&third.fixed & &!&third.whole), 127 - 13),
            (&e1.i2f, 127 + 30),
        ];
        let least = at_least.iter().fold(c.exponent.clone(), |e, (on, least)| {
            e | (lit(8, *least) & on.repeat(8))
        });
        let stand = add::stand(
            &get(&self.e1_exponent),
            &wire("addend_exponent", least).zext(EXPONENT),
            &(&p.zero | &e1.i2f),
        );
        let there = !&c.tiny;
        let away = [
            last.mode.is(mode::DOWN) & &p.negative,
            last.mode.is(mode::UP) & !&p.negative,
        ];
        let rounds = add::integral(&second.nearest, &any_of(&away)) & e1.integral.repeat(3);
        // Forced to zero so that registers do it with their reset.
        let significand = cat([&ones(1), &c.fraction]);
        set(&self.e2_addend, there.mux(&significand, &zero(24)));
        set(&self.e2_rounds, rounds);
        set(&self.e2_exponent, &stand.exponent);
        set(&self.e2_keep, get(&self.e1_keep));

        // An infinity's sign is the result's, whichever of the two is taken.
        let by_addend = &c.infinite & !&p.over;
        let truncate = wire("truncate", &e1.fmad & !&c.tiny);
        let meeting = Meeting {
            product_negative: by_addend.mux(&negative, &p.negative),
            addend_negative: p.over.mux(&p.negative, &negative),
            zero_negative: &negative & &p.negative & !&e1.i2f,
            subtract: differ.clone(),
            product_moves: stand.product_moves,
            places: stand.places,
            addend_zero: c.tiny,
            nan: any_of(&[p.nan, c.nan, &p.over & &c.infinite & differ]),
            over: &p.over | &c.infinite,
            truncate,
        };
        meeting.check(());
        set(&self.e2_meeting, meeting.pack());
        set(&self.e2_control, &e1.second);
    }

    /// Aligns and adds, in stage E2.
    fn add(&self) {
        let e2 = Second::unpack((), "e2", &get(&self.e2_control));
        let third = Third::unpack((), "e2_third", &e2.third);
        let last = Last::unpack((), "e2_last", &third.last);
        let m = Meeting::unpack((), "e2", &get(&self.e2_meeting));
        let product = get(&self.product);
        let p = product::window(&product, &m.truncate);
        let c = cat([&get(&self.e2_addend), &zero(1), &get(&self.e2_rounds)]);
        let sum = if self._full {
            add::add(
                &m.product_moves.mux(&c, &p),
                &m.product_moves.mux(&p, &c),
                &m.places,
                &m.subtract,
            )
        } else {
            // A product too small for its place is too small for a result as well.
            let moved_away = &m.product_moves & &m.places.any();
            add::Sum {
                value: (p & (!moved_away).repeat(WINDOW)).zext(WINDOW + 1),
                below: zero(1),
            }
        };
        let value = wire("sum_value", sum.value);
        let value = add::at_point(&value, &e2.integral, &e2.nearest);
        let value = cat([&value, &sum.below.repeat(32 - WINDOW - 1)]);
        let value = e2.i2f.mux(
            &get(&self.magnitude),
            &e2.rro_sin.mux(&product.bits(16, 32), &value),
        );
        set(&self.e3_value, value);
        // Exponent of the bit above the window.
        let bias = lit(EXPONENT, (1u64 << EXPONENT) + 1 - unpack::REBIAS);
        let by = last.half.mux(&bias, &lit(EXPONENT, 1));
        set(&self.e3_exponent, get(&self.e2_exponent) + by);
        set(&self.e3_keep, get(&self.e2_keep));
        set(&self.e3_control, &e2.third);

        let of_addend = &m.product_moves ^ &sum.below;
        let negative = of_addend.mux(&m.addend_negative, &m.product_negative);
        let negative = wire("negative", negative);
        let status = Status {
            negative_tiny: m.addend_zero.mux(&m.zero_negative, &negative),
            negative,
            negative_zero: m.zero_negative,
            nan: m.nan,
            over: m.over,
            complete: sum.below,
            early: m.truncate,
        };
        status.check(());
        set(&self.e3_status, status.pack());
    }

    /// Turns, in stage E3.
    fn turn(&self) {
        let e3 = Third::unpack((), "e3", &get(&self.e3_control));
        let last = Last::unpack((), "e3_last", &e3.last);
        let was = Status::unpack((), "e3", &get(&self.e3_status));
        let (raw, top) = convert::turn(&convert::Turn {
            value: get(&self.e3_value),
            fill: was.complete.clone(),
            fixed: e3.fixed.clone(),
            keep: get(&self.e3_keep),
            whole: e3.whole,
            rro_sin: e3.rro_sin,
            half: last.half,
            exponent: get(&self.e3_exponent),
        });
        let none = wire("none", !&e3.fixed & &!&top);
        let status = Outcome {
            negative: was.negative,
            negative_zero: none.mux(&was.negative_zero, &was.negative_tiny),
            nan: was.nan,
            over: was.over,
            zero: none,
            complete: raw.complete,
            early: was.early,
        };
        status.check(());
        set(&self.e4_status, status.pack());
        set(&self.e4_body, raw.body);
        set(&self.e4_guard, raw.guard);
        set(&self.e4_sticky, raw.sticky);
        set(&self.e4_control, &e3.last);
    }

    /// Rounds, clamps, packs and makes the flags, in stage E4.
    fn finish(&self) {
        let step = Last::unpack((), "e4", &get(&self.e4_control));
        let status = Outcome::unpack((), "e4", &get(&self.e4_status));
        let raw = Raw {
            body: get(&self.e4_body),
            guard: get(&self.e4_guard),
            sticky: get(&self.e4_sticky),
            complete: status.complete,
        };
        let negate = wire("negate", &step.f2i & &status.negative);
        let rounded = round::round(&raw, &step.mode, &status.negative, &negate);

        let pack = Pack {
            half: step.half.clone(),
            negative: status.negative.clone(),
            negative_zero: status.negative_zero,
            nan: status.nan,
            infinite: status.over.clone(),
            zero: status.zero,
            early: status.early,
            sat: step.sat,
            mode: step.mode,
            fixed: step.rro,
        };
        let float = round::pack(&raw.body, &rounded, &pack);

        // An integer is replaced by the limit of its 16 or 32 bits, a float by what no rounding gives.
        let range = Range {
            signed: step.signed,
            size: cat([&!&step.half, &step.half]),
        };
        let value = rounded.bits(0, 32);
        let clamp = wire(
            "clamp",
            &status.over | range.excludes(&value, &rounded.bit(32)),
        );
        let limit = range.limit(&status.negative);
        let replaced = wire("replaced", step.f2i.mux(&clamp, &float.forced));
        let special = wire("special", step.f2i.mux(&limit, &float.special));
        let word = wire("word", replaced.mux(&special, &value));
        // The sign of a float stands beside what was rounded.
        let top = |at: usize| step.f2i.mux(&word.bit(at), &float.sign);
        let (low_top, top) = (step.half.mux(&top(15), &word.bit(15)), top(31));
        let upper = cat([&top, &word.bits(16, 15)]) & (!&step.half).repeat(16);
        set(&self.y, cat([&upper, &low_top, &word.bits(0, 15)]));

        let integer_z = clamp.mux(&range.limit_is_zero(&status.negative), &!value.any());
        let integer_s = step.half.mux(&word.bit(15), &word.bit(31));
        let integer_flags = cat([&integer_s, &integer_z]);
        set(
            &self.flags,
            cat([&zero(2), &step.f2i.mux(&integer_flags, &float.flags)]),
        );
    }
}

impl Rtl for FloatUnit {
    fn rtl(&self) {
        self.accept();
        self.compare();
        self.add();
        self.turn();
        self.finish();
    }
}

rtl_block!(FloatUnit, "float_unit");
