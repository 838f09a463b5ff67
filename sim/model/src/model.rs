//! The golden model of a launch behind one narrow interface: nobody outside sees which machine executes a set.

use crate::machine::block::Standing;
use crate::machine::executor::{BlockOf, Executor, Wanted};
use crate::machine::setup::Setup;
use crate::machine::Machine;
use crate::record::{BlockId, Lanes, Retired, RetiredDst, Spread};
use crate::trap::{Stops, Trap};
use crate::types::{ModelConfig, RunError, Stats, StepError};
use crate::undefined::{Beside, Places};
use crate::watch::{Observed, Watch};
use crate::{sets, uop};
use warpsmith_isa::ivb::lower::file;
use warpsmith_isa::uop::{Place, Region};
use warpsmith_launch::{GlobalMemory, Launch};

/// The golden model of a launch. A clone goes on from where it is.
#[derive(Clone)]
pub struct Model(Kind);

#[derive(Clone)]
enum Kind {
    /// SM 1.0.
    Sm10(Box<Machine<Setup>>),
    /// Another set.
    Set(Box<uop::Machine>),
}

/// What the model has done so far.
pub struct State<'a> {
    /// Global memory.
    pub global: &'a GlobalMemory,
    /// Counts.
    pub stats: Stats,
    /// The first trap of a step.
    pub trap: Option<Trap>,
    /// Places of the program that depend on undefined values, where they are tracked.
    pub undefined: Places,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The program trapped.
    #[error("{text}")]
    Trap {
        /// Byte address of the instruction.
        pc: u32,
        /// Number of the cause, as a chip records it.
        cause: u8,
        /// The trap in words.
        text: String,
    },
    /// The limit of warp instructions was reached.
    #[error("{text}")]
    Limit {
        /// The limit.
        limit: u64,
        /// Byte address at which the next warp stands.
        pc: u32,
        /// The limit, and which warp that is.
        text: String,
    },
}

/// One executed instruction of a traced run.
pub struct Traced {
    /// Block in the grid.
    pub block: [u32; 3],
    /// Warp within the block.
    pub warp: u32,
    /// Byte address.
    pub pc: u32,
    /// The instruction.
    pub code: Vec<u8>,
    /// Lanes that were active.
    pub active: u32,
    /// Lanes that executed it.
    pub executing: u32,
    /// What it wrote.
    pub writes: Vec<Written>,
}

/// A value that an instruction wrote.
pub struct Written {
    /// Where, in words.
    pub place: String,
    /// Bits of a lane's value.
    pub bits: u32,
    /// Lanes.
    pub lanes: u32,
    /// The value of each lane.
    pub values: [u64; 32],
}

/// Sees every instruction of a run.
pub type Trace<'a> = dyn FnMut(&Traced) + 'a;

/// The same call of either machine.
macro_rules! each {
    ($model:expr, $m:ident => $call:expr) => {
        match $model {
            Kind::Sm10($m) => $call,
            Kind::Set($m) => $call,
        }
    };
}

impl Model {
    /// The model of a launch, no block started.
    pub fn new(launch: &Launch, config: ModelConfig) -> Self {
        Model(match sets::of(launch.isa()) {
            None => Kind::Sm10(Box::new(Machine::<Setup>::new(launch, config))),
            Some(set) => {
                let (depth, options, mutant) = (config.stack_depth, config.options, config.mutant);
                let mut machine = match config.chip {
                    true => uop::Machine::of_chip_with(set, launch, depth, options, mutant),
                    false => uop::Machine::new(set, launch, depth),
                };
                if config.tracked {
                    machine.track();
                }
                Kind::Set(Box::new(machine))
            }
        })
    }

    /// Starts a block.
    pub fn start_block(&mut self, ctaid: [u32; 2]) -> BlockId {
        each!(&mut self.0, m => m.start_block(ctaid))
    }

    /// Executes the next instruction of a warp and describes it in `record`; `beside` a chip that has done so,
    /// undefined bits take the chip's values.
    ///
    /// # Errors
    /// It traps, or the warp cannot step.
    pub fn step(
        &mut self, block: BlockId, warp: u32, record: &mut Retired, beside: Option<&Beside<'_>>,
    ) -> Result<(), StepError> {
        each!(&mut self.0, m => m.step_beside(block, warp, record, beside))
    }

    /// Bits `undefined` of a register that a load or a special function wrote, and lanes share as `spread` says, are
    /// these of `value`.
    pub fn adopt(&mut self, block: BlockId, warp: u32, register: (u8, Spread), undefined: &Lanes, value: &Lanes) {
        each!(&mut self.0, m => m.adopt(block, warp, register, undefined, value));
    }

    /// Where a warp stands; `None` for one that was not started, or whose block's memory was dropped.
    pub fn warp(&self, block: BlockId, warp: u32) -> Option<Standing> {
        each!(&self.0, m => m.standing(block, warp))
    }

    /// Drops the memory of a block that has ended.
    pub fn retire_block(&mut self, block: BlockId) {
        each!(&mut self.0, m => m.retire_block(block));
    }

    /// Runs the whole grid: one block after the other, or on several threads with the same results; with
    /// `trace` on one.
    ///
    /// # Errors
    /// A trap, or more than `limit` warp instructions.
    pub fn run(&mut self, limit: u64, threads: usize, trace: Option<&mut Trace<'_>>) -> Result<Stats, Stopped> {
        fn on<E: Executor>(
            m: &mut Machine<E>, (limit, threads): (u64, usize), trace: Option<&mut Trace<'_>>,
            of: fn([u32; 2], u32, &E::Seen) -> Traced,
        ) -> Result<Stats, Stopped> {
            Ok(match trace {
                None if threads > 1 => m.run_parallel(limit, threads)?,
                None => m.run(limit)?,
                Some(trace) => {
                    let wanted = Wanted { writes: true, accesses: false };
                    m.run_seen(limit, wanted, &mut |block, warp, seen| trace(&of(block.ctaid, warp, seen)))?
                }
            })
        }
        match &mut self.0 {
            Kind::Sm10(m) => on(m, (limit, threads), trace, of_sm10),
            Kind::Set(m) => on(m, (limit, threads), trace, of_step),
        }
    }

    /// [`run`](Self::run) on one thread, where `watch` sees what every instruction does to the memories that threads
    /// share; with `trace` that sees them, too.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_watched(
        &mut self, limit: u64, mut trace: Option<&mut Trace<'_>>, watch: &mut dyn Watch,
    ) -> Result<Stats, Stopped> {
        fn on<E: Executor>(
            m: &mut Machine<E>, limit: u64, trace: &mut Option<&mut Trace<'_>>, watch: &mut dyn Watch,
            of: fn([u32; 2], u32, &E::Seen) -> Traced,
        ) -> Result<Stats, Stopped> {
            let wanted = Wanted { writes: trace.is_some(), accesses: true };
            let mut see = |block: &BlockOf<E>, warp: u32, seen: &E::Seen| {
                watch.see(&E::observed(block, warp, seen));
                if let Some(trace) = trace {
                    trace(&of(block.ctaid, warp, seen));
                }
            };
            Ok(m.run_seen(limit, wanted, &mut see)?)
        }
        match &mut self.0 {
            Kind::Sm10(m) => on(m, limit, &mut trace, watch, of_sm10),
            Kind::Set(m) => on(m, limit, &mut trace, watch, of_step),
        }
    }

    /// What the [`step`](Self::step) did of which `record` tells, for an observer; its accesses where the record has
    /// them.
    pub fn observed<'a>(&self, record: &'a Retired) -> Option<Observed<'a>> {
        each!(&self.0, m => m.observed(record))
    }

    /// Global memory, at the end of its use.
    pub fn into_global(self) -> GlobalMemory {
        each!(self.0, m => m.into_global())
    }

    /// What it has done so far.
    pub fn state(&self) -> State<'_> {
        each!(&self.0, m => {
            State { global: m.global(), stats: m.stats(), trap: m.trap(), undefined: m.undefined() }
        })
    }
}

impl<T: Stops> From<RunError<T>> for Stopped {
    fn from(e: RunError<T>) -> Self {
        let text = e.to_string();
        match e {
            RunError::Trap(t) => {
                let Trap { pc, cause, .. } = t.record();
                Stopped::Trap { pc, cause: cause.number(), text }
            }
            RunError::InstructionLimit { limit, pc, .. } => Stopped::Limit { limit, pc, text },
        }
    }
}

/// What an instruction of SM 1.0 did.
fn of_sm10([x, y]: [u32; 2], _: u32, r: &Retired) -> Traced {
    let mut writes = vec![];
    let mut wrote = |place: String, bits: u32, lanes: u32, values: &dyn Fn(usize) -> u64| {
        writes.push(Written { place, bits, lanes, values: std::array::from_fn(values) });
    };
    match r.dst {
        RetiredDst::None => {}
        RetiredDst::Gpr { first, count } => {
            for (n, values) in r.values.iter().take(count.into()).enumerate() {
                let name = format!("register {}", usize::from(first) + n);
                wrote(name, 32, r.write_mask, &|l| values[l].into());
            }
        }
        RetiredDst::Half { reg, high, .. } => {
            let name = if high { format!("register {reg} byte 2") } else { format!("register {reg}") };
            wrote(name, 16, r.write_mask, &|l| u64::from(r.values[0][l] & 0xffff));
        }
        RetiredDst::Addr { index } => {
            wrote(format!("address {index}"), 16, r.write_mask, &|l| u64::from(r.values[0][l] & 0xffff));
        }
    }
    if let Some(a) = r.post_increment {
        wrote(format!("address {a}"), 16, r.exec_mask, &|l| u64::from(r.post_increment_values[l] & 0xffff));
    }
    if let Some(f) = r.flags {
        wrote(format!("flags {f}"), 4, r.exec_mask, &|l| r.flag_values[l].into());
    }
    let words = if r.long { 2 } else { 1 };
    let code = r.word.iter().take(words).flat_map(|w| w.to_le_bytes()).collect();
    Traced { block: [x, y, 0], warp: r.warp, pc: r.pc, code, active: r.active_mask, executing: r.exec_mask, writes }
}

/// What an instruction of another set did.
fn of_step([x, y]: [u32; 2], warp: u32, s: &uop::Step) -> Traced {
    let written =
        |w: &uop::Write| Written { place: name(&w.place), bits: w.ty.bits(), lanes: w.lanes, values: w.values };
    let writes = s.writes.iter().flatten().map(written).collect();
    Traced { block: [x, y, 0], warp, pc: s.pc, code: s.code.to_vec(), active: s.active, executing: s.executing, writes }
}

fn name(p: &Place) -> String {
    match p {
        Place::Register { index, byte: 0 } => format!("register {index}"),
        Place::Register { index, byte } => format!("register {index} byte {byte}"),
        Place::Uniform { index, .. } => format!("uniform {index}"),
        Place::Predicate(n) => format!("predicate {n}"),
        Place::Flag(n, sub) => format!("flag {n}.{sub}"),
        Place::Accumulator(n) | Place::ImpliedAccumulator(n) => format!("accumulator {n}"),
        Place::Region(Region { file, byte, indirect: None, .. }) => format!("{} byte {byte}", file_name(*file)),
        Place::Region(Region { byte, indirect: Some(n), .. }) => format!("region at byte a0.{n} {byte:+}"),
        other => format!("{other:?}"),
    }
}

/// A register file that lanes share, in words.
fn file_name(number: u8) -> &'static str {
    match number {
        file::ADDRESS => "a0",
        file::FLAGS => "flags",
        file::CONTROL => "cr0",
        file::STATE => "sr0",
        file::TARGET => "ip",
        _ => "region at",
    }
}
