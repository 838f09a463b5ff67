//! A chip that goes to any checkpoint of the fault-free run, memory included, and is compared with it.
//!
//! Images in the same process make that cheap: loading one takes microseconds. Memory is journaled: going
//! to another checkpoint takes back what was written since, and performs the writes of the fault-free run
//! between the two.

use crate::classify::WrongWord;
use crate::error::FaultError;
use crate::golden::{Golden, Write};
use crate::hardened::{without_feedback, Told};
use std::collections::{BTreeMap, HashMap};
use warpsmith_contract::ports;
use warpsmith_cosim::simulation::Image;
use warpsmith_cosim::{Chip, Host};

/// One chip, reused for run after run. Sites without feedback are left out of all comparisons.
pub(crate) struct Resumable<'a> {
    /// Chip, launch and host; forces are its caller's.
    pub host: Host<'a>,
    golden: &'a Golden,
    /// The simulated memory is that of this checkpoint.
    at: usize,
    /// Words that this run has written: byte address, value at the checkpoint it started from.
    written: HashMap<u32, u32>,
    /// The input at which the memory answers.
    rdata: usize,
    /// Cycle in which the fault of a machine that was taken over first changed a bit.
    activated: Option<u64>,
}

/// What of a faulty machine differs from the fault-free run in a cycle.
#[derive(Debug)]
pub(crate) struct Differences {
    /// Registers and words of memories.
    pub state: Vec<StatePiece>,
    /// The memory behind the port, if anything of it differs.
    pub memory: Option<MemoryDifferences>,
    /// Cycle in which the fault first changed a bit.
    pub activated: Option<u64>,
}

/// 64 bits of a word of state, fewer at its upper end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StatePiece {
    pub site: usize,
    /// Word of a memory; 0 of a register.
    pub word: u32,
    /// Lowest bit, a multiple of 64.
    pub lo: u32,
    pub value: u64,
}

/// The memory behind the port of a faulty machine.
#[derive(Debug)]
pub(crate) struct MemoryDifferences {
    /// Words that differ: byte address, value.
    pub words: Vec<(u32, u32)>,
    /// The line that is answered in the coming cycle.
    pub waits: Option<Vec<u32>>,
    /// The line at the inputs.
    pub shown: Vec<u32>,
}

/// State compared with the fault-free run's.
pub(crate) struct Comparison {
    /// First site that differs apart from the faulty word.
    pub other: Option<usize>,
    /// The faulty word differs.
    pub own: bool,
}

impl<'a> Resumable<'a> {
    /// A chip of `golden` at checkpoint 0.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub fn new(golden: &'a Golden, chip: &'a Chip) -> Result<Self, FaultError> {
        let mut host = golden.start(chip)?;
        for (i, site) in golden.sites().list().iter().enumerate() {
            if without_feedback(&site.path) {
                host.sim.ignore_site(i);
            }
        }
        let manifest = chip.design().manifest();
        let rdata = manifest.port(ports::MEM_RDATA.name);
        Ok(Resumable {
            host,
            golden,
            at: 0,
            written: HashMap::new(),
            activated: None,
            rdata: rdata.ok_or_else(|| FaultError::Ask("the chip has no memory port; emit it again".into()))?,
        })
    }

    /// Cycles since cycle 0 of the fault-free run.
    pub fn cycle(&self) -> u64 {
        self.host.sim.cycle() - self.golden.origin
    }

    /// Cycle in which a fault first changed a bit.
    pub fn activated(&self) -> Option<u64> {
        let here = || self.host.sim.activated().map(|c| c - self.golden.origin);
        self.activated.or_else(here)
    }

    /// Goes to a checkpoint, memory included, without any fault.
    pub fn go_to(&mut self, to: usize) {
        let g = self.golden;
        self.activated = None;
        self.host.sim.clear_forces();
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

    /// Goes to a cycle of the fault-free run, memory included, without any fault.
    pub fn go_to_cycle(&mut self, cycle: u64) {
        let from = self.golden.checkpoint(cycle);
        self.go_to(from);
        let cycles = cycle - self.cycle();
        self.host.sim.run(cycles, false, u64::MAX);
    }

    /// Takes over what differs of a faulty machine in this cycle.
    pub fn take(&mut self, differences: &Differences) {
        self.note();
        self.activated = differences.activated;
        let sim = &mut self.host.sim;
        if let Some(memory) = &differences.memory {
            for &(address, value) in &memory.words {
                let old = sim.memory_word(address);
                self.written.entry(address).or_insert(old);
                sim.write_memory(address, &value.to_le_bytes());
            }
            sim.set_waiting(memory.waits.clone());
            for (word, value) in memory.shown.iter().enumerate() {
                sim.set(self.rdata, word, *value);
            }
        }
        let mut state: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
        for piece in &differences.state {
            let at = (piece.site, piece.word);
            let word = state.entry(at).or_insert_with(|| sim.site_word(at.0, at.1));
            let halves = [piece.value as u32, (piece.value >> 32) as u32];
            let to = word.iter_mut().skip(piece.lo as usize / 32);
            to.zip(halves).for_each(|(w, half)| *w = half);
        }
        sim.set_site_words(state.into_iter().map(|((site, word), v)| (site, word, v)));
    }

    /// Takes what the run has written since the last note; says whether it has read or written anything.
    pub fn note(&mut self) -> bool {
        let journal = self.host.sim.take_journal();
        let any = !(journal.reads.is_empty() && journal.writes.is_empty());
        for (address, old) in journal.writes {
            self.written.entry(address).or_insert(old);
        }
        any
    }

    /// Whether all state is that of an image that was taken of it before; the image then is that of now.
    pub fn repeats(&mut self, image: &mut Image) -> bool {
        let sim = &mut self.host.sim;
        let same = image.bytes() > 0 && sim.differs(image, None, &mut [0]) == 0;
        sim.save_image(image);
        same
    }

    /// State against the image of a checkpoint; `own`: the faulty word, site and word.
    pub fn compare(&self, checkpoint: usize, own: Option<(usize, u32)>) -> Comparison {
        let image = &self.golden.checkpoints[checkpoint].image;
        let mut found = [0];
        let sim = &self.host.sim;
        let n = sim.differs(image, own, &mut found);
        Comparison {
            other: (n > 0).then_some(found[0]),
            own: own.is_some_and(|(site, word)| sim.word_differs(image, site, word)),
        }
    }

    /// What a hardened chip tells of a fault.
    pub fn told(&self, own: Option<(usize, u32)>) -> Told {
        // Without a fault these words are the same in all images.
        let image = &self.golden.checkpoints[self.at].image;
        self.golden.hardened.told(own, |site| self.host.sim.word_differs(image, site, 0))
    }

    /// Words of memory, as far as noted, that differ from the fault-free run's at a checkpoint (or, for
    /// the number of checkpoints, at the end), by address.
    pub fn wrong(&self, checkpoint: usize) -> Vec<WrongWord> {
        let g = self.golden;
        let mut right = self.written.clone();
        let last = checkpoint.min(g.checkpoints.len() - 1);
        let windows = g.checkpoints[self.at + 1..=last].iter().map(|c| &c.writes);
        let after = (checkpoint > last).then_some(&g.after);
        for Write { address, new, .. } in windows.chain(after).flatten() {
            right.insert(*address, *new);
        }
        let word = |(address, right)| WrongWord { address, right, found: self.host.sim.memory_word(address) };
        let mut wrong: Vec<WrongWord> = right.into_iter().map(word).filter(|w| w.right != w.found).collect();
        wrong.sort_unstable();
        wrong
    }

    /// Words of memory in which two chips differ that have run from the same checkpoint.
    pub fn words_apart(&mut self, other: &mut Resumable) -> usize {
        self.note();
        other.note();
        let mine = self.written.keys();
        let others = other.written.keys();
        mine.chain(others.filter(|a| !self.written.contains_key(a)))
            .filter(|a| self.host.sim.memory_word(**a) != other.host.sim.memory_word(**a))
            .count()
    }
}
