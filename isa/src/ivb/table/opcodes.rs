//! The opcodes of Ivy Bridge.
//!
//! Columns: name and mnemonic, bits 6:0, section of Intel's manual, format, what it takes (P a predicate,
//! S saturation, C a condition, M modifiers of sources), what is known,
//! types of the sources and of the destination as the pages name them, meaning.

use super::{row, Format::*, Op, CONDITION, PREDICATE, SATURATE, SOURCE_MODIFIER};
use crate::set::Status::{Decided, Specified, Unknown};

const P: u8 = PREDICATE;
const PS: u8 = PREDICATE | SATURATE;
const PSM: u8 = PS | SOURCE_MODIFIER;
const PC: u8 = PREDICATE | CONDITION;
const PCM: u8 = PC | SOURCE_MODIFIER;
const PSCM: u8 = PREDICATE | SATURATE | CONDITION | SOURCE_MODIFIER;

/// The opcodes.
#[rustfmt::skip]
pub static OPS: &[Op] = &[
    // Moves, selects, logic, shifts, comparisons, bit fields
    row("mov",     0x01, "6.41.10", One,   PSCM, Specified, "*B *W *D F DF", "*B *W *D F DF", "dst = convert(src0); same type, no modifier, no sat = raw move (bits unchanged)"),
    row("sel",     0x02, "6.55",   Two,    PSCM, Specified, "*B *W *D F DF", "*B *W *D F DF", "cmod none: dst = predicate ? src0 : src1 (the predicate does not mask); cmod: dst = (src0 cmod src1) ? src0 : src1, ge/l with the cmpn NaN rule; flags not written"),
    row("movi",    0x03, "6.42",   One,    PSM,  Specified, "*B *W *D F",    "same",          "dst.chan[n] = byte/word/dword of the GRF that a0.n + offset addresses, n counted from the start of the destination register"),
    row("not",     0x04, "6.45",   One,    PCM,  Specified, "int",           "int",           "dst = ~src0"),
    row("and",     0x05, "6.6",    Two,    PCM,  Specified, "int",           "int",           "dst = src0 & src1"),
    row("or",      0x06, "6.46",   Two,    PCM,  Specified, "int",           "int",           "dst = src0 | src1"),
    row("xor",     0x07, "6.63",   Two,    PCM,  Specified, "int",           "int",           "dst = src0 ^ src1"),
    row("shr",     0x08, "6.59",   Two,    PSCM, Specified, "*D *W *B",      "*D *W *B",      "dst = zero-extended src0 >> (src1 & 31)"),
    row("shl",     0x09, "6.58",   Two,    PSCM, Specified, "*D *W *B",      "*D *W *B",      "dst = src0 << (src1 & 31)"),
    row("asr",     0x0c, "6.7",    Two,    PSCM, Specified, "*D *W *B",      "*D *W *B",      "dst = sign-extended src0 >> (src1 & 31)"),
    row("cmp",     0x10, "6.17",   Two,    PCM,  Specified, "*B *W *D F DF", "*B *W *D F DF", "flag = src0 cmod src1 (pre-condition on the exact difference; any NaN gives false, nz gives true); dst (if not null) = all ones / 0 of dst type"),
    row("cmpn",    0x11, "6.18",   Two,    PCM,  Specified, "*B *W *D F DF", "*B *W *D F DF", "as cmp, but: src1 NaN -> true, for nz false"),
    row("f32to16", 0x13, "6.27",   One,    PSCM, Decided,   "F",             "W",             "low word of each dword = f16(src0) (RNE decided), f32 denormals to signed zero, f16 denormals produced; upper word unchanged"),
    row("f16to32", 0x14, "6.26",   One,    PSCM, Specified, "W UW",          "F",             "dst = f32 of the f16 in the word, denormals exact"),
    row("bfrev",   0x17, "6.11",   One,    P,    Specified, "UD",            "UD",            "dst = bit reversal"),
    row("bfe",     0x18, "6.9",    Three,  P,    Specified, "UD D",          "UD D",          "w = src0 & 31, o = src1 & 31; w=0: 0; o+w<32: field of src2, zero/sign-extended; else src2 >> o (logical/arithmetic)"),
    row("bfi1",    0x19, "6.9.1",  Two,    P,    Specified, "UD D",          "UD D",          "w = src0 & 31, o = src1 & 31: dst = (2^w - 1) << o"),
    row("bfi2",    0x1a, "6.10",   Three,  P,    Specified, "UD D",          "UD D",          "dst = (src0 & src1) | (~src0 & src2)"),

    // Integer and float arithmetic
    row("math",    0x38, "6.41",   Math,   PS,   Decided,   "F D UD",        "same",          "extended math by FC"),
    row("add",     0x40, "6.4",    Two,    PSCM, Specified, "*B *W *D F DF", "*B *W *D F DF", "dst = src0 + src1"),
    row("mul",     0x41, "6.43",   Two,    PSCM, Specified, "*B *W *D F DF", "*B *W *D F DF", "dst = src0 * src1; D/UD x D/UD: only the low 16 bits of src1 are used (48-bit product, see mach)"),
    row("avg",     0x42, "6.8",    Two,    PSCM, Specified, "*B *W *D",      "*B *W *D",      "dst = (src0 + src1 + 1) >> 1 (exact)"),
    row("frc",     0x43, "6.30",   One,    PCM,  Specified, "F",             "F",             "dst = src0 - floor(src0)"),
    row("rndu",    0x44, "6.51",   One,    PSCM, Specified, "F",             "F",             "toward plus infinity, the sign of a zero kept"),
    row("rndd",    0x45, "6.49",   One,    PSCM, Specified, "F",             "F",             "floor"),
    row("rnde",    0x46, "6.50",   One,    PSCM, Specified, "F",             "F",             "nearest even"),
    row("rndz",    0x47, "6.52",   One,    PSCM, Specified, "F",             "F",             "toward zero"),
    row("mac",     0x48, "6.38",   Two,    PSCM, Specified, "*B *W F DF",    "*B *W *D F DF", "dst = src0*src1 + acc; acc = dst if AccWrEnable"),
    row("mach",    0x49, "6.39",   Two,    PSCM, Specified, "D UD",          "D UD",          "acc = acc + ((src0 * (src1 >> 16)) << 16), 64 bits, src1 >> 16 signed for D; dst = acc >> 32"),
    row("lzd",     0x4a, "6.37",   One,    PSCM, Specified, "D UD",          "UD",            "number of leading zeros (32 for 0)"),
    row("fbh",     0x4b, "6.28",   One,    P,    Specified, "D UD",          "UD",            "UD: leading zeros; D: leading bits equal to the sign (from bit 31); all equal: 0xffffffff"),
    row("fbl",     0x4c, "6.29",   One,    P,    Specified, "UD",            "UD",            "trailing zeros; 0: 0xffffffff"),
    row("cbit",    0x4d, "6.16",   One,    P,    Specified, "UB UW UD",      "UD",            "number of ones"),
    row("addc",    0x4e, "6.5",    Two,    PC,   Specified, "UD",            "UD",            "dst = low 32 of src0+src1, acc = carry"),
    row("subb",    0x4f, "6.60",   Two,    PC,   Specified, "UD",            "UD",            "dst = src0-src1, acc = borrow"),
    row("sad2",    0x50, "6.53",   Two,    PSCM, Specified, "B UB",          "W UW",          "|s0.0-s1.0| + |s0.1-s1.1| per pair"),
    row("sada2",   0x51, "6.54",   Two,    PSCM, Specified, "B UB",          "W UW",          "sad2 + acc"),
    row("dp4",     0x54, "6.22",   Two,    PSCM, Specified, "F",             "F",             "4-tuple dot product to all 4 channels"),
    row("dph",     0x55, "6.23",   Two,    PSCM, Specified, "F",             "F",             "x0*x1+y0*y1+z0*z1+w1"),
    row("dp3",     0x56, "6.21",   Two,    PSCM, Specified, "F",             "F",             "3 terms"),
    row("dp2",     0x57, "6.20",   Two,    PSCM, Specified, "F",             "F",             "2 terms"),
    row("line",    0x59, "6.35",   Two,    PSCM, Decided,   "F",             "F",             "dst = p*src1 + q: p, q = components 0, 3 of the 16-byte group of src0"),
    row("pln",     0x5a, "6.47",   Two,    PSCM, Specified, "F",             "F",             "p*u + q*v + r"),
    row("mad",     0x5b, "6.40",   Three,  PSCM, Specified, "F DF",          "F DF",          "dst = src1*src2 + src0"),
    row("lrp",     0x5c, "6.36",   Three,  PCM,  Specified, "F",             "F",             "dst = src0*src1 + (1-src0)*src2"),

    // Control flow, messages, synchronisation
    row("illegal", 0x00, "6.33",   Bare,   0,    Decided,   "",              "",              "raises the illegal-opcode exception (decided: trap output, thread ends)"),
    row("jmpi",    0x20, "6.34",   Jump,   P,    Decided,   "D",             "",              "predicate of channel 0: IP = following instruction + 8*src1 bytes"),
    row("brd",     0x21, "6.13",   Jip,    P,    Decided,   "D",             "",              "branch diverging"),
    row("if",      0x22, "6.32",   JipUip, P,    Decided,   "",              "",              "channels with the predicate go on, the others to JIP"),
    row("brc",     0x23, "6.12",   JipUip, P,    Decided,   "D",             "",              "branch converging"),
    row("else",    0x24, "6.24",   Jip,    0,    Decided,   "",              "",              "channels that come here go to JIP, those parked here go on"),
    row("endif",   0x25, "6.25",   Jip,    0,    Decided,   "",              "",              "channels parked here go on; without any, to JIP"),
    row("case",    0x26, "5.4.2",  JipUip, P,    Unknown,   "",              "",              "inside a switch block; named in the table of opcodes, described nowhere"),
    row("while",   0x27, "6.62",   Jip,    P,    Decided,   "",              "",              "channels with the predicate go to JIP, the others on"),
    row("break",   0x28, "6.14",   JipUip, P,    Decided,   "",              "",              "channels with the predicate go behind the while at UIP; without others, to JIP"),
    row("cont",    0x29, "6.19",   JipUip, P,    Decided,   "",              "",              "channels with the predicate go to the while at UIP; without others, to JIP"),
    row("halt",    0x2a, "6.31",   JipUip, P,    Decided,   "",              "",              "channels with the predicate go to UIP, the others on; without any, to JIP"),
    row("call",    0x2c, "6.15",   Call,   P,    Decided,   "D",             "D UD",          "dst.0 = return IP, dst.1 = call mask; IP += src1"),
    row("ret",     0x2d, "6.48",   One,    P,    Decided,   "D UD",          "",              "IP = src0.0, call mask = src0.1"),
    row("wait",    0x30, "6.61",   Wait,   0,    Decided,   "UD",            "UD",            "wait until the notification count n != 0, then decrement"),
    row("send",    0x31, "6.56",   Send,   P,    Decided,   "*",             "*",             "message to a shared function: src0 payload, src1 descriptor, dst response"),
    row("sendc",   0x32, "6.57",   Send,   P,    Decided,   "*",             "*",             "as send after dependent threads (no effect here)"),
    row("nop",     0x7e, "6.44",   Bare,   0,    Specified, "",              "",              "nothing"),
];
