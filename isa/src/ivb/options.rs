//! The options of an instruction in braces: `{ align1 WE_all 1Q compacted switch AccWrEnable EOT }`.

use super::fields::*;
use super::table::names::{self, THREADS};
use super::table::Format;
use crate::set::{Field, Scanner, TextError};

/// Channels that a part of the execution mask has, its letter and how many parts there are.
const PARTS: [(u64, char, u64); 3] = [(4, 'N', 8), (8, 'Q', 4), (16, 'H', 2)];

/// What the options say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Their bits.
    pub bits: u128,
    /// Place of `compacted`.
    pub compacted: Option<usize>,
    /// End of the thread.
    pub end: bool,
}

impl Options {
    /// Access mode align16.
    pub fn align16(&self) -> bool {
        ALIGN16.get(self.bits) == 1
    }
}

/// The part of the mask that an execution size takes.
fn part(exec: u64) -> (char, u64) {
    let channels = 1u64 << exec;
    let found = PARTS.iter().find(|p| channels <= p.0);
    found.map_or(('H', 2), |p| (p.1, p.2))
}

/// Flags of one bit that stand as words, in their order around the part of the mask.
const WORDS: [(&str, Field); 5] = [
    ("align16", ALIGN16),
    ("WE_all", NO_MASK),
    ("NoDDClr", NO_CLEAR),
    ("NoDDChk", NO_CHECK),
    ("AccWrEnable", ACC_WRITE),
];

/// The options, braces included.
pub fn print(format: Format, bits: u128, compacted: bool) -> String {
    let on = |f: Field| f.get(bits) == 1;
    let mut words: Vec<String> = Vec::new();
    words.push(if on(ALIGN16) { "align16" } else { "align1" }.into());
    if on(NO_MASK) {
        words.push("WE_all".into());
    }
    let dependency = [(NO_CLEAR, "NoDDClr"), (NO_CHECK, "NoDDChk")];
    let dependency: Vec<&str> = dependency.iter().filter(|d| on(d.0)).map(|d| d.1).collect();
    if !dependency.is_empty() {
        words.push(dependency.join(","));
    }
    let (letter, _) = part(EXEC.get(bits));
    let quarter = QUARTER.get(bits);
    let number = match letter {
        'N' => 2 * quarter + NIBBLE.get(bits),
        'Q' => quarter,
        _ => quarter / 2,
    };
    words.push(format!("{}{letter}", number + 1));
    if compacted {
        words.push("compacted".into());
    }
    if let Some(thread) = names::name(&THREADS, THREAD.get(bits)).filter(|t| !t.is_empty()) {
        words.push(thread.into());
    }
    if on(ACC_WRITE) {
        words.push("AccWrEnable".into());
    }
    if format == Format::Send && on(END) {
        words.push("EOT".into());
    }
    format!("{{ {} }}", words.join(" "))
}

/// Reads the options that come next; align1 and the first part where they are not named. `other` has words of another
/// syntax in any case and those that they stand for, `known` the words to choose from.
///
/// # Errors
/// An option that does not exist or does not fit the instruction.
pub fn parse(
    mut s: Scanner, (format, exec): (Format, u64), other: &[(&str, &'static str)], known: &str,
) -> Result<Options, TextError> {
    let mut out = Options::default();
    if !s.eat("{") {
        return Ok(out);
    }
    while !s.eat("}") {
        let column = s.column();
        let mut ahead = s;
        let word = ahead.word();
        let word = other.iter().find(|o| o.0.eq_ignore_ascii_case(word)).map_or(word, |o| o.1);
        let flag = WORDS.iter().find(|w| w.0 == word);
        if let Some((_, field)) = flag {
            out.bits = field.put(out.bits, 1);
        } else if let Some(thread) = names::value(&THREADS, word) {
            out.bits = THREAD.put(out.bits, thread);
        } else if word == "compacted" {
            out.compacted = Some(column);
        } else if word == "EOT" && format == Format::Send {
            out.end = true;
        } else if word.starts_with(|c: char| c.is_ascii_digit()) {
            out.bits |= channels(&ahead, column, word, exec)?;
        } else if word != "align1" {
            return s.expected(&format!("an option, one of {known}, or `}}`"));
        }
        s = ahead;
        s.eat(",");
    }
    match s.done() {
        true => Ok(out),
        false => s.expected("the end of the instruction"),
    }
}

/// Bits of the part of the mask that `word` names.
fn channels(s: &Scanner, column: usize, word: &str, exec: u64) -> Result<u128, TextError> {
    let (letter, parts) = part(exec);
    let n = word.strip_suffix(letter).and_then(|n| n.parse::<u64>().ok());
    let Some(n) = n.filter(|n| (1..=parts).contains(n)) else {
        let all: Vec<String> = (1..=parts).map(|n| format!("{n}{letter}")).collect();
        return s.fault(column, format!("with {} channels it is one of {}", 1u64 << exec, all.join(" ")));
    };
    Ok(match letter {
        'N' => NIBBLE.put(QUARTER.put(0, (n - 1) / 2), (n - 1) % 2),
        'Q' => QUARTER.put(0, n - 1),
        _ => QUARTER.put(0, (n - 1) * 2),
    })
}
