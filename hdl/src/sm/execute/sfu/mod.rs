//! Special-function unit: one function of one number a cycle, in five stages.
//!
//! | port   | width | meaning                                                               |
//! |--------|-------|-----------------------------------------------------------------------|
//! | `func` | 3     | 0 reciprocal; the other values belong to functions yet to come        |
//! | `neg`  | 1     | negate x, after `abs`                                                 |
//! | `abs`  | 1     | absolute value of x                                                   |
//! | `sat`  | 1     | clamp the power of two to 1                                            |
//! | `x`    | 32    | operand, single precision                                             |
//! | `y`    | 32    | result                                                                |
//!
//! ```text
//!  x | E1: C0, C1, C2, x, square | E2: C1 x, C2 square | E3: y
//!  table, squarer | two products | sum, pack           |
//! ```
//!
//! Timing: inputs of cycle t are registered at its end; `y` is a register, valid in cycle t + 5. A
//! new operand every cycle, free running: no enable, no stall.
//! Reset: none, results mean nothing until inputs did. Errors: none; a reserved `func` gives the
//! reciprocal.
//! Source: numerics.md, Special functions (envytools, MIT).

pub mod rcp;
pub mod squarer;
pub mod tables;

use crate::rtl::prelude::*;
use rcp::{C0, C1, C2};
use squarer::SQUARE;

/// Bits of the remainder.
const REMAINDER: usize = 16;

packed! {
    /// What the operand is, and its exponent.
    pub struct Kinds(_d: ()) {
        negative: 1,
        nan: 1,
        /// The result is infinite.
        infinite: 1,
        /// The result is zero.
        zero: 1,
        exponent: 8,
    }
}

/// See the module.
#[derive(LogicBlock)]
pub struct Sfu {
    pub func: Input,
    pub neg: Input,
    pub abs: Input,
    pub sat: Input,
    pub x: Input,
    pub y: Output,
    e1_kinds: Reg,
    e1_c0: Reg,
    e1_c1: Reg,
    e1_c2: Reg,
    e1_x: Reg,
    e1_square: Reg,
    e2_kinds: Reg,
    e2_c0: Reg,
    e2_linear: Reg,
    e2_quadratic: Reg,
    e3_y: Reg,
    e4_y: Reg,
    e5_y: Reg,
}

impl Sfu {
    /// The same in every configuration.
    pub fn new() -> Self {
        Self {
            func: Input::new(3),
            neg: Input::new(1),
            abs: Input::new(1),
            sat: Input::new(1),
            x: Input::new(32),
            y: Output::new(32),
            e1_kinds: Reg::data(Kinds::width(())),
            e1_c0: Reg::data(C0),
            e1_c1: Reg::data(C1),
            e1_c2: Reg::data(C2),
            e1_x: Reg::data(REMAINDER),
            e1_square: Reg::data(SQUARE),
            e2_kinds: Reg::data(Kinds::width(())),
            e2_c0: Reg::data(C0),
            e2_linear: Reg::data(C1 + REMAINDER),
            e2_quadratic: Reg::data(C2 + SQUARE),
            e3_y: Reg::data(32),
            e4_y: Reg::data(32),
            e5_y: Reg::data(32),
        }
    }
}

impl Default for Sfu {
    fn default() -> Self {
        Self::new()
    }
}

impl Rtl for Sfu {
    fn rtl(&self) {
        // Up to E1: kinds, coefficients, square.
        let x = get(&self.x);
        let (exponent, fraction) = (x.bits(23, 8), x.bits(0, 23));
        let full = wire("full", exponent.all());
        let some = wire("some", fraction.any());
        let kinds = Kinds {
            negative: get(&self.neg) ^ (!get(&self.abs) & x.bit(31)),
            nan: &full & &some,
            infinite: !exponent.any(),
            zero: &full & &!&some,
            exponent,
        };
        kinds.check(());
        set(&self.e1_kinds, kinds.pack());
        let (c0, c1, c2) = rcp::coefficients(&fraction.bits(REMAINDER, 7));
        set(&self.e1_c0, c0);
        set(&self.e1_c1, c1);
        set(&self.e1_c2, c2);
        let remainder = fraction.bits(0, REMAINDER);
        set(
            &self.e1_square,
            squarer::square(&cat([&remainder, &zero(1)])),
        );
        set(&self.e1_x, remainder);

        // E1: the two products, in DSP slices with their registers.
        set(&self.e2_kinds, get(&self.e1_kinds));
        set(&self.e2_c0, get(&self.e1_c0));
        set(&self.e2_linear, get(&self.e1_c1).mul(&get(&self.e1_x)));
        set(
            &self.e2_quadratic,
            get(&self.e1_c2).mul(&get(&self.e1_square)),
        );

        // E2: sum and result.
        let kinds = Kinds::unpack((), "e2", &get(&self.e2_kinds));
        let significand = rcp::significand(
            &get(&self.e2_c0),
            &get(&self.e2_linear),
            &get(&self.e2_quadratic),
        );
        let number = rcp::pack_result(&wire("significand", significand), &kinds.exponent);
        let finite = wire("finite", !&kinds.nan & !&kinds.infinite & !&kinds.zero);
        let special = cat([
            &(&kinds.nan | &kinds.infinite).repeat(8),
            &kinds.nan.repeat(23),
        ]);
        let sign = &kinds.negative & !&kinds.nan;
        set(&self.e3_y, cat([&sign, &finite.mux(&number, &special)]));
        set(&self.e4_y, get(&self.e3_y));
        set(&self.e5_y, get(&self.e4_y));
        set(&self.y, get(&self.e5_y));
    }
}

rtl_block!(Sfu, "sfu");
