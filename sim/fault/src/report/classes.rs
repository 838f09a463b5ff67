//! Rows with a result, counted by class.

use super::figures::Shares;
use super::stats::{Share, Tally};
use crate::campaign::Row;
use crate::record::{FaultOutcome, Record};

/// Rows with a result, by class.
#[derive(Clone, Default)]
pub struct Counts {
    pub all: Tally,
    classes: [Tally; FaultOutcome::ALL.len()],
    harm: Tally,
}

/// Whether a class counts for the AVF.
pub fn harms(o: FaultOutcome) -> bool {
    matches!(o, FaultOutcome::Sdc | FaultOutcome::Due | FaultOutcome::Detected | FaultOutcome::Hang)
}

impl Counts {
    pub fn add(&mut self, d: &Done) {
        self.all.add(d.weight, d.certain);
        self.classes[d.record.outcome as usize].add(d.weight, d.certain);
        if harms(d.record.outcome) {
            self.harm.add(d.weight, d.certain);
        }
    }

    pub fn of(&self, o: FaultOutcome, z: f64) -> Share {
        self.all.share(&self.classes[o as usize], z)
    }

    /// All classes; those of hardened chips where they occur.
    pub fn outcomes(&self, z: f64) -> Shares {
        let each = FaultOutcome::ALL.iter().map(|o| (*o, self.of(*o, z)));
        let listed = each.filter(|(o, share)| share.count > 0 || !o.is_of_hardened());
        Shares(listed.map(|(o, share)| (o.name(), share)).collect())
    }

    pub fn avf(&self, z: f64) -> Share {
        self.all.share(&self.harm, z)
    }
}

/// A row with its result.
pub struct Done<'a> {
    pub row: &'a Row,
    pub record: &'a Record,
    pub weight: f64,
    pub certain: bool,
}
