//! Conversions between integers and floats: one rotation serves both directions.
//!
//! An integer's magnitude is turned left until its leading one stands at the top, what lies below
//! the fraction is lost. A float's significand stands at the top as if it were 2^31 and more, is
//! turned left by the number of integer bits it really has, and what did not come around is lost.
//! Source: numerics.md, Conversions.

use super::round::{Raw, BODY};
use super::unpack::Number;
use crate::rtl::prelude::*;

/// What is turned, and how far.
pub struct Operand {
    /// 32 bits.
    pub value: Ex,
    /// F2I: integer bits of the number, 0..=32 (6 bits).
    pub keep: Ex,
    pub negative: Ex,
    /// F2I: beyond every integer.
    pub over: Ex,
}

/// The integer `extended` (33 signed bits): its sign after `abs`, then `neg`.
pub fn integer_sign(extended: &Ex, neg: &Ex, abs: &Ex) -> Ex {
    neg ^ &(!abs & &extended.bit(32))
}

/// What is turned: `value` with `is_float`, else the magnitude of `extended`.
pub fn magnitude(extended: &Ex, value: &Ex, is_float: &Ex) -> Ex {
    let below = wire("integer_below", extended.bit(32) & !is_float);
    // The choice and the inversion fit the tables before the carry chain of the negation.
    let chosen = is_float.mux(value, &extended.bits(0, 32));
    wire("magnitude", (chosen ^ below.repeat(32)) + below.zext(32))
}

/// The float `x` of single precision, or half when `half`.
pub fn from_float(x: &Number, half: &Ex, neg: &Ex, abs: &Ex) -> Operand {
    let e = x.exponent.named();
    // Below 1/2 nothing of the number but its being there counts.
    let far = wire("is_far", e.lt(&lit(8, 126)));
    let there = !&x.tiny | (half & &x.some);
    let near = wire("is_near", !&far & !&x.nan);
    let significand = cat([&near, &(&x.fraction & &near.repeat(23))]);
    Operand {
        value: cat([&significand, &zero(7), &(&far & there)]),
        keep: (e.bits(0, 6) + lit(6, 2)) & (!&far).repeat(6),
        negative: neg ^ &(!abs & &x.negative),
        over: !&x.nan & (&x.infinite | e.gt(&lit(8, 158))),
    }
}

/// Turns `value` and splits it: gives the body to round and whether an integer was not zero.
pub fn turn(value: &Ex, keep: &Ex, to_integer: &Ex, to_half: &Ex) -> (Raw, Ex) {
    let keep = keep.named();
    let mut x = value.named();
    let mut by = vec![];
    for stage in (0..5).rev() {
        let n = 1 << stage;
        let leading = !x.bits(32 - n, n).any();
        let on = wire(
            &format!("turn_{n}"),
            to_integer.mux(&keep.bit(stage), &leading),
        );
        let turned = cat([&x.bits(0, 32 - n), &x.bits(32 - n, n)]);
        x = wire(&format!("turned_{n}"), on.mux(&turned, &x));
        by.push(on);
    }
    let beyond = wire("beyond", ones(32).shl(&keep));
    let lost = wire("lost", &x & &beyond);
    let whole = &x & &!&beyond;

    // 31 - leading zeros is the power of two the leading one stands for.
    let power = wire("power", !cat(by.iter()));
    let single = cat([&(power.zext(10) + lit(10, 127)), &x.bits(8, 23)]);
    let half = cat([
        &(power.zext(BODY - 10) + lit(BODY - 10, 15)),
        &x.bits(21, 10),
    ]);
    let low = wire("low_any", x.bits(0, 7).any());
    let guard = to_half.mux(&x.bit(20), &x.bit(7));
    let sticky = &low | &(to_half & &x.bits(7, 13).any());
    let raw = Raw {
        body: to_integer.mux(&whole.zext(BODY), &to_half.mux(&half, &single)),
        raise: zero(1),
        guard: to_integer.mux(&lost.bit(31), &guard),
        sticky: to_integer.mux(&lost.bits(0, 31).any(), &sticky),
    };
    (raw, x.bit(31))
}
