//! The assembler: NVIDIA's dialect (see [`crate::disasm`]) with labels, comments and directives.
//!
//! Statements end with `;` or the line. Comments: `//`, `#`, `/* */`. `name:` is a label; labels are
//! branch targets. Directives: `.kernel NAME`, `.registers N`, `.shared BYTES` (header and parameters
//! included), `.local BYTES`, `.const BANK OFFSET word, ...`, `.word 0x..., ...`, `.align 8`.
//!
//! **Alignment.** A long instruction lies at a multiple of 8 bytes. Where an odd number of short
//! instructions stands before one, the assembler inserts `MOV32 R0, R0` (R0 always exists and the move
//! changes nothing), before the labels of the long instruction, and names each insertion in
//! [`Assembled::notes`]. `.align 8` does the same by hand. Pair your short instructions to avoid it.
//! `NOP` alone carries the guard "never" as nvcc writes it.

mod bind;
mod error;
mod lex;
mod operand;
mod parse;
mod suffix;

use std::collections::HashMap;

use crate::encode::encode;
use crate::instr::Op;
use bind::{bind, Bound};
use error::{diag, Diag};
use lex::Token;
use parse::Cursor;

pub use error::{AsmError, Span};

/// The word inserted for alignment: `MOV32 R0, R0`.
pub const PAD_WORD: u32 = 0x1000_8000;

/// What the assembler made of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// `.kernel`, or "kernel".
    pub name: String,
    /// `.registers`: registers a thread.
    pub registers: Option<u32>,
    /// `.shared`: shared bytes a block, header and parameters included.
    pub shared: Option<u32>,
    /// `.local`: local bytes a thread.
    pub local: u32,
    /// `.const`: (bank, byte offset, words).
    pub consts: Vec<(u8, u32, Vec<u32>)>,
    /// The program, 32-bit words from byte address 0.
    pub words: Vec<u32>,
    /// (byte address, source line) of every instruction, ascending.
    pub lines: Vec<(u32, usize)>,
    /// (label, byte address) in source order.
    pub labels: Vec<(String, u32)>,
    /// (source line, sentence) of everything the assembler added by itself.
    pub notes: Vec<(usize, String)>,
}

/// Assembles `source`; `file` names it in errors.
///
/// # Errors
/// The first [`AsmError`], with line, column and length.
pub fn assemble(source: &str, file: &str) -> Result<Assembled, AsmError> {
    let mut a = Asm::default();
    a.run(source).map_err(|d| AsmError {
        file: file.into(),
        span: d.span,
        message: d.message,
    })?;
    Ok(a.out)
}

#[derive(Default)]
struct Asm {
    out: Assembled,
    named: bool,
    labels: HashMap<String, Span>,
    /// Labels waiting for the address of the next word.
    pending: Vec<(String, Span)>,
    addresses: HashMap<String, u32>,
    /// (word index, instruction, label, place) to patch.
    fixes: Vec<(usize, Bound)>,
}

impl Asm {
    fn run(&mut self, source: &str) -> Result<(), Diag> {
        self.out.name = "kernel".into();
        for tokens in lex::statements(source)? {
            self.statement(&tokens)?;
        }
        self.place_labels();
        self.patch()
    }

    fn statement(&mut self, tokens: &[Token]) -> Result<(), Diag> {
        let mut c = Cursor::new(tokens);
        while let Some((name, span)) = c.label() {
            if let Some(first) = self.labels.insert(name.clone(), span) {
                let at = first.line;
                return diag(
                    span,
                    format!("the label {name} is already defined in line {at}"),
                );
            }
            self.pending.push((name, span));
        }
        if c.done() {
            return Ok(());
        }
        let line = c.span().line;
        if c.eat('.') {
            return self.directive(&mut c, line);
        }
        let s = c.statement()?;
        let b = bind(&s)?;
        if b.instr.long {
            self.align(line);
        }
        self.place_labels();
        self.out.lines.push((self.here(), line));
        let at = self.out.words.len();
        self.out.words.push(b.w0);
        if b.instr.long {
            self.out.words.push(b.w1);
        }
        if b.label.is_some() {
            self.fixes.push((at, b));
        }
        Ok(())
    }

    fn here(&self) -> u32 {
        (self.out.words.len() * 4) as u32
    }

    fn place_labels(&mut self) {
        let here = self.here();
        for (name, _) in self.pending.drain(..) {
            self.addresses.insert(name.clone(), here);
            self.out.labels.push((name, here));
        }
    }

    fn align(&mut self, line: usize) {
        if self.out.words.len() % 2 == 1 {
            let at = self.here();
            self.out.lines.push((at, line));
            self.out.words.push(PAD_WORD);
            let text = format!(
                "inserted MOV32 R0, R0 at {at:#x} so that the long instruction is 8-byte aligned"
            );
            self.out.notes.push((line, text));
        }
    }

    fn directive(&mut self, c: &mut Cursor, line: usize) -> Result<(), Diag> {
        let (name, span) = c.word("a directive")?;
        match name.as_str() {
            "kernel" => {
                let (k, at) = c.word("the name of the kernel")?;
                if self.named {
                    return diag(at, "a source holds one kernel, this is the second .kernel");
                }
                self.named = true;
                self.out.name = k;
            }
            "registers" => {
                let at = c.span();
                let n = c.number("the number of registers, 1 to 128")?;
                if !(1..=128).contains(&n) {
                    return diag(at, format!("expected 1 to 128 registers, found {n}"));
                }
                self.out.registers = Some(n);
            }
            "shared" => self.out.shared = Some(bytes(c, 0x4000)?),
            "local" => self.out.local = bytes(c, 0x10000)?,
            "const" => {
                let at = c.span();
                let bank = c.number("a constant bank, 0 to 15")?;
                if bank > 15 {
                    return diag(at, format!("expected a constant bank 0 to 15, found {bank}"));
                }
                c.eat(',');
                let at = c.span();
                let offset = c.number("a byte offset")?;
                c.eat(',');
                let words = words(c)?;
                if offset % 4 != 0 || u64::from(offset) + words.len() as u64 * 4 > 0x10000 {
                    return diag(at, format!("expected an offset that is a multiple of 4 inside the 64 KiB of the bank, found {offset:#x}"));
                }
                self.out.consts.push((bank as u8, offset, words));
            }
            "word" => {
                self.place_labels();
                for w in words(c)? {
                    self.out.lines.push((self.here(), line));
                    self.out.words.push(w);
                }
            }
            "align" => {
                let at = c.span();
                let n = c.number("8")?;
                if n != 8 {
                    return diag(at, format!("expected .align 8, found {n}"));
                }
                self.align(line);
            }
            _ => {
                return diag(
                    span,
                    format!(".{name} is no directive, one of .kernel .registers .shared .local .const .word .align"),
                )
            }
        }
        if c.done() {
            Ok(())
        } else {
            c.fail("the end of the statement")
        }
    }

    fn patch(&mut self) -> Result<(), Diag> {
        for (at, b) in std::mem::take(&mut self.fixes) {
            let Some((name, span)) = b.label else {
                continue;
            };
            let Some(&to) = self.addresses.get(&name) else {
                let near = self
                    .addresses
                    .keys()
                    .map(|k| (strsim::damerau_levenshtein(k, &name), k))
                    .min();
                let hint = match near {
                    Some((d, k)) if d <= 2 => format!("did you mean {k}?"),
                    _ => format!("define it with `{name}:`"),
                };
                return diag(span, format!("the label {name} is not defined, {hint}"));
            };
            let mut i = b.instr;
            match &mut i.op {
                Op::Bra { target }
                | Op::Cal { target, .. }
                | Op::Pbk { target }
                | Op::Ssy { target } => *target = to,
                _ => {}
            }
            match encode(&i) {
                Ok((w0, w1)) => self.out.words[at..at + 2].copy_from_slice(&[w0, w1]),
                Err(e) => return diag(span, e.to_string()),
            }
        }
        Ok(())
    }
}

fn bytes(c: &mut Cursor, limit: u32) -> Result<u32, Diag> {
    let at = c.span();
    let n = c.number("a number of bytes")?;
    if n > limit {
        return diag(at, format!("expected at most {limit} bytes, found {n}"));
    }
    Ok(n)
}

/// One or more words, separated by commas or white space.
fn words(c: &mut Cursor) -> Result<Vec<u32>, Diag> {
    let mut out = vec![c.number("a 32-bit word")?];
    while !c.done() {
        c.eat(',');
        out.push(c.number("a 32-bit word")?);
    }
    Ok(out)
}
