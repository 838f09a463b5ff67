//! Moves, selects, logic, shifts, comparisons, bit fields.

use super::{row, Format, Op, CONDITION, PREDICATE, SATURATE};
use crate::set::Status::{Decided, Specified};

pub(super) const ROWS: &[Op] = &[
row("mov", 0x01, Format::One, PREDICATE | SATURATE | CONDITION, "*B *W *D F DF", "*B *W *D F DF", Specified, "dst = convert(src0); same type, no modifier, no sat = raw move (bits unchanged)"),
row("sel", 0x02, Format::Two, PREDICATE | SATURATE | CONDITION, "*B *W *D F DF", "same", Specified, "cmod none: dst = predicate ? src0 : src1 (the predicate does not mask); cmod: dst = (src0 cmod src1) ? src0 : src1, ge/l with the cmpn NaN rule; flags not written"),
row("movi", 0x03, Format::One, PREDICATE | SATURATE, "*B *W *D F", "same", Decided, "dst.chan[n] = byte/word/dword of the GRF addressed by a0 as an index vector (decided: as mov with indirect source)"),
row("not", 0x04, Format::One, PREDICATE | CONDITION, "int", "int", Specified, "dst = ~src0"),
row("and", 0x05, Format::Two, PREDICATE | CONDITION, "int", "int", Specified, "dst = src0 & src1"),
row("or", 0x06, Format::Two, PREDICATE | CONDITION, "int", "int", Specified, "dst = src0 | src1"),
row("xor", 0x07, Format::Two, PREDICATE | CONDITION, "int", "int", Specified, "dst = src0 ^ src1"),
row("shr", 0x08, Format::Two, PREDICATE | SATURATE | CONDITION, "*D *W *B", "*D *W *B", Specified, "dst = zero-extended src0 >> (src1 & 31)"),
row("shl", 0x09, Format::Two, PREDICATE | SATURATE | CONDITION, "*D *W *B", "*D *W *B", Specified, "dst = src0 << (src1 & 31)"),
row("asr", 0x0c, Format::Two, PREDICATE | SATURATE | CONDITION, "*D *W *B", "*D *W *B", Specified, "dst = sign-extended src0 >> (src1 & 31)"),
row("cmp", 0x10, Format::Two, PREDICATE | CONDITION, "*B *W *D F DF", "*B *W *D F DF", Specified, "flag = src0 cmod src1 (pre-condition on the exact difference; any NaN gives false, nz gives true); dst (if not null) = all ones / 0 of dst type"),
row("cmpn", 0x11, Format::Two, PREDICATE | CONDITION, "*B *W *D F DF", "*B *W *D F DF", Specified, "as cmp for ge and l, but: src1 NaN -> true, src0 NaN -> false"),
row("f32to16", 0x13, Format::One, PREDICATE | SATURATE | CONDITION, "F", "W", Decided, "low word of each dword = f16(src0) (RNE decided), f32 denormals to signed zero, f16 denormals produced; upper word unchanged"),
row("f16to32", 0x14, Format::One, PREDICATE | SATURATE | CONDITION, "W UW", "F", Specified, "dst = f32 of the f16 in the word, denormals exact"),
row("bfrev", 0x17, Format::One, PREDICATE, "UD", "UD", Specified, "dst = bit reversal"),
row("bfe", 0x18, Format::Three, PREDICATE, "UD D", "UD D", Specified, "w = src0 & 31, o = src1 & 31; w=0: 0; o+w<32: field of src2, zero/sign-extended; else src2 >> o (logical/arithmetic)"),
row("bfi1", 0x19, Format::Two, PREDICATE, "UD D", "UD D", Specified, "w = src0 & 31, o = src1 & 31: dst = (2^w - 1) << o"),
row("bfi2", 0x1a, Format::Three, PREDICATE, "UD D", "UD D", Specified, "dst = (src0 & src1) | (~src0 & src2)"),
];
