//! All faults of a model, numbered without listing them.

use super::activity::Activity;
use super::model::Model;
use super::pattern::BitPattern;
use super::size::check_rows;
use crate::error::FaultError;
use crate::fault::{Fault, FaultKind};
use crate::site::{SiteKind, Sites};
use std::collections::BTreeMap;

/// Faults of a model on some sites. A fault is a choice (place and kind) and a cycle.
pub struct Population<'a> {
    model: &'a Model,
    sites: &'a Sites,
    /// Cycles to choose from; 1 for permanent faults.
    times: u64,
    segments: Vec<Segment>,
    /// Faults that provably change nothing, by block type and kind.
    classes: BTreeMap<(String, FaultKind), Class>,
    /// Sites left out because their words are too narrow for the pattern.
    pub narrow: u64,
}

/// The faults of one site.
struct Segment {
    site: usize,
    /// Positions of the lowest bit in a word.
    positions: u64,
    /// Number of faults that are not collapsed.
    faults: u64,
    left: Left,
}

/// Faults of a site that are not collapsed.
enum Left {
    All,
    /// These choices.
    Choices(Vec<u32>),
    /// Upsets of a memory: the choice, the last of the cycles in which they are equal, how many they are.
    Intervals(Vec<(u64, u64, u64)>),
}

impl Segment {
    /// Faults that can be drawn, those of equal outcome as one.
    fn size(&self) -> u64 {
        match &self.left {
            Left::Intervals(list) => list.len() as u64,
            _ => self.faults,
        }
    }
}

/// Faults that stand as one row.
pub struct Class {
    /// The one that stands for them.
    pub fault: Fault,
    /// How many they are.
    pub faults: u64,
}

/// Some segments, as one range of numbers.
pub struct Runs {
    /// Segment, and the number after its last fault.
    ends: Vec<(usize, u64)>,
}

impl Runs {
    /// Faults in all.
    pub fn size(&self) -> u64 {
        self.ends.last().map_or(0, |e| e.1)
    }
}

impl<'a> Population<'a> {
    /// # Errors
    /// [`FaultError::Ask`] when it is empty or has no number of 64 bits.
    pub fn new(
        model: &'a Model, sites: &'a Sites, chosen: &[usize], cycles: u64, activity: Option<&Activity>,
    ) -> Result<Self, FaultError> {
        let times = match cycles {
            _ if model.is(FaultKind::is_stuck) => 1,
            0 => return Err(FaultError::Ask("the fault-free run has no cycles to put faults into".into())),
            _ => cycles,
        };
        let mut p = Population { model, sites, times, segments: vec![], classes: BTreeMap::new(), narrow: 0 };
        let mut total = 0u128;
        for &site in chosen {
            let s = sites.site(site);
            let span = model.pattern().map_or(1, BitPattern::span);
            if span > s.width {
                p.narrow += 1;
                continue;
            }
            let positions = u64::from(s.width - span + 1);
            let choices = positions * u64::from(s.depth) * model.kinds().len() as u64;
            total += u128::from(choices) * u128::from(times);
            if total > u128::from(u64::MAX) {
                return Err(FaultError::Ask("there are more than 2^64 possible faults: choose fewer sites".into()));
            }
            let mut segment = Segment { site, positions, faults: choices * times, left: Left::All };
            match (activity, s.kind) {
                (Some(a), SiteKind::Reg) => p.collapse(&mut segment, choices, a),
                (Some(a), SiteKind::Ram) if model.is(FaultKind::is_upset) => p.prune(&mut segment, choices, a)?,
                _ => {}
            }
            p.segments.push(segment);
        }
        if let (true, Some(pattern)) = (p.segments.is_empty(), model.pattern()) {
            return Err(FaultError::Ask(format!(
                "no selected word has the {} bits --pattern covers: choose wider sites or a shorter pattern",
                pattern.span()
            )));
        }
        Ok(p)
    }

    /// Takes the faults that provably change nothing out of a segment.
    fn collapse(&mut self, segment: &mut Segment, choices: u64, activity: &Activity) {
        let mut left = vec![];
        for choice in 0..choices {
            let fault = self.at(segment, choice, 0);
            if !activity.never_differs(fault.site, fault.bits[0], fault.kind) {
                // Registers are far narrower than 2^32 bits.
                left.push(choice as u32);
                continue;
            }
            self.add_to_class(fault, self.times);
        }
        if (left.len() as u64) < choices {
            segment.faults = left.len() as u64 * self.times;
            segment.left = Left::Choices(left);
        }
    }

    /// Makes upsets of equal outcome one, and takes out those that nobody reads.
    fn prune(&mut self, segment: &mut Segment, choices: u64, activity: &Activity) -> Result<(), FaultError> {
        let mut left: Vec<(u64, u64, u64)> = vec![];
        for choice in 0..choices {
            let fault = self.at(segment, choice, 0);
            let Some(intervals) = activity.intervals(fault.site, fault.word, &fault.bits, self.times) else {
                return Ok(());
            };
            for i in intervals {
                match i.dead {
                    true => self.add_to_class(Fault { cycle: i.last, ..fault.clone() }, i.cycles),
                    false => left.push((choice, i.last, i.cycles)),
                }
            }
            check_rows(self.model.name(), left.len() as u64)?;
        }
        segment.faults = left.iter().map(|l| l.2).sum();
        segment.left = Left::Intervals(left);
        Ok(())
    }

    fn add_to_class(&mut self, fault: Fault, faults: u64) {
        let block = self.sites.site(fault.site).block.clone();
        let class = self.classes.entry((block, fault.kind)).or_insert(Class { fault, faults: 0 });
        class.faults += faults;
    }

    /// Whether rows stand for several faults of equal outcome.
    pub fn is_pruned(&self) -> bool {
        self.segments.iter().any(|s| matches!(s.left, Left::Intervals(_)))
    }

    /// Faults that are not collapsed.
    pub fn open(&self) -> u64 {
        self.segments.iter().map(|s| s.faults).sum()
    }

    /// The same, those of equal outcome as one.
    pub fn rows(&self) -> u64 {
        self.segments.iter().map(Segment::size).sum()
    }

    /// All faults.
    pub fn population(&self) -> u64 {
        self.open() + self.collapsed().map(|c| c.faults).sum::<u64>()
    }

    /// Classes of collapsed faults.
    pub fn collapsed(&self) -> impl Iterator<Item = &Class> {
        self.classes.values()
    }

    /// The same, taken out.
    pub fn take_collapsed(&mut self) -> Vec<Class> {
        std::mem::take(&mut self.classes).into_values().collect()
    }

    /// Sites that have faults.
    pub fn sites(&self) -> Vec<usize> {
        self.segments.iter().map(|s| s.site).collect()
    }

    /// Removes all faults of a block type.
    pub fn leave_out(&mut self, block: &str) {
        let sites = self.sites;
        self.segments.retain(|s| sites.site(s.site).block != block);
        self.classes.retain(|(b, _), _| b != block);
    }

    /// The faults of a block type, or of all, that are not collapsed.
    pub fn runs(&self, block: Option<&str>) -> Runs {
        let mut end = 0;
        let mut ends = vec![];
        for (i, s) in self.segments.iter().enumerate() {
            if block.is_none_or(|b| self.sites.site(s.site).block == b) {
                end += s.size();
                ends.push((i, end));
            }
        }
        Runs { ends }
    }

    /// Fault number `k` of some segments, and for how many of equal outcome it stands.
    pub fn fault(&self, runs: &Runs, k: u64) -> (Fault, u64) {
        let i = runs.ends.partition_point(|e| e.1 <= k);
        let before = i.checked_sub(1).map_or(0, |b| runs.ends[b].1);
        let segment = &self.segments[runs.ends[i].0];
        let k = k - before;
        let (choice, cycle) = (k / self.times, k % self.times);
        let (choice, cycle, equal) = match &segment.left {
            Left::All => (choice, cycle, 1),
            Left::Choices(left) => (u64::from(left[choice as usize]), cycle, 1),
            Left::Intervals(left) => left[k as usize],
        };
        (self.at(segment, choice, cycle), equal)
    }

    fn at(&self, segment: &Segment, choice: u64, cycle: u64) -> Fault {
        let kinds = self.model.kinds();
        let kind = kinds[(choice % kinds.len() as u64) as usize];
        let place = choice / kinds.len() as u64;
        // Both fit: they are below the site's depth and width.
        let word = (place / segment.positions) as u32;
        let position = (place % segment.positions) as u32;
        let bits = self.model.pattern().map_or_else(|| vec![position], |pattern| pattern.at(position));
        let [duration, period, active] = self.model.times();
        Fault { duration, period, active, ..Fault::simple(segment.site, word, bits, cycle, kind) }
    }
}
