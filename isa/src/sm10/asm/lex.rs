//! Source text to statements of positioned tokens.

use crate::set::asm::{self, without_comments, Statement};
use crate::set::diag::{diag, Diag, Span};

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// Letters, digits, `_` and `$`, starting with no digit.
    Word(String),
    /// An integer.
    Num(u32),
    /// The single-precision bits of a literal such as `1.5`.
    Float(u32),
    /// One punctuation character.
    Punct(char),
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub tok: Tok,
    pub span: Span,
}

impl Tok {
    /// How error messages quote the token.
    pub fn show(&self) -> String {
        match self {
            Tok::Word(w) => w.clone(),
            Tok::Num(n) | Tok::Float(n) => format!("{n:#x}"),
            Tok::Punct(c) => format!("`{c}`"),
        }
    }
}

/// Splits the source into statements and drops comments.
pub(super) fn statements(source: &str) -> Result<Vec<Vec<Token>>, Diag> {
    let clean = without_comments(source)?;
    asm::statements(&clean).iter().map(tokens).collect()
}

fn tokens(statement: &Statement) -> Result<Vec<Token>, Diag> {
    let chars: Vec<char> = statement.text.chars().collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let at = |len| Span { line: statement.line, col: statement.column + i, len };
        let (tok, len) = match chars[i] {
            c if c.is_whitespace() => {
                i += 1;
                continue;
            }
            c if c.is_ascii_digit() => {
                let len = number_length(&chars[i..]);
                let t: String = chars[i..i + len].iter().collect();
                let v = number(&t, at(len))?;
                (if t.contains('.') { Tok::Float(v) } else { Tok::Num(v) }, len)
            }
            c if word_char(c) => {
                let len = chars[i..].iter().take_while(|c| word_char(**c)).count();
                (Tok::Word(chars[i..i + len].iter().collect()), len)
            }
            c if "[](){}|~-+.,:".contains(c) => (Tok::Punct(c), 1),
            c => return diag(at(1), format!("the character {c:?} has no meaning here")),
        };
        out.push(Token { tok, span: at(len) });
        i += len;
    }
    Ok(out)
}

fn word_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Characters of the number at the start; a dot belongs to it only when a digit follows (`1.5`).
fn number_length(c: &[char]) -> usize {
    let mut n = 0;
    while n < c.len() {
        let dot = c[n] == '.' && c.get(n + 1).is_some_and(char::is_ascii_digit) && !matches!(c.get(1), Some('x' | 'X'));
        let exponent = matches!(c[n], '+' | '-') && matches!(c[n - 1], 'e' | 'E') && c[..n].contains(&'.');
        if !(word_char(c[n]) || dot || exponent) {
            break;
        }
        n += 1;
    }
    n
}

fn number(t: &str, span: Span) -> Result<u32, Diag> {
    let parsed = if let Some(h) = t.strip_prefix("0x").or_else(|| t.strip_prefix("0X")) {
        u32::from_str_radix(h, 16).ok()
    } else if let Some(b) = t.strip_prefix("0b") {
        u32::from_str_radix(b, 2).ok()
    } else if t.contains('.') {
        t.trim_end_matches('f').parse::<f32>().ok().map(f32::to_bits)
    } else {
        t.parse().ok()
    };
    match parsed {
        Some(v) => Ok(v),
        None => diag(span, format!("{t} is no number of 32 bits (write 0x1f, 31 or 1.5)")),
    }
}
