//! Unit for floats of 64 bits: one multiply-add for sums, products and every conversion.
//!
//! | port           | width | meaning                                                             |
//! |----------------|-------|---------------------------------------------------------------------|
//! | `how`          | 26    | operation, [`How`]                                                  |
//! | `a`, `b`, `c`  | 64    | operands; those of 32 bits in the low word                          |
//! | `exponent`     | 12    | of RCP64H and RSQ64H, whose operand is the low word of `a`: what     |
//! | `significand`  | 22    | `DoubleReciprocal` found for it                                     |
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
use super::operand::{integer, number, Number, Read, EXPONENT, SIGNIFICAND};
use super::reciprocal::RESULT;
use super::round::{Beside, Raw, Rounded, BODY};
use crate::rtl::prelude::*;
use crate::sm::control::round as mode;
use crate::sm::control::uop::{op, tiny, UopControl};

/// Cycles from operands to result.
pub const STAGES: usize = 12;
/// The significand of 1.
const ONE: u64 = 1 << 52;
/// Exponents of the smallest normal numbers, and of bit 63 of an integer.
const LEAST: u64 = 1;
const LEAST_SINGLE: u64 = 1023 - 126;
const INTEGER: u64 = 1023 + 63;

packed! {
    /// What the unit does: fields of `UopControl` and `DoubleControl`.
    pub struct How(_d: ()) {
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
    }
}

block! {
    /// See the module.
    pub struct DoubleUnit() {
        in how(How::width(())),
        in a(64),
        in b(64),
        in c(64),
        in exponent(EXPONENT),
        in significand(RESULT),
        out y(64),
        part multiplier(DoubleMultiplier:),
        data s1_how(How::width(())),
        data s1_a(64),
        data s1_b(64),
        data s1_c(64),
        data s1_exponent(EXPONENT),
        data s1_significand(RESULT),
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
        data beside([STAGES - 1] Beside::width(())),
        /// Exponent of the window's top bit, s3 to s8; of s2 the exponents themselves.
        data top([6] EXPONENT),
        /// The sign of the sum, s7 to s10.
        data negative([4] 1),
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
}

impl Kind {
    fn of(how: &How) -> Kind {
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
        let exponent = get(&self.s1_exponent);
        let minus = root & &x.negative & !&x.zero;
        let none = wire("reciprocal_none", &x.infinite | !exponent.any());
        let significand = cat([&get(&self.s1_significand), &zero(SIGNIFICAND - RESULT)]);
        Number {
            // The root of plus infinity is +0; of a zero it is infinite with its sign.
            negative: x.negative.clone(),
            exponent,
            significand: significand & (!&none).repeat(SIGNIFICAND),
            zero: none,
            infinite: x.zero.clone(),
            nan: &x.nan | &minus,
        }
    }

    /// Takes the operands apart, from s1 to s2.
    fn accept(&self) {
        let how = How::unpack((), "how", &get(&self.s1_how));
        let is = Kind::of(&how);
        let high = cat([&get(&self.s1_a).bits(0, 32), &zero(32)]);
        let first = is.reciprocal.mux(&high, &get(&self.s1_a));
        let wide = wire("wide", &how.wide | &is.reciprocal);
        let read = |name: &str, x: &Expr, abs: &Expr, neg: &Expr| {
            number(name, x, &Read { wide: &wide, flush: &how.flush, abs, neg })
        };
        let a = read("a", &first, &how.abs_a, &how.neg_a);
        let b = read("b", &get(&self.s1_b), &how.abs_b, &how.neg_b);
        let c = read("c", &get(&self.s1_c), &how.abs_c, &how.neg_c);
        let n = integer(&get(&self.s1_a).bits(0, 32), &how.from.bit(2), &how.abs_a, &how.neg_a);
        let r = self.reciprocal(&a, &is.root);

        // Factors.
        set(&self.multiplier.a, &a.significand & &is.times.repeat(SIGNIFICAND));
        set(&self.multiplier.b, is.factors.mux(&b.significand, &lit(SIGNIFICAND, ONE)));
        let product_zero = any_of(&[!&is.times, a.zero.clone(), &is.factors & &b.zero]);
        let product_zero = wire("product_zero", product_zero);

        // The addend; that of a product is a zero of its sign.
        let alone =
            wire("alone", !any_of(&[is.add.clone(), is.factors.clone(), is.i2f.clone(), is.reciprocal.clone()]));
        let from = [(&is.add, &b), (&is.fma, &c), (&alone, &a), (&is.i2f, &n), (&is.reciprocal, &r)];
        let gather = |f: &dyn Fn(&Number) -> &Expr| {
            let each: Vec<Expr> = from.iter().map(|(on, n)| f(n) & &on.repeat(f(n).width())).collect();
            any_of(&each)
        };
        let significand = wire("addend", gather(&|n| &n.significand));
        let exponent = gather(&|n| &n.exponent);
        let there = any_of(&from.map(|f| f.0.clone()));
        let exponent = wire("addend_exponent", there.mux(&exponent, &lit(EXPONENT, LEAST)));
        let own = wire("own_sign", gather(&|n| &n.negative));
        let times_sign = &a.negative ^ &(&is.factors & &b.negative);
        let product_negative = wire("product_negative", is.times.mux(&times_sign, &own));
        let addend_negative = wire("addend_negative", there.mux(&own, &product_negative));
        set(&self.s2_addend, significand);
        set(&self.s2_exponent, exponent);

        // The base of the window.
        let other = is.factors.mux(&b.exponent, &lit(EXPONENT, 1023)).zext(BASE);
        let sum = wire("exponents", a.exponent.zext(BASE) + other);
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
            round: is.reciprocal.mux(&lit(2, mode::ZERO), &how.round),
            flush: &is.reciprocal | &(&is.single & how.tiny.is(tiny::FLUSH_ROUNDED)),
            sat: &how.sat & &!&is.f2i,
            nan: any_of(&[product_nan, gather(&|n| &n.nan), against]),
            infinite: any_of(&[product_infinite.clone(), addend_infinite, large]),
            infinite_negative: product_infinite.mux(&product_negative, &addend_negative),
            product_negative,
            addend_negative,
        };
        beside.check(());
        set(&self.beside[0], beside.pack());
    }

    /// What travels beside the operands in stage `s`, 2 or more.
    fn beside(&self, s: usize) -> Beside {
        Beside::unpack((), &format!("s{s}"), &get(&self.beside[s - 2]))
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
        };
        set(&self.y, rounded.result(&self.beside(12)));
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
        let first = [
            (&self.s1_how, &self.how),
            (&self.s1_a, &self.a),
            (&self.s1_b, &self.b),
            (&self.s1_c, &self.c),
            (&self.s1_exponent, &self.exponent),
            (&self.s1_significand, &self.significand),
        ];
        for (to, from) in first {
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
