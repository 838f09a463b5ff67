//! The grid on several threads, with the results of one block after the other.
//!
//! Blocks run in waves. All blocks of a wave run side by side, each on an [`Overlay`] of the memory
//! the wave began with. Then their stores are performed in the order of the blocks. A block that read
//! a word to which an earlier block of its wave stored read a stale value: it runs again, on the
//! memory as it is then. A block depends on its index and the words it reads alone, so memory, counts,
//! traps and the instruction limit are those of a run on one thread for every program and number of
//! threads.
//!
//! Where blocks keep running into each other, waves do not pay: then many blocks run one after the
//! other before the next, small wave. A block that reads the clock depends on all before it; such
//! programs run on one thread.

use crate::machine::executor::{Ended, Executor, Grid, Ran};
use crate::memory::overlay::{Changes, Overlay, Words};
use crate::memory::GlobalMemory;
use crate::types::{RunError, Stats};
use rayon::prelude::*;

/// Warp instructions a block may take in a wave before any block has shown what is usual. A block
/// may wait for ever for a store of an earlier one, which its wave does not show it.
const FIRST_LIMIT: u64 = 1 << 18;

/// A block that ran on an overlay: all it would have done to the machine.
struct Attempt<E: Executor> {
    ran: Ran<E>,
    changes: Changes,
    stats: Stats,
}

impl<E: Executor> Attempt<E> {
    /// Runs a block over `memory`, which stays as it is; `stats` counts on.
    fn new(grid: &Grid<E>, memory: &GlobalMemory, number: u64, mut stats: Stats, limit: u64) -> Self {
        let mut overlay = Overlay::new(memory);
        let (mut block, ended) = grid.attempt(number, &mut overlay, &mut stats, limit);
        if ended.is_ok() {
            // Of a finished block nothing is kept: a wave would hold all its shared memories.
            block.clear();
        }
        Attempt { ran: (block, ended), changes: overlay.changes(), stats }
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

/// Runs a grid of at least one block on `threads` threads; `keep` gets every block in order. `checked` false leaves
/// out what makes the results right, to show that tests would notice. `None`: the host gives no threads.
pub(crate) fn run<E: Executor>(
    grid: &Grid<E>, global: &mut GlobalMemory, stats: &mut Stats, max: u64, threads: usize, checked: bool,
    keep: &mut dyn FnMut(Ran<E>) -> Ended<E>,
) -> Option<Ended<E>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build().ok()?;
    let mut pace = Pace::new(threads.max(1));
    let (mut number, mut longest) = (0, None);
    while number < grid.blocks() {
        let wave = number..(number + pace.wave).min(grid.blocks());
        let usual = longest.map_or(FIRST_LIMIT, |l: u64| 4 * l + 4096);
        let limit = usual.min(max.saturating_sub(stats.warp_instructions));
        let memory = &*global;
        let attempt = |n| Attempt::new(grid, memory, n, Stats::default(), limit);
        let attempts: Vec<Attempt<E>> = pool.install(|| wave.clone().into_par_iter().map(attempt).collect());

        let (mut stored, mut again) = (Words::default(), 0);
        for (n, mut a) in wave.clone().zip(attempts) {
            a.stats.warp_instructions += stats.warp_instructions;
            a.stats.thread_instructions += stats.thread_instructions;
            let too_long = matches!(a.ran.1, Err(RunError::InstructionLimit { .. }));
            // At the limit itself a trap would come too late.
            let over = a.stats.warp_instructions >= max;
            if too_long || over || checked && a.changes.saw(&stored) {
                a = Attempt::new(grid, global, n, *stats, max);
                again += 1;
            }
            let length = a.stats.warp_instructions - stats.warp_instructions;
            longest = longest.max(Some(length));
            a.changes.apply(global, &mut stored);
            *stats = a.stats;
            if let Err(e) = keep(a.ran) {
                return Some(Err(e));
            }
        }
        number = wave.end;
        let alone = pace.after(wave.end - wave.start, again);
        for n in (number..grid.blocks()).take(alone as usize) {
            let ran = grid.attempt(n, global, stats, max);
            if let Err(e) = keep(ran) {
                return Some(Err(e));
            }
            number = n + 1;
        }
    }
    Some(Ok(()))
}

#[cfg(test)]
mod tests;
