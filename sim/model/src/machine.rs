//! The machine: blocks, warps and memory of one launch, stepped one warp instruction at a time.
//!
//! It runs in two ways. Lockstep: the caller chooses when a block starts and which warp steps
//! ([`Machine::start_block`], [`Machine::step`]). Alone: [`Machine::run`] starts the blocks in
//! order and steps the warps of a block in turn; [`Machine::run_parallel`] gives the same on several
//! threads.

mod parallel;
mod setup;

pub use setup::Block;

use crate::memory::GlobalMemory;
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
        let mut record = Retired::default();
        for number in 0..self.setup.blocks() {
            self.run_block(number, max_instructions, &mut record)?;
        }
        Ok(self.stats)
    }

    /// Runs one block of the grid on the machine's memory.
    fn run_block(&mut self, number: u64, max_instructions: u64, record: &mut Retired) -> Result<(), RunError> {
        let id = self.start_block(self.setup.ctaid(number));
        if let Some(trap) = self.trap {
            return Err(trap.into());
        }
        let b = &mut self.blocks[id.0 as usize];
        let (global, stats) = (&mut self.global, &mut self.stats);
        let ended = self.setup.run(b, global, stats, max_instructions, record);
        self.settle(id, ended)
    }

    /// What the end of a run leaves of its block: all of it after an error, else nothing, for its
    /// memory may be large.
    fn settle(&mut self, id: BlockId, ended: Result<(), RunError>) -> Result<(), RunError> {
        match ended {
            Ok(()) => self.retire_block(id),
            Err(RunError::Trap(trap)) => self.trap = Some(trap),
            Err(RunError::InstructionLimit { .. }) => {}
        }
        ended
    }

    /// Bits `undefined` of a register that a load or a special function wrote are these of `value`.
    pub fn adopt(&mut self, block: BlockId, warp: u32, register: u8, undefined: &Lanes, value: &Lanes) {
        let b = self.blocks.get_mut(block.0 as usize);
        let w = b.and_then(|b| b.warps.get_mut(warp as usize));
        let Some(r) = w.and_then(|w| w.registers.get_mut(usize::from(register))) else {
            return;
        };
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
