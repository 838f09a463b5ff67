//! The campaign that a database of results belongs to.

use crate::campaign::{Campaign, Row};
use crate::error::FaultError;
use crate::site::Sites;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// The campaign of results. A database holds results of one campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// SHA-256 of the rows ([`digest`]), hexadecimal.
    pub campaign: String,
    /// Rows of the campaign.
    pub rows: u64,
    /// SHA-256 of the injecting chip's manifest, hexadecimal.
    pub chip: String,
    /// SHA-256 of the launch's contents, hexadecimal.
    pub launch: String,
    /// Seed of the power-on state.
    pub power_on: u64,
    /// Seed of the draw.
    pub seed: u64,
    /// Options of the simulator that change records, for a reader: `hang 2, early stop`.
    pub options: String,
    /// Cycles of the fault-free run.
    pub cycles: u64,
}

impl Meta {
    /// The fields that the campaign gives; the simulator gives the others.
    pub fn of(campaign: &Campaign, sites: &Sites) -> Self {
        let h = &campaign.header;
        Meta {
            campaign: digest(&campaign.rows, sites),
            rows: campaign.rows.len() as u64,
            chip: h.chip.clone(),
            launch: h.program.clone(),
            power_on: h.power_on,
            seed: h.seed,
            options: String::new(),
            cycles: h.cycles,
        }
    }

    /// Every part in the order of the table `campaign`: what it is called, value.
    pub(super) fn parts(&self) -> [(&'static str, String); 8] {
        [
            ("faults of the campaign", self.campaign.clone()),
            ("number of rows", self.rows.to_string()),
            ("chip", self.chip.clone()),
            ("launch", self.launch.clone()),
            ("power-on seed", self.power_on.to_string()),
            ("seed of the draw", self.seed.to_string()),
            ("options", self.options.clone()),
            ("fault-free cycles", self.cycles.to_string()),
        ]
    }
}

/// SHA-256 of the rows of a campaign: number, site by name, fault and weight.
pub fn digest(rows: &[Row], sites: &Sites) -> String {
    let mut sha = Sha256::new();
    for r in rows {
        let f = &r.fault;
        sha.update(format!(
            "{} {} {} {:?} {} {} {} {} {} {:016x}\n",
            r.row,
            sites.site(f.site).path,
            f.word,
            f.bits,
            f.cycle,
            f.kind,
            f.duration,
            f.period,
            f.active,
            r.weight.to_bits()
        ));
    }
    sha.finalize().iter().fold(String::new(), |s, b| s + &format!("{b:02x}"))
}

/// Refuses results of something else, naming the first part that differs.
pub fn same(path: &Path, found: &Meta, wanted: &Meta) -> Result<(), FaultError> {
    let short = |s: &str| -> String {
        let s: String = if s.len() == 64 { s.chars().take(16).collect() } else { s.into() };
        if s.is_empty() {
            "none".into()
        } else {
            s
        }
    };
    for ((what, there), (_, here)) in found.parts().into_iter().zip(wanted.parts()) {
        if there != here {
            return Err(FaultError::file(path, format!("holds results of another campaign, chip or launch: {what} there {}, here {}; nothing was changed; name another file with --results, or move this one away", short(&there), short(&here))));
        }
    }
    Ok(())
}
