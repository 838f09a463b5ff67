//! Columns of a result and of the fault it is of.

use crate::campaign::Row;
use crate::engine::RanOn;
use crate::record::Record;
use crate::site::Sites;
use rusqlite::types::{Type, Value};
use std::fmt::Display;
use std::str::FromStr;

/// Columns of a [`Record`], in the order of [`values`].
pub const RECORD: [(&str, &str); 15] = [
    ("outcome", "TEXT NOT NULL"),
    ("how", "TEXT"),
    ("cause", "INTEGER"),
    ("cycles", "INTEGER NOT NULL"),
    ("activated", "INTEGER"),
    ("converged", "INTEGER"),
    ("spread_cycle", "INTEGER"),
    ("spread_site", "INTEGER"),
    ("wrong_words", "INTEGER NOT NULL"),
    ("wrong_bits", "INTEGER NOT NULL"),
    ("first_wrong", "INTEGER"),
    ("pattern", "TEXT"),
    ("relative_error", "REAL"),
    ("words_outside", "INTEGER NOT NULL"),
    ("simulated", "INTEGER NOT NULL"),
];

/// Columns before them in `result`, in the order of [`fault`].
pub const FAULT: [&str; 11] =
    ["row", "site", "word", "bits", "cycle", "kind", "duration", "period", "active", "spread_path", "engine"];

/// Statement that inserts a record behind other columns.
pub fn insert(table: &str, before: &[&str]) -> String {
    let names: Vec<&str> = before.iter().copied().chain(RECORD.iter().map(|c| c.0)).collect();
    let marks = vec!["?"; names.len()].join(", ");
    format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "))
}

fn number(n: u64) -> Value {
    // Cycles and counts are far below; a larger one is stored as the largest.
    Value::Integer(i64::try_from(n).unwrap_or(i64::MAX))
}

fn name(n: impl Display) -> Value {
    Value::Text(n.to_string())
}

fn maybe<T>(x: Option<T>, f: impl FnOnce(T) -> Value) -> Value {
    x.map_or(Value::Null, f)
}

/// A record as values.
pub fn values(r: &Record) -> [Value; 15] {
    [
        name(r.outcome),
        maybe(r.how, name),
        maybe(r.cause, |c| number(c.into())),
        number(r.cycles),
        maybe(r.activated, number),
        maybe(r.converged, number),
        maybe(r.spread, |s| number(s.0)),
        maybe(r.spread, |s| number(s.1 as u64)),
        number(r.wrong_words),
        number(r.wrong_bits),
        maybe(r.first_wrong, |a| number(a.into())),
        maybe(r.pattern, name),
        maybe(r.relative_error, Value::Real),
        number(r.words_outside),
        number(r.simulated),
    ]
}

/// The fault of a row as values, the name of the site it spread to, and the engine that ran it.
pub fn fault(row: &Row, record: &Record, sites: &Sites, engine: RanOn) -> [Value; 11] {
    let f = &row.fault;
    let bits: Vec<String> = f.bits.iter().map(u32::to_string).collect();
    [
        number(row.row),
        name(&sites.site(f.site).path),
        number(f.word.into()),
        Value::Text(bits.join("+")),
        number(f.cycle),
        name(f.kind),
        number(f.duration),
        number(f.period),
        number(f.active),
        maybe(record.spread, |s| name(&sites.site(s.1).path)),
        name(engine),
    ]
}

/// A record out of a row of the database.
pub fn record(r: &rusqlite::Row) -> rusqlite::Result<Record> {
    let spread_cycle: Option<u64> = r.get("spread_cycle")?;
    let spread_site: Option<usize> = r.get("spread_site")?;
    Ok(Record {
        outcome: parsed(&r.get::<_, String>("outcome")?)?,
        how: maybe_parsed(r.get("how")?)?,
        cause: r.get("cause")?,
        cycles: r.get("cycles")?,
        activated: r.get("activated")?,
        converged: r.get("converged")?,
        spread: spread_cycle.zip(spread_site),
        wrong_words: r.get("wrong_words")?,
        wrong_bits: r.get("wrong_bits")?,
        first_wrong: r.get("first_wrong")?,
        pattern: maybe_parsed(r.get("pattern")?)?,
        relative_error: r.get("relative_error")?,
        words_outside: r.get("words_outside")?,
        simulated: r.get("simulated")?,
    })
}

/// A text of the database as what it names.
pub fn parsed<T: FromStr<Err: Display>>(text: &str) -> rusqlite::Result<T> {
    text.parse()
        .map_err(|e: T::Err| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, format!("`{text}`: {e}").into()))
}

fn maybe_parsed<T: FromStr<Err: Display>>(text: Option<String>) -> rusqlite::Result<Option<T>> {
    text.as_deref().map(parsed).transpose()
}

/// A value as text; none of nothing.
pub fn shown(v: Value) -> Option<String> {
    match v {
        Value::Null => None,
        Value::Integer(n) => Some(n.to_string()),
        Value::Real(x) => Some(x.to_string()),
        Value::Text(t) => Some(t),
        Value::Blob(_) => Some("data".to_string()),
    }
}

/// Differences of two records, for a reader: `cycles 10, not 12`.
pub fn difference(found: &Record, expected: &Record) -> String {
    let show = |v: Value| shown(v).unwrap_or("none".into());
    let differing: Vec<String> = RECORD
        .iter()
        .zip(values(found).into_iter().zip(values(expected)))
        .filter(|(_, (a, b))| a != b)
        .map(|(column, (a, b))| format!("{} {}, not {}", column.0, show(a), show(b)))
        .collect();
    differing.join("; ")
}
