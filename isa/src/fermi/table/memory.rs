//! Loads, stores, atomics.

use super::fields::*;
use super::modifiers::*;
use super::{row, Row};
use crate::fermi::operand::*;
use crate::set::Evidence::Public;
use crate::set::Modifier;

pub(super) const ROWS: &[Row] = &[
row(
"LD", "LD", 0xf80000000000000f, 0x8000000000000005,
&[E_58, CACHE_LOAD, SIZE],
&[reg_by_size(&[DST]), memory(&[A, ADDR32])],
GUARD_JOIN, &[], Public,
"D.. = memory at A + signed offset; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be aligned to the size",
".E: 64-bit address in the pair A (even)",
),
row(
"ST", "ST", 0xf80000000000000f, 0x9000000000000005,
&[E_58, CACHE_STORE, SIZE],
&[memory(&[A, ADDR32]), reg_by_size(&[DST])],
GUARD_JOIN, &[], Public,
"memory at A + signed offset = D..; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be aligned to the size",
"",
),
row(
"LDL", "LDL", 0xfd0000000000000f, 0xc000000000000005,
&[CACHE_LOAD, SIZE],
&[reg_by_size(&[DST]), memory(&[A, ADDR24])],
GUARD_JOIN, &[(50, 6), (57, 1)], Public,
"D.. = memory at A + signed offset; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be aligned to the size",
"",
),
row(
"LDS", "LDS", 0xfd0000000000000f, 0xc100000000000005,
&[SIZE],
&[reg_by_size(&[DST]), memory(&[A, ADDR24])],
GUARD_JOIN, &[(8, 2), (50, 6), (57, 1)], Public,
"D.. = memory at A + signed offset; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be aligned to the size",
"",
),
row(
"STL", "STL", 0xfd0000000000000f, 0xc800000000000005,
&[CACHE_STORE, SIZE],
&[memory(&[A, ADDR24]), reg_by_size(&[DST])],
GUARD_JOIN, &[(50, 6), (57, 1)], Public,
"memory at A + signed offset = D..; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be aligned to the size",
"",
),
row(
"STS", "STS", 0xfd0000000000000f, 0xc900000000000005,
&[SIZE],
&[memory(&[A, ADDR24]), reg_by_size(&[DST])],
GUARD_JOIN, &[(8, 2), (50, 6), (57, 1)], Public,
"memory at A + signed offset = D..; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be aligned to the size",
"",
),
row(
"LDC", "LDC", 0xfc0000000000000f, 0x1400000000000006,
&[SIZE],
&[reg_by_size(&[DST]), const_memory(&[LOAD_BANK, A, ADDR16])],
GUARD_JOIN, &[(8, 2), (47, 11)], Public,
"D.. = constant bank b at A + signed 16-bit offset",
"",
),
row(
"RED", "RED", 0xf80000000000020f, 0x1000000000000005,
&[E_58, OP_ATOM],
&[memory(&[A, ADDR32]), reg(&[DST])],
GUARD_JOIN, &[(8, 1)], Public,
"atomic read-modify-write u32, no result",
"",
),
row(
"ATOM", "ATOM", 0xf87e00000000030f, 0x507e000000000005,
&[E_58, OP_ATOM],
&[reg(&[DST2]), memory(&[A, ADDR20]), reg(&[DST])],
GUARD_JOIN, &[], Public,
"D2 = old u32; memory = old op D",
"",
),
row(
"ATOM_EXCH", "ATOM", 0xf87e0000000003ef, 0x507e000000000105,
&[E_58, Modifier::Fixed("EXCH")],
&[reg(&[DST2]), memory(&[A, ADDR20]), reg(&[DST])],
GUARD_JOIN, &[], Public,
"D2 = old; memory = D",
"",
),
row(
"ATOM_CAS", "ATOM", 0xf8000000000003ef, 0x5000000000000125,
&[E_58, Modifier::Fixed("CAS")],
&[reg(&[DST2]), memory(&[A, ADDR20]), reg(&[DST]), reg(&[C])],
GUARD_JOIN, &[], Public,
"D2 = old; if old == D: memory = C",
"",
),
row(
"MEMBAR", "MEMBAR", 0xfc0000000000000f, 0xe000000000000005,
&[LEVEL],
&[],
GUARD_JOIN, &[(7, 3), (14, 44)], Public,
"memory fence",
"",
),
];
