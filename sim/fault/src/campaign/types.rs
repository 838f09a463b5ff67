//! What a campaign is, and the words of its file.

use crate::fault::Fault;
use std::path::{Path, PathBuf};

/// First line of a campaign file.
pub(super) const FIRST: &str = "# warpsmith campaign 1";

/// Columns of the table, in the order they are written.
pub(super) const COLUMNS: [&str; 10] =
    ["row", "site", "word", "bit", "cycle", "kind", "duration", "period", "active", "weight"];

/// Keys of the header, in the order they are written.
pub(super) const KEYS: [&str; 13] = [
    "config", "set", "chip", "launch", "program", "power_on", "cycles", "plan", "seed", "population", "pruned",
    "collapsed", "rows",
];

/// How rows of an exhaustive campaign stand for several upsets: those of the same bits of a memory from an access to
/// the next.
pub const DEF_USE: &str = "def-use";

/// Chip, launch and plan of the faults; the comment lines at the top of a campaign file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Configuration of the chip: a name, or a TOML file relative to the campaign file.
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
    /// Cycles of the fault-free run; 0: not known.
    pub cycles: u64,
    /// Command that drew the faults; empty for a hand-made list.
    pub plan: String,
    /// Seed of the draw.
    pub seed: u64,
    /// Possible faults that were drawn from (bits times cycles for upsets, bits for permanent ones).
    pub population: u64,
    /// Every fault is in a row, and those of a row have one outcome; [`DEF_USE`].
    pub pruned: bool,
    /// Rows that stand for faults of provably one outcome.
    pub collapsed: Vec<Collapsed>,
    /// SHA-256 of the table, hexadecimal; empty for a hand-made list.
    pub rows: String,
}

/// A row that stands for a whole class of faults whose outcome is provably its own. Its share of
/// the population is exact: no sampling error comes from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collapsed {
    /// Rule that proves it, such as [`crate::plan::NEVER_DIFFERS`].
    pub rule: String,
    /// Row.
    pub row: u64,
    /// Faults of the class, the row's own included.
    pub faults: u64,
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
    /// Chip, launch and plan.
    pub header: Header,
    /// Faults, numbers ascending.
    pub rows: Vec<Row>,
}

impl Header {
    /// The launch file, for a campaign file at `campaign`.
    pub fn launch_path(&self, campaign: &Path) -> PathBuf {
        campaign.parent().unwrap_or(Path::new("")).join(&self.launch)
    }

    /// The configuration as `--config` takes it, for a campaign file at `campaign`.
    pub fn chip_config(&self, campaign: &Path) -> String {
        if self.config.contains(['/', '\\']) || self.config.ends_with(".toml") {
            let folder = campaign.parent().unwrap_or(Path::new(""));
            folder.join(&self.config).to_string_lossy().into_owned()
        } else {
            self.config.clone()
        }
    }
}
