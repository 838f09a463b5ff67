//! Rotation: brings a leading one to the top, or parts an integer from its fraction.
//!
//! Floats are normalised by it. For an integer the value is rotated left by the number of bits that
//! lie above the point, what came around is the integer, what did not is lost. A range reduction
//! parts a fixed-point number the same way; by more than 32 bits it keeps what did not come around.
//! Source: docs/numerics.md, Conversions and RRO.

use super::round::BODY;
use super::unpack::EXPONENT;
use crate::rtl::prelude::*;

/// Places by which a half precision result is rotated that is not to be normalised: its leading one
/// stands there already, or it is a denormal.
const TO_TOP: u64 = 2;

/// What a number rotated by its exponent becomes; else an integer.
pub struct Target<'a> {
    pub rro: &'a Expr,
    pub rro_sin: &'a Expr,
    /// Half precision that is not to be normalised.
    pub half: &'a Expr,
}

/// Bits that come around for a number of exponent `e` - 1 (biased by 127), 6 bits.
///
/// The significand's leading one stands in place 29 of 32. For an integer it goes to e - 127, for a
/// fixed-point number to 23 more. The product with 2/pi has its point 8 places below the 32 bits
/// for e = 127, 23 bits above that is e - 103. (`e` is what a product by 1 has for an exponent.)
pub fn keep(e: &Expr, to: &Target) -> Expr {
    let e = e.named();
    let step = |from: u64| lit(6, (from + 1).wrapping_neg() & 63);
    let by = to.rro.mux(&to.rro_sin.mux(&step(103), &step(101)), &step(124));
    let least = to.rro.mux(&lit(9, 103 + 1), &lit(9, 124 + 1));
    let off = any_of(&[e.lt(&least), to.rro_sin & &e.ge(&lit(9, 103 + 1 + 64)), to.half.clone()]);
    let kept = (e.bits(0, 6) + by) & (!wire("keep_off", off)).repeat(6);
    kept | (lit(6, TO_TOP) & to.half.repeat(6))
}

/// What is rotated, and how.
pub struct Rotation {
    /// 32 bits.
    pub value: Expr,
    /// What follows below the value.
    pub fill: Expr,
    /// Rotate by `keep` rather than to the leading one.
    pub fixed: Expr,
    /// [`keep`].
    pub keep: Expr,
    /// The result is what lies above the point.
    pub whole: Expr,
    /// … in 25 bits.
    pub rro_sin: Expr,
    /// Half precision.
    pub half: Expr,
    /// Exponent of a value with its leading one at the top, by the format's bias.
    pub exponent: Expr,
}

/// What was rotated.
pub struct Rotated {
    /// [`super::round::Raw::body`], all but a float's exponent.
    pub body: Expr,
    /// That, [`EXPONENT`] bits.
    pub exponent: Expr,
    /// [`super::round::Raw::guard`], and `sticky` in four parts to be or-ed.
    pub guard: Expr,
    pub sticky: Expr,
    /// A float that is zero.
    pub none: Expr,
}

/// `x` rotated left by `n`; `fill` is or-ed to what comes around.
fn around(x: &Expr, n: usize, fill: &Expr) -> Expr {
    cat([&x.bits(0, 32 - n), &(x.bits(32 - n, n) | fill.repeat(n))])
}

/// Rotates, and splits off the body to round.
pub fn rotate(t: &Rotation) -> Rotated {
    let keep = t.keep.called("keep");
    let value = t.value.called("value");
    // The leading one is sought in the value as it came, beside the steps of the rotation: by groups of four bits
    // which half it is in, which group of either half, and where in each of the groups. Where the
    // rotation is fixed every group says so, and it does not matter which one is asked.
    let on = |stage: usize, free: &Expr| t.fixed.mux(&keep.bit(stage), free);
    let some: Vec<Expr> = value.each_word(4).iter().map(|g| wire("group_some", g.any())).collect();
    // Of four: the upper two are empty; of the two with a one in them the upper is.
    let two = |four: &[Expr]| {
        let high = !(&four[3] | &four[2]);
        let low = &!&four[3] & &(&four[2] | &!&four[1]);
        [high, low]
    };
    let lower = wire("lower_half", !any_of(&some[4..]));
    let halves = [two(&some[..4]), two(&some[4..])];
    let [free_8, free_4] = [0, 1].map(|i| {
        let half = lower.mux(&halves[0][i], &halves[1][i]);
        wire("free_8_4", half)
    });
    let groups: Vec<[Expr; 2]> = value
        .each_word(4)
        .iter()
        .map(|g| {
            let [high, low] = two(&g.each_bit());
            [on(1, &high), on(0, &low)].map(|x| wire("group_turns", x))
        })
        .collect();
    let [by_2, by_1] = [0, 1].map(|i| {
        let of = |n: usize| lower.mux(&groups[n][i], &groups[n + 4][i]);
        let found = free_8.mux(&free_4.mux(&of(0), &of(1)), &free_4.mux(&of(2), &of(3)));
        wire("turn_2_1", found)
    });
    let by_16 = wire("turn_16", on(4, &lower));
    let by_8 = wire("turn_8", on(3, &free_8));
    let by_4 = wire("turn_4", on(2, &free_4));

    let x = wire("turned_16", by_16.mux(&around(&value, 16, &t.fill), &value));
    let rotated = |x: &Expr, n: usize, high: &Expr, low: &Expr| {
        let by = |k: usize| around(x, k * n, &t.fill);
        let rotated = high.mux(&low.mux(&by(3), &by(2)), &low.mux(&by(1), x));
        wire(&format!("turned_{n}"), rotated)
    };
    let nearly = rotated(&x, 4, &by_8, &by_4);
    let x = rotated(&nearly, 1, &by_2, &by_1);

    // Above the point, or, for more than 32 places, the rest.
    let around = wire("come_around", !ones(32).shl(&keep.bits(0, 5)));
    let above = wire("above", &around ^ &keep.bit(5).repeat(32));
    let whole = &x & &above;
    let whole = cat([&(whole.bits(25, 7) & (!&t.rro_sin).repeat(7)), &whole.bits(0, 25)]);
    // Below it, without the first bit, of the value as it came.
    let lost = &value.bits(0, 31) & &!cat(&around.each_bit()[..31]);
    let lost = wire("lost", lost.any() & !keep.bit(5));
    let float = !&t.whole;

    // Exponent - by - 1 + top: a denormal's exponent is that of the smallest normal number, less 1.
    // Only where the rotation is fixed the top bit may be zero; of a zero the exponent means nothing.
    let top = &!&t.fixed | &value.bit(31 - TO_TOP as usize);
    let places = cat(&[by_16, by_8, by_4, by_2.clone(), by_1.clone()]);
    let minus = cat([&ones(EXPONENT - 5), &!places]);
    let sum = cat([&t.exponent, &lit(1, 1)]) + cat([&minus, &top]);
    let exponent = wire("exponent_sum", sum).bits(1, EXPONENT);

    let half = x.bits(21, 10).zext(BODY);
    let single = x.bits(8, 23).zext(BODY);
    let guard = t.half.mux(&x.bit(20), &x.bit(7));
    // The last 7 or 20 bits, seen before the last step, which leaves up to three of them out; a
    // float has nothing to come around.
    let low = [&float & &nearly.bits(0, 4).any(), &float & &t.half & &nearly.bits(4, 13).any()];
    let border = t.half.mux(&nearly.bits(17, 3), &nearly.bits(4, 3));
    let border = [&border.bit(0) & &!(&by_2 & &by_1), &border.bit(1) & &!&by_2, &border.bit(2) & &!(&by_2 | &by_1)];
    let sticky = [&t.whole & &lost, &float & &any_of(&border)];
    Rotated {
        body: t.whole.mux(&whole.zext(BODY), &t.half.mux(&half, &single)),
        exponent,
        guard: t.whole.mux(&(&x.bit(31) & &!keep.bit(5)), &guard),
        sticky: pack(low.iter().chain(&sticky)),
        none: &!&t.fixed & &!value.any(),
    }
}
