//! From records to figures.

use super::classes::{Counts, Done};
use super::figures::{Origin, Point, Report, Rows, Sdc, Shares, Slice, BINS};
use super::groups::{blocks, keys, Groups};
use super::stats::{decades, powers, quantile, Spread, Tally};
use crate::campaign::Campaign;
use crate::error::FaultError;
use crate::fault::FaultKind;
use crate::record::{FaultOutcome, How, Pattern, Record};
use crate::site::{SiteKind, Sites};
use crate::store::digest;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use std::collections::{BTreeMap, BTreeSet};
use warpsmith_contract::{stage, Stage, TrapCause};

/// Points of the estimate's convergence, at most.
const POINTS: usize = 100;

/// Rows that stand for all their faults: the given ones, and in a complete campaign that covers its
/// population those that stand for themselves alone, or for faults of one outcome.
fn certain(campaign: &Campaign, complete: bool, given: &BTreeSet<u64>) -> BTreeSet<u64> {
    let all: f64 = campaign.rows.iter().map(|r| r.weight).sum();
    let population = campaign.header.population as f64;
    let covered = complete && population > 0.0 && (all / population - 1.0).abs() < 1e-9;
    let alone = campaign.rows.iter().filter(|r| covered && (r.weight == 1.0 || campaign.header.pruned));
    alone.map(|r| r.row).chain(given.iter().copied()).collect()
}

/// Shares of named parts among the rows for which `part` gives a name.
fn shares(
    names: impl Iterator<Item = &'static str>, done: &[Done], z: f64, part: impl Fn(&Record) -> Option<&'static str>,
) -> Shares {
    let mut all = Tally::default();
    let mut parts: Vec<(&str, Tally)> = names.map(|n| (n, Tally::default())).collect();
    for d in done {
        let Some(name) = part(d.record) else { continue };
        all.add(d.weight, d.certain);
        if let Some(p) = parts.iter_mut().find(|p| p.0 == name) {
            p.1.add(d.weight, d.certain);
        }
    }
    Shares(parts.iter().map(|(n, t)| (*n, all.share(t, z))).collect())
}

pub fn report(
    campaign: &Campaign, sites: &Sites, records: &BTreeMap<u64, Record>, given: &BTreeSet<u64>, confidence: f64,
) -> Result<Report, FaultError> {
    let ask = |what: String| Err(FaultError::Ask(what));
    if !(confidence > 0.0 && confidence < 1.0) {
        return ask(format!("a confidence of {confidence}: a number between 0 and 1 is needed, such as 0.95"));
    }
    let known: BTreeSet<u64> = campaign.rows.iter().map(|r| r.row).collect();
    if let Some(row) = records.keys().find(|r| !known.contains(r)) {
        return ask(format!(
            "there is a result of row {row}, which the campaign does not have: the results belong to another campaign"
        ));
    }
    for r in &campaign.rows {
        if r.fault.site >= sites.list().len() {
            return ask(format!("row {}: site {} of a chip with {}", r.row, r.fault.site, sites.list().len()));
        }
        if !(r.weight.is_finite() && r.weight > 0.0) {
            return ask(format!("row {}: a weight of {}, which must be above 0", r.row, r.weight));
        }
    }
    let complete = campaign.rows.iter().all(|r| records.contains_key(&r.row));
    let certain = certain(campaign, complete, given);
    let done: Vec<Done> = campaign
        .rows
        .iter()
        .filter_map(|row| {
            Some(Done { row, record: records.get(&row.row)?, weight: row.weight, certain: certain.contains(&row.row) })
        })
        .collect();
    if done.is_empty() {
        return ask("no row has been run yet; `warpsmith fault run` does it".into());
    }
    let activated = done.iter().filter(|d| d.record.outcome != FaultOutcome::NotActivated).count();
    if activated == 0 {
        return ask(format!(
            "none of the {} faults changed a bit: the campaign says nothing; check its sites and cycles",
            done.len()
        ));
    }
    let z = quantile(confidence);
    let open = campaign.rows.iter().filter(|r| !certain.contains(&r.row));
    let open: f64 = open.map(|r| r.weight).sum();
    let mut counts = Counts::default();
    counts.all.planned = open;
    done.iter().for_each(|d| counts.add(d));
    let sampled: Vec<&Done> = done.iter().filter(|d| !d.certain).collect();
    let groups = Groups::new(campaign, sites, &done, &certain, z);
    let h = &campaign.header;
    Ok(Report {
        campaign: Origin {
            config: h.config.clone(),
            set: h.set.clone(),
            launch: h.launch.display().to_string(),
            version: env!("CARGO_PKG_VERSION"),
            chip: h.chip.clone(),
            digest: digest(&campaign.rows, sites),
            plan: h.plan.clone(),
            seed: h.seed,
            power_on: h.power_on,
            cycles: h.cycles,
            population: h.population,
        },
        confidence,
        rows: Rows {
            planned: campaign.rows.len() as u64,
            done: done.len() as u64,
            activated: activated as u64,
            effective: counts.all.effective(),
            certain: (done.len() - sampled.len()) as u64,
            weighted: sampled.windows(2).any(|d| d[0].weight != d[1].weight),
        },
        outcomes: counts.outcomes(z),
        avf: counts.avf(z),
        masked: shares(How::ALL.iter().map(|h| h.name()), &done, z, |r| {
            Some(r.how.filter(|_| r.outcome == FaultOutcome::Masked)?.name())
        }),
        causes: causes(&done, z),
        blocks: blocks(&groups),
        keys: keys(&groups),
        stages: groups.table(&Stage::ALL.map(Stage::name), |site, _| stage::of(site).name(), true),
        models: groups.table(&FaultKind::ALL.map(FaultKind::name), |_, row| row.fault.kind.name(), false),
        kinds: groups.table(&SiteKind::ALL.map(SiteKind::name), |site, _| site.kind.name(), true),
        time: slices(&done, h.cycles, z),
        sdc: sdc(&done, z),
        latency: Spread::of(
            done.iter()
                .filter_map(|d| {
                    let cycles = d.record.converged?.saturating_sub(d.record.activated?);
                    Some((cycles as f64, d.weight))
                })
                .collect(),
            &powers(),
        ),
        running: running(&done, open, h.seed, z),
    })
}

/// Causes that occur, in their order; a number that is none of the chip's is `unknown`.
fn causes(done: &[Done], z: f64) -> Shares {
    let name = |n: u8| TrapCause::from_number(n).map_or("unknown", TrapCause::name);
    let names = TrapCause::ALL.iter().map(|c| c.name()).chain(["unknown"]);
    let mut all = shares(names, done, z, |r| Some(name(r.cause.filter(|_| r.outcome == FaultOutcome::Due)?)));
    all.0.retain(|c| c.1.count > 0);
    all
}

fn slices(done: &[Done], cycles: u64, z: f64) -> Vec<Slice> {
    let timed: Vec<&Done> = done.iter().filter(|d| !d.row.fault.kind.is_stuck()).collect();
    let cycle = |d: &&Done| d.row.fault.cycle;
    let (Some(first), Some(last)) = (timed.iter().map(cycle).min(), timed.iter().map(cycle).max()) else {
        return vec![];
    };
    if first == last {
        return vec![];
    }
    let end = cycles.max(last + 1);
    let bins = BINS.min(end);
    // Bin k holds the cycles from k * end / bins on, rounded up.
    let start = |k: u64| (u128::from(k) * u128::from(end)).div_ceil(u128::from(bins)) as u64;
    let mut counts = vec![Counts::default(); bins as usize];
    for d in &timed {
        let k = u128::from(d.row.fault.cycle) * u128::from(bins) / u128::from(end);
        counts[k as usize].add(d);
    }
    (0..bins)
        .zip(&counts)
        .map(|(k, c)| Slice {
            from: start(k),
            to: start(k + 1),
            done: c.all.count,
            outcomes: c.outcomes(z),
            avf: c.avf(z),
        })
        .collect()
}

fn sdc(done: &[Done], z: f64) -> Sdc {
    let values = |of: &dyn Fn(&Record) -> Option<f64>| {
        done.iter()
            .filter(|d| d.record.outcome == FaultOutcome::Sdc)
            .filter_map(|d| Some((of(d.record)?, d.weight)))
            .collect()
    };
    // A relative error that is no number has no magnitude.
    let error = |r: &Record| {
        let e = r.relative_error?;
        Some(if e.is_nan() { f64::INFINITY } else { e })
    };
    Sdc {
        patterns: shares(Pattern::ALL.iter().map(|p| p.name()), done, z, |r| {
            Some(r.pattern.filter(|_| r.outcome == FaultOutcome::Sdc)?.name())
        }),
        wrong_words: Spread::of(values(&|r| Some(r.wrong_words as f64)), &powers()),
        wrong_bits: Spread::of(values(&|r| Some(r.wrong_bits as f64)), &powers()),
        relative_error: Spread::of(values(&error), &decades()),
    }
}

/// The estimate after more and more sampled rows; certain ones count from the beginning. Rows are
/// shuffled by the campaign's seed: a plan may be sorted, and the order of a file says nothing
/// about the estimate.
fn running(done: &[Done], planned: f64, seed: u64, z: f64) -> Vec<Point> {
    let mut counts = Counts::default();
    counts.all.planned = planned;
    let (first, mut order): (Vec<&Done>, Vec<&Done>) = done.iter().partition(|d| d.certain);
    first.iter().for_each(|d| counts.add(d));
    order.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
    let step = order.len().div_ceil(POINTS);
    let mut points = vec![];
    for (i, d) in order.iter().enumerate() {
        counts.add(d);
        if (i + 1) % step == 0 || i + 1 == order.len() {
            points.push(Point { rows: i as u64 + 1, avf: counts.avf(z), sdc: counts.of(FaultOutcome::Sdc, z) });
        }
    }
    points
}
