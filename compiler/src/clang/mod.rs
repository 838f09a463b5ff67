//! CUDA C and OpenCL C to PTX by clang: its place, its options, its output.
//!
//! [`find`](find::find) looks for it, [`Clang::compile`] runs it with the headers of `include/`,
//! [`cache`] keeps its results, [`names`] tells kernels by the names their sources give them.

pub mod builtins;
pub mod cache;
mod diagnose;
mod doubles;
pub mod find;
mod flags;
mod headers;
mod host;
mod internal;
mod library;
pub mod module;
pub mod names;
pub mod signature;
mod widened;

use crate::compile;
use crate::error::CompileError;
use crate::program::OptLevel;
use crate::ptx::left::LeftOut;
use crate::texture;
use serde::{Deserialize, Serialize};
use signature::Signature;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpsmith_cache::tools;

/// Language of a source file, by the ending of its name.
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

/// Options of a clang call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClangOptions {
    /// Effort.
    pub level: OptLevel,
    /// Multiplications and additions stay apart, division scales its operands.
    pub strict_fp: bool,
    /// `-D`, `-U`, `-I`, `-include`, `-W` and `-std=` options, each in one piece.
    pub arguments: Vec<String>,
    /// OpenCL C reads offsets and sizes of its launch from `%envreg` registers ([`crate::environment`]).
    pub environment: bool,
    /// The program has doubles: constants without suffix are doubles, and arguments of math functions that are
    /// integers mean doubles. [`Clang::compile`] finds out by itself.
    pub doubles: bool,
    /// OpenCL C has no functions of doubles: a call with integers alone is one of floats, where else it would fit both.
    /// [`Clang::compile`] finds out by itself.
    pub floats: bool,
    /// Reads of images in OpenCL C are calls of routines. [`Clang::compile`] finds out by itself.
    pub image_calls: bool,
}

/// Lines of PTX above which reads of images become calls: half of the program memory of `compute`.
const MOST_LINES: usize = 4_000;

impl ClangOptions {
    /// The options with which a source is compiled once more; `None` where its first result stands.
    fn again(&self, first: &Result<Ptx, CompileError>, source: &Path, language: Language) -> Option<ClangOptions> {
        let with_doubles = match first {
            _ if self.doubles || self.floats || flags::are_doubles_floats(self) => return None,
            Ok(ptx) => ptx.left_out > 0 || needs_doubles(ptx, source),
            // Its doubles and constants that are floats may not fit together, or it needs functions of doubles. The word
            // may stand in a header.
            Err(_) => language == Language::Cuda || doubles::are_named_in(source),
        };
        match first {
            _ if with_doubles => Some(ClangOptions { doubles: true, ..self.clone() }),
            // Integers as arguments may fit functions of floats and of doubles.
            Err(_) if language == Language::OpenCl => Some(ClangOptions { floats: true, ..self.clone() }),
            _ => None,
        }
    }
}

/// True for a program with doubles.
fn needs_doubles(ptx: &Ptx, source: &Path) -> bool {
    doubles::are_in(&ptx.text) || doubles::are_printed_by(source)
}

/// True for a program without doubles of which no more is left out than where it is compiled as one with them.
fn is_as_good(first: &Ptx, second: Result<&Ptx, &CompileError>, source: &Path) -> bool {
    !needs_doubles(first, source) && second.map_or(true, |s| s.left_out >= first.left_out)
}

/// PTX of a source, from clang.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ptx {
    /// The PTX.
    pub text: String,
    /// Warnings, as clang printed them.
    pub warnings: String,
    /// Files that were read, the source first; the headers of Warpsmith and clang are left out.
    pub files: Vec<PathBuf>,
    /// Places where headers were looked for that are nowhere: the PTX is another one when a file comes to be there.
    pub absent: Vec<PathBuf>,
    /// Of a `.cl` file, its kernels as it declares them: what PTX does not say.
    pub declared: Vec<Signature>,
    /// Number of bodies and kernels that clang refuses ([`compile::kernels`]).
    pub left_out: usize,
}

/// Refuses options that are not passed on to clang, and folders that are not there.
///
/// # Errors
/// The option and what is allowed.
pub fn check_arguments(arguments: &[String]) -> Result<(), String> {
    flags::check(arguments)
}

impl Clang {
    /// Major version, as in `19`; empty when the version does not say it.
    pub fn major(&self) -> &str {
        let number = self.version.split("version ").nth(1).unwrap_or("");
        number.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("")
    }

    /// Compiles a `.cu` or `.cl` file to PTX.
    ///
    /// # Errors
    /// An option that is not passed on, and everything clang refuses: with the file and line of its
    /// first error and, behind it, all that it printed.
    pub fn compile(&self, source: &Path, language: Language, options: &ClangOptions) -> Result<Ptx, CompileError> {
        let first = self.compile_once(source, language, options);
        // One that a signal ended says nothing about its options.
        if tools::ended() {
            return first;
        }
        match options.again(&first, source, language) {
            None => self.with_image_calls(source, language, options, first?),
            Some(again) => match self.compile_once(source, language, &again) {
                // Tried for what was left out, and nothing is gained.
                second if first.as_ref().is_ok_and(|f| is_as_good(f, second.as_ref(), source)) => first,
                Ok(second) => self.with_image_calls(source, language, &again, second),
                Err(_) if first.is_err() => first,
                second => second,
            },
        }
    }

    /// A long program that reads images, with calls in the place of the reads.
    fn with_image_calls(
        &self, source: &Path, language: Language, options: &ClangOptions, inlined: Ptx,
    ) -> Result<Ptx, CompileError> {
        let is_long = inlined.text.lines().count() > MOST_LINES && inlined.text.contains(texture::HANDLE);
        if language != Language::OpenCl || options.image_calls || !is_long {
            return Ok(inlined);
        }
        let called = self.compile_once(source, language, &ClangOptions { image_calls: true, ..options.clone() })?;
        Ok(if called.text.len() < inlined.text.len() { called } else { inlined })
    }

    /// [`Clang::compile`], with doubles or without.
    fn compile_once(&self, source: &Path, language: Language, options: &ClangOptions) -> Result<Ptx, CompileError> {
        let headers = self.prepared(source, language, options)?;
        let depends = headers.path().join("depends");
        let front = flags::flags(self, language, options, headers.path());
        if language == Language::OpenCl {
            return self.compile_opencl(source, &headers, front, options);
        }
        match self.run(source, &headers, &[front.clone(), rule(&depends)].concat(), source) {
            Ok((text, warnings)) => {
                let files = dependencies(source, &depends, &headers);
                let ptx = Ptx { text: without_dots(&text), warnings, files, ..Ptx::default() };
                self.made_visible(source, source, &headers, &front, options, ptx)
            }
            Err(first) => self.compile_device(source, &headers, &front, options, first),
        }
    }

    /// PTX of a `.cl` file and what it declares, from one run of clang.
    fn compile_opencl(
        &self, source: &Path, headers: &headers::Folder, mut front: Vec<OsString>, options: &ClangOptions,
    ) -> Result<Ptx, CompileError> {
        let depends = headers.path().join("depends");
        front.extend(library::linked(self, headers, options)?);
        front.extend(rule(&depends));
        front.extend(signature::SHOWN.map(OsString::from));
        let (text, printed) = self.selected(source, headers, &front, source, options)?;
        let (declared, warnings) = match signature::shown(&printed) {
            Some((module, warnings)) => (signature::signatures(module), warnings),
            // A clang that shows nothing is asked again.
            None => (signature::signatures(&self.module_once(source, options)?.text), printed),
        };
        let files = dependencies(source, &depends, headers);
        Ok(Ptx { text: without_dots(&text), warnings, files, declared, ..Ptx::default() })
    }

    /// The PTX with variables that the host sets read from memory; `file`: the source, or what is compiled for it.
    fn made_visible(
        &self, source: &Path, file: &Path, headers: &headers::Folder, front: &[OsString], options: &ClangOptions,
        mut ptx: Ptx,
    ) -> Result<Ptx, CompileError> {
        if !internal::may_be_in(ptx.files.iter().filter(|f| self.is_of_user(f))) {
            return Ok(ptx);
        }
        let (text, _) = self.run(source, headers, &with(front, &internal::FRONT.map(OsStr::new)), file)?;
        let constants = self.major().parse::<u32>().is_ok_and(|m| m >= 20);
        if let Some(text) = internal::made_visible(&text, constants) {
            let file = written(source, headers, "visible.ll", &text)?;
            let back = [internal::back(options.strict_fp), flags::back(options)].concat();
            ptx.text = without_dots(&self.run(source, headers, &back, &file)?.0);
        }
        Ok(ptx)
    }

    /// True for files that are no headers of the host or of clang.
    fn is_of_user(&self, file: &Path) -> bool {
        let clang = file.to_string_lossy().contains("/lib/clang/");
        !clang && !self.host_headers.iter().any(|h| file.starts_with(h))
    }

    /// The device part of a file that clang refuses as a whole, for `first`.
    fn compile_device(
        &self, source: &Path, headers: &headers::Folder, front: &[OsString], options: &ClangOptions,
        first: CompileError,
    ) -> Result<Ptx, CompileError> {
        let depends = headers.path().join("depends");
        let list = ["-E", "-w", "-Xclang", "-MG", "-MD", "-MF"].map(OsStr::new);
        let preprocess = with(front, &[&list[..], &[depends.as_os_str()]].concat());
        let preprocessed = self.output(source, headers, &preprocess, source);
        let mut files = dependencies(source, &depends, headers);
        let missing = host::missing(&files);
        let text = match preprocessed {
            Ok((bytes, _)) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => return Err(host::preprocessor(e, &missing)),
        };
        files.retain(|f| f.exists());
        let front = flags::preprocessed(options, headers.path());
        let check = with(&front, &["-fsyntax-only", "-w", "-ferror-limit=0", "-fno-caret-diagnostics"].map(OsStr::new));
        let file = host::Preprocessed { text, missing: missing.clone() };
        let device = host::without(source, file, first.clone(), |text| {
            let file = written(source, headers, "numbered.cu", text)?;
            self.printed(source, headers, &check, &file)
        })?;
        let file = written(source, headers, "device.cu", &device.text)?;
        let (text, warnings) = self.run(source, headers, &front, &file)?;
        let own: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(|f| self.is_of_user(f)).collect();
        let absent = places(&missing, &own, options);
        let warnings = device.note.clone() + &warnings;
        let ptx = Ptx { text: without_dots(&text), warnings, files, absent, ..Ptx::default() };
        let ptx = self.made_visible(source, &file, headers, &front, options, ptx)?;
        // Without a kernel nothing is gained.
        match ptx.text.contains(".entry ") {
            true => with_reasons(source, ptx, device),
            false => Err(device.error),
        }
    }

    /// Checked options, and the headers of the language in a folder.
    fn prepared(
        &self, source: &Path, language: Language, options: &ClangOptions,
    ) -> Result<headers::Folder, CompileError> {
        flags::check(&options.arguments).map_err(|e| of_whole(source, e))?;
        headers::Folder::write(language).map_err(|e| {
            of_whole(
                source,
                format!(
                    "cannot write the headers for clang into {}: {e}; set TMPDIR to a folder that can be written",
                    std::env::temp_dir().display()
                ),
            )
        })
    }

    /// Runs clang on a file: the text it wrote, and what it printed.
    fn run(
        &self, source: &Path, headers: &headers::Folder, arguments: &[OsString], file: &Path,
    ) -> Result<(String, String), CompileError> {
        let (bytes, printed) = self.output(source, headers, arguments, file)?;
        let text =
            String::from_utf8(bytes).map_err(|_| of_whole(source, "clang wrote a program that is not text".into()))?;
        Ok((text, printed))
    }

    /// [`Clang::run`] for OpenCL C, with comparisons widened where the back end cannot select them.
    fn selected(
        &self, source: &Path, headers: &headers::Folder, arguments: &[OsString], file: &Path, options: &ClangOptions,
    ) -> Result<(String, String), CompileError> {
        match self.run(source, headers, arguments, file) {
            Err(e) if widened::is_needed(&e.message) => {
                let front = with(arguments, &widened::FRONT.map(OsStr::new));
                let (text, printed) = self.run(source, headers, &front, file)?;
                let file = written(source, headers, "widened.ll", &widened::widened(&text))?;
                Ok((self.run(source, headers, &widened::back(options), &file)?.0, printed))
            }
            result => result,
        }
    }

    /// Runs clang on a file: what it wrote, and what it printed.
    fn output(
        &self, source: &Path, headers: &headers::Folder, arguments: &[OsString], file: &Path,
    ) -> Result<(Vec<u8>, String), CompileError> {
        let (output, printed) = self.ended(source, headers, arguments, file)?;
        match output.status.success() {
            true => Ok((output.stdout, printed)),
            false => {
                let said = signature::shown(&printed).map(|(_, rest)| rest);
                Err(diagnose::error(source, said.as_ref().unwrap_or(&printed)))
            }
        }
    }

    /// What clang prints of a file, with or without errors.
    fn printed(
        &self, source: &Path, headers: &headers::Folder, arguments: &[OsString], file: &Path,
    ) -> Result<String, CompileError> {
        let (output, printed) = self.ended(source, headers, arguments, file)?;
        match output.status.success() || printed.contains("error: ") {
            true => Ok(printed),
            false => Err(diagnose::error(source, &printed)),
        }
    }

    /// Runs clang to its end.
    fn ended(
        &self, source: &Path, headers: &headers::Folder, arguments: &[OsString], file: &Path,
    ) -> Result<(Output, String), CompileError> {
        let mut command = Command::new(&self.path);
        command.args(arguments).args(["-o", "-", "--"]).arg(file);
        command.env("LC_ALL", "C");
        let output = tools::output(&mut command)
            .map_err(|e| of_whole(source, format!("cannot start {}: {e}", self.path.display())))?;
        let printed = String::from_utf8_lossy(&output.stderr).replace(&format!("{}/", headers.path().display()), "");
        Ok((output, printed))
    }
}

/// Options with more behind them.
fn with(front: &[OsString], more: &[&OsStr]) -> Vec<OsString> {
    front.iter().cloned().chain(more.iter().map(OsString::from)).collect()
}

/// Options that make clang write the files it reads as a rule.
fn rule(to: &Path) -> Vec<OsString> {
    ["-MD".as_ref(), "-MF".as_ref(), to.as_os_str()].map(OsString::from).to_vec()
}

/// Files of the rule that clang wrote.
fn dependencies(source: &Path, rule: &Path, headers: &headers::Folder) -> Vec<PathBuf> {
    let listed = std::fs::read_to_string(rule).unwrap_or_default();
    diagnose::dependencies(source, &listed, headers.path())
}

/// Places where headers would be found: beside the files that were read, and in the folders of the options.
fn places(missing: &[String], files: &[&Path], options: &ClangOptions) -> Vec<PathBuf> {
    let beside = files.iter().filter_map(|f| f.parent()).map(Path::to_path_buf);
    let named = options.arguments.iter().filter_map(|a| a.strip_prefix("-I")).map(PathBuf::from);
    let folders: std::collections::BTreeSet<PathBuf> = beside.chain(named).collect();
    folders.iter().flat_map(|f| missing.iter().map(|m| f.join(m))).collect()
}

/// Writes a file into the folder of this call.
fn written(source: &Path, headers: &headers::Folder, name: &str, text: &str) -> Result<PathBuf, CompileError> {
    let file = headers.path().join(name);
    std::fs::write(&file, text).map_err(|e| of_whole(source, format!("cannot write {}: {e}", file.display())))?;
    Ok(file)
}

/// An error of a file as a whole.
fn of_whole(source: &Path, message: String) -> CompileError {
    CompileError { file: source.display().to_string(), line: None, message }
}

/// The PTX with what was left out of it, and a remark for each kernel that needs it.
///
/// # Errors
/// That of the file where no kernel is left.
fn with_reasons(source: &Path, mut ptx: Ptx, device: host::Device) -> Result<Ptx, CompileError> {
    if device.left.is_empty() {
        return Ok(ptx);
    }
    ptx.text.extend(device.left.iter().map(LeftOut::pragma));
    ptx.left_out = device.left.len();
    let kernels = compile::kernels(&ptx.text, &format!("PTX of {}", source.display()))?;
    if kernels.sound.is_empty() {
        return Err(device.error);
    }
    for (name, error) in kernels.left_out.iter().chain(&kernels.missing) {
        let CompileError { file, line, message } = compile::refused(name, error);
        let line = line.map_or_else(String::new, |l| format!("{l}:"));
        ptx.warnings += &format!("{file}:{line} note: {message}\n");
    }
    Ok(ptx)
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
