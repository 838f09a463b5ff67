//! A launch of any set on the shared execution.
//!
//! It runs in two ways, as that of SM 1.0. Lockstep: the caller chooses when a block starts and which warp
//! steps ([`Machine::start_block`], [`Machine::step`]). Alone: [`Machine::run`] runs blocks one after the
//! other, warps in turn.

use super::block::{Block, Setup, State};
use super::cause::Trap;
use super::program::{Rules, Slot};
use super::retire;
use super::undefined::adopt;
use super::warp::{Set, Step, Warp};
use crate::memory::{Global, GlobalMemory};
use crate::mutant::Mutant;
use crate::parallel::{self, Grid, Ran};
use crate::record::{BlockId, Lanes, Retired, Spread};
use crate::trap;
use crate::types::{Stats, StepError};
use crate::undefined::{Beside, Places};
use std::sync::Arc;
use warpsmith_isa::uop::{Flow, Op, Type, Uop};
use warpsmith_isa::Options;
use warpsmith_launch::Launch;

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
        "no end after {limit} warp instructions: block ({}, {}), warp {warp} is at pc 0x{pc:04x}",
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

/// The golden model of one launch of a set. A clone goes on from where it is.
#[derive(Clone)]
pub struct Machine {
    setup: Arc<Setup>,
    global: GlobalMemory,
    blocks: Vec<Block>,
    stats: Stats,
    trap: Option<Trap>,
    /// The last instruction of [`Machine::step`].
    last: Step,
    /// Blocks that start keep track of undefined bits.
    tracked: bool,
    /// What blocks that have ended found.
    places: Places,
}

impl Machine {
    /// A machine with the memories of `launch` loaded.
    pub fn new(set: &'static dyn Set, launch: &Launch, stack_depth: usize) -> Machine {
        let rules = Rules { registers: launch.registers, ..Rules::default() };
        Machine::with(set, launch, stack_depth, rules)
    }

    /// The same where what plain chips do not execute traps; with a deliberate error, if there is one.
    pub fn of_chip(set: &'static dyn Set, launch: &Launch, stack_depth: usize, mutant: Option<Mutant>) -> Machine {
        Machine::of_chip_with(set, launch, stack_depth, Options::default(), mutant)
    }

    /// The same of chips with options.
    pub fn of_chip_with(
        set: &'static dyn Set,
        launch: &Launch,
        stack_depth: usize,
        options: Options,
        mutant: Option<Mutant>,
    ) -> Machine {
        let rules = Rules { registers: launch.registers, chip: Some(options), mutant };
        Machine::with(set, launch, stack_depth, rules)
    }

    fn with(set: &'static dyn Set, launch: &Launch, stack_depth: usize, rules: Rules) -> Machine {
        Machine {
            setup: Arc::new(Setup::new(set, launch, stack_depth, rules)),
            global: GlobalMemory::of(launch),
            blocks: vec![],
            stats: Stats::default(),
            trap: None,
            last: Step { writes: Some(vec![]), ..Step::default() },
            tracked: false,
            places: Places::default(),
        }
    }

    /// Keeps track of undefined bits in the blocks that start from here on.
    pub fn track(&mut self) {
        self.tracked = true;
    }

    /// Places that depend on undefined values, of all blocks so far, where they are tracked.
    pub fn undefined(&self) -> Places {
        let mut all = self.places.clone();
        let tracked = self.blocks.iter().filter_map(Block::undefined);
        tracked.for_each(|p| all.merge(p));
        all
    }

    /// Bits `undefined` of a register that a load or a special function wrote, and lanes share as `spread` says, are
    /// these of `value`.
    pub fn adopt(
        &mut self,
        block: BlockId,
        warp: u32,
        (register, spread): (u8, Spread),
        undefined: &Lanes,
        value: &Lanes,
    ) {
        let set = self.setup.set;
        let b = self.blocks.get_mut(block.0 as usize);
        let Some(w) = b.and_then(|b| b.warp_mut(warp)) else { return };
        for l in (0..32).filter(|l| undefined[*l] != 0) {
            let place = set.register(register, spread, l);
            let old = w.read(&place, Type::U32, l).unwrap_or(0) as u32;
            let new = old & !undefined[l] | value[l] & undefined[l];
            // The register was written before: it is there.
            let _ = w.write(&place, Type::U32, l, new.into());
        }
    }

    /// The set.
    pub fn set(&self) -> &'static dyn Set {
        self.setup.set
    }

    /// Warps of every block.
    pub fn warps_per_block(&self) -> u32 {
        self.setup.geometry.warps()
    }

    /// Global memory.
    pub fn global(&self) -> &GlobalMemory {
        &self.global
    }

    /// Counts so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The first trap of [`Machine::step`], as a chip records it.
    pub fn trap(&self) -> Option<trap::Trap> {
        self.trap.as_ref().map(Trap::record)
    }

    /// The instruction at a byte address; `None` where none executes.
    pub fn instruction(&self, pc: u32) -> Option<&Slot> {
        self.setup.program.at(pc).ok()
    }

    /// Starts the block at `ctaid` (`x, y`), its warps at pc 0.
    pub fn start_block(&mut self, ctaid: [u32; 2]) -> BlockId {
        let [x, y] = ctaid;
        self.blocks.push(self.setup.block([x, y, 0], self.tracked));
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// A started block; `None` for an unknown handle.
    pub fn block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.0 as usize)
    }

    /// One warp of a started block.
    pub fn warp(&self, id: BlockId, warp: u32) -> Option<&dyn Warp> {
        self.block(id)?.warp(warp)
    }

    /// Drops the memory of a finished block, so that long lockstep runs do not grow.
    pub fn retire_block(&mut self, id: BlockId) {
        if let Some(b) = self.blocks.get_mut(id.0 as usize) {
            b.clear();
        }
    }

    /// Executes the next instruction of one warp and describes it in `record`, as
    /// [`crate::Machine::step`] does.
    ///
    /// # Errors
    /// The instruction traps, which every later step of its block then repeats, or the warp cannot step.
    /// A barrier deadlock is found after the instruction has retired: it is `record.deadlock`, and the
    /// error of the block's next step.
    pub fn step(&mut self, block: BlockId, warp: u32, record: &mut Retired) -> Result<(), StepError> {
        self.step_beside(block, warp, record, None)
    }

    /// [`step`](Self::step) beside a chip: undefined bits take the values that are there, where they are
    /// tracked. Values that come later are [`adopt`](Self::adopt)ed.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_beside(
        &mut self,
        block: BlockId,
        warp: u32,
        record: &mut Retired,
        beside: Option<&Beside>,
    ) -> Result<(), StepError> {
        let found = self.blocks.get_mut(block.0 as usize);
        if let Some(trap) = found.as_ref().and_then(|b| b.trap.as_ref()) {
            return Err(trap.record().into());
        }
        let Some((b, state)) = found.and_then(|b| b.state(warp).map(|s| (b, s))) else {
            let block = block.0;
            return Err(StepError::NoSuchWarp { block, warp });
        };
        match state {
            State::Ready => {}
            State::Finished => {
                let block = block.0;
                return Err(StepError::Finished { block, warp });
            }
            State::Waiting(barrier) => return Err(StepError::Waiting { block: block.0, warp, barrier }),
        }
        let (setup, step) = (&*self.setup, &mut self.last);
        let (global, stats) = (&mut self.global, &mut self.stats);
        let deadlock = match setup.step(b, warp, global, stats, step, beside) {
            Ok(deadlock) => deadlock,
            Err(trap) => {
                let record = trap.record();
                self.trap.get_or_insert_with(|| trap.clone());
                b.trap = Some(trap);
                return Err(record.into());
            }
        };
        (record.block, record.warp) = (block, warp);
        record.deadlock = deadlock.as_ref().map(Trap::record);
        self.trap = self.trap.take().or_else(|| deadlock.clone());
        b.trap = deadlock;
        let mut counts = false;
        if let Ok(slot) = setup.program.at(step.pc) {
            retire::describe(slot, step, record);
            let flow = |u: &Uop| matches!(u.op, Op::Flow(Flow::Mask(f)) if f.counts());
            counts = slot.lowered.uops.iter().any(flow);
        }
        let undefined = (step.writes.iter().flatten()).any(|w| w.undefined.is_some());
        if let (Some(beside), Some(w), true) = (beside, b.warp_mut(warp), undefined) {
            // It writes what the instruction has written.
            let _ = adopt(w, step, record, beside, counts);
        }
        if let Some(w) = b.warp(warp).filter(|w| !w.is_finished()) {
            (record.next_pc, record.next_mask) = (w.pc(), w.active());
            record.stack_depth = w.depth() as u32;
        }
        Ok(())
    }

    /// Runs the grid; `trace` sees every instruction with block and warp, and what it wrote.
    ///
    /// # Errors
    /// A trap, or more than `max_instructions` warp instructions.
    pub fn run(&mut self, max_instructions: u64, mut trace: Option<&mut Trace>) -> Result<Stats, Ended> {
        let setup = &*self.setup;
        for number in 0..setup.blocks() {
            let mut block = setup.block(setup.index(number), self.tracked);
            let (global, stats) = (&mut self.global, &mut self.stats);
            let ended = setup.run(&mut block, global, stats, max_instructions, &mut trace);
            keep(&mut self.places, (block, ended))?;
        }
        Ok(self.stats)
    }

    /// [`run`](Self::run) on `threads` threads, with the same results.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_parallel(&mut self, max_instructions: u64, threads: usize) -> Result<Stats, Ended> {
        let grid = Blocks { setup: &self.setup, tracked: self.tracked };
        if grid.blocks() < 2 || self.setup.program.reads_clock() {
            return self.run(max_instructions, None);
        }
        let (global, stats, places) = (&mut self.global, &mut self.stats, &mut self.places);
        let mut keep = |ran| keep(places, ran);
        match parallel::run(&grid, global, stats, max_instructions, threads, true, &mut keep) {
            Some(ended) => ended.map(|()| self.stats),
            None => self.run(max_instructions, None),
        }
    }
}

/// Keeps what a block has found.
fn keep(places: &mut Places, (block, ended): (Block, Result<(), Ended>)) -> Result<(), Ended> {
    if let Some(found) = block.undefined() {
        places.merge(found);
    }
    ended
}

/// The blocks of a launch.
struct Blocks<'a> {
    setup: &'a Setup,
    tracked: bool,
}

impl Grid for Blocks<'_> {
    type Block = Block;
    type Ended = Ended;

    fn blocks(&self) -> u64 {
        self.setup.blocks()
    }

    fn attempt(&self, number: u64, global: &mut impl Global, stats: &mut Stats, limit: u64) -> Ran<Self> {
        let mut block = self.setup.block(self.setup.index(number), self.tracked);
        let ended = self.setup.run(&mut block, global, stats, limit, &mut None);
        (block, ended)
    }

    fn is_limit(ended: &Ended) -> bool {
        matches!(ended, Ended::Limit { .. })
    }

    fn clear(block: &mut Block) {
        block.clear();
    }
}

impl Setup {
    /// Blocks of the grid.
    fn blocks(&self) -> u64 {
        self.geometry.grid.into_iter().map(u64::from).product()
    }

    /// Index of a block by its number, x first.
    fn index(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.geometry.grid.map(u64::from);
        [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
    }

    /// Runs a block to its end, its warps in turn.
    fn run(
        &self,
        block: &mut Block,
        global: &mut dyn Global,
        stats: &mut Stats,
        limit: u64,
        trace: &mut Option<&mut Trace>,
    ) -> Result<(), Ended> {
        let mut step = Step { writes: trace.is_some().then(Vec::new), ..Step::default() };
        let index = block.index();
        loop {
            let mut stepped = false;
            for warp in 0..block.warps() {
                for _ in 0..TURN {
                    if block.state(warp) != Some(State::Ready) {
                        break;
                    }
                    stepped = true;
                    if stats.warp_instructions >= limit {
                        let pc = block.warp(warp).map_or(0, Warp::pc);
                        return Err(Ended::Limit { limit, block: index, warp, pc });
                    }
                    let deadlock = self.step(block, warp, global, stats, &mut step, None)?;
                    if let Some(trace) = trace {
                        trace(index, warp, &step);
                    }
                    if let Some(trap) = deadlock {
                        return Err(trap.into());
                    }
                }
            }
            if !stepped {
                return Ok(());
            }
        }
    }
}
