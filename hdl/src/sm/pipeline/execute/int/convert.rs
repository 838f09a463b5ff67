//! Integer formats: extension of a source, limits of a destination.
//!
//! A conversion extends its source to 33 signed bits, negates in the adder, and clamps the sum;
//! saturating additions clamp to the same limits.
//! Source: docs/numerics.md, Conversions; docs/integers.md, IADD saturated.

use super::order::Key;
use crate::rtl::prelude::*;

/// `x` taken as 8 (`is8`), 16 (`is16`) or 32 bits, extended to 33 signed bits. 32 bits become their
/// `key`, of fewer each is inverted by `not`.
pub fn extend(x: &Expr, is8: &Expr, is16: &Expr, signed: &Expr, not: &Expr, key: &Key) -> Expr {
    let fill = wire("fill", signed & &(is8.mux(&x.bit(7), &x.bit(15)) ^ not));
    let short = wire("short", is8 | is16);
    // What is extended is a group of bits of which none is kept: one table a bit.
    let part = |at: usize, n: usize, gone: &Expr| {
        let keep = wire("part_keep", &key.keep & &!gone);
        let flip = wire("part_flip", gone.mux(&fill, &key.flip));
        (x.bits(at, n) & keep.repeat(n)) ^ flip.repeat(n)
    };
    cat([
        &short.mux(&fill, &(signed & &key.top)),
        &short.mux(&fill, &key.top),
        &part(16, 15, &short),
        &part(8, 8, is8),
        &part(0, 8, &zero(1)),
    ])
}

/// Of each of the `groups` of bits, widths from the lowest on, one bit: they are alike.
pub fn pick(word: &Expr, groups: &[usize]) -> Expr {
    let bits = groups.iter().scan(0, |at, width| {
        let bit = word.bit(*at);
        *at += width;
        Some(bit)
    });
    pack(bits.collect::<Vec<_>>().iter())
}

/// The word of which [`pick`] gave one bit a group.
pub fn spread(bits: &Expr, groups: &[usize]) -> Expr {
    let words = groups.iter().enumerate().map(|(i, n)| bits.bit(i).repeat(*n));
    pack(words.collect::<Vec<_>>().iter())
}

/// Groups of a [`Range::limit`]'s bits that are alike.
pub const LIMIT: [usize; 6] = [7, 1, 7, 1, 15, 1];

/// The range of a destination: `size` 0 = 8, 1 = 16, 2 = 32 bits.
pub struct Range {
    pub signed: Expr,
    pub size: Expr,
}

impl Range {
    fn is8(&self) -> Expr {
        self.size.is(0)
    }
    fn is16(&self) -> Expr {
        self.size.is(1)
    }

    /// Whether a 33-bit signed value, `negative` and its low 32 bits, lies outside.
    pub fn excludes(&self, value: &Expr, negative: &Expr) -> Expr {
        // Inside, every bit above the destination's value bits equals the sign.
        let unlike = |lo: usize, n: usize| (value.bits(lo, n) ^ negative.repeat(n)).any();
        let (is8, is16) = (self.is8(), self.is16());
        let above = (&is8 & &unlike(8, 8)) | (&(&is8 | &is16) & &unlike(16, 16));
        let top = is8.mux(&value.bit(7), &is16.mux(&value.bit(15), &value.bit(31)));
        above | self.signed.mux(&(&top ^ negative), negative)
    }

    /// The limit on the side of `negative`, extended to 32 bits.
    pub fn limit(&self, negative: &Expr) -> Expr {
        let (is8, is16) = (self.is8(), self.is16());
        let below = !negative;
        let above = &self.signed & negative;
        let top = self.signed.mux(negative, &below);
        let bit7 = is8.mux(&top, &below);
        let bits8 = is8.mux(&above, &below);
        let bit15 = is8.mux(&above, &is16.mux(&top, &below));
        let short = &is8 | &is16;
        let bits16 = short.mux(&above, &below);
        let bit31 = short.mux(&above, &top);
        let named = |n: &str, x: Expr| wire(&format!("limit_{n}"), x);
        let (bits8, bits16) = (named("14_8", bits8), named("30_16", bits16));
        cat([&bit31, &bits16.repeat(15), &bit15, &bits8.repeat(7), &bit7, &below.repeat(7)])
    }

    /// Whether [`Self::limit`] is zero: below an unsigned range.
    pub fn limit_is_zero(&self, negative: &Expr) -> Expr {
        &!&self.signed & negative
    }
}
