//! The chip with the unit's gates in it.

use super::unit::Unit;
use crate::cmd::chip::Chip;
use crate::cmd::fault::chip::{self, made_of, plain};
use crate::cmd::rtl::spinning;
use anyhow::{bail, Result};
use warpsmith_cache::temporary::Temporary;
use warpsmith_fault::{Engine, Golden, Reference};
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
        let (spliced, folder) = with_gates(self.chip, self.unit, self.circuit, self.model, pins)?;
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
        let plain = plain(self.chip, self.launch, self.power_on)?;
        let (spliced, golden) = as_described(self.unit, &plain, self.golden(&[]), |(_, golden)| golden.cycles())?;
        let (patterns, _) = patterns(self.circuit, self.model, &spliced, &golden)?;
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
}

/// The chip with the gates of a unit in it and faults possible at `pins`, and a folder that holds it as long as it lives.
///
/// # Errors
/// Gates of another unit; the cache cannot be written.
pub fn with_gates(
    chip: &Chip, unit: &Unit, circuit: &Circuit, model: Model, pins: &[PinId],
) -> Result<(Spliced, Temporary)> {
    let spliced = splice(unit.tree.clone(), &unit.path, circuit, model, pins)?;
    let folder = made_of(chip, spliced.tree.clone())?;
    Ok((spliced, folder))
}

/// Refuses gates that do not do what the unit does, by the same run with them.
///
/// # Errors
/// As [`chip::as_described`].
pub fn as_described<T>(unit: &Unit, plain: &Golden, found: Result<T>, cycles: impl Fn(&T) -> u64) -> Result<T> {
    let what = format!("the gates do not do what {} of this chip does", unit.path);
    chip::as_described((&what, "make them anew, without --netlist"), plain, found, cycles)
}

/// What the unit's inputs and registers hold in the cycles of a run, and the run to compare faults with.
///
/// # Errors
/// The chip lacks one of them.
pub fn patterns<'g>(
    circuit: &Circuit, model: Model, spliced: &Spliced, golden: &'g Golden,
) -> Result<(Patterns, Reference<'g>)> {
    let mut sites = vec![];
    for path in spliced.sources.iter().flatten() {
        sites.push(golden.sites().find(path)?);
    }
    let mut recorder = Recorder::new(circuit.bits(), model == Model::Transition);
    let reference = Reference::traced(golden, &sites, &mut |cycle, row| {
        let mut at = 0;
        let parts = circuit.sources.iter().zip(&spliced.sources).map(|(source, path)| {
            let words = source.width.div_ceil(64) as usize;
            let part = path.as_ref().map(|_| &row[at..at + words]);
            at += part.map_or(0, <[u64]>::len);
            (source.width, part)
        });
        recorder.add(cycle, &joined(parts));
    })?;
    Ok((recorder.finish(), reference))
}
