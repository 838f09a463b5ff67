//! A block that has started: its shared memory, its warps, and the barriers they wait at.

use crate::barrier::{releasable, WarpBarriers};
use crate::memory::locks::Locks;
use crate::undefined::Places;

/// Where a warp of a machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Byte address of the next instruction.
    pub pc: u32,
    /// Active threads.
    pub active: u32,
    /// Entries of its divergence stack.
    pub depth: u32,
    /// It has ended.
    pub finished: bool,
}

/// A warp of a started block.
pub trait Resident {
    /// Where it stands.
    fn standing(&self) -> Standing;

    /// Whether it has ended.
    fn is_finished(&self) -> bool;
}

/// Which bits of a block are undefined.
pub trait Tracked {
    /// Places that depend on undefined values.
    fn places(&self) -> &Places;

    /// Drops what is known of memory and registers; what was found stays.
    fn clear(&mut self);
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

/// A warp with what it waits for.
#[derive(Clone, Debug)]
pub(crate) struct Running<W> {
    pub warp: W,
    pub barriers: WarpBarriers,
}

/// A started block of warps `W`; `U` says which bits of it are undefined, `T` is a trap.
#[derive(Clone, Debug)]
pub struct Block<W, U, T> {
    /// Index in the grid, `x, y`.
    pub ctaid: [u32; 2],
    pub(crate) shared: Vec<u8>,
    /// Of SM 1.2 and later.
    pub(crate) locks: Locks,
    pub(crate) warps: Vec<Running<W>>,
    /// Barriers that the last instruction which could release some has released, a bit each.
    pub(crate) released: u32,
    /// The trap that stopped it.
    pub(crate) trap: Option<T>,
    /// Undefined bits, where they are tracked.
    pub(crate) undefined: Option<U>,
}

impl<W: Resident, U: Tracked, T> Block<W, U, T> {
    pub(crate) fn new(ctaid: [u32; 2], shared: Vec<u8>, warps: Vec<W>, undefined: Option<U>) -> Self {
        let running = |warp| Running { warp, barriers: WarpBarriers::default() };
        Block {
            ctaid,
            shared,
            locks: Locks::default(),
            warps: warps.into_iter().map(running).collect(),
            released: 0,
            trap: None,
            undefined,
        }
    }

    /// What a warp can do next; `None` for one that there is not.
    #[inline(always)]
    pub(crate) fn state(&self, number: u32) -> Option<State> {
        let w = self.warps.get(number as usize)?;
        Some(match w.barriers.waiting() {
            _ if w.warp.is_finished() => State::Finished,
            Some(id) => State::Waiting(id),
            None => State::Ready,
        })
    }

    /// Drops the memory of a block that has ended.
    pub(crate) fn clear(&mut self) {
        self.shared = Vec::new();
        self.locks = Locks::default();
        self.warps = Vec::new();
        self.undefined.iter_mut().for_each(Tracked::clear);
    }

    /// Releases the barriers that can be; where no warp can go on, the first one that waits, and the byte address at
    /// which it does.
    pub(crate) fn settle(&mut self) -> Option<(u32, u32)> {
        self.released = releasable(self.warps.iter().map(|w| (w.warp.is_finished(), &w.barriers)));
        if self.released != 0 {
            self.warps.iter_mut().for_each(|w| w.barriers.release(self.released));
        }
        let mut live = (0..).zip(&self.warps).filter(|(_, w)| !w.warp.is_finished());
        let (first, w) = live.next()?;
        let stuck = w.barriers.waiting().is_some() && live.all(|(_, w)| w.barriers.waiting().is_some());
        stuck.then_some((first, w.barriers.at))
    }
}
