//! A launch on micro-operations: what all its blocks share, and how their warps step.

use super::cause::{Cause, Fault, Trap};
use super::memory::{Env, Geometry};
use super::program::{Program, Rules, Slot};
use super::retire;
use super::undefined::adopt;
use super::warp::{Set, Step, Warp};
use crate::machine::block::{Block, Resident, Standing, Tracked};
use crate::machine::executor::{BlockOf, Executor, Wanted};
use crate::machine::Machine;
use crate::memory::{Constants, Global, GlobalMemory};
use crate::mutant::Mutant;
use crate::record::{Lanes, Retired, Spread};
use crate::types::Stats;
use crate::undefined::{Beside, MemoryBits, Places, Tracking};
use crate::watch::{Accesses, Came, Observed};
use warpsmith_isa::uop::{Flow, Op, Type, Uop};
use warpsmith_isa::Options;
use warpsmith_launch::Launch;

/// Program, geometry and constants of a launch.
#[derive(Clone)]
pub struct Setup {
    pub set: &'static dyn Set,
    pub program: Program,
    pub geometry: Geometry,
    launch: Launch,
    constants: Constants,
    buffers: Vec<(u64, u64)>,
    stack_depth: usize,
}

/// Undefined bits of shared memory, and what was found.
#[derive(Clone, Debug)]
pub struct Undefined {
    shared: MemoryBits,
    places: Places,
}

impl Tracked for Undefined {
    fn places(&self) -> &Places {
        &self.places
    }

    fn clear(&mut self) {
        self.shared = MemoryBits::new(0);
    }
}

impl Resident for Box<dyn Warp> {
    fn standing(&self) -> Standing {
        let (pc, depth) = (self.pc(), self.depth() as u32);
        Standing { pc, active: self.active(), depth, finished: Warp::is_finished(&**self) }
    }

    fn is_finished(&self) -> bool {
        Warp::is_finished(&**self)
    }
}

impl Setup {
    fn new(set: &'static dyn Set, launch: &Launch, stack_depth: usize, rules: Rules) -> Setup {
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
}

impl Machine<Setup> {
    /// A machine with the memories of `launch` loaded.
    pub fn new(set: &'static dyn Set, launch: &Launch, stack_depth: usize) -> Self {
        let rules = Rules { registers: launch.registers, ..Rules::default() };
        Machine::with(Setup::new(set, launch, stack_depth, rules), GlobalMemory::of(launch), false)
    }

    /// The same where what plain chips do not execute traps; with a deliberate error, if there is one.
    pub fn of_chip(set: &'static dyn Set, launch: &Launch, stack_depth: usize, mutant: Option<Mutant>) -> Self {
        Machine::of_chip_with(set, launch, stack_depth, Options::default(), mutant)
    }

    /// The same of chips with options.
    pub fn of_chip_with(
        set: &'static dyn Set, launch: &Launch, stack_depth: usize, options: Options, mutant: Option<Mutant>,
    ) -> Self {
        let rules = Rules { registers: launch.registers, chip: Some(options), mutant };
        Machine::with(Setup::new(set, launch, stack_depth, rules), GlobalMemory::of(launch), false)
    }

    /// Keeps track of undefined bits in the blocks that start from here on.
    pub fn track(&mut self) {
        self.tracked = true;
    }

    /// The set.
    pub fn set(&self) -> &'static dyn Set {
        self.setup.set
    }

    /// The instruction at a byte address; `None` where none executes.
    pub fn instruction(&self, pc: u32) -> Option<&Slot> {
        self.setup.program.at(pc).ok()
    }
}

impl Executor for Setup {
    type Warp = Box<dyn Warp>;
    type Undefined = Undefined;
    type Trap = Trap;
    type Seen = Step;

    fn grid(&self) -> [u32; 2] {
        let [x, y, _] = self.geometry.grid;
        [x, y]
    }

    fn reads_clock(&self) -> bool {
        self.program.reads_clock()
    }

    fn seen(wanted: Wanted) -> Step {
        let accesses = if wanted.accesses { Accesses::wanted() } else { Accesses::default() };
        Step { writes: wanted.writes.then(Vec::new), accesses, ..Step::default() }
    }

    fn observed<'a>(block: &BlockOf<Self>, warp: u32, step: &'a Step) -> Observed<'a> {
        let could = step.barrier.is_some() || step.finished;
        Observed {
            ctaid: block.ctaid,
            warp,
            pc: step.pc,
            active: step.here,
            accesses: step.accesses.list(),
            barrier: step.barrier.map(|b| Came { id: b.id & 31, arrive: !b.wait, wait: b.wait }),
            released: if could { block.released } else { 0 },
            finished: step.finished,
        }
    }

    fn ends_turn(_: &Step, ready: impl FnOnce() -> bool) -> bool {
        !ready()
    }

    fn block(&self, ctaid: [u32; 2], tracked: bool) -> BlockOf<Self> {
        let [x, y] = ctaid;
        let warp = |number| {
            let (launch, geometry) = (&self.launch, &self.geometry);
            let mut warp = (self.set).start(launch, geometry, [x, y, 0], number, self.stack_depth);
            if tracked {
                warp.track();
            }
            warp
        };
        let bytes = self.launch.shared_bytes as usize;
        let undefined = tracked.then(|| Undefined { shared: MemoryBits::new(bytes), places: Places::default() });
        Block::new(ctaid, vec![0; bytes], (0..self.geometry.warps()).map(warp).collect(), undefined)
    }

    fn execute(
        &self, block: &mut BlockOf<Self>, warp: u32, global: &mut impl Global, stats: &mut Stats, step: &mut Step,
        beside: Option<&Beside<'_>>,
    ) -> Result<Option<Trap>, Trap> {
        let w = &mut block.warps[warp as usize];
        let (pc, ctaid) = (w.warp.pc(), block.ctaid);
        let mut env = Env {
            geometry: self.geometry,
            block: [ctaid[0], ctaid[1], 0],
            warp,
            clock: stats.warp_instructions,
            global,
            shared: &mut block.shared,
            constants: &self.constants,
            buffers: &self.buffers,
            tracking: (block.undefined.as_mut()).map(|u| Tracking {
                shared: &mut u.shared,
                places: &mut u.places,
                beside,
            }),
        };
        let trap = |f: Fault| Trap { cause: f.cause, ctaid, warp, pc, lane: f.lane };
        w.warp.step(&self.program, &mut env, step).map_err(trap)?;
        stats.warp_instructions += 1;
        stats.thread_instructions += u64::from(step.here.count_ones());
        if let Some(b) = step.barrier {
            w.barriers.bar(b.id & 31, !b.wait, b.wait, b.threads, pc);
        } else if !step.finished {
            return Ok(None);
        }
        let stuck = block.settle();
        Ok(stuck.map(|(warp, pc)| Trap { cause: Cause::Deadlock, ctaid, warp, pc, lane: 0 }))
    }

    fn retire(
        &self, block: &mut BlockOf<Self>, warp: u32, (global, stats): (&mut GlobalMemory, &mut Stats), step: &mut Step,
        record: &mut Retired, beside: Option<&Beside<'_>>,
    ) -> Result<Option<Trap>, Trap> {
        std::mem::swap(&mut step.accesses, &mut record.accesses);
        let executed = self.execute(block, warp, global, stats, step, beside);
        std::mem::swap(&mut step.accesses, &mut record.accesses);
        let deadlock = executed?;
        let mut counts = false;
        if let Ok(slot) = self.program.at(step.pc) {
            retire::describe(slot, step, record);
            let flow = |u: &Uop| matches!(u.op, Op::Flow(Flow::Mask(f)) if f.counts());
            counts = slot.lowered.uops.iter().any(flow);
        }
        let w = &mut *block.warps[warp as usize].warp;
        let undefined = (step.writes.iter().flatten()).any(|w| w.undefined.is_some());
        if let (Some(beside), true) = (beside, undefined) {
            // It writes what the instruction has written.
            let _ = adopt(w, step, record, beside, counts);
        }
        if !w.is_finished() {
            (record.next_pc, record.next_mask) = (w.pc(), w.active());
            record.stack_depth = w.depth() as u32;
        }
        Ok(deadlock)
    }

    fn adopt(&self, w: &mut Box<dyn Warp>, (register, spread): (u8, Spread), undefined: &Lanes, value: &Lanes) {
        for l in (0..32).filter(|l| undefined[*l] != 0) {
            let place = self.set.register(register, spread, l);
            let old = w.read(&place, Type::U32, l).unwrap_or(0) as u32;
            let new = old & !undefined[l] | value[l] & undefined[l];
            // The register was written before: it is there.
            let _ = w.write(&place, Type::U32, l, new.into());
        }
    }
}
