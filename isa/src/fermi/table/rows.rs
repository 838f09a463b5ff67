//! The rows of Fermi, each one form or one family.
//!
//! `one!` is one form, `flow!` one without `.S`, `rci!` three: second operand a register (`_R`), a constant (`_C`), an
//! immediate (`_I`); `rrr!` is four of three sources: `_RR`, `_CR` a constant second, `_RC` a constant third, `_IR`.
//!
//! Columns: name, mnemonic, mask, match (of a family: of its first form), origin of the encoding, (`flow!`: fields of no
//! operand), reserved bits (lowest, width; of a family: those of all its forms), modifiers, operands, meaning, remark.
//! The operands of a family: those in front, kind and signs of the operand that varies, those behind it (`rrr!`: signs
//! of the third source).

use super::fields::*;
use super::modifiers::*;
use super::{form, Row};
use crate::fermi::operand::*;
use crate::set::Evidence::{Public, Seed};
use crate::set::Modifier::Fixed;

/// Bits 47:46 of a family: mode of the operand that varies; 0 is a register.
const CONSTANT: u128 = 1 << 46;
const CONSTANT_THIRD: u128 = 2 << 46;
const IMMEDIATE: u128 = 3 << 46;

/// Remark on `_RC`.
macro_rules! swapped {
    () => {
        "mode 2: the register of field C is the second source, the constant is the third"
    };
}

/// Meaning of an access of the size that the mnemonic names.
macro_rules! sized {
    ($sem:literal) => {
        concat!(
            $sem,
            "; U8/S8/U16/S16 extend (loads) or truncate (stores); 64/128 use 2/4 aligned registers; address must be \
             aligned to the size"
        )
    };
}

// The columns of a row. In a family a register leaves bits 45:32 without owner, a constant bit 27: reserved.

#[rustfmt::skip]
macro_rules! flow {
    ($name:expr, $mnemonic:literal, $mask:literal, $match_:expr, $evidence:ident, $fields:ident, $reserved:tt,
     $modifiers:tt, $operands:tt, $sem:expr $(, $note:expr)?) => {
        &[form($name, $mnemonic, $mask, $match_, $evidence, $fields, &$reserved, &$modifiers, &$operands, $sem, concat!($($note)?))]
    };
}

macro_rules! one {
    ($name:literal, $mnemonic:literal, $mask:literal, $match_:literal, $evidence:ident, $($rest:tt)*) => {
        flow!($name, $mnemonic, $mask, $match_, $evidence, GUARD_JOIN, $($rest)*)
    };
}

#[rustfmt::skip]
macro_rules! rci {
    ($name:literal, $mnemonic:literal, $mask:literal, $match_:literal, $evidence:ident, [$($reserved:expr),*],
     $modifiers:tt, [$($before:expr),*], $kind:ident $signs:tt, [$($after:expr),*], $sem:expr $(, $note:literal)?) => {
        &[
            form(concat!($name, "_R"), $mnemonic, $mask, $match_, $evidence, GUARD_JOIN, &[(32, 14) $(, $reserved)*], &$modifiers,
                 &[$($before,)* $kind.register.signed(&$signs) $(, $after)*], $sem, concat!($($note)?)),
            form(concat!($name, "_C"), $mnemonic, $mask, $match_ | CONSTANT, $evidence, GUARD_JOIN, &[(27, 1) $(, $reserved)*], &$modifiers,
                 &[$($before,)* $kind.constant.signed(&$signs) $(, $after)*], $sem, concat!($($note)?)),
            form(concat!($name, "_I"), $mnemonic, $mask, $match_ | IMMEDIATE, $evidence, GUARD_JOIN, &[$($reserved),*], &$modifiers,
                 &[$($before,)* $kind.immediate.signed(&$signs) $(, $after)*], $sem, concat!($($note)?)),
        ]
    };
}

#[rustfmt::skip]
macro_rules! rrr {
    ($name:literal, $mnemonic:literal, $mask:literal, $match_:literal, $evidence:ident, [$($reserved:expr),*],
     $modifiers:tt, [$($before:expr),*], $kind:ident $signs:tt, $third:tt, $sem:expr $(, $note:literal)?) => {
        &[
            form(concat!($name, "_RR"), $mnemonic, $mask, $match_, $evidence, GUARD_JOIN, &[(32, 14) $(, $reserved)*], &$modifiers,
                 &[$($before,)* $kind.register.signed(&$signs), $kind.third.signed(&$third)], $sem, concat!($($note)?)),
            form(concat!($name, "_CR"), $mnemonic, $mask, $match_ | CONSTANT, $evidence, GUARD_JOIN, &[(27, 1) $(, $reserved)*], &$modifiers,
                 &[$($before,)* $kind.constant.signed(&$signs), $kind.third.signed(&$third)], $sem, concat!($($note)?)),
            form(concat!($name, "_RC"), $mnemonic, $mask, $match_ | CONSTANT_THIRD, $evidence, GUARD_JOIN, &[(27, 1) $(, $reserved)*], &$modifiers,
                 &[$($before,)* $kind.third.signed(&$signs), $kind.constant.signed(&$third)], $sem, concat!($($note, "; ",)? swapped!())),
            form(concat!($name, "_IR"), $mnemonic, $mask, $match_ | IMMEDIATE, $evidence, GUARD_JOIN, &[$($reserved),*], &$modifiers,
                 &[$($before,)* $kind.immediate.signed(&$signs), $kind.third.signed(&$third)], $sem, concat!($($note)?)),
        ]
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[&[Row]] = &[
    // Single-precision floats
    rci!("FADD",        "FADD",    0xf800c0000000000f, 0x5000000000000000, Seed,   [(48, 1), (50, 5), (57, 2)],                          [FTZ_5, RND_55, SAT_49],                               [REG_D, REG_A.signed(&[NEG_9, ABS_7])], F32[NEG_8, ABS_6], [],                          "D = sat(round(rnd, A + B))", "bit 57: the seed names it .FMA, no other source knows it: reserved, encode 0"),
    one!("FADD32I",     "FADD32I", 0xf80000000000000f, 0x2800000000000002, Seed,   [(6, 1), (8, 1), (58, 1)],                            [FTZ_5],                                               [REG_D, REG_A.signed(&[NEG_9, ABS_7]), imm32(&[IMM32])],                                "D = round(RN, A + imm32)"),
    rci!("FMUL",        "FMUL",    0xf800c0000000000f, 0x5800000000000000, Seed,   [(8, 2), (48, 7), (58, 1)],                           [FTZ_6, FMZ_7, RND_55, SAT_5],                         [REG_D, REG_A], F32[NEG_57], [],                                                        "D = sat(round(rnd, A * B)); FMZ: any zero (or flushed) factor gives +0", "bits 51:49 scale the product by 1,/2,/4,/8,*8,*4,*2 (public only): reserved, encode 0; bits 9:8 (.FMA/.FMA2 in the seed, contradictory): reserved"),
    one!("FMUL32I",     "FMUL32I", 0xf80000000000000f, 0x3000000000000002, Seed,   [(8, 2), (58, 1)],                                    [FTZ_6, FMZ_7, SAT_5],                                 [REG_D, REG_A, imm32(&[IMM32])],                                                        "D = sat(round(RN, A * imm32))"),
    rrr!("FFMA",        "FFMA",    0xf800c0000000000f, 0x3000000000000000, Seed,   [(48, 1), (57, 2)],                                   [FTZ_6, FMZ_7, RND_55, SAT_5],                         [REG_D, REG_A], F32[NEG_PRODUCT_9], [NEG_C_8],                                          "D = sat(round(rnd, (-1)^nb * A*B + (-1)^nc * C)), one rounding"),
    rci!("FSETP",       "FSETP",   0xf000c0000000000f, 0x2000000000000000, Seed,   [(5, 1), (48, 1)],                                    [CMP_FLOAT, FTZ_59, LOGIC_53],                         [PRED_D, PRED_N, REG_A.signed(&[NEG_9, ABS_7])], F32[NEG_8, ABS_6], [PRED_C],           "t = A cmp B; PD = t log PC; PN2 = (not t) log PC", "bit 59 .FTZ is public, not in the seed"),
    rrr!("FCMP",        "FCMP",    0xf800c0000000000f, 0x3800000000000000, Seed,   [(6, 4), (48, 1)],                                    [CMP_FLOAT, FTZ_5],                                    [REG_D, REG_A], F32[], [],                                                              "D = (C cmp 0.0) ? A : B (bits moved unchanged)", "the seed gives the syntax only; meaning from public sources"),
    one!("MUFU",        "MUFU",    0xf80000000000000f, 0xc800000000000000, Seed,   [(6, 1), (8, 1), (29, 30)],                           [OP_MUFU, SAT_5],                                      [REG_D, REG_A.signed(&[NEG_9, ABS_7])],                                                 "D = sat(f(A)); see docs/numerics.md, Special functions"),
    rci!("RRO_SIN",     "RRO",     0xf800c0000000002f, 0x6000000000000000, Public, [(7, 1), (9, 1), (20, 6), (48, 11)],                  [Fixed("SINCOS")],                                     [REG_D], F32[NEG_8, ABS_6], [],                                                         "range reduction for MUFU.SIN/COS (RRO.SIN of docs/numerics.md)"),
    rci!("RRO_EX2",     "RRO",     0xf800c0000000002f, 0x6000000000000020, Public, [(7, 1), (9, 1), (20, 6), (48, 11)],                  [Fixed("EX2")],                                        [REG_D], F32[NEG_8, ABS_6], [],                                                         "range reduction for MUFU.EX2 (RRO.EX2 of docs/numerics.md)"),
    rci!("FMNMX",       "FMNMX",   0xf800c0000000000f, 0x0800000000000000, Public, [(48, 1), (53, 6)],                                   [FTZ_5],                                               [REG_D, REG_A.signed(&[NEG_9, ABS_7])], F32[NEG_8, ABS_6], [PRED_C],                    "D = PC ? min(A,B) : max(A,B); one NaN: the other operand; two NaN: canonical NaN; -0 < +0"),

    // Double-precision floats
    rci!("DADD",        "DADD",    0xf800c0000000000f, 0x4800000000000001, Seed,   [(5, 1), (48, 7), (57, 2)],                           [RND_55],                                              [REG64_D, REG64_A.signed(&[NEG_9, ABS_7])], F64[NEG_8, ABS_6], [],                      "D = round(rnd, A + B) in f64", "the seed (and asfermi) give opcode tail 110010; correct is 010010"),
    rci!("DMUL",        "DMUL",    0xf800c0000000000f, 0x5000000000000001, Seed,   [(5, 4), (48, 7), (57, 2)],                           [RND_55],                                              [REG64_D, REG64_A], F64[NEG_PRODUCT_9], [],                                             "D = round(rnd, A * B) in f64"),
    rrr!("DFMA",        "DFMA",    0xf800c0000000000f, 0x2000000000000001, Seed,   [(5, 3), (48, 1), (57, 2)],                           [RND_55],                                              [REG64_D, REG64_A], F64[NEG_PRODUCT_9], [NEG_C_8],                                      "D = round(rnd, (-1)^nb*A*B + (-1)^nc*C) in f64", "rounding bits are public; the seed omits them for DFMA"),
    rci!("DSETP",       "DSETP",   0xf800c0000000000f, 0x1800000000000001, Seed,   [(5, 1), (48, 1)],                                    [CMP_FLOAT, LOGIC_53],                                 [PRED_D, PRED_N, REG64_A.signed(&[NEG_9, ABS_7])], F64[NEG_8, ABS_6], [PRED_C],         "as FSETP on f64"),

    // Moves, selects, predicates
    rci!("MOV",         "MOV",     0xfc00c0000000000f, 0x2800000000000004, Public, [(9, 1), (20, 6), (48, 10)],                          [LANES_5],                                             [REG_D], INT[], [],                                                                     "D = B (lane mask field must be 15)"),
    one!("MOV32I",      "MOV32I",  0xf80000000000000f, 0x1800000000000002, Public, [(9, 1), (20, 6), (58, 1)],                           [LANES_5],                                             [REG_D, imm32(&[IMM32])],                                                               "D = imm32"),
    one!("S2R",         "S2R",     0xfc0000000000000f, 0x2c00000000000004, Public, [(5, 5), (20, 6), (34, 24)],                          [],                                                    [REG_D, special(&[SPECIAL])],                                                           "D = special register"),
    rci!("SEL",         "SEL",     0xfc00c0000000000f, 0x2000000000000004, Public, [(5, 5), (48, 1), (53, 5)],                           [],                                                    [REG_D, REG_A], INT[], [PRED_C],                                                        "D = PC ? A : B"),
    one!("PSETP",       "PSETP",   0xfc0000000000000f, 0x0c00000000000004, Public, [(5, 5), (24, 2), (32, 17), (55, 3)],                 [LOGIC_30, LOGIC_53],                                  [PRED_D, PRED_N, pred(&[PA]).signed(&[NOT_23]), pred(&[PB]).signed(&[NOT_29]), PRED_C], "t = PA log1 PB; PD = t log PC; PN2 = (not t) log PC"),

    // Integers and logic
    rci!("IADD",        "IADD",    0xf800c0000000000f, 0x4800000000000003, Public, [(6, 2), (48, 11)],                                   [SAT_5],                                               [REG_D, REG_A.signed(&[NEG_9])], INT[NEG_8], [],                                        "D = (+-A) + (+-B) mod 2^32; SAT clamps to signed 32 bits; na=nb=1 means A+B+1 (PO)", "bit 6 .X (add carry) and bit 48 .CC (write flags): not in the profile, reserved"),
    one!("IADD32I",     "IADD32I", 0xf80000000000000f, 0x0800000000000002, Public, [(6, 3), (58, 1)],                                    [SAT_5],                                               [REG_D, REG_A.signed(&[NEG_9]), imm32(&[IMM32])],                                       "D = (+-A) + imm32", "bit 8 negates the immediate (never needed: encode 0); reserved"),
    rci!("IMUL",        "IMUL",    0xf800c0000000000f, 0x5000000000000003, Public, [(8, 2), (48, 11)],                                   [SA_7, SB_5, HI_6],                                    [REG_D, REG_A], INT[], [],                                                              "D = low (or HI: high) 32 bits of the 64-bit product; each factor signed or unsigned"),
    one!("IMUL32I",     "IMUL32I", 0xf80000000000000f, 0x1000000000000002, Public, [(8, 2), (58, 1)],                                    [SA_7, SB_5, HI_6],                                    [REG_D, REG_A, imm32(&[IMM32])],                                                        "as IMUL with imm32"),
    rrr!("IMAD",        "IMAD",    0xf800c0000000000f, 0x2000000000000003, Public, [(48, 1), (55, 1), (57, 2)],                          [SA_7, SB_5, HI_6, SAT_56],                            [REG_D, REG_A.signed(&[NEG_PRODUCT_9])], INT[], [NEG_C_8],                              "D = (+-)(A*B).lo/hi + (+-)C; nb=nc=1 means +1 (PO); SAT as IADD", "nb is the sign of the product, printed on A; bit 55 .X: reserved"),
    rci!("ISCADD",      "ISCADD",  0xf800c0000000000f, 0x4000000000000003, Public, [(48, 7), (57, 2)],                                   [],                                                    [REG_D, REG_A.signed(&[NEG_56])], INT[NEG_55], [number(&[SHIFT])],                      "D = (+-)(A << sh) + (+-)B"),
    rci!("SHL",         "SHL",     0xf800c0000000000f, 0x6000000000000003, Public, [(5, 4), (48, 11)],                                   [W_9],                                                 [REG_D, REG_A], INT[], [],                                                              "n = B (W: B & 31); D = n<32 ? A<<n : 0", "asfermi sets bit 5 here; other sources do not know it: reserved, encode 0"),
    rci!("SHR",         "SHR",     0xf800c0000000000f, 0x5800000000000003, Public, [(6, 3), (48, 11)],                                   [UNSIGNED_5, W_9],                                     [REG_D, REG_A], INT[], [],                                                              "n = B (W: B & 31); U32: n<32 ? A>>n : 0; signed (default): arithmetic, n>31 gives the sign", "bit 8 reverses the bits first: not in the profile, reserved"),
    rci!("LOP",         "LOP",     0xf800c0000000000f, 0x6800000000000003, Public, [(5, 1), (48, 11)],                                   [OP_LOP],                                              [REG_D, REG_A.signed(&[INV_9])], INT[INV_8], [],                                        "D = (~)A op (~)B"),
    one!("LOP32I",      "LOP32I",  0xf80000000000000f, 0x3800000000000002, Public, [(5, 1), (8, 1), (58, 1)],                            [OP_LOP],                                              [REG_D, REG_A.signed(&[INV_9]), imm32(&[IMM32])],                                       "as LOP with imm32"),
    rci!("ISETP",       "ISETP",   0xf800c0000000000f, 0x1800000000000003, Public, [(6, 4), (48, 1)],                                    [CMP_INT, UNSIGNED_5, LOGIC_53],                       [PRED_D, PRED_N, REG_A], INT[], [PRED_C],                                               "t = A cmp B (signed unless U32); PD = t log PC; PN2 = (not t) log PC", "bit 6 .X: reserved"),
    rrr!("ICMP",        "ICMP",    0xf800c0000000000f, 0x3000000000000003, Public, [(6, 4), (48, 1)],                                    [CMP_INT, UNSIGNED_5],                                 [REG_D, REG_A], INT[], [],                                                              "D = (C cmp 0) ? A : B"),
    rci!("IMNMX",       "IMNMX",   0xf800c000000000cf, 0x0800000000000003, Public, [(8, 2), (48, 1), (53, 6)],                           [UNSIGNED_5],                                          [REG_D, REG_A], INT[], [PRED_C],                                                        "D = PC ? min(A,B) : max(A,B)"),
    rci!("BFE",         "BFE",     0xf800c0000000000f, 0x7000000000000003, Public, [(6, 2), (9, 1), (48, 11)],                           [UNSIGNED_5, REV_8],                                   [REG_D, REG_A], INT[], [],                                                              "p = B[7:0], n = B[15:8]; D = bits p..p+n-1 of A (BREV: A bit-reversed first), zero- or sign-extended; bits above 31 read as the sign (signed) or 0; n=0 gives 0"),
    rrr!("BFI",         "BFI",     0xf800c0000000000f, 0x2800000000000003, Public, [(5, 5), (48, 1), (55, 4)],                           [],                                                    [REG_D, REG_A], INT[], [],                                                              "p = B[7:0], n = B[15:8]; D = C with bits p..p+n-1 replaced by A[n-1:0]"),
    rci!("POPC",        "POPC",    0xfc00c0000000000f, 0x5400000000000004, Public, [(5, 3), (48, 10)],                                   [],                                                    [REG_D, REG_A.signed(&[INV_9])], INT[INV_8], [],                                        "D = number of ones of (~)A & (~)B"),
    rci!("FLO",         "FLO",     0xf800c0000000000f, 0x7800000000000003, Public, [(7, 1), (9, 1), (20, 6), (48, 11)],                  [UNSIGNED_5, SH_6],                                    [REG_D], INT[INV_8], [],                                                                "v = (~)B; unsigned: index of the highest 1, -1 if none; signed: highest bit that differs from the sign; SH: 31 - index"),

    // Conversions
    rci!("F2I_F32",     "F2I",     0xfc00c0000380000f, 0x1400000001000004, Public, [(5, 1), (9, 1), (22, 1), (48, 1), (51, 4), (56, 2)], [FTZ_55, TYPE_F2I, Fixed("F32"), RND_INT_49],          [TYPED_D], F32[NEG_8, ABS_6], [],                                                       "D = clamp(round_to_int(rnd, B)); NaN -> 0; 64-bit results to a register pair"),
    rci!("F2I_F64",     "F2I",     0xfc00c0000380000f, 0x1400000001800004, Public, [(5, 1), (9, 1), (22, 1), (48, 1), (51, 4), (56, 2)], [FTZ_55, TYPE_F2I, Fixed("F64"), RND_INT_49],          [TYPED_D], F64[NEG_8, ABS_6], [],                                                       "D = clamp(round_to_int(rnd, B)); NaN -> 0; 64-bit results to a register pair"),
    rci!("I2F_F32",     "I2F",     0xfc00c00003b0008f, 0x1800000001200004, Public, [(5, 1), (22, 1), (48, 1), (51, 7)],                  [Fixed("F32"), TYPE_SRC, RND_49],                      [TYPED_D], INT[NEG_8, ABS_6], [],                                                       "D = round(rnd, (+-)|B|) as F32"),
    rci!("I2F_F64",     "I2F",     0xfc00c00003b0008f, 0x1800000001300004, Public, [(5, 1), (22, 1), (48, 1), (51, 7)],                  [Fixed("F64"), TYPE_SRC, RND_49],                      [TYPED_D], INT[NEG_8, ABS_6], [],                                                       "D = round(rnd, (+-)|B|) as F64"),
    rci!("F2F_F32_F32", "F2F",     0xfc00c00003b0008f, 0x1000000001200004, Public, [(9, 1), (22, 1), (48, 7), (56, 2)],                  [FTZ_55, Fixed("F32"), Fixed("F32"), SAT_5],           [REG_D], F32[NEG_8, ABS_6], [],                                                         "D = sat((+-)|B|), FTZ flushes"),
    rci!("F2F_ROUND",   "F2F",     0xfc00c00003b0008f, 0x1000000001200084, Public, [(9, 1), (22, 1), (48, 1), (51, 4), (56, 2)],         [FTZ_55, Fixed("ROUND"), Fixed("F32"), RND_49, SAT_5], [REG_D], F32[NEG_8, ABS_6], [],                                                         "D = (+-)|B| rounded to an integer value in mode rnd (sign of zero kept)"),
    rci!("F2F_F32_F64", "F2F",     0xfc00c00003b0000f, 0x1000000001a00004, Public, [(7, 1), (9, 1), (22, 1), (48, 1), (51, 4), (56, 2)], [FTZ_55, Fixed("F32"), Fixed("F64"), RND_49, SAT_5],   [REG_D], F64[NEG_8, ABS_6], [],                                                         "D = round(rnd, B) f64 to f32"),
    rci!("F2F_F64_F32", "F2F",     0xfc00c00003b0000f, 0x1000000001300004, Public, [(7, 1), (9, 1), (22, 1), (48, 7), (56, 2)],          [FTZ_55, Fixed("F64"), Fixed("F32"), SAT_5],           [REG64_D], F32[NEG_8, ABS_6], [],                                                       "D = B exactly, f32 to f64"),
    rci!("F2F_F16_F32", "F2F",     0xfc00c00003b0000f, 0x1000000001100004, Public, [(7, 1), (9, 1), (22, 1), (48, 1), (51, 4), (56, 2)], [FTZ_55, Fixed("F16"), Fixed("F32"), RND_49, SAT_5],   [REG_D], F32[NEG_8, ABS_6], [],                                                         "D = round(rnd, B) as f16 in the low half, high half 0"),
    rci!("I2I_32",      "I2I",     0xfc00c0000380000f, 0x1c00000001000004, Public, [(22, 1), (48, 10)],                                  [TYPE_I2I, TYPE_SRC, SAT_5],                           [REG_D], INT[NEG_8, ABS_6], [],                                                         "v = (+-)|B| read as U32/S32; SAT: clamp to dt; D = v truncated to dt and extended to 32 bits"),

    // Loads, stores, atomics
    one!("LD",          "LD",      0xf80000000000000f, 0x8000000000000005, Public, [],                                                   [E_58, CACHE_LOAD, SIZE],                              [SIZED_D, memory(&[A, ADDR32])],                                                        sized!("D.. = memory at A + signed offset"), ".E: 64-bit address in the pair A (even)"),
    one!("ST",          "ST",      0xf80000000000000f, 0x9000000000000005, Public, [],                                                   [E_58, CACHE_STORE, SIZE],                             [memory(&[A, ADDR32]), SIZED_D],                                                        sized!("memory at A + signed offset = D..")),
    one!("LDL",         "LDL",     0xfd0000000000000f, 0xc000000000000005, Public, [(50, 6), (57, 1)],                                   [CACHE_LOAD, SIZE],                                    [SIZED_D, memory(&[A, ADDR24])],                                                        sized!("D.. = memory at A + signed offset")),
    one!("LDS",         "LDS",     0xfd0000000000000f, 0xc100000000000005, Public, [(8, 2), (50, 6), (57, 1)],                           [SIZE],                                                [SIZED_D, memory(&[A, ADDR24])],                                                        sized!("D.. = memory at A + signed offset")),
    one!("STL",         "STL",     0xfd0000000000000f, 0xc800000000000005, Public, [(50, 6), (57, 1)],                                   [CACHE_STORE, SIZE],                                   [memory(&[A, ADDR24]), SIZED_D],                                                        sized!("memory at A + signed offset = D..")),
    one!("STS",         "STS",     0xfd0000000000000f, 0xc900000000000005, Public, [(8, 2), (50, 6), (57, 1)],                           [SIZE],                                                [memory(&[A, ADDR24]), SIZED_D],                                                        sized!("memory at A + signed offset = D..")),
    one!("LDC",         "LDC",     0xfc0000000000000f, 0x1400000000000006, Public, [(8, 2), (47, 11)],                                   [SIZE],                                                [SIZED_D, const_memory(&[LOAD_BANK, A, ADDR16])],                                       "D.. = constant bank b at A + signed 16-bit offset"),
    one!("RED",         "RED",     0xf80000000000020f, 0x1000000000000005, Public, [(8, 1)],                                             [E_58, OP_ATOM],                                       [memory(&[A, ADDR32]), REG_D],                                                          "atomic read-modify-write u32, no result"),
    one!("ATOM",        "ATOM",    0xf87e00000000030f, 0x507e000000000005, Public, [],                                                   [E_58, OP_ATOM],                                       [reg(&[DST2]), memory(&[A, ADDR20]), REG_D],                                            "D2 = old u32; memory = old op D"),
    one!("ATOM_EXCH",   "ATOM",    0xf87e0000000003ef, 0x507e000000000105, Public, [],                                                   [E_58, Fixed("EXCH")],                                 [reg(&[DST2]), memory(&[A, ADDR20]), REG_D],                                            "D2 = old; memory = D"),
    one!("ATOM_CAS",    "ATOM",    0xf8000000000003ef, 0x5000000000000125, Public, [],                                                   [E_58, Fixed("CAS")],                                  [reg(&[DST2]), memory(&[A, ADDR20]), REG_D, REG_C],                                     "D2 = old; if old == D: memory = C"),
    one!("MEMBAR",      "MEMBAR",  0xfc0000000000000f, 0xe000000000000005, Public, [(7, 3), (14, 44)],                                   [LEVEL],                                               [],                                                                                     "memory fence"),

    // Control flow, barriers, votes
    flow!("BRA",  "BRA",  0xf80000000000400f, 0x4000000000000007, Public, GUARD_ONLY, [(4, 1), (17, 9), (50, 9)],           [U_15, LMT_16, CC], [target(&[TARGET])], "taken lanes: pc = pc+8+t; see divergence rules"),
    flow!("SSY",  "SSY",  0xf80000000000400f, 0x6000000000000007, Public, NO_GUARD,   [(4, 10), (15, 11), (50, 9)],         [],                 [target(&[TARGET])], "push a reconvergence entry (target, current mask)"),
    flow!("PBK",  "PBK",  0xf80000000000400f, 0x6800000000000007, Public, NO_GUARD,   [(4, 10), (15, 11), (50, 9)],         [],                 [target(&[TARGET])], "push a break entry"),
    flow!("PCNT", "PCNT", 0xf80000000000400f, 0x7000000000000007, Public, NO_GUARD,   [(4, 10), (15, 11), (50, 9)],         [],                 [target(&[TARGET])], "push a continue entry"),
    flow!("PRET", "PRET", 0xf80000000000400f, 0x7800000000000007, Public, NO_GUARD,   [(4, 10), (15, 1), (17, 9), (50, 9)], [NI_16],            [target(&[TARGET])], "push a return entry"),
    flow!("CAL",  "CAL",  0xf80000000000400f, 0x5000000000000007, Public, NO_GUARD,   [(4, 10), (15, 1), (17, 9), (50, 9)], [NI_16],            [target(&[TARGET])], "push return entry (pc+8, mask); pc = target"),
    flow!("EXIT", "EXIT", 0xf80000000000000f, 0x8000000000000007, Public, GUARD_ONLY, [(4, 1), (14, 45)],                   [CC],               [],                  "lanes that pass the guard end"),
    flow!("RET",  "RET",  0xf80000000000000f, 0x9000000000000007, Public, GUARD_ONLY, [(4, 1), (14, 45)],                   [CC],               [],                  "lanes leave to the return entry"),
    flow!("BRK",  "BRK",  0xf80000000000000f, 0xa800000000000007, Public, GUARD_ONLY, [(4, 1), (14, 45)],                   [CC],               [],                  "lanes leave to the break entry"),
    flow!("CONT", "CONT", 0xf80000000000000f, 0xb000000000000007, Public, GUARD_ONLY, [(4, 1), (14, 45)],                   [CC],               [],                  "lanes leave to the continue entry"),
    one!("NOP",         "NOP",     0xfc0000040000000f, 0x4000000000000004, Public, [(14, 20), (35, 23)],                                 [CC],                                                  [],                                                                                     "nothing (with .S: reconverge)"),
    one!("BAR_SYNC",    "BAR",     0xfcfec000000fc0ef, 0x50eec000000fc004, Public, [(8, 2), (24, 2), (38, 8), (48, 1), (56, 2)],         [Fixed("SYNC")],                                       [number(&[BARRIER]), optional(&[COUNT])],                                               "wait until n threads (0: all of the block) have arrived at barrier b"),
    one!("BAR_ARV",     "BAR",     0xfcfec000000fc0ef, 0x50eec000000fc084, Public, [(8, 2), (24, 2), (38, 8), (48, 1), (56, 2)],         [Fixed("ARV")],                                        [number(&[BARRIER]), number(&[COUNT])],                                                 "arrive at barrier b without waiting"),
    one!("VOTE",        "VOTE",    0xfc0000000000000f, 0x4800000000000004, Public, [(7, 3), (24, 30), (57, 1)],                          [OP_VOTE],                                             [REG_D, pred(&[PDST_54]), pred(&[PA]).signed(&[NOT_23])],                               "over lanes that execute: PD = all/any/uniform of PA; D = ballot mask of PA"),
];
