//! Forms of which only encoding and length are known.
//!
//! Columns: name, bytes, mask, match, reserved bits (lowest, width), operands.

use super::operands::*;
use super::{fixed, row, Operand, Row};
use crate::set::{Evidence, Status};

/// A row of `bytes` bytes.
const fn unknown(
    name: &'static str, bytes: u8, mask: u128, match_: u128, reserved: &'static [(u8, u8)],
    operands: &'static [Operand],
) -> Row {
    let sem = "unknown; length and bits only";
    row(name, fixed(bytes), mask, match_, Status::Unknown, Evidence::Public, reserved, operands, sem)
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    unknown("unk_after_sampling1", 2, 0xffff,         0x101c,     &[],                 &[]),
    unknown("unk_after_sampling2", 2, 0xffff,         0x62cc,     &[],                 &[]),
    unknown("unk_unk30C0",         6, 0xffff,         0xc030,     &[],                 &[number!(imm[16+32])]),
    unknown("unk_unk40C0",         6, 0xffffffffffff, 0xc040,     &[],                 &[]),
    unknown("unk_unkC0000000",     4, 0xffffffff,     0xc0,       &[],                 &[]),
    unknown("unk_unkE800",         2, 0xffff,         0xe8,       &[],                 &[]),
    unknown("unk_unk0C00",         2, 0xffff,         0xc,        &[],                 &[]),
    unknown("sr_thing",            4, 0x807f,         0x8072,     &[(22, 4), (30, 2)], &[DST_D_9_28, special!(SR[16+6 26+2])]),
    unknown("pop_exec_alt",        6, 0xffe67f,       0x800652,   &[(8, 1), (24, 24)], &[count_dst!(Dt[7+1]), number!(n[11+2])]),
];
