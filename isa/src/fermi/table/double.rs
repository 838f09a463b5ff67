//! Double-precision floats.

use super::fields::*;
use super::modifiers::*;
use super::{row, Row};
use crate::fermi::operand::*;
use crate::set::Evidence::Seed;

pub(super) const ROWS: &[Row] = &[
row(
"DADD_R", "DADD", 0xf800c0000000000f, 0x4800000000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]).signed(&[NEG_9, ABS_7]), reg64(&[B]).signed(&[NEG_8, ABS_6])],
GUARD_JOIN, &[(5, 1), (32, 14), (48, 7), (57, 2)], Seed,
"D = round(rnd, A + B) in f64",
"the seed (and asfermi) give opcode tail 110010; correct is 010010",
),
row(
"DADD_C", "DADD", 0xf800c0000000000f, 0x4800400000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]).signed(&[NEG_9, ABS_7]), CONST64.signed(&[NEG_8, ABS_6])],
GUARD_JOIN, &[(5, 1), (27, 1), (48, 7), (57, 2)], Seed,
"D = round(rnd, A + B) in f64",
"the seed (and asfermi) give opcode tail 110010; correct is 010010",
),
row(
"DADD_I", "DADD", 0xf800c0000000000f, 0x4800c00000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]).signed(&[NEG_9, ABS_7]), imm_f64(&[IMM20]).signed(&[NEG_8, ABS_6])],
GUARD_JOIN, &[(5, 1), (48, 7), (57, 2)], Seed,
"D = round(rnd, A + B) in f64",
"the seed (and asfermi) give opcode tail 110010; correct is 010010",
),
row(
"DMUL_R", "DMUL", 0xf800c0000000000f, 0x5000000000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), reg64(&[B]).signed(&[NEG_PRODUCT_9])],
GUARD_JOIN, &[(5, 4), (32, 14), (48, 7), (57, 2)], Seed,
"D = round(rnd, A * B) in f64",
"",
),
row(
"DMUL_C", "DMUL", 0xf800c0000000000f, 0x5000400000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), CONST64.signed(&[NEG_PRODUCT_9])],
GUARD_JOIN, &[(5, 4), (27, 1), (48, 7), (57, 2)], Seed,
"D = round(rnd, A * B) in f64",
"",
),
row(
"DMUL_I", "DMUL", 0xf800c0000000000f, 0x5000c00000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), imm_f64(&[IMM20]).signed(&[NEG_PRODUCT_9])],
GUARD_JOIN, &[(5, 4), (48, 7), (57, 2)], Seed,
"D = round(rnd, A * B) in f64",
"",
),
row(
"DFMA_RR", "DFMA", 0xf800c0000000000f, 0x2000000000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), reg64(&[B]).signed(&[NEG_PRODUCT_9]), reg64(&[C]).signed(&[NEG_C_8])],
GUARD_JOIN, &[(5, 3), (32, 14), (48, 1), (57, 2)], Seed,
"D = round(rnd, (-1)^nb*A*B + (-1)^nc*C) in f64",
"rounding bits are public; the seed omits them for DFMA",
),
row(
"DFMA_CR", "DFMA", 0xf800c0000000000f, 0x2000400000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), CONST64.signed(&[NEG_PRODUCT_9]), reg64(&[C]).signed(&[NEG_C_8])],
GUARD_JOIN, &[(5, 3), (27, 1), (48, 1), (57, 2)], Seed,
"D = round(rnd, (-1)^nb*A*B + (-1)^nc*C) in f64",
"rounding bits are public; the seed omits them for DFMA",
),
row(
"DFMA_RC", "DFMA", 0xf800c0000000000f, 0x2000800000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), reg64(&[C]).signed(&[NEG_PRODUCT_9]), CONST64.signed(&[NEG_C_8])],
GUARD_JOIN, &[(5, 3), (27, 1), (48, 1), (57, 2)], Seed,
"D = round(rnd, (-1)^nb*A*B + (-1)^nc*C) in f64",
"rounding bits are public; the seed omits them for DFMA; mode 2: the register of field C is the second source, the constant is the third",
),
row(
"DFMA_IR", "DFMA", 0xf800c0000000000f, 0x2000c00000000001,
&[RND_55],
&[reg64(&[DST]), reg64(&[A]), imm_f64(&[IMM20]).signed(&[NEG_PRODUCT_9]), reg64(&[C]).signed(&[NEG_C_8])],
GUARD_JOIN, &[(5, 3), (48, 1), (57, 2)], Seed,
"D = round(rnd, (-1)^nb*A*B + (-1)^nc*C) in f64",
"rounding bits are public; the seed omits them for DFMA",
),
row(
"DSETP_R", "DSETP", 0xf800c0000000000f, 0x1800000000000001,
&[CMP_FLOAT, LOGIC_53],
&[pred(&[PDST_17]), pred(&[PDST2]), reg64(&[A]).signed(&[NEG_9, ABS_7]), reg64(&[B]).signed(&[NEG_8, ABS_6]), pred(&[PC]).signed(&[NOT_52])],
GUARD_JOIN, &[(5, 1), (32, 14), (48, 1)], Seed,
"as FSETP on f64",
"",
),
row(
"DSETP_C", "DSETP", 0xf800c0000000000f, 0x1800400000000001,
&[CMP_FLOAT, LOGIC_53],
&[pred(&[PDST_17]), pred(&[PDST2]), reg64(&[A]).signed(&[NEG_9, ABS_7]), CONST64.signed(&[NEG_8, ABS_6]), pred(&[PC]).signed(&[NOT_52])],
GUARD_JOIN, &[(5, 1), (27, 1), (48, 1)], Seed,
"as FSETP on f64",
"",
),
row(
"DSETP_I", "DSETP", 0xf800c0000000000f, 0x1800c00000000001,
&[CMP_FLOAT, LOGIC_53],
&[pred(&[PDST_17]), pred(&[PDST2]), reg64(&[A]).signed(&[NEG_9, ABS_7]), imm_f64(&[IMM20]).signed(&[NEG_8, ABS_6]), pred(&[PC]).signed(&[NOT_52])],
GUARD_JOIN, &[(5, 1), (48, 1)], Seed,
"as FSETP on f64",
"",
),
];
