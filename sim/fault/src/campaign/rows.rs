//! Rows of a campaign file: the CSV table.

use super::types::{Row, COLUMNS};
use crate::error::FaultError;
use crate::fault::{Fault, FaultKind, Times};
use crate::site::{SiteKind, Sites};
use csv::StringRecord;
use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;

/// The CSV part of a file.
pub(super) struct Table<'a> {
    /// File, for messages.
    pub path: &'a Path,
    /// Text.
    pub table: &'a str,
    /// Line of the file at which it begins.
    pub first_line: usize,
}

impl Table<'_> {
    /// All rows, ascending. `cycles`: length of the fault-free run, 0 if not known.
    pub fn rows(&self, sites: &Sites, cycles: u64) -> Result<Vec<Row>, FaultError> {
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .has_headers(false)
            .trim(csv::Trim::All)
            .flexible(true)
            .from_reader(self.table.as_bytes());
        let mut record = StringRecord::new();
        let mut at = 0;
        let mut next = |record: &mut StringRecord| {
            at = reader.position().byte() as usize;
            let more = reader.read_record(record).map_err(|e| self.wrong(at, format!("is no CSV ({e})")))?;
            Ok::<_, FaultError>((more, at))
        };
        let (_, head_at) = next(&mut record)?;
        let columns = Columns::of(&record).map_err(|e| self.wrong(head_at, e))?;
        let mut rows: Vec<Row> = vec![];
        let mut sorted = true;
        let mut number = 0;
        loop {
            let (more, at) = next(&mut record)?;
            if !more {
                break;
            }
            let row = columns.row(&record, number, sites, cycles).map_err(|e| self.wrong(at, e))?;
            number = row.row.saturating_add(1);
            sorted &= rows.last().is_none_or(|r| r.row < row.row);
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(
                self.wrong(head_at, "there are no rows after this line: a campaign needs at least one fault".into())
            );
        }
        if !sorted {
            self.sort(&mut rows)?;
        }
        Ok(rows)
    }

    /// Orders the rows of a hand-made list by number; no number may be given twice.
    fn sort(&self, rows: &mut [Row]) -> Result<(), FaultError> {
        let mut seen = HashMap::new();
        for (i, r) in rows.iter().enumerate() {
            if let Some(before) = seen.insert(r.row, i) {
                // The lines that count are the column names and the rows.
                let line = |i: usize| {
                    let mut lines = self.table.lines().enumerate().filter(|l| !passed_over(l.1));
                    lines.nth(1 + i).map_or(0, |l| l.0) + self.first_line
                };
                return Err(FaultError::line(
                    self.path,
                    line(i),
                    format!("row {} is in line {} already", r.row, line(before)),
                ));
            }
        }
        rows.sort_unstable_by_key(|r| r.row);
        Ok(())
    }

    /// An error in the record that follows byte `at`.
    fn wrong(&self, at: usize, what: String) -> FaultError {
        // Blank lines and comments before the record are passed over.
        let (before, rest) = self.table.split_at(at.min(self.table.len()));
        let skipped = rest.lines().take_while(|l| passed_over(l)).count();
        let line = self.first_line + before.matches('\n').count() + skipped;
        FaultError::line(self.path, line, what)
    }
}

/// Where the columns are in this file.
struct Columns {
    place: [Option<usize>; COLUMNS.len()],
    count: usize,
}

impl Columns {
    fn of(names: &StringRecord) -> Result<Self, String> {
        let mut place = [None; COLUMNS.len()];
        for (i, name) in names.iter().enumerate() {
            let Some(c) = COLUMNS.iter().position(|c| *c == name) else {
                return Err(format!(
                    "expected a line of column names, found {name:?}; there are {}",
                    COLUMNS.join(", ")
                ));
            };
            if place[c].replace(i).is_some() {
                return Err(format!("the column `{name}` is there twice"));
            }
        }
        for needed in ["site", "bit", "kind"] {
            let c = COLUMNS.iter().position(|c| *c == needed);
            if c.is_none_or(|c| place[c].is_none()) {
                return Err(format!(
                    "the column `{needed}` is missing; site, bit and kind are needed, {} are all",
                    COLUMNS.join(", ")
                ));
            }
        }
        Ok(Columns { place, count: names.len() })
    }

    /// A cell; empty when the column is not there.
    fn cell<'r>(&self, record: &'r StringRecord, column: usize) -> &'r str {
        self.place[column].and_then(|i| record.get(i)).unwrap_or("")
    }

    fn row(&self, record: &StringRecord, counted: u64, sites: &Sites, cycles: u64) -> Result<Row, String> {
        if record.len() != self.count {
            return Err(format!("expected {} cells, as there are columns, found {}", self.count, record.len()));
        }
        let [row, site, word, bit, cycle, kind, duration, period, active, weight] =
            std::array::from_fn(|c| self.cell(record, c));
        let kind: FaultKind = kind.parse()?;
        let site = sites.find(site).map_err(|e| e.to_string())?;
        let mut fault = Fault {
            site,
            word: or(0, "word", word)?,
            bits: bits(bit)?,
            cycle: 0,
            kind,
            duration: 0,
            period: 0,
            active: 0,
        };
        place(&fault, sites)?;
        fault.cycle = match cycle {
            "" if !kind.is_stuck() => return Err(format!("`cycle` is missing: from when on does the {kind} act?")),
            text => or(0, "cycle", text)?,
        };
        if cycles > 0 && fault.cycle >= cycles {
            return Err(format!(
                "cycle {} is past the end: the fault-free run has cycles 0 to {}",
                fault.cycle,
                cycles - 1
            ));
        }
        times(&mut fault, duration, period, active)?;
        let weight: f64 = or(1.0, "weight", weight)?;
        if !(weight.is_finite() && weight > 0.0) {
            return Err(format!("`weight` is a number above 0, found {weight}"));
        }
        Ok(Row { row: or(counted, "row", row)?, fault, weight })
    }
}

/// Bits of a word, `3` or `3+4+5`, ascending.
fn bits(text: &str) -> Result<Vec<u32>, String> {
    let mut bits = text
        .split('+')
        .map(|b| {
            b.trim().parse().map_err(|_| format!("`bit` is a bit such as 3, or several such as 3+4+5, found {text:?}"))
        })
        .collect::<Result<Vec<u32>, String>>()?;
    bits.sort_unstable();
    match bits.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(format!("bit {} is there twice", twice[0])),
        None => Ok(bits),
    }
}

/// Whether the fault's place exists and can hold its kind.
fn place(fault: &Fault, sites: &Sites) -> Result<(), String> {
    let site = sites.site(fault.site);
    if fault.kind.is_upset() && site.kind == SiteKind::Out {
        return Err(format!(
            "`{}` is an output of a block: it stores nothing and cannot be upset; use transient or stuck-at",
            site.path
        ));
    }
    if fault.word >= site.depth {
        return Err(format!(
            "word {} is out of range: `{}` has words 0 to {}",
            fault.word,
            site.path,
            site.depth.saturating_sub(1)
        ));
    }
    let top = fault.bits[fault.bits.len() - 1];
    if top >= site.width {
        return Err(format!(
            "bit {top} is out of range: `{}` has bits 0 to {}",
            site.path,
            site.width.saturating_sub(1)
        ));
    }
    match (fault.kind, fault.bits.len()) {
        (FaultKind::Seu, 2..) => Err("a seu has one bit; several are an mbu".into()),
        (FaultKind::Mbu, 1) => Err("an mbu has several bits, such as 3+4; one is a seu".into()),
        _ => Ok(()),
    }
}

/// Sets the times a kind has; the others must be empty.
fn times(fault: &mut Fault, duration: &str, period: &str, active: &str) -> Result<(), String> {
    let kind = fault.kind;
    let none = |key: &str, text: &str| match text {
        "" => Ok(()),
        _ => Err(format!("`{key}` must be empty, {kind} has none; found {text:?}")),
    };
    match kind.times() {
        Times::Duration => {
            none("period", period)?;
            none("active", active)?;
            fault.duration = or(0, "duration", duration)?;
            if fault.duration == 0 {
                return Err("`duration` of a transient is 1 or more cycles".into());
            }
        }
        Times::Bursts => {
            fault.duration = or(0, "duration", duration)?;
            fault.period = or(0, "period", period)?;
            fault.active = or(0, "active", active)?;
            if fault.period == 0 {
                return Err("`period` of an intermittent fault is 1 or more cycles".into());
            }
            if fault.active == 0 || fault.active > fault.period {
                return Err(format!(
                    "`active` of an intermittent fault is 1 to its period of {} cycles, found {}",
                    fault.period, fault.active
                ));
            }
        }
        Times::Once | Times::Always => {
            none("duration", duration)?;
            none("period", period)?;
            none("active", active)?;
        }
    }
    Ok(())
}

/// A cell's value, or what an empty cell means.
fn or<T: FromStr>(empty: T, key: &str, text: &str) -> Result<T, String> {
    match text {
        "" => Ok(empty),
        _ => number(key, text),
    }
}

/// Whether a line of the file holds nothing.
pub(super) fn passed_over(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n']).is_empty() || line.starts_with('#')
}

/// A number by its key.
pub(super) fn number<T: FromStr>(key: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{key}` is a number from 0 up, found {text:?}"))
}
