//! Device, threadgroup and stack memory, atomics.
//!
//! Columns: name (and mnemonic, unless `spelled` gives another one and an alias), length in bytes (`by_bit`: number of
//! the length bit, bytes where it is 0, where it is 1), mask, match, what is known, origin of the encoding, reserved
//! bits (lowest, width), operands, meaning. A field is `name[lowest bit + width]`, runs from the least significant up.

use super::names::*;
use super::operands::*;
use super::{by_bit, fixed, row, Row};
use crate::set::{
    Evidence::{Public, SeedPublic},
    Status::{Decided, Specified},
};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("uniform_store",      by_bit(47, 6, 8),  0xc00f0380f027f, 0x38000045,      Decided,   SeedPublic, &[(30, 2), (48, 1)],                                              &[number!(unk[25+2]), choice!(F[7+2], FORMATS), choice!(mask[52+4], LANES), number!(b[44+3]), VECTOR_R_10_40, INDEX_O_20_56, shift!(s[42+2])], "active lane with the highest index: uniform halves O.. = registers R.. (i16 elements, mask order); driver prologue use"),
    row("device_load",        by_bit(47, 6, 8),  0xc70003400007f, 0x400004000005,  Specified, SeedPublic, &[(31, 1)],                                                       &[number!(g[30+1]), choice!(F[7+3 48+1], FORMATS), choice!(mask[52+4], LANES), VECTOR_R_10_40, BASE_A_16_36, INDEX_O_20_56, choice!(Ou[25+1], EXTENSIONS), shift!(s[42+2])], "for the k-th set bit c of mask: reg[R+k] = zero-extended element at base + ((off << min(s,2)) + c) * size(F), where base = A & ~(size-1), off = sign-/zero-extended index; formats >=4 are unpacked to float. Asynchronous: wait(g)"),
    row("device_store",       by_bit(47, 6, 8),  0xc60003400007f, 0x400004000045,  Decided,   SeedPublic, &[(31, 1)],                                                       &[number!(g[30+1]), choice!(F[7+3 48+1], FORMATS), choice!(mask[52+4], LANES), VECTOR_R_10_40, BASE_A_16_36, INDEX_O_20_56, choice!(Ou[25+1], EXTENSIONS), shift!(s[42+2]), number!(u6[44+1])], "for the k-th set bit c of mask: element at base + ((off << min(s,2)) + c) * size(F) = low bits of reg[R+k]"),
    row("stack_store",        by_bit(47, 6, 8),  0xff,            0xb5,            Decided,   SeedPublic, &[(16, 4), (25, 1), (27, 3), (31, 1), (39, 1), (42, 2), (48, 1)], &[choice!(F[8+2 50+2], FORMATS), number!(i1[26+1]), number!(i2[36+3]), choice!(mask[52+4], LANES), number!(i5[44+3]), VECTOR_R_10_40, INDEX_O_20_56, number!(i6[30+1])], "per-lane private memory: element at byte sp + O + c*size(F) = reg[R+k]"),
    row("stack_load",         by_bit(47, 6, 8),  0xff,            0x35,            Decided,   SeedPublic, &[(16, 4), (25, 1), (27, 3), (31, 1), (39, 1), (42, 2), (48, 1)], &[VECTOR_FIRST_R_10_40, choice!(F[8+2 50+2], FORMATS), number!(i1[26+1]), number!(i2[36+3]), choice!(mask[52+4], LANES), number!(i5[44+3]), INDEX_O_20_56, number!(i6[30+1])], "per-lane private memory: reg[R+k] = element at byte sp + O + c*size(F)"),
    row("stack_get_ptr",      by_bit(47, 6, 8),  0x30000000f00ff, 0x2000000010035, Decided,   SeedPublic, &[(20, 6), (27, 9), (39, 1), (42, 2), (56, 8)],                   &[number!(i0[8+2]), number!(i1[26+1]), number!(i2[36+3]), number!(i4[50+6]), number!(i3[44+3]), even_reg!(R[10+6 40+2])], "R = sp"),
    row("stack_adjust",       by_bit(47, 6, 8),  0x30f00ff,       0x10100b5,       Decided,   SeedPublic, &[(10, 6), (27, 5), (39, 5), (48, 2)],                            &[number!(i0[8+2]), number!(i1[26+1]), number!(i2[36+3]), number!(i3[44+3]), number!(i4[50+6]), signed!(v[20+4 32+4 56+8])], "sp += v (signed bytes)"),
    row("threadgroup_load",   by_bit(15, 6, 8),  0x6f,            0x69,            Decided,   SeedPublic, &[(4, 1), (7, 1), (35, 1), (40, 8), (62, 2)],                     &[choice!(F[24+4], FORMATS), choice!(mask[36+4], LANES), VECTOR_R_9_60, GROUP_BASE_A_16_58, GROUP_INDEX_O_28_48], "for the k-th set bit c of mask: reg[R+k] = element of the group memory at byte A + (O + c)*size(F)"),
    row("threadgroup_store",  by_bit(15, 6, 8),  0x6f,            0x29,            Decided,   SeedPublic, &[(4, 1), (7, 1), (35, 1), (40, 8), (62, 2)],                     &[choice!(F[24+4], FORMATS), choice!(mask[36+4], LANES), VECTOR_R_9_60, GROUP_BASE_A_16_58, GROUP_INDEX_O_28_48], "for the k-th set bit c of mask: group memory element at A + (O + c)*size(F) = reg[R+k]"),
    row("atomic",             fixed(8),          0x3f,            0x15,            Decided,   Public,     &[],                                                              &[choice!(op[6+4], ATOMIC_OPS), number!(g[30+1]), ATOMIC_DST_R_10_40, BASE_A_16_36, INDEX_O_20_56, choice!(Ou[25+1], EXTENSIONS), ATOMIC_SRC_S_48, number!(u1[26+1]), number!(u2[28+2]), number!(u3[31+1]), number!(u4[42+3]), number!(u5[45+2])], "old = word32[base + 4*off]; word = op(old, S); if destination present R = old; lanes in ascending order"),
    row("threadgroup_atomic", by_bit(15, 6, 10), 0x3f,            0x19,            Decided,   Public,     &[(39, 1), (62, 2)],                                              &[choice!(op[24+4], ATOMIC_OPS), ATOMIC_REG_R_9_60, GROUP_BASE_A_16_58, GROUP_INDEX_O_28_48, ATOMIC_SRC_S_64, number!(u1[6+2]), number!(u3[35+3]), number!(u4[40+8]), number!(u5[72+8])], "same on group memory at byte A + 4*O"),
    row("stack_adjust_reg",   by_bit(47, 6, 8),  0x30f00ff,       0x100b5,         Decided,   Public,     &[(10, 6), (27, 5), (39, 5), (48, 2), (56, 8)],                   &[number!(i0[8+2]), number!(i1[26+1]), number!(i2[36+3]), number!(i3[44+3]), number!(i4[50+6]), even_reg!(r[20+4 32+4])], "sp += r"),
];
