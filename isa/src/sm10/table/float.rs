//! Long float arithmetic, logic, memory access and NOP.
//!
//! Columns: spelling, class, mask, match, operation, destination, sources, memory operand, modifiers,
//! flags, guarded, first architecture, ignored bits, meaning, source ("manual" is the FlexGripPlus manual).

use super::field::{
    L_ABS_A, L_ABS_B, L_COND_F, L_LOGIC, L_NEG_A, L_NEG_B, L_NEG_C, L_NEG_C61, L_NOT_A, L_NOT_B, L_PM_ID, L_ROUND,
    L_ROUND_ADD, L_ROUND_DADD, L_ROUND_DFMA, L_ROUND_MUL, L_SAT61, L_SIZE, L_SPACE,
};
use super::slots::{DstSlot as D, MemSlot as M, SrcSlot as S};
use super::{row, Class::Long, Flags, Form, Since};
use crate::sm10::op::{plain, Op};
use crate::sm10::types::Width;

#[rustfmt::skip]
pub(super) const ROWS: &[Form] = &[
    row("FADD", Long, 0xc0000000f0000003, 0xb0000001, plain::FAdd(), D::Long32, [S::L1W, S::L3W, S::No], M::No, &[L_SAT61, L_ROUND_ADD, L_NEG_A, L_NEG_B], Flags::ZS, true, Since::Sm10, 0x10000000007c0000, "Single-precision addition, denormals flushed.", "manual p. 46"),
    row("FSET", Long, 0xe0000000f0000003, 0x60000000b0000001, plain::FSet(), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_COND_F, L_NEG_A, L_ABS_A, L_NEG_B, L_ABS_B], Flags::ZS, true, Since::Sm10, 0x1004000000000000, "All ones where the float relation holds, else zero.", "manual p. 57"),
    row("FMAX", Long, 0xe0000000f0000003, 0x80000000b0000001, plain::FMinMax(true), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_NEG_A, L_ABS_A, L_NEG_B, L_ABS_B], Flags::ZS, true, Since::Sm10, 0x1007c00000000000, "Larger of two floats; a NaN loses.", "G80 table (envytools); name: gpgpu-sim"),
    row("FMIN", Long, 0xe0000000f0000003, 0xa0000000b0000001, plain::FMinMax(false), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_NEG_A, L_ABS_A, L_NEG_B, L_ABS_B], Flags::ZS, true, Since::Sm10, 0x1007c00000000000, "Smaller of two floats; a NaN loses.", "G80 table (envytools); name: gpgpu-sim"),
    row("RRO.SIN", Long, 0xe0004000f0000003, 0xc0000000b0000001, plain::Rro(false), D::Long32, [S::L1W, S::No, S::No], M::No, &[L_NEG_A, L_ABS_A], Flags::No, true, Since::Sm10, 0x1bcf8070007f0000, "Range reduction in front of SIN and COS.", "manual p. 64"),
    row("RRO.EX2", Long, 0xe0004000f0000003, 0xc0004000b0000001, plain::Rro(true), D::Long32, [S::L1W, S::No, S::No], M::No, &[L_NEG_A, L_ABS_A], Flags::No, true, Since::Sm10, 0x1bcf8070007f0000, "Range reduction in front of EX2.", "manual p. 64"),
    row("FMUL", Long, 0xe0000000f0000003, 0xc0000001, plain::FMul(), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_ROUND_MUL, L_NEG_A, L_NEG_B], Flags::ZS, true, Since::Sm10, 0x101f000000000000, "Single-precision multiplication, denormals flushed.", "manual p. 48"),
    row("FCMP", Long, 0xc0000000f0000003, 0x40000000c0000001, plain::FSlct(), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_NEG_C61], Flags::ZS, true, Since::Sm10, 0x1c00000000000000, "First operand when the third is not negative and no NaN, else the second.", "G80 table (envytools); name: ours"),
    row("QUADOP", Long, 0xe0000000f0000003, 0x80000000c0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffffc, "Float operation across a quad.", "G80 table (envytools); name: ours"),
    row("LOP.U16", Long, 0xe4000000f0000003, 0xd0000001, plain::Logic(Width::W16), D::Long16, [S::L1H, S::L2H, S::No], M::No, &[L_LOGIC, L_NOT_A, L_NOT_B], Flags::ZS, true, Since::Sm10, 0x181c000000000000, "Bitwise and, or, exclusive or, or second operand, of optionally complemented operands.", "manual p. 29"),
    row("LOP", Long, 0xe4000000f0000003, 0x4000000d0000001, plain::Logic(Width::W32), D::Long32, [S::L1W, S::L2W, S::No], M::No, &[L_LOGIC, L_NOT_A, L_NOT_B], Flags::ZS, true, Since::Sm10, 0x181c000000000000, "Bitwise and, or, exclusive or, or second operand, of optionally complemented operands.", "manual p. 29"),
    row("ADA", Long, 0xe0000000f0000003, 0x20000000d0000001, Op::AddA, D::Addr, [S::Addr, S::Imm16, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc078020001e0, "Address register plus a 16-bit immediate.", "manual p. 43"),
    row("LLD", Long, 0xe0000000f0000003, 0x40000000d0000001, plain::LdLocal(), D::Sized, [S::No, S::No, S::No], M::Local, &[L_SIZE], Flags::No, true, Since::Sm10, 0x1f1fc07800000000, "Loads from the local memory of the thread.", "G80 table (envytools); name: gpgpu-sim"),
    row("LST", Long, 0xe0000000f0000003, 0x60000000d0000001, plain::StLocal(), D::No, [S::StoreSized, S::No, S::No], M::Local, &[L_SIZE], Flags::No, true, Since::Sm10, 0x1f1fc07800000000, "Stores to the local memory of the thread.", "G80 table (envytools); name: gpgpu-sim"),
    row("GLD", Long, 0xe0000000f0000003, 0x80000000d0000001, plain::LdGlobal(), D::Sized, [S::LReg1W, S::No, S::No], M::No, &[L_SIZE, L_SPACE], Flags::No, true, Since::Sm10, 0x1f1fc07c0ff00000, "Loads from global memory at a 32-bit register address.", "manual p. 35"),
    row("GST", Long, 0xe0000000f0000003, 0xa0000000d0000001, plain::StGlobal(), D::No, [S::LReg1W, S::StoreSized, S::No], M::No, &[L_SIZE, L_SPACE], Flags::No, true, Since::Sm10, 0x1f1fc07c0ff00000, "Stores to global memory at a 32-bit register address.", "manual p. 36").agreed(),
    row("GRED", Long, 0xe0000000f0000003, 0xc0000000d0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm11, 0x1fffc07c0ffffffc, "Atomic access to global memory of another size or operation than those of the other rows, no result.", "G80 table (envytools); name: gpgpu-sim"),
    row("GATOM", Long, 0xe0000000f0000003, 0xe0000000d0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm11, 0x1fffc07c0ffffffc, "Atomic access to global memory of another size or operation than those of the other rows.", "G80 table (envytools); name: gpgpu-sim"),
    row("FMAD", Long, 0xc0000000f0000003, 0xe0000001, plain::FMad(), D::Long32, [S::L1W, S::L2W, S::L3W], M::No, &[L_SAT61, L_NEG_A, L_NEG_C], Flags::ZS, true, Since::Sm10, 0x1000000000000000, "Single-precision multiply-add with truncated product.", "manual p. 53"),
    row("DFMA", Long, 0xe0000000f0000003, 0x40000000e0000001, plain::DFma(), D::Pair, [S::LPair1, S::LPair2, S::LPair3], M::No, &[L_NEG_A, L_NEG_C, L_ROUND_DFMA], Flags::ZS, true, Since::Sm13, 0x1320000c0f800000, "Multiply-add of 64 bits, rounded once.", "G80 table and tests of hardware (envytools); name: gpgpu-sim"),
    row("DADD", Long, 0xe0000000f0000003, 0x60000000e0000001, plain::DAdd(), D::Pair, [S::LPair1, S::LPair3, S::No], M::No, &[L_NEG_A, L_NEG_B, L_ROUND_DADD], Flags::ZS, true, Since::Sm13, 0x13e0000c0ffc0000, "Addition of 64 bits.", "G80 table and tests of hardware (envytools); name: gpgpu-sim"),
    row("DMUL", Long, 0xe0000000f0000003, 0x80000000e0000001, plain::DMul(), D::Pair, [S::LPair1, S::LPair2, S::No], M::No, &[L_NEG_A, L_ROUND], Flags::ZS, true, Since::Sm13, 0x1bf9c00c0f800000, "Multiplication of 64 bits.", "G80 table and tests of hardware (envytools); name: gpgpu-sim"),
    row("DMIN", Long, 0xe0000000f0000003, 0xa0000000e0000001, plain::DMinMax(false), D::Pair, [S::LPair1, S::LPair2, S::No], M::No, &[L_NEG_A, L_ABS_A, L_NEG_B, L_ABS_B], Flags::ZS, true, Since::Sm13, 0x13e7c00c0f800000, "Smaller of two floats of 64 bits; a NaN loses.", "G80 table and tests of hardware (envytools); name: gpgpu-sim"),
    row("DMAX", Long, 0xe0000000f0000003, 0xc0000000e0000001, plain::DMinMax(true), D::Pair, [S::LPair1, S::LPair2, S::No], M::No, &[L_NEG_A, L_ABS_A, L_NEG_B, L_ABS_B], Flags::ZS, true, Since::Sm13, 0x13e7c00c0f800000, "Larger of two floats of 64 bits; a NaN loses.", "G80 table and tests of hardware (envytools); name: gpgpu-sim"),
    row("DSET", Long, 0xe0000000f0000003, 0xe0000000e0000001, plain::DSet(), D::Long32, [S::LPair1, S::LPair2, S::No], M::No, &[L_COND_F, L_NEG_A, L_ABS_A, L_NEG_B, L_ABS_B], Flags::ZS, true, Since::Sm13, 0x13e400040f800000, "A word of all ones where the relation of two floats of 64 bits holds, else zero.", "G80 table and tests of hardware (envytools); name: gpgpu-sim"),
    row("TEX", Long, 0xe0000000f0000003, 0xf0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffffc, "Texture access.", "G80 table (envytools); name: gpgpu-sim"),
    row("TXB", Long, 0xe0000000f0000003, 0x20000000f0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffffc, "Texture access.", "G80 table (envytools); name: ours"),
    row("TXL", Long, 0xe0000000f0000003, 0x40000000f0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffffc, "Texture access.", "G80 table (envytools); name: ours"),
    row("TXQ", Long, 0xe0000000f0000003, 0x60000000f0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffffc, "Texture access.", "G80 table (envytools); name: ours"),
    row("TEXCSAA", Long, 0xe0000000f0000003, 0x80000000f0000001, Op::Unsupported, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc07c0ffffffc, "Texture access.", "G80 table (envytools); name: ours"),
    row("NOP", Long, 0xe0000004f0000003, 0xe0000000f0000001, Op::Nop, D::No, [S::No, S::No, S::No], M::No, &[], Flags::No, true, Since::Sm10, 0x1fffc0780ffffffc, "Does nothing; a marker still acts.", "manual p. 12").agreed(),
    row("PMTRIG", Long, 0xe0000004f0000003, 0xe0000004f0000001, plain::PmTrig(), D::No, [S::No, S::No, S::No], M::No, &[L_PM_ID], Flags::No, true, Since::Sm10, 0x1fffc0780fffc3fc, "Triggers a performance counter.", "G80 table (envytools); name: ours"),
];
