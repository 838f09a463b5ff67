//! The engine on Verilator: from the nearest checkpoint, through the fault, until all state and memory
//! are as in the fault-free run again, or to the end.
//!
//! Images in the same process make runs short: loading one takes microseconds. Comparing is
//! done only at checkpoints, state first, memory only when the state agrees.

mod trail;

pub use trail::{Step, TRAIL_CYCLES};

use crate::classify::{classify, Left};
use crate::engine::Engine;
use crate::error::FaultError;
use crate::fault::{Fault, FaultKind};
use crate::golden::{Golden, Write, DRAIN, WITHOUT_FEEDBACK};
use crate::record::{FaultOutcome, How, Record};
use crate::site::{glob, SiteKind};
use std::collections::HashMap;
use warpsmith_cosim::simulation::{Becomes, Force};
use warpsmith_cosim::{Host, Stop};

/// How faults are run. Outcomes do not depend on the first two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineOptions {
    /// Start from the nearest image instead of the beginning.
    pub checkpoints: bool,
    /// End a run when nothing of the fault is left.
    pub early_stop: bool,
    /// Cycles after which a run is a hang, as a multiple of the fault-free run's.
    pub hang: f64,
}

impl Default for EngineOptions {
    fn default() -> Self {
        EngineOptions {
            checkpoints: true,
            early_stop: true,
            hang: 2.0,
        }
    }
}

/// Cycles a hang has beyond the multiple: short kernels need room.
const HANG_ROOM: u64 = 256;

/// One chip, reused for fault after fault.
pub struct Verilator<'a> {
    golden: &'a Golden,
    options: EngineOptions,
    host: Host<'a>,
    /// The simulated memory is that of this checkpoint.
    at: usize,
    /// Words that this run has written: byte address, value at the checkpoint it started from.
    written: HashMap<u32, u32>,
}

/// A comparison with the fault-free run.
struct Comparison {
    /// First site that differs apart from the faulty word.
    other: Option<usize>,
    /// The faulty word differs.
    own: bool,
}

impl<'a> Verilator<'a> {
    /// A chip for the faults of `golden`.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub fn new(golden: &'a Golden, options: EngineOptions) -> Result<Self, FaultError> {
        if !options.hang.is_finite() || options.hang < 1.0 {
            return Err(FaultError::Ask(format!(
                "a hang after {} times the fault-free cycles: a number of 1 or more is needed",
                options.hang
            )));
        }
        let mut host = golden.start()?;
        for (i, site) in golden.sites().list().iter().enumerate() {
            if glob(WITHOUT_FEEDBACK, &site.path) {
                host.sim.ignore_site(i);
            }
        }
        Ok(Verilator {
            golden,
            options,
            host,
            at: 0,
            written: HashMap::new(),
        })
    }

    /// Cycles of the limit of a run.
    pub(crate) fn limit(&self) -> u64 {
        (self.golden.cycles() as f64 * self.options.hang).ceil() as u64 + HANG_ROOM
    }

    /// Runs without a fault from checkpoint `from` and compares at every later one.
    pub fn fault_free(&mut self, from: usize) -> Result<Record, FaultError> {
        self.go_to(from);
        let bad = |what: String| FaultError::Control(what);
        let start = self.host.sim.cycle();
        for next in from + 1..self.golden.checkpoints.len() {
            let to = self.golden.origin + self.golden.checkpoints[next].cycle;
            let stop = self
                .host
                .sim
                .run(to - self.host.sim.cycle(), true, u64::MAX);
            let cycle = self.host.sim.cycle() - self.golden.origin;
            let c = self.compare(next, None);
            if let Some(site) = c.other {
                let name = self.golden.sites().list().get(site);
                return Err(bad(format!(
                    "without a fault the run from cycle {} differs in cycle {cycle} at {}",
                    self.golden.checkpoints[from].cycle,
                    name.map_or("the reads that wait", |s| &s.path)
                )));
            }
            self.note();
            if !self.wrong(next).is_empty() {
                return Err(bad(format!(
                    "without a fault memory differs in cycle {cycle}"
                )));
            }
            if (stop == Stop::Done) != (next + 1 == self.golden.checkpoints.len()) {
                return Err(bad(format!(
                    "without a fault the chip is done in cycle {cycle}"
                )));
            }
        }
        let mut record = self.end(None, None);
        record.simulated = self.host.sim.cycle() - start;
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

    /// Goes to a checkpoint, memory included.
    fn go_to(&mut self, to: usize) {
        let g = self.golden;
        let sim = &mut self.host.sim;
        sim.clear_forces();
        self.note();
        let sim = &mut self.host.sim;
        for (address, old) in self.written.drain() {
            sim.write_memory(address, &old.to_le_bytes());
        }
        while self.at < to {
            self.at += 1;
            for w in &g.checkpoints[self.at].writes {
                sim.write_memory(w.address, &w.new.to_le_bytes());
            }
        }
        while self.at > to {
            for w in &g.checkpoints[self.at].writes {
                sim.write_memory(w.address, &w.old.to_le_bytes());
            }
            self.at -= 1;
        }
        sim.load_image(&g.checkpoints[to].image);
        sim.journal(true);
    }

    /// Takes what the run has written since the last note.
    fn note(&mut self) {
        for (address, old) in self.host.sim.take_journal().writes {
            self.written.entry(address).or_insert(old);
        }
    }

    /// State against the image of a checkpoint.
    fn compare(&self, checkpoint: usize, own: Option<(usize, u32)>) -> Comparison {
        let image = &self.golden.checkpoints[checkpoint].image;
        let mut found = [0];
        let sim = &self.host.sim;
        let n = sim.differs(image, own, &mut found);
        Comparison {
            other: (n > 0).then_some(found[0]),
            own: own.is_some_and(|(site, word)| sim.word_differs(image, site, word)),
        }
    }

    /// Words of memory that differ from the fault-free run's at a checkpoint (or, for the number of
    /// checkpoints, at the end): byte address, right, found; ascending.
    fn wrong(&self, checkpoint: usize) -> Vec<(u32, u32, u32)> {
        let g = self.golden;
        let mut right = self.written.clone();
        let last = checkpoint.min(g.checkpoints.len() - 1);
        let windows = g.checkpoints[self.at + 1..=last].iter().map(|c| &c.writes);
        let after = (checkpoint > last).then_some(&g.after);
        for Write { address, new, .. } in windows.chain(after).flatten() {
            right.insert(*address, *new);
        }
        let mut wrong: Vec<(u32, u32, u32)> = right
            .into_iter()
            .map(|(a, right)| (a, right, self.host.sim.memory_word(a)))
            .filter(|(_, right, found)| right != found)
            .collect();
        wrong.sort_unstable();
        wrong
    }

    /// Whether the fault-free run leaves all these words alone after a cycle.
    fn untouched(&self, wrong: &[(u32, u32, u32)], cycle: u64) -> bool {
        wrong.iter().all(|(a, _, _)| {
            let last = self.golden.touched.get(&(a / self.golden.line_bytes));
            last.is_none_or(|last| *last <= cycle)
        })
    }

    /// After the chip has said done: drains it and classifies.
    fn end(&mut self, fault: Option<&Fault>, spread: Option<(u64, usize)>) -> Record {
        let g = self.golden;
        let cycles = self.host.sim.cycle() - g.origin;
        let own = fault.and_then(|f| self.own(f));
        let state = (cycles == g.cycles()).then(|| self.compare(g.checkpoints.len() - 1, own));
        self.host.sim.run(DRAIN, false, u64::MAX);
        self.note();
        let activated = self.host.sim.activated().map(|c| c - g.origin);
        // The fault must not change the host's reading of the trap record.
        self.host.sim.clear_forces();
        let cause = self.host.trap().map(|t| t.cause);
        let wrong = self.wrong(g.checkpoints.len());
        let how = match state {
            Some(Comparison {
                other: None,
                own: true,
            }) if spread.is_none() => Left::Unused,
            Some(Comparison { other: None, .. }) if spread.is_none() => Left::Gone,
            _ => Left::Spread,
        };
        let mut record = classify(g, cycles, cause, &wrong, activated, how, fault);
        record.spread = spread;
        record
    }

    /// Refuses a fault that this chip and run cannot have.
    fn check(&self, f: &Fault) -> Result<(), FaultError> {
        let no = |what: String| Err(FaultError::Ask(what));
        let Some(site) = self.golden.sites().list().get(f.site) else {
            return no(format!("site {}: the chip has fewer", f.site));
        };
        let path = &site.path;
        if f.word >= site.depth {
            return no(format!("{path} has {} words, not {}", site.depth, f.word));
        }
        if f.bits.is_empty() || f.bits.iter().any(|b| *b >= site.width) {
            let width = site.width;
            return no(format!("bits {:?}: {path} has {width} bits a word", f.bits));
        }
        if f.cycle >= self.golden.cycles() {
            let cycles = self.golden.cycles();
            return no(format!("cycle {}: without it there are {cycles}", f.cycle));
        }
        match f.kind {
            FaultKind::Transient if f.duration == 0 => {
                no("a transient needs a duration of a cycle or more".into())
            }
            FaultKind::Intermittent0 | FaultKind::Intermittent1
                if f.active == 0 || f.active > f.period =>
            {
                no(format!(
                    "an intermittent fault is active for 1 to `period` cycles, not {} of {}",
                    f.active, f.period
                ))
            }
            _ => Ok(()),
        }
    }

    /// The faulty word of a fault in state: site, word.
    fn own(&self, fault: &Fault) -> Option<(usize, u32)> {
        let site = self.golden.sites().site(fault.site);
        (site.kind != SiteKind::Out).then_some((fault.site, fault.word))
    }

    /// The fault as the simulation takes it.
    pub(crate) fn force(fault: &Fault, origin: u64) -> Force {
        let from = origin + fault.cycle;
        let (becomes, to) = match fault.kind {
            FaultKind::Seu | FaultKind::Mbu => (Becomes::Flip, from + 1),
            FaultKind::StuckAt0 => (Becomes::Zero, u64::MAX),
            FaultKind::StuckAt1 => (Becomes::One, u64::MAX),
            FaultKind::Transient => (Becomes::Inverse, from + fault.duration),
            FaultKind::Intermittent0 | FaultKind::Intermittent1 => (
                if fault.kind == FaultKind::Intermittent0 {
                    Becomes::Zero
                } else {
                    Becomes::One
                },
                match fault.duration {
                    0 => u64::MAX,
                    n => from + n,
                },
            ),
        };
        Force {
            site: fault.site,
            word: fault.word,
            mask: fault.mask(),
            becomes,
            from,
            to,
            period: fault.period,
            active: fault.active,
        }
    }
}

impl Engine for Verilator<'_> {
    fn run(&mut self, fault: &Fault) -> Result<Record, FaultError> {
        let g = self.golden;
        self.check(fault)?;
        let from = match self.options.checkpoints {
            true => g.checkpoint(fault.cycle),
            false => 0,
        };
        self.go_to(from);
        let force = Self::force(fault, g.origin);
        let over = force.to.saturating_sub(g.origin);
        let own = self.own(fault);
        let ignored = glob(WITHOUT_FEEDBACK, &g.sites().site(fault.site).path);
        let limit = self.limit();
        let start = self.host.sim.cycle();
        // Forces cost a little every cycle: they come when their time does.
        let before = g.origin + fault.cycle - start;
        self.host.sim.run(before, false, u64::MAX);
        self.host.sim.force(&force);
        let mut spread = None;
        let mut converged = None;
        // Comparisons of memory that failed so far: the next one waits as many checkpoints again.
        let (mut failed, mut wait) = (0u32, 0u32);
        let mut next = g.checkpoint(fault.cycle) + 1;
        let mut record = loop {
            let now = self.host.sim.cycle() - g.origin;
            let to = g.checkpoints.get(next).map_or(limit, |c| c.cycle);
            let stop = self.host.sim.run(to - now, true, u64::MAX);
            let cycle = self.host.sim.cycle() - g.origin;
            if stop == Stop::Done {
                break self.end(Some(fault), spread);
            }
            if cycle >= limit {
                let mut r = Record::of(FaultOutcome::Hang, cycle);
                r.activated = self.host.sim.activated().map(|c| c - g.origin);
                r.spread = spread;
                break r;
            }
            if next >= g.checkpoints.len() {
                continue;
            }
            let here = next;
            next += 1;
            // While the fault may still act only its spreading is looked for.
            let acting = over > cycle;
            if converged.is_some() || acting && spread.is_some() {
                continue;
            }
            let c = self.compare(here, own);
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
            self.note();
            let wrong = self.wrong(here);
            if !wrong.is_empty() && !self.untouched(&wrong, cycle) {
                failed += 1;
                wait = failed;
                continue;
            }
            let gone = match (c.own, spread) {
                (_, Some(_)) => Left::Spread,
                (true, None) => Left::Unused,
                (false, None) => Left::Gone,
            };
            converged = Some((cycle, gone));
            if self.options.early_stop {
                let activated = self.host.sim.activated().map(|c| c - g.origin);
                break classify(g, g.cycles(), None, &wrong, activated, gone, Some(fault));
            }
        };
        if let Some((cycle, gone)) = converged {
            record.converged = Some(cycle);
            if let Some(how) = &mut record.how {
                if *how != How::Outside {
                    *how = gone.of(fault, g);
                }
            }
        }
        record.spread = spread;
        record.simulated = self.host.sim.cycle() - start;
        Ok(record)
    }
}
