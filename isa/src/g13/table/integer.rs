//! Moves, integers, bit fields, selects of integers.

use super::fields::*;
use super::operands::*;
use super::{by_bit, row, Row};
use crate::set::{Evidence, Length, Status};

pub(super) const ROWS: &[Row] = &[
row(
"mov_imm16", "mov_imm", "mov", by_bit(15, 4, 6), 0x17f, 0x62,
&[DST_HALF_D_9_44, NUMBER_IMM16_16],
&[], &[(32, 12), (46, 2)],
Status::Specified, Evidence::Seed,
"each active lane: D = imm16 (a 16-bit half register; the other half is unchanged)", "",
),
row(
"mov_imm32", "mov_imm", "mov", by_bit(15, 6, 8), 0x17f, 0x162,
&[DST_WORD_D_9_60, NUMBER_IMM32_16, BINARY_KILL_62],
&[], &[(48, 12), (63, 1)],
Status::Specified, Evidence::Seed,
"each active lane: D = imm32; bit \"kill\" (helper-lane kill hint) has no effect in compute", "",
),
row(
"iadd", "iadd", "isub", Length::Fixed(8), 0x803f, 0xe,
&[DST64_D_9_44, ADD_SRC_A_16_42, ADD_SRC_B_28_40, SHIFT_S_39_52],
&[S_6, N_27], &[(46, 6), (54, 10)],
Status::Specified, Evidence::Seed,
"b = N ? -B : B; b = (s<=4) ? b<<s : 0; r = A + b (unbounded integers, each source zero- or sign-extended as its own width says); if S and s==0 and widths of A,B,D <=32: clamp r to the range of D, signed if As or Bs else unsigned; D = r mod 2^width(D)", "",
),
row(
"imadd", "imadd", "imsub", Length::Fixed(8), 0x803f, 0x1e,
&[DST64_D_9_60, MUL_SRC_A_16_58, MUL_SRC_B_28_56, ADD_SRC_C_40_54, SHIFT_S_39_52],
&[S_6, N_27], &[(51, 1), (62, 2)],
Status::Specified, Evidence::Seed,
"c = N ? -C : C; c = (s<=4) ? c<<s : 0; r = A*B + c (unbounded); if S and s==0 and widths of C,D <=32: clamp to D, signed if any of As,Bs,Cs; D = r mod 2^width(D)", "",
),
row(
"convert", "convert", "", Length::Fixed(6), 0xcc003c0807f, 0x803e,
&[CLOSED_CHOICE_MODE_16, DST_D_9_44, SRC_SRC_28_40, CLOSED_CHOICE_ROUND_26],
&[], &[(46, 2)],
Status::Decided, Evidence::Seed,
"mode 0/1: unsigned/signed 8 low bits of src -> float; 6/7: 16 bits -> float; 10/11: 32 bits -> float; 4/5: float -> 16-bit int, 8/9: float -> 32-bit int. Float side is f16 or f32 by the width of src (f_to_*) or D (*_to_f). round 0 = toward zero, 1 = nearest even. float->int: NaN -> 0, clamp to the range, f32 denormals read as 0. int->float: correctly rounded, overflow to f16 infinity if round=1, to 65504 if round=0", "",
),
row(
"bfi", "bfi", "", Length::Fixed(8), 0xc00807f, 0x2e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, BIT_MASK_M_38_63],
&[], &[(52, 2), (62, 1)],
Status::Specified, Evidence::Seed,
"sh = C & 0x7f; M = (m==0) ? 2^32-1 : 2^m-1; D = (A & ~(M<<sh)) | ((B & M) << sh), computed on unbounded integers, then truncated to D", "",
),
row(
"bfeil", "bfeil", "", Length::Fixed(8), 0xc00807f, 0x802e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, BIT_MASK_M_38_63],
&[], &[(52, 2), (62, 1)],
Status::Specified, Evidence::Seed,
"sh = C & 0x7f; M = (m==0) ? 2^32-1 : 2^m-1; D = (A & ~M) | ((B >> sh) & M)", "",
),
row(
"extr", "extr", "", Length::Fixed(8), 0xc00807f, 0x400002e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, BIT_MASK_M_38_63],
&[], &[(52, 2), (62, 1)],
Status::Specified, Evidence::Seed,
"sh = C & 0x7f; M = (m==0) ? 2^32-1 : 2^m-1; D = (((B<<32) | A) >> sh) & M", "",
),
row(
"shlhi", "shlhi", "", Length::Fixed(8), 0xc00807f, 0x800002e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, BIT_MASK_M_38_63],
&[], &[(52, 2), (62, 1)],
Status::Specified, Evidence::Seed,
"sh = C & 0x7f; M = (m==0) ? 2^32-1 : 2^m-1; T = M << max(sh-32,0); D = (((B<<sh)>>32) & T) | (A & ~T)", "",
),
row(
"shrhi", "shrhi", "", Length::Fixed(8), 0xc00807f, 0x800802e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56, SRC_C_40_54, BIT_MASK_M_38_63],
&[], &[(52, 2), (62, 1)],
Status::Specified, Evidence::Seed,
"sh = C & 0x7f; M = (m==0) ? 2^32-1 : 2^m-1; T = (M<<32) >> min(sh,32); D = (((B<<32)>>sh) & T) | (A & ~T)", "",
),
row(
"asr", "asr", "", Length::Fixed(8), 0xc00807f, 0x400802e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56],
&[], &[(38, 18), (62, 2)],
Status::Specified, Evidence::Seed,
"sh = B & 0x7f; D = signed(A, width of A) >> sh", "",
),
row(
"asrh", "asrh", "", Length::Fixed(8), 0xc00807f, 0xc00802e,
&[DST_D_9_60, SRC_A_16_58, SRC_B_28_56],
&[], &[(38, 18), (62, 2)],
Status::Specified, Evidence::Seed,
"sh = B & 0x7f; D = (signed(A, width of A) << 32) >> sh", "",
),
row(
"bitop", "bitop", "", Length::Fixed(6), 0x807f, 0x7e,
&[TRUTH_TABLE, DST_D_9_44, SRC_A_16_42, SRC_B_28_40],
&[], &[(46, 2)],
Status::Specified, Evidence::Seed,
"bit i of D = tt[ a_i + 2*b_i ] (tt0 for a=0,b=0; tt1 a=1,b=0; tt2 a=0,b=1; tt3 both). Exception: tt = 0011 or 1100 (would be B / not B) gives A", "",
),
row(
"bitrev", "bitrev", "", Length::Fixed(6), 0xfffc00807f, 0x400003e,
&[DST_D_9_44, SRC_A_16_42],
&[], &[(40, 2), (46, 2)],
Status::Specified, Evidence::Seed,
"D = bit reversal of A over 32 bits", "",
),
row(
"popcount", "popcount", "", Length::Fixed(6), 0xfffc00807f, 0x800003e,
&[DST_D_9_44, SRC_A_16_42],
&[], &[(40, 2), (46, 2)],
Status::Specified, Evidence::Seed,
"D = number of ones of A (32 bits)", "",
),
row(
"intl", "intl", "", Length::Fixed(6), 0xc00c00807f, 0x3e,
&[DST_D_9_44, SRC_A_16_42, SRC_B_28_40],
&[], &[(46, 2)],
Status::Specified, Evidence::Public,
"for i in 0..15: bit 2i of D = A_i, bit 2i+1 = B_i", "",
),
row(
"ffs", "ffs", "", Length::Fixed(6), 0xfffc00807f, 0xc00003e,
&[DST_D_9_44, SRC_A_16_42],
&[], &[(40, 2), (46, 2)],
Status::Specified, Evidence::Seed,
"D = index of the most significant 1 of A, or -1 (all ones in D) if A = 0", "",
),
row(
"icmpsel", "icmpsel", "", by_bit(15, 8, 10), 0x7f, 0x12,
&[INT_COND_CC_61, DST_D_9_76, SRC_A_16_74, SRC_B_28_72, SELECT_SRC_X_40_70, SELECT_SRC_Y_52_68],
&[], &[(26, 2), (38, 2), (49, 3), (64, 4), (78, 2)],
Status::Specified, Evidence::SeedPublic,
"active lanes: D = cc(A,B) ? X : Y (X,Y are raw values of the width of D)", "",
),
];
