//! `warpsmith cache`: the folder of builds, its size, its removal.

use super::output::print;
use super::AGREED;
use crate::cli::Cache as Args;
use anyhow::{Context, Result};
use std::fmt::Write;
use warpsmith_cache::{cache_dir, entries};

pub fn run(args: &Args) -> Result<u8> {
    let dir = cache_dir();
    let shown = dir.display().to_string();
    if args.clear {
        let (count, bytes) = entries::clear(&dir).with_context(|| shown.clone())?;
        let size = megabytes(bytes);
        print(&format!("{shown}: {count} entries removed, {size}\n"))?;
        return Ok(AGREED);
    }
    let kinds = entries::sizes(&dir).with_context(|| shown.clone())?;
    let mut text = format!("{shown}\n");
    for k in &kinds {
        let size = megabytes(k.bytes);
        let _ = writeln!(text, "  {:<18}{:>6} entries{size:>14}", k.name, k.entries);
    }
    let all: (usize, u64) = kinds.iter().fold((0, 0), |(n, b), k| (n + k.entries, b + k.bytes));
    let size = megabytes(all.1);
    let _ = writeln!(text, "  {:<18}{:>6} entries{size:>14}", "together", all.0);
    print(&text)?;
    Ok(AGREED)
}

/// Bytes in units of 10^6.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
