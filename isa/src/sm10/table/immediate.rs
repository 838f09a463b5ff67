//! Immediate forms: 8 bytes with a 32-bit immediate, no guard and no marker.
//!
//! Columns: spelling, class, mask, match, operation, destination, sources, memory operand, modifiers,
//! flags, guarded, first architecture, ignored bits, meaning, source ("manual" is the FlexGripPlus manual).

use super::field::{S_ADDOP, S_HIGH, S_NEG_A15, S_NEG_B, S_NEG_C, S_NOT_A, S_SAT, S_SIGNED24, S_SIGNED_A, S_SIGNED_B};
use super::slots::{DstSlot as D, MemSlot as M, SrcSlot as S};
use super::{mov, row, Class::Immediate, Flags, Form, Since};
use crate::sm10::op::{plain, Op};
use crate::sm10::types::{LogicOp, MulKind, Width};

#[rustfmt::skip]
pub(super) const ROWS: &[Form] = &[
    row("MVI.U16", Immediate, 0x3f0008003, 0x310000001, mov(Width::W16), D::Reg16, [S::Imm32, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xf00000000fc07e00, "Copies the source.", "manual p. 39"),
    row("MVI", Immediate, 0x3f0008003, 0x310008001, mov(Width::W32), D::Reg32, [S::Imm32, S::No, S::No], M::No, &[], Flags::No, false, Since::Sm10, 0xf00000000fc07e00, "Copies the source.", "manual p. 39"),
    row("IADD32I.U16", Immediate, 0x3e0008003, 0x320000001, plain::IAdd(Width::W16), D::Short16, [S::I1H, S::Imm32, S::No], M::No, &[S_ADDOP, S_SAT], Flags::No, false, Since::Sm10, 0xf000000000800000, "Adds, subtracts or adds with carry; optional signed saturation.", "manual p. 25"),
    row("IADD32I", Immediate, 0x3e0008003, 0x320008001, plain::IAdd(Width::W32), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_ADDOP, S_SAT], Flags::No, false, Since::Sm10, 0xf000000000800000, "Adds, subtracts or adds with carry; optional signed saturation.", "manual p. 25"),
    row("IMUL32I.U16", Immediate, 0x3f0400003, 0x340000001, plain::IMul16(), D::Short32, [S::I1H, S::Imm32, S::No], M::No, &[S_SIGNED_A, S_SIGNED_B], Flags::No, false, Since::Sm10, 0xf000000000800000, "Multiplies two 16-bit operands, each signed or unsigned, to 32 bits.", "manual p. 20"),
    row("IMUL32I.U24", Immediate, 0x3f0400003, 0x340400001, plain::IMul24(), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_HIGH, S_SIGNED24], Flags::No, false, Since::Sm10, 0xf000000000800000, "Multiplies two 24-bit operands and keeps bits 31:0, or 47:16 with HI.", "manual p. 20"),
    row("IMAD32I.U16", Immediate, 0x3e0008103, 0x360000001, plain::IMad(MulKind::U16, false), D::Short32, [S::I1H, S::Imm32, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0xf000000000800000, "Multiplies unsigned 16-bit operands and adds, subtracts or adds with carry.", "manual p. 28"),
    row("IMAD32I.S16", Immediate, 0x3e0008103, 0x360000101, plain::IMad(MulKind::S16, false), D::Short32, [S::I1H, S::Imm32, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0xf000000000800000, "Multiplies signed 16-bit operands and adds, subtracts or adds with carry.", "manual p. 28"),
    row("IMAD32I.SAT.S16", Immediate, 0x3e0008103, 0x360008001, plain::IMad(MulKind::S16, true), D::Short32, [S::I1H, S::Imm32, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0xf000000000800000, "Multiplies signed 16-bit operands and adds, subtracts or adds with carry, saturating.", "manual p. 28"),
    row("IMAD32I.U24", Immediate, 0x3e0008103, 0x360008101, plain::IMad(MulKind::U24, false), D::Short32, [S::I1W, S::Imm32, S::Acc], M::No, &[S_ADDOP], Flags::No, false, Since::Sm10, 0xf000000000800000, "Multiplies unsigned 24-bit operands and adds, subtracts or adds with carry.", "manual p. 28"),
    row("FADD32I", Immediate, 0x3f0000003, 0x3b0000001, plain::FAdd(), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_SAT, S_NEG_A15, S_NEG_B], Flags::No, false, Since::Sm10, 0xf000000000800000, "Single-precision addition, denormals flushed.", "manual p. 47"),
    row("FMUL32I", Immediate, 0x3f0000003, 0x3c0000001, plain::FMul(), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_NEG_A15, S_NEG_B], Flags::No, false, Since::Sm10, 0xf000000000800100, "Single-precision multiplication, denormals flushed.", "manual p. 50"),
    row("LOP32I.AND", Immediate, 0x3f0008103, 0x3d0000001, logic(LogicOp::And), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_NOT_A], Flags::No, false, Since::Sm10, 0xf000000000800000, "Bitwise and with an immediate.", "G80 table (envytools); name: ours"),
    row("LOP32I.OR", Immediate, 0x3f0008103, 0x3d0000101, logic(LogicOp::Or), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_NOT_A], Flags::No, false, Since::Sm10, 0xf000000000800000, "Bitwise or with an immediate.", "G80 table (envytools); name: ours"),
    row("LOP32I.XOR", Immediate, 0x3f0008103, 0x3d0008001, logic(LogicOp::Xor), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_NOT_A], Flags::No, false, Since::Sm10, 0xf000000000800000, "Bitwise exclusive or with an immediate.", "G80 table (envytools); name: ours"),
    row("LOP32I.PASS_B", Immediate, 0x3f0008103, 0x3d0008101, logic(LogicOp::PassB), D::Short32, [S::I1W, S::Imm32, S::No], M::No, &[S_NOT_A], Flags::No, false, Since::Sm10, 0xf000000000800000, "Copies the immediate.", "G80 table (envytools); name: ours"),
    row("FMAD32I", Immediate, 0x3f0000003, 0x3e0000001, plain::FMad(), D::Short32, [S::I1W, S::Imm32, S::Acc], M::No, &[S_SAT, S_NEG_A15, S_NEG_C], Flags::No, false, Since::Sm10, 0xf000000000800000, "Single-precision multiply-add with truncated product.", "manual p. 53"),
];

/// A logic operation that the row fixes.
const fn logic(op: LogicOp) -> Op {
    Op::Logic { op, not_a: false, not_b: false, width: Width::W32 }
}
