//! Reading a campaign file: every mistake is an error that names file, line and what was expected.

use super::digest::table_digest;
use super::{Campaign, Collapsed, Header, Row, COLUMNS, FIRST, KEYS};
use crate::error::FaultError;
use crate::fault::{Fault, Kind};
use crate::site::{SiteKind, Sites};
use csv::StringRecord;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

impl Header {
    /// Reads the comment lines of a campaign file.
    ///
    /// # Errors
    /// [`FaultError::File`] naming the line.
    pub fn read(path: &Path) -> Result<Self, FaultError> {
        Ok(Top::of(path, &text(path)?)?.header)
    }

    /// Refuses a chip or a launch that is not the one the faults were drawn for. Digests the file
    /// does not give are not checked.
    ///
    /// # Errors
    /// [`FaultError::File`] naming the line of the digest.
    pub fn check(&self, path: &Path, chip: &str, program: &str) -> Result<(), FaultError> {
        let changed = |key: &str, what: &str| {
            let lines = text(path).ok();
            let line = lines.and_then(|t| {
                let start = format!("# {key} =");
                t.lines().position(|l| l.starts_with(&start))
            });
            FaultError::File {
                path: path.to_path_buf(),
                line: line.map(|l| l + 1),
                what: what.to_string(),
            }
        };
        if !self.chip.is_empty() && self.chip != chip {
            return Err(changed("chip", "the chip has changed since the faults were drawn, so they may mean other bits now: draw again with `warpsmith fault plan`, or go back to the version that drew them"));
        }
        if !self.program.is_empty() && self.program != program {
            return Err(changed("program", "the launch has changed since the faults were drawn: draw again with `warpsmith fault plan`, or restore its files"));
        }
        Ok(())
    }
}

impl Campaign {
    /// Reads a campaign file for a chip with these sites.
    ///
    /// # Errors
    /// [`FaultError::File`] naming the line: a mistake in the header or a row, no rows, or rows that
    /// were edited after the draw.
    pub fn read(path: &Path, sites: &Sites) -> Result<Self, FaultError> {
        Self::parse(path, &text(path)?, sites)
    }

    /// [`read`](Self::read) on text already read.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn parse(path: &Path, text: &str, sites: &Sites) -> Result<Self, FaultError> {
        let top = Top::of(path, text)?;
        let table = &text[top.table..];
        let rows = Table {
            path,
            table,
            first_line: top.table_line,
        }
        .rows(sites, top.header.cycles)?;
        let header = top.header;
        if !header.rows.is_empty() && header.rows != table_digest(counted(table)) {
            return Err(FaultError::line(path, top.rows_line, "the rows are not those this digest was made of: the file was edited after the draw. Draw again with `warpsmith fault plan`, or delete this line to run it as a hand-made list"));
        }
        for (c, line) in header.collapsed.iter().zip(top.collapsed_lines) {
            if rows.binary_search_by_key(&c.row, |r| r.row).is_err() {
                return Err(FaultError::line(
                    path,
                    line,
                    format!("there is no row {}", c.row),
                ));
            }
        }
        Ok(Campaign { header, rows })
    }
}

fn text(path: &Path) -> Result<String, FaultError> {
    let bytes = std::fs::read(path).map_err(|e| {
        FaultError::file(
            path,
            format!("cannot be read ({e}); `warpsmith fault plan` writes campaign files"),
        )
    })?;
    String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|b| **b == b'\n').count();
        FaultError::line(path, line, "text is needed here, this is no UTF-8")
    })
}

/// The lines of a table that are neither blank nor comments.
fn counted(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|l| !passed_over(l))
}

fn passed_over(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n']).is_empty() || line.starts_with('#')
}

/// The comment lines of a file.
struct Top {
    header: Header,
    /// Byte at which the table begins, and its line.
    table: usize,
    table_line: usize,
    rows_line: usize,
    collapsed_lines: Vec<usize>,
}

impl Top {
    fn of(path: &Path, text: &str) -> Result<Self, FaultError> {
        let mut top = Top {
            header: Header::default(),
            table: 0,
            table_line: 1,
            rows_line: 0,
            collapsed_lines: vec![],
        };
        let first = text.lines().next().unwrap_or_default().trim_end();
        if first != FIRST {
            return Err(FaultError::line(
                path,
                1,
                format!("a campaign file begins with the line `{FIRST}`, found {first:?}"),
            ));
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for line in text.split_inclusive('\n') {
            if !passed_over(line) {
                break;
            }
            let number = top.table_line;
            top.table_line += 1;
            top.table += line.len();
            let Some((key, value)) = assignment(line) else {
                continue;
            };
            let wrong = |what: String| FaultError::line(path, number, what);
            let Some(key) = KEYS.into_iter().find(|k| *k == key) else {
                return Err(wrong(format!(
                    "no key `{key}` in a campaign file; there are {}",
                    KEYS.join(", ")
                )));
            };
            if !matches!(key, "set" | "collapsed") {
                if let Some(before) = seen.insert(key, number) {
                    return Err(wrong(format!("`{key}` is given in line {before} already")));
                }
            }
            top.take(key, value, number).map_err(wrong)?;
        }
        for (key, missing, what) in [
            (
                "config",
                top.header.config.is_empty(),
                "the chip, such as `# config = tiny`",
            ),
            (
                "launch",
                top.header.launch == PathBuf::new(),
                "the launch file, such as `# launch = launch.toml`",
            ),
        ] {
            if missing {
                return Err(FaultError::line(
                    path,
                    1,
                    format!("`{key}` is missing: add {what}"),
                ));
            }
        }
        Ok(top)
    }

    /// Takes over one `key = value`.
    fn take(&mut self, key: &str, value: &str, line: usize) -> Result<(), String> {
        let h = &mut self.header;
        let owned = value.to_string();
        match key {
            "config" => h.config = owned,
            "set" if value.contains('=') => h.set.push(owned),
            "set" => return Err(format!("`set` is `KEY=VALUE`, found {value:?}")),
            "chip" => h.chip = digest(key, value)?,
            "launch" => h.launch = owned.into(),
            "program" => h.program = digest(key, value)?,
            "power_on" => h.power_on = number(key, value)?,
            "cycles" => h.cycles = number(key, value)?,
            "plan" => h.plan = owned,
            "seed" => h.seed = number(key, value)?,
            "population" => h.population = number(key, value)?,
            "collapsed" => {
                h.collapsed.push(collapsed(value).ok_or_else(|| {
                    format!("`collapsed` is `RULE: row N stands for M faults`, found {value:?}")
                })?);
                self.collapsed_lines.push(line);
            }
            _ => {
                h.rows = digest(key, value)?;
                self.rows_line = line;
            }
        }
        Ok(())
    }
}

/// `# key = value` with a key of one word; other comments mean nothing.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.strip_prefix('#')?.split_once('=')?;
    let key = key.trim();
    let word = |c: char| c.is_ascii_lowercase() || c == '_';
    (!key.is_empty() && key.chars().all(word)).then_some((key, value.trim()))
}

fn digest(key: &str, value: &str) -> Result<String, String> {
    let good = value.len() == 64
        && value
            .bytes()
            .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    good.then(|| value.to_string()).ok_or_else(|| {
        format!("`{key}` is a SHA-256 of 64 digits 0-9a-f, found {value:?}; delete the line to leave it unchecked")
    })
}

fn collapsed(value: &str) -> Option<Collapsed> {
    let (rule, rest) = value.split_once(": row ")?;
    let (row, faults) = rest.strip_suffix(" faults")?.split_once(" stands for ")?;
    Some(Collapsed {
        rule: rule.to_string(),
        row: row.parse().ok()?,
        faults: faults.parse().ok()?,
    })
}

/// The CSV part of a file.
struct Table<'a> {
    path: &'a Path,
    table: &'a str,
    /// Line of the file at which it begins.
    first_line: usize,
}

impl Table<'_> {
    /// All rows, ascending. `cycles`: length of the fault-free run, 0 if not known.
    fn rows(&self, sites: &Sites, cycles: u64) -> Result<Vec<Row>, FaultError> {
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
            let more = reader
                .read_record(record)
                .map_err(|e| self.wrong(at, format!("is no CSV ({e})")))?;
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
            let row = columns
                .row(&record, number, sites, cycles)
                .map_err(|e| self.wrong(at, e))?;
            number = row.row.saturating_add(1);
            sorted &= rows.last().is_none_or(|r| r.row < row.row);
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(self.wrong(
                head_at,
                "there are no rows after this line: a campaign needs at least one fault".into(),
            ));
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
        Ok(Columns {
            place,
            count: names.len(),
        })
    }

    /// A cell; empty when the column is not there.
    fn cell<'r>(&self, record: &'r StringRecord, column: usize) -> &'r str {
        self.place[column].and_then(|i| record.get(i)).unwrap_or("")
    }

    fn row(
        &self,
        record: &StringRecord,
        counted: u64,
        sites: &Sites,
        cycles: u64,
    ) -> Result<Row, String> {
        if record.len() != self.count {
            return Err(format!(
                "expected {} cells, as there are columns, found {}",
                self.count,
                record.len()
            ));
        }
        let [row, site, word, bit, cycle, kind, duration, period, active, weight] =
            std::array::from_fn(|c| self.cell(record, c));
        let kind: Kind = kind.parse()?;
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
            "" if !kind.is_stuck() => {
                return Err(format!(
                    "`cycle` is missing: from when on does the {kind} act?"
                ))
            }
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
        Ok(Row {
            row: or(counted, "row", row)?,
            fault,
            weight,
        })
    }
}

/// Bits of a word, `3` or `3+4+5`, ascending.
fn bits(text: &str) -> Result<Vec<u32>, String> {
    let mut bits = text
        .split('+')
        .map(|b| {
            b.trim().parse().map_err(|_| {
                format!("`bit` is a bit such as 3, or several such as 3+4+5, found {text:?}")
            })
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
        return Err(format!("`{}` is an output of a block: it stores nothing and cannot be upset; use transient or stuck-at", site.path));
    }
    if fault.word >= site.depth {
        return Err(format!(
            "word {} is out of range: `{}` has words 0 to {}",
            fault.word,
            site.path,
            site.depth - 1
        ));
    }
    let top = fault.bits[fault.bits.len() - 1];
    if top >= site.width {
        return Err(format!(
            "bit {top} is out of range: `{}` has bits 0 to {}",
            site.path,
            site.width - 1
        ));
    }
    match (fault.kind, fault.bits.len()) {
        (Kind::Seu, 2..) => Err("a seu has one bit; several are an mbu".into()),
        (Kind::Mbu, 1) => Err("an mbu has several bits, such as 3+4; one is a seu".into()),
        _ => Ok(()),
    }
}

/// Sets the times a kind has; the others must be empty.
fn times(fault: &mut Fault, duration: &str, period: &str, active: &str) -> Result<(), String> {
    let kind = fault.kind;
    let none = |key: &str, text: &str| match text {
        "" => Ok(()),
        _ => Err(format!(
            "`{key}` must be empty, {kind} has none; found {text:?}"
        )),
    };
    match kind {
        Kind::Transient => {
            none("period", period)?;
            none("active", active)?;
            fault.duration = or(0, "duration", duration)?;
            if fault.duration == 0 {
                return Err("`duration` of a transient is 1 or more cycles".into());
            }
        }
        Kind::Intermittent0 | Kind::Intermittent1 => {
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
        _ => {
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

fn number<T: FromStr>(key: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("`{key}` is a number from 0 up, found {text:?}"))
}
