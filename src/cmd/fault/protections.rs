//! `warpsmith fault protections`: chips with other protection side by side.

use super::report::{load, said};
use super::run::results;
use crate::cli::fault::Protections as Options;
use crate::cmd::output::{print, write_all};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::AGREED;
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};
use warpsmith_fault::report::protections::{Chip, Protections, Size};
use warpsmith_fpga::synth::Report as Synthesis;

/// One JSON object: how it went, and the chips.
#[derive(Serialize)]
struct Answer<'a> {
    outcome: &'static str,
    #[serde(flatten)]
    protections: &'a Protections,
}

pub fn run(args: &Options) -> Result<u8> {
    said(args.json, execute(args))
}

/// Campaigns of a folder, by name.
fn campaigns(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = list.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    let mut found: Vec<PathBuf> =
        paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "csv") && results(p, None).exists()).collect();
    found.sort();
    Ok(found)
}

/// The size of the synthesized chip in a folder; none where there is no report.
fn size(folder: &Path) -> Result<Option<Size>> {
    let path = folder.join("report.json");
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let report: Synthesis = serde_json::from_str(&text).with_context(|| {
        format!("{}: a report of `warpsmith synth` was expected; synthesize into this folder again", path.display())
    })?;
    Ok(Some(Size { luts: report.luts, ffs: report.ffs, brams: report.brams, fmax_mhz: report.fmax_mhz }))
}

fn execute(args: &Options) -> Result<u8> {
    let mut files = Files::default();
    let mut chips = vec![];
    for folder in &args.folders {
        let list = campaigns(folder)?;
        for path in &list {
            files.campaign(path, &results(path, None));
        }
        let name = folder.file_name().map_or_else(|| folder.display().to_string(), |n| n.to_string_lossy().into());
        chips.push((name, size(folder)?, list));
    }
    let outputs = files.writes("--svg", args.svg.as_ref(), Form::Any).check()?;
    let chips = chips.into_iter().map(|(name, size, list)| {
        let each = list.iter().map(|path| {
            let report = load(path, None)?.report(args.confidence);
            report.with_context(|| path.display().to_string())
        });
        Ok(Chip { name, size, reports: each.collect::<Result<_>>()? })
    });
    let protections = Protections::new(chips.collect::<Result<_>>()?)?;
    let svg = args.svg.as_ref().map(|path| Ok::<_, anyhow::Error>((path, protections.svg()?))).transpose()?;
    outputs.open()?;
    if let Some((path, svg)) = svg {
        write_all(path, svg)?;
    }
    if args.json {
        let answer = Answer { outcome: "pass", protections: &protections };
        print(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
    } else {
        print(&protections.markdown())?;
    }
    Ok(AGREED)
}
