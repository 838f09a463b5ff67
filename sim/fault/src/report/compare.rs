//! Several campaigns side by side: stages, blocks or classes down, campaigns across.
//!
//! The mean over campaigns has the interval of a sum of independent estimates (MOVER, Zou and
//! Donner 2008): each end is off by the root of the squared distances of the parts' ends.

use super::stats::{quantile, wilson, Share};
use super::{Group, Report, Shares};
use crate::error::FaultError;
use crate::record::FaultOutcome;
use serde::Serialize;
use std::collections::BTreeSet;
use warpsmith_contract::Stage;

/// Lines of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Parts of the chip.
    Stage,
    /// Block types, those that add most first.
    Block,
    /// What a key of `[harden]` protects, registers and memories apart, those that add most first.
    Key,
    /// Classes, ways of masking, trap causes, patterns.
    Class,
}

impl By {
    /// Whether the lines that add most come first, with a running sum.
    pub(super) fn is_ranked(self) -> bool {
        matches!(self, By::Block | By::Key)
    }
}

/// A campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// Kernel, and what else tells it from the others.
    pub label: String,
    /// Fault models.
    pub model: String,
    /// Launch file.
    pub launch: String,
    /// Configuration of the chip.
    pub config: String,
    /// Seed of the draw.
    pub seed: u64,
    /// Cycles of the fault-free run.
    pub cycles: u64,
    /// Rows in the campaign file.
    pub planned: u64,
    /// Rows with a result.
    pub done: u64,
    /// Possible faults that were drawn from.
    pub population: u64,
}

impl Column {
    /// Description of the campaign, in a line.
    pub fn facts(&self) -> String {
        let n = warpsmith_cosim::thousands;
        let mut s = format!("{} faults", n(self.done));
        if self.done < self.planned {
            s += &format!(" of {}, not complete", n(self.planned));
        }
        if self.population > 0 {
            s += &format!(" of {} possible ones", n(self.population));
        }
        format!("{s}, {} cycles, {}, seed {}", n(self.cycles), self.config, self.seed)
    }
}

/// A campaign's faults in one part of the chip, or one share of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Rows with a result.
    pub done: u64,
    /// Their part of the campaign's weight.
    pub weight: f64,
    /// AVF or a class, as the table's `of`; for `By::Class` the line's share.
    pub share: Share,
    /// Share of each class; of lines of `By::Class` none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcomes: Option<Shares>,
}

/// Wrong words of the silent corruptions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Extent {
    /// Silent corruptions.
    pub rows: u64,
    /// Those with one wrong word.
    pub single: Share,
    /// Wrong words of half of them, at most.
    pub median: Option<f64>,
    /// Of nine tenths of them.
    pub p90: Option<f64>,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Stage, block type or class.
    pub name: String,
    /// Where a block type is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Bits, when all campaigns have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u64>,
    /// In the order of the columns; none where a campaign has no rows.
    pub cells: Vec<Option<Cell>>,
    /// Weighted mean of the cells there are.
    pub mean: Option<Cell>,
    /// Mean share times bits, as a part of the sum of all lines.
    pub part: Option<f64>,
    /// Silent corruptions in the order of the columns; of classes, those of the whole campaign in
    /// the first line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extents: Vec<Option<Extent>>,
}

/// Several campaigns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compare {
    /// Lines of the table.
    pub by: By,
    /// Class of the cells: `avf` or another.
    pub of: String,
    /// Confidence of all intervals.
    pub confidence: f64,
    /// Campaigns.
    pub columns: Vec<Column>,
    /// Lines.
    pub rows: Vec<Line>,
}

/// Names `of` may have.
pub const OF: [&str; 5] = ["avf", "sdc", "due", "hang", "timing"];

/// The share of a group that a table is of.
fn pick(outcomes: &Shares, avf: Share, of: &str) -> Share {
    if of == "avf" {
        avf
    } else {
        outcomes.of(of)
    }
}

/// Mean of independent shares with their weights.
pub(super) fn mean(shares: &[(Share, f64)]) -> Share {
    let all: f64 = shares.iter().map(|s| s.1).sum();
    let sum = |of: &dyn Fn(&Share) -> f64| shares.iter().map(|(s, w)| w / all * of(s)).sum::<f64>();
    let root = |of: &dyn Fn(&Share) -> f64| {
        let squares = shares.iter().map(|(s, w)| (w / all * of(s)).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let rate = sum(&|s| s.rate);
    Share {
        count: shares.iter().map(|s| s.0.count).sum(),
        rate,
        low: (rate - root(&|s| s.rate - s.low)).max(0.0),
        high: (rate + root(&|s| s.high - s.rate)).min(1.0),
    }
}

/// Mean of a line by the weights of its cells: campaigns count alike however many rows they have,
/// and a cell of one row does not count like one of twenty.
fn mean_cell(cells: &[Option<Cell>]) -> Option<Cell> {
    let there = || cells.iter().flatten();
    let first = there().next()?;
    let class = |k: usize| {
        let each = there().filter_map(|c| Some((c.outcomes.as_ref()?.0[k].1, c.weight)));
        mean(&each.collect::<Vec<_>>())
    };
    let names = first.outcomes.as_ref().map(|o| o.0.iter().enumerate());
    Some(Cell {
        done: there().map(|c| c.done).sum(),
        weight: there().map(|c| c.weight).sum::<f64>() / cells.len() as f64,
        share: mean(&there().map(|c| (c.share, c.weight)).collect::<Vec<_>>()),
        outcomes: names.map(|n| Shares(n.map(|(k, (name, _))| (*name, class(k))).collect())),
    })
}

/// Kernel of a campaign: the launch file, or its folder when it is called `launch.toml`.
pub(super) fn kernel(launch: &str) -> String {
    let path = launch.strip_suffix("/launch.toml").unwrap_or(launch);
    let last = path.rsplit('/').next().unwrap_or(path);
    last.strip_suffix(".toml").unwrap_or(last).to_string()
}

/// Models of a campaign; the two kinds of stuck-at faults together are `stuck-at`.
fn model(r: &Report) -> String {
    let mut names: Vec<&str> = r.models.iter().map(|g| g.name.as_str()).collect();
    if names.contains(&"stuck-at-0") && names.contains(&"stuck-at-1") {
        names.retain(|n| !n.starts_with("stuck-at"));
        names.push("stuck-at");
    }
    names.join("+")
}

fn extent(d: &super::stats::Spread, z: f64) -> Option<Extent> {
    let one = d.bins.iter().find(|b| b.label == "1");
    let rate = one.map_or(0.0, |b| b.share);
    let (low, high) = wilson(rate, d.rows as f64, z);
    (d.rows > 0).then(|| Extent {
        rows: d.rows,
        single: Share { count: one.map_or(0, |b| b.count), rate, low, high },
        median: d.median,
        p90: d.p90,
    })
}

/// Lines of the groups that any campaign has, named in the order of `names`.
fn grouped(reports: &[Report], groups: fn(&Report) -> &[Group], of: &str, z: f64) -> Vec<Line> {
    let mut names: Vec<&str> = vec![];
    for g in reports.iter().flat_map(groups) {
        if !names.contains(&g.name.as_str()) {
            names.push(&g.name);
        }
    }
    names
        .into_iter()
        .map(|name| {
            let found: Vec<Option<&Group>> =
                reports.iter().map(|r| groups(r).iter().find(|g| g.name == name && g.done > 0)).collect();
            let cells: Vec<Option<Cell>> = found
                .iter()
                .zip(reports)
                .map(|(g, r)| {
                    let all: f64 = groups(r).iter().map(|g| g.weight).sum();
                    g.map(|g| Cell {
                        done: g.done,
                        weight: g.weight / all,
                        share: pick(&g.outcomes, g.avf, of),
                        outcomes: Some(g.outcomes.clone()),
                    })
                })
                .collect();
            let any = reports.iter().flat_map(groups).find(|g| g.name == name);
            let bits: BTreeSet<Option<u64>> = found.iter().flatten().map(|g| g.bits).collect();
            Line {
                name: name.into(),
                places: any.map_or(vec![], |g| g.places.clone()),
                bits: bits.first().copied().flatten().filter(|_| bits.len() == 1),
                mean: mean_cell(&cells),
                cells,
                part: None,
                extents: found.iter().map(|g| extent(&(*g)?.wrong_words, z)).collect(),
            }
        })
        .collect()
}

/// Lines of the shares that any campaign has: `base` is what they are shares of.
fn shares(
    reports: &[Report], prefix: &str, base: impl Fn(&Report) -> (u64, f64), list: impl Fn(&Report) -> &Shares, z: f64,
) -> Vec<Line> {
    let mut names: Vec<&str> = vec![];
    for (name, s) in reports.iter().flat_map(|r| &list(r).0) {
        if !names.contains(name) && s.count > 0 {
            names.push(name);
        }
    }
    let line = |name: &&str| {
        let cell = |r: &Report| {
            let (done, weight) = base(r);
            let found = list(r).0.iter().find(|s| s.0 == *name).map(|s| s.1);
            // Trap causes that did not occur are not listed.
            let none = Share { high: wilson(0.0, done as f64, z).1, ..Share::default() };
            (done > 0).then(|| Cell { done, weight, share: found.unwrap_or(none), outcomes: None })
        };
        let cells: Vec<Option<Cell>> = reports.iter().map(cell).collect();
        Line {
            name: format!("{prefix}{name}"),
            places: vec![],
            bits: None,
            mean: mean_cell(&cells),
            cells,
            part: None,
            extents: vec![],
        }
    };
    names.iter().map(line).collect()
}

fn classes(reports: &[Report], z: f64) -> Vec<Line> {
    let count = |r: &Report, class: FaultOutcome| {
        let share = r.outcomes.of(class.name());
        (share.count, share.rate)
    };
    let done = |r: &Report| (r.rows.done, 1.0);
    let avf: Vec<Shares> = reports.iter().map(|r| Shares(vec![("AVF", r.avf)])).collect();
    let cells: Vec<Option<Cell>> = reports
        .iter()
        .zip(&avf)
        .map(|(r, s)| Some(Cell { done: r.rows.done, weight: 1.0, share: s.of("AVF"), outcomes: None }))
        .collect();
    let mut rows = vec![Line {
        name: "AVF".into(),
        places: vec![],
        bits: None,
        mean: mean_cell(&cells),
        cells,
        part: None,
        extents: reports.iter().map(|r| extent(&r.sdc.wrong_words, z)).collect(),
    }];
    rows.extend(shares(reports, "", done, |r| &r.outcomes, z));
    let masked = |r: &Report| count(r, FaultOutcome::Masked);
    rows.extend(shares(reports, "masked: ", masked, |r| &r.masked, z));
    let due = |r: &Report| count(r, FaultOutcome::Due);
    rows.extend(shares(reports, "due: ", due, |r| &r.causes, z));
    let sdc = |r: &Report| count(r, FaultOutcome::Sdc);
    rows.extend(shares(reports, "sdc: ", sdc, |r| &r.sdc.patterns, z));
    rows
}

impl Compare {
    /// Puts reports side by side; `of` is one of [`OF`] and says what cells of stages and blocks are.
    ///
    /// # Errors
    /// [`FaultError::Ask`]: no report, or another `of`.
    pub fn new(reports: &[Report], by: By, of: &str) -> Result<Self, FaultError> {
        let Some(first) = reports.first() else { return Err(FaultError::Ask("no campaign to compare".into())) };
        if !OF.contains(&of) || (by == By::Class && of != "avf") {
            return Err(FaultError::Ask(format!(
                "a table of {of}: for stages and blocks one of {} is needed, for classes none",
                OF.join(", ")
            )));
        }
        let z = quantile(first.confidence);
        let mut rows = match by {
            By::Stage => grouped(reports, |r| &r.stages, of, z),
            By::Block => grouped(reports, |r| &r.blocks, of, z),
            By::Key => grouped(reports, |r| &r.keys, of, z),
            By::Class => classes(reports, z),
        };
        let add = |l: &Line| Some(l.mean.as_ref()?.share.rate * l.bits? as f64);
        match by {
            By::Stage => {
                rows.sort_by_key(|l| Stage::ALL.iter().position(|s| s.name() == l.name));
            }
            By::Block | By::Key => {
                let key = |l: &Line| add(l).unwrap_or(0.0);
                rows.sort_by(|a, b| key(b).total_cmp(&key(a)).then(b.bits.cmp(&a.bits)));
            }
            By::Class => {}
        }
        let columns = columns(reports);
        // A mean over fault models would be one of nothing.
        if columns.iter().any(|c| c.model != columns[0].model) || columns.len() < 2 {
            rows.iter_mut().for_each(|l| l.mean = None);
        }
        let all: f64 = rows.iter().filter_map(add).sum();
        for l in rows.iter_mut().filter(|_| all > 0.0) {
            l.part = add(l).map(|c| c / all);
        }
        Ok(Compare { by, of: of.into(), confidence: first.confidence, columns, rows })
    }
}

/// Labels are kernels; where two columns would have the same one, the chip and the seed follow.
fn columns(reports: &[Report]) -> Vec<Column> {
    let mut columns: Vec<Column> = reports
        .iter()
        .map(|r| Column {
            label: kernel(&r.campaign.launch),
            model: model(r),
            launch: r.campaign.launch.clone(),
            config: [&[r.campaign.config.clone()][..], &r.campaign.set].concat().join(" "),
            seed: r.campaign.seed,
            cycles: r.campaign.cycles,
            planned: r.rows.planned,
            done: r.rows.done,
            population: r.campaign.population,
        })
        .collect();
    let more: [fn(&Column) -> String; 2] = [|c| c.config.clone(), |c| format!("seed {}", c.seed)];
    for more in more {
        let name = |c: &Column| (c.label.clone(), c.model.clone());
        let all: Vec<_> = columns.iter().map(name).collect();
        for c in &mut columns {
            if all.iter().filter(|n| **n == name(c)).count() > 1 {
                c.label = format!("{}, {}", c.label, more(c));
            }
        }
    }
    columns
}
