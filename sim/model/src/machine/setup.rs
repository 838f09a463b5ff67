//! Constants of a launch, and the run of one block on any view of global memory.

use crate::barrier::{release, WarpBarriers};
use crate::exec::{execute, Env};
use crate::memory::{Constants, Global};
use crate::program::{Program, Slot};
use crate::record::Retired;
use crate::trap::{Fault, Trap, TrapCause};
use crate::types::{ModelConfig, RunError, Stats};
use crate::undefined::sm10::{At, BlockBits, Facts};
use crate::undefined::Beside;
use crate::warp::{pattern, Warp};
use std::sync::{Arc, OnceLock};
use warpsmith_isa::Instr;
use warpsmith_launch::Launch;

/// A started block: its shared memory and warps.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index in the grid, `x, y`.
    pub ctaid: [u32; 2],
    /// Shared memory, header and parameters first.
    pub shared: Vec<u8>,
    /// Warps, threads in order of x, then y, then z.
    pub warps: Vec<Warp>,
    /// The trap that stopped it.
    pub(super) trap: Option<Trap>,
    /// Which bits of them are undefined, where that is tracked.
    pub(super) undefined: Option<Box<BlockBits>>,
}

impl Block {
    /// Whether every warp has finished.
    pub fn is_finished(&self) -> bool {
        self.warps.iter().all(|w| w.control.is_finished())
    }

    /// Drops the memory of a finished block.
    pub(super) fn clear(&mut self) {
        self.shared = Vec::new();
        self.warps = Vec::new();
        if let Some(bits) = &mut self.undefined {
            bits.clear();
        }
    }

    /// Releases what can be released in a block; finds the deadlock when nothing can go on.
    fn settle_barriers(&mut self, record: &mut Retired) {
        let mut live: Vec<&mut WarpBarriers> =
            self.warps.iter_mut().filter(|w| !w.control.is_finished()).map(|w| &mut w.barriers).collect();
        record.released = release(&mut live);
        if live.iter().any(|w| w.waiting.is_none()) {
            return;
        }
        let first = self.warps.iter().position(|w| !w.control.is_finished());
        record.deadlock = first.map(|warp| Trap {
            cause: TrapCause::BarrierDeadlock,
            ctaid: self.ctaid,
            warp: warp as u32,
            pc: self.warps[warp].barriers.at,
            lane: 0,
            access: None,
        });
    }
}

/// Constants of a launch.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    config: ModelConfig,
    program: Program,
    pub grid: [u32; 2],
    block: [u32; 3],
    registers: u32,
    shared_bytes: u32,
    local_bytes: u32,
    params: Vec<u32>,
    constants: Constants,
    /// By word of the program, where undefined bits are tracked.
    facts: Arc<Vec<OnceLock<Facts>>>,
}

impl Setup {
    pub fn new(launch: &Launch, config: ModelConfig) -> Self {
        Setup {
            program: Program::new(launch.program.words(), launch.registers, &config),
            facts: Arc::new(match config.tracked {
                true => launch.program.bytes.chunks(4).map(|_| OnceLock::new()).collect(),
                false => vec![],
            }),
            config,
            grid: launch.grid,
            block: launch.block,
            registers: launch.registers,
            shared_bytes: launch.shared_bytes,
            local_bytes: launch.local_bytes,
            params: launch.params.clone(),
            constants: launch.constant_memory(),
        }
    }

    pub fn warps_per_block(&self) -> u32 {
        (self.block[0] * self.block[1] * self.block[2]).div_ceil(32)
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        u64::from(self.grid[0]) * u64::from(self.grid[1])
    }

    /// Index `x, y` of a block by its number, x first.
    pub fn ctaid(&self, number: u64) -> [u32; 2] {
        let width = u64::from(self.grid[0]);
        [(number % width) as u32, (number / width) as u32]
    }

    /// Whether a block can read how much others have executed.
    pub fn reads_clock(&self) -> bool {
        self.program.reads_clock()
    }

    /// A block about to start: shared memory with header and parameters, warps at pc 0.
    pub fn block(&self, ctaid: [u32; 2]) -> Block {
        let number = u64::from(ctaid[1]) * u64::from(self.grid[0]) + u64::from(ctaid[0]);
        let fill = self.config.fill.map(|seed| seed ^ (number << 40));
        let mut shared = vec![0; self.shared_bytes as usize];
        if let Some(seed) = fill {
            for (i, b) in shared.iter_mut().enumerate() {
                *b = pattern(!seed, i as u64) as u8;
            }
        }
        // Header in 16-bit words; the first is the grid flags, 0.
        let header = [0, self.block[0], self.block[1], self.block[2], self.grid[0], self.grid[1], ctaid[0], ctaid[1]];
        let head = header.iter().flat_map(|h| (*h as u16).to_le_bytes());
        let params = self.params.iter().flat_map(|p| p.to_le_bytes());
        let given = 2 * header.len() + 4 * self.params.len();
        for (to, from) in shared.iter_mut().zip(head.chain(params)) {
            *to = from;
        }
        let warps: Vec<Warp> = (0..self.warps_per_block())
            .map(|i| Warp::new(i, self.block, self.registers, self.local_bytes, self.config.stack_depth, fill))
            .collect();
        let undefined = (self.config.tracked).then(|| Box::new(BlockBits::new(&warps, shared.len(), given)));
        Block { ctaid, shared, warps, trap: None, undefined }
    }

    /// Executes the next instruction of a warp that is neither finished nor waiting, and describes it
    /// in all of `record` but the handle of the block. A trap changes nothing; a barrier deadlock is
    /// found after the instruction has retired and is `record.deadlock`.
    #[inline(always)]
    pub fn step(
        &self,
        block: &mut Block,
        warp: u32,
        global: &mut impl Global,
        stats: &mut Stats,
        record: &mut Retired,
        beside: Option<&Beside<'_>>,
    ) -> Result<(), Trap> {
        let w = &mut block.warps[warp as usize];
        let pc = w.control.pc;
        record.warp = warp;
        record.deadlock = None;
        let result = match self.program.at(pc) {
            Slot::Trap(cause) => Err(Fault::from(cause)),
            Slot::Run(instr, guard) => {
                record.word = self.program.word(pc, instr.long);
                let mut env = Env {
                    shared: &mut block.shared,
                    constants: &self.constants,
                    local_bytes: self.local_bytes,
                    clock: stats.warp_instructions as u32,
                    mutant: self.config.mutant,
                };
                match &mut block.undefined {
                    None => execute(&instr, guard, w, &mut env, global, record),
                    Some(bits) => {
                        let at = At {
                            facts: self.facts(pc, &instr),
                            instr: &instr,
                            guard,
                            ctaid: block.ctaid,
                            warp,
                            beside,
                        };
                        tracked(at, bits, w, &mut env, global, record)
                    }
                }
            }
        };
        if let Err(fault) = result {
            return Err(Trap {
                cause: fault.cause,
                ctaid: block.ctaid,
                warp,
                pc,
                lane: fault.lane,
                access: fault.access,
            });
        }
        stats.warp_instructions += 1;
        stats.thread_instructions += u64::from(record.active_mask.count_ones());
        if record.barrier.is_some() || record.finished {
            block.settle_barriers(record);
        }
        Ok(())
    }

    /// What undefined bits need to know of an instruction.
    fn facts(&self, pc: u32, instr: &Instr) -> &Facts {
        // Only words of the program execute.
        self.facts[pc as usize / 4].get_or_init(|| Facts::new(instr))
    }

    /// Runs a block to its end, each warp in turn up to a barrier or for at most 256 instructions; `see` gets
    /// every one.
    ///
    /// Errors: a trap, or `stats` at `max_instructions` before the end.
    pub fn run(
        &self,
        block: &mut Block,
        global: &mut impl Global,
        stats: &mut Stats,
        max_instructions: u64,
        record: &mut Retired,
        see: &mut impl FnMut([u32; 2], &Retired),
    ) -> Result<(), RunError> {
        loop {
            let mut live = false;
            for warp in 0..self.warps_per_block() {
                let w = &block.warps[warp as usize];
                if w.control.is_finished() {
                    continue;
                }
                live = true;
                if w.barriers.waiting.is_some() {
                    continue;
                }
                for _ in 0..256 {
                    if stats.warp_instructions >= max_instructions {
                        return Err(RunError::InstructionLimit {
                            limit: max_instructions,
                            ctaid: block.ctaid,
                            warp,
                            pc: block.warps[warp as usize].control.pc,
                        });
                    }
                    self.step(block, warp, global, stats, record, None)?;
                    see(block.ctaid, record);
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
}

/// Executes an instruction, following which bits are undefined.
#[inline(never)]
fn tracked(
    at: At<'_>,
    bits: &mut BlockBits,
    warp: &mut Warp,
    env: &mut Env<'_>,
    global: &mut impl Global,
    record: &mut Retired,
) -> Result<(), Fault> {
    bits.before(at, warp, env);
    execute(at.instr, at.guard, warp, env, global, record)?;
    bits.after(at, warp, env, record);
    Ok(())
}
