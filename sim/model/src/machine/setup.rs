//! The fast path of SM 1.0: constants of a launch, and how a warp executes an instruction on them.

use super::block::{Block, Resident, Standing, Tracked};
use super::executor::{BlockOf, Executor, Wanted};
use super::Machine;
use crate::exec::{execute, Env};
use crate::memory::{Constants, Global, GlobalMemory};
use crate::program::{Program, Slot};
use crate::quick::Burst;
use crate::record::{Lanes, Retired, Spread};
use crate::trap::{Fault, Trap, TrapCause};
use crate::types::{ModelConfig, Stats};
use crate::undefined::sm10::{At, BlockBits, Facts};
use crate::undefined::{Beside, Places};
use crate::warp::{pattern, Warp};
use crate::watch::{Accesses, Observed};
use std::sync::OnceLock;
use warpsmith_isa::{Instr, WARP_SIZE};
use warpsmith_launch::Launch;

impl Resident for Warp {
    fn standing(&self) -> Standing {
        let c = &self.control;
        Standing { pc: c.pc, active: c.active, depth: c.stack().len() as u32, finished: c.is_finished() }
    }

    #[inline(always)]
    fn is_finished(&self) -> bool {
        self.control.is_finished()
    }
}

impl Tracked for Box<BlockBits> {
    fn places(&self) -> &Places {
        &self.places
    }

    fn clear(&mut self) {
        BlockBits::clear(self);
    }
}

/// Constants of a launch.
#[derive(Clone, Debug)]
pub struct Setup {
    config: ModelConfig,
    program: Program,
    grid: [u32; 2],
    block: [u32; 3],
    registers: u32,
    shared_bytes: u32,
    local_bytes: u32,
    params: Vec<u32>,
    constants: Constants,
    /// By word of the program, where undefined bits are tracked.
    facts: Vec<OnceLock<Facts>>,
}

impl Machine<Setup> {
    /// A machine with the memories of `launch` loaded and no block started.
    pub fn new(launch: &Launch, config: ModelConfig) -> Self {
        let tracked = config.tracked;
        Machine::with(Setup::new(launch, config), GlobalMemory::of(launch), tracked)
    }
}

impl Setup {
    fn new(launch: &Launch, config: ModelConfig) -> Self {
        Setup {
            program: Program::new(launch.program.words(), launch.registers, &config),
            facts: match config.tracked {
                true => launch.program.bytes.chunks(4).map(|_| OnceLock::new()).collect(),
                false => vec![],
            },
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

    /// What undefined bits need to know of an instruction.
    fn facts(&self, pc: u32, instr: &Instr) -> &Facts {
        // Only words of the program execute.
        self.facts[pc as usize / 4].get_or_init(|| Facts::new(instr))
    }
}

impl Executor for Setup {
    type Warp = Warp;
    type Undefined = Box<BlockBits>;
    type Trap = Trap;
    type Seen = Retired;

    fn grid(&self) -> [u32; 2] {
        self.grid
    }

    fn reads_clock(&self) -> bool {
        self.program.reads_clock()
    }

    fn seen(wanted: Wanted) -> Retired {
        let accesses = if wanted.accesses { Accesses::wanted() } else { Accesses::default() };
        Retired { accesses, ..Retired::default() }
    }

    fn observed<'a>(block: &BlockOf<Self>, _: u32, record: &'a Retired) -> Observed<'a> {
        record.observed(block.ctaid, block.released)
    }

    #[inline(always)]
    fn ends_turn(record: &Retired, _: impl FnOnce() -> bool) -> bool {
        record.finished || record.barrier.is_some()
    }

    /// Shared memory with header and parameters.
    fn block(&self, ctaid: [u32; 2], tracked: bool) -> BlockOf<Self> {
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
        let threads: u32 = self.block.iter().product();
        let warps: Vec<Warp> = (0..threads.div_ceil(WARP_SIZE as u32))
            .map(|i| Warp::new(i, self.block, self.registers, self.local_bytes, self.config.stack_depth, fill))
            .collect();
        let undefined = tracked.then(|| Box::new(BlockBits::new(&warps, shared.len(), given)));
        Block::new(ctaid, shared, warps, undefined)
    }

    #[inline(always)]
    fn execute(
        &self, block: &mut BlockOf<Self>, warp: u32, global: &mut impl Global, stats: &mut Stats, record: &mut Retired,
        beside: Option<&Beside<'_>>,
    ) -> Result<Option<Trap>, Trap> {
        let running = &mut block.warps[warp as usize];
        let w = &mut running.warp;
        let pc = w.control.pc;
        record.warp = warp;
        let result = match *self.program.at(pc) {
            Slot::Trap(cause) => Err(Fault::from(cause)),
            Slot::Run(ref instr, guard) => {
                record.word = self.program.word(pc, instr.long);
                let mut env = Env {
                    shared: &mut block.shared,
                    locks: &mut block.locks,
                    constants: &self.constants,
                    local_bytes: self.local_bytes,
                    clock: stats.warp_instructions as u32,
                    mutant: self.config.mutant,
                };
                match &mut block.undefined {
                    None => execute(instr, guard, w, &mut env, global, record),
                    Some(bits) => {
                        let at = At { facts: self.facts(pc, instr), instr, guard, ctaid: block.ctaid, warp, beside };
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
        if let Some(b) = record.barrier {
            running.barriers.bar(b.id & 15, b.arrive, b.wait, 0, pc);
        } else if !record.finished {
            return Ok(None);
        }
        let stuck = block.settle();
        let (cause, ctaid) = (TrapCause::BarrierDeadlock, block.ctaid);
        Ok(stuck.map(|(warp, pc)| Trap { cause, ctaid, warp, pc, lane: 0, access: None }))
    }

    fn hurry(
        &self, block: &mut BlockOf<Self>, warp: u32, global: &mut impl Global, stats: &mut Stats, most: u32,
    ) -> u32 {
        if self.config.plain || self.config.mutant.is_some() || block.undefined.is_some() {
            return 0;
        }
        let warp = &mut block.warps[warp as usize].warp;
        let env = Env {
            shared: &mut block.shared,
            locks: &mut block.locks,
            constants: &self.constants,
            local_bytes: self.local_bytes,
            clock: 0,
            mutant: None,
        };
        Burst { program: &self.program, warp, env, global, stats, most }.run()
    }

    fn retire(
        &self, block: &mut BlockOf<Self>, warp: u32, (global, stats): (&mut GlobalMemory, &mut Stats), _: &mut Retired,
        record: &mut Retired, beside: Option<&Beside<'_>>,
    ) -> Result<Option<Trap>, Trap> {
        self.execute(block, warp, global, stats, record, beside)
    }

    fn adopt(&self, warp: &mut Warp, (register, _): (u8, Spread), undefined: &Lanes, value: &Lanes) {
        if let Some(r) = warp.registers.get_mut(usize::from(register)) {
            for l in 0..WARP_SIZE {
                r[l] = r[l] & !undefined[l] | value[l] & undefined[l];
            }
        }
    }
}

/// Executes an instruction, following which bits are undefined.
#[inline(never)]
fn tracked(
    at: At<'_>, bits: &mut BlockBits, warp: &mut Warp, env: &mut Env<'_>, global: &mut impl Global,
    record: &mut Retired,
) -> Result<(), Fault> {
    bits.before(at, warp, env);
    execute(at.instr, at.guard, warp, env, global, record)?;
    bits.after(at, warp, env, record);
    Ok(())
}
