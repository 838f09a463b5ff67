//! CUDA C and OpenCL C to PTX by clang: where it is, how it is called, what it said.
//!
//! [`find`](find::find) looks for it, [`Clang::compile`] runs it with the headers of `include/`,
//! [`cache`] keeps its results, [`names`] tells kernels by the names their sources give them.

pub mod cache;
mod diagnose;
pub mod find;
mod flags;
mod headers;
pub mod names;

use crate::error::CompileError;
use crate::program::OptLevel;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a source file is written in, by the ending of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// `.cu`
    Cuda,
    /// `.cl`
    OpenCl,
    /// `.ptx`: needs no clang.
    Ptx,
}

impl Language {
    /// The language of a file; `None` for other endings.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "cu" => Some(Language::Cuda),
            "cl" => Some(Language::OpenCl),
            "ptx" => Some(Language::Ptx),
            _ => None,
        }
    }
}

/// A clang that can write PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clang {
    /// The program.
    pub path: PathBuf,
    /// First line of `--version`.
    pub version: String,
    /// Folders with the headers of the host's C++ library, for the host part of `.cu` files.
    pub host_headers: Vec<PathBuf>,
}

/// What clang is asked for besides the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClangOptions {
    /// Effort.
    pub level: OptLevel,
    /// Multiplications and additions stay apart, division scales its operands.
    pub strict_fp: bool,
    /// `-D`, `-U`, `-I`, `-W` and `-std=` options, each in one piece.
    pub arguments: Vec<String>,
}

/// What clang made of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptx {
    /// The PTX.
    pub text: String,
    /// Warnings, as clang printed them.
    pub warnings: String,
    /// Files that were read, the source first; the headers of Warpsmith and clang are left out.
    pub files: Vec<PathBuf>,
}

impl Clang {
    /// Major version, as in `19`; empty when the version does not say it.
    pub fn major(&self) -> &str {
        let number = self.version.split("version ").nth(1).unwrap_or("");
        number
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or("")
    }

    /// Compiles a `.cu` or `.cl` file to PTX.
    ///
    /// # Errors
    /// An option that is not passed on, and everything clang refuses: with the file and line of its
    /// first error and, behind it, all that it printed.
    pub fn compile(
        &self,
        source: &Path,
        language: Language,
        options: &ClangOptions,
    ) -> Result<Ptx, CompileError> {
        let fail = |message: String| CompileError {
            file: source.display().to_string(),
            line: None,
            message,
        };
        flags::check(&options.arguments).map_err(fail)?;
        let headers = headers::Folder::write().map_err(|e| {
            fail(format!(
                "cannot write the headers for clang into {}: {e}; set TMPDIR to a folder that can be written",
                std::env::temp_dir().display()
            ))
        })?;
        let depends = headers.path().join("depends");
        let output = Command::new(&self.path)
            .args(flags::flags(self, language, options, headers.path()))
            .arg("-MD")
            .arg("-MF")
            .arg(&depends)
            .args(["-o", "-", "--"])
            .arg(source)
            .stdin(Stdio::null())
            .env("LC_ALL", "C")
            .output()
            .map_err(|e| fail(format!("cannot start {}: {e}", self.path.display())))?;
        let printed = String::from_utf8_lossy(&output.stderr)
            .replace(&format!("{}/", headers.path().display()), "");
        if !output.status.success() {
            return Err(diagnose::error(source, &printed));
        }
        let text = String::from_utf8(output.stdout)
            .map_err(|_| fail("clang wrote PTX that is not text".into()))?;
        let listed = std::fs::read_to_string(&depends).unwrap_or_default();
        Ok(Ptx {
            text: without_dots(&text),
            warnings: printed,
            files: diagnose::dependencies(source, &listed, headers.path()),
        })
    }
}

/// The PTX with `.file` names as the caller gave them: clang puts `./` in front of relative ones.
fn without_dots(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        match line.split_once("\"./") {
            Some((front, name)) if front.trim_start().starts_with(".file") => {
                out.push_str(front);
                out.push('"');
                out.push_str(name);
            }
            _ => out.push_str(line),
        }
    }
    out
}
