//! Serial fault simulation: one fault at a time on the whole chip, from the nearest checkpoint, through the
//! fault, until all state and memory are as in the fault-free run again, or to the end.
//!
//! Comparing is done only at checkpoints, state first, memory only when the state agrees. Any engine below
//! `warpsmith_engine` will do.

use crate::classify::{classify, corrupts, End, Left};
use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::{Golden, DRAIN};
use crate::hardened::without_feedback;
use crate::record::{FaultOutcome, How, Record};
use crate::resumable::{Comparison, Differences, Resumable};
use crate::simulator::{FaultSimulator, SimulatorOptions};
use crate::site::SiteKind;
use warpsmith_cosim::simulation::Image;
use warpsmith_cosim::Stop;

/// Cycles after which a chip that is beyond the fault-free run is looked at for standing still: a multiple of short
/// periods.
const STANDSTILL: u64 = 48;

/// Cycles between two looks at the memory of a run that is to end at the first wrong word.
const LOOK: u64 = 48;

/// What the comparisons of a run with images have shown so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// First image at which another word of state differed: cycle, site.
    pub spread: Option<(u64, usize)>,
    /// Comparisons of memory that failed.
    pub failed: u32,
    /// Images to leave out before the next comparison of memory.
    pub wait: u32,
}

/// One chip, reused for fault after fault.
pub struct SerialSimulator<'a> {
    golden: &'a Golden,
    options: SimulatorOptions,
    chip: Resumable<'a>,
    /// The chip has outputs of blocks as sites.
    outputs: bool,
    /// The other one, where the quicker chip has none: made when it is first needed.
    other: Option<Resumable<'a>>,
    /// Runs are compared with the fault-free run.
    compares: bool,
}

impl<'a> SerialSimulator<'a> {
    /// A chip for the faults of `golden`.
    ///
    /// # Errors
    /// The simulation cannot be started; options that cannot be.
    pub fn new(golden: &'a Golden, options: SimulatorOptions) -> Result<Self, FaultError> {
        options.check()?;
        Ok(SerialSimulator {
            golden,
            options,
            chip: Resumable::new(golden, golden.quick_chip())?,
            outputs: false,
            other: None,
            compares: true,
        })
    }

    /// Whether runs are compared with the fault-free run; without, records are wrong.
    pub(crate) fn comparing(mut self, compares: bool) -> Self {
        self.compares = compares;
        self
    }

    /// Takes the chip that has a site; `outputs`: an output of a block, which is forced.
    fn take_chip(&mut self, site: usize, outputs: bool) -> Result<(), FaultError> {
        let g = self.golden;
        if outputs == self.outputs || std::ptr::eq(g.chip(), g.quick_chip()) {
            return Ok(());
        }
        let other = match self.other.take() {
            Some(chip) => chip,
            None => Resumable::new(g, g.chip_with(site))?,
        };
        self.other = Some(std::mem::replace(&mut self.chip, other));
        self.outputs = outputs;
        Ok(())
    }

    /// Runs without a fault from checkpoint `from` and compares at every later one.
    ///
    /// # Errors
    /// [`FaultError::Control`] at the first that differs.
    pub fn fault_free(&mut self, from: usize) -> Result<Record, FaultError> {
        let g = self.golden;
        self.chip.go_to(from);
        let bad = |what: String| FaultError::Control(what);
        let start = self.chip.cycle();
        for next in from + 1..g.checkpoints.len() {
            let cycles = g.checkpoints[next].cycle - self.chip.cycle();
            let stop = self.chip.host.sim.run(cycles, true, u64::MAX);
            let cycle = self.chip.cycle();
            if let Some(site) = self.chip.compare(next, None).other {
                let name = g.sites().list().get(site);
                return Err(bad(format!(
                    "without a fault the run from cycle {} differs in cycle {cycle} at {}",
                    g.checkpoints[from].cycle,
                    name.map_or("the reads that wait", |s| &s.path)
                )));
            }
            self.chip.note();
            if !self.chip.wrong(next).is_empty() {
                return Err(bad(format!("without a fault memory differs in cycle {cycle}")));
            }
            if (stop == Stop::Done) != (next + 1 == g.checkpoints.len()) {
                return Err(bad(format!("without a fault the chip is done in cycle {cycle}")));
            }
        }
        let mut record = self.end(None, None);
        record.simulated = self.chip.cycle() - start;
        Ok(record)
    }

    /// The fault-free control: from the beginning and from the middle, every image met.
    ///
    /// # Errors
    /// [`FaultError::Control`] when it is not the fault-free run.
    pub fn control(&mut self) -> Result<Record, FaultError> {
        let record = self.fault_free(0)?;
        let middle = self.fault_free(self.golden.checkpoints.len() / 2)?;
        for r in [&record, &middle] {
            if r.outcome != FaultOutcome::NotActivated || r.wrong_words + r.words_outside > 0 {
                return Err(FaultError::Control(format!(
                    "a run without a fault is {}, {} words differ",
                    r.outcome,
                    r.wrong_words + r.words_outside
                )));
            }
        }
        Ok(record)
    }

    /// After the chip has said done: drains it and classifies.
    fn end(&mut self, fault: Option<&Fault>, spread: Option<(u64, usize)>) -> Record {
        let g = self.golden;
        let chip = &mut self.chip;
        let cycles = chip.cycle();
        let own = fault.and_then(|f| f.state_word(g.sites()));
        let state = (cycles == g.cycles()).then(|| chip.compare(g.checkpoints.len() - 1, own));
        chip.host.sim.run(DRAIN, false, u64::MAX);
        chip.note();
        let activated = chip.activated();
        // The fault must not change the host's reading of the trap record.
        chip.host.sim.clear_forces();
        let cause = chip.host.trap().map(|t| t.cause);
        let wrong = chip.wrong(g.checkpoints.len());
        let left = match state {
            Some(Comparison { other: None, own: true }) if spread.is_none() => Left::Unused,
            Some(Comparison { other: None, .. }) if spread.is_none() => Left::Gone,
            _ => Left::Spread,
        };
        let told = chip.told(own);
        let mut record = classify(g, &End { cycles, cause, wrong: &wrong, activated, left: Some(left), told }, fault);
        record.spread = spread;
        record
    }

    /// Runs the kernel with one fault.
    ///
    /// # Errors
    /// The chip or the run cannot have the fault; every effect of a fault is a record.
    pub fn run_one(&mut self, fault: &Fault) -> Result<Record, FaultError> {
        let g = self.golden;
        fault.check(g.sites(), g.cycles())?;
        let output = g.sites().site(fault.site).kind == SiteKind::Out;
        self.take_chip(fault.site, output)?;
        let from = match self.options.checkpoints {
            true => g.checkpoint(fault.cycle),
            false => 0,
        };
        self.chip.go_to(from);
        let start = self.chip.cycle();
        // Forces cost a little every cycle: they come when their time does.
        let sim = &mut self.chip.host.sim;
        sim.run(fault.cycle - start, false, u64::MAX);
        sim.force(&fault.force(g.origin));
        let next = g.checkpoint(fault.cycle) + 1;
        self.follow(fault, start, next, false, Progress::default())
    }

    /// Runs on with a machine that differs from the fault-free run in `cycle`, behind the first of its fault.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub(crate) fn run_on(
        &mut self, fault: &Fault, cycle: u64, differences: &Differences, progress: Progress,
    ) -> Result<Record, FaultError> {
        let g = self.golden;
        let force = fault.force(g.origin);
        let acts = force.to > g.origin + cycle;
        let output = g.sites().site(fault.site).kind == SiteKind::Out;
        self.take_chip(fault.site, acts && output)?;
        self.chip.go_to_cycle(cycle);
        self.chip.take(differences);
        if acts {
            self.chip.host.sim.force(&force);
        }
        let start = g.checkpoints[g.checkpoint(fault.cycle)].cycle;
        let next = g.checkpoints.partition_point(|c| c.cycle < cycle);
        let done = self.chip.host.sim.is_done();
        self.follow(fault, start, next, done, progress)
    }

    /// Runs on to the end of a fault. `start`: the cycle from which simulated ones count; `next`: the first image to
    /// compare with; `done`: the chip is done here.
    fn follow(
        &mut self, fault: &Fault, start: u64, next: usize, done: bool, progress: Progress,
    ) -> Result<Record, FaultError> {
        let g = self.golden;
        let over = fault.force(0).to;
        let own = fault.state_word(g.sites());
        let ignored = without_feedback(&g.sites().site(fault.site).path);
        let limit = self.options.limit(g);
        let Progress { mut spread, mut failed, mut wait } = progress;
        let mut converged = None;
        let mut next = match self.compares {
            true => next,
            false => g.checkpoints.len(),
        };
        // When memory is looked at next.
        let mut due = self.chip.cycle();
        // State of the chip `STANDSTILL` cycles ago; nothing yet.
        let mut before = Image::default();
        // Cycles that need not be run, because the chip repeats itself.
        let mut known = 0;
        let mut record = loop {
            let beyond = || limit.min(self.chip.cycle() + STANDSTILL);
            let to = g.checkpoints.get(next).map_or_else(beyond, |c| c.cycle);
            let cycles = to - self.chip.cycle();
            let stop = match done {
                true => Stop::Done,
                false => self.chip.host.sim.run(cycles, true, u64::MAX),
            };
            let cycle = self.chip.cycle();
            if stop == Stop::Done {
                break self.end(Some(fault), spread);
            }
            let settled = fault.kind.is_stuck() || over.saturating_add(STANDSTILL) <= cycle;
            if self.options.early_stop && next >= g.checkpoints.len() {
                // The same state again, without a word to the memory between: so it goes on.
                let silent = !self.chip.note();
                let same = self.chip.repeats(&mut before);
                if silent && same && settled && !ignored {
                    known = limit - cycle;
                }
            }
            if cycle + known >= limit {
                let mut r = Record::of(FaultOutcome::Hang, limit);
                r.activated = self.chip.activated();
                r.spread = spread;
                break r;
            }
            if next >= g.checkpoints.len() {
                continue;
            }
            let here = next;
            next += 1;
            if self.options.stop_at_sdc && cycle >= due {
                due = cycle + LOOK;
                self.chip.note();
                let mut wrong = self.chip.wrong(here);
                wrong.retain(|w| g.is_lost(w.address, w.found, cycle));
                if corrupts(g, &wrong) {
                    let (activated, told) = (self.chip.activated(), self.chip.told(own));
                    let left = Some(Left::Spread);
                    let end = End { cycles: g.cycles(), cause: None, wrong: &wrong, activated, left, told };
                    break classify(g, &end, Some(fault));
                }
            }
            // While the fault may still act only its spreading is looked for.
            let acting = over > cycle;
            if converged.is_some() || acting && spread.is_some() {
                continue;
            }
            let c = self.chip.compare(here, own);
            // Reads that wait are no site: what asked for them is, or will be, seen to differ.
            if let (Some(site), None) = (c.other, spread) {
                spread = (site < g.sites().list().len()).then_some((cycle, site));
            }
            if acting || c.other.is_some() || c.own && !ignored {
                continue;
            }
            if wait > 0 {
                wait -= 1;
                continue;
            }
            self.chip.note();
            let wrong = self.chip.wrong(here);
            // Words that the fault-free run leaves alone from here on stay as they are.
            if wrong.iter().any(|w| !g.stays(w.address, cycle)) {
                // The next comparison waits as many images again.
                failed += 1;
                wait = failed;
                continue;
            }
            let left = match (c.own, spread) {
                (_, Some(_)) => Left::Spread,
                (true, None) => Left::Unused,
                (false, None) => Left::Gone,
            };
            converged = Some((cycle, left));
            if self.options.early_stop {
                let activated = self.chip.activated();
                let told = self.chip.told(own);
                let end = End { cycles: g.cycles(), cause: None, wrong: &wrong, activated, left: Some(left), told };
                break classify(g, &end, Some(fault));
            }
        };
        if let Some((cycle, left)) = converged {
            record.converged = Some(cycle);
            if let Some(how) = &mut record.how {
                if *how != How::Outside {
                    *how = left.of(fault, g);
                }
            }
        }
        record.spread = spread;
        record.simulated = self.chip.cycle() + known - start;
        Ok(record)
    }
}

impl FaultSimulator for SerialSimulator<'_> {
    fn run(&mut self, faults: &[&Fault], done: &mut dyn FnMut(usize, Record) -> bool) -> Result<(), FaultError> {
        for (i, fault) in faults.iter().enumerate() {
            let record = self.run_one(fault)?;
            if !done(i, record) {
                break;
            }
        }
        Ok(())
    }
}
