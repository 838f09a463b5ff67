//! A launch of any set on the shared execution: blocks one after the other, warps in turn.

use super::cause::{Cause, Fault, Trap};
use super::memory::{Env, Geometry};
use super::program::Program;
use super::warp::{Set, Step, Warp};
use crate::launch::Launch;
use crate::memory::{Constants, GlobalMemory};
use crate::types::Stats;

/// Instructions that a warp executes before the next one's turn.
const TURN: u32 = 256;

/// How a run ended before its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// The program trapped.
    #[error("{0}")]
    Trap(#[from] Trap),
    /// The limit of instructions was reached.
    #[error(
        "no end after {limit} warp instructions: block ({}, {}), warp {warp} is at pc 0x{pc:04x}; \
         raise --max-instructions if the kernel is meant to run this long",
        block[0], block[1]
    )]
    Limit {
        /// The limit.
        limit: u64,
        /// Block.
        block: [u32; 3],
        /// Warp about to step.
        warp: u32,
        /// Its pc.
        pc: u32,
    },
}

/// Sees every instruction: block, warp in it, what it did.
pub type Trace<'a> = dyn FnMut([u32; 3], u32, &Step) + 'a;

/// The golden model of one launch of a set.
pub struct Machine {
    set: &'static dyn Set,
    launch: Launch,
    program: Program,
    geometry: Geometry,
    constants: Constants,
    buffers: Vec<(u64, u64)>,
    global: GlobalMemory,
    stack_depth: usize,
    stats: Stats,
}

/// A warp with what it waits for.
struct Running {
    warp: Box<dyn Warp>,
    /// Barriers it has arrived at without waiting.
    arrived: u32,
    /// Barrier it waits at, and the threads expected there.
    waiting: Option<(u8, u16)>,
}

impl Machine {
    /// A machine with the memories of `launch` loaded.
    pub fn new(set: &'static dyn Set, launch: &Launch, stack_depth: usize) -> Machine {
        let mut global = GlobalMemory::new(launch.global_bytes);
        for section in &launch.globals {
            global.write(section.offset, &section.bytes);
        }
        let mut constants = Constants::default();
        set.constants(launch, &mut constants);
        for section in &launch.constants {
            constants.write(section.bank, section.offset as usize, &section.bytes);
        }
        let [x, y] = launch.grid;
        Machine {
            set,
            program: Program::new(set.instructions(), &launch.code),
            geometry: Geometry {
                grid: [x, y, 1],
                block: launch.block,
                lanes: set.lanes(launch).clamp(1, 32),
            },
            constants,
            buffers: launch
                .buffers
                .iter()
                .map(|b| (b.address.into(), b.bytes))
                .collect(),
            launch: launch.clone(),
            global,
            stack_depth,
            stats: Stats::default(),
        }
    }

    /// Global memory.
    pub fn global(&self) -> &GlobalMemory {
        &self.global
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Runs the grid; `trace` sees every instruction with block and warp, and what it wrote.
    ///
    /// # Errors
    /// A trap, or more than `max_instructions` warp instructions.
    pub fn run(
        &mut self,
        max_instructions: u64,
        mut trace: Option<&mut Trace>,
    ) -> Result<Stats, Ended> {
        let [x, y, z] = self.geometry.grid;
        for number in 0..u64::from(x) * u64::from(y) * u64::from(z) {
            let block = [
                (number % u64::from(x)) as u32,
                (number / u64::from(x) % u64::from(y)) as u32,
                (number / u64::from(x) / u64::from(y)) as u32,
            ];
            self.run_block(block, max_instructions, &mut trace)?;
        }
        Ok(self.stats)
    }

    fn run_block(
        &mut self,
        block: [u32; 3],
        limit: u64,
        trace: &mut Option<&mut Trace>,
    ) -> Result<(), Ended> {
        let mut shared = vec![0; self.launch.shared_bytes as usize];
        let start = |warp| Running {
            warp: self
                .set
                .start(&self.launch, &self.geometry, block, warp, self.stack_depth),
            arrived: 0,
            waiting: None,
        };
        let mut warps: Vec<Running> = (0..self.geometry.warps()).map(start).collect();
        let mut step = Step {
            writes: trace.is_some().then(Vec::new),
            ..Step::default()
        };
        loop {
            let mut stepped = false;
            for warp in 0..warps.len() {
                for _ in 0..TURN {
                    let w = &mut warps[warp];
                    if w.warp.is_finished() || w.waiting.is_some() {
                        break;
                    }
                    stepped = true;
                    let (pc, number) = (w.warp.pc(), warp as u32);
                    let (warp, trap) = (number, |f: Fault| Trap {
                        cause: f.cause,
                        block,
                        warp: number,
                        pc,
                        lane: f.lane,
                    });
                    if self.stats.warp_instructions >= limit {
                        return Err(Ended::Limit {
                            limit,
                            block,
                            warp,
                            pc,
                        });
                    }
                    let mut env = Env {
                        geometry: self.geometry,
                        block,
                        warp,
                        clock: self.stats.warp_instructions,
                        global: &mut self.global,
                        shared: &mut shared,
                        constants: &self.constants,
                        buffers: &self.buffers,
                    };
                    w.warp
                        .step(&self.program, &mut env, &mut step)
                        .map_err(trap)?;
                    self.stats.warp_instructions += 1;
                    self.stats.thread_instructions += u64::from(step.active.count_ones());
                    if let Some(trace) = trace {
                        trace(block, warp, &step);
                    }
                    if let Some(b) = step.barrier {
                        match b.wait {
                            true => w.waiting = Some((b.id, b.threads)),
                            false => w.arrived |= 1 << (b.id & 31),
                        }
                    }
                    if step.barrier.is_some() || step.finished {
                        release(&mut warps);
                    }
                }
            }
            if !stepped {
                break;
            }
        }
        match warps.iter().position(|w| !w.warp.is_finished()) {
            None => Ok(()),
            Some(n) => Err(Ended::Trap(Trap {
                cause: Cause::Deadlock,
                block,
                warp: n as u32,
                pc: warps[n].warp.pc(),
                lane: 0,
            })),
        }
    }
}

/// Releases the barriers that can be: as many threads as a waiting warp expects have arrived or wait, each
/// warp counting 32; or all live warps where it expects no number.
fn release(warps: &mut [Running]) {
    let waits: Vec<(u8, u16)> = warps.iter().filter_map(|w| w.waiting).collect();
    for (id, threads) in waits {
        let there =
            |w: &Running| w.arrived >> (id & 31) & 1 == 1 || w.waiting.is_some_and(|w| w.0 == id);
        let count = warps.iter().filter(|w| there(w)).count();
        let enough = match threads {
            0 => warps.iter().all(|w| w.warp.is_finished() || there(w)),
            n => 32 * count >= usize::from(n),
        };
        if !enough {
            continue;
        }
        for w in warps.iter_mut().filter(|w| there(w)) {
            w.arrived &= !(1 << (id & 31));
            if w.waiting.is_some_and(|w| w.0 == id) {
                w.waiting = None;
            }
        }
    }
}
