//! A campaign: what is run on which chip, and the list of faults.

use crate::fault::Fault;
use std::path::PathBuf;

/// What the faults belong to; the comment lines at the top of a campaign file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Configuration of the chip: a name or a TOML file.
    pub config: String,
    /// Changed parameters, `key=value`.
    pub set: Vec<String>,
    /// SHA-256 of the injecting chip's manifest, hexadecimal; empty: not checked.
    pub chip: String,
    /// Launch file, as given relative to the campaign file.
    pub launch: PathBuf,
    /// SHA-256 of what the launch holds, hexadecimal; empty: not checked.
    pub program: String,
    /// Seed of the power-on state.
    pub power_on: u64,
    /// Cycles of the fault-free run.
    pub cycles: u64,
    /// Command that drew the faults; empty for a hand-made list.
    pub plan: String,
    /// Seed of the draw.
    pub seed: u64,
    /// Possible faults that were drawn from (bits times cycles for upsets, bits for permanent ones).
    pub population: u64,
    /// SHA-256 of the rows, hexadecimal; empty for a hand-made list.
    pub rows: String,
}

/// One fault of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number, from 0, in the order of the file.
    pub row: u64,
    /// Fault.
    pub fault: Fault,
    /// How many faults of the population it stands for.
    pub weight: f64,
}

/// A campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Campaign {
    /// What it belongs to.
    pub header: Header,
    /// Faults, numbers ascending.
    pub rows: Vec<Row>,
}
