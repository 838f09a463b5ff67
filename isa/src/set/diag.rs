//! Errors that point at the source.

/// A place in the source: line and column from 1, length in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1, in characters.
    pub col: usize,
    /// Characters covered, at least 1.
    pub len: usize,
}

/// An assembly error: `file:line:col: message`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{col}: {message}", line = span.line, col = span.col)]
pub struct AsmError {
    /// Name of the source as given by the caller.
    pub file: String,
    /// Where.
    pub span: Span,
    /// Expected, found, remedy.
    pub message: String,
}

/// An error without its file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diag {
    /// Where.
    pub span: Span,
    /// Expected, found, remedy.
    pub message: String,
}

pub(crate) fn diag<T>(span: Span, message: impl Into<String>) -> Result<T, Diag> {
    Err(Diag { span, message: message.into() })
}
