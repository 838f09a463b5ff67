//! Multiplier of the unit for floats of 64 bits: the product of two significands in four stages.
//!
//! | port | width | meaning                                 |
//! |------|-------|-----------------------------------------|
//! | `a`  | 53    | factor                                  |
//! | `b`  | 53    | factor                                  |
//! | `p`  | 106   | their product, four cycles later        |
//!
//! Nine products of 18 and 17 bits, which multipliers of FPGAs have, and a row for the two highest bits of `b`.
//!
//! Timing: `a`, `b` of cycle t give `p` in cycle t + 4; a new product every cycle.
//! Reset: none, data is qualified elsewhere. Errors: none.

use super::operand::SIGNIFICAND;
use crate::rtl::prelude::*;

/// Bits of the product.
pub const PRODUCT: usize = 2 * SIGNIFICAND;
/// Bits of the parts of a factor.
const PART_A: usize = 18;
const PART_B: usize = 17;
/// Parts of a factor that are multiplied.
const PARTS: usize = 3;
/// Bits of `b` in its last row.
const REST: usize = SIGNIFICAND - PARTS * PART_B;
/// Bits of a row: `a` times a part of `b`.
const ROW: usize = SIGNIFICAND + PART_B;

block! {
    /// See the module.
    pub struct DoubleMultiplier() {
        in a(SIGNIFICAND),
        in b(SIGNIFICAND),
        out p(PRODUCT),
        data factor_a(SIGNIFICAND),
        data factor_b(SIGNIFICAND),
        /// Parts of a times parts of b, those of one part of b side by side.
        data part([PARTS * PARTS] PART_A + PART_B),
        data rest(SIGNIFICAND + REST),
        data row([PARTS] ROW),
        data last(SIGNIFICAND + REST),
        data sum(PRODUCT),
    }
}

impl Rtl for DoubleMultiplier {
    fn rtl(&self) {
        set(&self.factor_a, get(&self.a));
        set(&self.factor_b, get(&self.b));
        let (a, b) = (get(&self.factor_a), get(&self.factor_b));
        let parts = a.zext(PARTS * PART_A).each_word(PART_A);
        for (i, product) in self.part.iter().enumerate() {
            let of_b = b.bits(i / PARTS * PART_B, PART_B).called("of_b");
            set(product, parts[i % PARTS].mul(&of_b));
        }
        let times = |bit: usize| &a & &b.bit(PARTS * PART_B + bit).repeat(SIGNIFICAND);
        let rest = SIGNIFICAND + REST;
        set(&self.rest, times(0).zext(rest) + cat([&times(1), &zero(1)]).zext(rest));

        for (row, parts) in self.row.iter().zip(self.part.chunks(PARTS)) {
            let at = |(i, part): (usize, &Reg)| {
                let part = get(part);
                let part = if i == 0 { part } else { cat([&part, &zero(i * PART_A)]) };
                part.resize(ROW)
            };
            let parts: Vec<Expr> = parts.iter().enumerate().map(at).collect();
            set(row, parts[0].clone() + &parts[1] + &parts[2]);
        }
        set(&self.last, get(&self.rest));

        let at = |row: &Expr, i: usize| {
            let row = if i == 0 { row.clone() } else { cat([row, &zero(i * PART_B)]) };
            row.resize(PRODUCT)
        };
        let rows: Vec<Expr> = get_all(&self.row);
        let low = wire("low_rows", at(&rows[0], 0) + at(&rows[1], 1));
        let high = wire("high_rows", at(&rows[2], 2) + at(&get(&self.last), PARTS));
        set(&self.sum, low + high);
        set(&self.p, get(&self.sum));
    }
}

rtl_block!(DoubleMultiplier, "double_multiplier");
