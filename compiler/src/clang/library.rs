//! The library of OpenCL C's built-in functions: bitcode, compiled once for each clang and kept in the cache.
//!
//! clang links a program with the functions that it calls, before it optimises.

use super::{flags, headers, of_whole, Clang, ClangOptions};
use crate::error::CompileError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Options that link a program with the library; `headers`: the folder of this call.
///
/// # Errors
/// An error of clang.
pub(super) fn linked(
    clang: &Clang, headers: &headers::Folder, options: &ClangOptions,
) -> Result<[OsString; 4], CompileError> {
    let bitcode = bitcode(clang, headers, options)?;
    let option = |text: &str| OsString::from(text);
    Ok([option("-Xclang"), option("-mlink-builtin-bitcode"), option("-Xclang"), bitcode.into()])
}

/// The library's file: in the cache, or in the folder of this call where the cache cannot be written.
fn bitcode(clang: &Clang, headers: &headers::Folder, options: &ClangOptions) -> Result<PathBuf, CompileError> {
    let flags = flags::library(options);
    let words = flags.iter().map(|f| f.to_string_lossy().into_owned());
    let identity = [clang.version.clone(), clang.path.display().to_string(), headers::digest().to_string()];
    let kept = warpsmith_cache::cache_dir()
        .join("opencl-library")
        .join(warpsmith_cache::key(identity.into_iter().chain(words)))
        .with_extension("bc");
    // One thread compiles it, others wait.
    static COMPILING: Mutex<()> = Mutex::new(());
    let _one = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_file() {
        return Ok(kept);
    }
    let broken =
        |what: String| of_whole(Path::new("the built-in functions of OpenCL C"), format!("{what} ({})", clang.version));
    let source = headers.write_library().map_err(|e| broken(format!("cannot be written: {e}")))?;
    let bytes = clang.output(&source, headers, &flags, &source)?.0;
    let written = std::fs::create_dir_all(kept.parent().unwrap_or(&kept))
        .and_then(|()| warpsmith_cache::whole::write(&kept, &bytes));
    if written.is_ok() {
        return Ok(kept);
    }
    let here = source.with_extension("bc");
    std::fs::write(&here, &bytes).map_err(|e| broken(format!("cannot be written: {e}")))?;
    Ok(here)
}
