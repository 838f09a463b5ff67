//! Multiplier of a lane of micro-operations: one signed 33 x 33-bit product in three stages.
//!
//! | port | width | meaning                                            |
//! |------|-------|----------------------------------------------------|
//! | `a`  | 33    | two's complement factor                            |
//! | `b`  | 33    | two's complement factor                            |
//! | `p`  | 64    | low 64 bits of the product, three cycles later     |
//!
//! The width serves 32-bit factors, signed or unsigned, and significands of 24 bits.
//!
//! Timing: `a`, `b` of cycle t give `p` in cycle t + 3; a new product every cycle. The registers are those of
//! the DSP slices: factors, products, sum. Xilinx 7: four DSP48E1.
//! Reset: none, data is qualified elsewhere. Errors: none.

use crate::rtl::prelude::*;

/// Bits of a factor.
pub const FACTOR: usize = 33;
/// Bits kept of the product.
pub const PRODUCT: usize = 64;

block! {
    /// See the module.
    pub struct UopMultiplier() {
        in a(FACTOR),
        in b(FACTOR),
        out p(PRODUCT),
        data factor_a(FACTOR),
        data factor_b(FACTOR),
        data product(PRODUCT),
        data sum(PRODUCT),
    }
}

impl Rtl for UopMultiplier {
    fn rtl(&self) {
        set(&self.factor_a, get(&self.a));
        set(&self.factor_b, get(&self.b));
        let factor = |x: &Reg| get(x).sext(PRODUCT);
        let product = factor(&self.factor_a).mul_signed(&factor(&self.factor_b));
        set(&self.product, product);
        set(&self.sum, get(&self.product));
        set(&self.p, get(&self.sum));
    }
}

rtl_block!(UopMultiplier, "uop_multiplier");
