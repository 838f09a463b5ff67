//! `warpsmith fault run --on uart:…`: the faults of a campaign in a board's chip.

use super::loaded::LoadedCampaign;
use crate::cli::ChipArgs;
use crate::cmd::chip::Chip;
use anyhow::Result;
use warpsmith_contract::inject::Shot;
use warpsmith_fault::hardware::shot;
use warpsmith_fault::{Campaign, FaultError, Golden, HardwareSimulator, SimulatorOptions};
use warpsmith_fpga::link::{Injection, LinkError, Serial, Session};
use warpsmith_netlist::pass::inject::Chain;

/// A board with saboteurs, and the port it is at.
pub struct Board {
    port: String,
    baud: u32,
    chain: Chain,
}

impl Board {
    /// The board at a port whose chip is that of the campaign, with saboteurs in these blocks.
    ///
    /// # Errors
    /// A block that the chip does not have.
    pub fn new(port: &str, baud: u32, loaded: &LoadedCampaign, blocks: &str) -> Result<Self> {
        let set = [loaded.chip.set.clone(), vec!["trace=false".into(), format!("saboteurs={blocks}")]].concat();
        let chip = Chip::resolve(&ChipArgs { set, ..loaded.chip.clone() })?;
        let chain = warpsmith_hdl::saboteurs::chain(&chip.config)?.unwrap_or_default();
        Ok(Board { port: port.into(), baud, chain })
    }

    /// Refuses a campaign with a row that its saboteurs cannot take, before any is run.
    ///
    /// # Errors
    /// The first such row, and why.
    pub fn takes(&self, golden: &Golden, campaign: &Campaign) -> Result<()> {
        for row in &campaign.rows {
            shot(golden, &self.chain, &row.fault).map_err(|e| anyhow::anyhow!("row {}: {e}", row.row))?;
        }
        Ok(())
    }

    /// Its fault simulator: the board is asked what it is.
    ///
    /// # Errors
    /// No board, or another one; options that cannot be.
    pub fn simulator<'a>(
        &'a self, golden: &'a Golden, options: SimulatorOptions,
    ) -> Result<HardwareSimulator<'a>, FaultError> {
        let ask = |e: LinkError| FaultError::Ask(e.to_string());
        let link = Box::new(Session::new(Serial::open(&self.port, self.baud).map_err(ask)?));
        let mut injection =
            Injection::new(link, golden.launch(), self.chain.length, self.chain.layout()).map_err(ask)?;
        let shoot =
            move |shot: &Shot, limit| injection.shoot(shot, limit, &mut |_, _, _| {}).map_err(|e| e.to_string());
        HardwareSimulator::new(golden, &self.chain, options, Box::new(shoot))
    }
}
