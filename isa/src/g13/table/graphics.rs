//! Graphics and other forms that are decoded only.
//!
//! Columns: name (and mnemonic, unless `spelled` gives another one and an alias), length in bytes (`by_bit`: number of
//! the length bit, bytes where it is 0, where it is 1), mask, match, what is known, origin of the encoding, reserved
//! bits (lowest, width), operands, meaning. A field is `name[lowest bit + width]`, runs from the least significant up.

use super::names::*;
use super::operands::*;
use super::{by_bit, fixed, row, Row};
use crate::set::{
    Evidence::{Public, SeedPublic},
    Status::Excluded,
};

const GRAPHICS: &str = "graphics fixed function; decoder only, execution traps";
const DRIVER: &str = "driver / firmware / graphics use only";

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("wait_pix",                 fixed(4),          0xff,                   0x48,           Excluded, Public,     &[(18, 4), (24, 8)],                                      &[number!(i[8+10]), number!(j[22+2])],                              DRIVER),
    row("signal_pix",               fixed(4),          0xff,                   0x58,           Excluded, Public,     &[(18, 4), (24, 8)],                                      &[number!(i[8+10]), number!(j[22+2])],                              DRIVER),
    row("ld/st_tile",               by_bit(15, 8, 10), 0x3f,                   0x9,            Excluded, SeedPublic, &[(7, 1), (48, 8), (62, 18)],                             &[VECTOR_FIRST_R_9_60, choice!(F[24+4], FORMATS), number!(u0[35+1]), choice!(mask[36+4], LANES), number!(O[28+7 40+2]), NUMBER_OR_HALF_S_42_56, number!(C[16+6 58+2])], GRAPHICS).spelled("st_tile", "ld_tile").with_fields(&[field!(load[6+1])]),
    row("iter",                     by_bit(15, 4, 8),  0xff,                   0x21,           Excluded, Public,     &[(24, 6), (60, 2)],                                      &[VARYING_D_9_56, CF_I_16_58, SAMPLE_ID_S_32, choice!(forwarding[22+1], FORWARDING), choice!(elide[46+1], ELIDE), choice!(interpolation[48+2], INTERPOLATION), binary!(kill[52+1]), number!(unk1[40+6]), number!(unk2[47+1]), number!(unk3[50+2]), number!(unk4[53+3]), number!(unk5[62+2])], GRAPHICS).spelled("iter", "ld_var"),
    row("iterproj",                 by_bit(15, 4, 8),  0xff,                   0x61,           Excluded, Public,     &[],                                                      &[VARYING_D_9_56, CF_I_16_58, CF_J_24_60, SAMPLE_ID_S_32, choice!(forwarding[22+1], FORWARDING), choice!(elide[46+1], ELIDE), choice!(interpolation[48+2], INTERPOLATION), binary!(kill[52+1]), number!(unk1[40+6]), number!(unk2[47+1]), number!(unk3[50+2]), number!(unk4[53+3]), number!(unk5[62+2])], GRAPHICS).spelled("iterproj", "ld_var"),
    row("ldcf",                     by_bit(15, 4, 8),  0xff,                   0xa1,           Excluded, Public,     &[(22, 1), (24, 6), (32, 24), (60, 4)],                   &[COEFFICIENTS_D_9_56, CF_I_16_58],                                 GRAPHICS),
    row("tex_state_store",          fixed(8),          0x1000ff,               0x1000ed,       Excluded, Public,     &[(15, 5), (21, 6), (34, 24)],                            &[texture_state!(TS[8+7]), uniform_pair!(B[58+6]), reg!(O[27+7])],  DRIVER),
    row("sampler_state_store",      fixed(8),          0x1000ff,               0x1000ad,       Excluded, Public,     &[(13, 7), (21, 6), (34, 24)],                            &[sampler_state!(SS[8+5]), uniform_pair!(B[58+6]), reg!(O[27+7])],  DRIVER),
    row("no_var",                   fixed(4),          0x4003ff,               0x51,           Excluded, Public,     &[(15, 1), (28, 3)],                                      &[number!(u[31+1]), reg!(r[10+5 24+2]), HALF_OR_NUMBER_I_16_26],    GRAPHICS),
    row("st_var",                   fixed(4),          0x4003ff,               0x11,           Excluded, Public,     &[(15, 1), (28, 3)],                                      &[number!(u[31+1]), reg!(r[10+5 24+2]), HALF_OR_NUMBER_I_16_26],    GRAPHICS),
    row("st_var_final",             fixed(4),          0x4003ff,               0x91,           Excluded, Public,     &[(15, 1), (28, 3)],                                      &[number!(u[31+1]), reg!(r[10+5 24+2]), HALF_OR_NUMBER_I_16_26],    GRAPHICS),
    row("async_store",              fixed(8),          0x7f,                   0x65,           Excluded, Public,     &[(7, 1), (15, 1), (20, 5), (26, 10), (40, 7), (48, 16)], &[choice!(F[47+1], COPIES), ASYNC_REG_R_9, ASYNC_BASE_A_16_36],     DRIVER),
    row("async_load",               fixed(8),          0x7f,                   0x25,           Excluded, Public,     &[(7, 1), (15, 1), (20, 5), (26, 10), (40, 7), (48, 16)], &[choice!(F[47+1], COPIES), ASYNC_REG_R_9, ASYNC_BASE_A_16_36],     DRIVER),
    row("texture_sample",           by_bit(15, 8, 12), 0xff,                   0x31,           Excluded, SeedPublic, &[],                                                      &[number!(compare[23+1]), choice!(mode[30+2], MODES), binary!(q3[43+4]), binary!(slot[63+1]), choice!(q6[86+5], GATHERS), choice!(mask[48+4], TEXTURE_LANES), binary!(kill[69+2]), VECTOR_R_9_72, HEAP_U_64, TEXTURE_T_32_78, SAMPLER_S_56_92, choice!(n[40+3 71+1], DIMENSIONS), COORDS_C_16_74, choice!(lod[52+4], LODS), LOD_D_24_76, COMPARE_OFFSET_O_80_94], GRAPHICS),
    row("texture_load",             by_bit(15, 8, 12), 0xff,                   0x71,           Excluded, SeedPublic, &[],                                                      &[number!(compare[23+1]), choice!(mode[30+2], MODES), binary!(q3[43+4]), binary!(slot[63+1]), choice!(q6[86+5], GATHERS), choice!(mask[48+4], TEXTURE_LANES), binary!(kill[69+2]), VECTOR_R_9_72, HEAP_U_64, TEXTURE_T_32_78, SAMPLER_S_56_92, choice!(n[40+3 71+1], DIMENSIONS), COORDS_C_16_74, choice!(lod[52+4], LODS), LOD_D_24_76, COMPARE_OFFSET_O_80_94], GRAPHICS),
    row("doorbell",                 fixed(2),          0xff,                   0x28,           Excluded, Public,     &[],                                                      &[number!(imm[8+8])],                                               DRIVER),
    row("jmp_if_skipping_doorbell", fixed(4),          0xff00ffff,             0x20,           Excluded, Public,     &[],                                                      &[target!(off[16+8])],                                              DRIVER),
    row("image_write_block",        by_bit(15, 6, 10), 0x3ff0001f0000000000ff, 0xb1,           Excluded, Public,     &[(30, 1), (54, 1), (78, 2)],                             &[half!(R[9+6 56+2]), COORDS_C_16_58, HALF_OR_NUMBER_D_24_60, TEXTURE_T_32_62, choice!(n[40+3 55+1], DIMENSIONS), choice!(round[53+1], ROUNDINGS), choice!(F[8+1 64+3], FORMATS), number!(q0[23+1]), number!(q1[43+4]), number!(q2[67+1])], GRAPHICS),
    row("image_write",              by_bit(15, 6, 8),  0xff,                   0xf1,           Excluded, Public,     &[],                                                      &[FOUR_R_9_56, COORDS_C_16_58, HALF_OR_NUMBER_D_24_60, HEAP_U_48, TEXTURE_T_32_62, choice!(n[40+3 55+1], DIMENSIONS), choice!(round[53+1], ROUNDINGS), number!(u1[23+1]), number!(u2[30+1]), number!(u3[43+4]), number!(u5[54+1])], GRAPHICS),
    row("map",                      fixed(8),          0x8000bb0004ff,         0x800001000075, Excluded, Public,     &[(26, 1)],                                               &[choice!(target[36+1], TARGET), reg!(R[11+5 40+2]), signed!(v[20+4 32+4 56+8]), binary!(q1[8+2]), binary!(q2[30+1]), binary!(q3[37+3]), binary!(q4[42+5]), binary!(q5[48+8])], DRIVER).spelled("unmap", "map").with_fields(&[field!(op[16+4])]),
    row("sample_mask",              fixed(4),          0x80ff,                 0xc1,           Excluded, Public,     &[(22, 1), (28, 4)],                                      &[HALF_OR_NUMBER_S_9_24, HALF_OR_NUMBER_M_16_26],                   GRAPHICS),
    row("zs_emit",                  fixed(4),          0x80ff,                 0x41,           Excluded, Public,     &[(28, 1), (31, 1)],                                      &[HALF_OR_NUMBER_S_9_24, DEPTH_STENCIL_T_16_26, number!(u0[22+2])], GRAPHICS),
];
