//! Reciprocal and reciprocal square root of the unit for floats of 64 bits: a bit of the result a cycle.
//!
//! | port          | width | meaning                                                             |
//! |---------------|-------|---------------------------------------------------------------------|
//! | `clear`       | 1     | forget the operand                                                  |
//! | `go`          | 1     | an operand stands here until `done`                                 |
//! | `x`           | 32    | high word of a float of 64 bits whose low word is 0                 |
//! | `root`        | 1     | 1 / sqrt(x), else 1 / x                                             |
//! | `done`        | 1     | the result stands here                                              |
//! | `exponent`    | 12    | its exponent, biased by 1023                                        |
//! | `significand` | 22    | its significand, the highest bit that of the exponent; cut off      |
//!
//! The quotient q of 2^41 by the significand m, or the greatest q with q² m <= 2^62, begins at its highest bit. What
//! remains is doubled with every bit: `remainder` is (2^41 - q m) / 2^j, or (2^62 - q² m) / 2^j, before bit j.
//!
//! Timing: a normal operand takes 24 cycles from `go` to `done`, a denormal one more for each of its leading zeros.
//! Reset or `clear`: idle. Errors: none; of zeros, infinities, NaN and negative operands of a root the result
//! means nothing, and a result below the normal range stands for 0.
//! Source: docs/instruction-sets.md, Models; `sim/model/src/uop/special.rs`.

use super::operand::EXPONENT;
use crate::rtl::prelude::*;

/// Bits of the significand of a high word.
const SIGNIFICAND: usize = 21;
/// Bits of the result.
pub const RESULT: usize = SIGNIFICAND + 1;
/// Bits of the significand of a root's operand, of which one exponent in two is odd.
const OPERAND: usize = SIGNIFICAND + 1;
/// Bits of what remains.
const REMAINDER: usize = 47;
/// The number of the highest bit of the result.
const FIRST: u64 = RESULT as u64 - 1;

block! {
    /// See the module.
    pub struct DoubleReciprocal() {
        in clear(1),
        in go(1),
        in x(32),
        in root(1),
        out done(1),
        out exponent(EXPONENT),
        out significand(RESULT),
        /// An operand is being moved up until it begins with a one; bits of the result are found; all are.
        reg moves(1),
        reg finds(1),
        reg found(1),
        /// Number of the bit that is looked for.
        data place(5),
        /// Unbiased exponent of the operand, two's complement.
        data power(EXPONENT),
        data operand(OPERAND),
        data result(RESULT),
        data remainder(REMAINDER),
        /// Of a root: the operand times the result so far, and times 2^place.
        data product(REMAINDER - 2),
        data moved(REMAINDER - 2),
    }
}

impl Rtl for DoubleReciprocal {
    fn rtl(&self) {
        let (x, root, clear) = (get(&self.x), get(&self.root), get(&self.clear));
        let (moves, finds, found) = (get(&self.moves), get(&self.finds), get(&self.found));
        let busy = any_of(&[moves.clone(), finds.clone(), found.clone()]);
        let begins = wire("begins", get(&self.go) & !busy);

        // The operand, until it begins with a one.
        let (operand, power) = (get(&self.operand), get(&self.power));
        let field = x.bits(20, 11);
        let tiny = !field.any();
        let least = cat([&field.bits(1, 10), &(field.bit(0) | &tiny)]).zext(EXPONENT);
        let first_power = least - lit(EXPONENT, 1023);
        let first_operand = cat([&zero(1), &!tiny, &x.bits(0, 20)]);
        // Zero never does.
        let normal = wire("normal", operand.bit(SIGNIFICAND - 1) | !operand.any());
        let up = wire("moves_up", &moves & &!&normal);
        let starts = wire("starts", &moves & &normal);
        let odd = wire("odd_power", &root & &power.bit(0));
        let doubled = cat([&operand.bits(0, OPERAND - 1), &zero(1)]);
        when(&(&begins | &up | &(&starts & &odd)), || {
            set(&self.operand, begins.mux(&first_operand, &doubled));
        });
        when(&(&begins | &up), || set(&self.power, begins.mux(&first_power, &(&power - &lit(EXPONENT, 1)))));

        // A bit of the result.
        let place = get(&self.place);
        let (remainder, product, moved) = (get(&self.remainder), get(&self.product), get(&self.moved));
        let twice = cat([&product, &zero(1)]).zext(REMAINDER) + moved.zext(REMAINDER);
        let taken = wire("taken", root.mux(&twice, &operand.zext(REMAINDER)));
        let rest = wire("rest", cat([&zero(1), &remainder]) - taken.zext(REMAINDER + 1));
        let bit = wire("bit_found", !rest.msb());
        let left = bit.mux(&rest.bits(0, REMAINDER), &remainder);
        let of_root = lit(REMAINDER, 1 << 41);
        let first = root.mux(&of_root, &lit(REMAINDER, 1 << 20));
        let begun = odd.mux(&doubled, &operand);
        when(&(&starts | &finds), || {
            set(&self.remainder, finds.mux(&cat([&left.bits(0, REMAINDER - 1), &zero(1)]), &first));
            let own = &moved & &bit.repeat(REMAINDER - 2);
            set(&self.product, (&product + &own) & finds.repeat(REMAINDER - 2));
            let highest = cat([&begun, &zero(FIRST as usize)]).zext(REMAINDER - 2);
            set(&self.moved, finds.mux(&cat([&zero(1), &moved.bits(1, REMAINDER - 3)]), &highest));
            set(&self.place, finds.mux(&(&place - &lit(5, 1)), &lit(5, FIRST)));
            set(&self.result, cat([&get(&self.result).bits(0, RESULT - 1), &bit]));
        });

        let last = wire("last_bit", &finds & &place.is(0));
        let stays = !&clear;
        set(&self.moves, any_of(&[begins, up]) & &stays);
        set(&self.finds, (starts | (&finds & &!&last)) & &stays);
        set(&self.found, last & &stays);

        // 1 / (m 2^p) has the power -p, its root -p / 2, rounded down to an even p.
        let half = cat([&power.msb(), &power.bits(1, EXPONENT - 1)]);
        let of_result = root.mux(&half, &power);
        set(&self.done, found);
        set(&self.exponent, lit(EXPONENT, 1023) - of_result);
        set(&self.significand, get(&self.result));
    }
}

rtl_block!(DoubleReciprocal, "double_reciprocal");
