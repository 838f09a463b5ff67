//! The opcodes of Ivy Bridge.
//!
//! Columns: name and mnemonic, bits 6:0, format, what it takes (P a predicate, S saturation, C a condition), what is known,
//! types of the sources and of the destination as the pages name them, meaning.

use super::{row, Format::*, Op, CONDITION, PREDICATE, SATURATE};
use crate::set::Status::{Decided, Specified};

const P: u8 = PREDICATE;
const PS: u8 = PREDICATE | SATURATE;
const PC: u8 = PREDICATE | CONDITION;
const PSC: u8 = PREDICATE | SATURATE | CONDITION;

/// The opcodes.
#[rustfmt::skip]
pub static OPS: &[Op] = &[
    // Moves, selects, logic, shifts, comparisons, bit fields
    row("mov",     0x01, One,    PSC, Specified, "*B *W *D F DF", "*B *W *D F DF", "dst = convert(src0); same type, no modifier, no sat = raw move (bits unchanged)"),
    row("sel",     0x02, Two,    PSC, Specified, "*B *W *D F DF", "same",          "cmod none: dst = predicate ? src0 : src1 (the predicate does not mask); cmod: dst = (src0 cmod src1) ? src0 : src1, ge/l with the cmpn NaN rule; flags not written"),
    row("movi",    0x03, One,    PS,  Decided,   "*B *W *D F",    "same",          "dst.chan[n] = byte/word/dword of the GRF addressed by a0 as an index vector (decided: as mov with indirect source)"),
    row("not",     0x04, One,    PC,  Specified, "int",           "int",           "dst = ~src0"),
    row("and",     0x05, Two,    PC,  Specified, "int",           "int",           "dst = src0 & src1"),
    row("or",      0x06, Two,    PC,  Specified, "int",           "int",           "dst = src0 | src1"),
    row("xor",     0x07, Two,    PC,  Specified, "int",           "int",           "dst = src0 ^ src1"),
    row("shr",     0x08, Two,    PSC, Specified, "*D *W *B",      "*D *W *B",      "dst = zero-extended src0 >> (src1 & 31)"),
    row("shl",     0x09, Two,    PSC, Specified, "*D *W *B",      "*D *W *B",      "dst = src0 << (src1 & 31)"),
    row("asr",     0x0c, Two,    PSC, Specified, "*D *W *B",      "*D *W *B",      "dst = sign-extended src0 >> (src1 & 31)"),
    row("cmp",     0x10, Two,    PC,  Specified, "*B *W *D F DF", "*B *W *D F DF", "flag = src0 cmod src1 (pre-condition on the exact difference; any NaN gives false, nz gives true); dst (if not null) = all ones / 0 of dst type"),
    row("cmpn",    0x11, Two,    PC,  Specified, "*B *W *D F DF", "*B *W *D F DF", "as cmp for ge and l, but: src1 NaN -> true, src0 NaN -> false"),
    row("f32to16", 0x13, One,    PSC, Decided,   "F",             "W",             "low word of each dword = f16(src0) (RNE decided), f32 denormals to signed zero, f16 denormals produced; upper word unchanged"),
    row("f16to32", 0x14, One,    PSC, Specified, "W UW",          "F",             "dst = f32 of the f16 in the word, denormals exact"),
    row("bfrev",   0x17, One,    P,   Specified, "UD",            "UD",            "dst = bit reversal"),
    row("bfe",     0x18, Three,  P,   Specified, "UD D",          "UD D",          "w = src0 & 31, o = src1 & 31; w=0: 0; o+w<32: field of src2, zero/sign-extended; else src2 >> o (logical/arithmetic)"),
    row("bfi1",    0x19, Two,    P,   Specified, "UD D",          "UD D",          "w = src0 & 31, o = src1 & 31: dst = (2^w - 1) << o"),
    row("bfi2",    0x1a, Three,  P,   Specified, "UD D",          "UD D",          "dst = (src0 & src1) | (~src0 & src2)"),

    // Integer and float arithmetic
    row("math",    0x38, Math,   PS,  Decided,   "F D UD",        "same",          "extended math by FC"),
    row("add",     0x40, Two,    PSC, Specified, "*B *W *D F DF", "*B *W *D F DF", "dst = src0 + src1"),
    row("mul",     0x41, Two,    PSC, Specified, "*B *W *D F DF", "*B *W *D F DF", "dst = src0 * src1; D/UD x D/UD: only the low 16 bits of src1 are used (48-bit product, see mach)"),
    row("avg",     0x42, Two,    PSC, Specified, "*B *W *D",      "*B *W *D",      "dst = (src0 + src1 + 1) >> 1 (exact)"),
    row("frc",     0x43, One,    PC,  Specified, "F",             "F",             "dst = src0 - floor(src0)"),
    row("rndu",    0x44, One,    PSC, Decided,   "F",             "F",             "floor(src0) + 1, src0 itself when integral"),
    row("rndd",    0x45, One,    PSC, Specified, "F",             "F",             "floor"),
    row("rnde",    0x46, One,    PSC, Specified, "F",             "F",             "nearest even"),
    row("rndz",    0x47, One,    PSC, Specified, "F",             "F",             "toward zero"),
    row("mac",     0x48, Two,    PSC, Specified, "*B *W F",       "*B *W *D F",    "dst = src0*src1 + acc; acc = dst if AccWrEnable"),
    row("mach",    0x49, Two,    PSC, Specified, "D UD",          "D UD",          "acc = acc + ((src0 * (src1 >> 16)) << 16), 64 bits, src1 >> 16 signed for D; dst = acc >> 32"),
    row("lzd",     0x4a, One,    PSC, Specified, "D UD",          "UD",            "number of leading zeros (32 for 0)"),
    row("fbh",     0x4b, One,    P,   Specified, "D UD",          "UD",            "UD: leading zeros; D: leading bits equal to the sign (from bit 31); all equal: 0xffffffff"),
    row("fbl",     0x4c, One,    P,   Specified, "UD",            "UD",            "trailing zeros; 0: 0xffffffff"),
    row("cbit",    0x4d, One,    P,   Specified, "UB UW UD",      "UD",            "number of ones"),
    row("addc",    0x4e, Two,    PC,  Specified, "UD",            "UD",            "dst = low 32 of src0+src1, acc = carry"),
    row("subb",    0x4f, Two,    PC,  Specified, "UD",            "UD",            "dst = src0-src1, acc = borrow"),
    row("sad2",    0x50, Two,    PSC, Specified, "B UB",          "W UW",          "|s0.0-s1.0| + |s0.1-s1.1| per pair"),
    row("sada2",   0x51, Two,    PSC, Specified, "B UB",          "W UW",          "sad2 + acc"),
    row("dp4",     0x54, Two,    PSC, Specified, "F",             "F",             "4-tuple dot product to all 4 channels"),
    row("dph",     0x55, Two,    PSC, Specified, "F",             "F",             "x0*x1+y0*y1+z0*z1+w1"),
    row("dp3",     0x56, Two,    PSC, Specified, "F",             "F",             "3 terms"),
    row("dp2",     0x57, Two,    PSC, Specified, "F",             "F",             "2 terms"),
    row("line",    0x59, Two,    PSC, Decided,   "F",             "F",             "dst = p*src1 + q: p, q = components 0, 3 of the 16-byte group of src0"),
    row("pln",     0x5a, Two,    PSC, Specified, "F",             "F",             "p*u + q*v + r"),
    row("mad",     0x5b, Three,  PSC, Specified, "F DF",          "F DF",          "dst = src1*src2 + src0"),
    row("lrp",     0x5c, Three,  PSC, Specified, "F",             "F",             "dst = src0*src1 + (1-src0)*src2"),

    // Control flow, messages, synchronisation
    row("illegal", 0x00, Bare,   0,   Decided,   "",              "",              "raises the illegal-opcode exception (decided: trap output, thread ends)"),
    row("jmpi",    0x20, Jump,   P,   Decided,   "D",             "",              "predicate of channel 0: IP = following instruction + 8*src1 bytes"),
    row("brd",     0x21, Jip,    P,   Decided,   "D",             "",              "branch diverging"),
    row("if",      0x22, JipUip, P,   Decided,   "",              "",              "channels with the predicate go on, the others to JIP"),
    row("brc",     0x23, JipUip, P,   Decided,   "D",             "",              "branch converging"),
    row("else",    0x24, Jip,    0,   Decided,   "",              "",              "channels that come here go to JIP, those parked here go on"),
    row("endif",   0x25, Jip,    0,   Decided,   "",              "",              "channels parked here go on; without any, to JIP"),
    row("while",   0x27, Jip,    P,   Decided,   "",              "",              "channels with the predicate go to JIP, the others on"),
    row("break",   0x28, JipUip, P,   Decided,   "",              "",              "channels with the predicate go behind the while at UIP; without others, to JIP"),
    row("cont",    0x29, JipUip, P,   Decided,   "",              "",              "channels with the predicate go to the while at UIP; without others, to JIP"),
    row("halt",    0x2a, JipUip, P,   Decided,   "",              "",              "channels with the predicate go to UIP, the others on; without any, to JIP"),
    row("call",    0x2c, Call,   P,   Decided,   "D",             "D UD",          "dst.0 = return IP, dst.1 = call mask; IP += src1"),
    row("ret",     0x2d, One,    P,   Decided,   "D UD",          "",              "IP = src0.0, call mask = src0.1"),
    row("wait",    0x30, Wait,   0,   Decided,   "UD",            "UD",            "wait until the notification count n != 0, then decrement"),
    row("send",    0x31, Send,   P,   Decided,   "*",             "*",             "message to a shared function: src0 payload, src1 descriptor, dst response"),
    row("sendc",   0x32, Send,   P,   Decided,   "*",             "*",             "as send after dependent threads (no effect here)"),
    row("nop",     0x7e, Bare,   0,   Specified, "",              "",              "nothing"),
];
