//! The headers in front of every source, and those that host code includes, in a temporary folder.

use std::io;
use std::path::Path;

/// Headers of CUDA C, by name.
const CUDA: [(&str, &str); 10] = [
    (
        "warpsmith_cuda.h",
        include_str!("../../include/warpsmith_cuda.h"),
    ),
    (
        "warpsmith_types.h",
        include_str!("../../include/warpsmith_types.h"),
    ),
    (
        "warpsmith_index.h",
        include_str!("../../include/warpsmith_index.h"),
    ),
    (
        "warpsmith_math.h",
        include_str!("../../include/warpsmith_math.h"),
    ),
    (
        "warpsmith_cmath.h",
        include_str!("../../include/warpsmith_cmath.h"),
    ),
    (
        "warpsmith_bits.h",
        include_str!("../../include/warpsmith_bits.h"),
    ),
    (
        "warpsmith_refused.h",
        include_str!("../../include/warpsmith_refused.h"),
    ),
    (
        "warpsmith_host.h",
        include_str!("../../include/warpsmith_host.h"),
    ),
    ("helper_cuda.h", include_str!("../../include/helper_cuda.h")),
    ("helper_math.h", include_str!("../../include/helper_math.h")),
];

/// Constants of CUDA's math_constants.h.
const CONSTANTS: &str = include_str!("../../include/math_constants.h");

/// Headers of OpenCL C, by name.
const OPENCL: [(&str, &str); 6] = [
    (
        "warpsmith_cl.h",
        include_str!("../../include/warpsmith_cl.h"),
    ),
    (
        "warpsmith_cl_int.h",
        include_str!("../../include/warpsmith_cl_int.h"),
    ),
    (
        "warpsmith_cl_math.h",
        include_str!("../../include/warpsmith_cl_math.h"),
    ),
    (
        "warpsmith_cl_vector.h",
        include_str!("../../include/warpsmith_cl_vector.h"),
    ),
    (
        "warpsmith_cl_convert.h",
        include_str!("../../include/warpsmith_cl_convert.h"),
    ),
    (
        "warpsmith_cl_memory.h",
        include_str!("../../include/warpsmith_cl_memory.h"),
    ),
];

/// Headers of CUDA whose contents stand in warpsmith_cuda.h already.
const EMPTY: [&str; 19] = [
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_profiler_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "device_types.h",
    "driver_types.h",
    "builtin_types.h",
    "host_defines.h",
    "math_functions.h",
    "vector_types.h",
    "vector_functions.h",
    "texture_fetch_functions.h",
    "texture_types.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_35_intrinsics.h",
    "gnu/stubs-32.h",
];

/// Headers of sample programs, all one.
const HELPERS: [&str; 7] = [
    "helper_functions.h",
    "helper_timer.h",
    "helper_string.h",
    "helper_image.h",
    "cutil.h",
    "cutil_inline.h",
    "shrUtils.h",
];

/// All headers: (name in the folder, text).
fn all() -> impl Iterator<Item = (String, &'static str)> {
    let cuda = |(name, text): (&str, &'static str)| (format!("cuda/{name}"), text);
    CUDA.into_iter()
        .map(cuda)
        .chain(OPENCL.map(|(name, text)| (format!("cl/{name}"), text)))
        .chain(EMPTY.map(|name| cuda((name, "#pragma once\n"))))
        .chain(HELPERS.map(|name| cuda((name, "#include \"helper_cuda.h\"\n"))))
        .chain([cuda(("cutil_math.h", "#include \"helper_math.h\"\n"))])
        .chain([cuda(("math_constants.h", CONSTANTS))])
}

/// The texts of all headers, for digests.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    all().map(|(_, text)| text)
}

/// A temporary folder with the headers; deleted when dropped.
pub(super) struct Folder(tempfile::TempDir);

impl Folder {
    /// Writes all headers.
    pub fn write() -> io::Result<Folder> {
        let folder = tempfile::Builder::new().prefix("warpsmith-").tempdir()?;
        std::fs::create_dir_all(folder.path().join("cuda/gnu"))?;
        std::fs::create_dir_all(folder.path().join("cl"))?;
        for (name, text) in all() {
            std::fs::write(folder.path().join(name), text)?;
        }
        Ok(Folder(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
