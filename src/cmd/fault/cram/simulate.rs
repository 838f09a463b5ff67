//! Upsets in the chip, which runs a kernel.

use super::design::Design;
use crate::cmd::chip::Chip;
use crate::cmd::interrupt;
use crate::cmd::rtl::{bar, spinning, written};
use anyhow::{anyhow, bail, Context, Result};
use warpsmith_cache::cache_dir;
use warpsmith_cache::temporary::Temporary;
use warpsmith_cram::{Batches, Drawn, Netlist, Upset};
use warpsmith_fault::{
    run_all, Engine, Fault, FaultError, FaultKind, FaultOutcome, Golden, Reference, SimulatorOptions,
};
use warpsmith_model::Launch;

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
    let folder = written(&warpsmith_hdl::injecting_chip(&chip.config, &chip.name))?;
    let plain = spinning("running the chip without a fault", || {
        Golden::run_on(Engine::Native, &folder, launch.clone(), power_on, None)
    })?;
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
        let emitted = warpsmith_hdl::injecting_chip_of(&chip.config, &chip.name, netlist.tree);
        let folder = Temporary::new(cache_dir().join("gates").join(format!("routed.{}", std::process::id())));
        emitted.write(folder.path()).context("set WARPSMITH_CACHE to a folder that can be written")?;
        let golden = Golden::run_on(Engine::Native, folder.path(), launch.clone(), power_on, None);
        let golden = golden.map_err(|e| match e {
            FaultError::Control(why) => other(launch, &why),
            e => e.into(),
        })?;
        if golden.cycles() != plain.cycles() {
            bail!(other(launch, &format!("it takes {} cycles and not {}", golden.cycles(), plain.cycles())));
        }
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

fn other(launch: &Launch, why: &str) -> anyhow::Error {
    anyhow!(
        "the routed chip does not do what the described one does: the fault-free run of {} differs ({why}); synthesize, place and route anew",
        launch.name
    )
}
