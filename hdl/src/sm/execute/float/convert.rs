//! The turn: brings a leading one to the top, or parts an integer from its fraction.
//!
//! Floats are normalised by it. For an integer the value is turned left by the number of bits that
//! lie above the point, what came around is the integer, what did not is lost. A range reduction
//! parts a fixed-point number the same way; by more than 32 bits it keeps what did not come around.
//! Source: numerics.md, Conversions and RRO.

use super::round::{Raw, BODY};
use super::EXPONENT;
use crate::rtl::prelude::*;

/// Places by which a half precision result is turned that is not to be normalised: its leading one
/// stands there already, or it is a denormal.
const TO_TOP: u64 = 2;

/// What a number turned by its exponent becomes.
pub struct Target<'a> {
    pub f2i: &'a Ex,
    pub rro_sin: &'a Ex,
    pub rro_ex2: &'a Ex,
    pub f2f: &'a Ex,
}

/// Bits that come around for a number of exponent `e` (biased by 127), 6 bits.
///
/// The significand's leading one stands in place 29 of 32. For an integer it goes to e - 127, for a
/// fixed-point number to 23 more. The product with 2/pi has its point 8 places below the 32 bits
/// for e = 127, 23 bits above that is e - 103.
pub fn keep(e: &Ex, to: &Target) -> Ex {
    let e = e.named();
    let step = |from: u64| lit(6, from.wrapping_neg() & 63);
    let by = to
        .f2i
        .mux(&step(124), &to.rro_sin.mux(&step(103), &step(101)));
    let reduction = to.rro_sin | to.rro_ex2;
    let least = reduction.mux(&lit(8, 103), &lit(8, 124));
    let off = any_of(&[
        e.lt(&least),
        to.rro_sin & &e.ge(&lit(8, 103 + 64)),
        to.f2f.clone(),
    ]);
    let kept = (e.bits(0, 6) + by) & (!wire("keep_off", off)).repeat(6);
    kept | (lit(6, TO_TOP) & to.f2f.repeat(6))
}

/// What is turned, and how.
pub struct Turn {
    /// 32 bits.
    pub value: Ex,
    /// What follows below the value.
    pub fill: Ex,
    /// Turn by `keep` rather than to the leading one.
    pub fixed: Ex,
    /// [`keep`].
    pub keep: Ex,
    /// The result is what lies above the point.
    pub whole: Ex,
    /// … in 25 bits.
    pub rro_sin: Ex,
    /// Half precision.
    pub half: Ex,
    /// Exponent of a value with its leading one at the top, by the format's bias.
    pub exponent: Ex,
}

/// `x` turned left by `n`; `fill` is or-ed to what comes around.
fn around(x: &Ex, n: usize, fill: &Ex) -> Ex {
    cat([&x.bits(0, 32 - n), &(x.bits(32 - n, n) | fill.repeat(n))])
}

/// Turns, and splits off the body to round; gives with it whether the top bit is set.
pub fn turn(t: &Turn) -> (Raw, Ex) {
    let keep = t.keep.named();
    let x = t.value.named();
    let some = |x: &Ex, from: usize, n: usize| x.bits(from, n).any();
    let on = |stage: usize, free: Ex| {
        let on = t.fixed.mux(&keep.bit(stage), &free);
        wire(&format!("turn_{}", 1 << stage), on)
    };
    let by_16 = on(4, !some(&x, 16, 16));
    let x = wire("turned_16", by_16.mux(&around(&x, 16, &t.fill), &x));
    // Two digits of the number at once: a group of n above it is empty, two are, three are.
    let two = |x: &Ex, stage: usize| {
        let n = 1 << stage;
        let high = !(some(x, 32 - n, n) | some(x, 32 - 2 * n, n));
        let low = high.mux(&!some(x, 32 - 3 * n, n), &!some(x, 32 - n, n));
        let (high, low) = (on(stage + 1, high), on(stage, low));
        let by = |k: usize| around(x, k * n, &t.fill);
        let turned = high.mux(&low.mux(&by(3), &by(2)), &low.mux(&by(1), x));
        (wire(&format!("turned_{n}"), turned), high, low)
    };
    let (x, by_8, by_4) = two(&x, 2);
    let (x, by_2, by_1) = two(&x, 0);
    let by = [by_16, by_8, by_4, by_2, by_1];
    let top = x.bit(31);

    // Above the point, or, for more than 32 places, the rest.
    let above = !ones(32).shl(&keep.bits(0, 5)) ^ keep.bit(5).repeat(32);
    let above = wire("above", above);
    let whole = &x & &above;
    let whole = cat([
        &(whole.bits(25, 7) & (!&t.rro_sin).repeat(7)),
        &whole.bits(0, 25),
    ]);
    let lost = wire("lost", &x & &(!&above & (!keep.bit(5)).repeat(32)));

    // Exponent - by - 1 + top: a denormal's exponent is that of the smallest normal number, less 1.
    let places = cat(by.iter());
    let minus = cat([&ones(EXPONENT - 5), &!places]);
    let sum = cat([&t.exponent, &lit(1, 1)]) + cat([&minus, &top]);
    let exponent = wire("exponent_sum", sum).bits(1, EXPONENT);
    let single = cat([&exponent, &x.bits(8, 23)]);
    let half = cat([&exponent, &x.bits(21, 10)]).zext(BODY);
    let low = wire("low_any", x.bits(0, 7).any());
    let guard = t.half.mux(&x.bit(20), &x.bit(7));
    let sticky = &low | (&t.half & &x.bits(7, 13).any());
    let raw = Raw {
        body: t.whole.mux(&whole.zext(BODY), &t.half.mux(&half, &single)),
        guard: t.whole.mux(&lost.bit(31), &guard),
        sticky: t.whole.mux(&lost.bits(0, 31).any(), &sticky),
        complete: t.fill.clone(),
    };
    (raw, top)
}
