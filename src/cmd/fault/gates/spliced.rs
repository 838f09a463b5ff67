//! The chip with the unit's gates in it.

use super::unit::Unit;
use crate::cmd::chip::Chip;
use crate::cmd::rtl::{spinning, written};
use anyhow::{bail, Context, Result};
use warpsmith_cache::cache_dir;
use warpsmith_cache::temporary::Temporary;
use warpsmith_fault::{Engine, FaultError, Golden, Reference};
use warpsmith_gates::{joined, splice, Circuit, Model, Patterns, PinId, Recorder, Spliced};
use warpsmith_model::Launch;

/// What a run of the command is about.
pub struct Subject<'a> {
    pub chip: &'a Chip,
    pub unit: &'a Unit,
    pub circuit: &'a Circuit,
    pub model: Model,
    pub launch: &'a Launch,
    pub power_on: u64,
}

impl Subject<'_> {
    /// The chip with the gates in it and faults possible at `pins`, its launch run without a fault.
    ///
    /// # Errors
    /// Gates of another unit; a run that fails.
    pub fn golden(&self, pins: &[PinId]) -> Result<(Spliced, Golden)> {
        let spliced = splice(self.unit.tree.clone(), &self.unit.path, self.circuit, self.model, pins)?;
        let emitted = warpsmith_hdl::injecting_chip_of(&self.chip.config, &self.chip.name, spliced.tree.clone());
        let folder = cache_dir().join("gates").join(format!("chip.{}", std::process::id()));
        let folder = Temporary::new(folder);
        emitted.write(folder.path()).context("set WARPSMITH_CACHE to a folder that can be written")?;
        let message = "running the chip with the unit as gates, without a fault";
        let golden = spinning(message, || {
            Golden::run_on(Engine::Native, folder.path(), self.launch.clone(), self.power_on, None)
        })?;
        Ok((spliced, golden))
    }

    /// What the unit's inputs and registers hold in the cycles of the kernel, and how many cycles it has.
    ///
    /// # Errors
    /// As [`Subject::golden`]; gates that do not do what the unit does; a launch in which nothing reaches the unit.
    pub fn patterns(&self) -> Result<(Patterns, u64)> {
        let folder = written(&warpsmith_hdl::injecting_chip(&self.chip.config, &self.chip.name))?;
        let plain = spinning("running the chip without a fault", || {
            Golden::run_on(Engine::Native, &folder, self.launch.clone(), self.power_on, None)
        })?;
        let (spliced, golden) = self.golden(&[]).map_err(|e| match e.downcast::<FaultError>() {
            Ok(FaultError::Control(why)) => self.other(&why),
            Ok(e) => e.into(),
            Err(e) => e,
        })?;
        if golden.cycles() != plain.cycles() {
            return Err(self.other(&format!("it takes {} cycles and not {}", golden.cycles(), plain.cycles())));
        }
        let mut sites = vec![];
        for path in spliced.sources.iter().flatten() {
            sites.push(golden.sites().find(path)?);
        }
        let mut recorder = Recorder::new(self.circuit.bits(), self.model == Model::Transition);
        let reference = Reference::new(&golden)?;
        reference.trace(&sites, |cycle, row| {
            let mut at = 0;
            let parts = self.circuit.sources.iter().zip(&spliced.sources).map(|(source, path)| {
                let words = source.width.div_ceil(64) as usize;
                let part = path.as_ref().map(|_| &row[at..at + words]);
                at += part.map_or(0, <[u64]>::len);
                (source.width, part)
            });
            recorder.add(cycle, &joined(parts));
        })?;
        let patterns = recorder.finish();
        if patterns.len() < 2 {
            bail!(
                "{}: nothing reaches {} in this launch: its inputs and registers hold one value in all {} cycles; choose a launch that uses the unit, or another instance of {}",
                self.launch.name,
                self.unit.path,
                golden.cycles(),
                self.unit.block
            );
        }
        Ok((patterns, golden.cycles()))
    }

    fn other(&self, why: &str) -> anyhow::Error {
        anyhow::anyhow!(
            "the gates do not do what {} of this chip does: the fault-free run with them differs ({why}); make them anew, without --netlist",
            self.unit.path
        )
    }
}
