//! The chip with the unit as gates, open for many launches, with a place for a fault at every pin that stands for a class.

use crate::cmd::chip::Chip;
use crate::cmd::fault::chip::plain;
use crate::cmd::fault::gates::spliced::{as_described, patterns, with_gates};
use crate::cmd::fault::gates::unit::Unit;
use crate::cmd::interrupt;
use crate::cmd::rtl::{bar, spinning};
use anyhow::Result;
use warpsmith_fault::{run_all, Engine, Fault, FaultKind, FaultOutcome, Golden, Opened, SimulatorOptions};
use warpsmith_gates::simulate::{run_some, Options};
use warpsmith_gates::{Circuit, Collapsed, Model, Patterns, PinId, Spliced};
use warpsmith_model::Launch;

/// A unit of a chip as gates, its faults, and the chip that they are tried in.
pub struct Subject<'a> {
    pub unit: &'a Unit,
    pub circuit: &'a Circuit,
    pub faults: Collapsed,
    pub spliced: Spliced,
    opened: Opened,
    power_on: u64,
    options: SimulatorOptions,
    workers: usize,
}

impl<'a> Subject<'a> {
    /// Makes it.
    ///
    /// # Errors
    /// Gates of another unit; the cache cannot be written.
    pub fn new(
        chip: &Chip, unit: &'a Unit, circuit: &'a Circuit, model: Model, power_on: u64, options: SimulatorOptions,
        workers: usize,
    ) -> Result<Self> {
        let faults = Collapsed::new(circuit, model);
        let mut pins: Vec<PinId> = faults.representatives().iter().map(|f| f.pin).collect();
        pins.sort_unstable();
        pins.dedup();
        let (spliced, folder) = with_gates(chip, unit, circuit, model, &pins)?;
        let opened =
            spinning("opening the chip with the unit as gates", || Opened::new(Engine::Native, folder.path()))?;
        Ok(Subject { unit, circuit, faults, spliced, opened, power_on, options, workers })
    }

    /// Refuses gates that do not do what the unit does, by a launch on the chip as it is described.
    ///
    /// # Errors
    /// Such gates; a launch that fails.
    pub fn check(&self, chip: &Chip, launch: &Launch) -> Result<()> {
        let plain = plain(chip, launch, self.power_on)?;
        as_described(self.unit, &plain, self.run(launch), Golden::cycles)?;
        Ok(())
    }

    /// Runs a launch without a fault.
    ///
    /// # Errors
    /// It does not fit, or fails.
    pub fn run(&self, launch: &Launch) -> Result<Golden> {
        Ok(Golden::on(&self.opened, launch.clone(), self.power_on, None)?)
    }

    /// The wanted classes that a program shows at the unit, and the first cycle of each: until then its run is the
    /// fault-free one.
    fn shows(&self, golden: &Golden, patterns: &Patterns, wanted: &dyn Fn(usize) -> bool) -> Vec<(usize, u64)> {
        let found = run_some(self.circuit, &self.faults, patterns, Options { drop: true }, wanted);
        let first = |class: usize| Some((class, patterns.cycle(found.detections[class].first?)));
        (0..self.faults.classes()).filter_map(first).filter(|s| s.1 < golden.cycles()).collect()
    }

    /// Outcomes of a program in the chip, of those of the wanted classes that it shows at the unit; `None`: a signal came.
    ///
    /// # Errors
    /// The chip cannot be run.
    pub fn outcomes(
        &self, golden: &Golden, wanted: &dyn Fn(usize) -> bool,
    ) -> Result<Option<Vec<(usize, FaultOutcome)>>> {
        let (patterns, reference) = patterns(self.circuit, self.faults.model(), &self.spliced, golden)?;
        let shown = self.shows(golden, &patterns, wanted);
        if shown.is_empty() {
            return Ok(Some(vec![]));
        }
        let mut list = vec![];
        for (class, from) in &shown {
            let (path, value) = self.spliced.force(self.faults.representatives()[*class]);
            let kind = if value { FaultKind::StuckAt1 } else { FaultKind::StuckAt0 };
            list.push(Fault::simple(golden.sites().find(&path)?, 0, vec![0], *from, kind));
        }
        let name = &golden.launch().name;
        let bar =
            bar(list.len() as u64, &format!("{name}: {{bar:30}} {{human_pos}} of {{human_len}} faults in the chip"));
        let progress = |done| bar.set_position(done as u64);
        let records = run_all(&reference, &list, self.options, self.workers, &progress, interrupt::asked)?;
        bar.finish_and_clear();
        Ok(records
            .filter(|r| r.len() == shown.len())
            .map(|r| shown.into_iter().map(|s| s.0).zip(r.iter().map(|r| r.outcome)).collect()))
    }
}

/// Whether an outcome is seen in what a program stores, or in that it does not end well: another number of cycles is not.
pub fn detects(outcome: FaultOutcome) -> bool {
    matches!(outcome, FaultOutcome::Sdc | FaultOutcome::Due | FaultOutcome::Hang | FaultOutcome::Detected)
}
