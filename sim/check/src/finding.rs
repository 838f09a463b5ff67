//! What is wrong, in words and as JSON.

use crate::place::{Part, Thread};
use serde_json::{json, Value};
use std::fmt;

/// What kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Two accesses that no order binds, of which one writes.
    Race,
    /// A value that the program never wrote decides something.
    Undefined,
    /// An access outside every buffer or variable.
    OutOfBounds,
    /// Use of a null pointer.
    Null,
    /// An address that is not a multiple of the size.
    Misaligned,
    /// A barrier that only some threads of a block reach.
    BarrierDivergence,
}

impl Kind {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Race => "race",
            Kind::Undefined => "undefined",
            Kind::OutOfBounds => "out_of_bounds",
            Kind::Null => "null",
            Kind::Misaligned => "misaligned",
            Kind::BarrierDivergence => "barrier_divergence",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Race => "race",
            Kind::Undefined => "undefined",
            Kind::OutOfBounds => "out of bounds",
            Kind::Null => "null",
            Kind::Misaligned => "misaligned",
            Kind::BarrierDivergence => "barrier",
        })
    }
}

/// An instruction of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// Byte address.
    pub pc: u32,
    /// File and line of the source, where known.
    pub line: Option<(String, u32)>,
    /// The instruction, as the assembler writes it.
    pub text: String,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.line {
            write!(f, "{file}:{line}, ")?;
        }
        write!(f, "pc 0x{:04x}, {}", self.pc, self.text)
    }
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [bx, by]) = (self.thread, self.block);
        write!(f, "thread ({x}, {y}, {z}) of block ({bx}, {by})")
    }
}

/// Somebody who takes part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The instruction.
    pub at: At,
    /// What it does: `reads`, `writes`, `updates`.
    pub does: &'static str,
    /// The thread.
    pub thread: Thread,
}

/// A mistake, and where it was seen first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// Who; of a race the later one first.
    pub sides: Vec<Side>,
    /// Where in memory.
    pub part: Option<Part>,
    /// What there is to say beyond that.
    pub why: String,
    /// How often it was seen.
    pub count: u64,
}

impl Finding {
    /// A line for a reader, and one for each side.
    pub fn text(&self) -> String {
        let mut head = format!("{}: ", self.kind);
        match &self.part {
            Some(part) if self.why.is_empty() => head += &part.text(),
            Some(part) => head += &format!("{}, {}", part.text(), self.why),
            None => head += &self.why,
        }
        if self.count > 1 {
            head += &format!(" ({} times)", self.count);
        }
        for s in &self.sides {
            head += &format!("\n  {}: {} {}", s.at, s.thread, s.does);
        }
        head
    }

    /// As an object.
    pub fn json(&self) -> Value {
        let side = |s: &Side| {
            let mut o = json!({
                "pc": s.at.pc,
                "instruction": s.at.text,
                "does": s.does,
                "block": s.thread.block,
                "thread": s.thread.thread,
            });
            if let Some((file, line)) = &s.at.line {
                o["file"] = json!(file);
                o["line"] = json!(line);
            }
            o
        };
        let mut o = json!({
            "kind": self.kind.name(),
            "message": self.text().lines().next().unwrap_or_default(),
            "count": self.count,
            "sides": self.sides.iter().map(side).collect::<Vec<_>>(),
        });
        if let Some(p) = &self.part {
            o["memory"] = json!(match p.memory {
                warpsmith_model::watch::Shared::Block => "shared",
                warpsmith_model::watch::Shared::Global => "global",
            });
            o["address"] = json!(p.address);
            if let Some(name) = &p.name {
                o["name"] = json!(name);
                o["offset"] = json!(p.offset);
            }
        }
        o
    }
}

/// Instructions of the program that no warp executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unexecuted {
    /// How many.
    pub instructions: usize,
    /// Of how many.
    pub of: usize,
    /// Source lines of which no instruction was executed: file, lines ascending.
    pub lines: Vec<(String, Vec<u32>)>,
}

impl Unexecuted {
    /// A line for a reader; nothing where all were executed.
    pub fn text(&self) -> Option<String> {
        if self.instructions == 0 {
            return None;
        }
        let list = |(file, lines): &(String, Vec<u32>)| format!("{file}:{}", ranges(lines));
        let lines: Vec<String> = self.lines.iter().map(list).collect();
        let lines = if lines.is_empty() { String::new() } else { format!(", lines {}", lines.join(", ")) };
        Some(format!("never executed: {} of {} instructions{lines}", self.instructions, self.of))
    }

    /// As an object.
    pub fn json(&self) -> Value {
        let line = |(file, lines): &(String, Vec<u32>)| json!({ "file": file, "lines": lines });
        json!({
            "instructions": self.instructions,
            "of": self.of,
            "lines": self.lines.iter().map(line).collect::<Vec<_>>(),
        })
    }
}

/// `3, 5-8`.
fn ranges(lines: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for n in lines {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == *n => *last = *n,
            _ => parts.push((*n, *n)),
        }
    }
    let text = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(text).collect::<Vec<_>>().join(",")
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Mistakes, in the order they were seen.
    pub list: Vec<Finding>,
    /// What never ran.
    pub unexecuted: Unexecuted,
}

impl Findings {
    /// Lines for a reader.
    pub fn lines(&self) -> Vec<String> {
        let found = self.list.iter().map(|f| format!("check: {}", f.text()));
        let rest = self.unexecuted.text().map(|t| format!("check: {t}"));
        found.chain(rest).collect()
    }

    /// As an object.
    pub fn json(&self) -> Value {
        json!({
            "findings": self.list.iter().map(Finding::json).collect::<Vec<_>>(),
            "never_executed": self.unexecuted.json(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_lines_are_a_range() {
        assert_eq!(ranges(&[3, 5, 6, 7, 9]), "3,5-7,9");
        assert_eq!(ranges(&[]), "");
    }
}
