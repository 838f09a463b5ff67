//! Fault models of a plan: with their parameters, both stuck values together.

use super::pattern::BitPattern;
use crate::error::FaultError;
use crate::fault::FaultKind;

/// A fault model with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// One stored bit inverted.
    Seu,
    /// The bits of a pattern inverted.
    Mbu(BitPattern),
    /// One bit stuck at one of these values.
    StuckAt(&'static [FaultKind]),
    /// One bit inverted for `duration` cycles.
    Transient {
        /// Cycles, 1 or more.
        duration: u64,
    },
    /// One bit forced to 0 or to 1 now and then.
    Intermittent {
        /// Cycles from first to last; 0: to the end.
        duration: u64,
        /// Cycles from burst to burst.
        period: u64,
        /// Cycles of a burst, 1 to `period`.
        active: u64,
    },
}

impl Model {
    /// Stuck at 0 and at 1.
    pub const STUCK: Model = Model::StuckAt(&[FaultKind::StuckAt0, FaultKind::StuckAt1]);

    /// Name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Model::Seu => "seu",
            Model::Mbu(_) => "mbu",
            Model::StuckAt([one]) => one.name(),
            Model::StuckAt(_) => "stuck-at",
            Model::Transient { .. } => "transient",
            Model::Intermittent { .. } => "intermittent",
        }
    }

    /// Kinds of faults, one for each value a place can be forced to.
    pub(super) fn kinds(&self) -> &'static [FaultKind] {
        match self {
            Model::Seu => &[FaultKind::Seu],
            Model::Mbu(_) => &[FaultKind::Mbu],
            Model::StuckAt(kinds) => kinds,
            Model::Transient { .. } => &[FaultKind::Transient],
            Model::Intermittent { .. } => &[FaultKind::Intermittent0, FaultKind::Intermittent1],
        }
    }

    /// Bits of a word that a fault covers, the lowest first.
    pub(super) fn pattern(&self) -> Option<&BitPattern> {
        match self {
            Model::Mbu(pattern) => Some(pattern),
            _ => None,
        }
    }

    /// `duration`, `period` and `active` of its faults.
    pub(super) fn times(&self) -> [u64; 3] {
        match *self {
            Model::Transient { duration } => [duration, 0, 0],
            Model::Intermittent { duration, period, active } => [duration, period, active],
            _ => [0; 3],
        }
    }

    /// Whether a kind of it is so.
    pub fn is(&self, what: fn(FaultKind) -> bool) -> bool {
        self.kinds().iter().any(|kind| what(*kind))
    }

    pub(super) fn check(&self) -> Result<(), FaultError> {
        let wrong = |text: String| Err(FaultError::Ask(text));
        match self {
            Model::Transient { duration: 0 } => {
                wrong("--duration of a transient fault is 1 or more cycles, found 0".into())
            }
            Model::Intermittent { period: 0, .. } => wrong("--period is 1 or more cycles, found 0".into()),
            Model::Intermittent { period, active, .. } if *active == 0 || active > period => {
                wrong(format!("--active is 1 to --period ({period}) cycles, found {active}"))
            }
            _ => Ok(()),
        }
    }
}
