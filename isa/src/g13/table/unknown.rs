//! Forms of which only encoding and length are known.

use super::operands::*;
use super::{row, Operand, Row};
use crate::set::{Evidence, Length, Status};

/// A row of `bytes` bytes; `reserved` bits are (lowest, number).
const fn unknown(
    name: &'static str,
    bytes: u8,
    mask: u128,
    match_: u128,
    operands: &'static [Operand],
    reserved: &'static [(u8, u8)],
) -> Row {
    row(
        name,
        name,
        "",
        Length::Fixed(bytes),
        mask,
        match_,
        operands,
        &[],
        reserved,
        Status::Unknown,
        Evidence::Public,
        "unknown; length and bits only",
        "",
    )
}

pub(super) const ROWS: &[Row] = &[
    unknown("unk_after_sampling1", 2, 0xffff, 0x101c, &[], &[]),
    unknown("unk_after_sampling2", 2, 0xffff, 0x62cc, &[], &[]),
    unknown("unk_unk30C0", 6, 0xffff, 0xc030, &[NUMBER_IMM_16], &[]),
    unknown("unk_unk40C0", 6, 0xffffffffffff, 0xc040, &[], &[]),
    unknown("unk_unkC0000000", 4, 0xffffffff, 0xc0, &[], &[]),
    unknown("unk_unkE800", 2, 0xffff, 0xe8, &[], &[]),
    unknown("unk_unk0C00", 2, 0xffff, 0xc, &[], &[]),
    unknown("sr_thing", 4, 0x807f, 0x8072, &[DST_D_9_28, SPECIAL_SR_16_26], &[(22, 4), (30, 2)]),
    unknown("pop_exec_alt", 6, 0xffe67f, 0x800652, &[COUNT_DST_DT_7, NUMBER_N_11], &[(8, 1), (24, 24)]),
];
