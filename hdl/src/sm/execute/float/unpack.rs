//! Float operands: sign, exponent, what kind of number.
//!
//! Half precision comes in the low half of the word; its exponent is given with the bias of single
//! precision, so what follows knows one format.
//! Source: numerics.md, Single precision and Conversions.

use crate::rtl::prelude::*;

/// Added to a half precision exponent to give it the bias of single precision: 127 - 15.
const REBIAS: u64 = 112;

/// A number taken apart.
pub struct Number {
    pub negative: Ex,
    /// Biased by 127, 8 bits; means nothing for the special kinds below.
    pub exponent: Ex,
    /// Fraction, left aligned (23 bits).
    pub fraction: Ex,
    /// Exponent field zero: zero or denormal.
    pub tiny: Ex,
    /// Fraction not zero.
    pub some: Ex,
    pub infinite: Ex,
    pub nan: Ex,
}

/// Takes a single precision number apart.
pub fn single(x: &Ex) -> Number {
    let x = x.named();
    let (exponent, fraction) = (x.bits(23, 8), x.bits(0, 23));
    kinds(
        x.bit(31),
        exponent.clone(),
        fraction.clone(),
        !exponent.any(),
        exponent.all(),
        fraction.any(),
    )
}

/// Takes a half or a single precision number apart.
pub fn either(x: &Ex, half: &Ex) -> Number {
    let x = x.named();
    let field = wire(
        "exponent_field",
        half.mux(&cat([&zero(3), &x.bits(10, 5)]), &x.bits(23, 8)),
    );
    let exponent = &field + &(half.repeat(8) & lit(8, REBIAS));
    let fraction = wire(
        "fraction",
        half.mux(&cat([&x.bits(0, 10), &zero(13)]), &x.bits(0, 23)),
    );
    let full = field.bits(0, 5).all() & (half | &field.bits(5, 3).all());
    kinds(
        half.mux(&x.bit(15), &x.bit(31)),
        exponent,
        fraction.clone(),
        !field.any(),
        full,
        fraction.any(),
    )
}

fn kinds(negative: Ex, exponent: Ex, fraction: Ex, tiny: Ex, full: Ex, some: Ex) -> Number {
    let (full, some) = (full.named(), some.named());
    Number {
        negative,
        exponent,
        fraction,
        tiny,
        infinite: &full & &!&some,
        nan: &full & &some,
        some,
    }
}
