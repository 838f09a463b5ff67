//! Multiplier of a lane: one signed 25 x 25-bit product, registered before and after.
//!
//! | port | width | meaning                                            |
//! |------|-------|----------------------------------------------------|
//! | `a`  | 25    | two's complement factor                            |
//! | `b`  | 25    | two's complement factor                            |
//! | `p`  | 48    | low 48 bits of the product, two cycles later       |
//!
//! The width serves every integer product: 24-bit and 16-bit factors, signed or unsigned, fit 25
//! signed bits ([`factor`]), so no correction stands around the array. A float multiply shares it
//! by putting its two 24-bit significands, zero extended, on `a` and `b` ([`significand`]) and reading
//! the exact 48-bit product from `p` in stage E2. Operations without a product give a `b` of 0.
//!
//! Timing: `a`, `b` of cycle t give `p` in cycle t + 2 (stage E2); a new product every cycle. The
//! registers are those of the DSP slice. Xilinx 7: two DSP48E1 (25 x 17 unsigned, 25 x 8 signed).
//! Reset: none, data is qualified elsewhere. Errors: none.
//! Source: docs/integers.md, IMUL and IMUL24.

use crate::rtl::prelude::*;

/// Bits of a factor.
pub const FACTOR: usize = 25;
/// Bits kept of the product.
pub const PRODUCT: usize = 48;

block! {
    /// See the module.
    pub struct Multiplier() {
        in a(FACTOR),
        in b(FACTOR),
        out p(PRODUCT),
        data factor_a(FACTOR),
        data factor_b(FACTOR),
        data product(PRODUCT),
    }
}

impl Rtl for Multiplier {
    fn rtl(&self) {
        set(&self.factor_a, get(&self.a));
        set(&self.factor_b, get(&self.b));
        // Signed in the Verilog sense: synthesis sees 25 x 25 bits behind the sign extension. An
        // unsigned product of extended factors would become a 48 x 48 array.
        let factor = |x: &Reg| get(x).sext(PRODUCT);
        let product = factor(&self.factor_a).mul_signed(&factor(&self.factor_b));
        set(&self.product, product);
        set(&self.p, get(&self.product));
    }
}

rtl_block!(Multiplier, "multiplier");

/// The factor that stands for the low 24 bits (`mul24`) or the low 16 bits of a 32-bit operand.
pub fn factor(x: &Expr, mul24: &Expr, signed: &Expr) -> Expr {
    let short = cat([&(signed & &x.bit(15)).repeat(9), &x.bits(0, 16)]);
    let long = cat([&(signed & &x.bit(23)), &x.bits(0, 24)]);
    mul24.mux(&long, &short)
}

/// The same, or with `float` the significand of a float: the fraction stands where an unsigned 24-bit
/// factor has it, `leading`, its leading one, replaces the exponent's last bit.
pub fn significand(x: &Expr, leading: &Expr, float: &Expr, mul24: &Expr, signed: &Expr) -> Expr {
    let f = factor(x, &(float | mul24), &(!float & signed)).named();
    let top = float.mux(leading, &f.bit(23));
    cat([&f.bit(24), &top, &f.bits(0, 23)])
}

/// The 32 bits of the product an instruction names: 47:16 when `high`, else 31:0.
pub fn part(product: &Expr, high: &Expr) -> Expr {
    high.mux(&product.bits(16, 32), &product.bits(0, 32))
}
