//! Float operands: sign, exponent, what kind of number.
//!
//! Half precision comes in the low half of the word; its exponent is given with the bias of single
//! precision, so what follows knows one format.
//! Source: numerics.md, Single precision and Conversions.

use crate::rtl::prelude::*;

/// Added to a half precision exponent to give it the bias of single precision: 127 - 15.
pub const REBIAS: u64 = 112;

/// A number taken apart.
pub struct Number {
    pub negative: Ex,
    /// Biased by 127, 8 bits; that of a half precision denormal is that of the smallest normal.
    pub exponent: Ex,
    /// Fraction, left aligned (23 bits).
    pub fraction: Ex,
    /// Exponent field zero: zero or denormal; there is no leading one.
    pub tiny: Ex,
    /// Exponent field all ones: infinite or no number.
    pub full: Ex,
    pub infinite: Ex,
    pub nan: Ex,
}

/// Takes a single precision number apart.
pub fn single(x: &Ex) -> Number {
    let x = x.named();
    let exponent = x.bits(23, 8);
    let (tiny, full) = (!exponent.any(), exponent.all());
    kinds(x.bit(31), exponent, x.bits(0, 23), tiny, full)
}

/// Takes a half or a single precision number apart.
pub fn either(x: &Ex, half: &Ex) -> Number {
    let x = x.named();
    let field = wire(
        "exponent_field",
        half.mux(&cat([&zero(3), &x.bits(10, 5)]), &x.bits(23, 8)),
    );
    let tiny = wire("is_tiny", !field.any());
    // A denormal's exponent field means what 1 means; REBIAS is even.
    let rebias = cat([&lit(7, REBIAS >> 1), &tiny]) & half.repeat(8);
    let fraction = half.mux(&cat([&x.bits(0, 10), &zero(13)]), &x.bits(0, 23));
    let full = field.bits(0, 5).all() & (half | &field.bits(5, 3).all());
    let negative = half.mux(&x.bit(15), &x.bit(31));
    kinds(negative, &field + &rebias, fraction, tiny, full)
}

fn kinds(negative: Ex, exponent: Ex, fraction: Ex, tiny: Ex, full: Ex) -> Number {
    let fraction = wire("fraction", fraction);
    let (full, some) = (full.named(), wire("some", fraction.any()));
    Number {
        negative,
        exponent: wire("exponent", exponent),
        fraction,
        tiny,
        infinite: &full & &!&some,
        nan: &full & &some,
        full,
    }
}
