//! What a report holds.

use super::stats::{Share, Spread};
use crate::record::{FaultOutcome, How};
use serde::{Serialize, Serializer};

/// Bins of the time axis, at most.
pub(super) const BINS: u64 = 20;

/// Named shares, in the order of tables; a JSON object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares(pub Vec<(&'static str, Share)>);

impl Shares {
    /// A share by name; all zero where there is none.
    pub fn of(&self, name: &str) -> Share {
        let found = self.0.iter().find(|s| s.0 == name);
        found.map(|s| s.1).unwrap_or_default()
    }

    /// Whether it lists a class.
    pub(super) fn lists(&self, outcome: FaultOutcome) -> bool {
        self.0.iter().any(|s| s.0 == outcome.name())
    }

    /// DUE in the wide sense: the traps of a hardened chip that detects the fault among them.
    pub(super) fn due(&self) -> f64 {
        self.of(FaultOutcome::Due.name()).rate + self.of(FaultOutcome::Detected.name()).rate
    }

    /// Masked in the wide sense: what a hardened chip corrected among them.
    pub(super) fn masked(&self) -> f64 {
        self.of(FaultOutcome::Masked.name()).rate + self.of(FaultOutcome::Corrected.name()).rate
    }
}

impl Serialize for Shares {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(name, share)| (name, share)))
    }
}

/// The campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Origin {
    /// Configuration of the chip.
    pub config: String,
    /// Changed parameters.
    pub set: Vec<String>,
    /// Launch file.
    pub launch: String,
    /// Version of the program that made the report.
    pub version: &'static str,
    /// SHA-256 of the chip's manifest.
    pub chip: String,
    /// SHA-256 of the rows of the campaign, as in the database of results.
    pub digest: String,
    /// Command that drew the faults.
    pub plan: String,
    /// Seed of the draw.
    pub seed: u64,
    /// Seed of the power-on state.
    pub power_on: u64,
    /// Cycles of the fault-free run.
    pub cycles: u64,
    /// Possible faults that were drawn from.
    pub population: u64,
}

/// Rows of the campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rows {
    /// In the campaign file.
    pub planned: u64,
    /// With a result.
    pub done: u64,
    /// Whose fault changed a bit.
    pub activated: u64,
    /// That stand for all their faults: no sampling error comes from them.
    pub certain: u64,
    /// Effective number of the others with a result: smaller when weights differ.
    pub effective: f64,
    /// Whether their weights differ.
    pub weighted: bool,
}

/// Rows that have something in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Group {
    /// Block type, stage, fault model or kind of site.
    pub name: String,
    /// Of a block type: where it is, `*` for numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Bits of the group's sites, of the kinds the campaign has faults in; not of fault models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u64>,
    /// Rows.
    pub planned: u64,
    /// Rows with a result.
    pub done: u64,
    /// Effective number of those that are sampled.
    pub effective: f64,
    /// Sum of the weights of all of them.
    pub weight: f64,
    /// Share of each class.
    pub outcomes: Shares,
    /// Silent corruptions, detected errors and hangs.
    pub avf: Share,
    /// Wrong words of its silent corruptions.
    #[serde(skip_serializing_if = "Spread::is_empty")]
    pub wrong_words: Spread,
    /// AVF times bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribution: Option<f64>,
    /// Part of the contribution of all groups of this table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribution_share: Option<f64>,
}

/// Faults of some cycles.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Slice {
    /// First cycle.
    pub from: u64,
    /// First cycle after it.
    pub to: u64,
    /// Rows with a result.
    pub done: u64,
    /// Share of each class.
    pub outcomes: Shares,
    /// Silent corruptions, detected errors and hangs.
    pub avf: Share,
}

/// The estimate after some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    /// Rows so far, in shuffled order.
    pub rows: u64,
    /// AVF.
    pub avf: Share,
    /// Share of silent corruptions.
    pub sdc: Share,
}

/// Silent corruptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sdc {
    /// Shape of the wrong words, shares of the silent corruptions.
    pub patterns: Shares,
    /// Wrong words.
    pub wrong_words: Spread,
    /// Wrong bits.
    pub wrong_bits: Spread,
    /// Greatest relative error, where floats are expected.
    pub relative_error: Spread,
}

/// Report of a campaign. `Serialize` gives the JSON object of `warpsmith fault report --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The campaign.
    pub campaign: Origin,
    /// Confidence of all intervals.
    pub confidence: f64,
    /// Rows.
    pub rows: Rows,
    /// Share of each class.
    pub outcomes: Shares,
    /// Silent corruptions, detected errors and hangs.
    pub avf: Share,
    /// How faults were masked, shares of the masked ones.
    pub masked: Shares,
    /// Trap causes, shares of the detected errors.
    pub causes: Shares,
    /// By block type, greatest contribution first.
    pub blocks: Vec<Group>,
    /// By what a key of `[harden]` protects, registers and memories apart, greatest contribution first.
    pub keys: Vec<Group>,
    /// By part of the chip.
    pub stages: Vec<Group>,
    /// By fault model.
    pub models: Vec<Group>,
    /// By kind of site.
    pub kinds: Vec<Group>,
    /// By cycle of the injection, without stuck-at faults; empty if all have one cycle.
    pub time: Vec<Slice>,
    /// Silent corruptions.
    pub sdc: Sdc,
    /// Cycles from activation to the comparison that found all state equal again.
    pub latency: Spread,
    /// Convergence of the estimate.
    pub running: Vec<Point>,
}

impl Report {
    /// Whether all rows have a result.
    pub fn complete(&self) -> bool {
        self.rows.done == self.rows.planned
    }
}

/// Names of the ways of masking, with what they mean.
pub(super) const HOW: [(How, &str); 4] = [
    (How::Overwritten, "written over before any use"),
    (How::Logical, "used, without effect on results"),
    (How::Unused, "still there at the end, never used"),
    (How::Outside, "changed memory no one expects anything of"),
];
