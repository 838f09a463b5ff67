//! What clang refuses of a source: calls in the place of bodies, and a `.pragma` of the module for each, which says why.

use super::cursor::Cursor;
use super::lex::TokenKind;
use crate::error::CompileError;

/// First text of the `.pragma`.
const PRAGMA: &str = "warpsmith.left_out";

/// What is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The body with this number.
    Body(usize),
    /// A kernel by its name in the source: nothing of it is there.
    Kernel(String),
}

/// Something left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What it is.
    pub what: What,
    /// What clang says of it.
    pub error: CompileError,
}

/// The call that stands in the place of a body.
pub fn call(number: usize) -> String {
    format!("::__ws_left_out<{number}>();")
}

/// The function of [`call`] in PTX.
pub fn symbol(number: usize) -> String {
    format!("_Z13__ws_left_outILi{number}EEvv")
}

impl LeftOut {
    /// The `.pragma`, one line.
    pub fn pragma(&self) -> String {
        let what = match &self.what {
            What::Body(number) => number.to_string(),
            What::Kernel(name) => name.clone(),
        };
        let line = self.error.line.map_or_else(String::new, |l| l.to_string());
        let texts = [PRAGMA.to_string(), what, self.error.file.clone(), line, self.error.message.clone()];
        // A text of PTX has neither.
        let quoted = texts.map(|t| format!("\"{}\"", t.replace('"', "'").replace(['\n', '\r'], " ")));
        format!(".pragma {};\n", quoted.join(", "))
    }

    /// Reads behind `.pragma` up to its `;`; `None` for other ones.
    pub(super) fn parse(c: &mut Cursor<'_>) -> Option<LeftOut> {
        let mut texts = Vec::new();
        loop {
            match c.take() {
                TokenKind::Text(t) => texts.push(t),
                TokenKind::Punct(';') | TokenKind::End => break,
                _ => {}
            }
        }
        let [PRAGMA, what, file, line, message] = texts[..] else { return None };
        let what = what.parse().map_or_else(|_| What::Kernel(what.into()), What::Body);
        let error = CompileError { file: file.into(), line: line.parse().ok(), message: message.into() };
        Some(LeftOut { what, error })
    }
}

#[cfg(test)]
mod tests {
    use super::{symbol, LeftOut, What};
    use crate::clang::names::readable;
    use crate::error::CompileError;
    use crate::ptx::parse;

    #[test]
    fn pragmas_are_read_back() {
        let error = CompileError { file: "a b.cu".into(), line: Some(7), message: "no member 'x'; use y".into() };
        let body = LeftOut { what: What::Body(3), error };
        let error = CompileError { file: "k.cu".into(), line: None, message: "a \"b\"\nc".into() };
        let kernel = LeftOut { what: What::Kernel("k".into()), error };
        let text = format!(
            ".version 7.1\n.pragma \"nounroll\";\n{}{}.target sm_20\n.address_size 32\n",
            body.pragma(),
            kernel.pragma()
        );
        let left = parse(&text, "k.ptx").map(|m| m.left);
        let error = CompileError { message: "a 'b' c".into(), ..kernel.error.clone() };
        assert_eq!(left, Ok(vec![body, LeftOut { error, ..kernel }]));
        assert_eq!(readable(&symbol(12)), "__ws_left_out<12>");
    }
}
