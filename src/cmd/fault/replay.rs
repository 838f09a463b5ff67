//! `warpsmith fault replay`.

use super::loaded::LoadedCampaign;
use super::report::said;
use super::run::results;
use super::{chip, replay_all};
use crate::cli::fault::Replay as Args;
use crate::cli::Engine;
use crate::cmd::output::print;
use crate::cmd::outputs::{Files, Form};
use crate::cmd::{rtl, AGREED, DIFFERED};
use anyhow::{anyhow, bail, Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warpsmith_cache::whole::Whole;
use warpsmith_fault::{
    Explanation, Fault, FaultError, Golden, Meta, Record, Replay, Row, SimulatorOptions, Store, Traced,
};

/// A campaign ready to be explained.
pub struct Bench {
    pub loaded: LoadedCampaign,
    pub golden: Golden,
    pub traced: Traced,
    pub options: SimulatorOptions,
    /// Results, by row; empty when there are none.
    pub records: BTreeMap<u64, Record>,
}

pub fn run(args: &Args) -> Result<u8> {
    said(args.json, execute(args))
}

fn execute(args: &Args) -> Result<u8> {
    let golden_wave = args.wave.as_deref().map(golden_path);
    let database = results(&args.campaign, args.results.as_deref());
    let outputs = Files::default()
        .campaign(&args.campaign, &database)
        .writes("--csv", args.csv.as_ref(), Form::Any)
        .writes("--wave", args.wave.as_ref(), Form::Wave)
        .writes("--wave (fault-free run)", golden_wave.as_ref(), Form::Wave)
        .check()?;
    let mut loaded = LoadedCampaign::read(&args.campaign)?;
    let row = args.row.map(|n| find(&args.campaign, &loaded, n)).transpose()?;
    outputs.open()?;
    // Verilator's waveforms show every signal, those of the native engine registers and ports.
    let engine = match (args.on.engine, &args.wave) {
        (Engine::Auto, Some(_)) => loaded.engine_of_waves()?,
        (asked, _) => asked,
    };
    let golden = loaded.golden(engine)?;
    let (records, options) = stored(args, &loaded, &golden)?;
    let traced = traced(&loaded, &golden, false)?;
    let bench = Bench { loaded, golden, traced, options, records };
    match (row, &args.csv) {
        (Some(row), _) => one(args, &bench, &row),
        (None, Some(csv)) => replay_all::run(&bench, csv, args.json),
        (None, None) => bail!("the number of a row is missing"),
    }
}

fn find(path: &Path, loaded: &LoadedCampaign, number: u64) -> Result<Row> {
    let rows = &loaded.campaign.rows;
    rows.iter().find(|r| r.row == number).cloned().ok_or_else(|| {
        let (first, last) = (rows.first(), rows.last());
        anyhow!(
            "{}: no row {number}; there are {} to {}",
            path.display(),
            first.map_or(0, |r| r.row),
            last.map_or(0, |r| r.row)
        )
    })
}

/// Results of this campaign, if it was run, and how it was.
fn stored(args: &Args, loaded: &LoadedCampaign, golden: &Golden) -> Result<(BTreeMap<u64, Record>, SimulatorOptions)> {
    let mut options = SimulatorOptions::default();
    let path = results(&args.campaign, args.results.as_deref());
    if args.results.is_none() && !path.exists() {
        return Ok((BTreeMap::new(), options));
    }
    let store = Store::open_read(&path)?;
    let meta = Meta { options: store.meta().options.clone(), ..Meta::of(&loaded.campaign, golden.sites()) };
    if *store.meta() != meta {
        bail!("{}: holds the results of another campaign than {}", path.display(), args.campaign.display());
    }
    // `hang 2, no early stop`
    let hang = meta.options.split(", ").find_map(|o| o.strip_prefix("hang "));
    if let Some(hang) = hang {
        options.hang =
            hang.parse().map_err(|_| anyhow!("{}: `{}` are no options of a run", path.display(), meta.options))?;
    }
    Ok((store.records()?, options))
}

/// The campaign's chip with a trace port.
fn traced(loaded: &LoadedCampaign, golden: &Golden, wave: bool) -> Result<Traced> {
    let folder = chip::traced_folder(&loaded.chip)?;
    let message = match wave {
        true => "building the simulation with waveforms; about a minute, once for each chip",
        false => "building the simulation with the trace port; this happens once for each chip",
    };
    let wider = chip::wider(&loaded.chip)?;
    Ok(rtl::spinning(message, || Traced::open(golden, &folder, &wider, wave))?)
}

fn one(args: &Args, bench: &Bench, row: &Row) -> Result<u8> {
    let golden = &bench.golden;
    let (e, trail, until) = rtl::spinning("running in lockstep with the model", || {
        let mut replay = Replay::new(golden, &bench.traced, bench.options)?;
        let e = replay.explain(&row.fault)?;
        let trail = replay.trail(&e)?;
        let until = replay.until(&e);
        Ok::<_, FaultError>((e, trail, until))
    })?;
    if let Some(path) = &args.wave {
        waves(args, bench, &row.fault, until, path)?;
    }
    let difference = bench.records.get(&row.row).and_then(|r| disagreement(r, &e.record));
    if args.json {
        let mut object = e.json(row.row, golden.sites(), &trail);
        object["stored"] = match (bench.records.get(&row.row), &difference) {
            (None, _) => "absent".into(),
            (_, None) => "equal".into(),
            (_, Some(text)) => text.as_str().into(),
        };
        print(&format!("{}\n", serde_json::to_string_pretty(&object)?))?;
    } else {
        print(&e.text(row.row, golden.sites(), &trail))?;
    }
    match difference {
        None => Ok(AGREED),
        Some(text) => {
            eprintln!("warpsmith: row {}: {text}", row.row);
            Ok(DIFFERED)
        }
    }
}

/// Where a result and the same fault run again are not the same. Times of comparisons and cycles
/// simulated depend on how a campaign was run and are left out.
pub fn disagreement(stored: &Record, now: &Record) -> Option<String> {
    let parts = |r: &Record| {
        [
            ("outcome", r.outcome.to_string()),
            ("how", r.how.map_or("-".into(), |h| h.to_string())),
            ("trap", format!("{:?}", r.cause)),
            ("cycles", r.cycles.to_string()),
            ("activated", format!("{:?}", r.activated)),
            ("wrong words", r.wrong_words.to_string()),
            ("wrong bits", r.wrong_bits.to_string()),
            ("first wrong", format!("{:?}", r.first_wrong)),
            ("words outside", r.words_outside.to_string()),
        ]
    };
    let all = parts(stored).into_iter().zip(parts(now));
    let first = all.into_iter().find(|(a, b)| a != b)?;
    Some(format!("THE RESULTS HOLD ANOTHER RECORD: {} is {} there and {} now", first.0 .0, first.0 .1, first.1 .1))
}

/// The fault-free run's waveform beside the faulty one's.
fn golden_path(path: &Path) -> PathBuf {
    path.with_extension("golden.fst")
}

/// Writes both waveforms, each under a temporary name first.
fn waves(args: &Args, bench: &Bench, fault: &Fault, until: u64, path: &Path) -> Result<()> {
    let traced = traced(&bench.loaded, &bench.golden, true)?;
    let from = fault.cycle.saturating_sub(args.window);
    let to = until.max(fault.cycle).saturating_add(args.window);
    let write = |fault: Option<&Fault>, path: &Path| -> Result<()> {
        let whole = Whole::new(path);
        traced.wave(&bench.golden, fault, from, to, whole.part())?;
        whole.finish().with_context(|| path.display().to_string())
    };
    rtl::spinning("writing waveforms", || write(Some(fault), path).and_then(|()| write(None, &golden_path(path))))
}

/// Whether a program may see anything of a fault with this record.
pub fn has_effect(r: &Record) -> bool {
    use warpsmith_fault::FaultOutcome::{Masked, NotActivated};
    !matches!(r.outcome, Masked | NotActivated)
}

/// A row and what came of it.
pub type Explained = (u64, Explanation);
