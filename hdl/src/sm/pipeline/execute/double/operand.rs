//! Operands of the unit for floats of 64 bits, taken apart.
//!
//! Single precision is exact in double precision, its denormals become numbers that do not begin with a one. What follows
//! knows one format.

use crate::rtl::prelude::*;
use crate::sm::control::round as mode;

/// Bits of a significand with its leading one.
pub const SIGNIFICAND: usize = 53;
/// Bits of an exponent, biased by 1023.
pub const EXPONENT: usize = 12;
/// The bias of double precision less that of single precision.
const REBIAS: u64 = 1023 - 127;

/// How an operand is read.
pub struct Read<'a> {
    /// It has 64 bits, else 32 in the low word.
    pub wide: &'a Expr,
    /// A denormal of single precision is a zero of its sign.
    pub flush: &'a Expr,
    pub abs: &'a Expr,
    pub neg: &'a Expr,
}

/// A number taken apart.
#[derive(Clone)]
pub struct Number {
    pub negative: Expr,
    /// Its sign bit as it is.
    pub sign: Expr,
    /// [`EXPONENT`] bits; that of denormals is that of the smallest normal number.
    pub exponent: Expr,
    /// [`SIGNIFICAND`] bits.
    pub significand: Expr,
    pub zero: Expr,
    pub infinite: Expr,
    pub nan: Expr,
}

/// Takes a float of 64 or 32 bits apart.
pub fn number(name: &str, x: &Expr, how: &Read) -> Number {
    let called = |what: &str| format!("{name}_{what}");
    let (x, wide) = (x.named(), how.wide);
    let field = wide.mux(&x.bits(52, 11), &x.bits(23, 8).zext(11));
    let field = wire(&called("field"), field);
    let tiny = wire(&called("tiny"), !field.any());
    let full = wire(&called("full"), field.bits(0, 8).all() & (field.bits(8, 3).all() | !wide));
    let flushed = all_of(&[!wide, how.flush.clone(), tiny.clone()]);
    let single = x.bits(0, 23) & (!flushed).repeat(23);
    let fraction = wide.mux(&x.bits(0, 52), &cat([&single, &zero(29)]));
    let fraction = wire(&called("fraction"), fraction);
    let some = wire(&called("some"), fraction.any());
    let least = cat([&field.bits(1, 10), &(field.bit(0) | &tiny)]).zext(EXPONENT);
    let exponent = least + (lit(EXPONENT, REBIAS) & (!wide).repeat(EXPONENT));
    let negative = wide.mux(&x.bit(63), &x.bit(31));
    Number {
        negative: wire(&called("negative"), (&negative & !how.abs) ^ how.neg),
        sign: negative,
        exponent: wire(&called("exponent"), exponent),
        significand: cat([&!&tiny, &fraction]),
        zero: &tiny & &!&some,
        infinite: &full & &!&some,
        nan: &full & &some,
    }
}

/// An integer of 32 bits as a number that need not begin with a one. It is magnitude and minus as the operand says.
pub fn integer(x: &Expr, signed: &Expr, abs: &Expr, neg: &Expr) -> Number {
    let below = wire("integer_below", signed & x.bit(31));
    let magnitude = (x ^ &below.repeat(32)) + below.zext(32);
    let magnitude = wire("integer_magnitude", magnitude);
    let some = magnitude.any();
    Number {
        negative: wire("integer_negative", ((&below & !abs) ^ neg) & &some),
        sign: below,
        exponent: lit(EXPONENT, 1023 + 52),
        significand: magnitude.zext(SIGNIFICAND),
        zero: !some,
        infinite: zero(1),
        nan: zero(1),
    }
}

/// An integer of 64 bits, or of 32 in the low word, as two numbers of its sign: low and high word.
pub fn wide_integer(x: &Expr, wide: &Expr, signed: &Expr, abs: &Expr, neg: &Expr) -> [Number; 2] {
    let low = x.bits(0, 32);
    let fill = signed & &low.msb();
    let x = cat([&wide.mux(&x.bits(32, 32), &fill.repeat(32)), &low]);
    let x = wire("integer_read", x);
    let below = wire("integer_below", signed & &x.msb());
    let magnitude = (&x ^ &below.repeat(64)) + below.zext(64);
    let magnitude = wire("integer_magnitude", magnitude);
    let negative = wire("integer_negative", ((&below & !abs) ^ neg) & magnitude.any());
    [0, 32].map(|at| {
        let word = magnitude.bits(at, 32);
        Number {
            negative: negative.clone(),
            sign: below.clone(),
            exponent: lit(EXPONENT, 1023 + 52 + at as u64),
            significand: word.zext(SIGNIFICAND),
            zero: !word.any(),
            infinite: zero(1),
            nan: zero(1),
        }
    })
}

/// A number rounded to an integral one, where `on`.
pub fn integral(x: &Number, on: &Expr, round: &Expr) -> Number {
    let one = 1 << (SIGNIFICAND - 1);
    let (e, m) = (&x.exponent, &x.significand);
    let small = wire("below_one", e.lt(&lit(EXPONENT, 1023)));
    let fraction = wire("has_fraction", on & e.lt(&lit(EXPONENT, 1023 + 52)) & !&x.zero);
    // Bits of the fraction.
    let places = wire("fraction_places", lit(EXPONENT, 1023 + 52) - e).bits(0, 6);
    let mask: Vec<Expr> = (0..SIGNIFICAND).map(|i| places.gt(&lit(6, i as u64))).collect();
    let mask = wire("fraction_mask", pack(mask.iter()));
    let below = cat([&zero(1), &mask.bits(1, SIGNIFICAND - 1)]).called("fraction_below");
    let guard = (m & &(&mask & !&below)).any();
    let some = (m & &below).any();
    let odd = (m & &(cat([&mask.bits(0, SIGNIFICAND - 1), &lit(1, 1)]) & !&mask)).any();
    // A half or more of one: the leading bit is the guard.
    let half = e.is(1022);
    let rest = m.bits(0, SIGNIFICAND - 1).any();
    let guard = wire("fraction_guard", small.mux(&half, &guard));
    let some = wire("fraction_some", small.mux(&(!&half | rest), &some));
    let odd = !&small & odd;
    let away = round.is(mode::DOWN).mux(&x.negative, &(round.is(mode::UP) & !&x.negative));
    let nearest = round.is(mode::NEAREST) & &guard & (&some | odd);
    let up = wire("fraction_up", nearest | (away & (guard | some)));
    let sum = wire("integral_sum", (m | &mask).zext(SIGNIFICAND + 1) + up.zext(SIGNIFICAND + 1));
    let kept = up.mux(&sum.bits(0, SIGNIFICAND), m) & !&mask;
    let carry = &up & &sum.msb();
    let one_or_none = lit(SIGNIFICAND, one) & up.repeat(SIGNIFICAND);
    let significand = small.mux(&one_or_none, &carry.mux(&lit(SIGNIFICAND, one), &kept));
    let exponent = small.mux(&lit(EXPONENT, 1023), &(e + &carry.zext(EXPONENT)));
    Number {
        exponent: wire("integral_exponent", fraction.mux(&exponent, e)),
        significand: wire("integral_significand", fraction.mux(&significand, m)),
        zero: &x.zero | &all_of(&[fraction, small, !up]),
        negative: x.negative.clone(),
        sign: x.sign.clone(),
        infinite: x.infinite.clone(),
        nan: x.nan.clone(),
    }
}

/// How two numbers compare, 1 bit each.
pub struct Order {
    /// The first is less, as relations have it.
    pub less: Expr,
    /// They are equal.
    pub equal: Expr,
    /// One is no number.
    pub unordered: Expr,
    /// The first is less where -0 is below +0.
    pub below: Expr,
}

/// Compares `a` and `b`, whose magnitudes are `x` and `y`, 63 bits.
pub fn order(a: &Number, b: &Number, x: &Expr, y: &Expr) -> Order {
    let (less, same) = (wire("magnitude_less", x.lt(y)), wire("magnitude_same", x.eq(y)));
    let zeros = &a.zero & &b.zero;
    let equal = &zeros | &(&same & !(&a.negative ^ &b.negative));
    let unordered = wire("unordered", &a.nan | &b.nan);
    let equal = wire("are_equal", equal & !&unordered);
    let below = a.negative.mux(&(!&b.negative | !(&less | &same)), &(!&b.negative & &less));
    let below = wire("is_below", below);
    Order { less: wire("is_less", &below & !&equal & !&unordered), equal, unordered, below }
}
