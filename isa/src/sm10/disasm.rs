//! Instructions to text, in NVIDIA's dialect of SM 1.0 (the one its `cuobjdump` printed).
//!
//! Spellings of this project, for forms that NVIDIA never printed: the exit marker `.EXIT`; condition names from
//! `OVERFLOW` on; `MOV.L02` for a quad lane mask (`.LNONE` for none); `.SAT` after the types; the sizes
//! `.S64` and `.S128`; post-increment by a negative step `g [A1++-0x1]`; a negated float immediate
//! `-(0x3f800000)`; the 4-byte control forms `TRAP32` and `BPT32`; an 8-bit conversion into the half-word
//! discard `o[0x7f].U16`; instructions this machine does not execute print their raw words as operands.
//! Offsets of `g []` and `c[][]` count access sizes, offsets of `local[]` count bytes.

use crate::sm10::arch::{COND_NAMES, SPECIAL_NAMES};
use crate::sm10::codes::Code;
use crate::sm10::decode::decode_in;
use crate::sm10::encode::{encode_in, half_name};
use crate::sm10::instr::*;
use crate::sm10::modifiers::field_value;
use crate::sm10::op::{Family, Op};
use crate::sm10::operand::{Dst, MemRef, MemSize, Src};
use crate::sm10::semantics::Semantics;
use crate::sm10::spelling::{self, Entry, Suffix};
use crate::sm10::table::{Class, DstSlot, Form, MemSlot, Names, Role, SrcSlot};

/// How much the text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// Everything: assembling the text gives the words back.
    #[default]
    Full,
    /// As NVIDIA printed it: the exit marker is left out.
    Nvidia,
}

/// The text of one instruction, without the closing `;`.
pub fn text(i: &Instr) -> String {
    text_in(i, Style::Full)
}

/// The text of one instruction in a style, without the closing `;`.
pub fn text_in(i: &Instr, style: Style) -> String {
    let mut name = mnemonic(i);
    if let Some(c) = i.cdst {
        name.push_str(&format!(".C{c}"));
    }
    match i.marker {
        // The raw words of an unsupported instruction hold its marker.
        _ if i.op == Op::Unsupported => {}
        Marker::Join => name.push_str(".S"),
        Marker::Exit if style == Style::Full => name.push_str(".EXIT"),
        _ => {}
    }
    let mut ops = operands(i);
    if let Some(p) = guard(i) {
        match ops.first_mut() {
            Some(first) if !bare_guard(i) => first.push_str(&format!(" ({p})")),
            _ => ops.insert(0, p),
        }
    }
    if ops.is_empty() {
        name
    } else {
        format!("{name} {}", ops.join(", "))
    }
}

/// One line of a disassembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Byte address.
    pub addr: u32,
    /// The words of the instruction (1 or 2).
    pub words: Vec<u32>,
    /// Its text without `;`; undefined words read `.word 0x...`.
    pub text: String,
}

/// Disassembles a program from byte address 0; words that are no instruction become `.word`.
pub fn disassemble(words: &[u32]) -> Vec<Line> {
    disassemble_in(Semantics::G80, words)
}

/// [`disassemble`] in a reading of the words.
pub fn disassemble_in(semantics: Semantics, words: &[u32]) -> Vec<Line> {
    let mut out = Vec::new();
    let mut n = 0;
    while n < words.len() {
        let w0 = words[n];
        let long = w0 & 1 == 1;
        let w1 = words.get(n + 1).copied();
        // A long word at an odd place, without its second half or with ignored bits set is data.
        let whole = !long || (n % 2 == 0 && w1.is_some());
        let instr = whole.then(|| decode_in(semantics, w0, w1.unwrap_or(0)).ok()).flatten();
        let exact = instr.filter(|i| {
            let second = if long { w1.unwrap_or(0) } else { 0 };
            encode_in(semantics, i) == Ok((w0, second))
        });
        let (len, text) = match (exact, instr) {
            (Some(i), _) => (i.bytes() as usize / 4, text(&i)),
            // Bits the machine ignores are set: the words, and what they do as a comment.
            (None, Some(i)) if long => {
                let w1 = w1.unwrap_or(0);
                (2, format!(".word {w0:#010x}, {w1:#010x} // {}", text(&i)))
            }
            (None, Some(i)) => (1, format!(".word {w0:#010x} // {}", text(&i))),
            (None, None) => (1, format!(".word {w0:#010x}")),
        };
        out.push(Line { addr: (n * 4) as u32, words: words[n..n + len].to_vec(), text });
        n += len;
    }
    out
}

/// A program as text that assembles to the same words, one instruction a line.
pub fn listing(words: &[u32]) -> String {
    disassemble(words)
        .iter()
        .map(|l| match l.text.split_once(" // ") {
            Some((code, note)) => format!("{code}; // {note}\n"),
            None => format!("{};\n", l.text),
        })
        .collect()
}

/// The guard as `C0.NE`, `None` when nothing is to be said.
fn guard(i: &Instr) -> Option<String> {
    let f = i.row();
    if !f.predicated || f.op == Op::Unsupported {
        return None;
    }
    if f.op == Op::Nop {
        // nvcc writes every NOP with the guard "never"; the listings leave that out.
        if i.pred == (Pred { code: 0, creg: 0 }) {
            return None;
        }
    } else if i.pred.is_always() && (i.pred.creg == 0 || creg_is_operand(i)) {
        return None;
    }
    let name = COND_NAMES[usize::from(i.pred.code & 31)];
    Some(format!("C{}.{name}", i.pred.creg))
}

/// True when the flag register of the guard is printed elsewhere (carry source, C2R source).
fn creg_is_operand(i: &Instr) -> bool {
    i.op.adds_carry() || i.op == Op::C2R
}

/// Control transfers write their guard as an operand of its own.
fn bare_guard(i: &Instr) -> bool {
    i.row().class == Class::Control
}

fn mnemonic(i: &Instr) -> String {
    let f = i.row();
    let mut parts = vec![f.base().to_string()];
    let named = |role, names: Names| names.iter().find(|n| n.0 == field_value(i, role)).map_or("", |n| n.1);
    let suffixes = spelling::suffixes(f).into_iter().map(|suffix| match suffix {
        Suffix::Fixed(name) => name,
        Suffix::Value(role, names) => named(role, names),
    });
    parts.extend(suffixes.filter(|name| !name.is_empty()).map(String::from));
    if i.op.adds_carry() {
        parts.push(format!("CARRY{}", i.pred.creg));
    }
    if f.dst == DstSlot::LongSel && matches!(i.dst, Dst::Half(_)) {
        parts.push("U16".into());
    }
    parts.join(".")
}

fn operands(i: &Instr) -> Vec<String> {
    if i.op == Op::Unsupported {
        let word = |s: &Src| if let Src::Imm(v) = s { Some(format!("{v:#010x}")) } else { None };
        return i.src.iter().filter_map(word).collect();
    }
    let (f, value) = (i.row(), |role| field_value(i, role));
    let text = |entry| match entry {
        Entry::Dst => dest(f, i.dst),
        Entry::Src(n) => source(i, n),
        Entry::Global(n) => format!("global{}[{}]", value(Role::Space), source(i, n)),
        Entry::Mem => i.op.memory().map_or(String::new(), |at| match f.mem {
            MemSlot::Local => local(at),
            _ if f.dst == DstSlot::No => shared(at, "g", false),
            _ => shared(at, "g ", true),
        }),
        Entry::Cond => condition_name(f, f.condition().map_or(0, value) as u8).into(),
        Entry::Reduction => f.mnemonic[f.base().len() + 1..].into(),
        Entry::Shift if value(Role::Shift4) == 0 => String::new(),
        Entry::Shift => format!("{:#x}", value(Role::Shift4)),
        Entry::Target => format!("{:#x}", 4 * value(Role::Target)),
        Entry::Barrier => format!("b{}", value(Role::BarId)),
        Entry::Mask => format!("{:#x}", value(Role::BarMask)),
        Entry::Trigger => format!("{:#x}", value(Role::PmId)),
    };
    let entries = spelling::entries(f).into_iter().filter(|e| !left_out(i, *e));
    entries.map(text).filter(|t| !t.is_empty()).collect()
}

/// Whether the text does without an operand: an immediate of 0 that may be left out.
fn left_out(i: &Instr, entry: Entry) -> bool {
    matches!(entry, Entry::Src(n) if i.row().src[n].is_optional() && i.src[n] == Src::Imm(0))
}

/// Name of a relation. Of integers with three bits all set are TRUE.
pub(crate) fn condition_name(f: &Form, cond: u8) -> &'static str {
    match f.field(Role::CondI) {
        Some(field) if field.width() == 3 && cond == 7 => "TRUE",
        _ => COND_NAMES[usize::from(cond & 31)],
    }
}

fn dest(f: &Form, d: Dst) -> String {
    let half_word = f.dst == DstSlot::Long16 && matches!(f.op, Op::I2I { dst: IntType::U8 | IntType::S8, .. });
    match d {
        Dst::None => String::new(),
        Dst::Reg(r) | Dst::Pair(r) | Dst::Quad(r) => format!("R{r}"),
        Dst::Half(h) => half_name(h),
        Dst::Addr(a) => format!("A{a}"),
        Dst::Cc(c) => format!("C{c}"),
        Dst::Discard if half_word => "o[0x7f].U16".into(),
        Dst::Discard => "o[0x7f]".into(),
        Dst::Out(n) if half_word => format!("o[{n:#x}].U16"),
        Dst::Out(n) => format!("o[{n:#x}]"),
    }
}

/// Marks on a source: (complement, negate, absolute value).
pub(crate) fn marks(i: &Instr, n: usize) -> (bool, bool, bool) {
    let on = |r| field_value(i, r) != 0;
    // The last source of a subtraction, the first of a reversed one.
    let subtracted = match AddKind::from_code(field_value(i, Role::AddKind)) {
        Some(AddKind::Sub) => n == i.row().last_source(),
        Some(AddKind::Subr) => n == 0,
        _ => false,
    };
    match n {
        0 => (on(Role::NotA), subtracted || on(Role::NegA), on(Role::AbsA)),
        1 => (on(Role::NotB), subtracted || on(Role::NegB), on(Role::AbsB)),
        _ => (false, subtracted || on(Role::NegC), false),
    }
}

/// True for the float forms, whose immediate NVIDIA printed as a signed number.
pub(crate) fn signed_immediate(f: &Form) -> bool {
    f.op.family() == Family::Float
}

fn source(i: &Instr, n: usize) -> String {
    let (not, neg, abs) = marks(i, n);
    let body = match i.src[n] {
        Src::None => String::new(),
        Src::Reg(r) => format!("R{r}"),
        Src::Half(h) => half_name(h),
        Src::Imm(v) if signed_immediate(i.row()) => {
            let t = match v as i32 {
                s if s < 0 && !neg => format!("-{:#x}", s.unsigned_abs()),
                _ => format!("{v:#x}"),
            };
            return if neg { format!("-({t})") } else { t };
        }
        Src::Imm(v) => format!("{v:#x}"),
        Src::Shared(m) => shared(m, "g ", true),
        Src::Const { bank, at } if matches!(i.row().src[n], SrcSlot::ConstFar | SrcSlot::ConstFarFixed) => {
            format!("c[{bank:#x}] [{}]{}", inner(at, at.size.bytes()), size_suffix(at.size))
        }
        Src::Const { bank, at } => format!("c[{bank:#x}][{}]", inner(at, at.size.bytes())),
        Src::Addr(a) => format!("A{a}"),
        Src::Cc(c) => format!("C{c}"),
        Src::Special(s) => special_name(s),
    };
    let body = if abs { format!("|{body}|") } else { body };
    match (not, neg) {
        (true, _) => format!("~{body}"),
        (_, true) => format!("-{body}"),
        _ => body,
    }
}

/// `SR_CLOCK` for a named special register, `SR2` for the others.
pub(crate) fn special_name(s: u8) -> String {
    match SPECIAL_NAMES.get(usize::from(s)) {
        Some(n) if !n.is_empty() => format!("SR_{n}"),
        _ => format!("SR{s}"),
    }
}

fn size_suffix(size: MemSize) -> &'static str {
    match size {
        MemSize::U8 => ".U8",
        MemSize::S8 => ".S8",
        MemSize::U16 => ".U16",
        MemSize::S16 => ".S16",
        _ => "",
    }
}

fn shared(m: MemRef, open: &str, sized: bool) -> String {
    let size = if sized { size_suffix(m.size) } else { "" };
    format!("{open}[{}]{size}", inner(m, m.size.bytes()))
}

fn local(m: MemRef) -> String {
    format!("local[{}]", inner(m, 1))
}

/// The text between the brackets, in units of `unit` bytes.
fn inner(m: MemRef, unit: u32) -> String {
    let off = m.offset / unit as i32;
    let mag = off.unsigned_abs();
    match (m.post_inc, m.areg) {
        (true, a) if off < 0 => format!("A{a}++-{mag:#x}"),
        (true, a) => format!("A{a}+++{mag:#x}"),
        (false, 0) => format!("{mag:#x}"),
        (false, a) => format!("A{a}+{mag:#x}"),
    }
}
