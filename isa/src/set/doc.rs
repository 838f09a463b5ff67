//! A table as pages: list, one mnemonic, all.

use super::form::{Evidence, Form, Operand, Status};
use super::{Field, InstructionSet};
use crate::Options;

/// A row for readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name of the form.
    pub name: &'static str,
    /// Mnemonic.
    pub mnemonic: &'static str,
    /// Shortest and longest encoding in bytes.
    pub bytes: (usize, usize),
    /// Fixed bits.
    pub mask: u128,
    /// Their values.
    pub match_: u128,
    /// Owner of each run of bits, from bit 0 up: (lowest bit, width, owner).
    pub layout: Vec<(u8, u8, String)>,
    /// Operands in assembler order.
    pub operands: Vec<String>,
    /// Meaning.
    pub sem: &'static str,
    /// What is known.
    pub status: Status,
    /// Origin of the encoding.
    pub evidence: Evidence,
    /// Remark, or "".
    pub note: &'static str,
}

impl Row {
    /// The row of a form.
    pub fn of<O: Operand>(f: &Form<O>) -> Row {
        let bytes = f.length.range();
        Row {
            name: f.name,
            mnemonic: f.mnemonic,
            bytes,
            mask: f.mask,
            match_: f.match_,
            layout: layout(f),
            operands: f.operands.iter().map(Operand::describe).collect(),
            sem: f.sem,
            status: f.status,
            evidence: f.evidence,
            note: f.note,
        }
    }

    fn length(&self) -> String {
        match self.bytes {
            (a, b) if a == b => a.to_string(),
            (a, b) => format!("{a}, {b}"),
        }
    }
}

/// The runs of equal owner, from bit 0 up.
fn layout<O: Operand>(f: &Form<O>) -> Vec<(u8, u8, String)> {
    let fields: Vec<Field> = f.all_fields();
    let owner = |bit: u8| {
        let b = 1u128 << bit;
        if f.length.mask() & b != 0 {
            return "length".to_string();
        }
        if f.mask & b != 0 {
            let ones = f.match_ & b != 0;
            return (if ones { "1" } else { "0" }).to_string();
        }
        let field = fields.iter().find(|field| field.mask() & b != 0);
        field.map_or("reserved".into(), |field| field.name.to_string())
    };
    runs_of(8 * f.length.range().1 as u8, owner)
}

/// The runs of bits with the same owner, from bit 0 up to `bits`: (lowest bit, width, owner).
pub fn runs_of(bits: u8, owner: impl Fn(u8) -> String) -> Vec<(u8, u8, String)> {
    let mut out: Vec<(u8, u8, String)> = Vec::new();
    for bit in 0..bits {
        let name = owner(bit);
        match out.last_mut() {
            Some(last) if last.2 == name => last.1 += 1,
            _ => out.push((bit, 1, name)),
        }
    }
    out
}

/// What this project has of the form `row`: `L1` is assembler and disassembler, `L2` a model that executes
/// it; with the reason where it does not.
pub fn level(set: &dyn InstructionSet, row: usize) -> (&'static str, Option<String>) {
    let Some(instr) = set.sample(row) else {
        return ("L1", None);
    };
    match set.lower(&instr, 0) {
        Ok(_) => ("L2", None),
        Err(reason) => ("L1", Some(reason.to_string())),
    }
}

/// The level of the form `row` where there are chips of the set: `L3` if one with every option executes it; with what
/// other chips lack of it, or of some of its instructions (`in_part`).
fn level_on_chip(
    set: &dyn InstructionSet, row: usize, in_part: Option<&'static str>,
) -> (&'static str, Option<String>) {
    let (level, reason) = level(set, row);
    let lacks = |options| {
        let sample = set.sample(row)?;
        let lowered = set.lower(&sample, 0).ok()?;
        Some(set.lacks(&sample, &lowered, options))
    };
    match (lacks(Options::ALL), lacks(Options::default())) {
        (Some(Some(reason)), _) => (level, Some(format!("traps on a chip: {reason}"))),
        (Some(None), Some(Some(reason))) => ("L3", Some(reason.into())),
        (Some(None), _) => ("L3", in_part.map(|reason| format!("in part: {reason}"))),
        (None, _) => (level, reason.map(|r| format!("traps: {r}"))),
    }
}

/// Why chips lack some instructions of a row: what they say of the sample with another value in a field, then with
/// others in all fields; chips with every option first.
fn lacking_in_part(set: &dyn InstructionSet, row: usize) -> Vec<&'static str> {
    /// Values of a field that are tried.
    const VALUES: u64 = 16;
    /// Combinations of values that are tried.
    const COMBINATIONS: usize = 512;
    let Some(sample) = set.sample(row) else { return vec![] };
    let plain = set.fields(&sample);
    let with = |changes: &[(usize, u64)]| {
        let mut fields = plain.clone();
        changes.iter().for_each(|(place, value)| fields.values[*place].1 = *value);
        set.encode(&fields).ok()
    };
    let places = 0..plain.values.len();
    let valid: Vec<Vec<u64>> =
        places.clone().map(|place| (0..VALUES).filter(|v| with(&[(place, *v)]).is_some()).collect()).collect();
    let mut tried: Vec<super::Instr> =
        places.flat_map(|place| valid[place].iter().filter_map(move |v| with(&[(place, *v)]))).collect();
    // The same on every machine: a linear congruential generator.
    let mut state = 0u64;
    for _ in 0..COMBINATIONS {
        let mut draw = |values: &Vec<u64>| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            values[(state >> 33) as usize % values.len()]
        };
        let some = valid.iter().enumerate().filter(|(_, values)| !values.is_empty());
        let changes: Vec<(usize, u64)> = some.map(|(place, values)| (place, draw(values))).collect();
        tried.extend(with(&changes));
    }
    let mut out: Vec<&str> = vec![];
    for options in [Options::ALL, Options::default()] {
        for instr in &tried {
            let lowered = set.lower(instr, 0).ok();
            let reason = lowered.and_then(|lowered| set.lacks(instr, &lowered, options));
            out.extend(reason.filter(|reason| !out.contains(reason)));
        }
    }
    out
}

/// All forms, one a line: name, level ([`level`], and `L3` where chips execute it), bytes, status, evidence, and why model
/// or chip do not execute it, or only some of its instructions, or the meaning.
pub fn list(set: &dyn InstructionSet) -> String {
    let mut o = format!("{:<18} {:<5} {:<6} {:<10} {:<12} meaning\n", "form", "level", "bytes", "status", "evidence");
    let rows = set.rows();
    let reasons: Vec<Vec<&str>> = (0..rows.len()).map(|n| lacking_in_part(set, n)).collect();
    for (n, r) in rows.iter().enumerate() {
        // What is said of the fewest rows tells most.
        let count = |reason: &&str| reasons.iter().filter(|of| of.contains(reason)).count();
        let in_part = reasons[n].iter().copied().min_by_key(count);
        let (level, traps) = level_on_chip(set, n, in_part);
        let meaning = traps.unwrap_or_else(|| r.sem.to_string());
        o.push_str(&format!(
            "{:<18} {level:<5} {:<6} {:<10} {:<12} {}\n",
            r.name,
            r.length(),
            status(r.status),
            evidence(r.evidence),
            shortened(&meaning)
        ));
    }
    o
}

/// The beginning of a meaning, so that a line of the list fits a wide terminal; the page has all of it.
fn shortened(text: &str) -> String {
    const LETTERS: usize = 64;
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_string(),
    }
}

/// Rows whose mnemonic or name is `name`, in upper or lower case; where there is none, those with widths
/// behind it (`fadd` stands for `fadd16` and `fadd32`, `mov` for `mov_imm16`), then those of the name
/// without its last modifier.
pub fn rows_of(set: &dyn InstructionSet, name: &str) -> Vec<Row> {
    let all = set.rows();
    let wide = |s: &str| {
        let rest = s.get(name.len()..).unwrap_or_default();
        let rest = rest.strip_prefix("_imm").unwrap_or(rest);
        let starts = s.get(..name.len()).is_some_and(|s| s.eq_ignore_ascii_case(name));
        starts && matches!(rest, "16" | "32")
    };
    let find = |is: &dyn Fn(&str) -> bool| -> Vec<Row> {
        let found = all.iter().filter(|r| is(r.mnemonic) || is(r.name));
        found.cloned().collect()
    };
    let rows = find(&|s| s.eq_ignore_ascii_case(name));
    let rows = if rows.is_empty() { find(&wide) } else { rows };
    match name.rsplit_once('.') {
        Some((base, _)) if rows.is_empty() => rows_of(set, base),
        _ => rows,
    }
}

/// The mnemonic that a misspelt one was meant to be: one letter in three may be wrong.
pub fn suggest(set: &dyn InstructionSet, name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let near = set.rows().into_iter().map(|r| {
        let lower = r.mnemonic.to_ascii_lowercase();
        (strsim::damerau_levenshtein(&lower, &name), r.mnemonic)
    });
    let (distance, mnemonic) = near.min()?;
    (distance <= name.len().div_ceil(3)).then_some(mnemonic)
}

/// Everything about a row.
pub fn page(r: &Row) -> String {
    let mut o = format!("{} ({} bytes)\n  {}\n", r.name, r.length(), r.sem);
    o.push_str(&format!("  mask  {:#x}\n  match {:#x}\n", r.mask, r.match_));
    o.push_str("  bits\n");
    for (low, width, name) in &r.layout {
        let place = match width {
            1 => low.to_string(),
            w => format!("{}:{low}", low + w - 1),
        };
        o.push_str(&format!("    {place:>7}  {name}\n"));
    }
    let operands = match r.operands.is_empty() {
        true => "none".to_string(),
        false => r.operands.join(", "),
    };
    o.push_str(&format!("  operands  {operands}\n"));
    let (status, evidence) = (status(r.status), evidence(r.evidence));
    o.push_str(&format!("  status    {status}; encoding: {evidence}\n"));
    if !r.note.is_empty() {
        o.push_str(&format!("  note      {}\n", r.note));
    }
    o
}

/// The whole table as one Markdown page.
pub fn markdown(set: &dyn InstructionSet) -> String {
    let mut o = format!("# {}\n\nGenerated from the table. ", set.title());
    o.push_str("Bit 0 is the lowest bit of the first byte.\n");
    for r in set.rows() {
        o.push_str(&format!("\n## {}\n\n```text\n{}```\n", r.name, page(&r)));
    }
    o
}

/// Name of a status in pages.
fn status(s: Status) -> &'static str {
    match s {
        Status::Specified => "specified",
        Status::Decided => "decided",
        Status::Todo => "open",
        Status::Excluded => "traps",
        Status::Unknown => "unknown",
    }
}

/// Name of an origin in pages.
fn evidence(e: Evidence) -> &'static str {
    match e {
        Evidence::Seed => "seed",
        Evidence::SeedPublic => "seed+public",
        Evidence::Public => "public",
        Evidence::Decided => "decided",
    }
}
