//! Rounding of the unit for floats of 64 bits, and what no rounding gives.

use super::align::WINDOW;
use super::operand::EXPONENT;
use crate::rtl::prelude::*;
use crate::sm::control::round as mode;

/// Bits of a body.
pub const BODY: usize = 64;

packed! {
    /// What travels beside the operands to the end.
    pub struct Beside(sm13: bool) {
        /// The result is a float of 32 bits.
        single: 1,
        /// … an integer.
        integer: 1,
        /// … the high word of a float of 64 bits, cut off; it is clamped as one of 32 bits.
        high: 1,
        /// Format of an integer, as `int_format` has it.
        size: 2,
        signed: 1,
        round: 2,
        /// A result below the normal range is a zero of its sign.
        flush: 1,
        /// Clamped to 0 … 1.
        sat: 1,
        nan: 1,
        /// Infinite, or beyond every integer.
        infinite: 1,
        infinite_negative: 1,
        product_negative: 1,
        addend_negative: 1,
        /// It is a comparison, which holds; of SM 1.3.
        compares: sm13.bits(1),
        holds: sm13.bits(1),
    }
}

packed! {
    /// A result before it is rounded.
    pub struct Raw(_d: ()) {
        /// Exponent and fraction side by side, or the magnitude of an integer.
        body: BODY,
        /// The first bit below it, and whether any is set below that.
        guard: 1,
        some: 1,
        zero: 1,
        negative: 1,
    }
}

impl Raw {
    /// Splits a window that begins at its highest place; `exponent`: the field less one. `lost`: something is below.
    pub fn split(beside: &Beside, window: &Expr, exponent: &Expr, lost: &Expr) -> [Expr; 3] {
        let w = window.named();
        let field = wire("field", exponent + w.msb().zext(EXPONENT));
        // The bits of a window below its first `whole`.
        let below = |whole: usize| (w.bit(WINDOW - whole - 1), w.bits(0, WINDOW - whole - 1).any());
        let double = cat([&field, &w.bits(WINDOW - 53, 52)]);
        let single = cat([&field, &w.bits(WINDOW - 24, 23)]).zext(BODY);
        let integer = w.bits(WINDOW - BODY, BODY);
        let choose = |integer: &Expr, single: &Expr, double: &Expr| {
            beside.integer.mux(integer, &beside.single.mux(single, double))
        };
        let (of_integer, of_single, of_double) = (below(BODY), below(24), below(53));
        [
            choose(&integer, &single, &double),
            choose(&of_integer.0, &of_single.0, &of_double.0),
            choose(&of_integer.1, &of_single.1, &of_double.1) | lost,
        ]
    }

    /// The body rounded, one bit longer; whether a number that is too large becomes infinite.
    pub fn rounded(&self, round: &Expr) -> (Expr, Expr) {
        let nearest = round.is(mode::NEAREST);
        let away = round.is(mode::DOWN).mux(&self.negative, &(round.is(mode::UP) & !&self.negative));
        let away = wire("away", away);
        let tie = &self.guard & &(&self.some | &self.body.bit(0));
        let up = wire("up", (&nearest & &tie) | (&away & &(&self.guard | &self.some)));
        (self.body.zext(BODY + 1) + up.zext(BODY + 1), nearest | away)
    }
}

/// What a rounded body becomes.
pub struct Rounded {
    pub body: Expr,
    /// A float that is too large becomes infinite, else the largest number.
    pub outward: Expr,
    pub zero: Expr,
    pub negative: Expr,
    /// NaNs keep what they are made of, and give the smallest signed integer.
    pub keeps_nan: bool,
}

impl Rounded {
    /// The result, 64 bits; of 32 bits in the low word.
    pub fn result(&self, beside: &Beside) -> Expr {
        let float = wire("float_result", self.float(beside));
        let word = float.bits(32, 32);
        let clamped = super::super::special::clamped(&word, &(&beside.high & &beside.sat));
        let float = beside.high.mux(&clamped.zext(64), &float);
        beside.integer.mux(&self.integer(beside).0, &float)
    }

    /// The same of SM 1.3, and its flags: zero, sign, carry, overflow from bit 0 on.
    pub fn flagged(&self, beside: &Beside) -> (Expr, Expr) {
        let (integer, outside) = self.integer(beside);
        let number = beside.integer.mux(&integer, &wire("float_result", self.float(beside)));
        let y = beside.compares.mux(&beside.holds.repeat(32).zext(64), &number);
        let y = wire("result", y);
        let narrow = &beside.single | &beside.compares | (&beside.integer & !beside.size.all());
        let narrow = wire("narrow", narrow);
        let sign = wire("result_sign", narrow.mux(&y.bit(31), &y.bit(63)));
        let rest = y.bits(0, 31).any() | (!&narrow & y.bits(31, 32).any());
        let is_float = wire("is_float", !(&beside.integer | &beside.compares));
        let zero = wire("result_zero", !rest & (&is_float | !&sign));
        let nan = &is_float & &beside.nan;
        let overflow = &beside.integer & &outside;
        let flags = [&zero | &nan, (&sign & !&zero) | nan, lit(1, 0), overflow];
        (y, pack(flags.iter()))
    }

    /// A float of 32 or 64 bits.
    fn float(&self, beside: &Beside) -> Expr {
        let (single, body) = (&beside.single, &self.body);
        let field = single.mux(&body.bits(23, EXPONENT), &body.bits(52, EXPONENT));
        let field = wire("rounded_field", field);
        let full = field.bits(0, 8).all() & (single | &field.bits(8, 3).all());
        let above = field.bits(11, 1) | (single & field.bits(8, 3).any());
        let large = wire("too_large", full | above);
        let one_or_more = field.bits(0, 7).all() & (single | field.bits(7, 3).all());
        let top = single.mux(&field.bit(7), &field.bit(10));
        let one_or_more = one_or_more | top | &large;

        let number = wire("is_number", !(&beside.nan | &beside.infinite));
        let none = &self.zero | &(&beside.flush & !field.any());
        let none = wire("is_none", &number & none);
        let negative = number.mux(&self.negative, &beside.infinite_negative);
        let clamps = &beside.sat & &!&beside.high;
        let cleared = wire("cleared", &clamps & &(&beside.nan | &negative));
        let empty = wire("is_empty", &none | &cleared);
        let there = wire("is_there", !(&empty | &beside.nan));
        let one = all_of(&[there.clone(), clamps, &beside.infinite | &(&number & &one_or_more)]);
        let one = wire("is_one", one);
        let huge = all_of(&[there, !&one, &beside.infinite | &(&number & &large)]);
        let huge = wire("is_huge", huge);
        let infinite = wire("is_infinite", &huge & &(&beside.infinite | &self.outward));
        let most = wire("is_most", &huge & &!&infinite);
        let nan = wire("is_nan", &beside.nan & &!&empty);
        let sign = match self.keeps_nan {
            true => &negative & !&cleared,
            false => &negative & !(&nan | &cleared),
        };

        let plain = wire("is_plain", !any_of(&[empty, one.clone(), huge, nan.clone()]));
        // Bits of what replaces a number: the exponent's first, its middle, its last, the fraction.
        let first = wire("special_first", any_of(&[nan.clone(), infinite.clone(), most.clone()]));
        let middle = wire("special_middle", &first | &one);
        let last = wire("special_last", any_of(&[nan.clone(), infinite, one]));
        let fraction = match self.keeps_nan {
            true => most.clone(),
            false => &nan | &most,
        };
        let fraction = wire("special_fraction", fraction);
        let of = |own: Expr, special: &Expr| (own & plain.repeat(special.width())) | special.clone();
        let own_fraction = wire("own_fraction", &plain | &nan);
        let packed = |exponent: usize, fraction_bits: usize| {
            let exponent_bits = cat([&first, &middle.repeat(exponent - 2), &last]);
            if self.keeps_nan {
                let kept = body.bits(0, fraction_bits) & own_fraction.repeat(fraction_bits);
                let fraction = kept | fraction.repeat(fraction_bits);
                return cat([&sign, &of(body.bits(fraction_bits, exponent), &exponent_bits), &fraction]);
            }
            let special = cat([&exponent_bits, &fraction.repeat(fraction_bits)]);
            cat([&sign, &of(body.bits(0, exponent + fraction_bits), &special)])
        };
        single.mux(&packed(8, 23).zext(64), &packed(11, 52))
    }

    /// An integer, clamped to its format and extended; whether it was outside the format. Nothing is said of unsigned ones
    /// of 64 bits that are too large.
    fn integer(&self, beside: &Beside) -> (Expr, Expr) {
        const SIZES: [usize; 4] = [8, 16, 32, 64];
        let m = &self.body;
        let of_size = |f: &dyn Fn(usize) -> Expr| select(&beside.size, &SIZES.map(f));
        let above = wire("above_format", of_size(&|n| m.bits(n, BODY + 1 - n).any()));
        let top = wire("top_of_format", of_size(&|n| m.bit(n - 1)));
        let rest = wire("rest_of_format", of_size(&|n| m.bits(0, n - 1).any()));
        let number = !(&beside.nan | &beside.infinite);
        let negative = number.mux(&self.negative, &beside.infinite_negative);
        let negative = wire("integer_below", negative);
        let some = any_of(&[above.clone(), top.clone(), rest.clone()]);
        let signed_out = &above | &(&top & &(!&negative | &rest));
        let unsigned_out = negative.mux(&some, &above);
        let out = beside.infinite.clone() | beside.signed.mux(&signed_out, &unsigned_out);
        let out = wire("out_of_format", out);

        // Two's complement; what is above the format is its sign.
        let value = wire("integer_value", (m.bits(0, BODY) ^ negative.repeat(BODY)) + negative.zext(BODY));
        // A limit has all bits below the highest alike.
        let low = wire("limit_low", !&negative);
        let high = beside.signed.mux(&negative, &low).called("limit_high");
        let limit = of_size(&|n| {
            let own = cat([&high, &low.repeat(n - 1)]);
            match n {
                BODY => own,
                _ => cat([&(&high & &beside.signed).repeat(BODY - n), &own]),
            }
        });
        let value = out.mux(&limit, &value) & (!&beside.nan).repeat(BODY);
        if !self.keeps_nan {
            return (value, nothing());
        }
        let least = of_size(&|n| lit(BODY, 1 << (n - 1)));
        let silent = all_of(&[beside.size.all(), !&beside.signed, !&negative]);
        (value | (least & beside.nan.repeat(BODY)), &beside.nan | &(&out & !silent))
    }
}
