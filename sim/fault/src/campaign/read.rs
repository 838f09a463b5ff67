//! Reading a campaign file: every mistake is an error that names file, line and the expected value.

use super::digest::table_digest;
use super::rows::{number, passed_over, Table};
use super::types::{Campaign, Collapsed, Header, DEF_USE, FIRST, KEYS};
use crate::error::FaultError;
use crate::site::Sites;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use warpsmith_cache::input;

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
            FaultError::File { path: path.to_path_buf(), line: line.map(|l| l + 1), what: what.to_string() }
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
        let rows = Table { path, table, first_line: top.table_line }.rows(sites, top.header.cycles)?;
        let header = top.header;
        if !header.rows.is_empty() && header.rows != table_digest(counted(table)) {
            return Err(FaultError::line(path, top.rows_line, "the rows are not those this digest was made of: the file was edited after the draw. Draw again with `warpsmith fault plan`, or delete this line to run it as a hand-made list"));
        }
        for (c, line) in header.collapsed.iter().zip(top.collapsed_lines) {
            if rows.binary_search_by_key(&c.row, |r| r.row).is_err() {
                return Err(FaultError::line(path, line, format!("there is no row {}", c.row)));
            }
        }
        Ok(Campaign { header, rows })
    }
}

/// Most bytes of a campaign file: a hundred million faults.
const MOST: u64 = 8 << 30;

fn text(path: &Path) -> Result<String, FaultError> {
    let bytes = input::read(path, MOST).map_err(|e| {
        FaultError::file(path, format!("cannot be read ({e}); `warpsmith fault plan` writes campaign files"))
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
        let mut top = Top { header: Header::default(), table: 0, table_line: 1, rows_line: 0, collapsed_lines: vec![] };
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
            let Some((key, value)) = assignment(line) else { continue };
            let wrong = |what: String| FaultError::line(path, number, what);
            let Some(key) = KEYS.into_iter().find(|k| *k == key) else {
                return Err(wrong(format!("no key `{key}` in a campaign file; there are {}", KEYS.join(", "))));
            };
            if !matches!(key, "set" | "collapsed") {
                if let Some(before) = seen.insert(key, number) {
                    return Err(wrong(format!("`{key}` is given in line {before} already")));
                }
            }
            top.take(key, value, number).map_err(wrong)?;
        }
        for (key, missing, what) in [
            ("config", top.header.config.is_empty(), "the chip, such as `# config = tiny`"),
            ("launch", top.header.launch == PathBuf::new(), "the launch file, such as `# launch = launch.toml`"),
        ] {
            if missing {
                return Err(FaultError::line(path, 1, format!("`{key}` is missing: add {what}")));
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
            "pruned" if value == DEF_USE => h.pruned = true,
            "pruned" => return Err(format!("`pruned` is `{DEF_USE}`, found {value:?}")),
            "collapsed" => {
                h.collapsed.push(
                    collapsed(value)
                        .ok_or_else(|| format!("`collapsed` is `RULE: row N stands for M faults`, found {value:?}"))?,
                );
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
    let good = value.len() == 64 && value.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    good.then(|| value.to_string()).ok_or_else(|| {
        format!("`{key}` is a SHA-256 of 64 digits 0-9a-f, found {value:?}; delete the line to leave it unchecked")
    })
}

fn collapsed(value: &str) -> Option<Collapsed> {
    let (rule, rest) = value.split_once(": row ")?;
    let (row, faults) = rest.strip_suffix(" faults")?.split_once(" stands for ")?;
    Some(Collapsed { rule: rule.to_string(), row: row.parse().ok()?, faults: faults.parse().ok()? })
}
