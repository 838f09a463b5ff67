//! `warpsmith fault compare`: several campaigns in one table.

use super::report::{load, said};
use super::run::results;
use crate::cli::fault::{Compare as Options, CompareBy};
use crate::cmd::output::{print, write_all};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::AGREED;
use anyhow::{Context, Result};
use serde::Serialize;
use warpsmith_fault::report::compare::{By, Compare};
use warpsmith_fault::report::Report;

/// One JSON object: how it went, and the table.
#[derive(Serialize)]
struct Answer<'a> {
    outcome: &'static str,
    #[serde(flatten)]
    compare: &'a Compare,
}

pub fn run(args: &Options) -> Result<u8> {
    said(args.json, execute(args))
}

fn execute(args: &Options) -> Result<u8> {
    let mut files = Files::default();
    for path in &args.campaigns {
        files.campaign(path, &results(path, None));
    }
    let outputs = files.writes("--html", args.html.as_ref(), Form::Any).check()?;
    let each = args.campaigns.iter().map(|path| {
        let report = load(path, None)?.report(args.confidence);
        report.with_context(|| path.display().to_string())
    });
    let reports: Vec<Report> = each.collect::<Result<_>>()?;
    let by = match args.by {
        CompareBy::Stage => By::Stage,
        CompareBy::Block => By::Block,
        CompareBy::Key => By::Key,
        CompareBy::Class => By::Class,
    };
    let compare = Compare::new(&reports, by, &args.of)?;
    outputs.open()?;
    if let Some(path) = &args.html {
        let page = compare.html(&reports)?;
        write_all(path, page)?;
    }
    if args.json {
        let answer = Answer { outcome: "pass", compare: &compare };
        print(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
    } else if args.markdown {
        print(&compare.markdown())?;
    } else {
        print(&compare.text())?;
    }
    Ok(AGREED)
}
