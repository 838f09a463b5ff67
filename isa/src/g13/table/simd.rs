//! Ballots, shuffles and matrices of the SIMD-group; shuffles of the quad.
//!
//! Columns: name (and mnemonic, unless `spelled` gives another one and an alias), length in bytes (`by_bit`: number of
//! the length bit, bytes where it is 0, where it is 1), mask, match, what is known, origin of the encoding, reserved
//! bits (lowest, width), operands, meaning. A field is `name[lowest bit + width]`, runs from the least significant up.

use super::operands::*;
use super::{fixed, row, Row};
use crate::set::{
    Evidence::{Public, SeedPublic},
    Status::{Decided, Specified, Todo},
};

/// Lane that a shuffle reads, from its own place and the quad-wide count.
macro_rules! shuffle {
    ($sem:literal) => {
        concat!("quad q of lane l; k = (OR over the 4 lanes of a quad, active or not, of B) & 3; Q[q][j] = A of lane 4q + f(j,k); ", $sem)
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("icmp_ballot",            fixed(8), 0x1fff00c00c00007f, 0x1000000000032,    Specified, SeedPublic, &[(15, 1), (46, 1)], &[DST_D_9_44, INT_COND_CC_61_CCN_47, SRC_A_16_42, SRC_B_28_40],                             "w = OR over active lanes of cc(A,B)<<lane; D = w (truncated) in every active lane"),
    row("icmp_quad_ballot",       fixed(8), 0x1fff00c00c00007f, 0x32,               Decided,   SeedPublic, &[(15, 1), (46, 1)], &[DST_D_9_44, INT_COND_CC_61_CCN_47, SRC_A_16_42, SRC_B_28_40],                             "as ballot, then D of a lane = (w >> (lane & ~3)) ; the low 4 bits are the quad ballot (compiler masks with 15)"),
    row("fcmp_ballot",            fixed(8), 0x1fff00000000007f, 0x1000000000022,    Specified, SeedPublic, &[(15, 1), (46, 1)], &[DST_D_9_44, FLOAT_COND_CC_61_CCN_47, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40],               "w = OR over active lanes of cc(A,B)<<lane; D = w (truncated) in every active lane"),
    row("fcmp_quad_ballot",       fixed(8), 0x1fff00000000007f, 0x22,               Decided,   SeedPublic, &[(15, 1), (46, 1)], &[DST_D_9_44, FLOAT_COND_CC_61_CCN_47, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40],               "as ballot, then D of a lane = (w >> (lane & ~3)) ; the low 4 bits are the quad ballot (compiler masks with 15)"),
    row("simd_shuffle",           fixed(6), 0x80c00c00807f,     0x400006f,          Specified, SeedPublic, &[(46, 1)],          &[DST_D_9_44, SRC_A_16_42, SRC16_B_28_40],                                                  shuffle!("f = k for every j; D = (B<32) ? Q[B>>2] : own A")),
    row("simd_shuffle_down",      fixed(6), 0x80c00c00807f,     0xc00400006f,       Specified, SeedPublic, &[(46, 1)],          &[DST_D_9_44, SRC_A_16_42, SRC16_B_28_40],                                                  shuffle!("f = (j+k)&3; D = (B+l<32) ? Q[(B+l)>>2][l&3] : own A")),
    row("simd_shuffle_up",        fixed(6), 0x80c00c00807f,     0x800400006f,       Specified, Public,     &[(46, 1)],          &[DST_D_9_44, SRC_A_16_42, SRC16_B_28_40],                                                  shuffle!("f = (j-k)&3; D = (l-B>=0) ? Q[(l-B)>>2][l&3] : own A")),
    row("simd_shuffle_rotate_up", fixed(6), 0x80c00c00807f,     0x80800400006f,     Specified, Public,     &[(46, 1)],          &[DST_D_9_44, SRC_A_16_42, SRC16_B_28_40],                                                  shuffle!("f = (j-k)&3; D = Q[((l-B)&31)>>2][l&3]")),
    row("simd_shuffle_xor",       fixed(6), 0x80c00c00807f,     0x400400006f,       Specified, Public,     &[(46, 1)],          &[DST_D_9_44, SRC_A_16_42, SRC16_B_28_40],                                                  shuffle!("f = (j^k)&3; D = ((l^B)<32) ? Q[((l^B)&31)>>2][l&3] : own A")),
    row("simd_matrix_fmadd32",    fixed(8), 0x800000000c00807f, 0x800000000c00006f, Todo,      Public,     &[(62, 1)],          &[DST_PAIR_D_9_60, FLOAT_PAIR_SRC_A_16_58, FLOAT_PAIR_SRC_B_28_56, FLOAT_PAIR_SRC_C_40_54], "8x8 matrix multiply-add over the SIMD-group; lane layout not public here"),
    row("simd_matrix_fmadd16",    fixed(8), 0x800000000c00807f, 0x800000000800006f, Todo,      Public,     &[(62, 1)],          &[DST_PAIR_D_9_60, FLOAT_PAIR_SRC_A_16_58, FLOAT_PAIR_SRC_B_28_56, FLOAT_PAIR_SRC_C_40_54], "8x8 matrix multiply-add over the SIMD-group; lane layout not public here"),
];

/// Shuffles of the quad.
#[rustfmt::skip]
pub(super) const QUAD: &[Row] = &[
    row("quad_shuffle",           fixed(6), 0x80c00c00807f, 0x6f,           Decided, Public, &[(46, 1)], &[DST_D_9_44, SRC64_A_16_42, SRC64_B_28_40], "D = A of lane (l & ~3) + (B & 3)"),
    row("quad_shuffle_down",      fixed(6), 0x80c00c00807f, 0xc00000006f,   Decided, Public, &[(46, 1)], &[DST_D_9_44, SRC64_A_16_42, SRC64_B_28_40], "t = (l&3)+(B&3); D = t<4 ? A of lane (l&~3)+t : own A"),
    row("quad_shuffle_up",        fixed(6), 0x80c00c00807f, 0x800000006f,   Decided, Public, &[(46, 1)], &[DST_D_9_44, SRC64_A_16_42, SRC64_B_28_40], "t = (l&3)-(B&3); D = t>=0 ? A of lane (l&~3)+t : own A"),
    row("quad_shuffle_rotate_up", fixed(6), 0x80c00c00807f, 0x80800000006f, Decided, Public, &[(46, 1)], &[DST_D_9_44, SRC64_A_16_42, SRC64_B_28_40], "D = A of lane (l&~3) + (((l&3)-B)&3)"),
    row("quad_shuffle_xor",       fixed(6), 0x80c00c00807f, 0x400000006f,   Decided, Public, &[(46, 1)], &[DST_D_9_44, SRC64_A_16_42, SRC64_B_28_40], "D = A of lane l ^ (B&3)"),
];
