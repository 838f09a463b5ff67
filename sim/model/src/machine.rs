//! The machine: blocks, warps and memory of one launch, stepped one warp instruction at a time.
//!
//! It runs in two ways. Lockstep: the caller chooses when a block starts and which warp steps
//! ([`Machine::start_block`], [`Machine::step`]). Alone: [`Machine::run`] starts the blocks in
//! order and steps the warps of a block in turn; [`Machine::run_parallel`] gives the same on several
//! threads.

mod setup;

pub use setup::Block;

use crate::memory::{Global, GlobalMemory};
use crate::parallel::{self, Grid, Ran};
use crate::record::{BlockId, Lanes, Retired};
use crate::trap::Trap;
use crate::types::{ModelConfig, RunError, Stats, StepError};
use crate::undefined::{Beside, Places};
use crate::warp::Warp;
use setup::Setup;
use warpsmith_isa::WARP_SIZE;
use warpsmith_launch::Launch;

/// The golden model of one launch.
#[derive(Clone, Debug)]
pub struct Machine {
    setup: Setup,
    global: GlobalMemory,
    blocks: Vec<Block>,
    stats: Stats,
    trap: Option<Trap>,
}

impl Machine {
    /// A machine with the memories of `launch` loaded and no block started.
    pub fn new(launch: &Launch, config: ModelConfig) -> Self {
        Machine {
            setup: Setup::new(launch, config),
            global: GlobalMemory::of(launch),
            blocks: Vec::new(),
            stats: Stats::default(),
            trap: None,
        }
    }

    /// Warps of every block.
    pub fn warps_per_block(&self) -> u32 {
        self.setup.warps_per_block()
    }

    /// Starts the block at `ctaid` (`x, y`): shared memory with header and parameters, warps at pc 0.
    pub fn start_block(&mut self, ctaid: [u32; 2]) -> BlockId {
        self.blocks.push(self.setup.block(ctaid));
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Executes the next instruction of one warp and describes it in `record`.
    ///
    /// Errors: the instruction traps (then nothing has changed, and every later step of its block
    /// gives the same trap), or the warp cannot step. A barrier deadlock is found after the
    /// instruction has retired: it is `record.deadlock`, and the error of the block's next step.
    /// Other blocks go on, as they do on a chip until it stops.
    pub fn step(&mut self, block: BlockId, warp: u32, record: &mut Retired) -> Result<(), StepError> {
        self.step_beside(block, warp, record, None)
    }

    /// [`step`](Self::step) beside a chip: undefined bits take the values that are there, where they are
    /// tracked. Values that come later are [`adopt`](Self::adopt)ed.
    pub fn step_beside(
        &mut self,
        block: BlockId,
        warp: u32,
        record: &mut Retired,
        beside: Option<&Beside<'_>>,
    ) -> Result<(), StepError> {
        let b = self.blocks.get_mut(block.0 as usize);
        if let Some(trap) = b.as_ref().and_then(|b| b.trap) {
            return Err(trap.into());
        }
        let Some((b, w)) = b.and_then(|b| {
            let w = b.warps.get(warp as usize)?;
            let state = (w.control.is_finished(), w.barriers.waiting);
            Some((b, state))
        }) else {
            return Err(StepError::NoSuchWarp { block: block.0, warp });
        };
        match w {
            (true, _) => Err(StepError::Finished { block: block.0, warp }),
            (_, Some(barrier)) => Err(StepError::Waiting { block: block.0, warp, barrier }),
            _ => {
                record.block = block;
                let (global, stats) = (&mut self.global, &mut self.stats);
                let stepped = self.setup.step(b, warp, global, stats, record, beside);
                b.trap = stepped.err().or(record.deadlock);
                self.trap = self.trap.or(b.trap);
                stepped.map_err(StepError::from)
            }
        }
    }

    /// Runs the whole grid, one block after the other, each warp of a block in turn up to a
    /// barrier or for at most 256 instructions.
    ///
    /// Errors: a trap, or more than `max_instructions` warp instructions.
    pub fn run(&mut self, max_instructions: u64) -> Result<Stats, RunError> {
        self.run_seen(max_instructions, &mut |_, _| {})
    }

    /// [`run`](Self::run), where `see` gets every instruction with the index of its block.
    pub(crate) fn run_seen(
        &mut self,
        max_instructions: u64,
        see: &mut impl FnMut([u32; 2], &Retired),
    ) -> Result<Stats, RunError> {
        let mut record = Retired::default();
        for number in 0..self.setup.blocks() {
            if let Some(trap) = self.trap {
                return Err(trap.into());
            }
            let mut block = self.setup.block(self.setup.ctaid(number));
            let (global, stats) = (&mut self.global, &mut self.stats);
            let ended = self.setup.run(&mut block, global, stats, max_instructions, &mut record, see);
            Self::keep(&mut self.blocks, &mut self.trap, (block, ended))?;
        }
        Ok(self.stats)
    }

    /// [`run`](Self::run) on `threads` threads, with the same results.
    pub fn run_parallel(&mut self, max_instructions: u64, threads: usize) -> Result<Stats, RunError> {
        self.run_waves(max_instructions, threads, true)
    }

    /// `checked` false leaves out what makes the results right, to show that tests would notice.
    pub(crate) fn run_waves(&mut self, max: u64, threads: usize, checked: bool) -> Result<Stats, RunError> {
        if self.trap.is_some() || self.setup.blocks() < 2 || self.setup.reads_clock() {
            return self.run(max);
        }
        let Machine { setup, global, blocks, stats, trap } = self;
        let mut keep = |ran| Self::keep(blocks, trap, ran);
        match parallel::run(&*setup, global, stats, max, threads, checked, &mut keep) {
            Some(ended) => ended.map(|()| self.stats),
            None => self.run(max),
        }
    }

    /// Keeps a block that has run: all of it after an error, else nothing of its memory, which may be large.
    fn keep(blocks: &mut Vec<Block>, first: &mut Option<Trap>, (mut block, ended): Ran<Setup>) -> Result<(), RunError> {
        match ended {
            Ok(()) => block.clear(),
            Err(RunError::Trap(trap)) => *first = Some(trap),
            Err(RunError::InstructionLimit { .. }) => {}
        }
        blocks.push(block);
        ended
    }

    /// The blocks that were started.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Bits `undefined` of a register that a load or a special function wrote are these of `value`.
    pub fn adopt(&mut self, block: BlockId, warp: u32, register: u8, undefined: &Lanes, value: &Lanes) {
        let b = self.blocks.get_mut(block.0 as usize);
        let w = b.and_then(|b| b.warps.get_mut(warp as usize));
        let Some(r) = w.and_then(|w| w.registers.get_mut(usize::from(register))) else { return };
        for l in 0..WARP_SIZE {
            r[l] = r[l] & !undefined[l] | value[l] & undefined[l];
        }
    }

    /// Places that depend on undefined values, of all blocks so far, where they are tracked.
    pub fn undefined(&self) -> Places {
        let mut all = Places::default();
        let tracked = self.blocks.iter().filter_map(|b| b.undefined.as_ref());
        tracked.for_each(|u| all.merge(&u.places));
        all
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The first trap, if there was one.
    pub fn trap(&self) -> Option<Trap> {
        self.trap
    }

    /// Grid size in blocks, `x, y`.
    pub fn grid(&self) -> [u32; 2] {
        self.setup.grid
    }

    /// A started block; `None` for an unknown handle. After [`run`](Self::run) blocks are empty.
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.0 as usize)
    }

    /// One warp of a started block.
    pub fn warp(&self, id: BlockId, warp: u32) -> Option<&Warp> {
        self.block(id)?.warps.get(warp as usize)
    }

    /// Drops the memory of a finished block, so that long lockstep runs do not grow.
    pub fn retire_block(&mut self, id: BlockId) {
        if let Some(b) = self.blocks.get_mut(id.0 as usize) {
            b.clear();
        }
    }

    /// Global memory.
    pub fn global(&self) -> &GlobalMemory {
        &self.global
    }

    /// Global memory, to change it from outside.
    pub fn global_mut(&mut self) -> &mut GlobalMemory {
        &mut self.global
    }
}

impl Grid for Setup {
    type Block = Block;
    type Ended = RunError;

    fn blocks(&self) -> u64 {
        Setup::blocks(self)
    }

    fn attempt(&self, number: u64, global: &mut impl Global, stats: &mut Stats, limit: u64) -> Ran<Self> {
        let mut block = self.block(self.ctaid(number));
        let ended = self.run(&mut block, global, stats, limit, &mut Retired::default(), &mut |_, _| {});
        (block, ended)
    }

    fn is_limit(ended: &RunError) -> bool {
        matches!(ended, RunError::InstructionLimit { .. })
    }

    fn clear(block: &mut Block) {
        block.clear();
    }
}
