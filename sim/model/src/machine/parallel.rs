//! The grid on several threads, with the results of one block after the other.
//!
//! Blocks run in waves. All blocks of a wave run side by side, each on an [`Overlay`] of the memory
//! the wave began with. Then their stores are performed in the order of the blocks. A block that read
//! a word to which an earlier block of its wave stored read a stale value: it runs again, on the
//! memory as it is then. A block depends on its index and the words it reads alone, so memory, counts,
//! traps and the instruction limit are those of [`Machine::run`] for every program and number of
//! threads.
//!
//! Where blocks keep running into each other, waves do not pay: then many blocks run one after the
//! other before the next, small wave. A block that reads the clock depends on all before it; such
//! programs run on one thread.

use super::setup::{Block, Setup};
use super::Machine;
use crate::memory::overlay::{Changes, Overlay, Words};
use crate::memory::GlobalMemory;
use crate::record::BlockId;
use crate::record::Retired;
use crate::types::{RunError, Stats};
use rayon::prelude::*;

/// Warp instructions a block may take in a wave before any block has shown what is usual. A block
/// may wait for ever for a store of an earlier one, which its wave does not show it.
const FIRST_LIMIT: u64 = 1 << 18;

/// A block that ran on an overlay: all it would have done to the machine.
struct Attempt {
    block: Block,
    changes: Changes,
    stats: Stats,
    ended: Result<(), RunError>,
}

impl Attempt {
    /// Runs a block over `memory`, which stays as it is; `stats` counts on.
    fn new(setup: &Setup, memory: &GlobalMemory, number: u64, mut stats: Stats, limit: u64) -> Self {
        let mut overlay = Overlay::new(memory);
        let mut block = setup.block(setup.ctaid(number));
        let mut record = Retired::default();
        let ended = setup.run(&mut block, &mut overlay, &mut stats, limit, &mut record);
        if ended.is_ok() {
            // Of a finished block nothing is kept: a wave would hold all its shared memories.
            block.clear();
        }
        Attempt { block, changes: overlay.changes(), stats, ended }
    }
}

/// How many blocks the next wave takes.
struct Pace {
    least: u64,
    wave: u64,
    /// Blocks to run one after the other after a wave that did not pay.
    pause: u64,
}

impl Pace {
    fn new(threads: usize) -> Self {
        let least = 4 * threads as u64;
        Pace { least, wave: least, pause: 4 * least }
    }

    /// After a wave in which `again` of `blocks` ran twice: blocks to run without one.
    fn after(&mut self, blocks: u64, again: u64) -> u64 {
        if 4 * again <= blocks {
            self.wave = (2 * self.wave).min(16 * self.least);
            return 0;
        }
        self.wave = self.least;
        self.pause *= 4;
        self.pause / 4
    }
}

impl Machine {
    /// [`run`](Self::run) on `threads` threads, with the same results.
    pub fn run_parallel(&mut self, max_instructions: u64, threads: usize) -> Result<Stats, RunError> {
        self.run_waves(max_instructions, threads, true)
    }

    /// `checked` false leaves out what makes the results right, to show that tests would notice.
    fn run_waves(&mut self, max: u64, threads: usize, checked: bool) -> Result<Stats, RunError> {
        if self.trap.is_some() || self.setup.blocks() < 2 || self.setup.reads_clock() {
            return self.run(max);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1));
        let Ok(pool) = pool.build() else {
            // The host gives no threads.
            return self.run(max);
        };
        let mut pace = Pace::new(threads.max(1));
        let mut record = Retired::default();
        let (mut number, mut longest) = (0, None);
        while number < self.setup.blocks() {
            let wave = number..(number + pace.wave).min(self.setup.blocks());
            let usual = longest.map_or(FIRST_LIMIT, |l: u64| 4 * l + 4096);
            let limit = usual.min(max.saturating_sub(self.stats.warp_instructions));
            let (setup, memory) = (&self.setup, &self.global);
            let attempt = |n| Attempt::new(setup, memory, n, Stats::default(), limit);
            let attempts: Vec<Attempt> = pool.install(|| wave.clone().into_par_iter().map(attempt).collect());

            let (mut stored, mut again) = (Words::default(), 0);
            for (n, mut a) in wave.clone().zip(attempts) {
                a.stats.warp_instructions += self.stats.warp_instructions;
                a.stats.thread_instructions += self.stats.thread_instructions;
                let too_long = matches!(a.ended, Err(RunError::InstructionLimit { .. }));
                // At the limit itself a trap would come too late.
                let over = a.stats.warp_instructions >= max;
                if too_long || over || checked && a.changes.saw(&stored) {
                    a = Attempt::new(&self.setup, &self.global, n, self.stats, max);
                    again += 1;
                }
                let length = a.stats.warp_instructions - self.stats.warp_instructions;
                longest = longest.max(Some(length));
                self.accept(a, &mut stored)?;
            }
            number = wave.end;
            let alone = pace.after(wave.end - wave.start, again);
            for n in (number..self.setup.blocks()).take(alone as usize) {
                self.run_block(n, max, &mut record)?;
                number = n + 1;
            }
        }
        Ok(self.stats)
    }

    /// Makes an attempt the machine's: memory, counts, block, trap.
    fn accept(&mut self, a: Attempt, stored: &mut Words) -> Result<(), RunError> {
        a.changes.apply(&mut self.global, stored);
        self.stats = a.stats;
        self.blocks.push(a.block);
        self.settle(BlockId(self.blocks.len() as u32 - 1), a.ended)
    }
}

#[cfg(test)]
mod tests;
