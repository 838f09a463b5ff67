//! `warpsmith fault report`: tables, JSON, CSV and the page of what a campaign found.

use crate::cli::fault::Report as Options;
use crate::cli::ChipArgs;
use crate::cmd::output::{print, write_file};
use crate::cmd::report::error_json;
use crate::cmd::{AGREED, DIFFERED};
use anyhow::{bail, Result};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use warpsmith_fault::campaign::chip_digest;
use warpsmith_fault::report::{table, Report};
use warpsmith_fault::{Campaign, FaultError, Header, Meta, Record, Sites, Store};

/// What is reported on.
struct Inputs {
    campaign: Campaign,
    sites: Sites,
    records: BTreeMap<u64, Record>,
    control: Option<Record>,
    /// Rows that stand for a class of faults of provably one outcome.
    certain: BTreeSet<u64>,
}

/// Reads the campaign, the sites of its chip and the results.
fn load(path: &Path, results: &Path) -> Result<Inputs> {
    let header = Header::read(path)?;
    let folder = super::chip::folder(&ChipArgs {
        config: header.chip_config(path),
        set: header.set.clone(),
    })?;
    // Of the launch only its results are needed here: it may have changed.
    header.check(path, &chip_digest(&folder)?, &header.program)?;
    let sites = Sites::load(&folder)?;
    let campaign = Campaign::read(path, &sites)?;
    let store = Store::open_read(results)?;
    if store.meta().campaign != Meta::of(&campaign, &sites).campaign {
        bail!(
            "{}: holds the results of another campaign than {}",
            results.display(),
            path.display()
        );
    }
    Ok(Inputs {
        records: store.records()?,
        control: store.control()?,
        certain: campaign.header.collapsed.iter().map(|c| c.row).collect(),
        campaign,
        sites,
    })
}

/// One JSON object: how it went, and the report.
#[derive(Serialize)]
struct Answer<'a> {
    outcome: &'static str,
    #[serde(flatten)]
    report: &'a Report,
}

pub fn run(args: &Options) -> Result<u8> {
    match execute(args) {
        Err(e) if matches!(e.downcast_ref(), Some(FaultError::Control(_))) => {
            if args.json {
                let fail = serde_json::json!({ "outcome": "fail", "message": format!("{e:#}") });
                print(&format!("{fail}\n"))?;
            }
            eprintln!("warpsmith: {e:#}");
            Ok(DIFFERED)
        }
        Err(e) if args.json => {
            print(&error_json(&e))?;
            Err(e)
        }
        other => other,
    }
}

fn execute(args: &Options) -> Result<u8> {
    let results = match &args.results {
        Some(path) => path.clone(),
        None => beside(&args.campaign),
    };
    let i = load(&args.campaign, &results)?;
    let report = Report::new(
        &i.campaign,
        &i.sites,
        &i.records,
        i.control.as_ref(),
        &i.certain,
        args.confidence,
    )?;
    if let Some(path) = &args.html {
        let page = report.html()?;
        write_file(path, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(path) = &args.csv {
        write_file(path, |out| {
            table::csv(&i.campaign, &i.sites, &i.records, out)
        })?;
    }
    if args.json {
        let answer = Answer {
            outcome: "pass",
            report: &report,
        };
        print(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
    } else {
        print(&report.text())?;
    }
    Ok(AGREED)
}

/// The database `run` writes without `--results`.
fn beside(campaign: &Path) -> PathBuf {
    campaign.with_extension("db")
}
