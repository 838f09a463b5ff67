//! A source file to a kernel: clang where it is needed, the cache, the kernel's name, the compiler.

use crate::clang::{cache, find, names, Clang, ClangOptions, Language, Ptx};
use crate::compile::{self, Code, Kernels};
use crate::error::{CompileError, NO_KERNEL};
use crate::program::{Kernel, Options, Unit};
use std::path::PathBuf;
use warpsmith_isa::ChipInfo as Target;

/// A `.cu`, `.cl` or `.ptx` file and how to compile it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub file: PathBuf,
    /// The kernel, by its symbol or its name in the source; `None`: the only one.
    pub kernel: Option<String>,
    /// The clang to use instead of the one that is found.
    pub clang: Option<PathBuf>,
    /// `-D`, `-U`, `-I`, `-include`, `-W` and `-std=` options for clang, each in one piece.
    pub arguments: Vec<String>,
    /// How to compile.
    pub options: Options,
    /// Cache folder; `None`: no cache.
    pub cache: Option<PathBuf>,
}

/// A compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Contents shared by the kernels of the file.
    pub unit: Unit,
    /// The kernel.
    pub kernel: Kernel,
    /// Its name in the source.
    pub name: String,
    /// Warnings of clang, as it printed them.
    pub warnings: String,
}

impl Source {
    /// A file compiled as usual: its only kernel, everything kept in the cache folder.
    pub fn new(file: impl Into<PathBuf>) -> Source {
        Source {
            file: file.into(),
            kernel: None,
            clang: None,
            arguments: Vec::new(),
            options: Options::default(),
            cache: Some(warpsmith_cache::cache_dir()),
        }
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }

    /// Name of the PTX for errors whose place is a line of it and not of the source.
    pub fn ptx_name(&self) -> String {
        match Language::of(&self.file) {
            Some(Language::Ptx) => self.name(),
            _ => format!("PTX of {}", self.name()),
        }
    }

    /// An error of the PTX; where it names no line it is one of the source.
    pub fn named(&self, e: CompileError) -> CompileError {
        match e.line.is_none() && e.file == self.ptx_name() {
            true => CompileError { file: self.name(), ..e },
            false => e,
        }
    }

    fn fail(&self, message: impl Into<String>) -> CompileError {
        CompileError { file: self.name(), line: None, message: message.into() }
    }

    /// The PTX: clang's for `.cu` and `.cl`, the file itself for `.ptx`.
    ///
    /// # Errors
    /// Another ending, no clang, a file that cannot be read, and all that clang refuses.
    pub fn ptx(&self) -> Result<Ptx, CompileError> {
        let language = Language::of(&self.file)
            .ok_or_else(|| self.fail("a .cu (CUDA C), .cl (OpenCL C) or .ptx file is needed"))?;
        // clang's own message for a file that is not there names no place.
        let bytes = std::fs::read(&self.file).map_err(|e| self.fail(format!("cannot be read: {e}")))?;
        if language == Language::Ptx {
            if let Some(a) = self.arguments.first() {
                return Err(self.fail(format!(
                    "`{a}` is an option for clang; PTX does not pass through it: leave the option out"
                )));
            }
            let text = String::from_utf8(bytes).map_err(|e| CompileError {
                line: Some(line_of(e.as_bytes(), e.utf8_error().valid_up_to())),
                ..self.fail("PTX is text, here is a byte that is none")
            })?;
            return Ok(Ptx { text, files: vec![self.file.clone()], ..Ptx::default() });
        }
        let (clang, options) = self.clang()?;
        match &self.cache {
            Some(folder) => cache::compile(folder, &clang, &self.file, language, &options),
            None => clang.compile(&self.file, language, &options),
        }
    }

    /// A `.cl` file compiled without linking, for [`link`]: its module in the place of PTX.
    ///
    /// # Errors
    /// No clang, and all that it refuses.
    pub fn module(&self) -> Result<Ptx, CompileError> {
        let (clang, options) = self.clang()?;
        match &self.cache {
            Some(folder) => cache::module(folder, &clang, &self.file, &options),
            None => clang.module(&self.file, &options),
        }
    }

    /// The clang to use, and its options.
    fn clang(&self) -> Result<(Clang, ClangOptions), CompileError> {
        let clang = find::find(self.clang.as_deref()).map_err(|e| self.fail(e))?;
        let options = ClangOptions {
            level: self.options.level,
            strict_fp: self.options.strict_fp,
            arguments: self.arguments.clone(),
            environment: self.options.environment,
            doubles: false,
            floats: false,
            image_calls: false,
        };
        Ok((clang, options))
    }

    /// Symbol of the kernel asked for; without a wish the only one that nothing is refused of.
    ///
    /// # Errors
    /// Text that is no PTX, no such kernel, one that is left out, or several to choose from.
    pub fn symbol(&self, ptx: &Ptx) -> Result<String, CompileError> {
        let Kernels { sound, left_out, missing } =
            compile::kernels(&ptx.text, &self.ptx_name()).map_err(|e| self.named(e))?;
        let Some(wanted) = self.kernel.as_deref() else {
            return match left_out.first() {
                Some((symbol, error)) if sound.is_empty() => Err(compile::refused(symbol, error)),
                _ => names::choose(&sound, None, &self.name()).map(String::from),
            };
        };
        if let Some((name, error)) = missing.iter().find(|(name, _)| names::means(wanted, name)) {
            return Err(compile::refused(name, error));
        }
        let symbols: Vec<String> = sound.into_iter().chain(left_out.iter().map(|(s, _)| s.clone())).collect();
        let chosen = names::choose(&symbols, Some(wanted), &self.name())?;
        match left_out.iter().find(|(symbol, _)| symbol == chosen) {
            Some((symbol, error)) => Err(compile::refused(symbol, error)),
            None => Ok(chosen.to_string()),
        }
    }

    /// Compiles for a chip.
    ///
    /// # Errors
    /// Those of [`Source::ptx`], [`Source::symbol`] and [`compile::compile`].
    pub fn compile(&self, target: &Target) -> Result<Compiled, CompileError> {
        let ptx = self.ptx()?;
        let code = || {
            let symbol = self.symbol(&ptx)?;
            let made = compile::compile(&ptx.text, &self.ptx_name(), Some(&symbol), target, &self.options);
            let (unit, kernel) = made.map_err(|e| self.named(e))?;
            Ok(Code { unit, kernels: vec![(symbol, kernel)] })
        };
        let file = self.ptx_name();
        let Code { unit, mut kernels } = match &self.cache {
            Some(folder) => {
                let chosen = format!("{:?}", self.kernel);
                compile::kept(folder, [&ptx.text, &file, &chosen], target, &self.options).or(code)?
            }
            None => code()?,
        };
        let (symbol, kernel) = kernels.pop().ok_or_else(|| self.fail(NO_KERNEL))?;
        Ok(Compiled { unit, kernel, name: names::readable(&symbol), warnings: ptx.warnings })
    }
}

/// PTX of a program made of modules of [`Source::module`]; `name`: the program's in messages.
///
/// # Errors
/// No clang, a symbol that is defined twice or not at all, and what clang refuses.
pub fn link(name: &str, modules: &[&str], options: &Options) -> Result<String, CompileError> {
    let source = Source { options: options.clone(), ..Source::new(name) };
    let (clang, options) = source.clang()?;
    match &source.cache {
        Some(folder) => cache::link(folder, &clang, name, modules, &options),
        None => clang.link(name, modules, &options),
    }
}

/// Line of a byte, from 1.
fn line_of(bytes: &[u8], at: usize) -> u32 {
    let before = bytes.get(..at).unwrap_or(bytes);
    1 + before.iter().filter(|b| **b == b'\n').count() as u32
}
