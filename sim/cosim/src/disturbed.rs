//! Lockstep of one launch whose chip is disturbed, again and again, each time in some cycle of the run.
//!
//! Up to that cycle all runs are the same one: chip and model are kept as they are there, and the next run
//! goes on from them when it is disturbed no earlier. Disturbances in the order of their cycles thus run
//! the part before them once.

use crate::checker::Checker;
use crate::chip::Chip;
use crate::error::CosimError;
use crate::host::{Host, StopReason, EVENT_WORDS};
use crate::outcome::{CosimOptions, CosimReport};
use crate::simulation::{Collect, Image, Simulation};
use std::collections::HashMap;
use warpsmith_model::Launch;

/// Chip and model between two cycles. Memory is not part of it.
#[derive(Clone)]
struct Moment<'a> {
    image: Image,
    checker: Checker<'a>,
}

/// One chip and its model, for run after run.
pub struct Disturbed<'a> {
    options: CosimOptions,
    host: Host<'a>,
    /// After the write that starts the kernel.
    first: Moment<'a>,
    /// The undisturbed run as far as it is known.
    here: Moment<'a>,
    /// Words of memory written between the two: byte address, value at the first.
    written: HashMap<u32, u32>,
}

impl<'a> Disturbed<'a> {
    /// A chip and a model that start the launch, the chip from the state of `first`, an image of the
    /// cycle after the write that starts the kernel. Seed and launch do not give a disturbed run again,
    /// so nothing is run a second time to explain it: a chip that retires nothing reaches the limit of
    /// cycles.
    ///
    /// # Errors
    /// As [`cosim()`](crate::cosim()).
    pub fn new(chip: &'a Chip, launch: &'a Launch, options: &CosimOptions, first: &Image) -> Result<Self, CosimError> {
        chip.need_trace(Collect::Lockstep)?;
        let mut options = options.clone();
        options.run.watchdog_cycles = u64::MAX;
        let mut host = Host::new(chip, launch, &options.run, Collect::Lockstep)?;
        host.start();
        host.sim.load_image(first);
        host.sim.journal(true);
        let first = Moment { image: first.clone(), checker: Checker::new(chip, launch, &options) };
        Ok(Disturbed { here: first.clone(), first, options, host, written: HashMap::new() })
    }

    /// Runs to a cycle of the simulation, hands it to `disturb`, and runs to the end or to the first
    /// difference.
    ///
    /// # Errors
    /// As [`cosim()`](crate::cosim()).
    pub fn run(&mut self, cycle: u64, disturb: &mut dyn FnMut(&mut Simulation)) -> Result<CosimReport, CosimError> {
        self.go_to(cycle);
        let mut checker = self.here.checker.clone();
        disturb(&mut self.host.sim);
        let stop = match checker.differs() {
            true => StopReason::Stopped,
            false => (self.host).run(&self.options.run, |raw| checker.take(raw, None)),
        };
        let counters = self.host.counters();
        let report = checker.report(&mut self.host, &self.options, stop, counters);
        let writes = self.host.sim.take_journal().writes;
        for (address, old) in writes.into_iter().rev() {
            self.host.sim.write_memory(address, &old.to_le_bytes());
        }
        self.load();
        report
    }

    /// Goes to a cycle of the undisturbed run, or to the first difference before it.
    fn go_to(&mut self, cycle: u64) {
        let sim = &mut self.host.sim;
        if cycle < sim.cycle() {
            for (address, old) in self.written.drain() {
                sim.write_memory(address, &old.to_le_bytes());
            }
            self.here = self.first.clone();
            self.load();
        }
        let sim = &mut self.host.sim;
        let checker = &mut self.here.checker;
        while sim.cycle() < cycle && !checker.differs() {
            sim.run(cycle - sim.cycle(), false, EVENT_WORDS);
            sim.take_events(|raw| checker.take(raw, None));
        }
        sim.save_image(&mut self.here.image);
        for (address, old) in sim.take_journal().writes {
            self.written.entry(address).or_insert(old);
        }
    }

    /// The chip as it is here, without disturbance; memory is that already.
    fn load(&mut self) {
        let sim = &mut self.host.sim;
        sim.clear_forces();
        sim.load_image(&self.here.image);
        sim.journal(true);
    }
}
