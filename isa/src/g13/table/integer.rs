//! Moves, integers, bit fields, selects of integers.
//!
//! Columns: name (and mnemonic, unless `spelled` gives another one and an alias), length in bytes (`by_bit`: number of
//! the length bit, bytes where it is 0, where it is 1), mask, match, what is known, origin of the encoding, reserved
//! bits (lowest, width), operands, meaning. A field is `name[lowest bit + width]`, runs from the least significant up.

use super::names::*;
use super::operands::*;
use super::{by_bit, fixed, row, Row};
use crate::set::{
    Evidence::{Public, Seed, SeedPublic},
    Status::{Decided, Specified},
};

/// An operation with a shift and a mask.
macro_rules! masked {
    ($sem:literal) => {
        concat!("sh = C & 0x7f; M = (m==0) ? 2^32-1 : 2^m-1; ", $sem)
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("mov_imm16", by_bit(15, 4, 6),  0x17f,         0x62,      Specified, Seed,       &[(32, 12), (46, 2)],                           &[DST_HALF_D_9_44, number!(imm16[16+16])],                                                       "each active lane: D = imm16 (a 16-bit half register; the other half is unchanged)").spelled("mov_imm", "mov"),
    row("mov_imm32", by_bit(15, 6, 8),  0x17f,         0x162,     Specified, Seed,       &[(48, 12), (63, 1)],                           &[DST_WORD_D_9_60, number!(imm32[16+32]), binary!(kill[62+1])],                                  "each active lane: D = imm32; bit \"kill\" (helper-lane kill hint) has no effect in compute").spelled("mov_imm", "mov"),
    row("iadd",      fixed(8),          0x803f,        0xe,       Specified, Seed,       &[(46, 6), (54, 10)],                           &[DST64_D_9_44, ADD_SRC_A_16_42, ADD_SRC_B_28_40, shift!(s[39+1 52+2])],                         "b = N ? -B : B; b = (s<=4) ? b<<s : 0; r = A + b (unbounded integers, each source zero- or sign-extended as its own width says); if S and s==0 and widths of A,B,D <=32: clamp r to the range of D, signed if As or Bs else unsigned; D = r mod 2^width(D)").spelled("iadd", "isub").with_fields(&[field!(S[6+1]), field!(N[27+1])]),
    row("imadd",     fixed(8),          0x803f,        0x1e,      Specified, Seed,       &[(51, 1), (62, 2)],                            &[DST64_D_9_60, MUL_SRC_A_16_58, MUL_SRC_B_28_56, ADD_SRC_C_40_54, shift!(s[39+1 52+2])],        "c = N ? -C : C; c = (s<=4) ? c<<s : 0; r = A*B + c (unbounded); if S and s==0 and widths of C,D <=32: clamp to D, signed if any of As,Bs,Cs; D = r mod 2^width(D)").spelled("imadd", "imsub").with_fields(&[field!(S[6+1]), field!(N[27+1])]),
    row("convert",   fixed(6),          0xcc003c0807f, 0x803e,    Decided,   Seed,       &[(46, 2)],                                     &[closed_choice!(mode[16+6], CONVERSIONS), DST_D_9_44, SRC_SRC_28_40, closed_choice!(round[26+2], CONVERT_ROUNDINGS)], "mode 0/1: unsigned/signed 8 low bits of src -> float; 6/7: 16 bits -> float; 10/11: 32 bits -> float; 4/5: float -> 16-bit int, 8/9: float -> 32-bit int. Float side is f16 or f32 by the width of src (f_to_*) or D (*_to_f). round 0 = toward zero, 1 = nearest even. float->int: NaN -> 0, clamp to the range, f32 denormals read as 0. int->float: correctly rounded, overflow to f16 infinity if round=1, to 65504 if round=0"),
    row("bfi",       fixed(8),          0xc00807f,     0x2e,      Specified, Seed,       &[(52, 2), (62, 1)],                            &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, bit_mask!(m[38+2 50+2 63+1])],              masked!("D = (A & ~(M<<sh)) | ((B & M) << sh), computed on unbounded integers, then truncated to D")),
    row("bfeil",     fixed(8),          0xc00807f,     0x802e,    Specified, Seed,       &[(52, 2), (62, 1)],                            &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, bit_mask!(m[38+2 50+2 63+1])],              masked!("D = (A & ~M) | ((B >> sh) & M)")),
    row("extr",      fixed(8),          0xc00807f,     0x400002e, Specified, Seed,       &[(52, 2), (62, 1)],                            &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, bit_mask!(m[38+2 50+2 63+1])],              masked!("D = (((B<<32) | A) >> sh) & M")),
    row("shlhi",     fixed(8),          0xc00807f,     0x800002e, Specified, Seed,       &[(52, 2), (62, 1)],                            &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, bit_mask!(m[38+2 50+2 63+1])],              masked!("T = M << max(sh-32,0); D = (((B<<sh)>>32) & T) | (A & ~T)")),
    row("shrhi",     fixed(8),          0xc00807f,     0x800802e, Specified, Seed,       &[(52, 2), (62, 1)],                            &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, bit_mask!(m[38+2 50+2 63+1])],              masked!("T = (M<<32) >> min(sh,32); D = (((B<<32)>>sh) & T) | (A & ~T)")),
    row("asr",       fixed(8),          0xc00807f,     0x400802e, Specified, Seed,       &[(38, 18), (62, 2)],                           &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56],                                                         "sh = B & 0x7f; D = signed(A, width of A) >> sh"),
    row("asrh",      fixed(8),          0xc00807f,     0xc00802e, Specified, Seed,       &[(38, 18), (62, 2)],                           &[DST_D_9_60, SRC_A_16_58, SRC_B_28_56],                                                         "sh = B & 0x7f; D = (signed(A, width of A) << 32) >> sh"),
    row("bitop",     fixed(6),          0x807f,        0x7e,      Specified, Seed,       &[(46, 2)],                                     &[TRUTH_TABLE, DST_D_9_44, SRC_A_16_42, SRC_B_28_40],                                            "bit i of D = tt[ a_i + 2*b_i ] (tt0 for a=0,b=0; tt1 a=1,b=0; tt2 a=0,b=1; tt3 both). Exception: tt = 0011 or 1100 (would be B / not B) gives A"),
    row("bitrev",    fixed(6),          0xfffc00807f,  0x400003e, Specified, Seed,       &[(40, 2), (46, 2)],                            &[DST_D_9_44, SRC_A_16_42],                                                                      "D = bit reversal of A over 32 bits"),
    row("popcount",  fixed(6),          0xfffc00807f,  0x800003e, Specified, Seed,       &[(40, 2), (46, 2)],                            &[DST_D_9_44, SRC_A_16_42],                                                                      "D = number of ones of A (32 bits)"),
    row("intl",      fixed(6),          0xc00c00807f,  0x3e,      Specified, Public,     &[(46, 2)],                                     &[DST_D_9_44, SRC_A_16_42, SRC_B_28_40],                                                         "for i in 0..15: bit 2i of D = A_i, bit 2i+1 = B_i"),
    row("ffs",       fixed(6),          0xfffc00807f,  0xc00003e, Specified, Seed,       &[(40, 2), (46, 2)],                            &[DST_D_9_44, SRC_A_16_42],                                                                      "D = index of the most significant 1 of A, or -1 (all ones in D) if A = 0"),
    row("icmpsel",   by_bit(15, 8, 10), 0x7f,          0x12,      Specified, SeedPublic, &[(26, 2), (38, 2), (49, 3), (64, 4), (78, 2)], &[INT_COND_CC_61, DST_D_9_76, SRC_A_16_74, SRC_B_28_72, SELECT_SRC_X_40_70, SELECT_SRC_Y_52_68], "active lanes: D = cc(A,B) ? X : Y (X,Y are raw values of the width of D)"),
];
