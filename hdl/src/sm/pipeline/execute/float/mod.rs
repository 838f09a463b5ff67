//! Float unit of a lane: sums, products, multiply-add, every conversion from and to floats, range
//! reductions. (Comparisons order integers: they are the integer unit's.)
//!
//! | port        | width | meaning                                                             |
//! |-------------|-------|---------------------------------------------------------------------|
//! | `ctl`       | 35    | operation, `AluControl`; same for every lane                        |
//! | `a`         | 32    | first operand; half precision in the low half                       |
//! | `b`         | 32    | second operand of a product                                         |
//! | `negative`  | 1     | with a: it is below zero as an integer of its format                |
//! | `addend`    | 32    | stage E1: addend of a sum or multiply-add, else 0                   |
//! | `magnitude` | 32    | stage E2: absolute value of a as an integer of its format           |
//! | `product`   | 48    | stage E2: product of the significands, from the lane's multiplier   |
//! | `a_leading` | 1     | with a: it has a leading one                                        |
//! | `a_fraction`| 23    | with a: its fraction for the multiplier; of a 32-bit a as it is     |
//! | `b_leading` | 1     | with b: the second factor has a leading one; else it is no factor   |
//! | `b_used`    | 1     | with b: its fraction is that of b                                   |
//! | `b_constant`| 1     | with b: its fraction is that of 2/pi; else 0                        |
//! | `y`         | 32    | stage E4: result; of a 16-bit format in the low half, upper half 0  |
//! | `flags`     | 2     | stage E4: bit 0 Z (zero, NaN), 1 S (negative, NaN)                  |
//! | `replaced`  | 1     | stage E4: the result is                                             |
//! | `special`   | 10    | … this, a bit for each group of `round::ALIKE`,                     |
//! | `special_flags`| 2  | … with these flags                                                  |
//!
//! ```text
//!  inputs       | E1: kinds,    | E2: product | E3: value      | E4: body,     | to the lane's
//!  unpack, to   | exponent      | align, add  | rotate: lead-  | lost bits     | result register
//!  multiplier   | compare with  |             | ing one up, or | round, clamp, |
//!               | the addend    |             | to the point   | pack          |
//! ```
//! Every operation is the multiply-add a × b + c: a sum multiplies by 1, a product adds 0, a
//! conversion does both, and a rounding to an integral value adds what rounds it there. What
//! differs is the rotation, and whether the product is cut off before it is added. The rounding behind
//! it is the only one. Denormals are zeros on the way in and out of single precision. NaN is
//! 0x7fffffff, or 0x7fff, and 0 as an integer.
//!
//! Timing: inputs of cycle t are registered at its end; what stage E4 gives is combinational in
//! cycle t + 4. `replaced` comes last, so the choice it makes is left to the stage behind. Free
//! running.
//! Reset: none, results mean nothing until inputs did. Errors: none.
//! Source: docs/numerics.md, Formats, Operations, Conversions, and RRO in Special functions.

pub mod add;
pub mod convert;
pub mod product;
pub mod round;
pub mod stages;
pub mod unpack;

use super::int::convert::{pick, Range};
use super::int::multiplier::PRODUCT;
use crate::rtl::prelude::*;
use crate::sm::control::{round as mode, unit, AluControl};
use round::{Pack, Raw, ALIKE, BODY};
use stages::{Factors, FloatE1, FloatE2, FloatE3, FloatE3Status, FloatE4, FloatE4Status, Meeting};
use unpack::{EXPONENT, WINDOW};

block! {
    /// See the module.
    /// Without `full` there are FMUL, I2F and F2I, and no adder.
    pub struct FloatUnit(full: bool) {
        in ctl(AluControl::width(())),
        in a(32),
        in b(32),
        in negative(1),
        in addend(32),
        in magnitude(32),
        in product(PRODUCT),
        out a_leading(1),
        out a_fraction(23),
        out b_leading(1),
        out b_used(1),
        out b_constant(1),
        out y(32),
        out flags(2),
        out replaced(1),
        out special(ALIKE.len()),
        out special_flags(2),
        data e1_control(FloatE1::width(())),
        data e1_factors(Factors::width(())),
        data e1_exponent(EXPONENT),
        data e2_control(FloatE2::width(())),
        data e2_meeting(Meeting::width(())),
        data e2_exponent(EXPONENT),
        data e2_addend(24),
        data e2_rounds(3),
        data e2_keep(6),
        data e3_control(FloatE3::width(())),
        data e3_status(FloatE3Status::width(())),
        data e3_value(32),
        data e3_exponent(EXPONENT),
        data e3_keep(6),
        data e4_control(FloatE4::width(())),
        data e4_status(FloatE4Status::width(())),
        data e4_body(BODY),
        data e4_exponent(EXPONENT),
        data e4_guard(1),
        data e4_sticky(4),
        keep _full(bool = full),
    }
}

impl FloatUnit {
    /// Takes the operands apart, up to the registers of E1.
    fn accept(&self) {
        let op = AluControl::unpack((), "op", &get(&self.ctl));
        let is = |u: u64, name: &str| {
            let has = self._full || [unit::FMUL, unit::I2F, unit::F2I].contains(&u);
            let on = if has { op.unit.is(u) } else { zero(1) };
            wire(&format!("is_{name}"), on)
        };
        let (fmul, fmad, fadd) = (is(unit::FMUL, "fmul"), is(unit::FMAD, "fmad"), is(unit::FADD, "fadd"));
        let (f2f, i2f, f2i) = (is(unit::F2F, "f2f"), is(unit::I2F, "i2f"), is(unit::F2I, "f2i"));
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

        // Bounds of a single precision exponent: what comes from half precision is never beyond them.
        let e = get(&self.a).bits(23, 8);
        let below_94 = &!e.bit(7) & &!(&e.bit(6) & &(e.bit(5) | e.bits(1, 4).all()));
        let above_158 = &e.bit(7) & &(e.bits(5, 2).any() | e.bits(0, 5).all());
        let above_133 = &e.bit(7) & &(e.bits(3, 4).any() | e.bits(1, 2).all());
        // Below the reach of a half precision aligner everything is zero, however it is rounded.
        let vanishes = &f2f & &to_half & !&from_half & below_94;
        // What counts as zero multiplies by zero. An integer comes from its adder, where a product
        // would interfere; of an infinity only the sign counts.
        let nothing = any_of(&[p.zero.clone(), i2f.clone(), vanishes.clone(), &f2i & &x.full]);
        let something = wire("has_product", op.unit.bit(3) & !nothing);
        set(&self.b_used, &times & &something);
        set(&self.b_constant, &rro_sin & &something);
        set(&self.b_leading, something);
        let large = (&f2i & !&from_half & above_158 & !&x.nan) | (&rro_ex2 & above_133);
        let sign = |x: &Expr, on: &Expr| x & on;
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
        let last = FloatE4 {
            f2i,
            rro: rro.clone(),
            half: op.to.bit(0) & !(&times | &fadd | &rro),
            signed: op.to.bit(2),
            sat: op.sat,
        };
        last.check(());
        let third = FloatE3 {
            fixed: &whole | &(&f2f & &to_half & !&integral),
            whole,
            rro_sin: rro_sin.clone(),
            // A range reduction truncates.
            mode: &op.round | &rro.repeat(2),
            last: last.pack(),
        };
        third.check(());
        let second = FloatE2 {
            rro_sin,
            i2f: i2f.clone(),
            nearest: op.round.is(mode::NEAREST),
            integral: integral.clone(),
            third: third.pack(),
        };
        second.check(());
        let first = FloatE1 { i2f, adds: &fmad | &fadd, fmad, neg_c: op.neg_b, integral, second: second.pack() };
        first.check(());
        set(&self.e1_control, first.pack());
    }

    /// Compares the product with the addend, in stage E1.
    fn compare(&self) {
        let e1 = FloatE1::unpack((), "e1", &get(&self.e1_control));
        let second = FloatE2::unpack((), "e1_second", &e1.second);
        let third = FloatE3::unpack((), "e1_third", &second.third);
        let last = FloatE4::unpack((), "e1_last", &third.last);
        let p = Factors::unpack((), "e1", &get(&self.e1_factors));
        let addend = if self._full { get(&self.addend) } else { zero(32) };
        let c = unpack::single(&addend);
        let negative = e1.adds.mux(&(&c.negative ^ &e1.neg_c), &p.negative);
        let negative = wire("addend_negative", negative);
        let unnormalised = wire("unnormalised", &third.fixed & &!&third.whole);
        let differ = wire("signs_differ", &negative ^ &p.negative);

        // Without an addend its exponent is the least the result's window may have: that of an
        // integer's unit, of the smallest normal half; an integer stands where a window does.
        let at_least = [(&e1.integral, 127 + 24), (&unnormalised, 127 - 13), (&e1.i2f, 127 + 30)];
        let least = at_least.iter().fold(c.exponent.clone(), |e, (on, least)| e | (lit(8, *least) & on.repeat(8)));
        let exponent = get(&self.e1_exponent);
        let stand = add::stand(&exponent, &wire("addend_exponent", least).zext(EXPONENT), &(&p.zero | &e1.i2f));
        let there = !&c.tiny;
        let away = [third.mode.is(mode::DOWN) & &p.negative, third.mode.is(mode::UP) & !&p.negative];
        let rounds = add::integral(&second.nearest, &any_of(&away)) & e1.integral.repeat(3);
        // Forced to zero so that registers do it with their reset.
        let significand = cat([&ones(1), &c.fraction]);
        set(&self.e2_addend, there.mux(&significand, &zero(24)));
        set(&self.e2_rounds, rounds);
        set(&self.e2_exponent, &stand.exponent);
        let target = convert::Target { rro: &last.rro, rro_sin: &second.rro_sin, half: &unnormalised };
        set(&self.e2_keep, convert::keep(&exponent.bits(0, 9), &target));

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
        let e2 = FloatE2::unpack((), "e2", &get(&self.e2_control));
        let third = FloatE3::unpack((), "e2_third", &e2.third);
        let last = FloatE4::unpack((), "e2_last", &third.last);
        let m = Meeting::unpack((), "e2", &get(&self.e2_meeting));
        let product = get(&self.product);
        let p = product::window(&product, &m.truncate);
        let c = cat([&get(&self.e2_addend), &zero(1), &get(&self.e2_rounds)]);
        let sum = if self._full {
            add::add(&m.product_moves.mux(&c, &p), &m.product_moves.mux(&p, &c), &m.places, &m.subtract)
        } else {
            // A product too small for its place is too small for a result as well.
            let moved_away = &m.product_moves & &m.places.any();
            add::Sum { value: (p & (!moved_away).repeat(WINDOW)).zext(WINDOW + 1), below: zero(1) }
        };
        // Nothing is subtracted where a number is rounded to an integral value.
        let value = wire("sum_value", sum.value);
        let value = add::at_point(&value, &e2.integral, &e2.nearest);
        let value = cat([&value, &zero(32 - WINDOW - 1)]) ^ sum.below.repeat(32);
        // Of an integer the sum is zero.
        let others = &(&get(&self.magnitude) & &e2.i2f.repeat(32)) | &(&product.bits(16, 32) & &e2.rro_sin.repeat(32));
        let others = wire("not_sums", others);
        set(&self.e3_value, others | (value & (!&e2.rro_sin).repeat(32)));
        // Exponent of the bit above the window.
        let bias = lit(EXPONENT, (1u64 << EXPONENT) + 1 - unpack::REBIAS);
        let by = last.half.mux(&bias, &lit(EXPONENT, 1));
        set(&self.e3_exponent, get(&self.e2_exponent) + by);
        set(&self.e3_keep, get(&self.e2_keep));
        set(&self.e3_control, &e2.third);

        let of = |addend: &Expr| addend.mux(&m.addend_negative, &m.product_negative);
        let (moving, staying) = (of(&!&m.product_moves), of(&m.product_moves));
        let status = FloatE3Status {
            negative: sum.below.mux(&moving, &staying),
            negative_zero: m.zero_negative,
            addend_zero: m.addend_zero,
            nan: m.nan,
            over: m.over,
            complete: sum.below,
            early: m.truncate,
        };
        status.check(());
        set(&self.e3_status, status.pack());
    }

    /// Rotates, in stage E3.
    fn rotate(&self) {
        let e3 = FloatE3::unpack((), "e3", &get(&self.e3_control));
        let last = FloatE4::unpack((), "e3_last", &e3.last);
        let was = FloatE3Status::unpack((), "e3", &get(&self.e3_status));
        let whole = e3.whole;
        let rotated = convert::rotate(&convert::Rotation {
            value: get(&self.e3_value),
            fill: was.complete.clone(),
            fixed: e3.fixed.clone(),
            keep: get(&self.e3_keep),
            whole: whole.clone(),
            rro_sin: e3.rro_sin,
            half: last.half.clone(),
            exponent: get(&self.e3_exponent),
        });
        let float = wire("is_float", !&whole);
        let of_zero = &rotated.none | &was.addend_zero;
        let away = [e3.mode.is(mode::DOWN) & &was.negative, e3.mode.is(mode::UP) & !&was.negative];
        let status = FloatE4Status {
            negative_zero: of_zero.mux(&was.negative_zero, &was.negative),
            negative: was.negative.clone(),
            nan: was.nan,
            over: was.over,
            zero: rotated.none,
            nearest: e3.mode.is(mode::NEAREST),
            away: any_of(&away),
            complete: was.complete,
            early: was.early,
            negate: &last.f2i & &was.negative,
            single: &float & &!&last.half,
            small: &float & &last.half,
        };
        status.check(());
        set(&self.e4_status, status.pack());
        set(&self.e4_body, rotated.body);
        set(&self.e4_exponent, rotated.exponent);
        set(&self.e4_guard, rotated.guard);
        set(&self.e4_sticky, rotated.sticky);
        set(&self.e4_control, &e3.last);
    }

    /// Rounds, clamps, packs and makes the flags, in stage E4.
    fn finish(&self) {
        let step = FloatE4::unpack((), "e4", &get(&self.e4_control));
        let status = FloatE4Status::unpack((), "e4", &get(&self.e4_status));
        // A float's exponent joins its fraction.
        let exponent = get(&self.e4_exponent);
        let placed = |on: &Expr, at: usize| cat([&(&exponent & &on.repeat(EXPONENT)), &zero(at)]).zext(BODY);
        let raw = Raw {
            body: get(&self.e4_body) | placed(&status.single, 23) | placed(&status.small, 10),
            guard: get(&self.e4_guard),
            sticky: get(&self.e4_sticky).any(),
            complete: status.complete,
        };
        let rounded = round::round(&raw, &status.nearest, &status.away, &status.negate);

        let pack = Pack {
            half: step.half.clone(),
            negative: status.negative.clone(),
            negative_zero: status.negative_zero,
            nan: status.nan,
            infinite: status.over.clone(),
            zero: status.zero,
            early: status.early,
            sat: step.sat,
            outward: &status.nearest | &status.away,
            fixed: step.rro,
        };
        let float = round::pack(&raw.body, &rounded, &pack);

        // An integer is replaced by the limit of its 16 or 32 bits, a float by what no rounding gives.
        let range = Range { signed: step.signed, size: cat([&!&step.half, &step.half]) };
        let value = rounded.body.bits(0, 32);
        let clamp = wire("clamp", &status.over | range.excludes(&value, &rounded.body.bit(32)));
        let limit = range.limit(&status.negative);
        set(&self.replaced, step.f2i.mux(&clamp, &float.forced));
        let special = wire("special", step.f2i.mux(&limit, &float.special));
        // The sign of a float stands beside what was rounded.
        let signed = |word: &Expr| {
            let top = |at: usize| step.f2i.mux(&word.bit(at), &float.sign);
            let (low_top, top) = (step.half.mux(&top(15), &word.bit(15)), top(31));
            let upper = cat([&top, &word.bits(16, 15)]) & (!&step.half).repeat(16);
            cat([&upper, &low_top, &word.bits(0, 15)])
        };
        set(&self.y, signed(&value));
        set(&self.special, pick(&signed(&special).named(), &ALIKE));

        let flags = |word: &Expr, zero: &Expr| {
            let s = step.half.mux(&word.bit(15), &word.bit(31));
            step.f2i.mux(&cat([&s, zero]), &float.flags)
        };
        set(&self.flags, flags(&value, &!value.any()));
        let limit_zero = range.limit_is_zero(&status.negative);
        set(&self.special_flags, flags(&limit, &limit_zero));
    }
}

impl Rtl for FloatUnit {
    fn rtl(&self) {
        self.accept();
        self.compare();
        self.add();
        self.rotate();
        self.finish();
    }
}

rtl_block!(FloatUnit, "float_unit");
