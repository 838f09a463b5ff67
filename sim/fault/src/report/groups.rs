//! Tables by block type, stage, fault model, kind of site.

use super::classes::{Counts, Done};
use super::figures::Group;
use super::stats::{powers, Spread};
use crate::campaign::{Campaign, Row};
use crate::record::FaultOutcome;
use crate::site::{Site, SiteKind, Sites};
use std::collections::{BTreeMap, BTreeSet};
use warpsmith_contract::stage::unnumbered;

/// Makes tables of groups.
pub(super) struct Groups<'a> {
    campaign: &'a Campaign,
    sites: &'a Sites,
    done: &'a [Done<'a>],
    certain: &'a BTreeSet<u64>,
    /// Kinds of sites that have rows.
    kinds: BTreeSet<SiteKind>,
    z: f64,
}

impl<'a> Groups<'a> {
    pub(super) fn new(
        campaign: &'a Campaign, sites: &'a Sites, done: &'a [Done<'a>], certain: &'a BTreeSet<u64>, z: f64,
    ) -> Self {
        let kind = |r: &Row| sites.site(r.fault.site).kind;
        Groups { campaign, sites, done, certain, kinds: campaign.rows.iter().map(kind).collect(), z }
    }

    /// A group for each name that has rows. `with_bits`: the name depends on the site alone.
    pub(super) fn table<'n>(
        &self, names: &[&'n str], name: impl Fn(&'n Site, &Row) -> &'n str, with_bits: bool,
    ) -> Vec<Group>
    where
        'a: 'n,
    {
        let mut counts: BTreeMap<&str, (u64, Counts)> = BTreeMap::new();
        for row in &self.campaign.rows {
            let group = name(self.sites.site(row.fault.site), row);
            let (planned, counts) = counts.entry(group).or_default();
            *planned += 1;
            if !self.certain.contains(&row.row) {
                counts.all.planned += row.weight;
            }
        }
        let mut wrong: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for d in self.done {
            let group = name(self.sites.site(d.row.fault.site), d.row);
            counts.entry(group).or_default().1.add(d);
            if d.record.outcome == FaultOutcome::Sdc {
                let words = d.record.wrong_words as f64;
                wrong.entry(group).or_default().push((words, d.weight));
            }
        }
        let mut bits: BTreeMap<&str, u64> = BTreeMap::new();
        if let (true, Some(any)) = (with_bits, self.campaign.rows.first()) {
            for site in self.sites.list() {
                if self.kinds.contains(&site.kind) {
                    *bits.entry(name(site, any)).or_default() += site.bits();
                }
            }
        }
        let mut groups: Vec<Group> = names
            .iter()
            .filter_map(|n| {
                let (planned, counts) = counts.get(n)?;
                let avf = counts.avf(self.z);
                let bits = with_bits.then(|| bits.get(n).copied().unwrap_or(0));
                Some(Group {
                    name: n.to_string(),
                    places: vec![],
                    bits,
                    planned: *planned,
                    done: counts.all.count,
                    effective: counts.all.effective(),
                    weight: counts.all.sum + counts.all.certain,
                    outcomes: counts.outcomes(self.z),
                    avf,
                    wrong_words: Spread::of(wrong.remove(n).unwrap_or_default(), &powers()),
                    contribution: bits.map(|b| avf.rate * b as f64),
                    contribution_share: None,
                })
            })
            .collect();
        let all: f64 = groups.iter().filter_map(|g| g.contribution).sum();
        for g in groups.iter_mut().filter(|_| all > 0.0) {
            g.contribution_share = g.contribution.map(|c| c / all);
        }
        groups
    }
}

/// Groups by block type, greatest contribution first.
pub(super) fn blocks(all: &Groups) -> Vec<Group> {
    let mut places: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for s in all.sites.list() {
        places.entry(&s.block).or_default().insert(place(&s.path));
    }
    let names: Vec<&str> = places.keys().copied().collect();
    let mut groups = all.table(&names, |site, _| &site.block, true);
    for g in &mut groups {
        let found = places.get(g.name.as_str());
        g.places = found.map_or(vec![], |p| p.iter().cloned().collect());
    }
    rank(&mut groups);
    groups
}

/// Greatest contribution first.
fn rank(groups: &mut [Group]) {
    let key = |g: &Group| (g.contribution.unwrap_or(0.0), g.bits.unwrap_or(0));
    groups.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        b.0.total_cmp(&a.0).then(b.1.cmp(&a.1))
    });
}

/// Groups by what a key of `[harden]` protects in a plain chip, greatest contribution first.
pub(super) fn keys(all: &Groups) -> Vec<Group> {
    let keys: BTreeMap<&str, String> = all.sites.list().iter().map(|s| (s.path.as_str(), key(s))).collect();
    let names: BTreeSet<&str> = keys.values().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut groups = all.table(&names, |site, _| keys[site.path.as_str()].as_str(), true);
    rank(&mut groups);
    groups
}

/// The innermost block that a key of `[harden]` names, and what of it: a memory is its block's, a register beside
/// one in it, too.
fn key(site: &Site) -> String {
    let mut blocks: Vec<&str> = site.path.split('.').collect();
    blocks.pop();
    if ["lutram_", "bram_", "rom_"].iter().any(|m| site.block.starts_with(m)) {
        blocks.pop();
    }
    let block = blocks.last().map_or("warpsmith", |b| unnumbered(b));
    let what = if site.kind == SiteKind::Ram { "memories" } else { "registers" };
    format!("{}, {what}", block.strip_prefix("u_").unwrap_or(block))
}

/// Where a site's block is, `*` for numbers, without `u_` and the SM; `top` outside all blocks.
fn place(path: &str) -> String {
    let Some((instances, _)) = path.rsplit_once('.') else { return "top".into() };
    let parts = instances.split('.').map(|p| {
        let stem = unnumbered(p);
        let star = if stem == p { "" } else { "_*" };
        format!("{}{star}", stem.strip_prefix("u_").unwrap_or(stem))
    });
    let parts: Vec<String> = parts.collect();
    match parts.split_first() {
        Some((first, rest)) if first == "sm_*" && !rest.is_empty() => rest.join("."),
        _ => parts.join("."),
    }
}
