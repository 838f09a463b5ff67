//! Drawing the faults of a campaign.
//!
//! Each fault model asked for has a population of its own: every place (bit, or position of a bit
//! pattern) of the selected sites, times every value it can be forced to, times every cycle of the
//! fault-free run unless the fault is permanent. Faults are drawn from it without replacement; the
//! weight of a row is the number of faults of the population it stands for, so that the weights of
//! a model sum to its population and weighted shares are unbiased under every strategy.
//!
//! The order of the rows is random too: the first rows of a campaign are a sample of their own.
//! Seed and arguments decide the draw on every platform (ChaCha, integer ranges).

mod access;
mod activity;
mod model;
mod pattern;
mod population;
mod sample;
mod size;

pub use access::Accesses;
pub use activity::Activity;
pub use model::Model;
pub use pattern::BitPattern;
use size::check_rows;
pub use size::{sample_size, Precision};

use crate::campaign::{Collapsed, Row};
use crate::error::FaultError;
use crate::fault::FaultKind;
use crate::site::{glob, Filter, SiteKind, Sites};
use population::Population;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sample::{floyd, shares, shuffle, Stratum};
use std::collections::BTreeSet;

/// Rule of collapsing: the bits read as the forced value in every cycle of the fault-free run, so
/// the fault never changes anything and the run is the fault-free run. All such faults of a block
/// type and value are one row.
pub const NEVER_DIFFERS: &str = "never-differs";

/// Rule of collapsing: the bits of a memory word are not read again before they are written. All such upsets of a block
/// type are one row.
pub const NEVER_READ: &str = "never-read";

/// How faults are drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Strategy {
    /// Every fault with equal probability.
    Uniform,
    /// The same share of every block type, at least one fault each.
    Stratified,
    /// A fault of a block type is drawn this many times as often: pattern and weight; the first
    /// that matches counts, 1 without one, 0 leaves the block out of the population.
    Weighted(Vec<(String, f64)>),
    /// All faults.
    Exhaustive,
}

/// Request of a draw.
#[derive(Clone, Debug)]
pub struct Request {
    /// Fault models, each drawn from its own population.
    pub models: Vec<Model>,
    /// Strategy.
    pub strategy: Strategy,
    /// Sites; without kinds, upsets take registers and memories, other models registers.
    pub filter: Filter,
    /// Faults of all models together, drawn in equal parts; without it the precision decides, for
    /// each model.
    pub count: Option<u64>,
    /// Precision.
    pub precision: Precision,
    /// Seed.
    pub seed: u64,
}

/// Draw of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Model.
    pub model: &'static str,
    /// Possible faults.
    pub population: u64,
    /// Faults of provably equal outcome, represented by `classes` rows.
    pub collapsed: u64,
    /// Rows that stand for them.
    pub classes: u64,
    /// Sample the precision asks for, from the faults that are not collapsed.
    pub asked: u64,
    /// Rows drawn.
    pub drawn: u64,
    /// Sites with words too narrow for the pattern.
    pub narrow: u64,
}

/// Faults of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows, numbered.
    pub rows: Vec<Row>,
    /// Rows that stand for faults of provably one outcome.
    pub collapsed: Vec<Collapsed>,
    /// Draw of each model.
    pub parts: Vec<Part>,
    /// Rows stand for upsets of equal outcome, by [`crate::campaign::DEF_USE`].
    pub pruned: bool,
}

impl Plan {
    /// Possible faults of all models.
    pub fn population(&self) -> u64 {
        let all = self.parts.iter().map(|p| p.population);
        all.fold(0, u64::saturating_add)
    }
}

/// `count` different numbers below `all`, ascending, every set with equal probability; all of them where there are no
/// more.
pub fn some_of(all: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let drawn = floyd(&mut rng, all as u64, count.min(all) as u64);
    let mut list: Vec<usize> = drawn.into_iter().map(|n| n as usize).collect();
    list.sort_unstable();
    list
}

/// Refuses what no fault-free run can make possible: before a simulation is spent on it.
///
/// # Errors
/// [`FaultError::Ask`], as for [`draw`].
pub fn check(request: &Request, sites: &Sites) -> Result<(), FaultError> {
    let mut populations = populations(request, sites, 1, None)?;
    for p in &mut populations {
        strata(p, &request.strategy, sites)?;
    }
    Ok(())
}

/// The population of each model.
fn populations<'a>(
    request: &'a Request, sites: &'a Sites, cycles: u64, activity: Option<&Activity>,
) -> Result<Vec<Population<'a>>, FaultError> {
    let ask = |text: &str| Err(FaultError::Ask(text.into()));
    request.precision.check()?;
    if request.count == Some(0) {
        return ask("--count is 1 or more faults, found 0");
    }
    if request.count.is_some() && request.strategy == Strategy::Exhaustive {
        return ask("--strategy exhaustive takes all faults: leave out --count");
    }
    let population = |model: &'a Model| {
        model.check()?;
        let chosen = choose(model, &request.filter, sites)?;
        Population::new(model, sites, &chosen, cycles, activity)
    };
    request.models.iter().map(population).collect()
}

/// Draws faults for a chip with these sites and a fault-free run of `cycles` cycles. With an
/// activity, faults that provably change nothing are collapsed; with accesses of memories, which belong to an exhaustive
/// campaign, upsets of equal outcome are one row.
///
/// # Errors
/// [`FaultError::Ask`] when there is nothing to draw from, or the request contradicts itself.
pub fn draw(request: &Request, sites: &Sites, cycles: u64, activity: Option<&Activity>) -> Result<Plan, FaultError> {
    let mut populations = populations(request, sites, cycles, activity)?;
    let mut rng = ChaCha8Rng::seed_from_u64(request.seed);
    let (mut classes, mut drawn, mut parts) = (vec![], vec![], vec![]);
    for (i, p) in populations.iter_mut().enumerate() {
        let strata = strata(p, &request.strategy, sites)?;
        let mut part = Part {
            model: request.models[i].name(),
            population: p.population(),
            collapsed: p.collapsed().map(|c| c.faults).sum(),
            classes: p.collapsed().count() as u64,
            asked: sample_size(p.open(), &request.precision),
            drawn: 0,
            narrow: p.narrow,
        };
        let wanted = match (&request.strategy, request.count) {
            (Strategy::Exhaustive, _) => p.rows(),
            (_, Some(n)) => {
                // Equal parts; the first models take what is left over.
                let models = request.models.len() as u64;
                n / models + u64::from((i as u64) < n % models)
            }
            (_, None) => part.asked,
        };
        let wanted = wanted.min(p.rows());
        check_rows(part.model, wanted.saturating_add(drawn.len() as u64))?;
        let before = drawn.len();
        for (Stratum { runs, .. }, n) in strata.iter().zip(shares(&strata, wanted)?) {
            let share = runs.size() as f64 / n as f64;
            let numbers = match request.strategy {
                Strategy::Exhaustive => (0..n).collect(),
                _ => floyd(&mut rng, runs.size(), n),
            };
            drawn.extend(numbers.into_iter().map(|k| {
                let (fault, equal) = p.fault(runs, k);
                (fault, share * equal as f64)
            }));
        }
        part.drawn = (drawn.len() - before) as u64;
        classes.extend(p.take_collapsed());
        parts.push(part);
    }
    if request.strategy != Strategy::Exhaustive {
        shuffle(&mut rng, &mut drawn);
    }
    let pruned = populations.iter().any(Population::is_pruned);
    let mut plan = Plan { rows: Vec::with_capacity(classes.len() + drawn.len()), collapsed: vec![], parts, pruned };
    for class in classes {
        let row = plan.rows.len() as u64;
        let rule = if class.fault.kind.is_upset() { NEVER_READ } else { NEVER_DIFFERS };
        plan.collapsed.push(Collapsed { rule: rule.into(), row, faults: class.faults });
        plan.rows.push(Row { row, fault: class.fault, weight: class.faults as f64 });
    }
    for (fault, weight) in drawn {
        let row = plan.rows.len() as u64;
        plan.rows.push(Row { row, fault, weight });
    }
    Ok(plan)
}

/// Sites of a model: what the filter lets through and the model can act on.
fn choose(model: &Model, filter: &Filter, sites: &Sites) -> Result<Vec<usize>, FaultError> {
    let mut filter = filter.clone();
    if filter.kinds.is_empty() {
        filter.kinds.push(SiteKind::Reg);
        if model.is(FaultKind::is_upset) {
            filter.kinds.push(SiteKind::Ram);
        }
    }
    let mut chosen = sites.select(&filter);
    if chosen.is_empty() {
        let kinds: Vec<&str> = filter.kinds.iter().map(|k| k.name()).collect();
        return Err(FaultError::Ask(format!(
            "no fault site of kind {} matches --block and --name (--site-kind chooses the kinds); `warpsmith fault sites` lists all",
            kinds.join(" or ")
        )));
    }
    if model.is(FaultKind::is_upset) {
        chosen.retain(|&s| sites.site(s).kind != SiteKind::Out);
        if chosen.is_empty() {
            return Err(FaultError::Ask(format!(
                "outputs of blocks store nothing and cannot be upset ({}): use --kind transient or stuck-at, or --site-kind reg or ram",
                model.name()
            )));
        }
    }
    Ok(chosen)
}

/// The parts of a population that are drawn from separately. Leaves blocks of weight 0 out of it.
fn strata(p: &mut Population, strategy: &Strategy, sites: &Sites) -> Result<Vec<Stratum>, FaultError> {
    let weights: &[(String, f64)] = match strategy {
        Strategy::Uniform | Strategy::Exhaustive => {
            let runs = p.runs(None);
            return Ok(vec![Stratum { weight: 1.0, runs }]);
        }
        Strategy::Stratified => &[],
        Strategy::Weighted(weights) => weights,
    };
    let numbers = p.sites();
    let blocks: BTreeSet<&str> = numbers.iter().map(|&s| sites.site(s).block.as_str()).collect();
    for (pattern, w) in weights {
        if !(w.is_finite() && *w >= 0.0) {
            return Err(FaultError::Ask(format!("--weight {pattern}={w}: a weight is a number from 0 up")));
        }
        if !blocks.iter().any(|b| glob(pattern, b)) {
            let names: Vec<&str> = blocks.iter().copied().collect();
            return Err(FaultError::Ask(format!(
                "--weight {pattern}={w}: no selected block type matches; there are {}",
                names.join(", ")
            )));
        }
    }
    let mut strata = vec![];
    for block in blocks {
        let given = weights.iter().find(|(pattern, _)| glob(pattern, block));
        match given.map_or(1.0, |g| g.1) {
            0.0 => p.leave_out(block),
            weight => strata.push((block, weight)),
        }
    }
    if strata.is_empty() {
        return Err(FaultError::Ask("--weight leaves out every selected block type".into()));
    }
    // Only now: leaving out renumbers.
    let runs = |(block, weight)| Stratum { weight, runs: p.runs(Some(block)) };
    Ok(strata.into_iter().map(runs).collect())
}

#[cfg(test)]
mod tests;
