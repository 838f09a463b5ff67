//! Keys: integers in the order of floats.
//!
//! A positive float's word is its key; of a negative one the 31 bits below the sign are inverted.
//! Denormals are zeros of their sign. NaN is what loses: the greatest key for a minimum, the least
//! for a maximum; where a relation is asked for, it is known beside the key.
//! Source: docs/numerics.md, FMAX, FMIN and FSET.

use crate::rtl::prelude::*;

/// What keys are made for.
pub struct How {
    /// Keys are asked for at all; else the word passes.
    pub keyed: Expr,
    /// −0 = +0.
    pub equal_zeros: Expr,
    /// NaN is the least.
    pub nan_low: Expr,
}

/// A float as an integer: `top`, and below it 31 bits `(x & keep) ^ flip`.
pub struct Key {
    pub top: Expr,
    pub keep: Expr,
    pub flip: Expr,
    pub nan: Expr,
    /// Zero as a result: of keys denormals too.
    pub zero: Expr,
}

/// The key of `x` after `abs` and `neg`; the word, inverted by `not`, where no key is asked for.
pub fn key(x: &Expr, abs: &Expr, neg: &Expr, not: &Expr, how: &How) -> Key {
    let x = x.named();
    let (exponent, some) = (x.bits(23, 8), wire("key_some", x.bits(0, 23).any()));
    let tiny = wire("key_tiny", !exponent.any());
    let nan = wire("key_nan", exponent.all() & &some);
    let sign = neg ^ &(!abs & &x.bit(31));
    let sign = nan.mux(&how.nan_low, &(sign & !(&tiny & &how.equal_zeros)));
    // A NaN's bits below the sign are ones in the greatest key and zeros in the least.
    let flip = wire("key_flip", how.keyed.mux(&(&sign ^ &nan), not));
    let keep = !(&how.keyed & &(&tiny | &nan));
    Key {
        top: wire("key_top", how.keyed.mux(&sign, &(x.bit(31) ^ not))),
        keep,
        flip,
        nan,
        zero: &tiny & &(&how.keyed | &!&some),
    }
}

/// Whether the float `x`, negated by `neg`, is zero or more: −0 and denormals are, NaN is not.
pub fn at_least_zero(x: &Expr, neg: &Expr) -> Expr {
    let (exponent, some) = (x.bits(23, 8), x.bits(0, 23).any());
    let nan = exponent.all() & some;
    let sign = neg ^ &x.bit(31);
    !nan & (!sign | !exponent.any())
}
