//! What G13's special functions have on top: halves as operands and results, and the reduction in front of EX2.

use crate::rtl::prelude::*;
use crate::sm::pipeline::execute::uop::operand::widen;

/// An operand of a unit in single precision; of EX2, `reduced`, in the fixed point that the unit takes: `x` cut off to 7
/// integer and 23 fraction bits, bit 30 for a number that is too large or none.
pub fn operand(x: &Expr, half: &Expr, reduced: &Expr) -> Expr {
    let x = x.named();
    let single = half.mux(&cat([&x.bit(15), &widen(&x.bits(0, 15))]), &x).called("single");
    let (exponent, fraction) = (single.bits(23, 8), single.bits(0, 23));
    // The significand with 6 bits below it, at most 6 integer bits above its first.
    let significand = cat([&exponent.any(), &fraction, &zero(6)]);
    let fixed = significand.shr(&(lit(8, 133) - &exponent)).called("fixed");
    let beyond = wire("reduced_beyond", exponent.ge(&lit(8, 134)));
    let nan = exponent.all() & fraction.any();
    let code = cat([&lit(7, 0b1000000), &!nan, &zero(23)]);
    let magnitude = beyond.mux(&code, &cat([&zero(1), &fixed]));
    wire("operand", cat([&single.msb(), &reduced.mux(&magnitude, &single.bits(0, 31))]))
}

/// The half next to a number of single precision, ties to even; its NaN is 0x7e00.
pub fn rounded(y: &Expr) -> Expr {
    let y = y.named();
    let (exponent, fraction) = (y.bits(23, 8), y.bits(0, 23));
    let nan = wire("half_nan", exponent.all() & fraction.any());
    let tiny = wire("half_tiny", !exponent.ge(&lit(8, 113)));
    let down = wire("half_down", lit(8, 113) - &exponent);
    let moved = cat([&lit(1, 1), &fraction, &zero(24)]).shr(&down).called("half_moved");
    // Where it is moved further than there are bits, nothing of it counts.
    let denormal = cat([&zero(5), &moved.bits(24, 23)]);
    let lost = moved.bits(0, 24).any() & &tiny;
    let normal = cat([&(&exponent - &lit(8, 112)).bits(0, 5), &fraction]);
    let number = tiny.mux(&denormal, &normal).called("half_number");
    let odd = number.bit(13);
    let up = number.bit(12) & (number.bits(0, 12).any() | lost | odd);
    let sum = wire("half_sum", number.bits(13, 15) + up.zext(15));
    let over = wire("half_over", exponent.ge(&lit(8, 143)));
    let infinite = lit(15, 0x7c00);
    let size = nan.mux(&lit(15, 0x7e00), &over.mux(&infinite, &sum));
    cat([&zero(16), &(y.msb() & !nan), &size])
}

/// What RSQ makes of a zero and of infinity where its product with them is to be the root: 0 and infinity.
pub fn of_root(y: &Expr, on: &Expr) -> Expr {
    let y = y.named();
    let infinite = wire("root_of_0", on & y.bits(23, 8).all() & !y.bits(0, 23).any());
    let none = wire("root_of_infinity", on & !y.bits(0, 31).any());
    let infinity = lit(32, 0x7f80_0000);
    (y & (!infinite).repeat(32)) | (infinity & none.repeat(32))
}
