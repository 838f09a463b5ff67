//! The machine: blocks, warps and memory of one launch, stepped one warp instruction at a time.
//!
//! It runs in two ways. Lockstep: the caller chooses when a block starts and which warp steps
//! ([`Machine::start_block`], [`Machine::step`]). Alone: [`Machine::run`] starts the blocks in
//! order and steps the warps of a block in turn; [`Machine::run_parallel`] gives the same on several
//! threads. What executes an instruction is the [`Executor`]: SM 1.0's fast path, or micro-operations.

pub mod block;
pub mod executor;
pub mod setup;

use crate::memory::GlobalMemory;
use crate::parallel;
use crate::record::{BlockId, Lanes, Retired, Spread};
use crate::trap::{self, Stops};
use crate::types::{RunError, Stats, StepError};
use crate::undefined::{Beside, Places};
use crate::watch::Observed;
use block::{Resident, Standing, State, Tracked};
use executor::{BlockOf, Executor, Grid, Ran, Wanted};
use std::sync::Arc;

/// The golden model of one launch. A clone goes on from where it is.
#[derive(Clone)]
pub struct Machine<E: Executor> {
    pub(crate) setup: Arc<E>,
    /// Blocks that start keep track of undefined bits.
    pub(crate) tracked: bool,
    global: GlobalMemory,
    blocks: Vec<BlockOf<E>>,
    stats: Stats,
    trap: Option<E::Trap>,
    last: E::Seen,
}

impl<E: Executor> Machine<E> {
    pub(crate) fn with(setup: E, global: GlobalMemory, tracked: bool) -> Self {
        let (blocks, stats) = (vec![], Stats::default());
        Machine {
            setup: Arc::new(setup),
            tracked,
            global,
            blocks,
            stats,
            trap: None,
            last: E::seen(Wanted { writes: true, accesses: false }),
        }
    }

    /// Starts the block at `ctaid` (`x, y`): its memory as it is at the start, warps at pc 0.
    pub fn start_block(&mut self, ctaid: [u32; 2]) -> BlockId {
        self.blocks.push(self.setup.block(ctaid, self.tracked));
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Executes the next instruction of one warp and describes it in `record`.
    ///
    /// # Errors
    /// The instruction traps (then nothing has changed, and every later step of its block
    /// gives the same trap), or the warp cannot step. A barrier deadlock is found after the
    /// instruction has retired: it is `record.deadlock`, and the error of the block's next step.
    /// Other blocks go on, as they do on a chip until it stops.
    pub fn step(&mut self, block: BlockId, warp: u32, record: &mut Retired) -> Result<(), StepError> {
        self.step_beside(block, warp, record, None)
    }

    /// [`step`](Self::step) beside a chip: undefined bits take the values that are there, where they are
    /// tracked. Values that come later are [`adopt`](Self::adopt)ed.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_beside(
        &mut self, BlockId(block): BlockId, warp: u32, record: &mut Retired, beside: Option<&Beside<'_>>,
    ) -> Result<(), StepError> {
        let b = self.blocks.get_mut(block as usize).ok_or(StepError::NoSuchWarp { block, warp })?;
        if let Some(trap) = &b.trap {
            return Err(trap.record().into());
        }
        match b.state(warp) {
            None => return Err(StepError::NoSuchWarp { block, warp }),
            Some(State::Finished) => return Err(StepError::Finished { block, warp }),
            Some(State::Waiting(barrier)) => return Err(StepError::Waiting { block, warp, barrier }),
            Some(State::Ready) => {}
        }
        (record.block, record.warp) = (BlockId(block), warp);
        let memory = (&mut self.global, &mut self.stats);
        let (ended, trap) = match self.setup.retire(b, warp, memory, &mut self.last, record, beside) {
            Ok(deadlock) => (Ok(()), deadlock),
            Err(trap) => (Err(trap.record().into()), Some(trap)),
        };
        record.deadlock = trap.as_ref().filter(|_| ended.is_ok()).map(Stops::record);
        b.trap.clone_from(&trap);
        self.trap = self.trap.take().or(trap);
        ended
    }

    /// Runs the whole grid, one block after the other, each warp of a block in turn until it
    /// waits at a barrier, of SM 1.0 until it comes to one, or for at most 256 instructions.
    ///
    /// # Errors
    /// A trap, or more than `max_instructions` warp instructions.
    pub fn run(&mut self, max_instructions: u64) -> Result<Stats, RunError<E::Trap>> {
        self.run_seen(max_instructions, Wanted::default(), &mut |_, _, _| {})
    }

    /// [`run`](Self::run), where `see` gets block, warp and what every instruction did, with all that is `wanted`; where
    /// nothing is, what some did.
    pub(crate) fn run_seen(
        &mut self, max_instructions: u64, wanted: Wanted, see: &mut impl FnMut(&BlockOf<E>, u32, &E::Seen),
    ) -> Result<Stats, RunError<E::Trap>> {
        let (grid, mut seen) = (Grid { setup: &*self.setup, tracked: self.tracked }, E::seen(wanted));
        for number in 0..grid.blocks() {
            if let Some(trap) = &self.trap {
                return Err(RunError::Trap(trap.clone()));
            }
            let (global, stats) = (&mut self.global, &mut self.stats);
            let ran = grid.run(number, global, stats, max_instructions, wanted.is_nothing(), &mut seen, see);
            keep::<E>(&mut self.blocks, &mut self.trap, ran)?;
        }
        Ok(self.stats)
    }

    /// [`run`](Self::run) on `threads` threads, with the same results.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_parallel(&mut self, max_instructions: u64, threads: usize) -> Result<Stats, RunError<E::Trap>> {
        self.run_waves(max_instructions, threads, true)
    }

    /// `checked` false leaves out what makes the results right, to show that tests would notice.
    pub(crate) fn run_waves(&mut self, max: u64, threads: usize, checked: bool) -> Result<Stats, RunError<E::Trap>> {
        let grid = Grid { setup: &*self.setup, tracked: self.tracked };
        if self.trap.is_some() || grid.blocks() < 2 || self.setup.reads_clock() {
            return self.run(max);
        }
        let (blocks, trap) = (&mut self.blocks, &mut self.trap);
        let mut keep = |ran| keep::<E>(blocks, trap, ran);
        match parallel::run(&grid, &mut self.global, &mut self.stats, max, threads, checked, &mut keep) {
            Some(ended) => ended.map(|()| self.stats),
            None => self.run(max),
        }
    }

    /// What a warp's last [`step`](Self::step) did, of which `record` tells, for an observer.
    pub fn observed<'a>(&self, record: &'a Retired) -> Option<Observed<'a>> {
        let block = self.blocks.get(record.block.0 as usize)?;
        Some(record.observed(block.ctaid, block.released))
    }

    /// The blocks that were started.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> &[BlockOf<E>] {
        &self.blocks
    }

    /// Bits `undefined` of a register that a load or a special function wrote, and lanes share as `spread` says, are
    /// these of `value`.
    pub fn adopt(&mut self, id: BlockId, warp: u32, register: (u8, Spread), undefined: &Lanes, value: &Lanes) {
        let block = self.blocks.get_mut(id.0 as usize);
        if let Some(w) = block.and_then(|b| b.warps.get_mut(warp as usize)) {
            self.setup.adopt(&mut w.warp, register, undefined, value);
        }
    }

    /// Places that depend on undefined values, of all blocks so far, where they are tracked.
    pub fn undefined(&self) -> Places {
        let mut all = Places::default();
        let tracked = self.blocks.iter().filter_map(|b| b.undefined.as_ref());
        tracked.for_each(|u| all.merge(u.places()));
        all
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The first trap, if there was one, as a chip records it.
    pub fn trap(&self) -> Option<trap::Trap> {
        self.trap.as_ref().map(Stops::record)
    }

    /// One warp of a started block; none of one whose memory was dropped, as [`run`](Self::run) does.
    pub fn warp(&self, id: BlockId, warp: u32) -> Option<&E::Warp> {
        Some(&self.blocks.get(id.0 as usize)?.warps.get(warp as usize)?.warp)
    }

    /// Where a warp stands.
    pub fn standing(&self, id: BlockId, warp: u32) -> Option<Standing> {
        self.warp(id, warp).map(Resident::standing)
    }

    /// Drops the memory of a finished block, so that long lockstep runs do not grow.
    pub fn retire_block(&mut self, id: BlockId) {
        if let Some(b) = self.blocks.get_mut(id.0 as usize) {
            b.clear();
        }
    }

    /// Global memory, at the end of its use.
    pub fn into_global(self) -> GlobalMemory {
        self.global
    }

    /// Global memory.
    pub fn global(&self) -> &GlobalMemory {
        &self.global
    }
}

/// Keeps a block that has run: all of it after an error, else nothing of its memory, which may be large.
fn keep<E: Executor>(
    blocks: &mut Vec<BlockOf<E>>, first: &mut Option<E::Trap>, (mut block, ended): Ran<E>,
) -> Result<(), RunError<E::Trap>> {
    match &ended {
        Ok(()) => block.clear(),
        Err(RunError::Trap(trap)) => *first = Some(trap.clone()),
        Err(RunError::InstructionLimit { .. }) => {}
    }
    blocks.push(block);
    ended
}
