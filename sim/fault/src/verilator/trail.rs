//! Propagation of a fault, cycle by cycle: the faulty chip beside the fault-free one.

use super::{EngineOptions, Verilator};
use crate::error::FaultError;
use crate::fault::Fault;
use std::collections::HashSet;
use warpsmith_cosim::simulation::Image;

/// Cycles a trail is followed at most: it compares the whole state in each.
pub const TRAIL_CYCLES: u64 = 1 << 16;

/// A cycle in which what differs is not what differed in the cycle before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Cycle.
    pub cycle: u64,
    /// Sites of state that differ from the fault-free run's. Reads of memory that wait and differ
    /// count as one.
    pub sites: usize,
    /// Words of global memory that differ.
    pub words: usize,
    /// Sites that differ for the first time; without the reads that wait.
    pub new: Vec<usize>,
}

impl Verilator<'_> {
    /// Follows a fault from its cycle to cycle `until`, the end of the fault-free run, or for
    /// [`TRAIL_CYCLES`] cycles. Event counters are left out, as in every comparison.
    ///
    /// # Errors
    /// The fault-free chip cannot be started or compared.
    pub fn trail(&mut self, fault: &Fault, until: u64) -> Result<Vec<Step>, FaultError> {
        let g = self.golden;
        let from = g.checkpoint(fault.cycle);
        let mut right = Verilator::new(g, EngineOptions::default())?;
        self.go_to(from);
        right.go_to(from);
        let before = fault.cycle - g.checkpoints[from].cycle;
        for chip in [&mut *self, &mut right] {
            chip.host.sim.run(before, false, u64::MAX);
        }
        self.host.sim.force(&Self::force(fault, g.origin));
        let last = until
            .min(g.cycles())
            .min(fault.cycle.saturating_add(TRAIL_CYCLES));
        let sites = g.sites().list().len();
        let mut found = vec![0; sites + 1];
        let mut image = Image::default();
        let mut reached = HashSet::new();
        let mut steps: Vec<Step> = vec![];
        for cycle in fault.cycle..=last {
            right.host.sim.save_image(&mut image);
            let n = self.host.sim.differs(&image, None, &mut found);
            let found = found[..n].iter().copied();
            let new: Vec<usize> = found.filter(|s| *s < sites && reached.insert(*s)).collect();
            let step = Step {
                cycle,
                sites: n,
                words: self.words_apart(&mut right),
                new,
            };
            let (was, now) = (steps.last(), (step.sites, step.words));
            if !step.new.is_empty() || was.map_or((0, 0), |s| (s.sites, s.words)) != now {
                steps.push(step);
            }
            self.host.sim.run(1, false, u64::MAX);
            right.host.sim.run(1, false, u64::MAX);
        }
        Ok(steps)
    }

    /// Words of memory in which two chips differ.
    fn words_apart(&mut self, right: &mut Verilator) -> usize {
        self.note();
        right.note();
        let mine = self.written.keys();
        let others = right.written.keys();
        mine.chain(others.filter(|a| !self.written.contains_key(a)))
            .filter(|a| self.host.sim.memory_word(**a) != right.host.sim.memory_word(**a))
            .count()
    }
}
