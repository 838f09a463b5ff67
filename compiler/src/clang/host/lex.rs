//! Tokens of preprocessed C++, with the partner of each bracket.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, or a text or character in quotes.
    Literal,
    /// `::`, `->`, or one other character.
    Punctuation,
    /// A line of `#pragma`.
    Pragma,
}

/// A token and its bytes in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    kind: Kind,
    bytes: Range<usize>,
}

/// The tokens of a text; line markers are none.
pub(super) struct Tokens<'a> {
    text: &'a str,
    list: Vec<Token>,
    /// Of an opening bracket the token that closes it, of every other token its own index.
    partner: Vec<usize>,
}

impl<'a> Tokens<'a> {
    /// Splits a text.
    pub fn new(text: &'a str) -> Tokens<'a> {
        let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, list: Vec::new() };
        lexer.run();
        let mut tokens = Tokens { text, list: lexer.list, partner: Vec::new() };
        tokens.partner = tokens.partners();
        tokens
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// A token's text; nothing behind the last one.
    pub fn word(&self, i: usize) -> &'a str {
        self.list.get(i).map_or("", |t| &self.text[t.bytes.clone()])
    }

    /// What a token is; punctuation behind the last one.
    pub fn kind(&self, i: usize) -> Kind {
        self.list.get(i).map_or(Kind::Punctuation, |t| t.kind)
    }

    /// True for a name or keyword.
    pub fn is_word(&self, i: usize) -> bool {
        self.kind(i) == Kind::Word
    }

    /// Bytes of a range of tokens, from the first to the end of the last.
    pub fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        let end = self.text.len();
        let start = self.list.get(tokens.start).map_or(end, |t| t.bytes.start);
        let last = tokens.end.checked_sub(1).filter(|l| *l >= tokens.start).and_then(|l| self.list.get(l));
        start..last.map_or(start, |t| t.bytes.end)
    }

    /// The token that holds a byte, or the last one in front of it.
    pub fn at(&self, byte: usize) -> Option<usize> {
        self.list.partition_point(|t| t.bytes.start <= byte).checked_sub(1)
    }

    /// The token that closes a bracket; the token itself where it opens none.
    pub fn partner(&self, i: usize) -> usize {
        self.partner.get(i).copied().unwrap_or(i)
    }

    /// The first token behind a bracket and its contents, or behind a token that is no bracket.
    pub fn behind(&self, i: usize) -> usize {
        self.partner(i) + 1
    }

    /// True where tokens stand without blanks between them.
    pub fn touch(&self, first: usize, last: usize) -> bool {
        self.list[first..=last].windows(2).all(|w| w[0].bytes.end == w[1].bytes.start)
    }

    /// Behind `<…>` that begins at a token; `None` where it is no list of template arguments.
    pub fn behind_angles(&self, open: usize) -> Option<usize> {
        let mut depth = 0u32;
        let mut i = open;
        loop {
            match self.word(i) {
                "" | ";" | "{" | "}" | ")" | "]" => return None,
                "<" => depth += 1,
                ">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(i + 1);
                    }
                }
                _ => {}
            }
            i = self.behind(i);
        }
    }

    /// Brackets by their kind; what is never closed ends where the bracket around it does.
    fn partners(&self) -> Vec<usize> {
        let mut partner: Vec<usize> = (0..self.len()).collect();
        let mut open: Vec<usize> = Vec::new();
        for i in 0..self.len() {
            let opening = match self.word(i) {
                "(" | "[" | "{" => {
                    open.push(i);
                    continue;
                }
                ")" => "(",
                "]" => "[",
                "}" => "{",
                _ => continue,
            };
            // A brace ends all that is open inside; other brackets end nothing outside their braces.
            let inner = open.iter().rposition(|o| self.word(*o) == opening || self.word(*o) == "{");
            let Some(found) = inner.filter(|n| self.word(open[*n]) == opening) else { continue };
            for o in open.drain(found + 1..) {
                partner[o] = i - 1;
            }
            if let Some(o) = open.pop() {
                partner[o] = i;
            }
        }
        for o in open {
            partner[o] = self.len() - 1;
        }
        partner
    }
}

/// Where the splitting of a text is.
struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    list: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        let mut line_begins = true;
        while self.at < self.bytes.len() {
            let (from, c) = (self.at, self.peek(0));
            if c == b'\n' {
                line_begins = true;
                self.at += 1;
                continue;
            }
            if c.is_ascii_whitespace() {
                self.at += 1;
                continue;
            }
            if c == b'#' && line_begins {
                self.directive();
                continue;
            }
            line_begins = false;
            let kind = self.token(c);
            self.list.push(Token { kind, bytes: from..self.at });
        }
    }

    /// A line of the preprocessor: a marker, or a pragma.
    fn directive(&mut self) {
        let from = self.at;
        self.while_is(|c| c != b'\n');
        let line = &self.bytes[from + 1..self.at];
        if line.trim_ascii_start().starts_with(b"pragma") {
            self.list.push(Token { kind: Kind::Pragma, bytes: from..self.at });
        }
    }

    fn while_is(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && wanted(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn token(&mut self, c: u8) -> Kind {
        if c.is_ascii_digit() || c == b'.' && self.peek(1).is_ascii_digit() {
            self.number();
            return Kind::Literal;
        }
        if in_word(c) {
            let from = self.at;
            self.while_is(in_word);
            let raw = self.bytes[from..self.at].ends_with(b"R") && self.at - from <= 3;
            return match self.peek(0) {
                b'"' if raw => self.raw(),
                b'"' | b'\'' if self.at - from <= 2 && is_prefix(&self.bytes[from..self.at]) => self.quoted(),
                _ => Kind::Word,
            };
        }
        if c == b'"' || c == b'\'' {
            return self.quoted();
        }
        self.at += if matches!((c, self.peek(1)), (b':', b':') | (b'-', b'>')) { 2 } else { 1 };
        Kind::Punctuation
    }

    fn number(&mut self) {
        while self.at < self.bytes.len() {
            let (c, next) = (self.peek(0), self.peek(1));
            let signed = matches!(c, b'e' | b'E' | b'p' | b'P') && matches!(next, b'+' | b'-');
            match c {
                _ if signed => self.at += 2,
                b'\'' if in_word(next) => self.at += 2,
                b'.' => self.at += 1,
                _ if in_word(c) => self.at += 1,
                _ => return,
            }
        }
    }

    /// To the closing quote, or the end of the line.
    fn quoted(&mut self) -> Kind {
        let quote = self.peek(0);
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' => break,
                b'\\' => self.at += 2,
                c => {
                    self.at += 1;
                    if c == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
        Kind::Literal
    }

    /// `"mark(…)mark"`.
    fn raw(&mut self) -> Kind {
        let open = self.at;
        self.while_is(|c| c != b'(' && c != b'\n');
        let mut end = vec![b')'];
        end.extend(&self.bytes[open + 1..self.at]);
        end.push(b'"');
        let found = self.bytes[self.at..].windows(end.len()).position(|w| w == end);
        self.at = found.map_or(self.bytes.len(), |f| self.at + f + end.len());
        Kind::Literal
    }
}

fn in_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80
}

fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"L" | b"u" | b"U" | b"u8")
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    fn words(text: &str) -> Vec<&str> {
        let tokens = Tokens::new(text);
        (0..tokens.len()).map(|i| tokens.word(i)).collect()
    }

    #[test]
    fn tokens_of_every_kind() {
        let text =
            "# 1 \"k.cu\" 2\na::b->c[1.5e-3f] = 1'000 + L'\\'' + u8\"}\" + R\"x()\")x\";\n#pragma unroll\nR = u;";
        let list = [
            "a", "::", "b", "->", "c", "[", "1.5e-3f", "]", "=", "1'000", "+", "L'\\''", "+", "u8\"}\"", "+",
            "R\"x()\")x\"", ";", "#pragma unroll", "R", "=", "u", ";",
        ];
        assert_eq!(words(text), list);
        assert_eq!(words("'open\nx \"\\"), ["'open", "x", "\"\\"]);
    }

    #[test]
    fn brackets_that_are_not_closed_end_with_those_around_them() {
        let t = Tokens::new("{ f ( [ ; } g ( ) ] }");
        assert_eq!((t.partner(0), t.partner(2), t.partner(3)), (5, 4, 4));
        assert_eq!((t.partner(7), t.partner(6)), (8, 6));
        let t = Tokens::new("( { x");
        assert_eq!((t.partner(0), t.partner(1)), (2, 2));
    }

    #[test]
    fn template_arguments() {
        let t = Tokens::new("k < A < 3 > , ( 1 > 0 ) > ( x < y ) ;");
        assert_eq!(t.behind_angles(1), Some(13));
        assert_eq!(t.behind_angles(15), None);
    }
}
