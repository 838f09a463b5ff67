//! Whole programs: reading word files, checking contents, counting registers.

use crate::set::words;
pub use crate::set::words::ProgramError;
use crate::sm10::decode::decode_in;
use crate::sm10::disasm::text;
use crate::sm10::instr::*;
use crate::sm10::semantics::Semantics;
use crate::sm10::Sm10;

/// Reads 32-bit hexadecimal words separated by white space or commas; `0x` is optional, `#` and `//`
/// start comments, a word of more than 8 digits must be zero in front (ptxas prints `0000000000`).
///
/// # Errors
/// A [`ProgramError`] with the line: a token that is no word, or no words at all.
pub fn parse_hex(source: &str, file: &str) -> Result<Vec<u32>, ProgramError> {
    Ok(split(&words::parse_hex(&Sm10::default(), source, file)?))
}

/// Reads little-endian 32-bit words.
///
/// # Errors
/// A [`ProgramError`] when the length is zero or no multiple of 4.
pub fn parse_bin(bytes: &[u8], file: &str) -> Result<Vec<u32>, ProgramError> {
    words::check_bin(&Sm10::default(), bytes, file)?;
    Ok(split(bytes))
}

/// Little-endian words.
fn split(bytes: &[u8]) -> Vec<u32> {
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// A finding of [`check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Byte address.
    pub addr: u32,
    /// Text of the instruction, or its words.
    pub text: String,
    /// The mistake.
    pub problem: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#06x}: {}: {}", self.addr, self.text, self.problem)
    }
}

/// Walks a program from address 0: (byte address, word 0, word 1 if present, decoding).
fn walk(words: &[u32]) -> impl Iterator<Item = (u32, u32, Option<u32>)> + '_ {
    let mut n = 0;
    std::iter::from_fn(move || {
        let w0 = *words.get(n)?;
        let at = (n * 4) as u32;
        let w1 = (w0 & 1 == 1).then(|| words.get(n + 1).copied()).flatten();
        n += if w0 & 1 == 1 { 2 } else { 1 };
        Some((at, w0, w1))
    })
}

/// Everything wrong with a program that can be seen without running it, in address order.
///
/// Found are: undefined words, long instructions at an address that is no multiple of 8, a last long
/// instruction without its second word, and branch targets outside the program or inside an instruction.
pub fn check(semantics: Semantics, words: &[u32]) -> Vec<Finding> {
    let mut out = Vec::new();
    let starts: std::collections::HashSet<u32> = walk(words).map(|x| x.0).collect();
    let end = (words.len() * 4) as u32;
    for (addr, w0, w1) in walk(words) {
        let long = w0 & 1 == 1;
        let raw = match w1 {
            Some(w1) => format!("{w0:08x} {w1:08x}"),
            None => format!("{w0:08x}"),
        };
        let mut say = |text: &str, problem: String| {
            out.push(Finding { addr, text: text.into(), problem });
        };
        if long && addr % 8 != 0 {
            say(&raw, "a long instruction must lie at a multiple of 8 (pair the short instructions before it, or write .align 8)".into());
        }
        if long && w1.is_none() {
            say(&raw, "the program ends in the middle of a long instruction".into());
            continue;
        }
        let i = match decode_in(semantics, w0, w1.unwrap_or(0)) {
            Ok(i) => i,
            Err(e) => {
                say(&raw, e.to_string());
                continue;
            }
        };
        let Some(target) = i.op.target() else {
            continue;
        };
        if target >= end {
            say(&text(&i), format!("the target {target:#x} is outside the program (it ends at {end:#x})"));
        } else if !starts.contains(&target) {
            say(&text(&i), format!("the target {target:#x} is in the middle of an instruction"));
        }
    }
    out
}

/// Highest register written by a program with its byte address, `None` when none is.
pub fn max_register_written(semantics: Semantics, words: &[u32]) -> Option<(u8, u32)> {
    fold(semantics, words, Instr::last_register_written)
}

/// Highest register read by a program with its byte address, `None` when none is.
///
/// nvcc reads a register beyond the allocation (R124) as zero, so this may exceed the allocation.
pub fn max_register_read(semantics: Semantics, words: &[u32]) -> Option<(u8, u32)> {
    fold(semantics, words, Instr::last_register_read)
}

fn fold(semantics: Semantics, words: &[u32], f: impl Fn(&Instr) -> Option<u8>) -> Option<(u8, u32)> {
    let mut best: Option<(u8, u32)> = None;
    for (at, w0, w1) in walk(words) {
        let found = decode_in(semantics, w0, w1.unwrap_or(0)).ok().and_then(|i| f(&i));
        if let Some(r) = found.filter(|r| best.is_none_or(|b| *r > b.0)) {
            best = Some((r, at));
        }
    }
    best
}
