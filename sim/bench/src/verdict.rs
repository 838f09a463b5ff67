//! What is wanted of a row against what it reached.

use crate::{Case, Row, Target};
use serde::Serialize;

/// One target and how far the row is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What is compared: `issue`, `port`, …
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
        Verdict {
            what: what.into(),
            reached,
            wanted,
            at_least: true,
            met: reached >= wanted,
        }
    }

    fn at_most(what: &str, reached: f64, wanted: f64) -> Self {
        Verdict {
            at_least: false,
            met: reached <= wanted,
            ..Self::at_least(what, reached, wanted)
        }
    }

    /// `issue 0.95 ≥ 0.90, met`.
    pub fn text(&self) -> String {
        let sign = if self.at_least { '≥' } else { '≤' };
        let met = if self.met { "met" } else { "**not met**" };
        format!(
            "{} {:.2} (wanted {sign} {:.2}): {met}",
            self.what, self.reached, self.wanted
        )
    }
}

/// Judges a row; none without a target, or when the row it is compared with was not run.
pub fn judge(case: &Case, row: &Row, all: &[Row]) -> Option<Verdict> {
    let other = |key: &str| {
        all.iter()
            .find(|r| r.config == row.config && r.key() == key)
            .map(|r| r.cycles as f64)
    };
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
        Target::Sfu(x) => Some(Verdict::at_least("sfu", row.sfu_utilisation?, *x)),
        Target::Chain(x) => (row.lanes == 8)
            .then(|| Verdict::at_most("cycles/instr.", cycles / row.warp_instructions as f64, *x)),
        Target::Against(key, x) => Some(Verdict::at_most(
            &format!("cycles against `{key}`"),
            cycles / other(key)?,
            *x,
        )),
        Target::Conflict {
            free,
            instructions,
            ways,
            limit,
        } => {
            let beats = u64::from(32 / row.lanes);
            let ideal = (instructions * beats * (ways - 1)) as f64;
            Some(Verdict::at_most(
                "cost / serialisation",
                (cycles - other(free)?) / ideal,
                *limit,
            ))
        }
        Target::SpeedUp(x) => {
            let one = all
                .iter()
                .find(|r| r.sms == 1 && r.lanes == row.lanes && r.key() == row.key())?;
            (row.sms > 1).then(|| {
                Verdict::at_least(
                    "speed-up",
                    one.cycles as f64 / cycles,
                    x * f64::from(row.sms),
                )
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_met_on_its_own_side() {
        assert!(Verdict::at_least("x", 0.9, 0.9).met && !Verdict::at_least("x", 0.89, 0.9).met);
        assert!(Verdict::at_most("x", 10.0, 10.0).met && !Verdict::at_most("x", 10.1, 10.0).met);
        assert_eq!(
            Verdict::at_most("x", 10.5, 10.0).text(),
            "x 10.50 (wanted ≤ 10.00): **not met**"
        );
    }
}
