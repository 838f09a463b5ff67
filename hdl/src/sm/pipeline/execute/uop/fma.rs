//! Float unit of a lane of micro-operations: one multiply-add for sums, products, every conversion, range
//! reductions.
//!
//! | port       | width | meaning                                                                |
//! |------------|-------|------------------------------------------------------------------------|
//! | `ctl`      | 56    | operation, `UopControl`                                                |
//! | `a`        | 32    | first operand in single precision, its signs done; of I2F the integer  |
//! | `b`        | 32    | second operand, likewise                                               |
//! | `c`        | 32    | third operand, likewise                                                |
//! | `factor_a` | 33    | with a: factor for the lane's multiplier                               |
//! | `factor_b` | 33    | with b: the other one                                                  |
//! | `product`  | 48    | their product, three cycles later                                      |
//! | `raw`      | 47    | value before rounding, `Raw`, five cycles later                        |
//!
//! ```text
//!  inputs      | E2: addend | E3: fine     | E4: window,  | E5: sum      | E6: coarse
//!  unpack,     |            |              |     product  | leading      | move by ones,
//!  compare the | move by    | move by      | add          | zeros, move  | half precision,
//!  exponents   | ones       | eights       |              | by sixteens  | split
//! ```
//! A sum multiplies by 1, a product adds 0; an integer is multiplied by its sign. A conversion to an integer, to
//! fixed point or to an integral value takes the path of the addend: the base of the window is the place of the
//! point, and for an integral value the product is the increment of rounding. The reduction in front of the sine multiplies by 2/pi and moves by a number known from the exponent.
//!
//! Timing: inputs of cycle t are registered at its end (E2). Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.

use super::align::{self, BASE, EXPONENT, FINE, REBASE, WINDOW};
use super::multiplier::FACTOR;
use super::normalise::{self, PLACES};
use super::operand::{number, Number};
use super::round::{Raw, BODY};
use crate::rtl::prelude::*;
use crate::sm::control::round as mode;
use crate::sm::control::uop::{format, op, UopControl};

/// Bits of a product of significands, and of one with 2/pi.
pub const SIGNIFICANDS: usize = 48;
/// 2/pi with 24 fraction bits.
const TWO_OVER_PI: u64 = 0xa2_f983;
/// The significand of 1.
const ONE: u64 = 0x80_0000;
/// Bases: of an integer of 32 bits in the top of the window; of 7.23 fixed point there, of an integer in the
/// product's place, and of integral values, which have their last bit in place 53.
const TO_INTEGER: u64 = 158;
const TO_FIXED: u64 = 135;
const FROM_INTEGER: u64 = 200;
const TO_INTEGRAL: u64 = 150;
/// Exponents from which on a number is too large for these.
const BEYOND_INTEGER: u64 = 159;
const BEYOND_FIXED: u64 = 134;

packed! {
    /// What travels beside the operands up to the sum.
    pub struct Beside(_d: ()) {
        /// Places the addend moves.
        places: 7,
        /// The addend is above the window; the product is not zero.
        above: 1,
        product_some: 1,
        product_negative: 1,
        addend_negative: 1,
        /// Sign of a sum of zero of different signs.
        down: 1,
        /// To an integral value: half of one, all below one is added.
        add_half: 1,
        add_ones: 1,
        integral: 1,
        rro_sin: 1,
        later: Later::width(()),
    }
}

packed! {
    /// What travels on beside the window.
    pub struct Later(_d: ()) {
        base: BASE,
        /// Most places the window moves up; all of them where it is fixed.
        limit: PLACES,
        fixed: 1,
        sine: 1,
        /// The result stands above the point: an integer, fixed point.
        whole: 1,
        /// The result has half precision; it is rounded to single precision first.
        half: 1,
        twice: 1,
        /// The operand is NaN.
        nan: 1,
        /// The operand is infinite or too large.
        over: 1,
        /// The sign of an operand that is `over`.
        over_negative: 1,
    }
}

block! {
    /// See the module.
    /// `half`: results rounded to single precision and then to half.
    pub struct UopFma(half: bool) {
        in ctl(UopControl::width(())),
        in a(32),
        in b(32),
        in c(32),
        in product(SIGNIFICANDS),
        out factor_a(FACTOR),
        out factor_b(FACTOR),
        out raw(Raw::width(())),
        data e2_beside(Beside::width(())),
        data e2_addend(24),
        data e3_beside(Beside::width(())),
        data e3_addend(FINE),
        data e4_beside(Beside::width(())),
        data e4_addend(WINDOW),
        data e5_later(Later::width(())),
        data e5_sum(WINDOW),
        data e5_negative(1),
        data e5_zero_negative(1),
        data e6_later(Later::width(())),
        data e6_window(WINDOW),
        data e6_places(PLACES),
        data e6_negative(1),
        data e6_zero_negative(1),
        data e6_zero(1),
        keep _half(bool = half),
    }
}

/// What an operation is.
struct Kind {
    mul: Expr,
    times: Expr,
    sum: Expr,
    i2f: Expr,
    f2i: Expr,
    integral: Expr,
    rro_sin: Expr,
    rro_ex2: Expr,
    /// A product with 1: FADD, F2F.
    once: Expr,
    /// a goes the addend's way.
    placed: Expr,
    adds: Expr,
}

impl Kind {
    fn of(ctl: &UopControl) -> Kind {
        let is = |code: u64, name: &str| wire(&format!("is_{name}"), ctl.op.is(code));
        let (fadd, fma) = (is(op::FADD, "fadd"), is(op::FMA, "fma"));
        let (f2f, f2i) = (is(op::F2F, "f2f"), is(op::F2I, "f2i"));
        let integral = wire("integral", &f2f & &ctl.integral);
        let rro_ex2 = is(op::RRO_EX2, "rro_ex2");
        Kind {
            mul: is(op::MUL, "mul"),
            times: wire("times", is(op::FMUL, "fmul") | &fma),
            once: wire("once", &fadd | &(&f2f & &!&ctl.integral)),
            placed: wire("placed", any_of(&[f2i.clone(), integral.clone(), rro_ex2.clone()])),
            adds: wire("adds", &fadd | &fma),
            sum: fadd,
            i2f: is(op::I2F, "i2f"),
            rro_sin: is(op::RRO_SIN, "rro_sin"),
            f2i,
            integral,
            rro_ex2,
        }
    }
}

/// What the operands are, as far as no sum says it.
struct Special {
    nan: Expr,
    infinite: Expr,
    infinite_negative: Expr,
}

impl UopFma {
    /// Factors of the product: integers of MUL and I2F, significands.
    fn factors(&self, ctl: &UopControl, is: &Kind, a: &Number, b: &Number) {
        let (x, y) = (get(&self.a), get(&self.b));
        let integer = wire("integer_factor", &is.mul | &is.i2f);
        let signed = is.mul.mux(&ctl.signed_a, &ctl.from.bit(2));
        let whole = cat([&(signed & x.bit(31)), &x]);
        set(&self.factor_a, integer.mux(&whole, &a.significand.zext(FACTOR)));
        let negative = ctl.from.bit(2) & x.bit(31);
        let sign = cat([&negative.repeat(FACTOR - 1), &lit(1, 1)]);
        let whole = cat([&(&ctl.signed_b & &y.bit(31)), &y]);
        let of = [
            (&is.mul, whole),
            (&is.i2f, sign),
            (&is.times, b.significand.zext(FACTOR)),
            (&is.once, lit(FACTOR, ONE)),
            (&is.rro_sin, lit(FACTOR, TWO_OVER_PI)),
        ];
        let factors: Vec<Expr> = of.iter().map(|(on, x)| x & &on.repeat(FACTOR)).collect();
        set(&self.factor_b, any_of(&factors));
    }

    /// Takes the operands apart and compares their exponents, up to the registers of E2.
    fn accept(&self) {
        let ctl = UopControl::unpack((), "op", &get(&self.ctl));
        let is = Kind::of(&ctl);
        let a = number("a", &get(&self.a));
        let b = number("b", &get(&self.b));
        self.factors(&ctl, &is, &a, &b);

        let third = is.placed.mux(&get(&self.a), &is.sum.mux(&get(&self.b), &get(&self.c)));
        let there = wire("addend_there", &is.placed | &is.adds);
        let c = number("addend", &(third & there.repeat(32)));
        set(&self.e2_addend, &c.significand & &there.repeat(24));

        // Signs, and what is no number or infinite.
        let zero_factor = wire("zero_factor", &a.zero | &(&is.times & &b.zero));
        let fixed_zero = all_of(&[ctl.zero_product.clone(), is.times.clone(), zero_factor.clone()]);
        let fixed_zero = wire("product_is_zero", fixed_zero);
        let of_float = &a.negative ^ &(&is.times & &b.negative);
        let x = get(&self.a);
        let of_integer = &ctl.neg_a ^ &(ctl.from.bit(2) & x.bit(31) & !&ctl.abs_a);
        let of_integer = of_integer & x.any();
        let negative = is.i2f.mux(&of_integer, &of_float) & !&fixed_zero;
        let negative = wire("product_negative", negative);
        let addend_negative = wire("addend_negative", there.mux(&c.negative, &negative));
        let special = self.special(&is, [&a, &b, &c], &fixed_zero, [&negative, &addend_negative]);

        // The base of the product's window.
        let other = is.times.mux(&b.exponent, &lit(8, 127)).zext(EXPONENT);
        let minus = lit(EXPONENT, (1 << EXPONENT) - REBASE);
        let own = wire("exponents", a.exponent.zext(EXPONENT) + other) + minus;
        let bases = [
            (&is.f2i, TO_INTEGER),
            (&is.rro_ex2, TO_FIXED),
            (&is.integral, TO_INTEGRAL),
            (&is.i2f, FROM_INTEGER),
            (&is.rro_sin, FROM_INTEGER),
        ];
        // A product that is zero is below every addend.
        let given = any_of(&bases.map(|(on, _)| on.clone())) | &zero_factor;
        let given = wire("base_given", given);
        let bases = bases.map(|(on, base)| lit(EXPONENT, base) & on.repeat(EXPONENT));
        let base = wire("product_base", given.mux(&any_of(&bases), &own));
        let addend_exponent = c.exponent.called("addend_exponent");
        let stand = align::stand(&base, &addend_exponent);
        let (above, base) = (stand.above, stand.base.named());

        let beyond = |on: &Expr, least: u64| on & &a.exponent.ge(&lit(8, least));
        let large = beyond(&is.f2i, BEYOND_INTEGER) | beyond(&is.rro_ex2, BEYOND_FIXED);
        let whole = wire("whole", any_of(&[is.f2i.clone(), is.rro_ex2.clone(), is.rro_sin.clone()]));
        // The reduction's last bit, 23 below the point, comes to place 45.
        let turns = a.exponent.zext(EXPONENT) - lit(EXPONENT, 102);
        let turns = wire("turns", turns);
        let turned = turns.bits(0, PLACES) | turns.bit(PLACES).repeat(PLACES);
        let turned = turned & (!turns.bit(EXPONENT - 1)).repeat(PLACES) & is.rro_sin.repeat(PLACES);
        let most = base.bits(PLACES, BASE - PLACES).any().repeat(PLACES);
        let below = (&base - &lit(BASE, 1)).bits(0, PLACES) | most;
        let (down, up, nearest) = (ctl.round.is(mode::DOWN), ctl.round.is(mode::UP), ctl.round.is(mode::NEAREST));
        let away = down.mux(&a.negative, &(up & !&a.negative));
        let in_window = wire("in_window", &is.integral & &!&above);
        let later = Later {
            base,
            limit: whole.mux(&turned, &below),
            fixed: whole.clone(),
            sine: is.rro_sin.clone(),
            whole,
            half: ctl.format.any() & !(&is.f2i | &is.rro_sin | &is.rro_ex2),
            twice: ctl.format.is(format::F32_F16),
            nan: special.nan,
            over: special.infinite | large,
            over_negative: special.infinite_negative,
        };
        later.check(());
        let beside = Beside {
            places: stand.places,
            above,
            product_some: !(&zero_factor | &is.placed),
            product_negative: negative,
            addend_negative,
            down: ctl.round.is(mode::DOWN),
            add_half: &in_window & &(&nearest | &away),
            add_ones: &in_window & &away,
            integral: is.integral,
            rro_sin: is.rro_sin,
            later: later.pack(),
        };
        beside.check(());
        set(&self.e2_beside, beside.pack());
    }

    /// NaN and infinities of a product and an addend.
    fn special(&self, is: &Kind, [a, b, c]: [&Number; 3], zero: &Expr, sign: [&Expr; 2]) -> Special {
        let times = |x: &Expr| &is.times & x;
        let number = wire("product_is_number", !(zero | &is.i2f));
        let impossible = (&a.infinite & &b.zero) | (&b.infinite & &a.zero);
        let nan = any_of(&[a.nan.clone(), times(&b.nan), times(&impossible)]) & &number;
        let infinite = wire("product_infinite", (&a.infinite | &times(&b.infinite)) & &number);
        let [product, addend] = sign;
        let against = all_of(&[infinite.clone(), c.infinite.clone(), product ^ addend]);
        Special {
            nan: any_of(&[nan, c.nan.clone(), against]),
            infinite: &infinite | &c.infinite,
            infinite_negative: infinite.mux(product, addend),
        }
    }

    /// Aligns, in stages E2 and E3.
    fn align(&self) {
        let e2 = Beside::unpack((), "e2", &get(&self.e2_beside));
        set(&self.e3_addend, align::fine(&get(&self.e2_addend), &e2.places));
        set(&self.e3_beside, get(&self.e2_beside));
        let e3 = Beside::unpack((), "e3", &get(&self.e3_beside));
        set(&self.e4_addend, align::coarse(&get(&self.e3_addend), &e3.places));
        set(&self.e4_beside, get(&self.e3_beside));
    }

    /// Adds, in stage E4.
    fn add(&self) {
        let e4 = Beside::unpack((), "e4", &get(&self.e4_beside));
        let (p, c) = (get(&self.product), get(&self.e4_addend));
        // The product with 2/pi is cut off and stands seven places lower.
        let cut = cat([&p.bits(16, 32), &zero(12)]).zext(WINDOW);
        let high = e4.rro_sin.mux(&cut, &cat([&p, &zero(3)]).zext(WINDOW));
        let away = cat([&e4.add_half, &e4.add_ones.repeat(52)]).zext(WINDOW);
        let alone = (&e4.above & &e4.product_some).zext(WINDOW);
        let product = (high & (!&e4.above).repeat(WINDOW)) | away | alone;
        let subtract = wire("subtract", &e4.product_negative ^ &e4.addend_negative);
        let sum = align::add(&product, &c, &subtract);
        // A tie goes to the even one of the integral values.
        let tie = all_of(&[e4.add_half.clone(), !&e4.add_ones, c.bit(52), !c.bits(0, 52).any()]);
        let clear = cat([&tie, &e4.integral.repeat(53)]).zext(WINDOW);
        set(&self.e5_sum, sum.value & !clear);
        let negative = sum.below.mux(&e4.addend_negative, &e4.product_negative);
        set(&self.e5_negative, negative);
        set(&self.e5_zero_negative, subtract.mux(&e4.down, &e4.product_negative));
        set(&self.e5_later, &e4.later);
    }

    /// Normalises, in stages E5 and E6, and splits what is to be rounded.
    fn normalise(&self) {
        let e5 = Later::unpack((), "e5", &get(&self.e5_later));
        let moved = normalise::coarse(&get(&self.e5_sum), &e5.limit, &e5.fixed);
        set(&self.e6_window, moved.value);
        set(&self.e6_places, moved.places);
        set(&self.e6_zero, moved.zero);
        set(&self.e6_negative, get(&self.e5_negative));
        set(&self.e6_zero_negative, get(&self.e5_zero_negative));
        set(&self.e6_later, get(&self.e5_later));

        let e6 = Later::unpack((), "e6", &get(&self.e6_later));
        let places = get(&self.e6_places);
        let w = normalise::fine(&get(&self.e6_window), &places);
        let (single, guard) = (w.bits(53, 24), w.bit(52));
        let low = wire("low_some", w.bits(0, 44).any());
        let some = wire("below_single", &low | &w.bits(44, 8).any());

        // The leading one adds to the exponent field, which is one less.
        let field = |less: &Expr, significand: &Expr, fraction: usize| {
            let exponent = cat([less, &zero(fraction)]);
            exponent + significand.zext(less.width() + fraction)
        };
        let less = e6.base.zext(EXPONENT) + !places.zext(EXPONENT);
        let half = normalise::half(&single, &e6.base, &places);
        let single_body = field(&wire("field_less", less), &single, 23).zext(BODY);
        let half_body = field(&half.exponent, &half.significand, 10).zext(BODY);
        let integer = w.bits(45, 32);
        let integer = cat([&(integer.bits(25, 7) & (!&e6.sine).repeat(7)), &integer.bits(0, 25)]);
        let body = e6.whole.mux(&integer.zext(BODY), &e6.half.mux(&half_body, &single_body));
        // Of a result that is rounded twice the first rounding says what these mean to the second.
        let twice = if self._half { &e6.half & &e6.twice } else { zero(1) };
        let rest = !&twice & &(&guard | &some);
        let raw = Raw {
            body,
            guard: e6.whole.mux(&w.bit(44), &e6.half.mux(&half.guard, &guard)),
            some: e6.whole.mux(&low, &e6.half.mux(&(&half.some | &rest), &some)),
            all: half.all,
            half: e6.half.clone(),
            below_odd: single.bit(0),
            below_guard: guard,
            below_some: some,
            twice,
            negative: e6.over.mux(&e6.over_negative, &get(&self.e6_negative)),
            zero_negative: get(&self.e6_zero_negative),
            zero: get(&self.e6_zero),
            nan: e6.nan,
            over: e6.over,
        };
        raw.check(());
        set(&self.raw, raw.pack());
    }
}

impl Rtl for UopFma {
    fn rtl(&self) {
        self.accept();
        self.align();
        self.add();
        self.normalise();
    }
}

rtl_block!(UopFma, "uop_fma");
