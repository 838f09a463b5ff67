//! Floats and selects of floats.

use super::fields::*;
use super::operands::*;
use super::{by_bit, row, Row};
use crate::set::{Evidence, Status};

pub(super) const ROWS: &[Row] = &[
row(
"fmadd32", "fmadd32", "fmadd", by_bit(15, 6, 8), 0x3f, 0x3a,
&[FLOAT_DST_D_9_60, FLOAT_SRC_A_16_58, FLOAT_SRC_B_28_56, FLOAT_SRC_C_40_54],
&[], &[(52, 2), (62, 2)],
Status::Specified, Evidence::Seed,
"sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; r = fma(A,B,C) rounded once to f32 RNE, f32 denormal result flushed to same-signed 0; if S: clamp [0,1]; if D is 16 bits the f32 value is rounded a second time to f16 (RNE, denormals kept)", "",
),
row(
"fmadd16", "fmadd16", "", by_bit(15, 6, 8), 0x3f, 0x36,
&[FLOAT_DST16_D_9_60, FLOAT_SRC16_A_16_58, FLOAT_SRC16_B_28_56, FLOAT_SRC16_C_40_54],
&[], &[(27, 1), (39, 1), (51, 3), (62, 2)],
Status::Specified, Evidence::Seed,
"sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; r = fma(A,B,C) rounded once to f16 RNE, f16 denormals kept; S clamps to [0,1] before the final rounding", "",
),
row(
"fadd32", "fadd32", "fadd", by_bit(15, 4, 6), 0x3f, 0x2a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; as fmadd32 with (A, 1.0, B)", "seed 000 shows bit 15 fixed to 1 (6 bytes only); public vectors and the current public table have the 4-byte form with L=0",
),
row(
"fadd16", "fadd16", "", by_bit(15, 4, 6), 0x3f, 0x26,
&[FLOAT_DST16_D_9_44, FLOAT_SRC16_A_16_42, FLOAT_SRC16_B_28_40],
&[], &[(27, 1), (39, 1), (46, 2)],
Status::Specified, Evidence::Seed,
"sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; as fmadd16 with (A, 1.0, B)", "seed 000 shows bit 15 fixed to 1 (6 bytes only); public vectors and the current public table have the 4-byte form with L=0",
),
row(
"fmul32", "fmul32", "fmul", by_bit(15, 4, 6), 0x3f, 0x1a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42, FLOAT_SRC_B_28_40],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; as fmadd32 with (A, B, +0.0): a zero product is therefore +0 whatever the signs", "seed 000 shows bit 15 fixed to 1 (6 bytes only); public vectors and the current public table have the 4-byte form with L=0",
),
row(
"fmul16", "fmul16", "", by_bit(15, 4, 6), 0x3f, 0x16,
&[FLOAT_DST16_D_9_44, FLOAT_SRC16_A_16_42, FLOAT_SRC16_B_28_40],
&[], &[(27, 1), (39, 1), (46, 2)],
Status::Specified, Evidence::Seed,
"sources: f16 kept as is, f32 denormals read as same-signed 0, immediates = minifloat; abs before neg; as fmadd16 with (A, B, +0.0)", "seed 000 shows bit 15 fixed to 1 (6 bytes only); public vectors and the current public table have the 4-byte form with L=0",
),
row(
"floor", "floor", "", by_bit(15, 4, 6), 0x3fff000003f, 0xa,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"D = largest integer <= A (sign of zero kept, NaN quiet, infinities pass), then float destination rule", "",
),
row(
"ceil", "ceil", "", by_bit(15, 4, 6), 0x3fff000003f, 0x10000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"D = smallest integer >= A (sign of zero kept, NaN quiet, infinities pass), then float destination rule", "",
),
row(
"trunc", "trunc", "", by_bit(15, 4, 6), 0x3fff000003f, 0x20000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"D = A toward zero (sign of zero kept, NaN quiet, infinities pass), then float destination rule", "",
),
row(
"rint", "rint", "", by_bit(15, 4, 6), 0x3fff000003f, 0x30000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"D = nearest integer, ties to even (sign of zero kept, NaN quiet, infinities pass), then float destination rule", "",
),
row(
"rcp", "rcp", "", by_bit(15, 4, 6), 0x3fff000003f, 0x8000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"D = 1/A ; numerically unspecified by the seed: decided = the SFU of numerics.md, then the destination rule; see g13.md", "",
),
row(
"rsqrt", "rsqrt", "", by_bit(15, 4, 6), 0x3fff000003f, 0x9000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"D = 1/sqrt(A) ; numerically unspecified by the seed: decided = the SFU of numerics.md, then the destination rule; see g13.md", "",
),
row(
"rsqrt_special", "rsqrt_special", "", by_bit(15, 4, 6), 0x3fff000003f, 0x1000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"as rsqrt, but +-0 -> 0 and +inf -> +inf, so that rsqrt_special(x)*x is sqrt(x) for those too", "",
),
row(
"sin_pt_1", "sin_pt_1", "", by_bit(15, 4, 6), 0x3fff000003f, 0xa000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"pair with sin_pt_1(x)*sin_pt_2(x) = sin(x*pi/2) for x in [0,4); see g13.md for the split that is used", "",
),
row(
"sin_pt_2", "sin_pt_2", "", by_bit(15, 4, 6), 0x3fff000003f, 0xe000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"pair with sin_pt_1(x)*sin_pt_2(x) = sin(x*pi/2) for x in [0,4); see g13.md for the split that is used", "",
),
row(
"log2", "log2", "", by_bit(15, 4, 6), 0x3fff000003f, 0xc000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"D = log2 A ; numerically unspecified by the seed: decided = the SFU of numerics.md, then the destination rule; see g13.md", "",
),
row(
"exp2", "exp2", "", by_bit(15, 4, 6), 0x3fff000003f, 0xd000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"D = 2^A ; numerically unspecified by the seed: decided = the SFU of numerics.md, then the destination rule; see g13.md", "",
),
row(
"dfdx", "dfdx", "", by_bit(15, 4, 6), 0x3fff000003f, 0x4000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[KILL_46], &[(47, 1)],
Status::Decided, Evidence::Seed,
"difference within the 2x2 quad (lane^1, lane^2); decided, only for completeness", "",
),
row(
"dfdy", "dfdy", "", by_bit(15, 4, 6), 0x3fff000003f, 0x6000000a,
&[FLOAT_DST_D_9_44, FLOAT_SRC_A_16_42],
&[KILL_46], &[(47, 1)],
Status::Decided, Evidence::Seed,
"difference within the 2x2 quad (lane^1, lane^2); decided, only for completeness", "",
),
row(
"fcmpsel", "fcmpsel", "", by_bit(15, 8, 10), 0x7f, 0x2,
&[FLOAT_COND_CC_61, DST_D_9_76, FLOAT_SRC_A_16_74, FLOAT_SRC_B_28_72, SELECT_SRC_X_40_70, SELECT_SRC_Y_52_68],
&[], &[(49, 3), (64, 4), (78, 2)],
Status::Specified, Evidence::SeedPublic,
"active lanes: D = cc(A,B) ? X : Y (X,Y are raw values of the width of D)", "",
),
];
