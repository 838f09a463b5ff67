//! The assembler: NVIDIA's dialect (see [`crate::sm10::disasm`]) with labels, comments and directives.
//!
//! Statements end with `;` or the line. Comments: `//`, `#`, `/* */`. `name:` is a label; labels are
//! branch targets. Directives: `.kernel NAME`, `.registers N`, `.shared BYTES` (header and parameters
//! included), `.local BYTES`, `.const BANK OFFSET word, ...`, `.word 0x..., ...`, `.align 8`; `.isa sm10`
//! says which instruction set the source is of, `.semantics flexgripplus` in whose [reading](Semantics).
//!
//! **Alignment.** A long instruction lies at a multiple of 8 bytes. Where an odd number of short
//! instructions stands before one, the assembler inserts `MOV32 R0, R0` (R0 always exists and the move
//! changes nothing), before the labels of the long instruction, and names each insertion in
//! [`Assembled::notes`]. `.align 8` does the same by hand. Pair your short instructions to avoid it.
//! `NOP` alone carries the guard "never" as nvcc writes it.

mod bind;

mod lex;
mod manual;
mod operand;
mod parse;
mod suffix;

use std::collections::HashMap;

use crate::set::asm::{named_set, other_set, undefined};
use crate::set::diag::{diag, Diag};
use crate::sm10::build::Draft;
use crate::sm10::encode::encode_in;
use crate::sm10::instr::Instr;
use crate::sm10::link::{link_in, Item, Label, LinkError};
use crate::sm10::semantics::Semantics;
use bind::bind;
use lex::Token;
use parse::Cursor;

pub use crate::set::diag::{AsmError, Span};

pub use crate::sm10::link::PAD_WORD;

/// An assembled source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// `.kernel`, or "kernel".
    pub name: String,
    /// `.semantics`, or the reading asked for.
    pub semantics: Semantics,
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
    assemble_in(None, source, file)
}

/// [`assemble`] in a reading of the words; `None`: that of the source, else the hardware's.
///
/// # Errors
/// Those of [`assemble`]; a `.semantics` line that contradicts `semantics`.
pub fn assemble_in(semantics: Option<Semantics>, source: &str, file: &str) -> Result<Assembled, AsmError> {
    let mut a = Asm { asked: semantics, ..Asm::default() };
    a.out.semantics = semantics.unwrap_or_default();
    a.run(source).map_err(|d| AsmError { file: file.into(), span: d.span, message: d.message })?;
    Ok(a.out)
}

/// One instruction without label or directive, and its words (word 1 of a short one is 0); `label`
/// gives the addresses of labels.
pub(super) fn one(
    semantics: Semantics, source: &str, label: &dyn Fn(&str) -> Option<u64>,
) -> Result<(Instr, u32, u32), Diag> {
    let start = Span { line: 1, col: 1, len: 1 };
    let mut statements = lex::statements(source)?;
    statements.retain(|tokens| !tokens.is_empty());
    let [tokens] = &statements[..] else {
        let found = statements.len();
        return diag(start, format!("expected one instruction, found {found}"));
    };
    let bound = bind(semantics, &Cursor::new(tokens).statement()?)?;
    let mut instr = bound.instr;
    let mut span = tokens[0].span;
    if let Some((name, at)) = bound.label {
        let Some(to) = label(&name) else {
            return diag(at, undefined(&name));
        };
        let Ok(to) = u32::try_from(to) else {
            return diag(at, format!("the label {name} is beyond the reach of a branch"));
        };
        instr.op.target_mut().into_iter().for_each(|t| *t = to);
        span = at;
    }
    match encode_in(semantics, &instr) {
        Ok((w0, w1)) => Ok((instr, w0, w1)),
        Err(e) => diag(span, e.to_string()),
    }
}

#[derive(Default)]
struct Asm {
    out: Assembled,
    /// The reading asked for from outside.
    asked: Option<Semantics>,
    named: bool,
    /// Number and place of every label.
    labels: HashMap<String, (Label, Span)>,
    items: Vec<Item>,
    /// Source line of every item.
    lines: Vec<usize>,
    /// Item, name and place of every label used as a target.
    targets: Vec<(usize, String, Span)>,
}

impl Asm {
    fn run(&mut self, source: &str) -> Result<(), Diag> {
        self.out.name = "kernel".into();
        if let Some((name, span)) = named_set(source).filter(|n| n.0 != "sm10") {
            return diag(span, other_set(&name, "sm10"));
        }
        for tokens in lex::statements(source)? {
            self.statement(&tokens)?;
        }
        self.resolve()?;
        self.link()
    }

    fn statement(&mut self, tokens: &[Token]) -> Result<(), Diag> {
        let mut c = Cursor::new(tokens);
        while let Some((name, span)) = c.label() {
            let label = Label(self.labels.len() as u32);
            if let Some((_, first)) = self.labels.insert(name.clone(), (label, span)) {
                let at = first.line;
                return diag(span, format!("the label {name} is already defined in line {at}"));
            }
            self.item(Item::Label(label), span.line);
            self.out.labels.push((name, 0));
        }
        if c.done() {
            return Ok(());
        }
        let line = c.span().line;
        if c.eat('.') {
            return self.directive(&mut c, line);
        }
        let s = c.statement()?;
        let b = bind(self.out.semantics, &s)?;
        if let Some((name, span)) = b.label {
            self.targets.push((self.items.len(), name, span));
        }
        self.item(Item::Fixed(b.instr), line);
        Ok(())
    }

    fn item(&mut self, item: Item, line: usize) {
        self.items.push(item);
        self.lines.push(line);
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
                let words = words(c)?;
                self.item(Item::Words(words), line);
            }
            "isa" => {
                let (name, at) = c.word("the name of an instruction set")?;
                if name != "sm10" {
                    return diag(at, other_set(&name, "sm10"));
                }
            }
            "semantics" => {
                let (name, at) = c.word("g80 or flexgripplus")?;
                let Some(found) = Semantics::by_name(&name) else {
                    return diag(at, format!("expected g80 or flexgripplus, found {name}"));
                };
                if self.asked.is_some_and(|asked| asked != found) {
                    return diag(at, format!("the source is of {found}, {} was asked for", self.out.semantics));
                }
                if self.items.iter().any(|i| !matches!(i, Item::Label(_))) {
                    return diag(span, "this line stands before the first instruction");
                }
                self.out.semantics = found;
            }
            "align" => {
                let at = c.span();
                let n = c.number("8")?;
                if n != 8 {
                    return diag(at, format!("expected .align 8, found {n}"));
                }
                self.item(Item::Align, line);
            }
            _ => {
                return diag(
                    span,
                    format!(
                        ".{name} is no directive, one of .isa .semantics .kernel .registers .shared .local .const .word .align"
                    ),
                )
            }
        }
        if c.done() {
            Ok(())
        } else {
            c.fail("the end of the statement")
        }
    }

    /// Gives the instructions with a label as target that label.
    fn resolve(&mut self) -> Result<(), Diag> {
        for (item, name, span) in &self.targets {
            let Some(&(label, _)) = self.labels.get(name) else {
                let near = self.labels.keys().map(|k| (strsim::damerau_levenshtein(k, name), k)).min();
                let message = match near {
                    Some((d, k)) if d <= 2 => {
                        format!("the label {name} is not defined, did you mean {k}?")
                    }
                    _ => undefined(name),
                };
                return diag(*span, message);
            };
            if let Item::Fixed(i) = &self.items[*item] {
                self.items[*item] = Item::Jump(Draft::from(i), label);
            }
        }
        Ok(())
    }

    fn link(&mut self) -> Result<(), Diag> {
        let linked = match link_in(self.out.semantics, &self.items) {
            Ok(l) => l,
            Err(e) => return Err(self.misfit(&e)),
        };
        let mut pads = linked.pads.iter().peekable();
        let at = linked.items.iter().zip(&self.lines).zip(&self.items);
        for (n, ((&start, &line), item)) in at.enumerate() {
            if let Some((_, pad)) = pads.next_if(|p| p.0 == n) {
                self.out.lines.push((*pad, line));
                let text = format!("inserted MOV32 R0, R0 at {pad:#x} so that the long instruction is 8-byte aligned");
                self.out.notes.push((line, text));
            }
            let entries = match item {
                Item::Label(_) | Item::Align => 0,
                Item::Words(w) => w.len(),
                _ => 1,
            };
            let entry = |k: usize| (start + 4 * k as u32, line);
            self.out.lines.extend((0..entries).map(entry));
        }
        for (name, at) in &mut self.out.labels {
            let label = self.labels.get(name).map(|l| l.0);
            *at = label.and_then(|l| linked.labels.get(&l)).map_or(0, |a| *a);
        }
        self.out.words = linked.words;
        Ok(())
    }

    /// The error of the linker at the label or line it is about.
    fn misfit(&self, e: &LinkError) -> Diag {
        let (item, message) = match e {
            LinkError::Encode { item, source } => (*item, source.to_string()),
            LinkError::Build { item, source } => (*item, source.to_string()),
            LinkError::Undefined { item, .. } | LinkError::Twice { item, .. } | LinkError::NoTarget { item, .. } => {
                (*item, e.to_string())
            }
        };
        let target = self.targets.iter().find(|t| t.0 == item).map(|t| t.2);
        let line = self.lines.get(item).copied().unwrap_or(1);
        let span = target.unwrap_or(Span { line, col: 1, len: 1 });
        Diag { span, message }
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
