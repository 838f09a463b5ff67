//! Unit for floats of 64 bits: one multiply-add for sums, products and every conversion.
//!
//! | port           | width | meaning                                                             |
//! |----------------|-------|---------------------------------------------------------------------|
//! | `how`          | How   | operation, [`How`]                                                  |
//! | `a`, `b`, `c`  | 64    | operands; those of 32 bits in the low word                          |
//! | `exponent`     | 12    | of RCP64H and RSQ64H, whose operand is the low word of `a`: what     |
//! | `significand`  | 22    | `DoubleReciprocal` found for it                                     |
//! | `flags`        | 4     | of SM 1.3: zero, sign, carry, overflow                               |
//! | `y`            | 64    | result, [`STAGES`] cycles later; of 32 bits in the low word          |
//!
//! ```text
//!  s1     | s2       | s3, s4         | s5     | s6  | s7   | s8      | s9, s10 | s11   | s12
//!  inputs | factors  | product        | window | sum | mag- | leading | move    | split | round, what
//!         | exponents| move addend    |        |     | nitude | zeros |         |       | no rounding gives
//! ```
//! A sum multiplies by 1, a product adds a zero of its sign; everything else takes the path of the addend, where the base of
//! the window says what is rounded: the place of the least exponent of single precision, or of bit 63 of an integer.
//!
//! Timing: inputs of cycle t are registered at its end (s1); `y` is valid in cycle t + [`STAGES`]. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.

use super::align::{self, BASE, FINE, PLACES, REBASE, WINDOW};
use super::multiplier::DoubleMultiplier;
use super::normalise;
use super::operand::{integer, integral, number, order, wide_integer, Number, Read, EXPONENT, SIGNIFICAND};
use super::reciprocal::RESULT;
use super::round::{Beside, Raw, Rounded, BODY};
use crate::rtl::prelude::*;
use crate::sm::control::uop::{op, tiny, UopControl};
use crate::sm::control::{round as mode, unit, AluControl};

/// Cycles from operands to result.
pub const STAGES: usize = 12;
/// The significand of 1.
const ONE: u64 = 1 << 52;
/// Exponents of the smallest normal numbers, and of bit 63 of an integer.
const LEAST: u64 = 1;
/// The exponent of what is no number.
const TOP: u64 = 2047;
const LEAST_SINGLE: u64 = 1023 - 126;
const INTEGER: u64 = 1023 + 63;

packed! {
    /// What the unit does: fields of `UopControl` and `DoubleControl`.
    pub struct How(sm13: bool) {
        op: 5,
        neg_a: 1,
        abs_a: 1,
        neg_b: 1,
        abs_b: 1,
        neg_c: 1,
        abs_c: 1,
        /// Denormals of operands of 32 bits are zeros.
        flush: 1,
        /// Results below the normal range are zeros.
        tiny: 2,
        sat: 1,
        round: 2,
        from: 3,
        to: 3,
        wide: 1,
        wide_result: 1,
        /// Of SM 1.3, whose `op` is `AluControl::unit`: relations that hold, as `FSET` has them; the maximum; to an integral
        /// value.
        cond: sm13.bits(4),
        max: sm13.bits(1),
        to_int: sm13.bits(1),
    }
}

block! {
    /// See the module.
    pub struct DoubleUnit(sm13: bool) {
        in how(How::width(sm13)),
        in a(64),
        in b(64),
        in c(64),
        in exponent(if !sm13; EXPONENT),
        in significand(if !sm13; RESULT),
        out y(64),
        /// Of SM 1.3.
        out flags(if sm13; 4),
        part multiplier(DoubleMultiplier:),
        data s1_how(How::width(sm13)),
        data s1_a(64),
        data s1_b(64),
        data s1_c(64),
        data s1_exponent(if !sm13; EXPONENT),
        data s1_significand(if !sm13; RESULT),
        data s2_base(BASE),
        data s2_exponent(EXPONENT),
        data s2_addend(SIGNIFICAND),
        data s3_places(PLACES),
        data s3_addend(SIGNIFICAND),
        data s4_places(PLACES),
        data s4_addend(FINE),
        data s5_addend(WINDOW),
        data s5_lost(1),
        data s6_sum(WINDOW),
        data s6_below(1),
        data s6_lost(1),
        data s7_window(WINDOW),
        data s7_lost(1),
        data s8_window(WINDOW),
        data s8_lost(1),
        data s8_places(PLACES),
        data s8_zero(1),
        data s9_window(WINDOW),
        data s9_lost(1),
        data s9_places(PLACES),
        data s9_zero(1),
        data s9_field(EXPONENT),
        data s10_window(WINDOW),
        data s10_lost(1),
        data s10_zero(1),
        data s10_field(EXPONENT),
        data s11_raw(Raw::width(())),
        data s12_body(BODY + 1),
        data s12_outward(1),
        data s12_zero(1),
        data s12_negative(1),
        /// [`Beside`] from s2 on.
        data beside([STAGES - 1] Beside::width(sm13)),
        /// Exponent of the window's top bit, s3 to s8; of s2 the exponents themselves.
        data top([6] EXPONENT),
        /// The sign of the sum, s7 to s10.
        data negative([4] 1),
        keep _sm13(bool = sm13),
    }
}

/// What an operation is.
struct Kind {
    /// It multiplies.
    times: Expr,
    /// It has a second factor.
    factors: Expr,
    add: Expr,
    fma: Expr,
    i2f: Expr,
    f2i: Expr,
    reciprocal: Expr,
    root: Expr,
    /// The result is a float of 32 bits.
    single: Expr,
    /// Of SM 1.3.
    compares: Expr,
    extreme: Expr,
}

impl Kind {
    fn of(how: &How, sm13: bool) -> Kind {
        if sm13 {
            return Self::of_sm13(how);
        }
        let is = |code: u64, name: &str| wire(&format!("is_{name}"), how.op.is(code));
        let (add, mul, fma) = (is(op::FADD, "fadd"), is(op::FMUL, "fmul"), is(op::FMA, "fma"));
        let root = is(op::RSQ64H, "root");
        let reciprocal = wire("is_reciprocal", how.op.is(op::RCP64H) | &root);
        let factors = wire("has_factors", &mul | &fma);
        Kind {
            times: wire("times", &factors | &add),
            factors,
            add,
            fma,
            i2f: is(op::I2F, "i2f"),
            f2i: is(op::F2I, "f2i"),
            single: wire("to_single", how.op.is(op::F2F) & !&how.wide_result),
            reciprocal,
            root,
            compares: zero(1),
            extreme: zero(1),
        }
    }

    fn of_sm13(how: &How) -> Kind {
        let is = |code: u64, name: &str| wire(&format!("is_{name}"), how.op.is(code));
        let (add, mul, fma) = (is(unit::FADD, "fadd"), is(unit::FMUL, "fmul"), is(unit::FMAD, "fma"));
        let (i2f, f2f) = (is(unit::I2F, "i2f"), is(unit::F2F, "f2f"));
        let factors = wire("has_factors", &mul | &fma);
        Kind {
            times: wire("times", &factors | &add),
            factors,
            add,
            fma,
            f2i: is(unit::F2I, "f2i"),
            single: wire("to_single", (f2f | &i2f) & !&how.wide_result),
            i2f,
            reciprocal: zero(1),
            root: zero(1),
            compares: is(unit::SET, "set"),
            extreme: is(unit::MINMAX, "minmax"),
        }
    }
}

impl How {
    /// What the control word of an instruction asks for.
    pub fn of(alu: &UopControl, double: &crate::sm::control::double::DoubleControl) -> Self {
        Self {
            op: alu.op.clone(),
            neg_a: alu.neg_a.clone(),
            abs_a: alu.abs_a.clone(),
            neg_b: alu.neg_b.clone(),
            abs_b: alu.abs_b.clone(),
            neg_c: alu.neg_c.clone(),
            abs_c: alu.abs_c.clone(),
            flush: alu.flush.clone(),
            tiny: alu.tiny.clone(),
            sat: alu.sat.clone(),
            round: alu.round.clone(),
            from: alu.from.clone(),
            to: alu.to.clone(),
            wide: double.wide.clone(),
            wide_result: double.wide_result.clone(),
            cond: nothing(),
            max: nothing(),
            to_int: nothing(),
        }
    }

    /// The same of SM 1.3.
    pub fn of_sm13(alu: &AluControl, double: &crate::sm::control::double::DoubleControl) -> Self {
        let adds = wire("negates_c", alu.unit.is(unit::FMAD));
        Self {
            op: alu.unit.zext(5),
            neg_a: alu.neg.clone(),
            abs_a: alu.abs.clone(),
            neg_b: &alu.neg_b & !&adds,
            abs_b: alu.abs_b.clone(),
            neg_c: &alu.neg_b & &adds,
            abs_c: zero(1),
            flush: zero(1),
            tiny: lit(2, tiny::KEEP),
            sat: zero(1),
            round: alu.round.clone(),
            from: alu.from.clone(),
            to: alu.to.clone(),
            wide: double.wide.clone(),
            wide_result: double.wide_result.clone(),
            cond: cat([&alu.unordered, &alu.cond]),
            max: alu.right.clone(),
            to_int: alu.high.clone(),
        }
    }

    /// It is RCP64H or RSQ64H.
    pub fn is_reciprocal(&self) -> Expr {
        self.op.is(op::RCP64H) | self.op.is(op::RSQ64H)
    }
}

impl DoubleUnit {
    /// What the reciprocal of the high word `x` is: what was found for it, or what no digits give.
    fn reciprocal(&self, x: &Number, root: &Expr) -> Number {
        let (Some(exponent), Some(significand)) = (self.s1_exponent.get(), self.s1_significand.get()) else {
            return x.clone();
        };
        let exponent = get(exponent);
        let minus = root & &x.negative & !&x.zero;
        let none = wire("reciprocal_none", &x.infinite | !exponent.any());
        let significand = cat([&get(significand), &zero(SIGNIFICAND - RESULT)]);
        Number {
            // The root of plus infinity is +0; of a zero it is infinite with its sign.
            negative: x.negative.clone(),
            sign: x.sign.clone(),
            exponent,
            significand: significand & (!&none).repeat(SIGNIFICAND),
            zero: none,
            infinite: x.zero.clone(),
            nan: &x.nan | &minus,
        }
    }

    /// Takes the operands apart, from s1 to s2.
    fn accept(&self) {
        let sm13 = self._sm13;
        let how = How::unpack(sm13, "how", &get(&self.s1_how));
        let is = Kind::of(&how, sm13);
        let high = cat([&get(&self.s1_a).bits(0, 32), &zero(32)]);
        let first = is.reciprocal.mux(&high, &get(&self.s1_a));
        let wide = wire("wide", &how.wide | &is.reciprocal);
        let read = |name: &str, x: &Expr, abs: &Expr, neg: &Expr| {
            number(name, x, &Read { wide: &wide, flush: &how.flush, abs, neg })
        };
        let a = read("a", &first, &how.abs_a, &how.neg_a);
        let b = read("b", &get(&self.s1_b), &how.abs_b, &how.neg_b);
        let c = read("c", &get(&self.s1_c), &how.abs_c, &how.neg_c);
        let (n, high) = match sm13 {
            true => {
                let x = get(&self.s1_a);
                let [low, high] = wide_integer(&x, &how.wide, &how.from.bit(2), &how.abs_a, &how.neg_a);
                (low, Some(high))
            }
            false => (integer(&get(&self.s1_a).bits(0, 32), &how.from.bit(2), &how.abs_a, &how.neg_a), None),
        };
        let r = self.reciprocal(&a, &is.root);
        // Of SM 1.3: how a and b compare, and the second is the minimum or maximum.
        let order = sm13.then(|| {
            let [x, y] = [&self.s1_a, &self.s1_b].map(|x| get(x).bits(0, 63));
            order(&a, &b, &x, &y)
        });
        let second = order.as_ref().map(|o| {
            let other = how.max.mux(&o.below, &!&o.below);
            wire("takes_second", &a.nan | &(!&b.nan & other))
        });
        let whole = match sm13 {
            true => integral(&a, &how.to_int, &how.round),
            false => a.clone(),
        };

        // Factors.
        let product_zero = any_of(&[!&is.times, a.zero.clone(), &is.factors & &b.zero]);
        // The high word of an integer is a factor.
        let (factor, product_zero, exponent_a) = match &high {
            Some(high) => {
                let times = &a.significand & &is.times.repeat(SIGNIFICAND);
                let factor = times | (&high.significand & &is.i2f.repeat(SIGNIFICAND));
                let exponent = is.i2f.mux(&high.exponent, &a.exponent);
                (factor, is.i2f.mux(&high.zero, &product_zero), exponent)
            }
            None => (&a.significand & &is.times.repeat(SIGNIFICAND), product_zero, a.exponent.clone()),
        };
        let [kept_nan, nan_negative, kept] = match sm13 {
            true => self.kept_nan(&is, [&a, &b, &c], second.as_ref()),
            false => std::array::from_fn(|_| nothing()),
        };
        let product_zero = if sm13 { product_zero | &kept_nan } else { product_zero };
        let factor = if sm13 { factor & (!&kept_nan).repeat(SIGNIFICAND) } else { factor };
        set(&self.multiplier.a, factor);
        set(&self.multiplier.b, is.factors.mux(&b.significand, &lit(SIGNIFICAND, ONE)));
        let product_zero = wire("product_zero", product_zero);

        // The addend; that of a product is a zero of its sign.
        let alone = !any_of(&[is.add.clone(), is.factors.clone(), is.i2f.clone(), is.reciprocal.clone()]);
        let (alone, with_b) = match &second {
            // A minimum or maximum is one of its operands.
            Some(second) => (alone & !(&is.extreme & second), &is.add | &(&is.extreme & second)),
            None => (alone, is.add.clone()),
        };
        let alone = wire("alone", alone);
        let from = [(&with_b, &b), (&is.fma, &c), (&alone, &whole), (&is.i2f, &n), (&is.reciprocal, &r)];
        let gather = |f: &dyn Fn(&Number) -> &Expr| {
            let each: Vec<Expr> = from.iter().map(|(on, n)| f(n) & &on.repeat(f(n).width())).collect();
            any_of(&each)
        };
        let significand = gather(&|n| &n.significand);
        let significand = if sm13 { kept_nan.mux(&kept, &significand) } else { significand };
        let significand = wire("addend", significand);
        let exponent = gather(&|n| &n.exponent);
        let there = any_of(&from.map(|f| f.0.clone()));
        let exponent = there.mux(&exponent, &lit(EXPONENT, LEAST));
        let exponent = if sm13 { kept_nan.mux(&lit(EXPONENT, TOP), &exponent) } else { exponent };
        let exponent = wire("addend_exponent", exponent);
        let own = wire("own_sign", gather(&|n| &n.negative));
        let times_sign = &a.negative ^ &(&is.factors & &b.negative);
        let product_negative = wire("product_negative", is.times.mux(&times_sign, &own));
        let addend_negative = wire("addend_negative", there.mux(&own, &product_negative));
        set(&self.s2_addend, significand);
        set(&self.s2_exponent, exponent);

        // The base of the window.
        let other = is.factors.mux(&b.exponent, &lit(EXPONENT, 1023)).zext(BASE);
        let sum = wire("exponents", exponent_a.zext(BASE) + other);
        let sum = sum - lit(BASE, REBASE);
        let given = (lit(BASE, LEAST_SINGLE) & is.single.repeat(BASE)) | (lit(BASE, INTEGER) & is.f2i.repeat(BASE));
        set(&self.s2_base, product_zero.mux(&given, &sum));

        // What is no number or infinite.
        let impossible = (&a.infinite & &b.zero) | (&b.infinite & &a.zero);
        let of_factors = &is.factors & &(&b.nan | &impossible);
        let product_nan = &is.times & &(&a.nan | &of_factors);
        let product_infinite = &is.times & &(&a.infinite | &(&is.factors & &b.infinite));
        let product_infinite = wire("product_infinite", product_infinite);
        let addend_infinite = wire("addend_infinite", gather(&|n| &n.infinite));
        let against = &product_negative ^ &addend_negative;
        let against = all_of(&[product_infinite.clone(), addend_infinite.clone(), against]);
        let large = &is.f2i & &a.exponent.gt(&lit(EXPONENT, INTEGER));
        let beside = Beside {
            single: is.single.clone(),
            integer: is.f2i.clone(),
            high: is.reciprocal.clone(),
            size: how.to.bits(0, 2),
            signed: how.to.bit(2),
            round: match sm13 {
                true => kept_nan.mux(&lit(2, mode::ZERO), &how.round),
                false => is.reciprocal.mux(&lit(2, mode::ZERO), &how.round),
            },
            flush: &is.reciprocal | &(&is.single & how.tiny.is(tiny::FLUSH_ROUNDED)),
            sat: &how.sat & &!&is.f2i,
            nan: any_of(&[product_nan, gather(&|n| &n.nan), against]),
            infinite: any_of(&[product_infinite.clone(), addend_infinite, large]),
            infinite_negative: match sm13 {
                true => kept_nan.mux(&nan_negative, &product_infinite.mux(&product_negative, &addend_negative)),
                false => product_infinite.mux(&product_negative, &addend_negative),
            },
            product_negative,
            addend_negative,
            compares: if sm13 { is.compares.clone() } else { nothing() },
            holds: order.map_or(nothing(), |o| {
                let greater = !any_of(&[o.less.clone(), o.equal.clone(), o.unordered.clone()]);
                (&how.cond & &cat([&o.unordered, &greater, &o.equal, &o.less])).any()
            }),
        };
        beside.check(sm13);
        set(&self.beside[0], beside.pack());
    }

    /// Of SM 1.3, where a result is no number: whether it is, its sign and significand, those of an operand that is none.
    fn kept_nan(&self, is: &Kind, [a, b, c]: [&Number; 3], second: Option<&Expr>) -> [Expr; 3] {
        let second = second.cloned().unwrap_or(zero(1));
        let by_b = &b.nan & &any_of(&[is.add.clone(), is.factors.clone(), &is.extreme & &second]);
        let by_c = &c.nan & &is.fma & !&by_b;
        let by_a = &a.nan & !any_of(&[is.i2f.clone(), is.f2i.clone(), is.compares.clone(), &is.extreme & &second]);
        let (by_b, by_c) = (wire("nan_of_b", by_b), wire("nan_of_c", by_c));
        let by_a = wire("nan_of_a", by_a & !(&by_b | &by_c));
        let product_infinite = &a.infinite | &(&is.factors & &b.infinite);
        let impossible = &is.factors & &((&a.infinite & &b.zero) | (&b.infinite & &a.zero));
        let sign = &a.negative ^ &(&is.factors & &b.negative);
        let against = (&is.add & &b.infinite & (&sign ^ &b.negative)) | (&is.fma & &c.infinite & (&sign ^ &c.negative));
        let none = &is.times & &(impossible | (product_infinite & against));
        let operand = any_of(&[by_a.clone(), by_b.clone(), by_c.clone()]);
        let of = |n: &Number, on: &Expr| &n.significand & &on.repeat(SIGNIFICAND);
        let significand = of(a, &by_a) | of(b, &by_b) | of(c, &by_c) | lit(SIGNIFICAND, 3 << (SIGNIFICAND - 2));
        let negative = any_of(&[&a.sign & &by_a, &b.sign & &by_b, &c.sign & &by_c, !&operand]);
        [wire("keeps_nan", operand | none), wire("nan_negative", negative), wire("nan_significand", significand)]
    }

    /// What travels beside the operands in stage `s`, 2 or more.
    fn beside(&self, s: usize) -> Beside {
        Beside::unpack(self._sm13, &format!("s{s}"), &get(&self.beside[s - 2]))
    }

    /// Aligns, in stages s2 to s4.
    fn align(&self) {
        let stand = align::stand(&get(&self.s2_base), &get(&self.s2_exponent));
        set(&self.top[0], stand.top);
        set(&self.s3_places, stand.places);
        set(&self.s3_addend, get(&self.s2_addend));
        let places = get(&self.s3_places);
        set(&self.s4_addend, align::fine(&get(&self.s3_addend), &places));
        set(&self.s4_places, places);
        let (window, lost) = align::coarse(&get(&self.s4_addend), &get(&self.s4_places));
        set(&self.s5_addend, window);
        set(&self.s5_lost, lost);
    }

    /// Adds, in stages s5 and s6.
    fn add(&self) {
        let s5 = self.beside(5);
        let subtract = wire("subtract", &s5.product_negative ^ &s5.addend_negative);
        let lost = get(&self.s5_lost);
        let (sum, below) = align::add(&get(&self.multiplier.p), &get(&self.s5_addend), &subtract, &lost);
        set(&self.s6_sum, sum);
        set(&self.s6_below, below);
        set(&self.s6_lost, lost);
        let (s6, below) = (self.beside(6), get(&self.s6_below));
        set(&self.s7_window, align::magnitude(&get(&self.s6_sum), &below));
        set(&self.s7_lost, get(&self.s6_lost));
        set(&self.negative[0], below.mux(&s6.addend_negative, &s6.product_negative));
    }

    /// Normalises, in stages s7 to s9.
    fn normalise(&self) {
        let s7 = self.beside(7);
        // Bits that the window may move up by.
        let limit = |beside: &Beside, top: &Expr| {
            let least = beside.single.mux(&lit(EXPONENT, LEAST_SINGLE), &lit(EXPONENT, LEAST));
            let least = beside.integer.mux(&lit(EXPONENT, INTEGER), &least);
            top - &least
        };
        let window = get(&self.s7_window);
        let most = wire("most_places", limit(&s7, &get(&self.top[4])));
        let (places, zero) = normalise::places(&window, &most);
        set(&self.s8_window, window);
        set(&self.s8_places, places);
        set(&self.s8_zero, zero);
        set(&self.s8_lost, get(&self.s7_lost));
        let (places, s8) = (get(&self.s8_places), self.beside(8));
        set(&self.s9_window, normalise::coarse(&get(&self.s8_window), &places));
        set(&self.s9_field, limit(&s8, &get(&self.top[5])) - places.zext(EXPONENT));
        set(&self.s9_places, places);
        set(&self.s9_zero, get(&self.s8_zero));
        set(&self.s9_lost, get(&self.s8_lost));
        set(&self.s10_window, normalise::fine(&get(&self.s9_window), &get(&self.s9_places)));
        set(&self.s10_field, get(&self.s9_field));
        set(&self.s10_zero, get(&self.s9_zero));
        set(&self.s10_lost, get(&self.s9_lost));
    }

    /// Rounds, in stages s10 to s12.
    fn round(&self) {
        let (s10, lost) = (self.beside(10), get(&self.s10_lost));
        let [body, guard, some] = Raw::split(&s10, &get(&self.s10_window), &get(&self.s10_field), &lost);
        let zero = wire("exact_zero", get(&self.s10_zero) & !lost);
        let down = s10.round.is(mode::DOWN);
        let subtract = &s10.product_negative ^ &s10.addend_negative;
        let of_zero = subtract.mux(&down, &s10.product_negative);
        let negative = zero.mux(&of_zero, &get(&self.negative[3]));
        let raw = Raw { body, guard, some, zero, negative };
        raw.check(());
        set(&self.s11_raw, raw.pack());

        let raw = Raw::unpack((), "raw", &get(&self.s11_raw));
        let (body, outward) = raw.rounded(&self.beside(11).round);
        set(&self.s12_body, body);
        set(&self.s12_outward, outward);
        set(&self.s12_zero, &raw.zero);
        set(&self.s12_negative, &raw.negative);
        let rounded = Rounded {
            body: get(&self.s12_body),
            outward: get(&self.s12_outward),
            zero: get(&self.s12_zero),
            negative: get(&self.s12_negative),
            keeps_nan: self._sm13,
        };
        match self.flags.get() {
            Some(to) => {
                let (y, flags) = rounded.flagged(&self.beside(12));
                set(&self.y, y);
                set(to, flags);
            }
            None => set(&self.y, rounded.result(&self.beside(12))),
        }
    }
}

/// Each register takes what the one before it holds.
fn follow(registers: &[Reg]) {
    for pair in registers.windows(2) {
        set(&pair[1], get(&pair[0]));
    }
}

impl Rtl for DoubleUnit {
    fn rtl(&self) {
        let first = [(&self.s1_how, &self.how), (&self.s1_a, &self.a), (&self.s1_b, &self.b), (&self.s1_c, &self.c)];
        for (to, from) in first {
            set(to, get(from));
        }
        let found = [(&self.s1_exponent, &self.exponent), (&self.s1_significand, &self.significand)];
        for (to, from) in found.iter().filter_map(|(to, from)| to.get().zip(from.get())) {
            set(to, get(from));
        }
        self.accept();
        self.align();
        self.add();
        self.normalise();
        self.round();
        [&self.beside, &self.top, &self.negative].into_iter().for_each(|r| follow(r));
    }
}

rtl_block!(DoubleUnit, "double_unit");
