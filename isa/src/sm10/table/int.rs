//! Long integer arithmetic, comparison, shift and multiply.
//!
//! Columns: spelling, class, mask, match, operation, destination, sources, memory operand, modifiers,
//! flags, guarded, first architecture, ignored bits, meaning, source ("manual" is the FlexGripPlus manual).

use super::field::{
    L_ADDOP, L_ADDOP2, L_COND_I, L_HIGH, L_SAT, L_SIGNED, L_SIGNED24, L_SIGNED_A, L_SIGNED_B,
};
use super::slots::{DstSlot as D, MemSlot as M, SrcSlot as S};
use super::{row, Class::Long, Flags, Form, OpFamily, Since};
use crate::sm10::instr::{MulKind, Width};

#[rustfmt::skip]
pub(super) const ROWS: &[Form] = &[
    row("IADD.U16", Long, 0xe4000000e0000003, 0x20000001, OpFamily::IAdd(Width::W16), D::Long16, [S::L1H, S::L3H, S::No], M::No, &[L_ADDOP, L_SAT], Flags::ZSCO, true, Since::Sm10, 0x10000000003f0000, "Adds, subtracts or adds with carry; optional signed saturation.", "manual p. 22"),
    row("IADD", Long, 0xe4000000e0000003, 0x400000020000001, OpFamily::IAdd(Width::W32), D::Long32, [S::L1W, S::L3W, S::No], M::No, &[L_ADDOP, L_SAT], Flags::ZSCO, true, Since::Sm10, 0x10000000003f0000, "Adds, subtracts or adds with carry; optional signed saturation.", "manual p. 22"),
    row("ISET.U16", Long, 0xe4000000f0000003, 0x6000000030000001, OpFamily::ISet(Width::W16), D::Long16, [S::L1H, S::L2H, S::No], M::No, &[L_COND_I, L_SIGNED], Flags::ZS, true, Since::Sm10, 0x101e000000000000, "All ones where the integer relation holds, else zero.", "manual p. 31"),
    row("IMAX.U16", Long, 0xe4000000f0000003, 0x8000000030000001, OpFamily::IMax(Width::W16), D::Long16, [S::L1H, S::L2H, S::No], M::No, &[L_SIGNED], Flags::ZS, true, Since::Sm10, 0x101fc00000000000, "Larger of two integers.", "G80 table (envytools); name: gpgpu-sim"),
    row("IMIN.U16", Long, 0xe4000000f0000003, 0xa000000030000001, OpFamily::IMin(Width::W16), D::Long16, [S::L1H, S::L2H, S::No], M::No, &[L_SIGNED], Flags::ZS, true, Since::Sm10, 0x101fc00000000000, "Smaller of two integers.", "G80 table (envytools); name: gpgpu-sim"),
    row("SHL.U16", Long, 0xe4000000f0000003, 0xc000000030000001, OpFamily::Shl(Width::W16), D::Long16, [S::L1H, S::CountH, S::No], M::No, &[], Flags::ZSCO, true, Since::Sm10, 0x180fc00000000000, "Shifts left; the count is not masked.", "manual p. 21"),
    row("SHR.U16", Long, 0xe4000000f0000003, 0xe000000030000001, OpFamily::Shr(Width::W16), D::Long16, [S::L1H, S::CountH, S::No], M::No, &[L_SIGNED], Flags::ZSCO, true, Since::Sm10, 0x100fc00000000000, "Shifts right, with sign fill when signed; the count is not masked.", "manual p. 21"),
    row("ISET", Long, 0xe4000000f0000003, 0x6400000030000001, OpFamily::ISet(Width::W32), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_COND_I, L_SIGNED], Flags::ZS, true, Since::Sm10, 0x101e000000000000, "All ones where the integer relation holds, else zero.", "manual p. 31"),
    row("IMAX", Long, 0xe4000000f0000003, 0x8400000030000001, OpFamily::IMax(Width::W32), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_SIGNED], Flags::ZS, true, Since::Sm10, 0x101fc00000000000, "Larger of two integers.", "G80 table (envytools); name: gpgpu-sim"),
    row("IMIN", Long, 0xe4000000f0000003, 0xa400000030000001, OpFamily::IMin(Width::W32), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_SIGNED], Flags::ZS, true, Since::Sm10, 0x101fc00000000000, "Smaller of two integers.", "G80 table (envytools); name: gpgpu-sim"),
    row("SHL", Long, 0xe4000000f0000003, 0xc400000030000001, OpFamily::Shl(Width::W32), D::Long32, [S::L1W, S::CountW, S::No], M::No, &[], Flags::ZSCO, true, Since::Sm10, 0x180fc00000000000, "Shifts left; the count is not masked.", "manual p. 21"),
    row("SHR", Long, 0xe4000000f0000003, 0xe400000030000001, OpFamily::Shr(Width::W32), D::Long32, [S::L1W, S::CountW, S::No], M::No, &[L_SIGNED], Flags::ZSCO, true, Since::Sm10, 0x100fc00000000000, "Shifts right, with sign fill when signed; the count is not masked.", "manual p. 21"),
    row("IMUL.U16.U16", Long, 0xe0010000f0000003, 0x40000001, OpFamily::IMul16, D::Long32, [S::L1H, S::L2H, S::No], M::No, &[L_SIGNED_A, L_SIGNED_B], Flags::ZS, true, Since::Sm10, 0x1c1e000000000000, "Multiplies two 16-bit operands, each signed or unsigned, to 32 bits.", "manual p. 18"),
    row("IMUL.U24.U24", Long, 0xe0010000f0000003, 0x1000040000001, OpFamily::IMul24, D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_HIGH, L_SIGNED24], Flags::ZS, true, Since::Sm10, 0x1c1e000000000000, "Multiplies two 24-bit operands and keeps bits 31:0, or 47:16 with HI.", "manual p. 18"),
    row("ISAD.U16", Long, 0xe4000000f0000003, 0x50000001, OpFamily::ISad(Width::W16), D::Long32, [S::L1H, S::L2H, S::L3W], M::No, &[L_SIGNED], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Adds the absolute difference of two operands to a third.", "G80 table (envytools); name: gpgpu-sim"),
    row("ISAD", Long, 0xe4000000f0000003, 0x400000050000001, OpFamily::ISad(Width::W32), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_SIGNED], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Adds the absolute difference of two operands to a third.", "G80 table (envytools); name: gpgpu-sim"),
    row("IMAD.U16", Long, 0xe0000000f0000003, 0x60000001, OpFamily::IMad(MulKind::U16, false), D::Long32, [S::L1H, S::L2H, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies unsigned 16-bit operands and adds, subtracts or adds with carry.", "manual p. 26"),
    row("IMAD.S16", Long, 0xe0000000f0000003, 0x2000000060000001, OpFamily::IMad(MulKind::S16, false), D::Long32, [S::L1H, S::L2H, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies signed 16-bit operands and adds, subtracts or adds with carry.", "manual p. 26"),
    row("IMAD.SAT.S16", Long, 0xe0000000f0000003, 0x4000000060000001, OpFamily::IMad(MulKind::S16, true), D::Long32, [S::L1H, S::L2H, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies signed 16-bit operands and adds, subtracts or adds with carry, saturating.", "manual p. 26"),
    row("IMAD.U24", Long, 0xe0000000f0000003, 0x6000000060000001, OpFamily::IMad(MulKind::U24, false), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies unsigned 24-bit operands and adds, subtracts or adds with carry.", "manual p. 26"),
    row("IMAD.S24", Long, 0xe0000000f0000003, 0x8000000060000001, OpFamily::IMad(MulKind::S24, false), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies signed 24-bit operands and adds, subtracts or adds with carry.", "manual p. 26"),
    row("IMAD.SAT.S24", Long, 0xe0000000f0000003, 0xa000000060000001, OpFamily::IMad(MulKind::S24, true), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies signed 24-bit operands and adds, subtracts or adds with carry, saturating.", "manual p. 26"),
    row("IMAD.HI.U24", Long, 0xe0000000f0000003, 0xc000000060000001, OpFamily::IMad(MulKind::HiU24, false), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies unsigned 24-bit operands, keeps bits 47:16, and adds, subtracts or adds with carry.", "manual p. 26"),
    row("IMAD.HI.S24", Long, 0xe0000000f0000003, 0xe000000060000001, OpFamily::IMad(MulKind::HiS24, false), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies signed 24-bit operands, keeps bits 47:16, and adds, subtracts or adds with carry.", "manual p. 26"),
    row("IMAD.HI.SAT.S24", Long, 0xe0000000f0000003, 0x70000001, OpFamily::IMad(MulKind::HiS24, true), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_ADDOP2], Flags::ZSCO, true, Since::Sm10, 0x1000000000000000, "Multiplies signed 24-bit operands, keeps bits 47:16, and adds, subtracts or adds with carry, saturating.", "manual p. 26"),
];
