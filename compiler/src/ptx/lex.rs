//! Tokens of PTX text, each with its line.

/// Kind and text of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind<'a> {
    /// A name, register, opcode or directive: letters, digits, `_`, `$`, `%` and `.`; never a digit first.
    Word(&'a str),
    /// A number as written, without sign.
    Number(&'a str),
    /// A string without its quotes.
    Text(&'a str),
    /// Any other character.
    Punct(char),
    /// End of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Kind.
    pub kind: TokenKind<'a>,
    /// Line from 1.
    pub line: u32,
}

/// A text that cannot be cut into tokens: line and reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexError {
    /// Line from 1.
    pub line: u32,
    /// Text found.
    pub message: String,
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

/// Cuts `text` into tokens; the last is always [`TokenKind::End`].
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, LexError> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(text.len() / 4);
    let (mut at, mut line) = (0, 1u32);
    let error = |line, message: String| Err(LexError { line, message });
    while let Some(&c) = bytes.get(at) {
        let rest = &bytes[at..];
        if c == b'\n' {
            line = line.saturating_add(1);
            at += 1;
        } else if c.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with(b"//") {
            at += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            let Some(end) = rest.windows(2).skip(2).position(|w| w == b"*/") else {
                return error(line, "comment without its end `*/`".into());
            };
            line += rest[..end + 4].iter().filter(|&&c| c == b'\n').count() as u32;
            at += end + 4;
        } else if c == b'"' {
            let len = rest[1..].iter().position(|&c| c == b'"' || c == b'\n').filter(|&n| rest[1 + n] == b'"');
            let Some(len) = len else {
                return error(line, "text without its closing quote".into());
            };
            out.push(Token { kind: TokenKind::Text(&text[at + 1..at + 1 + len]), line });
            at += len + 2;
        } else if is_word(c) {
            let len = rest.iter().position(|&c| !is_word(c)).unwrap_or(rest.len());
            let word = &text[at..at + len];
            let kind = if c.is_ascii_digit() { TokenKind::Number(word) } else { TokenKind::Word(word) };
            out.push(Token { kind, line });
            at += len;
        } else if c.is_ascii_graphic() {
            out.push(Token { kind: TokenKind::Punct(char::from(c)), line });
            at += 1;
        } else {
            let shown = text[at..].chars().next().unwrap_or('?');
            return error(line, format!("{:?} has no place in PTX; is this a PTX text file?", shown.to_string()));
        }
    }
    out.push(Token { kind: TokenKind::End, line });
    Ok(out)
}

/// Value of a number token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, 64 bits.
    Int(u64),
    /// Bits of a single-precision float (`0f…`).
    F32(u32),
    /// Bits of a double-precision float (`0d…`, or with a decimal point).
    F64(u64),
}

/// Reads a number token; `None` when it is none.
pub fn number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| {
        let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
        u64::from_str_radix(digits, radix).ok().map(Number::Int)
    };
    let tail = text.get(2..).unwrap_or("");
    match text.get(..2) {
        Some("0x" | "0X") => radix(tail, 16),
        Some("0b" | "0B") => radix(tail, 2),
        Some("0f" | "0F") if tail.len() == 8 => u32::from_str_radix(tail, 16).ok().map(Number::F32),
        Some("0d" | "0D") if tail.len() == 16 => u64::from_str_radix(tail, 16).ok().map(Number::F64),
        _ if text.contains('.') => text.parse::<f64>().ok().map(|f| Number::F64(f.to_bits())),
        _ if text.len() > 1 && text.starts_with('0') => radix(text, 8).or_else(|| radix(text, 10)),
        _ => radix(text, 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        tokens(text).unwrap().iter().map(|t| t.kind).collect()
    }

    #[test]
    fn words_numbers_and_punctuation() {
        use TokenKind::*;
        assert_eq!(
            kinds("@%p1 ld.v2.u32 {%r1,%r2}, [x$y+-4]; // c"),
            vec![
                Punct('@'),
                Word("%p1"),
                Word("ld.v2.u32"),
                Punct('{'),
                Word("%r1"),
                Punct(','),
                Word("%r2"),
                Punct('}'),
                Punct(','),
                Punct('['),
                Word("x$y"),
                Punct('+'),
                Punct('-'),
                Number("4"),
                Punct(']'),
                Punct(';'),
                End
            ]
        );
    }

    #[test]
    fn lines_are_counted_through_comments() {
        let t = tokens("a\n/* x\n y */ b // z\n\"s\"").unwrap();
        let lines: Vec<u32> = t.iter().map(|t| t.line).collect();
        assert_eq!(lines, [1, 3, 4, 4]);
        assert_eq!(t[2].kind, TokenKind::Text("s"));
    }

    #[test]
    fn numbers_of_all_radices() {
        for (text, value) in [
            ("12", Number::Int(12)),
            ("0x1F", Number::Int(31)),
            ("0b101U", Number::Int(5)),
            ("017", Number::Int(15)),
            ("0x7771U", Number::Int(0x7771)),
            ("0f3F800000", Number::F32(0x3f80_0000)),
            ("0d3FF0000000000000", Number::F64(1f64.to_bits())),
            ("1.5", Number::F64(1.5f64.to_bits())),
            ("18446744073709551615", Number::Int(u64::MAX)),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["0f12", "12x", "0x", "18446744073709551616", "1.2.3"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn bad_text_is_an_error() {
        for text in ["/* x", "\"x", "\"x\ny\"", "a\u{e9}b", "\0"] {
            assert!(tokens(text).is_err(), "{text:?}");
        }
    }
}
