//! Short forms: 4 bytes, at most 64 registers, no guard.
//!
//! Columns: spelling, class, mask, match, operation, destination, sources, memory operand, modifiers,
//! flags, guarded, first architecture, ignored bits, meaning, source ("manual" is the FlexGripPlus manual).

use super::field::{
    S_ABS_A, S_ADDOP, S_HIGH, S_NEG_A15, S_NEG_A22, S_NEG_B, S_NEG_C, S_SAT, S_SIGNED, S_SIGNED24, S_SIGNED_A,
    S_SIGNED_B,
};
use super::slots::{DstSlot as D, MemSlot as M, SrcSlot as S};
use super::{
    mov, row,
    Class::{Short, ShortControl},
    Flags, Form, Since,
};
use crate::sm10::op::{plain, Op};
use crate::sm10::types::{MulKind, SfuFn, Width};

#[rustfmt::skip]
pub(super) const ROWS: &[Form] = &[
    row("MOV32.U16", Short, 0xf0008003, 0x10000000, mov(Width::W16), D::Short16, [S::S1H, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0x7f0100, "Copies the source.", "manual p. 38"),
    row("MOV32", Short, 0xf0008003, 0x10008000, mov(Width::W32), D::Short32, [S::S1W, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0x7f0100, "Copies the source.", "manual p. 38"),
    row("IADD32.U16", Short, 0xe0008003, 0x20000000, plain::IAdd(Width::W16), D::Short16, [S::S1H, S::S2H, S::No], M::No, &[S_ADDOP, S_SAT], Flags::No, false, Since::Sm10, 0x0, "Adds, subtracts or adds with carry; optional signed saturation.", "manual p. 24"),
    row("IADD32", Short, 0xe0008003, 0x20008000, plain::IAdd(Width::W32), D::Short32, [S::S1W, S::S2W, S::No], M::No, &[S_ADDOP, S_SAT], Flags::No, false, Since::Sm10, 0x0, "Adds, subtracts or adds with carry; optional signed saturation.", "manual p. 24"),
    row("IMUL32.U16.U16", Short, 0xf0400003, 0x40000000, plain::IMul16(), D::Short32, [S::S1H, S::S2H, S::No], M::No, &[S_SIGNED_A, S_SIGNED_B], Flags::No, false, Since::Sm10, 0x0, "Multiplies two 16-bit operands, each signed or unsigned, to 32 bits.", "manual p. 19"),
    row("IMUL32.U24.U24", Short, 0xf0400003, 0x40400000, plain::IMul24(), D::Short32, [S::S1W, S::S2W, S::No], M::No, &[S_HIGH, S_SIGNED24], Flags::No, false, Since::Sm10, 0x0, "Multiplies two 24-bit operands and keeps bits 31:0, or 47:16 with HI.", "manual p. 19"),
    row("ISAD32.U16", Short, 0xf0008003, 0x50000000, plain::ISad(Width::W16), D::Short32, [S::SReg1H, S::SReg2H, S::Acc], M::No, &[S_SIGNED], Flags::No, false, Since::Sm10, 0xfc00000, "Adds the absolute difference of two operands to a third.", "G80 table (envytools); name: ours"),
    row("ISAD32", Short, 0xf0008003, 0x50008000, plain::ISad(Width::W32), D::Short32, [S::SReg1W, S::SReg2W, S::Acc], M::No, &[S_SIGNED], Flags::No, false, Since::Sm10, 0xfc00000, "Adds the absolute difference of two operands to a third.", "G80 table (envytools); name: ours"),
    row("IMAD32.U16", Short, 0xe0008103, 0x60000000, plain::IMad(MulKind::U16, false), D::Short32, [S::S1H, S::S2H, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0x0, "Multiplies unsigned 16-bit operands and adds, subtracts or adds with carry.", "manual p. 27"),
    row("IMAD32.S16", Short, 0xe0008103, 0x60000100, plain::IMad(MulKind::S16, false), D::Short32, [S::S1H, S::S2H, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0x0, "Multiplies signed 16-bit operands and adds, subtracts or adds with carry.", "manual p. 27"),
    row("IMAD32.SAT.S16", Short, 0xe0008103, 0x60008000, plain::IMad(MulKind::S16, true), D::Short32, [S::S1H, S::S2H, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0x0, "Multiplies signed 16-bit operands and adds, subtracts or adds with carry, saturating.", "manual p. 27"),
    row("IMAD32.U24", Short, 0xe0008103, 0x60008100, plain::IMad(MulKind::U24, false), D::Short32, [S::S1W, S::S2W, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0x0, "Multiplies unsigned 24-bit operands and adds, subtracts or adds with carry.", "manual p. 27"),
    row("RCP32", Short, 0xf0000003, 0x90000000, plain::Sfu(SfuFn::Rcp), D::Short32, [S::SReg1W, S::No, S::No], M::No, &[S_NEG_A22, S_ABS_A], Flags::No, false, Since::Sm10, 0xfbf0100, "Reciprocal.", "manual p. 60"),
    row("FADD32", Short, 0xf0000003, 0xb0000000, plain::FAdd(), D::Short32, [S::S1W, S::S2W, S::No], M::No, &[S_SAT, S_NEG_A15, S_NEG_B], Flags::No, false, Since::Sm10, 0x0, "Single-precision addition, denormals flushed.", "manual p. 45"),
    row("FMUL32", Short, 0xf0000003, 0xc0000000, plain::FMul(), D::Short32, [S::S1W, S::S2W, S::No], M::No, &[S_NEG_A15, S_NEG_B], Flags::No, false, Since::Sm10, 0x100, "Single-precision multiplication, denormals flushed.", "manual p. 49"),
    row("FMAD32", Short, 0xf0000003, 0xe0000000, plain::FMad(), D::Short32, [S::S1W, S::S2W, S::Acc], M::No, &[S_SAT, S_NEG_A15, S_NEG_C], Flags::No, false, Since::Sm10, 0x0, "Single-precision multiply-add with truncated product.", "manual p. 51"),
    row("TEX32", Short, 0xf1000003, 0xf0000000, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xefffffc, "Texture access.", "G80 table (envytools); name: gpgpu-sim"),
    row("TEX32.FETCH", Short, 0xf1000003, 0xf1000000, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xefffffc, "Texture access.", "G80 table (envytools); name: gpgpu-sim"),
    row("TRAP32", ShortControl, 0xf0000003, 0x90000002, Op::Trap, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xffffffc, "Stops the program.", "manual p. 13"),
    row("BPT32", ShortControl, 0xf0000003, 0xb0000002, Op::Bpt, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm11, 0xffffffc, "Stops the program at a breakpoint, under its guard.", "G80 table (envytools); name: ours"),
];
