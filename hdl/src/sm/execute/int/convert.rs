//! Integer formats: extension of a source, limits of a destination.
//!
//! A conversion extends its source to 33 signed bits, negates in the adder, and clamps the sum;
//! saturating additions clamp to the same limits.
//! Source: sm10-isa.md, executable semantics, cvt (integer to integer) and iadd (saturation).

use crate::rtl::prelude::*;

/// `x` taken as 8 (`is8`), 16 (`is16`) or 32 bits, extended to 33 signed bits.
pub fn extend(x: &Ex, is8: &Ex, is16: &Ex, signed: &Ex) -> Ex {
    let top = is8.mux(&x.bit(7), &is16.mux(&x.bit(15), &x.bit(31)));
    let fill = wire("fill", signed & &top);
    let short = is8 | is16;
    cat([
        &fill,
        &short.mux(&fill.repeat(16), &x.bits(16, 16)),
        &is8.mux(&fill.repeat(8), &x.bits(8, 8)),
        &x.bits(0, 8),
    ])
}

/// The range of a destination: `size` 0 = 8, 1 = 16, 2 = 32 bits.
pub struct Range {
    pub signed: Ex,
    pub size: Ex,
}

impl Range {
    fn is8(&self) -> Ex {
        self.size.is(0)
    }
    fn is16(&self) -> Ex {
        self.size.is(1)
    }

    /// Whether a 33-bit signed value, `negative` and its low 32 bits, lies outside.
    pub fn excludes(&self, value: &Ex, negative: &Ex) -> Ex {
        // Inside, every bit above the destination's value bits equals the sign.
        let unlike = |lo: usize, n: usize| (value.bits(lo, n) ^ negative.repeat(n)).any();
        let (is8, is16) = (self.is8(), self.is16());
        let above = (&is8 & &unlike(8, 8)) | (&(&is8 | &is16) & &unlike(16, 16));
        let top = is8.mux(&value.bit(7), &is16.mux(&value.bit(15), &value.bit(31)));
        above | self.signed.mux(&(&top ^ negative), negative)
    }

    /// The limit on the side of `negative`, extended to 32 bits.
    pub fn limit(&self, negative: &Ex) -> Ex {
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
        let named = |n: &str, x: Ex| wire(&format!("limit_{n}"), x);
        let (bits8, bits16) = (named("14_8", bits8), named("30_16", bits16));
        cat([
            &bit31,
            &bits16.repeat(15),
            &bit15,
            &bits8.repeat(7),
            &bit7,
            &below.repeat(7),
        ])
    }

    /// Whether [`Self::limit`] is zero: below an unsigned range.
    pub fn limit_is_zero(&self, negative: &Ex) -> Ex {
        &!&self.signed & negative
    }
}
