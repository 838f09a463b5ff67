//! Second half of G13's sine: `sin(x pi/2) / x`, one number a cycle, in five stages.
//!
//! | port | width | meaning                                                       |
//! |------|-------|---------------------------------------------------------------|
//! | `x`  | 32    | single precision; its sign means nothing, denormals are zeros |
//! | `y`  | 32    | 1 to pi/2; NaN where the size of x is more than 1             |
//!
//! ```text
//!  t         | E1               | E2              | E3      | E4
//!  place of  | square of the    | two products    | sum     | round, special
//!  x, table  | short remainder  |                 |         |
//! ```
//! The place of x has 31 fraction bits: 8 of them say the segment, the others how far x lies from its middle.
//!
//! Timing: inputs of cycle t are registered at its end; `y` is valid in cycle t + 5. Free running.
//! Reset: none, results mean nothing until inputs did. Errors: none.
//! Source: docs/instruction-sets.md, G13; coefficients: `warpsmith_isa::numbers`.

use crate::rtl::prelude::*;
use warpsmith_isa::numbers::{SINE_RATIO, SINE_REMAINDER};

/// Fraction bits of a place.
const PLACE: usize = 31;
/// Bits of a segment's remainder.
const REMAINDER: usize = SINE_REMAINDER as usize;
/// Bits of the remainder that is squared.
const SHORT: usize = REMAINDER - 7;
/// Bits of the square.
const SQUARE: usize = 2 * SHORT - 14;
/// Bits of the coefficients: the first has no sign.
const C0: usize = 35;
const C1: usize = 25;
const C2: usize = 17;

block! {
    /// See the module.
    pub struct SineRatio() {
        in x(32),
        out y(32),
        part base(Rom: "sine_base", C0, column(0, C0)),
        part slope(Rom: "sine_slope", C1, column(1, C1)),
        part bend(Rom: "sine_bend", C2, column(2, C2)),
        data e1_d(REMAINDER),
        data e2_d(REMAINDER),
        data e2_square(SQUARE),
        data e2_base(C0),
        data e2_slope(C1),
        data e2_bend(C2),
        data e3_base(C0),
        data e3_slope(C1 + REMAINDER - 21),
        data e3_bend(C2 + SQUARE - 14),
        data e4_sum(C0),
        data e5_y(32),
        /// x is 1; it is more or no number: in E1 to E4.
        data one([4] 1),
        data none([4] 1),
    }
}

/// A coefficient of each segment, two's complement.
fn column(n: usize, width: usize) -> Vec<u64> {
    SINE_RATIO.iter().map(|c| c[n] as u64 & ((1 << width) - 1)).collect()
}

/// A product of numbers with sign.
fn product(a: &Expr, b: &Expr) -> Expr {
    let width = a.width() + b.width();
    a.sext(width).mul_signed(&b.sext(width))
}

impl Rtl for SineRatio {
    fn rtl(&self) {
        let x = get(&self.x);
        let (exponent, fraction) = (x.bits(23, 8), x.bits(0, 23));
        let number = exponent.any();
        let significand = cat([&number, &fraction, &zero(PLACE - 24)]);
        let down = wire("down", lit(8, 126) - &exponent);
        let place = wire("place", significand.shr(&down));
        let large = wire("from_1", exponent.ge(&lit(8, 127)));
        let one = wire("is_one", exponent.is(127) & !fraction.any());
        set(&self.none[0], &large & &!&one);
        set(&self.one[0], one);
        let segment = place.bits(REMAINDER, PLACE - REMAINDER);
        let rows = [&self.base, &self.slope, &self.bend].map(|rom| rom.read(&segment));
        // From the middle.
        let remainder = place.bits(0, REMAINDER);
        set(&self.e1_d, cat([&!remainder.msb(), &remainder.bits(0, REMAINDER - 1)]));

        let d = get(&self.e1_d);
        let short = d.bits(REMAINDER - SHORT, SHORT).called("short");
        set(&self.e2_square, product(&short, &short).called("square").bits(14, SQUARE));
        set(&self.e2_d, d);
        for (to, row) in [&self.e2_base, &self.e2_slope, &self.e2_bend].into_iter().zip(rows) {
            set(to, row);
        }

        let slope = product(&get(&self.e2_slope), &get(&self.e2_d)).called("along");
        set(&self.e3_slope, slope.bits(21, C1 + REMAINDER - 21));
        let square = cat([&zero(1), &get(&self.e2_square)]);
        let bend = product(&get(&self.e2_bend), &square).called("bent");
        set(&self.e3_bend, bend.bits(15, C2 + SQUARE - 14));
        set(&self.e3_base, get(&self.e2_base));

        let sum = get(&self.e3_base) + get(&self.e3_slope).sext(C0) + get(&self.e3_bend).sext(C0);
        set(&self.e4_sum, sum);

        let rounded = wire("rounded", get(&self.e4_sum) + lit(C0, 1 << 10)).bits(11, 24);
        // From 1 up: the leading one is the exponent's.
        let value = cat([&zero(2), &ones(7), &rounded.bits(0, 23)]);
        let value = (!get(&self.one[3])).mux(&value, &lit(32, 0x3f80_0000));
        set(&self.e5_y, get(&self.none[3]).mux(&lit(32, 0x7fc0_0000), &value));
        set(&self.y, get(&self.e5_y));
        for kind in [&self.one, &self.none] {
            for i in 1..kind.len() {
                set(&kind[i], get(&kind[i - 1]));
            }
        }
    }
}

rtl_block!(SineRatio, "sine_ratio");
