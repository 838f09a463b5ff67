//! The front of the assembler: comments, labels, directives, exact bits; the set reads the instructions.
//!
//! Statements end with `;` or the line, but not at the `;` of a region, `<8;8,1>`. Comments: `//`, `#`, `/* */`. `name:` is a label. Directives:
//! those that the set [expands](InstructionSet::expand), `.isa NAME` (an error in an assembler of another set), `.word 0x..., ...` (units of the set, low byte
//! first), `.byte 0x..., ...`. Instructions lie at multiples of the unit. `?0x...` at the end of an instruction inverts these bits of its code: a
//! listing writes it for bits that the text does not name (reserved bits, the longer of two encodings).

use std::collections::HashMap;

use super::diag::{diag, AsmError, Diag, Span};
use super::{Code, Instr, InstructionSet, Place, Scanner, TextError};

/// An assembled source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The bytes from address 0.
    pub bytes: Vec<u8>,
    /// (byte address, source line) of every instruction and directive, ascending.
    pub lines: Vec<(u64, usize)>,
    /// (label, byte address) in source order.
    pub labels: Vec<(String, u64)>,
    /// (line, what its text asks for and the instruction does not do) in source order.
    pub notes: Vec<(usize, String)>,
}

/// One statement and its place, both from 1.
pub(crate) struct Statement<'a> {
    pub text: &'a str,
    pub line: usize,
    pub column: usize,
}

/// Rounds after which lengths that depend on labels have to be settled.
const ROUNDS: usize = 16;

/// Assembles `source`; `file` names it in errors.
///
/// # Errors
/// The first error, with line, column and length.
pub fn assemble(set: &dyn InstructionSet, source: &str, file: &str) -> Result<Program, AsmError> {
    let error = |Diag { span, message }| AsmError { file: file.into(), span, message };
    let clean = without_comments(source).and_then(|s| set.expand(s)).map_err(error)?;
    if let Some((name, span)) = named_set(source).filter(|n| n.0 != set.name()) {
        let message = other_set(&name, set.name());
        let file = file.into();
        return Err(AsmError { file, span, message });
    }
    let statements = statements(&clean);
    let mut known = HashMap::new();
    for round in 0..ROUNDS {
        let (program, labels) = pass(set, &statements, &known, round > 0).map_err(|(s, e)| {
            let before = &s.text[..e.column.min(s.text.len())];
            AsmError {
                file: file.into(),
                span: Span { line: s.line, col: s.column + before.chars().count(), len: e.length },
                message: e.message,
            }
        })?;
        if round > 0 && labels == known {
            return Ok(program);
        }
        known = labels;
    }
    let span = unsettled(set, &statements, &known);
    Err(AsmError {
        file: file.into(),
        span,
        message: "the address of this label does not settle, the length of an instruction depends on it: \
                  write the address of the target as a number"
            .into(),
    })
}

/// The place of the first label whose address still changes.
fn unsettled(set: &dyn InstructionSet, statements: &[Statement], known: &Labels) -> Span {
    let found = pass(set, statements, known, true).map_or_else(|_| known.clone(), |p| p.1);
    let moves = |name: &str| found.get(name) != known.get(name);
    for s in statements {
        let mut scan = Scanner::new(s.text);
        loop {
            let before = &s.text[..scan.column()];
            let Some(name) = label(&mut scan) else { break };
            if moves(name) {
                return Span { line: s.line, col: s.column + before.chars().count(), len: name.len() };
            }
        }
    }
    Span { line: 1, col: 1, len: 1 }
}

/// The instruction set that a source names with `.isa`, and where; `None` when it names none.
pub fn named_set(source: &str) -> Option<(String, Span)> {
    let clean = without_comments(source).ok()?;
    statements(&clean).iter().find_map(|s| {
        let mut scan = Scanner::new(s.text);
        while label(&mut scan).is_some() {}
        if !(scan.eat(".") && scan.word() == "isa") {
            return None;
        }
        let before = &s.text[..scan.column()];
        let name = scan.word();
        let span = Span { line: s.line, col: s.column + before.chars().count(), len: name.len().max(1) };
        Some((name.to_string(), span))
    })
}

/// What is wrong with `.isa theirs` in an assembler of `ours`.
pub(crate) fn other_set(theirs: &str, ours: &str) -> String {
    match crate::Isa::by_name(theirs).is_some() {
        true => format!("this is a program of {theirs}, not of {ours}: `warpsmith asm --isa {theirs}` assembles it"),
        false => super::no_set(theirs),
    }
}

/// What is wrong with a label that is nowhere.
pub(crate) fn undefined(label: &str) -> String {
    format!("the label {label} is not defined, define it with `{label}:`")
}

type Labels = HashMap<String, u64>;

/// One pass with the addresses of the pass before; in the first, every label is at the instruction.
fn pass<'s>(
    set: &dyn InstructionSet, statements: &'s [Statement<'s>], known: &Labels, strict: bool,
) -> Result<(Program, Labels), (&'s Statement<'s>, TextError)> {
    let mut out = Program::default();
    let mut labels = Labels::new();
    for s in statements {
        let mut scan = Scanner::new(s.text);
        let pc = out.bytes.len() as u64;
        while let Some(name) = label(&mut scan) {
            if labels.insert(name.into(), pc).is_some() {
                let e = scan.fault(0, format!("the label {name} is already defined"));
                return e.map_err(|e| (s, e));
            }
            out.labels.push((name.into(), pc));
        }
        if scan.done() {
            continue;
        }
        let find = |name: &str| match strict {
            true => known.get(name).copied(),
            false => Some(pc),
        };
        let place = Place { pc, label: &find };
        let (bytes, notes) = statement(set, scan, &place).map_err(|e| (s, e))?;
        out.notes.extend(notes.into_iter().map(|note| (s.line, note)));
        out.lines.push((pc, s.line));
        out.bytes.extend(bytes);
    }
    Ok((out, labels))
}

/// Bytes of a directive or an instruction, and its notes.
fn statement(set: &dyn InstructionSet, mut scan: Scanner, place: &Place) -> Result<(Vec<u8>, Vec<String>), TextError> {
    let column = scan.column();
    if scan.eat(".") {
        return directive(set, scan, column).map(|bytes| (bytes, vec![]));
    }
    let unit = set.unit() as u64;
    if place.pc % unit != 0 {
        let (at, fill) = (place.pc, unit - place.pc % unit);
        return scan.fault(
            column,
            format!(
                "this instruction would lie at {at:#x}, which is no multiple of {unit}: add {fill} bytes with .byte"
            ),
        );
    }
    let (instr, notes) = exact(set, scan.rest(), place).map_err(|e| TextError { column: e.column + column, ..e })?;
    Ok((instr.code.to_vec(), notes))
}

fn directive(set: &dyn InstructionSet, mut scan: Scanner, column: usize) -> Result<Vec<u8>, TextError> {
    let unit = match scan.word() {
        "isa" => {
            let at = scan.column();
            let name = scan.word();
            if name != set.name() {
                return scan.fault(at, other_set(name, set.name()));
            }
            return if scan.done() { Ok(Vec::new()) } else { scan.expected("the end of the statement") };
        }
        "word" => set.unit(),
        "byte" => 1,
        other => return scan.fault(column, format!(".{other} is no directive, one of .isa .word .byte")),
    };
    let mut out = Vec::new();
    loop {
        let value = scan.number(8 * unit as u32)?;
        out.extend(Code::new(value.into(), unit).to_vec());
        if scan.done() {
            return Ok(out);
        }
        scan.need(",")?;
    }
}

/// A label and its colon.
fn label<'a>(scan: &mut Scanner<'a>) -> Option<&'a str> {
    let mut ahead = *scan;
    let name = ahead.word();
    let first = name.chars().next()?;
    if first.is_ascii_digit() || !ahead.eat(":") {
        return None;
    }
    *scan = ahead;
    Some(name)
}

/// The text of an instruction with every bit: see the head of this module.
pub fn print_exact(set: &dyn InstructionSet, instr: &Instr, pc: u64) -> String {
    let text = set.print(instr, pc);
    match set.parse(&text, &Place::at(pc)) {
        Ok(usual) if usual.code == instr.code => text,
        Ok(usual) => format!("{text} ?{:#x}", usual.code.bits() ^ instr.code.bits()),
        // No text of this set reads back: the bits of the code are shown as they are.
        Err(_) => data_text(set, instr),
    }
}

fn data_text(set: &dyn InstructionSet, instr: &Instr) -> String {
    let bytes = instr.code.to_vec();
    let words =
        bytes.chunks(set.unit()).map(|c| format!("{:#0width$x}", Code::read(c).bits(), width = 2 * c.len() + 2));
    format!(".word {}", words.collect::<Vec<_>>().join(", "))
}

/// Reads what [`print_exact`] writes.
///
/// # Errors
/// As [`InstructionSet::parse`]; bits that make another or no instruction.
pub fn parse_exact(set: &dyn InstructionSet, text: &str, place: &Place) -> Result<Instr, TextError> {
    exact(set, text, place).map(|(instr, _)| instr)
}

/// The same, and the notes of the text.
fn exact(set: &dyn InstructionSet, text: &str, place: &Place) -> Result<(Instr, Vec<String>), TextError> {
    let Some((head, bits)) = text.rsplit_once('?') else {
        return set.parse_noted(text, place);
    };
    let (usual, notes) = set.parse_noted(head, place)?;
    let column = head.len() + 1;
    let invalid = |message: String| TextError { column, length: bits.trim_end().len().max(1), read: column, message };
    let value = bits
        .trim()
        .strip_prefix("0x")
        .and_then(|h| u128::from_str_radix(h, 16).ok())
        .ok_or_else(|| invalid("expected the bits to invert, such as ?0x8000".into()))?;
    let all = Code::new(usual.code.bits() ^ value, super::MAX_BYTES);
    match set.decode(&all.to_vec()) {
        Ok(i) if i.row == usual.row && i.code.bits() == all.bits() => Ok((i, notes)),
        Ok(_) => Err(invalid("these bits make another instruction".into())),
        Err(e) => Err(invalid(e.to_string())),
    }
}

/// The source with blanks in place of comments.
///
/// # Errors
/// A comment that is never closed.
pub(crate) fn without_comments(source: &str) -> Result<String, Diag> {
    let mut out = String::with_capacity(source.len());
    let mut open: Option<Span> = None;
    for (n, line) in source.lines().enumerate() {
        let mut chars = line.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let rest = &line[at..];
            if open.is_some() {
                out.push(' ');
                if rest.starts_with("*/") {
                    chars.next();
                    out.push(' ');
                    open = None;
                }
            } else if rest.starts_with("/*") {
                chars.next();
                out.push_str("  ");
                open = Some(Span { line: n + 1, col: line[..at].chars().count() + 1, len: 2 });
            } else if rest.starts_with("//") || c == '#' {
                break;
            } else {
                out.push(c);
            }
        }
        out.push('\n');
    }
    open.map_or(Ok(out), |span| diag(span, "the comment opened here is never closed, write `*/`"))
}

/// The statements of a source without comments, which end with `;` or the line.
pub(crate) fn statements(source: &str) -> Vec<Statement<'_>> {
    let mut out = Vec::new();
    for (n, line) in source.lines().enumerate() {
        let (mut column, mut start) = (1, 0);
        let ends = line.match_indices(';').map(|m| m.0).filter(|at| !in_region(line, *at));
        for end in ends.chain([line.len()]) {
            let text = &line[start..end];
            out.push(Statement { text, line: n + 1, column });
            column += text.chars().count() + 1;
            start = end + 1;
        }
    }
    out
}

/// True for the semicolon at a byte of a line inside a region such as `<8;8,1>`.
fn in_region(line: &str, at: usize) -> bool {
    let before = line[..at].trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = before.len() < at && line[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    digits && before.ends_with('<')
}
