//! Last two stages of a lane of micro-operations: rounds, clamps, packs.
//!
//! | port     | width | meaning                                                               |
//! |----------|-------|-----------------------------------------------------------------------|
//! | `how`    | 12    | what the operation asks for, `Finish`                                 |
//! | `raw`    | 47    | float before rounding, `Raw`                                          |
//! | `value`  | 34    | result of the integer unit, two's complement                          |
//! | `y`      | 32    | result, two cycles later                                              |
//!
//! The body of a value is an integer, or exponent and fraction side by side: a carry out of the fraction walks
//! into the exponent. It loses bits here and nowhere else. What no rounding gives (NaN, a limit, a zero) is
//! known beside it and takes its place behind the last registers.
//!
//! Timing: inputs of cycle t are registered at its end (E7), the rounded word a cycle later (E8); `y`
//! is valid in cycle t + 2, one table behind registers. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.

use super::integer::VALUE;
use crate::rtl::prelude::*;
use crate::sm::control::round as mode;
use crate::sm::control::uop::tiny;

/// Bits of a body.
pub const BODY: usize = 34;
/// Groups of a result's bits that are alike where no rounding gives it, lowest first.
const ALIKE: [usize; 14] = [7, 1, 1, 1, 1, 3, 1, 1, 6, 1, 1, 6, 1, 1];

packed! {
    /// A float before rounding.
    pub struct Raw(_d: ()) {
        /// {exponent; fraction, 23}, {exponent; fraction, 10} or an integer's magnitude.
        body: BODY,
        /// The first bit below it, whether any or all below that are ones.
        guard: 1,
        some: 1,
        all: 1,
        /// Half precision.
        half: 1,
        /// Rounded to single precision first: last bit of that, the first bit below it, any below that.
        twice: 1,
        below_odd: 1,
        below_guard: 1,
        below_some: 1,
        negative: 1,
        /// Sign if it is zero.
        zero_negative: 1,
        zero: 1,
        nan: 1,
        /// Infinite, or beyond every integer or fixed-point number.
        over: 1,
    }
}

packed! {
    /// What the operation asks for.
    pub struct Finish(_d: ()) {
        /// The result is the float unit's: a float, an integer, fixed point; else the integer unit's.
        float: 1,
        to_integer: 1,
        fixed: 1,
        /// An integer is clamped to a format.
        clamp: 1,
        signed: 1,
        size: 2,
        /// A float is clamped to 0 … 1.
        sat: 1,
        tiny: 2,
        round: 2,
    }
}

block! {
    /// See the module.
    pub struct UopRound(quiet_nan: bool) {
        in how(Finish::width(())),
        in raw(Raw::width(())),
        in value(VALUE),
        out y(32),
        data e7_how(Finish::width(())),
        data e7_raw(Raw::width(())),
        data e8_word(32),
        data e8_replaced(1),
        data e8_special(ALIKE.len()),
        keep _quiet_nan(bool = quiet_nan),
    }
}

/// Bits of a special word by groups: sign, and of single or half precision the exponent's first, middle and
/// last bit, the fraction's first bit and its rest.
fn float_groups(half: &Expr, [sign, first, middle, last, top, rest]: [&Expr; 6]) -> Expr {
    let of = |single: &Expr, small: &Expr| half.mux(small, single);
    let no = zero(1);
    let groups = [
        of(rest, rest),
        of(rest, rest),
        of(rest, rest),
        of(rest, top),
        of(rest, last),
        of(rest, middle),
        of(rest, first),
        of(rest, sign),
        of(rest, &no),
        of(top, &no),
        of(last, &no),
        of(middle, &no),
        of(first, &no),
        of(sign, &no),
    ];
    wire("float_special", pack(groups.iter()))
}

/// Limits of an integer format.
struct Limits {
    signed: Expr,
    byte: Expr,
    half: Expr,
}

impl Limits {
    /// Whether a value in two's complement lies outside.
    fn exclude(&self, value: &Expr) -> Expr {
        let v = value.named();
        let negative = v.msb();
        let unlike = |lo: usize, n: usize| (v.bits(lo, n) ^ negative.repeat(n)).any();
        let above = any_of(&[
            &self.byte & &unlike(8, 8),
            (&self.byte | &self.half) & unlike(16, 16),
            unlike(32, v.width() - 33),
        ]);
        let top = self.byte.mux(&v.bit(7), &self.half.mux(&v.bit(15), &v.bit(31)));
        above | self.signed.mux(&(top ^ &negative), &negative)
    }

    /// The limit on the side of `negative` by groups.
    fn groups(&self, negative: &Expr) -> Expr {
        let below = wire("limit_low", !negative);
        let above = wire("limit_high", &self.signed & negative);
        let top = wire("limit_top", self.signed.mux(negative, &below));
        let short = wire("limit_short", &self.byte | &self.half);
        let middle = self.byte.mux(&above, &below).called("middle");
        let upper = short.mux(&above, &below).called("upper");
        let groups = [
            below.clone(),
            self.byte.mux(&top, &below),
            middle.clone(),
            middle.clone(),
            middle.clone(),
            middle.clone(),
            middle,
            self.byte.mux(&above, &self.half.mux(&top, &below)),
            upper.clone(),
            upper.clone(),
            upper.clone(),
            upper.clone(),
            upper,
            short.mux(&above, &top),
        ];
        wire("limit", pack(groups.iter()))
    }
}

impl UopRound {
    /// Rounds, and finds what no rounding gives, in stage E7.
    fn finish(&self) {
        let how = Finish::unpack((), "how", &get(&self.e7_how));
        let raw = Raw::unpack((), "raw", &get(&self.e7_raw));
        let nearest = wire("nearest", how.round.is(mode::NEAREST));
        let away = how.round.is(mode::DOWN).mux(&raw.negative, &(how.round.is(mode::UP) & !&raw.negative));
        let away = wire("away", away);
        let goes_up =
            |guard: &Expr, some: &Expr, odd: &Expr| (&nearest & guard & (some | odd)) | (&away & &(guard | some));

        // A first rounding that goes up carries into the guard bit where all below are ones.
        let first = goes_up(&raw.below_guard, &raw.below_some, &raw.below_odd);
        let first = wire("first_up", &raw.twice & first);
        let carried = wire("carried", &first & &raw.all);
        let guard = &raw.guard ^ &carried;
        let some = !&carried & &(&raw.some | &first);
        let whole = &carried & &raw.guard;
        let odd = raw.body.bit(0);
        let once = goes_up(&guard, &some, &odd);
        let again = guard & (some | odd);
        let up = whole | raw.twice.mux(&again, &once);
        let up = wire("up", &how.float & up);

        // -(n + up) = not n + 1 - up.
        let negate = wire("negate", &how.to_integer & &raw.negative);
        let body = wire("body", &raw.body ^ &negate.repeat(BODY));
        let sum = cat([&body, &lit(1, 1)]) + (&up ^ &negate).zext(BODY + 1);
        let rounded = wire("rounded", wire("round_sum", sum).bits(1, BODY));
        self.word(&how, &raw, &rounded);

        let float = wire("is_float", all_of(&[how.float.clone(), !&how.to_integer, !&how.fixed]));
        let outward = &nearest | &away | &raw.twice;
        let (replaced, float_word) = self.float(&how, &raw, &rounded, &outward);

        let limits = Limits { signed: how.signed.clone(), byte: how.size.is(0), half: how.size.is(1) };
        let over = wire("beyond", &how.to_integer & &raw.over);
        let not = wire("no_integer", &how.to_integer & &raw.nan);
        let clamped = (&how.clamp & &(&over | &limits.exclude(&rounded))) | &not;
        let side = over.mux(&raw.negative, &rounded.msb());
        let limit = limits.groups(&wire("limit_side", side)) & (!not).repeat(ALIKE.len());

        // Codes of fixed point: the first bit, and for infinity the exponent's last.
        let code = wire("coded", &how.fixed & &(&raw.nan | &raw.over));
        let no = zero(1);
        let coded = float_groups(&no, [&raw.negative, &code, &no, &!&raw.nan, &no, &no]);
        set(&self.e8_replaced, float.mux(&replaced, &how.fixed.mux(&code, &clamped)));
        let special = float.mux(&float_word, &how.fixed.mux(&coded, &limit));
        set(&self.e8_special, special);
    }

    /// The word as it was rounded.
    fn word(&self, how: &Finish, raw: &Raw, rounded: &Expr) {
        let signed = wire("has_sign", &how.float & !&how.to_integer);
        let half = wire("in_half", &signed & &raw.half);
        let sign = |at: usize| signed.mux(&raw.negative, &rounded.bit(at));
        let upper = cat([&sign(31), &rounded.bits(16, 15)]) & (!&half).repeat(16);
        let middle = half.mux(&raw.negative, &rounded.bit(15));
        set(&self.e8_word, cat([&upper, &middle, &rounded.bits(0, 15)]));
    }

    /// Whether a float is replaced, and by what.
    fn float(&self, how: &Finish, raw: &Raw, rounded: &Expr, outward: &Expr) -> (Expr, Expr) {
        let half = &raw.half;
        let (wide, small) = (rounded.bits(23, BODY - 23), rounded.bits(10, 10));
        let over_wide = wide.bits(8, BODY - 31).any() | wide.bits(0, 8).all();
        let over_small = small.bits(5, 5).any() | small.bits(0, 5).all();
        let overflow = half.mux(&over_small, &over_wide);
        let one_wide = wide.bits(7, BODY - 30).any() | wide.bits(0, 7).all();
        let one_small = small.bits(4, 6).any() | small.bits(0, 4).all();
        let one_or_more = half.mux(&one_small, &one_wide) | &raw.over;

        let flush_rounded = how.tiny.is(tiny::FLUSH_ROUNDED) & !wide.any();
        let exact = raw.body.bits(23, BODY - 23);
        let flush_exact = how.tiny.is(tiny::FLUSH_EXACT) & !exact.any();
        let flushed = wire("flushed", !half & (flush_rounded | flush_exact));
        let number = wire("is_number", !(&raw.nan | &raw.over));
        let none = wire("is_zero", &number & &(&raw.zero | &flushed));
        let nothing = wire("cleared", &how.sat & &(&raw.nan | &raw.negative));
        let empty = wire("is_empty", &none | &nothing);
        let nan = wire("is_nan", &raw.nan & !&empty);
        let other = wire("is_other", !(&empty | &nan));
        let one = wire("is_one", all_of(&[other.clone(), how.sat.clone(), one_or_more]));
        let huge = wire("is_huge", (&other & &(&raw.over | &overflow)) & !&one);
        let infinite = wire("to_infinity", &raw.over | outward);

        let quiet = match self._quiet_nan {
            true => zero(1),
            false => nan.clone(),
        };
        let sign = none.mux(&raw.zero_sign(), &raw.negative);
        let sign = sign & !(&nan | &how.sat);
        let first = &nan | &huge;
        let middle = wire("special_middle", &first | &one);
        let last = any_of(&[nan.clone(), one.clone(), &huge & &infinite]);
        let most = wire("is_most", &huge & !&infinite);
        let word = float_groups(half, [&sign, &first, &middle, &last, &(&nan | &most), &(quiet | &most)]);
        (any_of(&[empty, nan, one, huge]), word)
    }
}

impl Raw {
    /// Sign of a zero: of one that was flushed that of the number.
    fn zero_sign(&self) -> Expr {
        self.zero.mux(&self.zero_negative, &self.negative)
    }
}

impl Rtl for UopRound {
    fn rtl(&self) {
        let how = Finish::unpack((), "in", &get(&self.how));
        let raw = get(&self.raw);
        // An integer takes the place of the body.
        let body = how.float.mux(&raw.bits(0, BODY), &get(&self.value));
        set(&self.e7_raw, cat([&raw.bits(BODY, raw.width() - BODY), &body]));
        set(&self.e7_how, get(&self.how));
        self.finish();
        let special = get(&self.e8_special);
        let groups = ALIKE.iter().enumerate();
        let groups: Vec<Expr> = groups.map(|(i, n)| special.bit(i).repeat(*n)).collect();
        let special = pack(groups.iter());
        set(&self.y, get(&self.e8_replaced).mux(&special, &get(&self.e8_word)));
    }
}

rtl_block!(UopRound, "uop_round");
