//! What was found of the faults of a unit.

use super::unit::Unit;
use std::collections::BTreeMap;
use warpsmith_fault::{FaultOutcome, Pattern, Record};
use warpsmith_gates::simulate::Outcome;
use warpsmith_gates::{Circuit, Collapsed, Patterns};

/// The faults of a unit, and what patterns and chip say of them.
pub struct Findings<'a> {
    pub unit: &'a Unit,
    pub circuit: &'a Circuit,
    pub faults: &'a Collapsed,
    pub patterns: &'a Patterns,
    pub outcome: &'a Outcome,
    /// What became of the classes that were carried into the chip.
    pub records: BTreeMap<usize, Record>,
    /// Of the fault-free run.
    pub cycles: u64,
    /// Processor time of the simulation at the unit.
    pub seconds: f64,
    pub dropped: bool,
}

/// A count of faults and of their classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub faults: u64,
    pub classes: u64,
}

impl Count {
    /// One more class, of so many faults.
    pub fn add(&mut self, size: usize) {
        self.faults += size as u64;
        self.classes += 1;
    }

    /// Shares of another count: of faults, of classes.
    pub fn of(self, all: Count) -> (f64, f64) {
        let share = |n: u64, of: u64| if of == 0 { 0.0 } else { n as f64 / of as f64 };
        (share(self.faults, all.faults), share(self.classes, all.classes))
    }
}

impl Findings<'_> {
    pub fn all(&self) -> Count {
        Count { faults: self.faults.faults() as u64, classes: self.faults.classes() as u64 }
    }

    /// Those that a pattern shows at the unit.
    pub fn detected(&self) -> Count {
        let mut count = Count::default();
        for (class, d) in self.outcome.detections.iter().enumerate() {
            if d.first.is_some() {
                count.add(self.faults.size(class));
            }
        }
        count
    }

    /// Those carried into the chip, by outcome.
    pub fn in_chip(&self) -> BTreeMap<FaultOutcome, Count> {
        let mut counts: BTreeMap<FaultOutcome, Count> = BTreeMap::new();
        for (class, record) in &self.records {
            counts.entry(record.outcome).or_default().add(self.faults.size(*class));
        }
        counts
    }

    /// Silent corruptions with a property.
    pub fn corruptions(&self, of: impl Fn(&Record) -> bool) -> Count {
        let mut count = Count::default();
        for (class, _) in self.records.iter().filter(|(_, r)| r.outcome == FaultOutcome::Sdc && of(r)) {
            count.add(self.faults.size(*class));
        }
        count
    }

    /// Shapes of silent corruptions: name, what it says, count.
    pub fn shapes(&self) -> Vec<(&'static str, &'static str, Count)> {
        let pattern = |p: Pattern| self.corruptions(move |r| r.pattern == Some(p));
        vec![
            ("one_bit", "one bit of one word", self.corruptions(|r| r.wrong_bits == 1)),
            ("one_bit_a_word", "one bit of every wrong word", self.corruptions(|r| r.wrong_bits == r.wrong_words)),
            ("single", "one word", pattern(Pattern::Single)),
            ("run", "neighbouring words", pattern(Pattern::Run)),
            ("stride", "words at one distance", pattern(Pattern::Stride)),
            ("scattered", "other words", pattern(Pattern::Scattered)),
            ("floats", "of floats", self.corruptions(|r| r.relative_error.is_some())),
            (
                "infinite",
                "of these, an infinite relative error",
                self.corruptions(|r| r.relative_error == Some(f64::INFINITY)),
            ),
        ]
    }

    /// Evaluations a second of processor time; the simulation takes one core.
    pub fn rate(&self) -> f64 {
        self.outcome.evaluations as f64 / self.seconds.max(1e-9)
    }
}
