//! Propagation of a fault, cycle by cycle: the faulty chip beside the fault-free one.

use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::Golden;
use crate::resumable::Resumable;
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

/// Follows a fault from its cycle to cycle `until`, the end of the fault-free run, or for
/// [`TRAIL_CYCLES`] cycles. Event counters are left out, as in every comparison.
///
/// # Errors
/// The chips cannot be started or compared.
pub fn trail(golden: &Golden, fault: &Fault, until: u64) -> Result<Vec<Step>, FaultError> {
    let from = golden.checkpoint(fault.cycle);
    let mut faulty = Resumable::new(golden, golden.chip_with(fault.site))?;
    let mut right = Resumable::new(golden, golden.chip_with(fault.site))?;
    for chip in [&mut faulty, &mut right] {
        chip.go_to(from);
        let before = fault.cycle - chip.cycle();
        chip.host.sim.run(before, false, u64::MAX);
    }
    faulty.host.sim.force(&fault.force(golden.origin));
    let last = until.min(golden.cycles()).min(fault.cycle.saturating_add(TRAIL_CYCLES));
    let sites = golden.sites().list().len();
    let mut found = vec![0; sites + 1];
    let mut image = Image::default();
    let mut reached = HashSet::new();
    let mut steps: Vec<Step> = vec![];
    for cycle in fault.cycle..=last {
        right.host.sim.save_image(&mut image);
        let n = faulty.host.sim.differs(&image, None, &mut found);
        let found = found[..n].iter().copied();
        let new: Vec<usize> = found.filter(|s| *s < sites && reached.insert(*s)).collect();
        let step = Step { cycle, sites: n, words: faulty.words_apart(&mut right), new };
        let (was, now) = (steps.last(), (step.sites, step.words));
        if !step.new.is_empty() || was.map_or((0, 0), |s| (s.sites, s.words)) != now {
            steps.push(step);
        }
        faulty.host.sim.run(1, false, u64::MAX);
        right.host.sim.run(1, false, u64::MAX);
    }
    Ok(steps)
}
