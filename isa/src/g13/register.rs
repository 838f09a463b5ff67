//! Names of registers, alone and in a row.

/// Registers in a row: `r3l`, `r3`, `r3_r4`, `u7h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// `r` of a lane, `u` uniform.
    pub file: char,
    /// Number of the first in halves of 32 bits.
    pub first: u64,
    /// 32 bits each; else 16.
    pub wide: bool,
    /// How many.
    pub count: u64,
}

/// Lane registers of 32 bits.
const LANE: u64 = 128;
/// Uniform registers of 32 bits.
const UNIFORM: u64 = 256;

impl Registers {
    /// One register.
    pub fn one(file: char, first: u64, wide: bool) -> Registers {
        let first = if wide { first & !1 } else { first };
        Registers { file, first, wide, count: 1 }
    }

    /// `count` registers.
    pub fn row(file: char, first: u64, wide: bool, count: u64) -> Registers {
        Registers { count, ..Registers::one(file, first, wide) }
    }

    /// The names, joined by `_`.
    pub fn text(&self) -> String {
        let step = if self.wide { 2 } else { 1 };
        let names = (0..self.count).map(|n| {
            let at = self.first + n * step;
            let half = match (self.wide, at & 1) {
                (true, _) => "",
                (false, 0) => "l",
                (false, _) => "h",
            };
            format!("{}{}{half}", self.file, at >> 1)
        });
        names.collect::<Vec<_>>().join("_")
    }

    /// The registers of a word; `None` where it names none, or some that are not in a row.
    pub fn parse(word: &str) -> Option<Registers> {
        let mut names = word.split('_').map(single);
        let mut all = names.next()??;
        let limit = if all.file == 'r' { LANE } else { UNIFORM };
        if all.first >> 1 >= limit {
            return None;
        }
        for next in names {
            let next = next?;
            let step = if all.wide { 2 } else { 1 };
            let here = Registers::one(all.file, all.first + all.count * step, all.wide);
            if next != here {
                return None;
            }
            all.count += 1;
        }
        Some(all)
    }
}

/// One register.
fn single(name: &str) -> Option<Registers> {
    let file = name.chars().next()?.to_ascii_lowercase();
    if file != 'r' && file != 'u' {
        return None;
    }
    let number = &name[1..];
    let digits = number.trim_end_matches(|c: char| "lhLH".contains(c));
    if digits.is_empty() || digits.len() > 3 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let n: u64 = digits.parse().ok()?;
    Some(match &number[digits.len()..] {
        "" => Registers::one(file, 2 * n, true),
        "l" | "L" => Registers::one(file, 2 * n, false),
        "h" | "H" => Registers::one(file, 2 * n + 1, false),
        _ => return None,
    })
}
