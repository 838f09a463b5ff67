//! Special-function unit: one function of one number a cycle, in five stages.
//!
//! | port   | width | meaning                                                               |
//! |--------|-------|-----------------------------------------------------------------------|
//! | `func` | 3     | 0 RCP, 2 RSQ, 3 LG2, 4 SIN, 5 COS, 6 EX2                              |
//! | `neg`  | 1     | negate x, after `abs`                                                 |
//! | `abs`  | 1     | absolute value of x                                                   |
//! | `sat`  | 1     | clamp EX2 to 1; the other functions do not look at it                 |
//! | `x`    | 32    | operand: single precision; of SIN, COS, EX2 the reduced fixed point   |
//! | `y`    | 32    | result, single precision                                              |
//!
//! ```text
//!  t               | E1              | E2         | E3             | E4
//!  kind, exponent, | sq(X),          | + C2 sq(X) | magnitude,     | step of 1,
//!  row, remainder, | base + C1 X     |            | steps of 16, 4 | underflow,
//!  table           |                 |            |                | special, pack
//! ```
//!
//! Timing: inputs of cycle t are registered at its end; `y` is a register, valid in cycle t + 5. A
//! new operand every cycle, free running: no enable, no stall.
//! Reset: none, results mean nothing until inputs did. Errors: none; the reserved `func` 1 is RCP
//! and 7 is EX2.
//! Source: docs/numerics.md, Special functions (envytools, MIT).

pub mod halves;
pub mod index;
pub mod normalise;
pub mod sine_ratio;
pub mod squarer;
pub mod sum;
pub mod tables;

use crate::rtl::prelude::*;
use index::{Function, Kinds, REMAINDER};
use normalise::COARSE;
use squarer::SQUARE;
use sum::SUM;
use tables::{C2, ROW};

/// Exponent of bit 44 of a logarithm's sum.
const LG2_EXPONENT: u64 = 133;

block! {
    /// See the module.
    pub struct Sfu() {
        in func(3),
        in neg(1),
        in abs(1),
        in sat(1),
        in x(32),
        out y(32),
        part table(Rom: "sfu", ROW, tables::rows()),
        data e1_func(3),
        data e1_kinds(Kinds::width(())),
        data e1_x(REMAINDER),
        data e2_kinds(Kinds::width(())),
        data e2_c2(C2),
        data e2_square(SQUARE),
        data e2_linear(SUM),
        data e3_kinds(Kinds::width(())),
        data e3_sum(SUM),
        data e4_kinds(Kinds::width(())),
        data e4_near(COARSE),
        data e5_y(32),
    }
}

impl Rtl for Sfu {
    fn rtl(&self) {
        // Up to E1: kinds, row of the table, remainder.
        let (func, x) = (get(&self.func), get(&self.x));
        let sign = get(&self.neg) ^ (!get(&self.abs) & x.bit(31));
        let index = index::index(&func, &wire("sign", sign), &get(&self.sat), &x);
        set(&self.e1_func, func);
        set(&self.e1_kinds, index.kinds.pack());
        let row = self.table.read(&index.row);
        set(&self.e1_x, index.remainder);

        // E1: base + C1 X, and the square.
        let f = Function::decode("e1_", &get(&self.e1_func));
        let x = get(&self.e1_x);
        let kinds = Kinds::unpack((), "e1", &get(&self.e1_kinds));
        set(&self.e2_linear, sum::linear(&f, &row, &kinds.exponent, &x));
        set(&self.e2_c2, sum::c2(&row));
        set(&self.e2_square, squarer::square(&x));
        let lg2 = lit(kinds.exponent.width(), LG2_EXPONENT);
        let exponent = f.lg2.mux(&lg2, &kinds.exponent);
        set(&self.e2_kinds, Kinds { exponent, ..kinds }.pack());

        // E2: + C2 sq(X).
        let square = get(&self.e2_square);
        let linear = get(&self.e2_linear);
        set(&self.e3_sum, sum::quadratic(&linear, &get(&self.e2_c2), &square));
        set(&self.e3_kinds, get(&self.e2_kinds));

        // E3: the leading one among the first four bits.
        let sum = get(&self.e3_sum);
        let kinds = Kinds::unpack((), "e3", &get(&self.e3_kinds));
        let (near, exponent) = normalise::coarse(&sum, &kinds.exponent);
        set(&self.e4_near, near);
        let sign = &kinds.sign | &(sum.msb() & !kinds.special.any());
        let kinds = Kinds { sign, exponent, ..kinds };
        set(&self.e4_kinds, kinds.pack());

        // E4: result.
        let kinds = Kinds::unpack((), "e4", &get(&self.e4_kinds));
        let number = normalise::fine(&get(&self.e4_near), &kinds.exponent);
        let top = kinds.special.bit(1);
        let fixed = cat([&top.repeat(8), &(&top & &kinds.special.bit(0)).repeat(23)]);
        let magnitude = kinds.special.any().mux(&fixed, &number);
        set(&self.e5_y, cat([&kinds.sign, &magnitude]));
        set(&self.y, get(&self.e5_y));
    }
}

rtl_block!(Sfu, "sfu");
