//! The machine: blocks, warps and memory of one launch, stepped one warp instruction at a time.
//!
//! Two ways to drive it. Lockstep: whoever drives chooses when a block starts and which warp steps
//! ([`Machine::start_block`], [`Machine::step`]). Alone: [`Machine::run`] starts the blocks in
//! order and steps the warps of a block in turn.

mod types;

pub use types::{BlockId, ModelConfig, RunError, Stats, StepError};

use crate::barrier::{release, WarpBarriers};
use crate::exec::{execute, Env};
use crate::launch::Launch;
use crate::memory::{Constants, GlobalMemory};
use crate::program::{Program, Slot};
use crate::record::{Lanes, Retired};
use crate::trap::{Fault, Trap, TrapCause};
use crate::warp::{pattern, Warp};

/// A started block: its shared memory and warps.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index in the grid, `x, y`.
    pub ctaid: [u32; 2],
    /// Shared memory, header and parameters first.
    pub shared: Vec<u8>,
    /// Warps, threads in order of x, then y, then z.
    pub warps: Vec<Warp>,
}

impl Block {
    /// Whether every warp has finished.
    pub fn is_finished(&self) -> bool {
        self.warps.iter().all(|w| w.control.is_finished())
    }
}

/// The golden model of one launch.
#[derive(Clone, Debug)]
pub struct Machine {
    config: ModelConfig,
    program: Program,
    grid: [u32; 2],
    block: [u32; 3],
    registers: u32,
    shared_bytes: u32,
    local_bytes: u32,
    params: Vec<u32>,
    constants: Constants,
    global: GlobalMemory,
    blocks: Vec<Block>,
    stats: Stats,
    trap: Option<Trap>,
}

impl Machine {
    /// A machine with the memories of `launch` loaded and no block started.
    pub fn new(launch: &Launch, config: ModelConfig) -> Self {
        let mut global = GlobalMemory::new(launch.global_bytes);
        for section in &launch.globals {
            global.write(section.offset, &section.bytes);
        }
        let mut constants = Constants::default();
        for section in &launch.constants {
            constants.write(section.bank, section.offset as usize, &section.bytes);
        }
        Machine {
            program: Program::new(&launch.program, launch.registers, config.mutant),
            config,
            grid: launch.grid,
            block: launch.block,
            registers: launch.registers,
            shared_bytes: launch.shared_bytes,
            local_bytes: launch.local_bytes,
            params: launch.params.clone(),
            constants,
            global,
            blocks: Vec::new(),
            stats: Stats::default(),
            trap: None,
        }
    }

    /// Warps of every block.
    pub fn warps_per_block(&self) -> u32 {
        (self.block[0] * self.block[1] * self.block[2]).div_ceil(32)
    }

    /// Starts the block at `ctaid` (`x, y`): shared memory with header and parameters, warps at pc 0.
    pub fn start_block(&mut self, ctaid: [u32; 2]) -> BlockId {
        let number = u64::from(ctaid[1]) * u64::from(self.grid[0]) + u64::from(ctaid[0]);
        let fill = self.config.fill.map(|seed| seed ^ (number << 40));
        let mut shared = vec![0; self.shared_bytes as usize];
        if let Some(seed) = fill {
            for (i, b) in shared.iter_mut().enumerate() {
                *b = pattern(!seed, i as u64) as u8;
            }
        }
        // Header in 16-bit words; the first is the grid flags, 0.
        let header = [
            0,
            self.block[0],
            self.block[1],
            self.block[2],
            self.grid[0],
            self.grid[1],
            ctaid[0],
            ctaid[1],
        ];
        let head = header.iter().flat_map(|h| (*h as u16).to_le_bytes());
        let params = self.params.iter().flat_map(|p| p.to_le_bytes());
        for (to, from) in shared.iter_mut().zip(head.chain(params)) {
            *to = from;
        }
        let warps = (0..self.warps_per_block())
            .map(|i| {
                Warp::new(
                    i,
                    self.block,
                    self.registers,
                    self.local_bytes,
                    self.config.stack_depth,
                    fill,
                )
            })
            .collect();
        self.blocks.push(Block {
            ctaid,
            shared,
            warps,
        });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Executes the next instruction of one warp and describes it in `record`.
    ///
    /// Errors: the instruction traps (then nothing has changed, and every later step gives the same
    /// trap), or the warp cannot step. A barrier deadlock is found after the instruction has
    /// retired: it is `record.deadlock`, and the next step's error.
    pub fn step(
        &mut self,
        block: BlockId,
        warp: u32,
        record: &mut Retired,
    ) -> Result<(), StepError> {
        self.step_with(block, warp, record, None)
    }

    /// [`step`](Self::step), a global load taking its data from `loaded` (`[pass][lane]`, after
    /// extension) instead of memory: for replaying the order in which the chip performed them.
    pub fn step_with(
        &mut self,
        block: BlockId,
        warp: u32,
        record: &mut Retired,
        loaded: Option<&[Lanes; 4]>,
    ) -> Result<(), StepError> {
        if let Some(trap) = self.trap {
            return Err(trap.into());
        }
        let b = self.blocks.get_mut(block.0 as usize);
        let Some((b, w)) = b.and_then(|b| {
            let Block {
                ctaid,
                shared,
                warps,
            } = b;
            warps.get_mut(warp as usize).map(|w| ((*ctaid, shared), w))
        }) else {
            return Err(StepError::NoSuchWarp {
                block: block.0,
                warp,
            });
        };
        if w.control.is_finished() {
            return Err(StepError::Finished {
                block: block.0,
                warp,
            });
        }
        if let Some(barrier) = w.barriers.waiting {
            return Err(StepError::Waiting {
                block: block.0,
                warp,
                barrier,
            });
        }
        let (ctaid, shared) = b;
        let pc = w.control.pc;
        record.block = block;
        record.warp = warp;
        let result = match self.program.at(pc) {
            Slot::Trap(cause) => Err(Fault::from(cause)),
            Slot::Run(instr, guard) => {
                record.word = self.program.word(pc, instr.long);
                let mut env = Env {
                    shared,
                    constants: &self.constants,
                    global: &mut self.global,
                    local_bytes: self.local_bytes,
                    clock: self.stats.warp_instructions as u32,
                    loaded,
                    mutant: self.config.mutant,
                };
                execute(&instr, guard, w, &mut env, record)
            }
        };
        if let Err(fault) = result {
            let trap = Trap {
                cause: fault.cause,
                ctaid,
                warp,
                pc,
                lane: fault.lane,
                access: fault.access,
            };
            self.trap = Some(trap);
            return Err(trap.into());
        }
        self.stats.warp_instructions += 1;
        self.stats.thread_instructions += u64::from(record.active_mask.count_ones());
        if record.barrier.is_some() || record.finished {
            self.settle_barriers(block, pc, record);
        }
        Ok(())
    }

    /// Releases what can be released in a block; finds the deadlock when nothing can go on.
    fn settle_barriers(&mut self, block: BlockId, pc: u32, record: &mut Retired) {
        let b = &mut self.blocks[block.0 as usize];
        let mut live: Vec<&mut WarpBarriers> = b
            .warps
            .iter_mut()
            .filter(|w| !w.control.is_finished())
            .map(|w| &mut w.barriers)
            .collect();
        record.released = release(&mut live);
        if !live.is_empty() && live.iter().all(|w| w.waiting.is_some()) {
            let trap = Trap {
                cause: TrapCause::BarrierDeadlock,
                ctaid: b.ctaid,
                warp: record.warp,
                pc,
                lane: 0,
                access: None,
            };
            record.deadlock = Some(trap);
            self.trap = Some(trap);
        }
    }

    /// Runs the whole grid, one block after the other, each warp of a block in turn up to a
    /// barrier or for at most 256 instructions.
    ///
    /// Errors: a trap, or more than `max_instructions` warp instructions.
    pub fn run(&mut self, max_instructions: u64) -> Result<Stats, RunError> {
        let mut record = Retired::default();
        for y in 0..self.grid[1] {
            for x in 0..self.grid[0] {
                let id = self.start_block([x, y]);
                self.run_block(id, max_instructions, &mut record)?;
                // A finished block is not looked at again; its memory may be large.
                let b = &mut self.blocks[id.0 as usize];
                b.shared = Vec::new();
                b.warps = Vec::new();
            }
        }
        Ok(self.stats)
    }

    fn run_block(
        &mut self,
        id: BlockId,
        max_instructions: u64,
        record: &mut Retired,
    ) -> Result<(), RunError> {
        let warps = self.warps_per_block();
        loop {
            let mut live = false;
            for warp in 0..warps {
                let w = &self.blocks[id.0 as usize].warps[warp as usize];
                if w.control.is_finished() {
                    continue;
                }
                live = true;
                if w.barriers.waiting.is_some() {
                    continue;
                }
                for _ in 0..256 {
                    if self.stats.warp_instructions >= max_instructions {
                        let b = &self.blocks[id.0 as usize];
                        return Err(RunError::InstructionLimit {
                            limit: max_instructions,
                            ctaid: b.ctaid,
                            warp,
                            pc: b.warps[warp as usize].control.pc,
                        });
                    }
                    match self.step(id, warp, record) {
                        Ok(()) => {}
                        Err(StepError::Trap(t)) => return Err(t.into()),
                        Err(_) => break,
                    }
                    if let Some(trap) = record.deadlock {
                        return Err(trap.into());
                    }
                    if record.finished || record.barrier.is_some() {
                        break;
                    }
                }
            }
            if !live {
                return Ok(());
            }
        }
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The trap that stopped the machine, if one did.
    pub fn trap(&self) -> Option<Trap> {
        self.trap
    }

    /// Grid size in blocks, `x, y`.
    pub fn grid(&self) -> [u32; 2] {
        self.grid
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
            b.shared = Vec::new();
            b.warps = Vec::new();
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
