//! Report of a campaign: shares of the classes with intervals, by block, stage, fault model and
//! kind of site, over time; shapes of silent corruptions; convergence of the estimate.
//!
//! Every share is weighted by [`crate::Row::weight`]; its interval is Wilson's with the effective
//! number of rows (Kish). AVF (architectural vulnerability factor, Mukherjee 2003): the share of
//! faults that end in silent corruption, a detected error or a hang. Formulas: docs/fault-report.md.

mod classes;
pub mod compare;
mod count;
mod figures;
mod grid;
mod groups;
pub mod page;
mod plot;
pub mod protections;
pub mod stats;
pub mod table;

pub use figures::{Group, Origin, Point, Report, Rows, Sdc, Shares, Slice};

use crate::campaign::Campaign;
use crate::error::FaultError;
use crate::record::{FaultOutcome, Record};
use crate::site::Sites;
use std::collections::{BTreeMap, BTreeSet};

impl Report {
    /// Counts a campaign's results, given by row number. `certain`: rows that stand for a whole
    /// class of faults of provably one outcome, so that no sampling error comes from them.
    ///
    /// # Errors
    /// [`FaultError::Control`] when the fault-free control run is missing or had an effect;
    /// [`FaultError::Ask`] when nothing has been run, no fault changed a bit, or campaign, sites,
    /// results and confidence do not go together.
    pub fn new(
        campaign: &Campaign, sites: &Sites, records: &BTreeMap<u64, Record>, control: Option<&Record>,
        certain: &BTreeSet<u64>, confidence: f64,
    ) -> Result<Self, FaultError> {
        check_control(control, campaign.header.cycles)?;
        count::report(campaign, sites, records, certain, confidence)
    }
}

/// The control run must be the fault-free run.
fn check_control(control: Option<&Record>, cycles: u64) -> Result<(), FaultError> {
    let Some(c) = control else {
        return Err(FaultError::Control("the results hold none; `warpsmith fault run` makes it".into()));
    };
    let wrong = |what: String| Err(FaultError::Control(what));
    if !matches!(c.outcome, FaultOutcome::Masked | FaultOutcome::NotActivated) {
        return wrong(format!("it ended as {}", c.outcome));
    }
    if let Some(at) = c.activated {
        return wrong(format!("a bit was changed in cycle {at}"));
    }
    if c.wrong_words > 0 || c.words_outside > 0 {
        return wrong(format!("{} words of memory differ", c.wrong_words + c.words_outside));
    }
    if cycles > 0 && c.cycles != cycles {
        return wrong(format!("it took {} cycles, the campaign was planned on {cycles}", c.cycles));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
