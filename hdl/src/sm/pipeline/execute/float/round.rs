//! Rounding: the only place where a result loses bits for good, and where floats are packed.
//!
//! An operation hands over a body of 33 bits with the two bits that stand for what lies below it.
//! The body is an integer, or exponent and fraction side by side: a carry out of the fraction then
//! walks into the exponent, which is what it should do.
//! Source: docs/numerics.md, Formats, Operations, Conversions.

use crate::rtl::prelude::*;

/// Bits of a body.
pub const BODY: usize = 33;

/// Groups of a result's bits that are alike where no rounding gives it, lowest first.
pub const ALIKE: [usize; 10] = [10, 1, 3, 1, 1, 7, 1, 6, 1, 1];

/// A result before rounding.
pub struct Raw {
    /// {exponent, 10 bits two's complement; fraction, 23}, {exponent; fraction, 10} or an
    /// integer's magnitude.
    pub body: Expr,
    /// The first bit below the body.
    pub guard: Expr,
    /// The or of all bits below that.
    pub sticky: Expr,
    /// Ones without end lie below: the value is the next one up, in every mode.
    pub complete: Expr,
}

/// A rounded body: that before, and what is added to it.
pub struct Rounded {
    pub before: Expr,
    /// 0 or 1.
    pub more: Expr,
    pub body: Expr,
}

/// The body as rounded to `nearest`, `away` from zero, else toward zero. `negate` asks for the
/// two's complement of a rounded integer.
pub fn round(raw: &Raw, nearest: &Expr, away: &Expr, negate: &Expr) -> Rounded {
    let inexact = &raw.guard | &raw.sticky;
    let tie_up = &raw.sticky | &raw.body.bit(0);
    let up = [&(nearest & &raw.guard) & &tie_up, away & &inexact, raw.complete.clone()];
    let up = wire("round_up", any_of(&up));
    // -(n + up) = not n + 1 - up.
    let before = wire("body", &raw.body ^ &negate.repeat(BODY));
    let more = wire("round_more", &up ^ negate);
    let chain = cat([&before, &lit(1, 1)]) + more.zext(BODY + 1);
    let body = wire("rounded", wire("round_chain", chain).bits(1, BODY));
    Rounded { before, more, body }
}

/// What the exponent of a rounded number says of it.
struct Size {
    /// Too small; not of half precision.
    below: Expr,
    /// Too large.
    over: Expr,
    /// One or more.
    one: Expr,
}

impl Size {
    /// Of 32 bits: 10 bits two's complement.
    fn wide(e: &Expr) -> Self {
        Size {
            below: e.bit(9) | !e.any(),
            over: !e.bit(9) & (e.bit(8) | e.bits(0, 8).all()),
            one: e.bit(8) | e.bit(7) | e.bits(0, 7).all(),
        }
    }

    /// Of half precision, whose exponent is never negative: numbers that small come denormalised.
    fn small(e: &Expr) -> Self {
        let beyond = e.bits(5, 3).any();
        Size { below: zero(1), over: &beyond | e.bits(0, 5).all(), one: &beyond | e.bit(4) | e.bits(0, 4).all() }
    }

    /// Of the exponent above a fraction of `bits` bits, as rounded: both exponents that may come out are looked at before it
    /// is known which does.
    fn rounded(of: fn(&Expr) -> Self, r: &Rounded, bits: usize, width: usize) -> Self {
        let exponent = r.before.bits(bits, width);
        let carry = wire(&format!("carry_{bits}"), &r.more & r.before.bits(0, bits).all());
        let next = wire(&format!("next_exponent_{bits}"), &exponent + &lit(width, 1));
        let (stays, grows) = (of(&exponent.named()), of(&next));
        let either = |a: &Expr, b: &Expr| carry.mux(b, a);
        Size {
            below: either(&stays.below, &grows.below),
            over: either(&stays.over, &grows.over),
            one: either(&stays.one, &grows.one),
        }
    }
}

/// How a result comes out, besides the body.
pub struct Pack {
    /// Half precision.
    pub half: Expr,
    pub negative: Expr,
    /// Sign of a result that is zero.
    pub negative_zero: Expr,
    pub nan: Expr,
    pub infinite: Expr,
    pub zero: Expr,
    /// The last rounding of a multiply-add below the normal range is done one place higher.
    pub early: Expr,
    /// Clamp to 0 … 1.
    pub sat: Expr,
    /// Rounded to nearest or away from zero: an overflow is infinite.
    pub outward: Expr,
    /// A range reduction's fixed-point number; infinite: out of range.
    pub fixed: Expr,
}

/// A float ready to be put together: `forced ? special : rounded` with `sign` above.
pub struct Packed {
    pub sign: Expr,
    /// The result is not the rounded number …
    pub forced: Expr,
    /// … but this word of 32 bits (half precision in the low half), without its sign.
    pub special: Expr,
    /// `{S, Z}`.
    pub flags: Expr,
}

/// Packs a float, given its body before and after rounding.
pub fn pack(unrounded: &Expr, rounded: &Rounded, p: &Pack) -> Packed {
    let half = &p.half;
    let wide = Size::rounded(Size::wide, rounded, 23, 10);
    let small = Size::rounded(Size::small, rounded, 10, 8);
    // Half precision: nothing is left.
    let before = rounded.before.bits(0, 20);
    let nothing = rounded.more.mux(&before.all(), &!before.any());
    // All ones just below the smallest normal number: one place higher that rounds up.
    let top = unrounded.bits(23, 10);
    let least = wire("is_least", &p.early & !top.any() & unrounded.bits(0, 23).all());
    let below = half.mux(&nothing, &(&wide.below & !&least));
    let over = wire("overflow", half.mux(&small.over, &wide.over));

    let none = wire("is_zero", (&p.zero | &below) & !&p.infinite);
    let one_or_more = half.mux(&small.one, &wide.one) | &p.infinite;

    // A result that is no ordinary number: NaN, zero, one (clamped) or huge, and only one of them.
    let float = !&p.fixed;
    let ordinary = wire("may_be_forced", &float & !&p.nan);
    let empty = wire("is_empty", &ordinary & (&none | &(&p.sat & &p.negative)));
    let other = wire("is_other", &ordinary & !&empty);
    let one = wire("is_one", &other & &p.sat & one_or_more);
    let huge = wire("is_huge", &other & !&one & (&p.infinite | &over));
    let least = wire("is_smallest", &other & &least & !half);
    let coded = wire("is_coded", &p.fixed & (&p.nan | &p.infinite));
    let not_a_number = wire("is_nan", &float & &p.nan);
    let forced = [&not_a_number, &empty, &one, &huge, &least, &coded].map(Expr::clone);
    let forced = wire("is_forced", any_of(&forced));
    let to_infinity = wire("to_infinity", &p.infinite | &p.outward);

    // Their words have the same look in both formats: the exponent's first bit, its middle, its
    // last, and the fraction. The codes of a range reduction are bit 30, and bit 23 for infinity.
    let full = wire("forced_full", &not_a_number | &huge);
    let first = wire("forced_first", &full | &coded);
    let middle = wire("forced_middle", &full | &one);
    let last = [&not_a_number, &one, &least, &(&huge & &to_infinity), &(&coded & !&p.nan)];
    let last = wire("forced_last", any_of(&last.map(Expr::clone)));
    let fraction = wire("forced_fraction", &not_a_number | (&huge & !&to_infinity));
    let word =
        |exponent: usize, bits: usize| cat([&first, &middle.repeat(exponent - 2), &last, &fraction.repeat(bits)]);
    let signed = none.mux(&p.negative_zero, &p.negative);
    let sign = wire("sign", p.fixed.mux(&p.negative, &(&signed & !&p.nan & !&p.sat)));
    let z = &p.nan | &empty;
    let s = &p.nan | (&sign & !&empty);
    Packed { special: half.mux(&word(5, 10).zext(32), &word(8, 23).zext(32)), sign, forced, flags: cat([&s, &z]) }
}
