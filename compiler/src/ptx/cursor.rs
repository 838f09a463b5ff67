//! A place in the token list, and the small steps every part of the parser takes.

use super::lex::{number, Number, Token, TokenKind};
use crate::error::CompileError;

/// Tokens and the place reached.
pub(super) struct Cursor<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    file: &'a str,
}

impl<'a> Cursor<'a> {
    /// At the first token; the list ends with [`TokenKind::End`].
    pub(super) fn new(tokens: Vec<Token<'a>>, file: &'a str) -> Cursor<'a> {
        Cursor { tokens, at: 0, file }
    }

    /// The next token, not taken.
    pub(super) fn peek(&self) -> TokenKind<'a> {
        self.tokens.get(self.at).map_or(TokenKind::End, |t| t.kind)
    }

    /// The token behind the next one.
    pub(super) fn peek_second(&self) -> TokenKind<'a> {
        self.tokens.get(self.at + 1).map_or(TokenKind::End, |t| t.kind)
    }

    /// Line of the next token, or of the last one.
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0, |t| t.line)
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> TokenKind<'a> {
        let kind = self.peek();
        self.at += 1;
        kind
    }

    /// Takes the next token if it is this character.
    pub(super) fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == TokenKind::Punct(c);
        if found {
            self.at += 1;
        }
        found
    }

    /// Takes the next token if it is this word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Word(w) if w == word);
        if found {
            self.at += 1;
        }
        found
    }

    /// An error at a line.
    pub(super) fn error_at(&self, line: u32, message: impl Into<String>) -> CompileError {
        CompileError { file: self.file.into(), line: Some(line), message: message.into() }
    }

    /// An error at the next token.
    pub(super) fn error(&self, message: impl Into<String>) -> CompileError {
        self.error_at(self.line(), message)
    }

    /// "expected …, found …" at the next token.
    pub(super) fn expected(&self, what: &str) -> CompileError {
        let found = match self.peek() {
            TokenKind::Word(w) | TokenKind::Number(w) => format!("`{}`", shorten(w)),
            TokenKind::Text(t) => format!("\"{}\"", shorten(t)),
            TokenKind::Punct(c) => format!("`{c}`"),
            TokenKind::End => "the end of the file; is it cut off?".into(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// Takes this character or fails.
    pub(super) fn expect(&mut self, c: char) -> Result<(), CompileError> {
        if self.eat(c) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{c}`")))
        }
    }

    /// Takes a word.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, CompileError> {
        match self.peek() {
            TokenKind::Word(w) => {
                self.at += 1;
                Ok(w)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Takes a directive's or modifier's word, without its dot, if one follows.
    pub(super) fn dotted(&mut self) -> Option<&'a str> {
        match self.peek() {
            TokenKind::Word(w) => {
                let name = w.strip_prefix('.')?;
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    /// Takes a number.
    pub(super) fn number(&mut self, what: &str) -> Result<Number, CompileError> {
        let negative = self.eat('-');
        let TokenKind::Number(text) = self.peek() else {
            return Err(self.expected(what));
        };
        let Some(value) = number(text) else {
            return Err(self.error(format!("`{}` is no number of PTX", shorten(text))));
        };
        self.at += 1;
        Ok(match value {
            Number::Int(v) if negative => Number::Int(v.wrapping_neg()),
            Number::F32(v) if negative => Number::F32(v ^ 1 << 31),
            Number::F64(v) if negative => Number::F64(v ^ 1 << 63),
            value => value,
        })
    }

    /// Takes an integer.
    pub(super) fn int(&mut self, what: &str) -> Result<i64, CompileError> {
        let line = self.line();
        match self.number(what)? {
            Number::Int(v) => Ok(v as i64),
            _ => Err(self.error_at(line, format!("expected {what}, found a float"))),
        }
    }

    /// Takes an unsigned 32-bit integer.
    pub(super) fn int32(&mut self, what: &str) -> Result<u32, CompileError> {
        let line = self.line();
        let v = self.int(what)?;
        u32::try_from(v).map_err(|_| self.error_at(line, format!("{v} is out of range for {what}")))
    }

    /// Skips the other tokens of a line.
    pub(super) fn skip_line(&mut self, line: u32) {
        while self.peek() != TokenKind::End && self.line() == line {
            self.at += 1;
        }
    }

    /// Skips up to and with the next `;`.
    pub(super) fn skip_statement(&mut self) {
        while !matches!(self.take(), TokenKind::Punct(';') | TokenKind::End) {}
    }

    /// Skips a block in braces; the next token is its `{`.
    pub(super) fn skip_braces(&mut self) -> Result<(), CompileError> {
        self.expect('{')?;
        let mut depth = 1u32;
        while depth > 0 {
            match self.peek() {
                TokenKind::Punct('{') => depth += 1,
                TokenKind::Punct('}') => depth -= 1,
                TokenKind::End => return Err(self.expected("`}`")),
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }
}

/// The first characters of a long word.
pub(super) fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 {
        return text.into();
    }
    text.chars().take(57).chain("...".chars()).collect()
}
