//! Target of a row against the figure it reached.

use crate::measure::Row;
use crate::suite::{Case, Target};
use serde::Serialize;

/// Warps on an SM from which the lanes are to be full.
const FULL: u32 = 8;

/// One target and how far the row is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Compared figure: `issue`, `port`, …
    pub what: String,
    /// Reached.
    pub reached: f64,
    /// Wanted.
    pub wanted: f64,
    /// Whether more is better.
    pub at_least: bool,
    /// Whether it is reached.
    pub met: bool,
}

impl Verdict {
    fn at_least(what: &str, reached: f64, wanted: f64) -> Self {
        Verdict { what: what.into(), reached, wanted, at_least: true, met: reached >= wanted }
    }

    fn at_most(what: &str, reached: f64, wanted: f64) -> Self {
        Verdict { at_least: false, met: reached <= wanted, ..Self::at_least(what, reached, wanted) }
    }

    /// `issue 0.95 (wanted ≥ 0.90): met`; more digits where two would hide what is missing.
    pub fn text(&self) -> String {
        let sign = if self.at_least { '≥' } else { '≤' };
        let met = if self.met { "met" } else { "**not met**" };
        let hidden = !self.met && format!("{:.2}", self.reached) == format!("{:.2}", self.wanted);
        format!(
            "{} {:.digits$} (wanted {sign} {:.2}): {met}",
            self.what,
            self.reached,
            self.wanted,
            digits = if hidden { 4 } else { 2 }
        )
    }
}

/// Judges a row; none without a target, or when the row it is compared with was not run.
pub fn judge(case: &Case, row: &Row, all: &[Row]) -> Option<Verdict> {
    let other = |key: &str| all.iter().find(|r| r.config == row.config && r.key() == key).map(|r| r.cycles as f64);
    let cycles = row.cycles as f64;
    // Requests that merging could have saved keep the port busy, but not usefully.
    let useful_port = row.ideal_requests as f64 / cycles;
    match case.target.as_ref()? {
        Target::Issue(x) => Some(Verdict::at_least("issue", row.issue_utilisation, *x)),
        Target::Port(x) => Some(Verdict::at_least("useful port", useful_port, *x)),
        Target::Bound(x) => {
            let (name, reached) = if useful_port > row.issue_utilisation {
                ("useful port", useful_port)
            } else {
                ("issue", row.issue_utilisation)
            };
            Some(Verdict::at_least(name, reached, *x))
        }
        Target::Filled { least, port } => {
            if row.warps < FULL {
                return None;
            }
            // Each is its work over the same cycles: the greatest is the one with the most work.
            let sfu = row.sfu_utilisation.unwrap_or(0.0);
            let (name, reached, wanted) = [("useful port", useful_port, port), ("sfu", sfu, least)].into_iter().fold(
                ("issue", row.issue_utilisation, least),
                |a, b| {
                    if b.1 > a.1 {
                        b
                    } else {
                        a
                    }
                },
            );
            Some(Verdict::at_least(name, reached, *wanted))
        }
        Target::Sfu(x) => Some(Verdict::at_least("sfu", row.sfu_utilisation?, *x)),
        Target::Chain(x) => {
            (row.lanes == 8).then(|| Verdict::at_most("cycles/instr.", cycles / row.warp_instructions as f64, *x))
        }
        Target::Against(key, x) => Some(Verdict::at_most(&format!("cycles against `{key}`"), cycles / other(key)?, *x)),
        Target::Conflict { free, instructions, ways, limit } => {
            let beats = u64::from(32 / row.lanes);
            let ideal = (instructions * beats * (ways - 1)) as f64;
            Some(Verdict::at_most("cost / serialisation", (cycles - other(free)?) / ideal, *limit))
        }
        Target::SpeedUp(x) => {
            let one = all.iter().find(|r| r.sms == 1 && r.lanes == row.lanes && r.key() == row.key())?;
            (row.sms > 1).then(|| Verdict::at_least("speed-up", one.cycles as f64 / cycles, x * f64::from(row.sms)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Suite;
    use std::collections::BTreeMap;
    use warpsmith_model::Launch;

    #[test]
    fn a_limit_is_met_on_its_own_side() {
        assert!(Verdict::at_least("x", 0.9, 0.9).met && !Verdict::at_least("x", 0.89, 0.9).met);
        assert!(Verdict::at_most("x", 10.0, 10.0).met && !Verdict::at_most("x", 10.1, 10.0).met);
        assert_eq!(Verdict::at_most("x", 10.5, 10.0).text(), "x 10.50 (wanted ≤ 10.00): **not met**");
        assert_eq!(Verdict::at_least("x", 0.8996, 0.9).text(), "x 0.8996 (wanted ≥ 0.90): **not met**");
    }

    /// A row of `warps` warps and 1,000 cycles on one SM, busy as given; a request is a cycle.
    fn verdict(warps: u32, issue: f64, requests: u64, sfu: Option<f64>) -> Option<Verdict> {
        let row = Row {
            config: "default".into(),
            sms: 1,
            lanes: 8,
            suite: Suite::Kernels,
            kernel: "k".into(),
            size: None,
            warps,
            cycles: 1000,
            warp_instructions: 0,
            thread_instructions: 0,
            issue_utilisation: issue,
            lane_utilisation: issue,
            stalls: BTreeMap::new(),
            // Twice what is needed: those do not count.
            requests: 2 * requests,
            lines: None,
            port_utilisation: 2.0 * requests as f64 / 1000.0,
            ideal_requests: requests,
            coalescing: Some(0.5),
            sfu_utilisation: sfu,
            flexgripplus: None,
        };
        let case = Case {
            suite: Suite::Kernels,
            name: "k".into(),
            size: None,
            launch: Launch::from_words("k", vec![]),
            target: Some(Target::Filled { least: 0.9, port: 0.8 }),
            long: false,
        };
        judge(&case, &row, &[])
    }

    #[test]
    fn a_kernel_is_judged_by_what_has_the_most_work() {
        let named = |v: Option<Verdict>| v.map(|v| (v.what, v.reached, v.wanted, v.met));
        let is = |what: &str, reached, wanted, met| Some((what.to_string(), reached, wanted, met));
        assert_eq!(named(verdict(8, 0.91, 300, Some(0.4))), is("issue", 0.91, 0.9, true));
        assert_eq!(named(verdict(8, 0.89, 300, None)), is("issue", 0.89, 0.9, false));
        // The port has a lower limit, and only when it is what binds.
        assert_eq!(named(verdict(12, 0.5, 810, Some(0.4))), is("useful port", 0.81, 0.8, true));
        assert_eq!(named(verdict(12, 0.82, 790, None)), is("issue", 0.82, 0.9, false));
        assert_eq!(named(verdict(32, 0.5, 600, Some(0.85))), is("sfu", 0.85, 0.9, false));
    }

    #[test]
    fn fewer_than_eight_warps_are_not_judged() {
        assert_eq!(verdict(7, 0.99, 0, None), None);
        assert!(verdict(8, 0.99, 0, None).is_some());
    }
}
