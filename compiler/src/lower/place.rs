//! Places in the source, for errors and for the lines of instructions.

use crate::error::{CompileError, Loc};
use crate::ptx::ast::{Function, Module, SourceLine, Statement};

/// An error at a source line where known, else at a line of the PTX where that is what the user gave.
pub(super) fn at(module: &Module, line: u32, source: Option<SourceLine>, message: impl Into<String>) -> CompileError {
    let named = source.and_then(|s| Some((module.source_file(s.file)?, s.line)));
    // A line of the PTX says nothing about the source it was made of.
    let own = module.files.is_empty() || module.file.ends_with(".ptx");
    let (file, line) = match named {
        Some((file, line)) => (file, Some(line)),
        None => (&*module.file, own.then_some(line)),
    };
    CompileError { file: file.into(), line, message: message.into() }
}

/// Where a kernel begins in the source.
pub(super) fn kernel(kernel: &Function) -> Option<SourceLine> {
    kernel.body.iter().flat_map(|b| &b.code).find_map(|s| match s {
        Statement::Inst(i) => i.source,
        _ => None,
    })
}

/// The name of a variable or function as the source has it.
pub(super) fn name(symbol: &str) -> String {
    crate::clang::names::readable(symbol)
}

/// The name of a variable without the function or namespace around it.
pub(super) fn short(symbol: &str) -> String {
    let full = name(symbol);
    full.rsplit("::").next().unwrap_or(&full).into()
}

/// Names of the files that [`Loc`]s of this module point to.
///
/// A module without source lines names its own file: its lines are those of the PTX.
pub(super) fn files(module: &Module) -> Vec<String> {
    if module.files.is_empty() {
        return vec![module.file.clone()];
    }
    module.files.iter().map(|(_, name)| name.clone()).collect()
}

/// The [`Loc`] of an instruction.
pub(super) fn loc(module: &Module, line: u32, source: Option<SourceLine>) -> Loc {
    if module.files.is_empty() {
        return Loc { file: 0, line };
    }
    let found = source.and_then(|s| {
        let at = module.files.iter().position(|(n, _)| *n == s.file)?;
        Some(Loc { file: u16::try_from(at).ok()?, line: s.line })
    });
    found.unwrap_or_default()
}
