//! Floats and selects of floats.
//!
//! Columns: name (and mnemonic, unless `spelled` gives another one and an alias), length in bytes (`by_bit`: number of
//! the length bit, bytes where it is 0, where it is 1), mask, match, what is known, origin of the encoding, reserved
//! bits (lowest, width), operands, meaning. A field is `name[lowest bit + width]`, runs from the least significant up.

use super::operands::*;
use super::{by_bit, row, Row};
use crate::set::{
    Evidence::{Seed, SeedPublic},
    Status::{Decided, Specified},
};

/// The rule for the sources of arithmetic, and what is computed.
macro_rules! arithmetic {
    ($sem:literal) => {
        concat!(
            "sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; ",
            $sem
        )
    };
}

/// A rounding to an integer.
macro_rules! rounded {
    ($sem:literal) => {
        concat!($sem, " (sign of zero kept, NaN quiet, infinities pass), then float destination rule")
    };
}

/// A special function.
macro_rules! unspecified {
    ($sem:literal) => {
        concat!(
            $sem,
            " ; numerically unspecified by the seed: decided = the SFU of docs/numerics.md, then the destination rule"
        )
    };
}

const SHORT_TOO: &str = "seed 000 shows bit 15 fixed to 1 (6 bytes only); public vectors and the current public table have the 4-byte form with L=0";

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("fmadd32",       by_bit(15, 6, 8),  0x3f,          0x3a,        Specified, Seed,       &[(52, 2), (62, 2)],                   &[FLOAT_DST_D_9_60, FLOAT_SRC_A_16_58, FLOAT_SRC_B_28_56, FLOAT_SRC_C_40_54],                                  arithmetic!("r = fma(A,B,C) rounded once to f32 RNE, f32 denormal result flushed to same-signed 0; if S: clamp [0,1]; if D is 16 bits the f32 value is rounded a second time to f16 (RNE, denormals kept)")).spelled("fmadd32", "fmadd"),
    row("fmadd16",       by_bit(15, 6, 8),  0x3f,          0x36,        Specified, Seed,       &[(27, 1), (39, 1), (51, 3), (62, 2)], &[FLOAT_DST16_D_9_60, FLOAT_SRC16_A_16_58, FLOAT_SRC16_B_28_56, FLOAT_SRC16_C_40_54],                          arithmetic!("r = fma(A,B,C) rounded once to f16 RNE, f16 denormals kept; S clamps to [0,1] before the final rounding")),
    row("fadd32",        by_bit(15, 4, 6),  0x3f,          0x2a,        Specified, Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40],                                                     arithmetic!("as fmadd32 with (A, 1.0, B)")).spelled("fadd32", "fadd").with_note(SHORT_TOO),
    row("fadd16",        by_bit(15, 4, 6),  0x3f,          0x26,        Specified, Seed,       &[(27, 1), (39, 1), (46, 2)],          &[FLOAT_DST16_D_9_44, FLOAT_SRC16_A_16_42, FLOAT_SRC16_B_28_40],                                               arithmetic!("as fmadd16 with (A, 1.0, B)")).with_note(SHORT_TOO),
    row("fmul32",        by_bit(15, 4, 6),  0x3f,          0x1a,        Specified, Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40],                                                     arithmetic!("as fmadd32 with (A, B, +0.0): a zero product is therefore +0 whatever the signs")).spelled("fmul32", "fmul").with_note(SHORT_TOO),
    row("fmul16",        by_bit(15, 4, 6),  0x3f,          0x16,        Specified, Seed,       &[(27, 1), (39, 1), (46, 2)],          &[FLOAT_DST16_D_9_44, FLOAT_SRC16_A_16_42, FLOAT_SRC16_B_28_40],                                               arithmetic!("as fmadd16 with (A, B, +0.0)")).with_note(SHORT_TOO),
    row("floor",         by_bit(15, 4, 6),  0x3fff000003f, 0xa,         Specified, Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        rounded!("D = largest integer <= A")),
    row("ceil",          by_bit(15, 4, 6),  0x3fff000003f, 0x10000000a, Specified, Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        rounded!("D = smallest integer >= A")),
    row("trunc",         by_bit(15, 4, 6),  0x3fff000003f, 0x20000000a, Specified, Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        rounded!("D = A toward zero")),
    row("rint",          by_bit(15, 4, 6),  0x3fff000003f, 0x30000000a, Specified, Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        rounded!("D = nearest integer, ties to even")),
    row("rcp",           by_bit(15, 4, 6),  0x3fff000003f, 0x8000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        unspecified!("D = 1/A")),
    row("rsqrt",         by_bit(15, 4, 6),  0x3fff000003f, 0x9000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        unspecified!("D = 1/sqrt(A)")),
    row("rsqrt_special", by_bit(15, 4, 6),  0x3fff000003f, 0x1000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        "as rsqrt, but +-0 -> 0 and +inf -> +inf, so that rsqrt_special(x)*x is sqrt(x) for those too"),
    row("sin_pt_1",      by_bit(15, 4, 6),  0x3fff000003f, 0xa000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        "pair with sin_pt_1(x)*sin_pt_2(x) = sin(x*pi/2) for x in [0,4); see G13 in docs/instruction-sets.md for the split that is used"),
    row("sin_pt_2",      by_bit(15, 4, 6),  0x3fff000003f, 0xe000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        "pair with sin_pt_1(x)*sin_pt_2(x) = sin(x*pi/2) for x in [0,4); see G13 in docs/instruction-sets.md for the split that is used"),
    row("log2",          by_bit(15, 4, 6),  0x3fff000003f, 0xc000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        unspecified!("D = log2 A")),
    row("exp2",          by_bit(15, 4, 6),  0x3fff000003f, 0xd000000a,  Decided,   Seed,       &[(46, 2)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        unspecified!("D = 2^A")),
    row("dfdx",          by_bit(15, 4, 6),  0x3fff000003f, 0x4000000a,  Decided,   Seed,       &[(47, 1)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        "difference within the 2x2 quad (lane^1, lane^2); decided, only for completeness").with_fields(&[field!(kill[46+1])]),
    row("dfdy",          by_bit(15, 4, 6),  0x3fff000003f, 0x6000000a,  Decided,   Seed,       &[(47, 1)],                            &[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],                                                                        "difference within the 2x2 quad (lane^1, lane^2); decided, only for completeness").with_fields(&[field!(kill[46+1])]),
    row("fcmpsel",       by_bit(15, 8, 10), 0x7f,          0x2,         Specified, SeedPublic, &[(49, 3), (64, 4), (78, 2)],          &[FLOAT_COND_CC_61, DST_D_9_76, FLOAT_SRC_A_16_74, FLOAT_SRC_B_28_72, SELECT_SRC_X_40_70, SELECT_SRC_Y_52_68], "active lanes: D = cc(A,B) ? X : Y (X,Y are raw values of the width of D)"),
];
