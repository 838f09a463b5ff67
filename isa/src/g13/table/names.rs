//! Values with names.

/// Names by value.
pub type Names = &'static [(u8, &'static str)];

/// Name of a value.
pub(crate) fn name_of(names: Names, value: u64) -> Option<&'static str> {
    let found = names.iter().find(|n| u64::from(n.0) == value);
    found.map(|n| n.1)
}

#[rustfmt::skip]
pub const CONVERSIONS: Names = &[
    (0, "u8_to_f"), (1, "s8_to_f"), (4, "f_to_u16"), (5, "f_to_s16"), (6, "u16_to_f"), (7, "s16_to_f"),
    (8, "f_to_u32"), (9, "f_to_s32"), (10, "u32_to_f"), (11, "s32_to_f"),
];
pub const CONVERT_ROUNDINGS: Names = &[(0, "rtz"), (1, "rte")];
#[rustfmt::skip]
pub const FORMATS: Names = &[
    (0, "i8"), (1, "i16"), (2, "i32"), (3, "f16"), (4, "u8norm"), (5, "s8norm"), (6, "u16norm"), (7, "s16norm"),
    (8, "rgb10a2"), (10, "srgba8"), (12, "rg11b10f"), (13, "rgb9e5"), (14, "rg11b10f.rtz"), (15, "rgb9e5.rtz"),
];
#[rustfmt::skip]
pub const LANES: Names = &[
    (0, ""), (1, "x"), (2, "y"), (3, "xy"), (4, "z"), (5, "xz"), (6, "yz"), (7, "xyz"), (8, "w"), (9, "xw"),
    (10, "yw"), (11, "xyw"), (12, "zw"), (13, "xzw"), (14, "yzw"), (15, "xyzw"),
];
pub const FORWARDING: Names = &[(0, ""), (1, "forward")];
pub const ELIDE: Names = &[(0, ""), (1, "elide")];
pub const INTERPOLATION: Names = &[(0, "center"), (1, "sample"), (2, "centroid"), (3, "sample")];
pub const COPIES: Names = &[(0, "copy_1d"), (1, "copy_2d")];
pub const EXTENSIONS: Names = &[(0, "signed"), (1, "unsigned")];
pub const MODES: Names = &[(0, ""), (2, "query_lod")];
#[rustfmt::skip]
pub const GATHERS: Names = &[
    (0, "none"), (1, "compare"), (2, "gather_r"), (3, "gather_depth"), (6, "gather_g"), (10, "gather_b"),
    (14, "gather_a"),
];
#[rustfmt::skip]
pub const TEXTURE_LANES: Names = &[
    (1, "x"), (2, "y"), (3, "xy"), (4, "z"), (5, "xz"), (6, "yz"), (7, "xyz"), (8, "w"), (9, "xw"), (10, "yw"),
    (11, "xyw"), (12, "zw"), (13, "xzw"), (14, "yzw"), (15, "xyzw"),
];
#[rustfmt::skip]
pub const DIMENSIONS: Names = &[
    (0, "tex_1d"), (1, "tex_1d_array"), (2, "tex_2d"), (3, "tex_2d_array"), (4, "tex_2d_ms"), (5, "tex_3d"),
    (6, "tex_cube"), (7, "tex_cube_array"), (8, "tex_2d_ms_array"),
];
#[rustfmt::skip]
pub const LODS: Names = &[
    (0, "auto_lod"), (1, "auto_lod_bias"), (2, "lod_min"), (4, "lod_grad"), (5, "auto_lod_bias"),
    (6, "lod_min"), (12, "lod_grad_min"),
];
#[rustfmt::skip]
pub const ATOMIC_OPS: Names = &[
    (0, "add"), (1, "sub"), (2, "xchg"), (3, "cmpxchg"), (4, "umin"), (5, "imin"), (6, "umax"), (7, "imax"),
    (8, "and"), (9, "or"), (10, "xor"),
];
pub const ROUNDINGS: Names = &[(0, "rte"), (1, "rtz")];
pub const TARGET: Names = &[(0, "target0"), (1, "target1")];
#[rustfmt::skip]
pub const INT_CONDITIONS: Names = &[
    (0, "ueq"), (1, "ult"), (2, "ugt"), (4, "seq"), (5, "slt"), (6, "sgt"), (8, "nueq"), (9, "ugte"),
    (10, "ulte"), (12, "nseq"), (13, "sgte"), (14, "slte"),
];
#[rustfmt::skip]
pub const FLOAT_CONDITIONS: Names = &[
    (0, "eq"), (1, "lt"), (2, "gt"), (3, "ltn"), (5, "gte"), (6, "lte"), (7, "gtn"), (8, "neq"), (9, "nlt"),
    (10, "ngt"), (11, "nltn"), (13, "ngte"), (14, "nlte"), (15, "ngtn"),
];
#[rustfmt::skip]
pub const SPECIAL_REGISTERS: Names = &[
    (0, "threadgroup_position_in_grid.x"), (1, "threadgroup_position_in_grid.y"),
    (2, "threadgroup_position_in_grid.z"),
    (4, "threads_per_threadgroup.x"), (5, "threads_per_threadgroup.y"), (6, "threads_per_threadgroup.z"),
    (8, "dispatch_threads_per_threadgroup.x"), (9, "dispatch_threads_per_threadgroup.y"),
    (10, "dispatch_threads_per_threadgroup.z"),
    (12, "threadgroup_width"), (13, "threadgroup_height"), (14, "samples_log2"), (20, "core_index"),
    (21, "vm_slot"),
    (48, "thread_position_in_threadgroup.x"), (49, "thread_position_in_threadgroup.y"),
    (50, "thread_position_in_threadgroup.z"),
    (51, "thread_index_in_threadgroup"), (52, "thread_index_in_simdgroup"),
    (53, "simdgroup_index_in_threadgroup"), (56, "active_thread_index_in_quadgroup"),
    (57, "total_active_threads_in_quadgroup"), (58, "active_thread_index_in_simdgroup"),
    (59, "total_active_threads_in_simdgroup"), (60, "internal_coverage_mask"), (62, "backfacing"),
    (63, "is_active_thread"),
    (80, "thread_position_in_grid.x"), (81, "thread_position_in_grid.y"), (82, "thread_position_in_grid.z"),
    (124, "input_sample_mask"), (144, "opfifo_cmd"), (146, "opfifo_data_l"), (147, "opfifo_data_h"),
];
