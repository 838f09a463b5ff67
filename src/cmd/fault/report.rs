//! `warpsmith fault report`: tables, JSON, CSV and the page of a campaign.

use super::run::results as database;
use crate::cli::fault::Report as Options;
use crate::cli::ChipArgs;
use crate::cmd::output::{print, write_all, write_file};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::report::error_json;
use crate::cmd::AGREED;
use anyhow::{bail, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpsmith_fault::campaign::chip_digest;
use warpsmith_fault::report::{table, Report};
use warpsmith_fault::{Campaign, FaultError, Header, Meta, Record, Sites, Store};

/// Campaign and results of a report.
pub(super) struct Inputs {
    campaign: Campaign,
    sites: Sites,
    records: BTreeMap<u64, Record>,
    control: Option<Record>,
    /// Rows that stand for a class of faults of provably one outcome.
    certain: BTreeSet<u64>,
}

/// Reads the campaign, the sites of its chip and the results; without a database's name the one
/// `run` writes without `--results`.
pub(super) fn load(path: &Path, results: Option<&Path>) -> Result<Inputs> {
    let results = database(path, results);
    let header = Header::read(path)?;
    let folder = super::chip::folder(&ChipArgs { config: Some(header.chip_config(path)), set: header.set.clone() })?;
    // Of the launch only its results are needed here: it may have changed.
    header.check(path, &chip_digest(&folder)?, &header.program)?;
    let sites = Sites::load(&folder)?;
    let campaign = Campaign::read(path, &sites)?;
    let store = Store::open_read(&results)?;
    if store.meta().campaign != Meta::of(&campaign, &sites).campaign {
        bail!("{}: holds the results of another campaign than {}", results.display(), path.display());
    }
    Ok(Inputs {
        records: store.records()?,
        control: store.control()?,
        certain: campaign.header.collapsed.iter().map(|c| c.row).collect(),
        campaign,
        sites,
    })
}

impl Inputs {
    /// Counts the results.
    pub(super) fn report(&self, confidence: f64) -> Result<Report, FaultError> {
        Report::new(&self.campaign, &self.sites, &self.records, self.control.as_ref(), &self.certain, confidence)
    }
}

/// One JSON object: how it went, and the report.
#[derive(Serialize)]
struct Answer<'a> {
    outcome: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

pub fn run(args: &Options) -> Result<u8> {
    said(args.json, execute(args))
}

/// With `--json`, what went wrong goes to stdout too.
pub(super) fn said(json: bool, result: Result<u8>) -> Result<u8> {
    if let (true, Err(e)) = (json, &result) {
        print(&match e.downcast_ref() {
            Some(FaultError::Control(_)) => {
                let fail = serde_json::json!({ "outcome": "fail", "message": format!("{e:#}") });
                format!("{fail}\n")
            }
            _ => error_json(e),
        })?;
    }
    result
}

fn execute(args: &Options) -> Result<u8> {
    let results = database(&args.campaign, args.results.as_deref());
    let outputs = Files::default()
        .campaign(&args.campaign, &results)
        .writes("--html", args.html.as_ref(), Form::Any)
        .writes("--csv", args.csv.as_ref(), Form::Any)
        .check()?;
    let i = load(&args.campaign, args.results.as_deref())?;
    let report = i.report(args.confidence)?;
    outputs.open()?;
    if let Some(path) = &args.html {
        let page = report.html()?;
        write_all(path, page)?;
    }
    if let Some(path) = &args.csv {
        write_file(path, |out| table::csv(&i.campaign, &i.sites, &i.records, out))?;
    }
    if args.json {
        let answer = Answer { outcome: "pass", report: &report };
        print(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
    } else {
        print(&report.text())?;
    }
    Ok(AGREED)
}
