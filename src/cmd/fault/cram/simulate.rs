//! Upsets in the chip, which runs a kernel.

use super::design::Design;
use crate::cmd::chip::Chip;
use crate::cmd::fault::chip::{as_described, made_of, plain};
use crate::cmd::interrupt;
use crate::cmd::rtl::bar;
use anyhow::{anyhow, Result};
use warpsmith_cram::{Batches, Drawn, Netlist, Upset};
use warpsmith_fault::{run_all, Engine, Fault, FaultKind, FaultOutcome, Golden, Reference, SimulatorOptions};
use warpsmith_model::Launch;

/// What is said of cells that do something else, and what to do about it.
const ROUTED: (&str, &str) =
    ("the routed cells do not do what the chip is described to do", "synthesize, place and route anew");

/// What became of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is no essential bit.
    Inert,
    /// It is not simulated, and why.
    Unmodelled(&'static str),
    /// It was.
    Ran(FaultOutcome),
}

/// Cycles of the fault-free run, and the fate of each bit.
pub struct Simulated {
    pub cycles: u64,
    pub fates: Vec<Fate>,
}

/// Runs the kernel with each of the bits upset; `None`: a signal came.
///
/// # Errors
/// The routed chip does not do what the described one does; a run that fails.
pub fn run(
    design: &Design, chip: &Chip, launch: &Launch, drawn: &[Drawn], power_on: u64, options: SimulatorOptions,
    workers: usize,
) -> Result<Option<Simulated>> {
    let plain = plain(chip, launch, power_on)?;
    let mut fates = vec![Fate::Inert; drawn.len()];
    let mut wanted = vec![];
    for (number, Drawn { upset, .. }) in drawn.iter().enumerate().filter(|(_, d)| d.upset.kind.is_essential()) {
        match upset.unmodelled {
            Some(why) => fates[number] = Fate::Unmodelled(why),
            None => wanted.push(number),
        }
    }
    let upsets: Vec<&Upset> = wanted.iter().map(|n| &drawn[*n].upset).collect();
    let division = Batches::of(&design.fabric.routed, &upsets);
    for number in division.loops {
        fates[wanted[number]] = Fate::Unmodelled("a loop without a register");
    }
    let done: usize = division.batches.iter().map(Vec::len).sum();
    let progress = bar(done as u64, "{bar:30} {human_pos} of {human_len} bits in the chip");
    // Without an upset too: that the cells do what is described is checked.
    let batches = if division.batches.is_empty() { vec![vec![]] } else { division.batches };
    let mut before = 0;
    for batch in batches {
        let of: Vec<&Upset> = batch.iter().map(|n| upsets[*n]).collect();
        let netlist = Netlist::of(&design.described, &design.fabric.routed, &design.boundary, &of);
        let netlist = netlist.map_err(|what| anyhow!("the routed chip: {what}"))?;
        let folder = made_of(chip, netlist.tree)?;
        let golden = Golden::run_on(Engine::Native, folder.path(), launch.clone(), power_on, None);
        let golden = as_described(ROUTED, &plain, golden.map_err(Into::into), Golden::cycles)?;
        let mut list = vec![];
        for site in &netlist.sites {
            list.push(Fault::simple(golden.sites().find(site)?, 0, vec![0], 0, FaultKind::StuckAt1));
        }
        let reference = Reference::new(&golden)?;
        let step = |done: usize| progress.set_position((before + done) as u64);
        let Some(records) = run_all(&reference, &list, options, workers, &step, interrupt::asked)? else {
            progress.finish_and_clear();
            return Ok(None);
        };
        for (number, record) in batch.iter().zip(records) {
            fates[wanted[*number]] = Fate::Ran(record.outcome);
        }
        before += batch.len();
    }
    progress.finish_and_clear();
    Ok(Some(Simulated { cycles: plain.cycles(), fates }))
}
