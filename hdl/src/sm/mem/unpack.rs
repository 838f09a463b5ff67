//! Elements of device memory as floats of registers, one a time, for the return path of a chip of G13.
//!
//! | port     | width               | meaning                                             |
//! |----------|---------------------|-----------------------------------------------------|
//! | `value`  | 32                  | the element, its bits lowest; the others are 0      |
//! | `how`    | `Conversion::width` | its format; not plain                               |
//! | `result` | 32                  | the float to nearest, of 16 bits in the low ones    |
//!
//! A number is a binary fraction of 40 bits, with one bit for what lies below, times a power of two. n / (2^b - 1) is a
//! fraction in which the b bits of n repeat for ever; sRGB is a table; the other formats are short fractions.
//!
//! Timing: two cycles: `result` belongs to what both ports had in the cycle before, and must have now. Free running.
//! Reset: none. Errors: none.
//! Source: docs/instruction-sets.md, G13; the table: `warpsmith_isa::numbers::SRGB`.

use super::format::{code, Conversion};
use crate::rtl::prelude::*;
use crate::sm::pipeline::execute::uop::count::leading_zeros;
use warpsmith_isa::numbers::{SRGB, SRGB_BITS};

/// Bits of a fraction: up to 15 zeros, 24 of a float, one more.
const FRACTION: usize = 40;
/// Bits of an exponent, with sign.
const EXPONENT: usize = 6;

block! {
    /// See the module.
    pub struct Unpack() {
        in value(32),
        in how(Conversion::width(())),
        out result(32),
        part srgb(Rom: "linear", SRGB_BITS as usize, SRGB.to_vec()),
        data fraction(FRACTION),
        data exponent(EXPONENT),
        /// There is more below the fraction.
        data more(1),
        data negative(1),
        /// Infinity or NaN; NaN.
        data special(1),
        data nan(1),
        data is_srgb(1),
    }
}

/// Bits that repeat, from the highest on.
fn repeated(bits: &Expr) -> Expr {
    let times = FRACTION.div_ceil(bits.width());
    let all = bits.repeat(times);
    all.bits(all.width() - FRACTION, FRACTION)
}

impl Unpack {
    fn read(&self) {
        let v = get(&self.value);
        let how = Conversion::unpack((), "how", &get(&self.how));
        let is = |c: u64| how.code.is(c);
        let simple = wire("is_simple", !how.code.bit(3));
        let (signed, wide) = (how.code.bit(0), how.code.bit(1));
        let negative = wire("is_negative", all_of(&[simple.clone(), signed.clone(), wide.mux(&v.bit(15), &v.bit(7))]));
        let size = wire("size", (v.bits(0, 16) ^ negative.repeat(16)) + negative.zext(16));
        // The least number counts as the one above it.
        let positive = |width: usize| size.bits(0, width) | size.bit(width).repeat(width);
        let normal = {
            let of = |unsigned: usize| signed.mux(&repeated(&positive(unsigned - 1)), &repeated(&v.bits(0, unsigned)));
            wide.mux(&of(16), &of(8))
        };
        let normal = wire("normal", simple.mux(&normal, &repeated(&v.bits(0, 8))));
        let component = |width: usize, last: Expr| {
            let parts = [v.bits(0, width), v.bits(width, width), last.clone(), last];
            select(&how.component, &parts)
        };
        let ten = wire("ten", component(10, v.bits(20, 10)));
        let ten = how.component.all().mux(&repeated(&v.bits(30, 2)), &repeated(&ten));
        let small = wire("small_float", component(11, cat([&v.bits(22, 10), &zero(1)])));
        let (field, low) = (small.bits(6, 5), small.bits(0, 6));
        let small = cat([&field.any(), &low, &zero(FRACTION - 7)]);
        let shared = wire("shared_fraction", component(9, v.bits(18, 9)));
        let shared = cat([&zero(2), &shared, &zero(FRACTION - 11)]);
        let is_rg11b10 = wire("is_rg11b10", how.code.bits(2, 2).all() & !how.code.bit(0));
        let is_rgb9e5 = wire("is_rgb9e5", how.code.bits(2, 2).all() & how.code.bit(0));
        let is_rgb10a2 = wire("is_rgb10a2", is(code::RGB10A2));
        let fractions = [(&is_rg11b10, small), (&is_rgb9e5, shared), (&is_rgb10a2, ten)];
        let other = wire("is_other", is_rg11b10.clone() | &is_rgb9e5 | &is_rgb10a2);
        let fraction = fractions.into_iter().map(|(on, f)| f & on.repeat(FRACTION));
        let fraction = any_of(&fraction.chain([normal & (!&other).repeat(FRACTION)]).collect::<Vec<_>>());
        let fraction = wire("fraction_read", fraction);
        let from = |field: &Expr, base: i64| field.zext(EXPONENT) - lit(EXPONENT, base as u64);
        let small_exponent = field.any().mux(&from(&field, 14), &(lit(EXPONENT, 0) - lit(EXPONENT, 13)));
        let exponent =
            (small_exponent & is_rg11b10.repeat(EXPONENT)) | (from(&v.bits(27, 5), 13) & is_rgb9e5.repeat(EXPONENT));
        set(&self.more, !(is_rg11b10.clone() | &is_rgb9e5) & fraction.any());
        set(&self.fraction, fraction);
        set(&self.exponent, exponent);
        set(&self.negative, negative);
        set(&self.special, &is_rg11b10 & field.all());
        set(&self.nan, low.any());
        set(&self.is_srgb, is(code::SRGB) & !how.is_alpha());
    }
}

impl Rtl for Unpack {
    fn rtl(&self) {
        self.read();
        let half = Conversion::unpack((), "of", &get(&self.how)).half;
        let table = cat([&self.srgb.read(&get(&self.value).bits(0, 8)), &zero(FRACTION - SRGB_BITS as usize)]);
        let fraction = wire("fraction_here", get(&self.is_srgb).mux(&table, &get(&self.fraction)));
        let more = wire("more_here", get(&self.more) | get(&self.is_srgb));
        let top = fraction.bits(FRACTION - 16, 16);
        let zeros = wire("zeros", leading_zeros(&top).resize(4));
        let none = wire("is_zero", !top.any());
        // Halves with more zeros have the smallest exponent.
        let most = wire("most_zeros", get(&self.exponent).bits(0, 5) + lit(5, 13));
        let denormal = wire("is_denormal", &half & zeros.zext(5).gt(&most));
        let places = denormal.mux(&most.bits(0, 4), &zeros);
        let normal = wire("normalised", fraction.shl(&places));
        let bias = half.mux(&lit(8, 14), &lit(8, 126));
        let field = get(&self.exponent).sext(8) + bias - zeros.zext(8);
        let field = wire("field", field & (!&denormal).repeat(8));
        let single = cat([&field, &normal.bits(16, 23)]);
        let short = cat([&zero(16), &field.bits(0, 5), &normal.bits(29, 10)]);
        let cut = wire("cut", half.mux(&short, &single));
        let up = |at: usize| normal.bit(at - 1) & any_of(&[normal.bit(at), normal.bits(0, at - 1).any(), more.clone()]);
        let up = wire("up", half.mux(&up(29), &up(16)));
        let rounded = wire("rounded", &cut + &up.zext(31)) & (!&none).repeat(31);
        let special = half.mux(&lit(31, 0x7c00), &lit(31, 0x7f80_0000));
        let nan = half.mux(&lit(31, 0x0200), &lit(31, 0x0040_0000)) & get(&self.nan).repeat(31);
        let magnitude = wire("magnitude", get(&self.special).mux(&(special | nan), &rounded));
        let negative = get(&self.negative);
        let [sign, short_sign] = [&negative & &!&half, &negative & &half];
        let low = magnitude.bits(0, 16) | cat([&short_sign, &zero(15)]);
        set(&self.result, cat([&sign, &magnitude.bits(16, 15), &low]));
    }
}

rtl_block!(Unpack, "unpack");
