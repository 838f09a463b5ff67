//! Tokens of one statement to mnemonic, guard and operands.

use super::lex::{Tok, Token};
use crate::set::diag::{diag, Diag, Span};
use crate::sm10::arch::{COND_NAMES, SPECIAL_NAMES};
use crate::sm10::instr::Pred;
use crate::sm10::operand::MemSize;

/// The text between the brackets of a memory operand; the offset counts units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bracket {
    pub areg: Option<u8>,
    pub offset: i64,
    pub post: bool,
}

/// An operand as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    Reg(u8),
    Half(u8),
    Areg(u8),
    Creg(u8),
    Special(u8),
    Num(u32),
    Float(u32),
    /// `-(number)`: the negation stays a negation.
    Paren(u32),
    Shared(Bracket, Option<MemSize>),
    Const(u32, Bracket, Option<MemSize>),
    Local(Bracket),
    Global(u32, u8),
    Out(u32, bool),
    Barrier(u32),
    Guard(Pred),
    Name(String),
}

/// An operand with its signs and place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    pub body: Body,
    pub neg: bool,
    pub abs: bool,
    pub not: bool,
    pub span: Span,
    pub text: String,
}

/// An instruction as written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stmt {
    pub base: String,
    pub base_span: Span,
    pub suffixes: Vec<(String, Span)>,
    pub guard: Option<(Pred, Span)>,
    pub operands: Vec<Operand>,
    pub end: Span,
}

pub(super) struct Cursor<'a> {
    t: &'a [Token],
    n: usize,
    end: Span,
}

impl<'a> Cursor<'a> {
    /// A cursor on a statement of at least one token.
    pub fn new(t: &'a [Token]) -> Cursor<'a> {
        let last = t.last().map_or_else(Span::default, |t| t.span);
        let end = Span { col: last.col + last.len, len: 1, ..last };
        Cursor { t, n: 0, end }
    }

    pub fn done(&self) -> bool {
        self.n >= self.t.len()
    }

    pub fn span(&self) -> Span {
        self.t.get(self.n).map_or(self.end, |t| t.span)
    }

    fn peek(&self, k: usize) -> Option<&'a Tok> {
        self.t.get(self.n + k).map(|t| &t.tok)
    }

    fn is(&self, k: usize, c: char) -> bool {
        self.peek(k) == Some(&Tok::Punct(c))
    }

    pub fn eat(&mut self, c: char) -> bool {
        let yes = self.is(0, c);
        self.n += usize::from(yes);
        yes
    }

    fn found(&self) -> String {
        self.peek(0).map_or("the end of the statement".into(), Tok::show)
    }

    pub fn fail<T>(&self, expected: &str) -> Result<T, Diag> {
        diag(self.span(), format!("expected {expected}, found {}", self.found()))
    }

    fn need(&mut self, c: char) -> Result<(), Diag> {
        if self.eat(c) {
            return Ok(());
        }
        self.fail(&format!("`{c}`"))
    }

    pub fn number(&mut self, what: &str) -> Result<u32, Diag> {
        match self.peek(0) {
            Some(Tok::Num(v)) => {
                self.n += 1;
                Ok(*v)
            }
            _ => self.fail(what),
        }
    }

    pub fn word(&mut self, what: &str) -> Result<(String, Span), Diag> {
        match self.peek(0) {
            Some(Tok::Word(w)) => {
                let s = self.span();
                self.n += 1;
                Ok((w.clone(), s))
            }
            _ => self.fail(what),
        }
    }

    /// `name:` at the cursor.
    pub fn label(&mut self) -> Option<(String, Span)> {
        match self.peek(0) {
            Some(Tok::Word(w)) if self.is(1, ':') => {
                let s = self.span();
                self.n += 2;
                Some((w.clone(), s))
            }
            _ => None,
        }
    }

    pub fn statement(&mut self) -> Result<Stmt, Diag> {
        let (base, base_span) = self.word("an instruction, a label or a directive")?;
        let mut suffixes = Vec::new();
        while self.eat('.') {
            suffixes.push(self.word("a modifier after the dot")?);
        }
        let mut guard = None;
        let mut operands = Vec::new();
        while !self.done() {
            if !operands.is_empty() {
                self.need(',')?;
            }
            let op = self.operand()?;
            match op.body {
                Body::Guard(p) if operands.is_empty() && guard.is_none() => {
                    guard = Some((p, op.span));
                    if self.done() {
                        break;
                    }
                    // The manual of FlexGripPlus writes `BRA C0.NE 0x10`.
                    self.eat(',');
                    operands.push(self.operand()?);
                }
                Body::Guard(_) => {
                    return diag(
                        op.span,
                        "a guard such as C0.NE comes first, or in parentheses after the first operand",
                    )
                }
                _ => operands.push(op),
            }
            if operands.len() == 1 && guard.is_none() && self.is(0, '(') {
                let start = self.span();
                self.n += 1;
                guard = Some((self.guard()?, start));
                self.need(')')?;
            }
        }
        Ok(Stmt { base, base_span, suffixes, guard, operands, end: self.end })
    }

    fn guard(&mut self) -> Result<Pred, Diag> {
        let (w, span) = self.word("a guard such as C0.NE")?;
        let Some(creg) = numbered(&w, 'C').filter(|c| *c < 4) else {
            return diag(span, format!("expected a flag register C0 to C3, found {w}"));
        };
        self.need('.')?;
        let (name, span) = self.word("a condition such as NE")?;
        match condition(&name) {
            Some(code) => Ok(Pred { code, creg: creg as u8 }),
            None => diag(span, format!("{name} is no condition, one of {}", condition_list())),
        }
    }

    fn operand(&mut self) -> Result<Operand, Diag> {
        let first = self.n;
        let start = self.span();
        let not = self.eat('~');
        let neg = !not && self.eat('-');
        let abs = self.eat('|');
        let body = self.body(neg)?;
        if abs {
            self.need('|')?;
        }
        let span = self.covered(start);
        Ok(Operand {
            body,
            neg,
            abs,
            not,
            span,
            text: self.t[first..self.n].iter().map(|t| t.tok.show()).collect::<String>().replace('`', ""),
        })
    }

    /// From `start` to the last token read.
    fn covered(&self, start: Span) -> Span {
        let last = self.t[self.n - 1].span;
        let len = if last.line == start.line { last.col + last.len - start.col } else { start.len };
        Span { len, ..start }
    }

    fn body(&mut self, neg: bool) -> Result<Body, Diag> {
        let span = self.span();
        match self.peek(0) {
            Some(Tok::Num(v)) => {
                self.n += 1;
                return Ok(Body::Num(*v));
            }
            Some(Tok::Float(v)) => {
                self.n += 1;
                return Ok(Body::Float(*v));
            }
            Some(Tok::Punct('(')) if neg => {
                self.n += 1;
                let minus = self.eat('-');
                let v = self.number("a number")?;
                self.need(')')?;
                return Ok(Body::Paren(if minus { v.wrapping_neg() } else { v }));
            }
            _ => {}
        }
        let (w, _) = self.word("an operand")?;
        if self.is(0, '[') {
            return self.bracketed(&w, span);
        }
        if let Some(c) = numbered(&w, 'C').filter(|c| *c < 4) {
            if self.is(0, '.') {
                self.n -= 1;
                return Ok(Body::Guard(self.guard()?));
            }
            return Ok(Body::Creg(c as u8));
        }
        if let Some(r) = register(&w, span)? {
            return Ok(r);
        }
        if let Some(a) = numbered(&w, 'A').filter(|a| *a < 8) {
            return Ok(Body::Areg(a as u8));
        }
        if let Some(b) = numbered(&w, 'b') {
            return Ok(Body::Barrier(b));
        }
        if let Some(s) = special(&w) {
            return Ok(Body::Special(s));
        }
        Ok(Body::Name(w))
    }

    fn bracketed(&mut self, w: &str, span: Span) -> Result<Body, Diag> {
        self.need('[')?;
        if let Some(space) = w.strip_prefix("global").and_then(decimal) {
            let (r, at) = self.word("an address register R0 to R127")?;
            let Some(Body::Reg(r)) = register(&r, at)? else {
                return diag(at, format!("expected an address register R0 to R127, found {r}"));
            };
            self.need(']')?;
            return Ok(Body::Global(space, r));
        }
        match w {
            "g" => {
                let b = self.bracket()?;
                Ok(Body::Shared(b, self.size()?))
            }
            "local" => Ok(Body::Local(self.bracket()?)),
            "c" => {
                let bank = self.number("a constant bank 0x0 to 0xf")?;
                self.need(']')?;
                self.need('[')?;
                let b = self.bracket()?;
                Ok(Body::Const(bank, b, self.size()?))
            }
            "o" => {
                let n = self.number("an output number")?;
                self.need(']')?;
                let half = match self.peek(1) {
                    Some(Tok::Word(w)) if w == "U16" && self.is(0, '.') => {
                        self.n += 2;
                        true
                    }
                    _ => false,
                };
                Ok(Body::Out(n, half))
            }
            _ => diag(span, format!("{w} is no memory, one of g [..], c[..][..], local[..], global14[..], o[0x7f]")),
        }
    }

    /// Inside of `[..]`, the closing bracket included.
    fn bracket(&mut self) -> Result<Bracket, Diag> {
        let mut b = Bracket { areg: None, offset: 0, post: false };
        if let Some(Tok::Word(w)) = self.peek(0) {
            let Some(a) = numbered(w, 'A').filter(|a| *a < 8) else {
                return self.fail("an offset or an address register A0 to A7");
            };
            self.n += 1;
            b.areg = Some(a as u8);
            if self.eat(']') {
                return Ok(b);
            }
            if self.is(0, '+') && self.is(1, '+') {
                self.n += 2;
                b.post = true;
            }
            if self.eat('-') {
                b.offset = -i64::from(self.number("an offset")?);
            } else {
                self.need('+')?;
                b.offset = i64::from(self.number("an offset")?);
            }
        } else {
            b.offset = i64::from(self.number("an offset or an address register A0 to A7")?);
        }
        self.need(']')?;
        Ok(b)
    }

    fn size(&mut self) -> Result<Option<MemSize>, Diag> {
        if !self.eat('.') {
            return Ok(None);
        }
        let (w, span) = self.word("an access size")?;
        Ok(Some(match w.as_str() {
            "U8" => MemSize::U8,
            "S8" => MemSize::S8,
            "U16" => MemSize::U16,
            "S16" => MemSize::S16,
            "U32" => MemSize::B32,
            _ => return diag(span, format!("expected an access size U8, U16, S16 or U32, found {w}")),
        }))
    }
}

/// Number of a name made of one letter and decimal digits.
fn numbered(w: &str, letter: char) -> Option<u32> {
    w.strip_prefix(letter).and_then(decimal)
}

fn decimal(t: &str) -> Option<u32> {
    if t.is_empty() || t.len() > 4 || !t.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    t.parse().ok()
}

fn register(w: &str, span: Span) -> Result<Option<Body>, Diag> {
    let Some(rest) = w.strip_prefix('R') else {
        return Ok(None);
    };
    let (digits, half) = match rest.strip_suffix('L') {
        Some(d) => (d, Some(0)),
        None => match rest.strip_suffix('H') {
            Some(d) => (d, Some(1)),
            None => (rest, None),
        },
    };
    let Some(n) = decimal(digits) else {
        return Ok(None);
    };
    match half {
        Some(h) if n < 64 => Ok(Some(Body::Half((n * 2 + h) as u8))),
        None if n < 128 => Ok(Some(Body::Reg(n as u8))),
        Some(_) => diag(span, format!("{w} does not exist, half registers are R0L to R63H")),
        None => diag(span, format!("{w} does not exist, registers are R0 to R127")),
    }
}

fn special(w: &str) -> Option<u8> {
    if let Some(n) = w.strip_prefix("SR_") {
        return SPECIAL_NAMES.iter().position(|s| !s.is_empty() && *s == n).map(|p| p as u8);
    }
    w.strip_prefix("SR").and_then(decimal).filter(|n| *n < 16).map(|n| n as u8)
}

/// Code of a condition name.
pub(super) fn condition(name: &str) -> Option<u8> {
    if name.is_empty() {
        return None;
    }
    COND_NAMES.iter().position(|c| *c == name).map(|p| p as u8)
}

pub(super) fn condition_list() -> String {
    let named: Vec<&str> = COND_NAMES.iter().copied().filter(|c| !c.is_empty()).collect();
    named.join(", ")
}
