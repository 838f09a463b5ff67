//! The operands of the forms: constant, kind, fields as `name[lowest bit + width]`, the runs of a value from the least
//! significant up. Kinds of one field are written in the rows: `number!(u1[26+1])`, `choice!(F[24+4], FORMATS)`.

use crate::g13::operand::*;
use crate::set::Field;

/// A field: `F[7+3 48+1]` is named F and has 3 bits from bit 7 up, then bit 48.
macro_rules! field {
    ($name:ident[$($low:literal + $width:literal)+]) => {
        crate::set::Field::new(stringify!($name), &[$(($low, $width)),+])
    };
}

/// An operand of one field, made by the function of the macro's name.
macro_rules! single {
    ($d:tt $($kind:ident)+) => {
        $(macro_rules! $kind {
            ($d name:ident $d parts:tt $d(, $d names:ident)?) => {
                crate::g13::operand::$kind(&[field!($d name $d parts)] $d(, $d names)?)
            };
        })+
    };
}
single!($ binary bit_mask choice closed_choice count_dst even_reg half number reg sampler_state shift signed special);
single!($ target texture_state uniform_pair);

macro_rules! operands {
    ($($constant:ident $kind:ident $($name:ident[$($low:literal + $width:literal)+])+;)+) => {
        $(pub const $constant: Operand = $kind(&[$(Field::new(stringify!($name), &[$(($low, $width)),+])),+]);)+
    };
}

#[rustfmt::skip]
operands! {
    ADD_SRC_A_16_42         add_src        A[16+6 42+2] At[22+4] As[26+1];
    ADD_SRC_B_28_40         add_src        B[28+6 40+2] Bt[34+4] Bs[38+1];
    ADD_SRC_C_40_54         add_src        C[40+6 54+2] Ct[46+4] Cs[50+1];
    ASYNC_BASE_A_16_36      async_base     A[16+4 36+4] At[25+1] F[47+1];
    ASYNC_REG_R_9           async_reg      R[9+6] Rt[8+1];
    ATOMIC_DST_R_10_40      atomic_dst     R[10+6 40+2] Rt[47+1];
    ATOMIC_REG_R_9_60       atomic_reg     R[9+6 60+2] Rt[8+1] Ra[38+1];
    ATOMIC_SRC_S_48         atomic_src     S[48+8] op[6+4];
    ATOMIC_SRC_S_64         atomic_src     S[64+8] op[24+4];
    BASE_A_16_36            base           A[16+4 36+4] At[27+1];
    CF_I_16_58              cf             I[16+6 58+2] It[23+1];
    CF_J_24_60              cf             J[24+6 60+2];
    COEFFICIENTS_D_9_56     coefficients   D[9+6 56+2] Dt[8+1] count[30+2];
    COMPARE_OFFSET_O_80_94  compare_offset O[80+6 94+2] Ot[91+1] compare[23+1];
    COORDS_C_16_58          coords         C[16+6 58+2] Ct[22+1] Cs[47+1] n[40+3 55+1];
    COORDS_C_16_74          coords         C[16+6 74+2] Ct[22+1] Cs[47+1] n[40+3 71+1];
    DEPTH_STENCIL_T_16_26   depth_stencil  T[16+6 26+2] z[29+1] s[30+1];
    DST64_D_9_44            dst64          D[9+6 44+2] Dt[7+2];
    DST64_D_9_60            dst64          D[9+6 60+2] Dt[7+2];
    DST_D_9_28              dst            D[9+6 28+2] Dt[7+2];
    DST_D_9_44              dst            D[9+6 44+2] Dt[7+2];
    DST_D_9_60              dst            D[9+6 60+2] Dt[7+2];
    DST_D_9_76              dst            D[9+6 76+2] Dt[7+2];
    DST_HALF_D_9_44         dst_half       D[9+6 44+2] Dt[7+1];
    DST_PAIR_D_9_60         dst_pair       D[9+6 60+2] Dt[7+2];
    DST_WORD_D_9_60         dst_word       D[9+6 60+2] Dt[7+1];
    FLOAT_COND_CC_13        float_cond     cc[13+3] ccn[8+1];
    FLOAT_COND_CC_61        float_cond     cc[61+3];
    FLOAT_COND_CC_61_CCN_47 float_cond     cc[61+3] ccn[47+1];
    FLOAT_DST16_D_9_44      float_dst16    D[9+6 44+2] Dt[7+2] S[6+1];
    FLOAT_DST16_D_9_60      float_dst16    D[9+6 60+2] Dt[7+2] S[6+1];
    FLOAT_DST_D_9_44        float_dst      D[9+6 44+2] Dt[7+2] S[6+1];
    FLOAT_DST_D_9_60        float_dst      D[9+6 60+2] Dt[7+2] S[6+1];
    FLOAT_PAIR_SRC_A_16_58  float_pair_src A[16+6 58+2] At[22+4] Am[52+2];
    FLOAT_PAIR_SRC_B_28_56  float_pair_src B[28+6 56+2] Bt[34+4] Bm[38+2];
    FLOAT_PAIR_SRC_C_40_54  float_pair_src C[40+6 54+2] Ct[46+4] Cm[50+2];
    FLOAT_SRC16_A_16_42     float_src16    A[16+6 42+2] At[22+3] Am[25+2];
    FLOAT_SRC16_A_16_58     float_src16    A[16+6 58+2] At[22+3] Am[25+2];
    FLOAT_SRC16_B_28_40     float_src16    B[28+6 40+2] Bt[34+3] Bm[37+2];
    FLOAT_SRC16_B_28_56     float_src16    B[28+6 56+2] Bt[34+3] Bm[37+2];
    FLOAT_SRC16_C_40_54     float_src16    C[40+6 54+2] Ct[46+3] Cm[49+2];
    FLOAT_SRC_A_16_42       float_src      A[16+6 42+2] At[22+4] Am[26+2];
    FLOAT_SRC_A_16_58       float_src      A[16+6 58+2] At[22+4] Am[26+2];
    FLOAT_SRC_A_16_74       float_src      A[16+6 74+2] At[22+4] Am[26+2];
    FLOAT_SRC_B_28_40       float_src      B[28+6 40+2] Bt[34+4] Bm[38+2];
    FLOAT_SRC_B_28_56       float_src      B[28+6 56+2] Bt[34+4] Bm[38+2];
    FLOAT_SRC_B_28_72       float_src      B[28+6 72+2] Bt[34+4] Bm[38+2];
    FLOAT_SRC_C_40_54       float_src      C[40+6 54+2] Ct[46+4] Cm[50+2];
    FOUR_R_9_56             four           R[9+6 56+2] Rt[8+1];
    GROUP_BASE_A_16_58      group_base     A[16+6 58+2] At[22+2];
    GROUP_INDEX_O_28_48     group_index    O[28+6 48+10] Ot[34+1];
    HALF_OR_NUMBER_D_24_60  half_or_number D[24+6 60+2] Dt[31+1];
    HALF_OR_NUMBER_I_16_26  half_or_number I[16+6 26+2] It[23+1];
    HALF_OR_NUMBER_M_16_26  half_or_number M[16+6 26+2] Mt[23+1];
    HALF_OR_NUMBER_S_9_24   half_or_number S[9+6 24+2] St[8+1];
    HEAP_U_48               heap           U[48+5] Tt[38+2];
    HEAP_U_64               heap           U[64+5] Tt[38+2];
    INDEX_O_20_56           index          O[20+4 32+4 56+8] Ot[24+1];
    INT_COND_CC_13          int_cond       cc[13+3] ccn[8+1];
    INT_COND_CC_61          int_cond       cc[61+3];
    INT_COND_CC_61_CCN_47   int_cond       cc[61+3] ccn[47+1];
    LOD_D_24_76             lod            D[24+6 76+2] lod[52+4];
    MUL_SRC_A_16_58         mul_src        A[16+6 58+2] At[22+4] As[26+1];
    MUL_SRC_B_28_56         mul_src        B[28+6 56+2] Bt[34+4] Bs[38+1];
    NUMBER_OR_HALF_S_42_56  number_or_half S[42+6 56+2] St[22+2];
    SAMPLER_S_56_92         sampler        S[56+6 92+2] St[62+1];
    SAMPLE_ID_S_32          sample_id      S[32+8] interpolation[48+2];
    SELECT_SRC_X_40_70      select_src     X[40+6 70+2] Xt[46+3] Dt[7+2];
    SELECT_SRC_Y_52_68      select_src     Y[52+6 68+2] Yt[58+3] Dt[7+2];
    SRC16_B_28_40           src16          B[28+6 40+2] Bt[34+4];
    SRC64_A_16_42           src64          A[16+6 42+2] At[22+4];
    SRC64_B_28_40           src64          B[28+6 40+2] Bt[34+4];
    SRC_A_16_42             src            A[16+6 42+2] At[22+4];
    SRC_A_16_58             src            A[16+6 58+2] At[22+4];
    SRC_A_16_74             src            A[16+6 74+2] At[22+4];
    SRC_B_28_40             src            B[28+6 40+2] Bt[34+4];
    SRC_B_28_56             src            B[28+6 56+2] Bt[34+4];
    SRC_B_28_72             src            B[28+6 72+2] Bt[34+4];
    SRC_C_40_54             src            C[40+6 54+2] Ct[46+4];
    SRC_SRC_28_40           src            src[28+6 40+2] srct[34+4];
    TEXTURE_T_32_62         texture        T[32+6 62+2] Tt[38+2];
    TEXTURE_T_32_78         texture        T[32+6 78+2] Tt[38+2];
    TRUTH_TABLE             truth_table    tt0[26+1] tt1[27+1] tt2[38+1] tt3[39+1];
    VARYING_D_9_56          varying        D[9+6 56+2] Dt[8+1] count[30+2];
    VECTOR_FIRST_R_10_40    vector_first   R[10+6 40+2] Rt[49+1] mask[52+4];
    VECTOR_FIRST_R_9_60     vector_first   R[9+6 60+2] Rt[8+1] mask[36+4];
    VECTOR_R_10_40          vector         R[10+6 40+2] Rt[49+1] mask[52+4];
    VECTOR_R_9_60           vector         R[9+6 60+2] Rt[8+1] mask[36+4];
    VECTOR_R_9_72           vector         R[9+6 72+2] Rt[8+1] mask[48+4];
}
