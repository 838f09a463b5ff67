//! One task: some rows of a campaign into a file of their own; and the lists of rows it is given.

use crate::campaign::Row;
use crate::error::FaultError;
use crate::record::Record;
use crate::run::{self, Progress, Work};
use crate::store::{Meta, Store};
use std::fs;
use std::ops::Range;
use std::path::Path;
use warpsmith_cache::whole;

/// Runs the rows of `work` into the database `path`, which appears when it is complete. Does nothing
/// when it is there already, so that a task may run twice.
///
/// # Errors
/// The control run failed, a simulator did, or the file cannot be written.
pub fn part(
    work: &Work, control: Result<Record, FaultError>, meta: &Meta, path: &Path, progress: &mut dyn FnMut(&Progress),
) -> Result<Progress, FaultError> {
    let control = control?;
    if path.exists() {
        let there = Store::open_read(path)?;
        let done = there.done()?;
        if there.meta() == meta && work.rows.iter().all(|r| done.contains(&r.row)) {
            return Progress::begin(work.rows, &there);
        }
        return Err(FaultError::file(
            path,
            "is there already and holds something else; name another file with --results",
        ));
    }
    let mut own = path.as_os_str().to_owned();
    let job = std::env::var("SLURM_JOB_ID").unwrap_or_default();
    own.push(format!(".{job}.{}.part", std::process::id()));
    let own = Path::new(&own);
    // Left over from a task of this number that was killed.
    let _ = fs::remove_file(own);
    let result = Store::open_private(own, meta).and_then(|mut store| {
        let ran = run::run(work, Ok(control), &mut store, progress)?;
        store.finish()?;
        fs::rename(own, path).map_err(|e| FaultError::file(path, e))?;
        Ok(ran)
    });
    result.inspect_err(|_| drop(fs::remove_file(own)))
}

/// The rows that `--rows` names: `FROM-TO` (TO is the first left out), several joined by commas, or
/// `@FILE` that holds such lines.
///
/// # Errors
/// No such list, or a row that the campaign has not.
pub fn select(rows: &[Row], text: &str) -> Result<Vec<Row>, FaultError> {
    let ranges = match text.strip_prefix('@') {
        Some(path) => read_ranges(Path::new(path))?,
        None => parse(text).map_err(|what| FaultError::Ask(format!("--rows {text}: {what}")))?,
    };
    ranges
        .into_iter()
        .flatten()
        .map(|n| {
            let at = rows.binary_search_by_key(&n, |r| r.row);
            at.map(|i| rows[i].clone()).map_err(|_| {
                FaultError::Ask(format!(
                    "--rows {text}: the campaign has no row {n}, it has {} rows from 0",
                    rows.len()
                ))
            })
        })
        .collect()
}

fn parse(text: &str) -> Result<Vec<Range<u64>>, String> {
    let mut ranges = vec![];
    for range in text.split(&[',', '\n']).filter(|r| !r.trim().is_empty()) {
        let ends = range
            .trim()
            .split_once('-')
            .and_then(|(a, b)| Some((a.parse::<u64>().ok()?, b.parse::<u64>().ok()?)))
            .filter(|(a, b)| a < b);
        let Some((from, to)) = ends else {
            return Err(format!(
                "`{}` is no range; expected FROM-TO, TO the first row left out, such as 0-100",
                range.trim()
            ));
        };
        ranges.push(from..to);
    }
    Ok(ranges)
}

/// The numbers in a file of ranges.
pub fn read_list(path: &Path) -> Result<Vec<u64>, FaultError> {
    Ok(read_ranges(path)?.into_iter().flatten().collect())
}

fn read_ranges(path: &Path) -> Result<Vec<Range<u64>>, FaultError> {
    let text = fs::read_to_string(path).map_err(|e| FaultError::file(path, e))?;
    parse(&text).map_err(|what| FaultError::file(path, what))
}

/// Writes one.
pub fn write_list(path: &Path, rows: &[u64]) -> Result<(), FaultError> {
    replace(path, &(ranges(rows, 0).replace(',', "\n") + "\n"))
}

/// Ascending numbers as ranges `FROM-TO` joined by commas; `inclusive` 1: TO is the last, and a range
/// of one number is that number, as Slurm wants them; 0: TO is the first left out.
pub fn ranges(numbers: &[u64], inclusive: u64) -> String {
    let mut found: Vec<(u64, u64)> = vec![];
    for &n in numbers {
        match found.last_mut() {
            Some((_, to)) if *to == n => *to += 1,
            _ => found.push((n, n + 1)),
        }
    }
    let texts: Vec<String> = found
        .iter()
        .map(|(from, to)| match inclusive {
            1 if from + 1 == *to => from.to_string(),
            _ => format!("{from}-{}", to - inclusive),
        })
        .collect();
    texts.join(",")
}

/// Writes a file whole.
pub fn replace(path: &Path, text: &str) -> Result<(), FaultError> {
    whole::write(path, text).map_err(|e| FaultError::file(path, e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, FaultKind};

    #[test]
    fn lists_of_rows_are_read_back() {
        for rows in [vec![], vec![7], vec![0, 1, 2, 5, 6, 9]] {
            let read: Vec<u64> = parse(&ranges(&rows, 0)).unwrap().into_iter().flatten().collect();
            assert_eq!(read, rows);
        }
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8], 1), "0-2,5,7-8");
    }

    #[test]
    fn bad_lists_of_rows_say_what_was_expected() {
        let rows: Vec<Row> = (0..10)
            .map(|row| Row { row, fault: Fault::simple(0, 0, vec![0], row, FaultKind::Seu), weight: 1.0 })
            .collect();
        assert_eq!(select(&rows, "2-4,9-10").unwrap().len(), 3);
        for text in ["5", "5-5", "6-5", "a-b", "-", "1-2-3"] {
            let e = select(&rows, text).unwrap_err().to_string();
            assert!(e.contains("FROM-TO"), "{text}: {e}");
        }
        let e = select(&rows, "8-12").unwrap_err().to_string();
        assert!(e.contains("no row 10"), "{e}");
        assert!(select(&rows, "0-18446744073709551615").is_err());
        assert!(select(&rows, "@no such file").is_err());
    }
}
