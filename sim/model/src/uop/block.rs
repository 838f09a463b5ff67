//! What all blocks of a launch share, and a block that has started: its warps step here.

use super::cause::{Cause, Fault, Trap};
use super::memory::{Env, Geometry};
use super::program::{Program, Rules};
use super::warp::{Set, Step, Warp};
use crate::memory::{Constants, Global};
use crate::types::Stats;
use crate::undefined::Tracking;
use crate::undefined::{Beside, MemoryBits, Places};
use warpsmith_isa::uop::BarrierOp;
use warpsmith_launch::Launch;

/// Program, geometry and constants of a launch.
pub(super) struct Setup {
    pub set: &'static dyn Set,
    pub program: Program,
    pub geometry: Geometry,
    launch: Launch,
    constants: Constants,
    buffers: Vec<(u64, u64)>,
    stack_depth: usize,
}

/// A block that has started.
#[derive(Clone)]
pub struct Block {
    index: [u32; 3],
    shared: Vec<u8>,
    warps: Vec<Running>,
    /// The trap that stopped it.
    pub(super) trap: Option<Trap>,
    /// Undefined bits of shared memory, and what was found, where they are tracked.
    undefined: Option<(MemoryBits, Places)>,
}

/// A warp with what it waits for.
#[derive(Clone)]
struct Running {
    warp: Box<dyn Warp>,
    /// Barriers it has arrived at without waiting.
    arrived: u32,
    /// Barriers among `arrived` for which the warp gave the number of expected threads.
    counted: u32,
    /// Barrier it waits at, and the threads expected there.
    waiting: Option<(u8, u16)>,
    /// Byte address of the last barrier instruction it executed.
    at: u32,
}

/// What a warp can do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// An instruction.
    Ready,
    /// Nothing: it waits at this barrier.
    Waiting(u8),
    /// Nothing any more.
    Finished,
}

impl Setup {
    pub fn new(set: &'static dyn Set, launch: &Launch, stack_depth: usize, rules: Rules) -> Setup {
        let [x, y] = launch.grid;
        let buffers = launch.buffers.iter();
        Setup {
            set,
            program: Program::with(set.instructions(), &launch.program.bytes, rules),
            geometry: Geometry { grid: [x, y, 1], block: launch.block, lanes: launch.warp_threads().clamp(1, 32) },
            constants: launch.constant_memory(),
            buffers: buffers.map(|b| (b.address.into(), b.bytes)).collect(),
            launch: launch.clone(),
            stack_depth,
        }
    }

    /// A block about to start.
    pub fn block(&self, index: [u32; 3], tracked: bool) -> Block {
        let warp = |number| {
            let (launch, geometry) = (&self.launch, &self.geometry);
            let mut warp = (self.set).start(launch, geometry, index, number, self.stack_depth);
            if tracked {
                warp.track();
            }
            warp
        };
        let start = |number| Running { warp: warp(number), arrived: 0, counted: 0, waiting: None, at: 0 };
        Block {
            index,
            trap: None,
            shared: vec![0; self.launch.shared_bytes as usize],
            warps: (0..self.geometry.warps()).map(start).collect(),
            undefined: tracked.then(|| {
                let bytes = self.launch.shared_bytes as usize;
                (MemoryBits::new(bytes), Places::default())
            }),
        }
    }

    /// Executes one instruction of a warp that is ready, and releases barriers. Gives the deadlock, if
    /// no warp of the block can go on.
    ///
    /// # Errors
    /// It traps.
    pub fn step(
        &self,
        block: &mut Block,
        warp: u32,
        global: &mut dyn Global,
        stats: &mut Stats,
        step: &mut Step,
        beside: Option<&Beside>,
    ) -> Result<Option<Trap>, Trap> {
        let w = &mut block.warps[warp as usize];
        let (pc, index) = (w.warp.pc(), block.index);
        let mut env = Env {
            geometry: self.geometry,
            block: index,
            warp,
            clock: stats.warp_instructions,
            global,
            shared: &mut block.shared,
            constants: &self.constants,
            buffers: &self.buffers,
            tracking: block.undefined.as_mut().map(|(shared, places)| Tracking { shared, places, beside }),
        };
        let trap = |f: Fault| Trap { cause: f.cause, block: index, warp, pc, lane: f.lane };
        let stepped = w.warp.step(&self.program, &mut env, step);
        stepped.map_err(trap)?;
        stats.warp_instructions += 1;
        stats.thread_instructions += u64::from(step.here.count_ones());
        if let Some(b) = step.barrier {
            w.arrive(b);
            w.at = pc;
        }
        if step.barrier.is_none() && !step.finished {
            return Ok(None);
        }
        release(&mut block.warps);
        Ok(block.deadlock())
    }
}

impl Running {
    fn arrive(&mut self, b: BarrierOp) {
        let bit = 1 << (b.id & 31);
        if b.wait {
            self.waiting = Some((b.id, b.threads));
        } else {
            self.arrived |= bit;
            self.counted |= if b.threads == 0 { 0 } else { bit };
        }
    }

    /// It has arrived at a barrier, or waits there.
    fn there(&self, id: u8) -> bool {
        self.arrived >> (id & 31) & 1 == 1 || self.waiting.is_some_and(|w| w.0 == id)
    }
}

impl Block {
    /// Index in the grid.
    pub fn index(&self) -> [u32; 3] {
        self.index
    }

    /// Warps; none after [`Machine::retire_block`](super::Machine::retire_block).
    pub fn warps(&self) -> u32 {
        self.warps.len() as u32
    }

    /// A warp by its number, to change it from outside.
    pub(super) fn warp_mut(&mut self, number: u32) -> Option<&mut (dyn Warp + 'static)> {
        Some(&mut *self.warps.get_mut(number as usize)?.warp)
    }

    /// Places that depend on undefined values, where they are tracked.
    pub fn undefined(&self) -> Option<&Places> {
        self.undefined.as_ref().map(|u| &u.1)
    }

    /// A warp by its number.
    pub fn warp(&self, number: u32) -> Option<&dyn Warp> {
        Some(&*self.warps.get(number as usize)?.warp)
    }

    /// What a warp can do next.
    pub fn state(&self, number: u32) -> Option<State> {
        let w = self.warps.get(number as usize)?;
        Some(match w.waiting {
            _ if w.warp.is_finished() => State::Finished,
            Some((id, _)) => State::Waiting(id),
            None => State::Ready,
        })
    }

    /// Whether every warp has ended.
    pub fn is_finished(&self) -> bool {
        self.warps.iter().all(|w| w.warp.is_finished())
    }

    /// Drops the memory of a block that has ended.
    pub(super) fn clear(&mut self) {
        self.shared = vec![];
        self.warps = vec![];
        if let Some((shared, _)) = &mut self.undefined {
            *shared = MemoryBits::new(0);
        }
    }

    /// The trap of a block whose warps have ended or wait.
    fn deadlock(&self) -> Option<Trap> {
        let ready = |w: &Running| !w.warp.is_finished() && w.waiting.is_none();
        let first = self.warps.iter().position(|w| !w.warp.is_finished())?;
        (!self.warps.iter().any(ready)).then(|| Trap {
            cause: Cause::Deadlock,
            block: self.index,
            warp: first as u32,
            pc: self.warps[first].at,
            lane: 0,
        })
    }
}

/// Releases the barriers that can be: as many threads as a waiting warp expects have arrived or wait, each
/// warp counting 32; or all live warps where nobody there named a number.
fn release(warps: &mut [Running]) {
    let used = warps.iter().fold(0, |m, w| m | w.arrived | w.waiting.map_or(0, |(id, _)| 1 << (id & 31)));
    for id in (0..32u8).filter(|id| used >> id & 1 == 1) {
        let count = warps.iter().filter(|w| w.there(id)).count();
        let all = || warps.iter().all(|w| w.warp.is_finished() || w.there(id));
        let waiting = |w: &Running| w.waiting.filter(|w| w.0 == id);
        let mut waits = warps.iter().filter_map(waiting).peekable();
        let enough = match waits.peek() {
            None => warps.iter().all(|w| w.counted >> id & 1 == 0) && all(),
            Some(_) => waits.any(|(_, threads)| match threads {
                0 => all(),
                n => 32 * count >= usize::from(n),
            }),
        };
        if !enough {
            continue;
        }
        for w in warps.iter_mut().filter(|w| w.there(id)) {
            w.arrived &= !(1 << id);
            w.counted &= !(1 << id);
            if w.waiting.is_some_and(|w| w.0 == id) {
                w.waiting = None;
            }
        }
    }
}
