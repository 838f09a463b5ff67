//! `warpsmith fault replay --all`: a table of the architectural effects of a campaign's faults.

use super::replay::{disagreement, has_effect, Bench, Explained};
use crate::cmd::cores;
use crate::cmd::output::{print, write_file};
use crate::cmd::rtl::bar;
use crate::cmd::{AGREED, DIFFERED};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, SyncSender};
use warpsmith_fault::replay::table;
use warpsmith_fault::{FaultError, Replay, Row};

/// Message of a worker about a row.
enum Said {
    /// It has no effect, or is explained.
    Row(Option<Box<Explained>>),
    /// The results hold another record.
    Differs(u64, String),
}

/// Explains every row with an effect, on all cores, into a table.
pub fn run(bench: &Bench, csv: &Path, json: bool) -> Result<u8> {
    // Rows that the results call masked need no run.
    let open = |r: &&Row| bench.records.get(&r.row).is_none_or(has_effect);
    let mut rows: Vec<&Row> = bench.loaded.campaign.rows.iter().filter(open).collect();
    // In this order a worker runs the lockstep before its faults once.
    rows.sort_by_key(|r| (r.fault.cycle, r.row));
    let bar = bar(rows.len() as u64, "{wide_bar} {human_pos} of {human_len} faults, {eta} left");
    let next = AtomicUsize::new(0);
    let workers = cores(None);
    let mut explained: Vec<Explained> = vec![];
    let mut differing = vec![];
    let result = std::thread::scope(|scope| {
        let (send, receive) = sync_channel(64);
        for _ in 0..workers.min(rows.len()) {
            let (send, rows, next) = (send.clone(), &rows, &next);
            scope.spawn(move || {
                // The receiver is gone after an error.
                if let Err(e) = work(bench, rows, next, &send) {
                    let _ = send.send(Err(e));
                }
            });
        }
        drop(send);
        for said in receive {
            match said? {
                Said::Row(Some(e)) => explained.push(*e),
                Said::Row(None) => {}
                Said::Differs(row, text) => differing.push((row, text)),
            }
            bar.inc(1);
        }
        Ok::<_, FaultError>(())
    });
    bar.finish_and_clear();
    result?;
    differing.sort();
    if let Some((row, text)) = differing.first() {
        eprintln!("warpsmith: row {row}: {text}");
        eprintln!("warpsmith: {} rows differ; no table is written", differing.len());
        return Ok(DIFFERED);
    }
    explained.sort_by_key(|e| e.0);
    write_file(csv, |out| table(out, bench.golden.sites(), &explained))?;
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, e) in &explained {
        *classes.entry(e.class.map_or("none", |c| c.name())).or_default() += 1;
    }
    let text = if json {
        let object = serde_json::json!({
            "rows": bench.loaded.campaign.rows.len(),
            "explained": explained.len(),
            "classes": classes,
        });
        format!("{object}\n")
    } else {
        let mut text = format!(
            "{} of {} rows have an effect: {}\n",
            explained.len(),
            bench.loaded.campaign.rows.len(),
            csv.display()
        );
        for (class, n) in classes {
            let _ = writeln!(text, "  {class:<22}{n:>8}");
        }
        text
    };
    print(&text)?;
    Ok(AGREED)
}

/// Takes row after row until there is none, or the receiver is gone.
fn work(
    bench: &Bench, rows: &[&Row], next: &AtomicUsize, send: &SyncSender<Result<Said, FaultError>>,
) -> Result<(), FaultError> {
    let mut replay = Replay::new(&bench.golden, &bench.traced, bench.options)?;
    while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
        let stored = bench.records.get(&row.row);
        let record = replay.record(&row.fault)?;
        let said = match stored.and_then(|s| disagreement(s, &record)) {
            Some(text) => Said::Differs(row.row, text),
            None if !has_effect(&record) => Said::Row(None),
            None => Said::Row(Some(Box::new((row.row, replay.explain_as(&row.fault, record)?)))),
        };
        if send.send(Ok(said)).is_err() {
            break;
        }
    }
    Ok(())
}
