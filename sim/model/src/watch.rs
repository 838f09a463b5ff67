//! What warp instructions do to the memories that threads share, for an observer beside the machine.
//!
//! A record ([`Retired`](crate::Retired)) describes what a chip shows; operands that arithmetic reads from shared
//! memory are not in it. An [`Observed`] instruction has every access to shared and global memory, and what the
//! barriers of its block did.

use warpsmith_isa::WARP_SIZE;

/// A memory that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shared {
    /// Shared memory of a block.
    Block,
    /// Global memory.
    Global,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes a word at once, and gives what was there.
    Atomic,
    /// The same without a result.
    Reduction,
    /// Reads a word whose lock it takes.
    Lock,
    /// Writes a word and frees its lock.
    Unlock,
}

/// An access of the lanes of a warp instruction.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Memory.
    pub memory: Shared,
    /// What it does.
    pub touch: Touch,
    /// Lanes that do it.
    pub lanes: u32,
    /// Bytes of a lane; of a store at most 8.
    pub bytes: u32,
    /// Byte address of each of those lanes.
    pub addresses: [u32; WARP_SIZE],
    /// What each of those lanes stores, in the low bits; of other accesses 0.
    pub values: [u64; WARP_SIZE],
}

/// The accesses of an instruction, where somebody asked for them.
#[derive(Clone, Debug, Default)]
pub struct Accesses(Option<Vec<Access>>);

impl Accesses {
    /// Accesses are noted from here on.
    pub fn wanted() -> Self {
        Accesses(Some(Vec::new()))
    }

    /// Those of the last instruction, in their order.
    pub fn list(&self) -> &[Access] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Whether they are noted.
    #[inline(always)]
    pub(crate) fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Before an instruction.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        if let Some(list) = &mut self.0 {
            list.clear();
        }
    }

    /// Notes an access that stores nothing new.
    #[inline(always)]
    pub(crate) fn note(&mut self, memory: Shared, touch: Touch, lanes: u32, bytes: u32, addresses: &[u32; WARP_SIZE]) {
        if self.are_wanted() {
            self.add(Access { memory, touch, lanes, bytes, addresses: *addresses, values: [0; WARP_SIZE] });
        }
    }

    /// Notes an access.
    #[inline(never)]
    pub(crate) fn add(&mut self, access: Access) {
        if let (Some(list), true) = (&mut self.0, access.lanes != 0) {
            list.push(access);
        }
    }
}

/// A barrier that an instruction came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Came {
    /// Number of the barrier, 0 to 31.
    pub id: u8,
    /// The warp arrives.
    pub arrive: bool,
    /// It waits.
    pub wait: bool,
}

/// What a warp instruction did.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// Index of the block in the grid, `x, y`.
    pub ctaid: [u32; 2],
    /// Warp within the block.
    pub warp: u32,
    /// Byte address.
    pub pc: u32,
    /// Lanes that were active.
    pub active: u32,
    /// Its accesses to shared and global memory.
    pub accesses: &'a [Access],
    /// The barrier that it came to.
    pub barrier: Option<Came>,
    /// Barriers that it released, a bit each.
    pub released: u32,
    /// The warp has ended with it.
    pub finished: bool,
}

/// Sees every instruction of a run.
pub trait Watch {
    /// An instruction has been executed.
    fn see(&mut self, instruction: &Observed<'_>);
}
