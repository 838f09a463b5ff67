//! Floats of registers as elements of device memory, one a time, for the coalescer of a chip of G13.
//!
//! | port     | width               | meaning                                              |
//! |----------|---------------------|------------------------------------------------------|
//! | `value`  | 32                  | the float, of 16 bits in the low ones                |
//! | `how`    | `Conversion::width` | its format: an integer of 8 or 16 bits               |
//! | `phase`  | 5                   | cycles that both have been there                     |
//! | `last`   | 1                   | `result` belongs to them                             |
//! | `result` | 32                  | the element, in every place of its word it may go    |
//!
//! A float times 2^b - 1 is a difference of its significand moved by b and itself; moved to the right by the exponent it
//! is rounded once. A byte of sRGB is looked for, bit by bit, in the table of the smallest floats of each.
//!
//! Timing: phase 1 is the last, of sRGB phase 16.
//! Reset: none. Errors: none.
//! Source: docs/instruction-sets.md, G13; the table: `warpsmith_isa::numbers::SRGB_BOUNDS`.

use super::format::{code, Conversion};
use crate::rtl::prelude::*;
use warpsmith_isa::numbers::SRGB_BOUNDS;

/// Bits of a product of a significand and 2^16 - 1.
const PRODUCT: usize = 40;
/// Bits of a bound: 4 of the exponent field, which is 0x70 and them, and the fraction.
const BOUND: usize = 27;

block! {
    /// See the module.
    pub struct Pack() {
        in value(32),
        in how(Conversion::width(())),
        in phase(5),
        out last(1),
        out result(32),
        part bounds(Rom: "bounds", BOUND, bounds()),
        data product(PRODUCT),
        data exponent(8),
        data fraction(23),
        data negative(1),
        data nan(1),
        /// Bits of a byte of sRGB that are found.
        data found(8),
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
        let moved = wide.mux(&signed.mux(&moved(15), &moved(16)), &signed.mux(&moved(7), &moved(8)));
        set(&self.product, wire("moved", moved) - significand.zext(PRODUCT));
        let top = half.mux(&field.all(), &v.bits(23, 8).all());
        set(&self.nan, top & fraction.any());
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
}

impl Rtl for Pack {
    fn rtl(&self) {
        let how = Conversion::unpack((), "how", &get(&self.how));
        self.read(&how);
        let byte = self.srgb();
        let is_srgb = wire("is_srgb", how.code.is(code::SRGB) & !how.is_alpha());
        let signed = how.is_signed();
        let wide = wire("is_wide", how.is_wide());

        let exponent = get(&self.exponent);
        let large = wire("from_1", exponent.ge(&lit(8, 127)));
        let places = wire("places", lit(8, 126) - &exponent);
        // By more than 16 places nothing is left to round.
        let tiny = wire("is_tiny", places.gt(&lit(8, 16)));
        let places = places.bits(0, 5);
        let product = get(&self.product);
        let moved = wire("moved_down", product.shr(&places));
        let lost = (&product.bits(0, 16) & &!ones(16).shl(&places)).any();
        let rest = moved.bits(0, 23).any() | lost;
        let up = wire("up", moved.bit(23) & (rest | moved.bit(24)));
        let size = wire("size", moved.bits(24, 16) + up.zext(16));
        let most = cat([&(&wide & &!&signed), &wide.repeat(7), &!(&!&wide & &signed), &ones(7)]);
        let size = large.mux(&most, &(size & (!&tiny).repeat(16)));
        let negative = get(&self.negative);
        let none = wire("is_none", get(&self.nan) | (&negative & &(!&signed | &is_srgb)));
        let size = is_srgb.mux(&byte.zext(16), &size);
        let size = wire("size_there", size & (!&none).repeat(16));
        let minus = &negative & &!&none;
        let number = wire("number", (&size ^ &minus.repeat(16)) + minus.zext(16));
        let high = wide.mux(&number.bits(8, 8), &number.bits(0, 8));
        let low = wire("element", cat([&high, &number.bits(0, 8)]));
        set(&self.result, cat([&low, &low]));
        set(&self.last, is_srgb.mux(&get(&self.phase).bit(4), &get(&self.phase).bit(0)));
    }
}

rtl_block!(Pack, "pack");
