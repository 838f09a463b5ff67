//! Float operands: sign, exponent, what kind of number.
//!
//! Half precision comes in the low half of the word; where exponents are added it is given the bias
//! of single precision (`product`), so what follows knows one format.
//! Source: docs/numerics.md, Formats.

use crate::rtl::prelude::*;

/// Added to a half precision exponent to give it the bias of single precision: 127 - 15.
pub const REBIAS: u64 = 112;

/// Bits of an exponent in two's complement, wide enough for a product's.
pub const EXPONENT: usize = 10;
/// Bits of an aligned operand: a significand and four bits below it.
pub const WINDOW: usize = 28;

/// A number taken apart.
pub struct Number {
    pub negative: Expr,
    /// As it stands in the word, 8 bits.
    pub exponent: Expr,
    /// Fraction, left aligned (23 bits).
    pub fraction: Expr,
    /// Exponent field zero: zero or denormal; there is no leading one.
    pub tiny: Expr,
    /// Exponent field all ones: infinite or no number.
    pub full: Expr,
    pub infinite: Expr,
    pub nan: Expr,
}

/// Takes a single precision number apart.
pub fn single(x: &Expr) -> Number {
    let x = x.named();
    let exponent = x.bits(23, 8);
    let (tiny, full) = (!exponent.any(), exponent.all());
    let some = x.bits(0, 23).any();
    kinds(x.bit(31), exponent, x.bits(0, 23), tiny, full, some)
}

/// Takes a half or a single precision number apart.
pub fn either(x: &Expr, half: &Expr) -> Number {
    let x = x.named();
    let (small, wide) = (x.bits(10, 5), x.bits(23, 8));
    // What is asked of all bits is asked of both formats and picked at the end.
    let tiny = wire("is_tiny", half.mux(&!small.any(), &!wide.any()));
    let full = half.mux(&small.all(), &wide.all());
    let some = x.bits(0, 10).any() | (!half & x.bits(10, 13).any());
    let field = half.mux(&small.zext(8), &wide);
    let fraction = half.mux(&cat([&x.bits(0, 10), &zero(13)]), &x.bits(0, 23));
    let negative = half.mux(&x.bit(15), &x.bit(31));
    kinds(negative, field, fraction, tiny, full, some)
}

fn kinds(negative: Expr, exponent: Expr, fraction: Expr, tiny: Expr, full: Expr, some: Expr) -> Number {
    let (full, some) = (full.named(), wire("some", some));
    Number {
        negative,
        exponent: wire("exponent", exponent),
        fraction: wire("fraction", fraction),
        tiny,
        infinite: &full & &!&some,
        nan: &full & &some,
        full,
    }
}
