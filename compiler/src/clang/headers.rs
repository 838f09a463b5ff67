//! The headers in front of every source, and those that host code includes, in a temporary folder.

use super::{builtins, Language};
use crate::texture;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use warpsmith_cache::temporary::{self, Temporary};

/// Headers of CUDA C, by name.
const CUDA: [(&str, &str); 27] = [
    ("cuda.h", include_str!("../../include/cuda.h")),
    ("cufft.h", include_str!("../../include/cufft.h")),
    ("curand_kernel.h", include_str!("../../include/curand_kernel.h")),
    ("omp.h", include_str!("../../include/omp.h")),
    ("cuComplex.h", include_str!("../../include/cuComplex.h")),
    ("cooperative_groups.h", include_str!("../../include/cooperative_groups.h")),
    ("warpsmith_cuda.h", include_str!("../../include/warpsmith_cuda.h")),
    ("warpsmith_types.h", include_str!("../../include/warpsmith_types.h")),
    ("warpsmith_index.h", include_str!("../../include/warpsmith_index.h")),
    ("warpsmith_float.h", include_str!("../../include/warpsmith_float.h")),
    ("warpsmith_math.h", include_str!("../../include/warpsmith_math.h")),
    ("warpsmith_cmath.h", include_str!("../../include/warpsmith_cmath.h")),
    ("warpsmith_double.h", include_str!("../../include/warpsmith_double.h")),
    ("warpsmith_bits.h", include_str!("../../include/warpsmith_bits.h")),
    ("warpsmith_atomic.h", include_str!("../../include/warpsmith_atomic.h")),
    ("warpsmith_texel.h", include_str!("../../include/warpsmith_texel.h")),
    ("warpsmith_texture.h", include_str!("../../include/warpsmith_texture.h")),
    ("warpsmith_warp.h", include_str!("../../include/warpsmith_warp.h")),
    ("warpsmith_print.h", include_str!("../../include/warpsmith_print.h")),
    ("warpsmith_heap.h", include_str!("../../include/warpsmith_heap.h")),
    ("warpsmith_video.h", include_str!("../../include/warpsmith_video.h")),
    ("warpsmith_host.h", include_str!("../../include/warpsmith_host.h")),
    ("warpsmith_half.h", include_str!("../../include/warpsmith_half.h")),
    ("cuda_bf16.h", include_str!("../../include/cuda_bf16.h")),
    ("cuda_fp16.h", include_str!("../../include/cuda_fp16.h")),
    ("helper_cuda.h", include_str!("../../include/helper_cuda.h")),
    ("helper_math.h", include_str!("../../include/helper_math.h")),
];

/// Constants of CUDA's math_constants.h.
const CONSTANTS: &str = include_str!("../../include/math_constants.h");

/// The header of OpenCL C: its name and text.
const OPENCL: (&str, &str) = ("warpsmith_cl.h", include_str!("../../include/warpsmith_cl.h"));

/// The file that is compiled to the library of OpenCL C.
const LIBRARY: &str = "warpsmith_cl_library.cl";

/// The written files of the library.
const LIBRARY_PARTS: [(&str, &str); 10] = [
    (LIBRARY, include_str!("../../include/warpsmith_cl_library.cl")),
    ("warpsmith_cl_int.h", include_str!("../../include/warpsmith_cl_int.h")),
    ("warpsmith_float.h", include_str!("../../include/warpsmith_float.h")),
    ("warpsmith_cl_math.h", include_str!("../../include/warpsmith_cl_math.h")),
    ("warpsmith_cl_vector.h", include_str!("../../include/warpsmith_cl_vector.h")),
    ("warpsmith_cl_convert.h", include_str!("../../include/warpsmith_cl_convert.h")),
    ("warpsmith_cl_memory.h", include_str!("../../include/warpsmith_cl_memory.h")),
    ("warpsmith_texel.h", include_str!("../../include/warpsmith_texel.h")),
    ("warpsmith_cl_double.h", include_str!("../../include/warpsmith_cl_double.h")),
    ("warpsmith_cl_image.h", include_str!("../../include/warpsmith_cl_image.h")),
];

/// Headers of CUDA whose contents stand in warpsmith_cuda.h already.
const EMPTY: [&str; 36] = [
    "cuda_texture_types.h", "cuda_device_runtime_api.h", "channel_descriptor.h", "common_functions.h",
    "driver_functions.h", "library_types.h", "device_atomic_functions.h", "device_double_functions.h",
    "surface_functions.h", "surface_indirect_functions.h", "surface_types.h", "texture_indirect_functions.h",
    "vector_functions.hpp", "sm_20_atomic_functions.h", "sm_32_atomic_functions.h", "sm_32_intrinsics.h",
    "sm_35_atomic_functions.h", "sm_60_atomic_functions.h", "cuda_runtime.h", "cuda_runtime_api.h",
    "cuda_profiler_api.h", "device_launch_parameters.h", "device_functions.h", "device_types.h", "driver_types.h",
    "builtin_types.h", "host_defines.h", "math_functions.h", "vector_types.h", "vector_functions.h",
    "texture_fetch_functions.h", "texture_types.h", "sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_35_intrinsics.h",
    "gnu/stubs-32.h",
];

/// Headers of libraries that only the host calls: what it does with them is left out.
const HOST: [&str; 36] = [
    "cublas.h", "cublasLt.h", "cublasXt.h", "cuda_egl_interop.h", "cuda_gl_interop.h", "cuda_profiler.h",
    "cuda_vdpau_interop.h", "cudaEGL.h", "cudaGL.h", "cudaProfiler.h", "cudnn.h", "curand.h", "cusolverDn.h",
    "cusolverRf.h", "cusolverSp.h", "cusolver_common.h", "cusparse.h", "cusparse_v2.h", "nccl.h", "npp.h", "nppi.h",
    "npps.h", "nvjpeg.h", "nvml.h", "nvrtc.h", "nvToolsExt.h", "nvtx3/nvToolsExt.h", "GL/freeglut.h",
    "GL/freeglut_ext.h", "GL/gl.h", "GL/glew.h", "GL/glext.h", "GL/glu.h", "GL/glut.h", "GL/glx.h", "GLFW/glfw3.h",
];

/// Headers of the host's linear algebra: complex numbers come with them.
const COMPLEX: [&str; 2] = ["cublas_v2.h", "cublas_api.h"];

/// Headers that bring the types of Fourier transforms.
const TRANSFORMS: [&str; 2] = ["cufftXt.h", "cufftw.h"];

/// Headers of sample programs, all one.
const HELPERS: [&str; 7] = [
    "helper_functions.h", "helper_timer.h", "helper_string.h", "helper_image.h", "cutil.h", "cutil_inline.h",
    "shrUtils.h",
];

/// Parts of the cooperative groups, all in one header.
const GROUPS: [&str; 3] =
    ["cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h"];

/// The layout of a texture's descriptor, generated: its name and text.
fn layout() -> (&'static str, &'static str) {
    static TEXT: LazyLock<String> = LazyLock::new(texture::header);
    ("warpsmith_texture_layout.h", &TEXT)
}

/// The headers of a language: (name in the folder, text).
fn of(language: Language) -> Vec<(String, &'static str)> {
    match language {
        Language::OpenCl => vec![(format!("cl/{}", OPENCL.0), OPENCL.1)],
        Language::Cuda | Language::Ptx => cuda().map(|(name, text)| (format!("cuda/{name}"), text)).collect(),
    }
}

/// The headers of CUDA C, by name.
fn cuda() -> impl Iterator<Item = (&'static str, &'static str)> {
    let with = |text: &'static str| move |name: &'static str| (name, text);
    CUDA.into_iter()
        .chain([layout()])
        .chain(EMPTY.map(with("#pragma once\n")))
        .chain(HOST.map(with("#pragma once\n")))
        .chain(COMPLEX.map(with("#include \"cuComplex.h\"\n")))
        .chain(TRANSFORMS.map(with("#include \"cufft.h\"\n")))
        .chain(HELPERS.map(with("#include \"helper_cuda.h\"\n")))
        .chain([("cutil_math.h", "#include \"helper_math.h\"\n"), ("math_constants.h", CONSTANTS)])
        .chain(GROUPS.map(with("#include \"../cooperative_groups.h\"\n")))
}

/// The files of the library of OpenCL C: (name in the folder, text).
fn library() -> impl Iterator<Item = (String, &'static str)> {
    static GENERATED: LazyLock<String> = LazyLock::new(builtins::text);
    LIBRARY_PARTS
        .into_iter()
        .chain([("warpsmith_cl_generated.h", GENERATED.as_str()), layout()])
        .map(|(name, text)| (format!("cl/{name}"), text))
}

/// Digest of all headers and of the library, in hexadecimal digits.
pub(super) fn digest() -> &'static str {
    static DIGEST: LazyLock<String> = LazyLock::new(|| {
        let written = [of(Language::Cuda), of(Language::OpenCl)].concat();
        warpsmith_cache::key(written.into_iter().chain(library()).map(|(_, text)| text))
    });
    &DIGEST
}

/// A temporary folder with the headers; deleted when dropped.
pub(super) struct Folder(Temporary);

impl Folder {
    /// Writes the headers of a language alone: creating a hundred files takes longer than a small kernel takes clang.
    pub fn write(language: Language) -> io::Result<Folder> {
        let folder = tempfile::Builder::new().prefix("warpsmith-").tempdir()?;
        // A signal ends the program without it.
        let folder = Folder(Temporary::new(folder.keep()));
        folder.put(of(language))?;
        Ok(folder)
    }

    /// Adds the files of the library of OpenCL C, and tells which is the one to compile.
    pub fn write_library(&self) -> io::Result<PathBuf> {
        self.put(library())?;
        Ok(self.path().join("cl").join(LIBRARY))
    }

    fn put<'a>(&self, files: impl IntoIterator<Item = (impl AsRef<Path>, &'a str)>) -> io::Result<()> {
        temporary::writing(|| {
            files.into_iter().try_for_each(|(name, text)| {
                let file = self.path().join(name);
                std::fs::create_dir_all(file.parent().unwrap_or(self.path()))?;
                std::fs::write(file, text)
            })
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}
