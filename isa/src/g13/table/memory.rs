//! Device, threadgroup and stack memory, atomics.

use super::operands::*;
use super::{by_bit, row, Row};
use crate::set::{Evidence, Length, Status};

pub(super) const ROWS: &[Row] = &[
row(
"uniform_store", "uniform_store", "", by_bit(47, 6, 8), 0xc00f0380f027f, 0x38000045,
&[NUMBER_UNK_25, CHOICE_F_7, CHOICE_MASK_52, NUMBER_B_44, VECTOR_R_10_40, INDEX_O_20_56, SHIFT_S_42],
&[], &[(30, 2), (48, 1)],
Status::Decided, Evidence::SeedPublic,
"active lane with the highest index: uniform halves O.. = registers R.. (i16 elements, mask order); driver prologue use", "",
),
row(
"device_load", "device_load", "", by_bit(47, 6, 8), 0xc70003400007f, 0x400004000005,
&[NUMBER_G_30, CHOICE_F_7_48, CHOICE_MASK_52, VECTOR_R_10_40, BASE_A_16_36, INDEX_O_20_56, CHOICE_OU_25, SHIFT_S_42],
&[], &[(31, 1)],
Status::Specified, Evidence::SeedPublic,
"for the k-th set bit c of mask: reg[R+k] = zero-extended element at base + ((off << min(s,2)) + c) * size(F), where base = A & ~(size-1), off = sign-/zero-extended index; formats >=4 are unpacked to float (excluded by default). Asynchronous: wait(g)", "",
),
row(
"device_store", "device_store", "", by_bit(47, 6, 8), 0xc60003400007f, 0x400004000045,
&[NUMBER_G_30, CHOICE_F_7_48, CHOICE_MASK_52, VECTOR_R_10_40, BASE_A_16_36, INDEX_O_20_56, CHOICE_OU_25, SHIFT_S_42, NUMBER_U6_44],
&[], &[(31, 1)],
Status::Decided, Evidence::SeedPublic,
"for the k-th set bit c of mask: element at base + ((off << min(s,2)) + c) * size(F) = low bits of reg[R+k]", "",
),
row(
"stack_store", "stack_store", "", by_bit(47, 6, 8), 0xff, 0xb5,
&[CHOICE_F_8_50, NUMBER_I1_26, NUMBER_I2_36, CHOICE_MASK_52, NUMBER_I5_44, VECTOR_R_10_40, INDEX_O_20_56, NUMBER_I6_30],
&[], &[(16, 4), (25, 1), (27, 3), (31, 1), (39, 1), (42, 2), (48, 1)],
Status::Decided, Evidence::SeedPublic,
"per-lane private memory: element at byte sp + O + c*size(F) = reg[R+k]", "",
),
row(
"stack_load", "stack_load", "", by_bit(47, 6, 8), 0xff, 0x35,
&[VECTOR_FIRST_R_10_40, CHOICE_F_8_50, NUMBER_I1_26, NUMBER_I2_36, CHOICE_MASK_52, NUMBER_I5_44, INDEX_O_20_56, NUMBER_I6_30],
&[], &[(16, 4), (25, 1), (27, 3), (31, 1), (39, 1), (42, 2), (48, 1)],
Status::Decided, Evidence::SeedPublic,
"per-lane private memory: reg[R+k] = element at byte sp + O + c*size(F)", "",
),
row(
"stack_get_ptr", "stack_get_ptr", "", by_bit(47, 6, 8), 0x30000000f00ff, 0x2000000010035,
&[NUMBER_I0_8, NUMBER_I1_26, NUMBER_I2_36, NUMBER_I4_50, NUMBER_I3_44, EVEN_REG_R_10_40],
&[], &[(20, 6), (27, 9), (39, 1), (42, 2), (56, 8)],
Status::Decided, Evidence::SeedPublic,
"R = sp", "",
),
row(
"stack_adjust", "stack_adjust", "", by_bit(47, 6, 8), 0x30f00ff, 0x10100b5,
&[NUMBER_I0_8, NUMBER_I1_26, NUMBER_I2_36, NUMBER_I3_44, NUMBER_I4_50, SIGNED_V_20_56],
&[], &[(10, 6), (27, 5), (39, 5), (48, 2)],
Status::Decided, Evidence::SeedPublic,
"sp += v (signed bytes)", "",
),
row(
"threadgroup_load", "threadgroup_load", "", by_bit(15, 6, 8), 0x6f, 0x69,
&[CHOICE_F_24, CHOICE_MASK_36, VECTOR_R_9_60, GROUP_BASE_A_16_58, GROUP_INDEX_O_28_48],
&[], &[(4, 1), (7, 1), (35, 1), (40, 8), (62, 2)],
Status::Decided, Evidence::SeedPublic,
"for the k-th set bit c of mask: reg[R+k] = element of the group memory at byte A + (O + c)*size(F)", "",
),
row(
"threadgroup_store", "threadgroup_store", "", by_bit(15, 6, 8), 0x6f, 0x29,
&[CHOICE_F_24, CHOICE_MASK_36, VECTOR_R_9_60, GROUP_BASE_A_16_58, GROUP_INDEX_O_28_48],
&[], &[(4, 1), (7, 1), (35, 1), (40, 8), (62, 2)],
Status::Decided, Evidence::SeedPublic,
"for the k-th set bit c of mask: group memory element at A + (O + c)*size(F) = reg[R+k]", "",
),
row(
"atomic", "atomic", "", Length::Fixed(8), 0x3f, 0x15,
&[CHOICE_OP_6, NUMBER_G_30, ATOMIC_DST_R_10_40, BASE_A_16_36, INDEX_O_20_56, CHOICE_OU_25, ATOMIC_SRC_S_48, NUMBER_U1_26, NUMBER_U2_28, NUMBER_U3_31, NUMBER_U4_42, NUMBER_U5_45],
&[], &[],
Status::Decided, Evidence::Public,
"old = word32[base + 4*off]; word = op(old, S); if destination present R = old; lanes in ascending order", "",
),
row(
"threadgroup_atomic", "threadgroup_atomic", "", by_bit(15, 6, 10), 0x3f, 0x19,
&[CHOICE_OP_24, ATOMIC_REG_R_9_60, GROUP_BASE_A_16_58, GROUP_INDEX_O_28_48, ATOMIC_SRC_S_64, NUMBER_U1_6, NUMBER_U3_35, NUMBER_U4_40, NUMBER_U5_72],
&[], &[(39, 1), (62, 2)],
Status::Decided, Evidence::Public,
"same on group memory at byte A + 4*O", "",
),
row(
"stack_adjust_reg", "stack_adjust_reg", "", by_bit(47, 6, 8), 0x30f00ff, 0x100b5,
&[NUMBER_I0_8, NUMBER_I1_26, NUMBER_I2_36, NUMBER_I3_44, NUMBER_I4_50, EVEN_REG_R_20_32],
&[], &[(10, 6), (27, 5), (39, 5), (48, 2), (56, 8)],
Status::Decided, Evidence::Public,
"sp += r", "",
),
];
