//! What goes on to the adder: an operand, their difference, or a bitwise function of the two.
//!
//! Three bits of code, three operands: one look-up table a bit. Operands come inverted where an
//! instruction inverts them.
//! Source: docs/integers.md, LOP.

use crate::rtl::prelude::*;

/// Nothing.
pub const NONE: u64 = 0;
/// The difference.
pub const DIFFERENCE: u64 = 1;
/// Result is a.
pub const PASS_A: u64 = 2;
/// Result is b; differs from a's code in bit 0 alone.
pub const PASS_B: u64 = 3;

/// Code of a logic instruction: `op` 0 and, 1 or, 2 xor, 3 pass b.
pub fn code(op: &Expr) -> Expr {
    cat([&lit(1, 1), op])
}

/// What `code` says of `a`, `b` and their `difference` (equal widths).
pub fn combine(code: &Expr, a: &Expr, b: &Expr, difference: &Expr) -> Expr {
    let (a, b, code) = (a.named(), b.named(), code.named());
    let two = |high: &Expr, low: &Expr| code.bit(0).mux(high, low);
    let bitwise = code.bit(1).mux(&two(&b, &(&a ^ &b)), &two(&(&a | &b), &(&a & &b)));
    let other = code.bit(1).mux(&two(&b, &a), &two(difference, &zero(a.width())));
    code.bit(2).mux(&bitwise, &other)
}
