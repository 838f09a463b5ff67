//! What clang makes, kept between runs.
//!
//! An entry is found by the source's name, the options, clang's identity and the build of the compiler, headers included. It
//! lists the files that clang read: while they are unchanged no clang runs.

use super::{find, headers, Clang, ClangOptions, Language, Ptx};
use crate::error::CompileError;
use crate::kept::{self, Kept};
use std::path::{Path, PathBuf};

impl kept::Result for Ptx {
    fn files(&self) -> &[PathBuf] {
        &self.files
    }

    fn is_valid(&self) -> bool {
        !self.absent.iter().any(|p| p.exists())
    }
}

/// [`Clang::compile`], or what an earlier run of it left in `folder`.
///
/// # Errors
/// Those of [`Clang::compile`].
pub fn compile(
    folder: &Path, clang: &Clang, source: &Path, language: Language, options: &ClangOptions,
) -> Result<Ptx, CompileError> {
    let named = format!("{language:?} {}", source.display());
    place(folder, "ptx", clang, options, [named]).or(|| clang.compile(source, language, options))
}

/// [`Clang::module`], or what an earlier run of it left in `folder`.
///
/// # Errors
/// Those of [`Clang::module`].
pub fn module(folder: &Path, clang: &Clang, source: &Path, options: &ClangOptions) -> Result<Ptx, CompileError> {
    place(folder, "module", clang, options, [source.to_string_lossy()]).or(|| clang.module(source, options))
}

/// [`Clang::link`], or what an earlier run of it left in `folder`.
///
/// # Errors
/// Those of [`Clang::link`].
pub fn link(
    folder: &Path, clang: &Clang, name: &str, modules: &[&str], options: &ClangOptions,
) -> Result<String, CompileError> {
    let parts = [name].into_iter().chain(modules.iter().copied());
    let linked = place(folder, "linked", clang, options, parts).or(|| {
        let text = clang.link(name, modules, options)?;
        Ok(Ptx { text, ..Ptx::default() })
    });
    linked.map(|ptx| ptx.text)
}

/// Variables of the environment in which clang finds folders with headers.
const FOLDERS: [&str; 3] = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"];

/// Where a result lies.
fn place<T: AsRef<str>>(
    folder: &Path, kind: &str, clang: &Clang, options: &ClangOptions, parts: impl IntoIterator<Item = T>,
) -> Kept {
    let here = std::env::current_dir().unwrap_or_default();
    let who = format!("{} {} {}", clang.version, find::identity(&clang.path), here.display());
    let how = format!("{options:?} {:?} {:?}", clang.host_headers, FOLDERS.map(std::env::var_os));
    // The build of the compiler, by which entries are found too, is that of its headers.
    let parts = parts.into_iter().map(|p| p.as_ref().to_string());
    Kept::new(folder, kind, [who, how].into_iter().chain(parts))
}

/// Digest of Warpsmith's headers and version: PTX that another version made is not to be kept.
pub fn version() -> String {
    warpsmith_cache::key([env!("CARGO_PKG_VERSION"), headers::digest()])
}
