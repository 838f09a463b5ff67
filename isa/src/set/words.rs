//! Files of raw words: hexadecimal, one unit of the set a word, and bytes.

use super::InstructionSet;

/// A word file that cannot be read: `file:line: message`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map_or(String::new(), |l| format!(":{l}")))]
pub struct ProgramError {
    /// Name given by the caller.
    pub file: String,
    /// Line from 1; `None` for binary files.
    pub line: Option<usize>,
    /// Expected and found.
    pub message: String,
}

/// Reads hexadecimal words of one unit separated by white space or commas; `0x` is optional, `#` and `//`
/// start comments, zeros in front do not count.
///
/// # Errors
/// A [`ProgramError`] with the line: a token that is no word, or no words at all.
pub fn parse_hex(set: &dyn InstructionSet, source: &str, file: &str) -> Result<Vec<u8>, ProgramError> {
    let unit = set.unit();
    let error = |line, message| ProgramError { file: file.into(), line, message };
    let mut out = Vec::new();
    for (n, line) in source.lines().enumerate() {
        let code = line.split('#').next().unwrap_or("");
        let code = code.split("//").next().unwrap_or("");
        let blank = |c: char| c.is_whitespace() || c == ',';
        for t in code.split(blank).filter(|t| !t.is_empty()) {
            let Some(word) = hex_word(t, 2 * unit) else {
                let (bits, digits) = (8 * unit, 2 * unit);
                let message = format!("expected a {bits}-bit word of at most {digits} hexadecimal digits, found {t}");
                return Err(error(Some(n + 1), message));
            };
            out.extend(&word.to_le_bytes()[..unit]);
        }
    }
    match out.is_empty() {
        true => Err(error(None, "expected hexadecimal words, found none".into())),
        false => Ok(out),
    }
}

/// One word of at most `digits` digits, 32 at most, with or without `0x`; zeros in front do not count.
pub(crate) fn hex_word(t: &str, digits: usize) -> Option<u128> {
    let t = t.strip_prefix("0x").or_else(|| t.strip_prefix("0X")).unwrap_or(t);
    if t.is_empty() || !t.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    match t.trim_start_matches('0') {
        "" => Some(0),
        short if short.len() <= digits => u128::from_str_radix(short, 16).ok(),
        _ => None,
    }
}

/// Checks raw bytes of a program.
///
/// # Errors
/// A [`ProgramError`]: no bytes, or no whole number of units.
pub fn check_bin(set: &dyn InstructionSet, bytes: &[u8], file: &str) -> Result<(), ProgramError> {
    let (unit, found) = (set.unit(), bytes.len());
    if found != 0 && found % unit == 0 {
        return Ok(());
    }
    Err(ProgramError {
        file: file.into(),
        line: None,
        message: format!("expected a length that is a positive multiple of {unit} bytes, found {found}"),
    })
}

/// The words of a program, `2 * unit` digits each; the last one has fewer where bytes are missing.
pub fn hex(set: &dyn InstructionSet, bytes: &[u8]) -> Vec<String> {
    let word = |c: &[u8]| c.iter().rev().map(|b| format!("{b:02x}")).collect();
    bytes.chunks(set.unit()).map(word).collect()
}
