//! Floats of registers as elements of device memory, one a time, for the coalescer of a chip of G13.
//!
//! | port     | width               | meaning                                              |
//! |----------|---------------------|------------------------------------------------------|
//! | `value`  | 32                  | the float, of 16 bits in the low ones                |
//! | `how`    | `Conversion::width` | its format                                           |
//! | `thread` | 5                   | whose it is: of an element of several floats         |
//! | `phase`  | 5                   | cycles that the three have been there                |
//! | `last`   | 1                   | `result` belongs to them                             |
//! | `result` | 32                  | the element, in every place of its word it may go; of several floats with the last |
//!
//! A float times 2^b - 1 is a difference of its significand moved by b and itself; moved to the right by the exponent it
//! is rounded once. A byte of sRGB is looked for, bit by bit, in the table of the smallest floats of each. Of several
//! floats of an element the parts are kept for each thread, of rgb9e5 10 bits of significand below 5 of exponent, until
//! the last has come.
//!
//! Timing: phase 1 is the last, of sRGB phase 16, of the last of several floats phase 3.
//! Reset: none. Errors: none.
//! Source: docs/instruction-sets.md, G13; the table: `warpsmith_isa::numbers::SRGB_BOUNDS`.

use super::format::{code, Conversion};
use crate::config::WARP;
use crate::rtl::prelude::*;
use warpsmith_isa::numbers::SRGB_BOUNDS;

/// Bits of a product of a significand and 2^16 - 1.
const PRODUCT: usize = 40;
/// Bits of a part of an element that is kept.
const PART: usize = 16;
/// Exponent fields of the smallest normal numbers of rg11b10 and of rgb9e5.
const SMALL: u64 = 113;
const SHARED: u64 = 111;
/// Bits of a bound: 4 of the exponent field, which is 0x70 and them, and the fraction.
const BOUND: usize = 27;

block! {
    /// See the module.
    pub struct Pack() {
        in value(32),
        in how(Conversion::width(())),
        in thread(clog2(WARP)),
        in phase(5),
        out last(1),
        out result(32),
        part bounds(Rom: "bounds", BOUND, bounds()),
        data product(PRODUCT),
        data exponent(8),
        data fraction(23),
        data negative(1),
        data nan(1),
        data infinite(1),
        /// Bits of a byte of sRGB that are found.
        data found(8),
        /// Four parts of the element of each thread.
        part parts(Ram = Ram::with_granule(RamKind::Lut, WARP, 4 * PART, PART, 1)),
        /// The exponent of three fractions.
        data shared(5),
    }
}

/// The bound of each byte; of byte 0 none is looked at.
fn bounds() -> Vec<u64> {
    let bounds = SRGB_BOUNDS.iter().map(|b| {
        assert_eq!(b >> BOUND, 7, "a bound has an exponent field of 0x70 to 0x7f");
        u64::from(*b) & ((1 << BOUND) - 1)
    });
    [0].into_iter().chain(bounds).collect()
}

impl Pack {
    /// The float taken apart, and its product.
    fn read(&self, how: &Conversion) {
        let (v, half) = (get(&self.value), &how.half);
        let (field, low) = (v.bits(10, 5), v.bits(0, 10));
        let short_field = field.any().mux(&(field.zext(8) + lit(8, 112)), &lit(8, 113));
        let exponent = wire("exponent_read", half.mux(&short_field, &v.bits(23, 8)));
        let fraction = wire("fraction_read", half.mux(&cat([&low, &zero(13)]), &v.bits(0, 23)));
        let hidden = half.mux(&field.any(), &v.bits(23, 8).any());
        let significand = wire("significand", cat([&hidden, &fraction]));
        let [signed, wide] = [how.is_signed(), how.is_wide()];
        let moved = |places: usize| cat([&significand, &zero(places)]).resize(PRODUCT);
        // For rgb9e5 a half below the normal numbers gets the exponent that it has there.
        let raised =
            wire("is_raised", all_of(&[half.clone(), how.code.bit(0), how.code.bit(2), how.code.bit(3), !&hidden]));
        let top_bit = fraction.bit(22);
        let exponent = raised.mux(&(lit(8, SHARED) + top_bit.zext(8)), &exponent);
        let single = wide.mux(&signed.mux(&moved(15), &moved(16)), &signed.mux(&moved(7), &moved(8)));
        let short = how.component.is(2).mux(&moved(6), &moved(7));
        let number = wire("is_number", !how.code.bit(2));
        let shared = raised.mux(&top_bit.mux(&moved(11), &moved(12)), &moved(10));
        let several = number.mux(&how.is_alpha().mux(&moved(2), &moved(10)), &how.code.bit(0).mux(&shared, &short));
        let is_several = wire("is_several", Conversion::is_several(&how.code));
        let less = significand.zext(PRODUCT) & (!&is_several | number).repeat(PRODUCT);
        set(&self.product, wire("moved", is_several.mux(&several, &single)) - less);
        let top = half.mux(&field.all(), &v.bits(23, 8).all());
        set(&self.nan, &top & fraction.any());
        set(&self.infinite, top & !fraction.any());
        set(&self.exponent, exponent);
        set(&self.fraction, fraction);
        set(&self.negative, half.mux(&v.bit(15), &v.bit(31)));
    }

    /// A byte of sRGB: one bit in two phases, the highest first.
    fn srgb(&self) -> Expr {
        let phase = get(&self.phase);
        let found = wire("found_here", get(&self.found) & phase.any().repeat(8));
        let bit = lit(8, 0x80).shr(&phase.bits(1, 3));
        let tried = wire("tried", &found | &bit);
        let bound = self.bounds.read(&tried);
        let exponent = get(&self.exponent);
        let number = cat([&exponent.bits(0, 4), &get(&self.fraction)]);
        let above = exponent.bit(7) | (exponent.bits(4, 3).all() & number.ge(&bound));
        let takes = wire("takes", phase.bit(0) & above);
        set(&self.found, takes.mux(&tried, &found));
        found
    }

    /// A float of 5 bits of exponent and 6 of fraction, of component 2 with 5: `size` is its significand, `above` how far
    /// its exponent is above the least.
    fn small(&self, how: &Conversion, size: &Expr, above: &Expr) -> Expr {
        let short = wire("is_short", how.component.is(2));
        let exponent = wire("small_exponent", above.bits(0, 5));
        let exponent = short.mux(&cat([&exponent, &zero(5)]).zext(12), &cat([&exponent, &zero(6)]).zext(12));
        let sum = wire("small_sum", exponent + size.bits(0, 8).zext(12));
        let infinity = short.mux(&lit(11, 31 << 5), &lit(11, 31 << 6));
        let beyond = above.bits(5, 3).any() | sum.ge(&infinity.zext(12));
        let number = beyond.mux(&(&infinity - &lit(11, 1)), &sum.bits(0, 11));
        let nan = infinity.clone() | short.mux(&lit(11, 1 << 4), &lit(11, 1 << 5));
        let number = get(&self.infinite).mux(&infinity, &number) & (!get(&self.negative)).repeat(11);
        wire("small_float", get(&self.nan).mux(&nan, &number))
    }

    /// 10 bits of significand and the exponent of a float that is brought to 0..65408.
    fn fraction(&self, size: &Expr, above: &Expr) -> Expr {
        let number = wire("shared_number", cat([&above.bits(0, 5), &size.bits(0, 10)]));
        let most = lit(15, 31 << 10 | 0x3fe);
        let beyond = any_of(&[above.bits(5, 3).any(), number.gt(&most), get(&self.infinite)]);
        let none = get(&self.nan) | get(&self.negative);
        wire("shared_part", beyond.mux(&most, &number) & (!none).repeat(15))
    }

    /// The word of several floats whose parts are there.
    fn word(&self, how: &Conversion) -> Expr {
        let parts = wire("parts_there", self.parts.read(0, &get(&self.thread))).each_word(PART);
        let at = |n: usize, width: usize| parts[n].bits(0, width);
        let exponents = [0, 1, 2].map(|n| parts[n].bits(10, 5));
        let larger = |a: &Expr, b: &Expr| a.ge(b).mux(a, b);
        let most = wire("most_first", larger(&exponents[0], &exponents[1]));
        let most = wire("most", larger(&most, &exponents[2]));
        let nearest = !how.code.bit(1);
        // A fraction that is rounded up to 512 has the next exponent.
        let over = (0..3).map(|n| all_of(&[at(n, 10).all(), exponents[n].eq(&most)]));
        let over = wire("rounds_over", any_of(&over.collect::<Vec<_>>()) & &nearest);
        set(&self.shared, &most + &over.zext(5));
        let shared = get(&self.shared);
        let fraction = |n: usize| {
            let places = wire("fraction_places", &shared - &exponents[n]);
            let moved = wire("fraction_moved", at(n, 10).shr(&places));
            (moved.zext(11) + nearest.zext(11)).bits(1, 9)
        };
        let fractions = [0, 1, 2].map(fraction);
        let rgb9e5 = cat([&shared, &fractions[2], &fractions[1], &fractions[0]]);
        let rg11b10 = cat([&at(2, 10), &at(1, 11), &at(0, 11)]);
        let rgb10a2 = cat([&at(3, 2), &at(2, 10), &at(1, 10), &at(0, 10)]);
        wire("word", how.code.bit(2).mux(&how.code.bit(0).mux(&rgb9e5, &rg11b10), &rgb10a2))
    }
}

impl Rtl for Pack {
    fn rtl(&self) {
        let how = Conversion::unpack((), "how", &get(&self.how));
        self.read(&how);
        let byte = self.srgb();
        let is_srgb = wire("is_srgb", how.code.is(code::SRGB) & !how.is_alpha());
        let signed = how.is_signed();
        let wide = wire("is_wide", how.is_wide());

        let several = wire("is_several_here", Conversion::is_several(&how.code));
        let is_float = wire("is_float", &several & &how.code.bit(2));
        let is_shared = wire("is_shared", &is_float & &how.code.bit(0));

        let exponent = get(&self.exponent);
        let large = wire("from_1", exponent.ge(&lit(8, 127)));
        let least = is_float.mux(&is_shared.mux(&lit(8, SHARED), &lit(8, SMALL)), &lit(8, 126));
        let places = wire("places", &least - &exponent);
        // Of floats, which then keep their places.
        let normal = wire("is_normal", &is_float & &exponent.ge(&least));
        let above = wire("above", (&exponent - &least) & normal.repeat(8));
        // By more than 16 places nothing is left to round.
        let tiny = wire("is_tiny", places.gt(&lit(8, 16)) & !&normal);
        let places = places.bits(0, 5) & (!&normal).repeat(5);
        let product = get(&self.product);
        let moved = wire("moved_down", product.shr(&places));
        let lost = (&product.bits(0, 16) & &!ones(16).shl(&places)).any();
        let rest = moved.bits(0, 23).any() | lost;
        let cut = &is_float & &(how.code.bit(0) | how.code.bit(1));
        let up = wire("up", all_of(&[moved.bit(23), rest | moved.bit(24), !cut]));
        let size = wire("size", moved.bits(24, 16) + up.zext(16));
        let most = cat([&(&wide & &!&signed), &wide.repeat(7), &!(&!&wide & &signed), &ones(7)]);
        let most = several.mux(&how.is_alpha().mux(&lit(16, 3), &lit(16, 0x3ff)), &most);
        let size = size & (!&tiny).repeat(16);
        let part = is_shared.mux(&self.fraction(&size, &above), &self.small(&how, &size, &above).zext(15));
        let size = large.mux(&most, &size);
        let negative = get(&self.negative);
        let none =
            wire("is_none", get(&self.nan) | (&negative & &any_of(&[!&signed, is_srgb.clone(), several.clone()])));
        let size = is_srgb.mux(&byte.zext(16), &size);
        let size = wire("size_there", size & (!&none).repeat(16));
        let minus = &negative & &!&none;
        let number = wire("number", (&size ^ &minus.repeat(16)) + minus.zext(16));
        let high = wide.mux(&number.bits(8, 8), &number.bits(0, 8));
        let low = wire("element", cat([&high, &number.bits(0, 8)]));
        let part = is_float.mux(&part.zext(PART), &size);
        let phase = get(&self.phase);
        let places = how.component.one_hot(4) & (&several & &phase.is(1)).repeat(4);
        self.parts.write(&get(&self.thread), &part.repeat(4), &places);
        set(&self.result, several.mux(&self.word(&how), &cat([&low, &low])));
        let ends = phase.bit(0) & (!(&several & &how.is_last()) | phase.bit(1));
        set(&self.last, is_srgb.mux(&phase.bit(4), &ends));
    }
}

rtl_block!(Pack, "pack");
