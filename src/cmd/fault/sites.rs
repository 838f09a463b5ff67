//! `warpsmith fault sites`: every word of state and every output, with totals.

use super::{chip, filter};
use crate::cli::fault::Sites as Args;
use crate::cmd::{output::print, AGREED};
use anyhow::Result;
use serde_json::{json, Map};
use std::collections::BTreeMap;
use std::fmt::Write;
use warpsmith_fault::{FaultError, Site, Sites};

pub fn run(args: &Args) -> Result<u8> {
    let sites = Sites::load(&chip::folder(&args.chip)?)?;
    let chosen: Vec<&Site> = sites.select(&filter(&args.filter)).into_iter().map(|i| sites.site(i)).collect();
    if chosen.is_empty() {
        return Err(FaultError::Ask(format!(
            "none of the {} fault sites matches --block, --name and --site-kind together",
            sites.list().len()
        ))
        .into());
    }
    print(&if args.json { json(args.chip.config(), &chosen)? } else { table(&chosen) })?;
    Ok(AGREED)
}

/// Sites and bits of a group.
type Totals<'a> = BTreeMap<&'a str, (u64, u64)>;

fn totals<'a>(sites: &[&'a Site], group: impl Fn(&'a Site) -> &'a str) -> Totals<'a> {
    let mut totals = Totals::new();
    for site in sites {
        let t = totals.entry(group(site)).or_default();
        t.0 += 1;
        t.1 += site.bits();
    }
    totals
}

fn table(sites: &[&Site]) -> String {
    let longest = |of: fn(&Site) -> usize| sites.iter().map(|s| of(s)).max().unwrap_or(0);
    let path = longest(|s| s.path.len()).max(4);
    let block = longest(|s| s.block.len()).max(6);
    let mut text = format!("{:path$}  kind  {:block$}  width  depth     bits\n", "site", "block");
    for s in sites {
        let kind = s.kind.name();
        writeln!(text, "{:path$}  {kind:4}  {:block$}  {:5}  {:5}  {:7}", s.path, s.block, s.width, s.depth, s.bits())
            .expect("a string takes all");
    }
    for (title, totals) in [("kind", totals(sites, |s| s.kind.name())), ("block", totals(sites, |s| &s.block))] {
        write!(text, "\n{title:block$}  sites     bits\n").expect("a string takes all");
        for (name, (n, bits)) in totals {
            writeln!(text, "{name:block$}  {n:5}  {bits:7}").expect("a string takes all");
        }
    }
    let bits: u64 = sites.iter().map(|s| s.bits()).sum();
    writeln!(text, "{:block$}  {:5}  {bits:7}", "total", sites.len()).expect("a string takes all");
    text
}

fn json(config: &str, sites: &[&Site]) -> Result<String> {
    let object = |totals: Totals| -> Map<String, serde_json::Value> {
        let entry =
            |(name, (sites, bits)): (&str, (u64, u64))| (name.to_string(), json!({ "sites": sites, "bits": bits }));
        totals.into_iter().map(entry).collect()
    };
    let listed: Vec<_> = sites
        .iter()
        .map(|s| {
            json!({
                "site": s.path, "kind": s.kind.name(), "block": s.block,
                "width": s.width, "depth": s.depth, "bits": s.bits(),
            })
        })
        .collect();
    let all = json!({
        "config": config,
        "bits": sites.iter().map(|s| s.bits()).sum::<u64>(),
        "kinds": object(totals(sites, |s| s.kind.name())),
        "blocks": object(totals(sites, |s| &s.block)),
        "sites": listed,
    });
    Ok(format!("{all}\n"))
}
