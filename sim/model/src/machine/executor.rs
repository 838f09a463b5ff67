//! What executes a launch, and a block of it from beginning to end.

use super::block::{Block, Resident, State, Tracked};
use crate::memory::{Global, GlobalMemory};
use crate::record::{Lanes, Retired, Spread};
use crate::trap::Stops;
use crate::types::{RunError, Stats};
use crate::undefined::Beside;
use crate::watch::Observed;

/// Instructions that a warp executes at most before the next one's turn.
const TURN: u32 = 256;

/// What is noted of an instruction beside what it needs itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// All that it wrote.
    pub writes: bool,
    /// Its accesses to the memories that threads share.
    pub accesses: bool,
}

impl Wanted {
    /// Whether nothing is wanted.
    pub fn is_nothing(self) -> bool {
        !self.writes && !self.accesses
    }
}

/// The launch of a set, ready to be executed.
pub trait Executor: Sync {
    /// A warp.
    type Warp: Resident + Clone + Send;
    /// Undefined bits of a block.
    type Undefined: Tracked + Clone + Send;
    /// Why a program stops, and where.
    type Trap: Stops + Clone + Send;
    /// What an instruction did.
    type Seen: Clone;

    /// Blocks of the grid, `x, y`.
    fn grid(&self) -> [u32; 2];

    /// A block about to start.
    fn block(&self, ctaid: [u32; 2], tracked: bool) -> BlockOf<Self>;

    /// Whether a block can read how much others have executed.
    fn reads_clock(&self) -> bool;

    /// Room for what an instruction did, with all that is wanted of it.
    fn seen(wanted: Wanted) -> Self::Seen;

    /// What the last instruction of a warp did, for an observer.
    fn observed<'a>(block: &BlockOf<Self>, warp: u32, seen: &'a Self::Seen) -> Observed<'a>;

    /// Executes the next instruction of a warp that is ready, and releases barriers. Gives the deadlock, if no warp of
    /// the block can go on.
    ///
    /// # Errors
    /// It traps, which changes nothing.
    fn execute(
        &self, block: &mut BlockOf<Self>, warp: u32, global: &mut impl Global, stats: &mut Stats,
        seen: &mut Self::Seen, beside: Option<&Beside<'_>>,
    ) -> Result<Option<Self::Trap>, Self::Trap>;

    /// Executes instructions of a warp that is ready, at most `most`, as long as none of them traps, meets a barrier
    /// or ends the warp, and the executor has a quick way to do it; how many.
    fn hurry(&self, _: &mut BlockOf<Self>, _warp: u32, _: &mut impl Global, _: &mut Stats, _most: u32) -> u32 {
        0
    }

    /// [`execute`](Self::execute) with a description of all that the instruction did, but block and warp.
    ///
    /// # Errors
    /// As `execute`.
    fn retire(
        &self, block: &mut BlockOf<Self>, warp: u32, memory: (&mut GlobalMemory, &mut Stats), last: &mut Self::Seen,
        record: &mut Retired, beside: Option<&Beside<'_>>,
    ) -> Result<Option<Self::Trap>, Self::Trap>;

    /// Whether the turn of a warp ends behind this instruction; `ready`: the warp could go on.
    fn ends_turn(seen: &Self::Seen, ready: impl FnOnce() -> bool) -> bool;

    /// Bits `undefined` of a register are these of `value`.
    fn adopt(&self, warp: &mut Self::Warp, register: (u8, Spread), undefined: &Lanes, value: &Lanes);
}

/// A block of an executor.
pub type BlockOf<E> = Block<<E as Executor>::Warp, <E as Executor>::Undefined, <E as Executor>::Trap>;

/// The blocks of a launch, each of which runs on any view of global memory.
pub(crate) struct Grid<'a, E> {
    pub setup: &'a E,
    /// Blocks keep track of undefined bits.
    pub tracked: bool,
}

/// A block that has run, and how it ended.
pub(crate) type Ran<E> = (BlockOf<E>, Ended<E>);

/// How a run ended.
pub(crate) type Ended<E> = Result<(), RunError<<E as Executor>::Trap>>;

impl<E: Executor> Grid<'_, E> {
    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.setup.grid().into_iter().map(u64::from).product()
    }

    /// Runs a block by its number, x first, to its end, or until `stats` is at `limit` warp instructions. `see` gets
    /// every instruction, or, in a `hurry`, some.
    pub fn run(
        &self, number: u64, global: &mut impl Global, stats: &mut Stats, limit: u64, hurry: bool, seen: &mut E::Seen,
        see: &mut impl FnMut(&BlockOf<E>, u32, &E::Seen),
    ) -> Ran<E> {
        let width = u64::from(self.setup.grid()[0]);
        let mut block = self.setup.block([(number % width) as u32, (number / width) as u32], self.tracked);
        let ended = self.turns(&mut block, global, stats, limit, hurry, seen, see);
        (block, ended)
    }

    /// [`run`](Self::run) that nobody sees.
    pub fn attempt(&self, number: u64, global: &mut impl Global, stats: &mut Stats, limit: u64) -> Ran<E> {
        self.run(number, global, stats, limit, true, &mut E::seen(Wanted::default()), &mut |_, _, _| {})
    }

    fn turns(
        &self, block: &mut BlockOf<E>, global: &mut impl Global, stats: &mut Stats, limit: u64, hurry: bool,
        seen: &mut E::Seen, see: &mut impl FnMut(&BlockOf<E>, u32, &E::Seen),
    ) -> Result<(), RunError<E::Trap>> {
        let ctaid = block.ctaid;
        loop {
            let mut stepped = false;
            for warp in 0..block.warps.len() as u32 {
                if block.state(warp) != Some(State::Ready) {
                    continue;
                }
                stepped = true;
                let mut left = TURN;
                while left > 0 {
                    if hurry {
                        let most = limit.saturating_sub(stats.warp_instructions).min(left.into()) as u32;
                        left -= self.setup.hurry(block, warp, global, stats, most);
                        if left == 0 {
                            break;
                        }
                    }
                    left -= 1;
                    if stats.warp_instructions >= limit {
                        let pc = block.warps[warp as usize].warp.standing().pc;
                        return Err(RunError::InstructionLimit { limit, ctaid, warp, pc });
                    }
                    let executed = self.setup.execute(block, warp, global, stats, seen, None);
                    let deadlock = executed.map_err(RunError::Trap)?;
                    see(block, warp, seen);
                    if let Some(trap) = deadlock {
                        return Err(RunError::Trap(trap));
                    }
                    if E::ends_turn(seen, || block.state(warp) == Some(State::Ready)) {
                        break;
                    }
                }
            }
            if !stepped {
                return Ok(());
            }
        }
    }
}
