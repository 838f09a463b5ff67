//! Normaliser of the float sum: leading zeros with a limit, and the shift to the left in two steps.

use super::align::WINDOW;
use super::count::leading_zeros;
use crate::rtl::prelude::*;

/// Bits of a number of places.
pub const PLACES: usize = 7;

/// What the first step gives.
pub struct Coarse {
    /// The window moved by a multiple of 16.
    pub value: Expr,
    /// Places of both steps together, 7 bits.
    pub places: Expr,
    /// The window is zero.
    pub zero: Expr,
}

/// Moves a window by the multiple of 16 in its leading zeros, or in `limit` where that is less or `fixed`.
pub fn coarse(window: &Expr, limit: &Expr, fixed: &Expr) -> Coarse {
    let w = window.named();
    let padded = cat([&w, &zero(80 - WINDOW)]).called("padded");
    let groups: Vec<Expr> = padded.each_word(16).into_iter().rev().collect();
    let none: Vec<Expr> = groups.iter().map(|g| wire("sixteen_none", !g.any())).collect();
    let mut through = vec![none[0].clone()];
    for n in &none[1..4] {
        let all = &through[through.len() - 1] & n;
        through.push(wire("none_through", all));
    }
    // Of the number of empty groups, 0 to 4.
    let number = cat([
        &through[3],
        &(&through[1] & &!&through[3]),
        &((&through[0] & &!&through[1]) | (&through[2] & &!&through[3])),
    ]);
    let number = wire("empty_groups", number);
    let inner: Vec<Expr> = groups.iter().map(leading_zeros).collect();
    let inner = wire("inner_zeros", select(&number, &inner));

    let (high, low) = (limit.bits(4, 3), limit.bits(0, 4));
    let limited = wire("limited_high", fixed | &high.lt(&number));
    let at = wire("limited_low", high.eq(&number) & low.lt(&inner));
    let sixteens = wire("sixteens", limited.mux(&high, &number));
    let ones = (&limited | &at).mux(&low, &inner);

    let by = |n: usize| match n {
        0 => w.clone(),
        1..=4 => cat([&w.bits(0, WINDOW - 16 * n), &zero(16 * n)]),
        _ => zero(WINDOW),
    };
    let moved: Vec<Expr> = (0..8).map(by).collect();
    Coarse { value: select(&sixteens, &moved), places: cat([&sixteens, &ones]), zero: all_of(&none) }
}

/// Moves a window by the low four bits of `places`.
pub fn fine(window: &Expr, places: &Expr) -> Expr {
    let w = window.named();
    let step = |x: &Expr, high: usize, unit: usize| {
        let by = |n: usize| match n * unit {
            0 => x.clone(),
            n => cat([&x.bits(0, WINDOW - n), &zero(n)]),
        };
        let (h, l) = (places.bit(high), places.bit(high - 1));
        h.mux(&l.mux(&by(3), &by(2)), &l.mux(&by(1), x))
    };
    let fours = wire("moved_fours", step(&w, 3, 4));
    wire("normal", step(&fours, 1, 1))
}

/// Half precision out of a significand.
pub struct Half {
    /// 11 bits.
    pub significand: Expr,
    /// The bit below it, whether any or all below that are ones.
    pub guard: Expr,
    pub some: Expr,
    pub all: Expr,
    /// Exponent field less one, 10 bits; that of denormals is 0.
    pub exponent: Expr,
}

/// A significand of 24 bits with the exponent `base - places` in half precision, moved down where it is a denormal.
pub fn half(significand: &Expr, base: &Expr, places: &Expr) -> Half {
    let width = 10;
    let over = base.zext(width) - places.zext(width) - lit(width, 113);
    let over = wire("half_exponent", over);
    let denormal = over.bit(width - 1);
    let under = places.zext(width) + lit(width, 113) - base.zext(width);
    let under = wire("half_under", under);
    let most = wire("half_most", under.gt(&lit(width, 13)));
    let by = most.mux(&lit(4, 13), &under.bits(0, 4)) & denormal.repeat(4);
    let by = wire("half_places", by);
    let moved = wire("half_moved", significand.shr(&by));
    // Bits below the guard bit: 12, and as many as it was moved by.
    let below = wire("half_below", cat([&!ones(13).shl(&by), &ones(12)]));
    let x = cat([&zero(1), significand]);
    Half {
        significand: moved.bits(13, 11),
        guard: moved.bit(12),
        some: (&x & &below).any(),
        all: (&x | &!&below).all(),
        exponent: over & (!&denormal).repeat(width),
    }
}
