//! Integer and float arithmetic.

use super::{row, Format, Op, CONDITION, PREDICATE, SATURATE};
use crate::set::Status::{Decided, Specified};

pub(super) const ROWS: &[Op] = &[
row("math", 0x38, Format::Math, PREDICATE | SATURATE, "F D UD", "same", Decided, "extended math by FC"),
row("add", 0x40, Format::Two, PREDICATE | SATURATE | CONDITION, "*B *W *D F DF", "*B *W *D F DF", Specified, "dst = src0 + src1"),
row("mul", 0x41, Format::Two, PREDICATE | SATURATE | CONDITION, "*B *W *D F DF", "*B *W *D F DF", Specified, "dst = src0 * src1; D/UD x D/UD: only the low 16 bits of src1 are used (48-bit product, see mach)"),
row("avg", 0x42, Format::Two, PREDICATE | SATURATE | CONDITION, "*B *W *D", "*B *W *D", Specified, "dst = (src0 + src1 + 1) >> 1 (exact)"),
row("frc", 0x43, Format::One, PREDICATE | CONDITION, "F", "F", Specified, "dst = src0 - floor(src0)"),
row("rndu", 0x44, Format::One, PREDICATE | SATURATE | CONDITION, "F", "F", Decided, "see ivb.md (increment form)"),
row("rndd", 0x45, Format::One, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "floor"),
row("rnde", 0x46, Format::One, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "nearest even"),
row("rndz", 0x47, Format::One, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "toward zero"),
row("mac", 0x48, Format::Two, PREDICATE | SATURATE | CONDITION, "*B *W F", "*B *W *D F", Specified, "dst = src0*src1 + acc; acc = dst if AccWrEnable"),
row("mach", 0x49, Format::Two, PREDICATE | SATURATE | CONDITION, "D UD", "D UD", Specified, "acc = acc + ((src0 * (src1 >> 16)) << 16), 64 bits, src1 >> 16 signed for D; dst = acc >> 32"),
row("lzd", 0x4a, Format::One, PREDICATE | SATURATE | CONDITION, "D UD", "UD", Specified, "number of leading zeros (32 for 0)"),
row("fbh", 0x4b, Format::One, PREDICATE, "D UD", "UD", Specified, "UD: leading zeros; D: leading bits equal to the sign (from bit 31); all equal: 0xffffffff"),
row("fbl", 0x4c, Format::One, PREDICATE, "UD", "UD", Specified, "trailing zeros; 0: 0xffffffff"),
row("cbit", 0x4d, Format::One, PREDICATE, "UB UW UD", "UD", Specified, "number of ones"),
row("addc", 0x4e, Format::Two, PREDICATE | CONDITION, "UD", "UD", Specified, "dst = low 32 of src0+src1, acc = carry"),
row("subb", 0x4f, Format::Two, PREDICATE | CONDITION, "UD", "UD", Specified, "dst = src0-src1, acc = borrow"),
row("sad2", 0x50, Format::Two, PREDICATE | SATURATE | CONDITION, "B UB", "W UW", Specified, "|s0.0-s1.0| + |s0.1-s1.1| per pair"),
row("sada2", 0x51, Format::Two, PREDICATE | SATURATE | CONDITION, "B UB", "W UW", Specified, "sad2 + acc"),
row("dp4", 0x54, Format::Two, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "4-tuple dot product to all 4 channels"),
row("dph", 0x55, Format::Two, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "x0*x1+y0*y1+z0*z1+w1"),
row("dp3", 0x56, Format::Two, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "3 terms"),
row("dp2", 0x57, Format::Two, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "2 terms"),
row("line", 0x59, Format::Two, PREDICATE | SATURATE | CONDITION, "F", "F", Decided, "p*v + q: p = src0.0, q = src0.3 of each... see ivb.md"),
row("pln", 0x5a, Format::Two, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "p*u + q*v + r"),
row("mad", 0x5b, Format::Three, PREDICATE | SATURATE | CONDITION, "F DF", "F DF", Specified, "dst = src1*src2 + src0"),
row("lrp", 0x5c, Format::Three, PREDICATE | SATURATE | CONDITION, "F", "F", Specified, "dst = src0*src1 + (1-src0)*src2"),
];
