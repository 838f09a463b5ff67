//! Long moves between register files, shared stores, constant loads, votes.
//!
//! Columns: spelling, class, mask, match, operation, destination, sources, memory operand, modifiers,
//! flags, guarded, first architecture, ignored bits, meaning, source ("manual" is the FlexGripPlus manual).

use super::field::{L_LANES, L_SHIFT4};
use super::slots::{DstSlot as D, MemSlot as M, SrcSlot as S};
use super::{mov, row, Class::Long, Flags, Form, Since};
use crate::sm10::op::{plain, Op};
use crate::sm10::types::Width;

#[rustfmt::skip]
pub(super) const MOVES: &[Form] = &[
    row("C2R", Long, 0xe0000000f0000003, 0x2000000000000001, Op::C2R, D::Reg32, [S::Cc, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffe00, "Flag register to the low 4 bits of a register.", "G80 table (envytools); name: gpgpu-sim"),
    row("A2R", Long, 0xe0000000f0000003, 0x4000000000000001, Op::A2R, D::Reg32, [S::Addr, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07803fffe00, "Address register to a register, zero-extended.", "manual p. 42"),
    row("S2R", Long, 0xe0000000f0000003, 0x6000000000000001, Op::S2R, D::Reg32, [S::Special, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1ffc007c0ffffe00, "Special register to a register.", "G80 table (envytools); name: gpgpu-sim"),
    row("R2C", Long, 0xe0000000f0000003, 0xa000000000000001, Op::R2C, D::Cc, [S::LReg1W, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc04c0fff01fc, "Low 4 bits of a register to a flag register.", "G80 table (envytools); name: gpgpu-sim"),
    row("R2A", Long, 0xe0000000f0000003, 0xc000000000000001, plain::R2A(), D::Addr, [S::L1W, S::No, S::No], M::No, &[L_SHIFT4], Flags::No, true, Since::Sm10, 0x1fdfc078007001e0, "Register shifted left by 0 to 15 to an address register.", "manual p. 41"),
    row("R2G.U16.U8", Long, 0xe0400000f0000003, 0xe040000000000001, plain::StShared(false), D::No, [S::StoreSel, S::No, S::No], M::SharedU8, &[], Flags::No, true, Since::Sm10, 0x1f800078000001fc, "Stores the low byte to shared memory.", "manual p. 40"),
    row("R2G.U16.U16", Long, 0xe4400000f0000003, 0xe000000000000001, plain::StShared(false), D::No, [S::StoreSel, S::No, S::No], M::SharedU16, &[], Flags::No, true, Since::Sm10, 0x1b800078010001fc, "Stores 16 bits to shared memory.", "manual p. 40"),
    row("R2G.U32.U32", Long, 0xe4400000f0000003, 0xe400000000000001, plain::StShared(false), D::No, [S::StoreSel, S::No, S::No], M::Shared32, &[], Flags::No, true, Since::Sm10, 0x1b800078018001fc, "Stores 32 bits to shared memory.", "manual p. 40"),
    row("MOV.U16", Long, 0xe4000000f0000003, 0x10000001, mov(Width::W16), D::Long16, [S::L1H, S::No, S::No], M::No, &[L_LANES], Flags::No, true, Since::Sm10, 0x1bdc0070007f0000, "Copies the source.", "manual p. 37"),
    row("MOV", Long, 0xe4000000f0000003, 0x400000010000001, mov(Width::W32), D::Long32, [S::L1W, S::No, S::No], M::No, &[L_LANES], Flags::No, true, Since::Sm10, 0x1bdc0070007f0000, "Copies the source.", "manual p. 37"),
    row("MVC", Long, 0xe0000000f0000003, 0x2000000010000001, Op::LdConst, D::LongSel, [S::ConstFar, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x183f007000000000, "Loads from constant memory.", "manual p. 34"),
    row("G2R", Long, 0xe000c000f0000003, 0x4000000010000001, plain::LdShared(false), D::LongSel, [S::No, S::No, S::No], M::SharedU8, &[], Flags::No, true, Since::Sm11, 0x1bff007000000000, "Loads from shared memory.", "G80 table (envytools); name: gpgpu-sim"),
    row("G2R", Long, 0xe000c000f0000003, 0x4000400010000001, plain::LdShared(false), D::LongSel, [S::No, S::No, S::No], M::SharedU16, &[], Flags::No, true, Since::Sm11, 0x1bff007001000000, "Loads from shared memory.", "G80 table (envytools); name: gpgpu-sim"),
    row("G2R", Long, 0xe000c000f0000003, 0x4000800010000001, plain::LdShared(false), D::LongSel, [S::No, S::No, S::No], M::SharedS16, &[], Flags::No, true, Since::Sm11, 0x1bff007001000000, "Loads from shared memory.", "G80 table (envytools); name: gpgpu-sim"),
    row("G2R", Long, 0xe080c000f0000003, 0x4000c00010000001, plain::LdShared(false), D::LongSel, [S::No, S::No, S::No], M::Shared32, &[], Flags::No, true, Since::Sm11, 0x1b7f007001800000, "Loads from shared memory.", "G80 table (envytools); name: gpgpu-sim"),
    row("VOTE.ANY", Long, 0xe0000000f0000603, 0x6000000010000201, plain::Vote(false), D::Cc, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm12, 0x1fffc04c0ffff9fc, "Whether the guard holds in any active thread of the warp, to a flag register.", "G80 table (envytools); name: gpgpu-sim"),
    row("VOTE.ALL", Long, 0xe0000000f0000603, 0x6000000010000401, plain::Vote(true), D::Cc, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm12, 0x1fffc04c0ffff9fc, "Whether the guard holds in all active threads of the warp, to a flag register.", "G80 table (envytools); name: gpgpu-sim"),
];
