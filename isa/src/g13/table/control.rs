//! Branches, execution mask, barriers, special registers.
//!
//! Columns: name (and mnemonic, unless `spelled` gives another one and an alias), length in bytes (`by_bit`: number of
//! the length bit, bytes where it is 0, where it is 1), mask, match, what is known, origin of the encoding, reserved
//! bits (lowest, width), operands, meaning. A field is `name[lowest bit + width]`, runs from the least significant up.

use super::operands::*;
use super::{fixed, row, Row};
use crate::set::{
    Evidence::{Public, Seed, SeedPublic},
    Status::{Decided, Specified},
};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("get_sr",              fixed(4), 0x807f,         0x72,   Decided,   Seed,       &[(22, 4), (30, 2)], &[DST_D_9_28, special!(SR[16+6 26+2])],                                                           "each active lane: D = SR[SR] truncated / zero-extended to the size of D"),
    row("ret",                 fixed(2), 0x7f,           0x14,   Decided,   Seed,       &[(7, 2)],           &[reg!(reg32[9+7])],                                                                              "pc = r[reg] of the first active lane (all active lanes must agree); no active lane: fall through"),
    row("stop",                fixed(2), 0xffff,         0x88,   Specified, Seed,       &[],                 &[],                                                                                              "the SIMD-group ends"),
    row("trap",                fixed(2), 0xffff,         0x8,    Decided,   Seed,       &[],                 &[],                                                                                              "trap output; the SIMD-group ends"),
    row("call_reg",            fixed(2), 0x7f,           0x4,    Decided,   Seed,       &[(7, 2)],           &[reg!(reg32[9+7])],                                                                              "r1 = pc+2 in active lanes; pc = r[reg] of the first active lane").spelled("call", ""),
    row("jmp_incomplete",      fixed(4), 0xff00ffff,     0x0,    Decided,   Seed,       &[],                 &[target!(off[16+8])],                                                                            "pc += sign_extend(off,8); not observed in complete programs"),
    row("jmp_exec_any",        fixed(6), 0xffff,         0xc000, Specified, Seed,       &[],                 &[target!(off[16+32])],                                                                           "if any lane active: pc += sign_extend(off,32), relative to the first byte of this instruction"),
    row("jmp_exec_none",       fixed(6), 0xffff,         0xc020, Specified, Seed,       &[],                 &[target!(off[16+32])],                                                                           "if no lane is active: pc += sign_extend(off,32)"),
    row("call",                fixed(6), 0xffff,         0xc010, Specified, Seed,       &[],                 &[target!(off[16+32])],                                                                           "r1 = pc+6 in active lanes; pc += sign_extend(off,32)"),
    row("pop_exec",            fixed(6), 0xffffffffe67f, 0x652,  Specified, Seed,       &[(8, 1)],           &[count_dst!(Dt[7+1]), number!(n[11+2])],                                                         "all 32 lanes: v = max(0, r0l - n); r0l = v; active = (v==0)"),
    row("if_icmp",             fixed(6), 0x30c00c00067f, 0x52,   Specified, Seed,       &[(46, 2)],          &[count_dst!(Dt[7+1]), INT_COND_CC_13, SRC_A_16_42, SRC_B_28_40, number!(n[11+2])],               "all 32 lanes: v=r0l; if v!=0: v+=n (mod 2^16) else if not cc(A,B): v=1; r0l=v; active=(v==0)"),
    row("if_fcmp",             fixed(6), 0x30000000067f, 0x42,   Specified, Seed,       &[(46, 2)],          &[count_dst!(Dt[7+1]), FLOAT_COND_CC_13, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40, number!(n[11+2])], "all 32 lanes: v=r0l; if v!=0: v+=n (mod 2^16) else if not cc(A,B): v=1; r0l=v; active=(v==0)"),
    row("while_icmp",          fixed(6), 0x30c00c00067f, 0x452,  Specified, Seed,       &[(46, 2)],          &[count_dst!(Dt[7+1]), INT_COND_CC_13, SRC_A_16_42, SRC_B_28_40, number!(n[11+2])],               "all 32 lanes: v=r0l; if v<n: v = cc(A,B) ? 0 : n; r0l=v; active=(v==0)"),
    row("while_fcmp",          fixed(6), 0x30000000067f, 0x442,  Specified, Seed,       &[(46, 2)],          &[count_dst!(Dt[7+1]), FLOAT_COND_CC_13, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40, number!(n[11+2])], "all 32 lanes: v=r0l; if v<n: v = cc(A,B) ? 0 : n; r0l=v; active=(v==0)"),
    row("else_icmp",           fixed(6), 0x30c00c00067f, 0x252,  Specified, Seed,       &[(46, 2)],          &[count_dst!(Dt[7+1]), INT_COND_CC_13, SRC_A_16_42, SRC_B_28_40, number!(n[11+2])],               "all 32 lanes: v=r0l; if v==0: v=n else if v==1: v = cc(A,B) ? 0 : 1; r0l=v; active=(v==0)"),
    row("else_fcmp",           fixed(6), 0x30000000067f, 0x242,  Specified, Seed,       &[(46, 2)],          &[count_dst!(Dt[7+1]), FLOAT_COND_CC_13, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40, number!(n[11+2])], "all 32 lanes: v=r0l; if v==0: v=n else if v==1: v = cc(A,B) ? 0 : 1; r0l=v; active=(v==0)"),
    row("wait",                fixed(2), 0xff,           0x38,   Specified, SeedPublic, &[(9, 7)],           &[number!(i[8+1])],                                                                               "wait until all loads issued with group i have written their registers; no effect in an in-order model"),
    row("threadgroup_barrier", fixed(2), 0xff,           0x68,   Decided,   SeedPublic, &[(8, 8)],           &[],                                                                                              "barrier of all live SIMD-groups of the threadgroup, orders threadgroup memory"),
    row("memory_barrier",      fixed(2), 0xff,           0xf5,   Decided,   Public,     &[],                 &[number!(a[10+2]), number!(b[8+2]), number!(c[12+4])],                                           "ordering of device memory; no effect in an in-order model"),
];
