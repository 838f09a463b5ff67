//! The retire record: everything one warp instruction did, for comparison with the chip's.

use crate::trap::{Space, Trap};
use crate::watch::{Accesses, Came, Observed};
use warpsmith_isa::{MemSize, WARP_SIZE};

/// Handle of a started block, in order of starting from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

/// One 32-bit value a thread.
pub type Lanes = [u32; WARP_SIZE];

/// Destination of an instruction; the values are in [`Retired::values`], those of a register that lanes share by
/// lane, too ([`Retired::spread`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RetiredDst {
    /// Nothing, or the discard.
    #[default]
    None,
    /// `count` values of 32 bits from register `first` on: [`Spread::register`] of pass i got `values[i]`.
    Gpr {
        /// First register.
        first: u8,
        /// 1 to 4.
        count: u8,
    },
    /// `count` halves of registers that follow each other got the low 16 bits of `values` ([`half_of`]); the others are
    /// unchanged.
    Half {
        /// Register of the first.
        reg: u8,
        /// True for bits 31..16 of it.
        high: bool,
        /// 1 to 4.
        count: u8,
    },
    /// Address register `index` (1..=7) got the low 16 bits of `values[0]`.
    Addr {
        /// Address register.
        index: u8,
    },
}

/// Register and half (true: bits 31..16) of pass `pass` of a row of halves that begins at `reg`, `high`.
pub fn half_of(reg: u8, high: bool, pass: usize) -> (u8, bool) {
    let half = 2 * usize::from(reg) + usize::from(high) + pass;
    ((half / 2) as u8, half % 2 == 1)
}

/// How the lanes of an instruction share the registers of its destination, in sets whose registers are no lane's
/// own; lane `first + i` has dword `dword + i` from the start of the register on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// First lane of the instruction.
    pub first: u8,
    /// Its dword in the first register, 0 to 7.
    pub dword: u8,
    /// Registers from one pass to the next.
    pub step: u8,
}

impl Spread {
    /// A register of each lane's own a pass.
    pub const OWN: Spread = Spread { first: 0, dword: 0, step: 1 };

    /// Register of a pass whose first one is `register`.
    pub fn register(self, register: u32, pass: usize) -> u32 {
        register.wrapping_add(u32::from(self.step).wrapping_mul(pass as u32))
    }
}

impl Default for Spread {
    fn default() -> Self {
        Spread::OWN
    }
}

/// Direction of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A word is read, replaced and given to the destination: one lane after the other, from the lowest one on.
    Atomic,
    /// The same without a destination.
    Reduction,
}

impl AccessKind {
    /// Whether it gives registers what was in memory.
    pub fn loads(self) -> bool {
        matches!(self, AccessKind::Load | AccessKind::Atomic)
    }
}

/// A load or store instruction's access. Operands read from shared or constant memory by
/// arithmetic are not recorded. Addresses are in [`Retired::address`], data in [`Retired::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemAccess {
    /// Memory space.
    pub space: Space,
    /// Load or store.
    pub kind: AccessKind,
    /// Size and extension, of an element.
    pub size: MemSize,
    /// Elements; 1 in SM 1.0, whose sizes go to 128 bits.
    pub elements: u8,
    /// They are not in a row: bit c, the element c behind the first place is one; without a bit all are at that place.
    pub mask: Option<u8>,
}

impl MemAccess {
    /// Passes of 32 bits: a register each.
    pub fn passes(&self) -> usize {
        usize::from(self.elements) * usize::from(self.size.regs())
    }

    /// Bytes from one pass to the next.
    pub fn stride(&self) -> u32 {
        self.size.bytes().min(4)
    }

    /// Bytes from the address to what a pass moves.
    pub fn offset(&self, pass: usize) -> u32 {
        let place = match self.mask {
            Some(mask) => (0..8).filter(|c| mask >> c & 1 == 1).nth(pass).unwrap_or(0),
            None => pass as u32,
        };
        self.stride() * place
    }

    /// Bytes of a thread.
    pub fn bytes(&self) -> u32 {
        u32::from(self.elements) * self.size.bytes()
    }
}

/// Operation of a BAR instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierEvent {
    /// Barrier 0..=15, of other sets than SM 1.0 up to 31.
    pub id: u8,
    /// `.ARV`.
    pub arrive: bool,
    /// `.WAIT`.
    pub wait: bool,
}

/// Predicates written by an instruction of a set that has them, under the execution mask. Flags of Ivy Bridge are
/// predicates: f0.0, f0.1, f1.0, f1.1 in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredicateWrites {
    /// Numbers of the first and the second result; `None`: not written.
    pub number: [Option<u8>; 2],
    /// Their values, one bit a lane.
    pub value: [u32; 2],
}

/// One retired warp instruction. The record is the caller's and is overwritten by every step, so
/// that stepping allocates nothing. In every array only the lanes the masks name are meaningful;
/// the others hold leftovers.
#[derive(Clone, Debug)]
pub struct Retired {
    /// Block.
    pub block: BlockId,
    /// Warp within the block.
    pub warp: u32,
    /// Byte address.
    pub pc: u32,
    /// Words 0 and 1; word 1 is 0 for short instructions.
    pub word: [u32; 2],
    /// Whether the instruction has two words.
    pub long: bool,
    /// Active mask before the instruction, of lanes that it does not concern, too.
    pub active_mask: u32,
    /// Active mask and predicate: the threads that executed it.
    pub exec_mask: u32,
    /// Threads whose destination was written (`exec_mask`, less the lanes a quad MOV leaves out).
    pub write_mask: u32,
    /// Destination.
    pub dst: RetiredDst,
    /// How lanes share it.
    pub spread: Spread,
    /// Values written, one array a register.
    pub values: [Lanes; 4],
    /// Undefined bits of [`values`](Retired::values) that come later than the instruction retires; `None`
    /// without any, and where they are not tracked.
    pub undefined: Option<Box<[Lanes; 4]>>,
    /// Source operands of float operations and conversions before their modifiers, half registers in
    /// the low 16 bits. Other operations leave them alone.
    pub sources: [Lanes; 3],
    /// Address register changed by post-increment, under `exec_mask`.
    pub post_increment: Option<u8>,
    /// Its new values.
    pub post_increment_values: Lanes,
    /// Flag register written, under `exec_mask`.
    pub flags: Option<u8>,
    /// Its new values, bit 0 Z, 1 S, 2 C, 3 O.
    pub flag_values: [u8; WARP_SIZE],
    /// Predicates written; `None` in SM 1.0, which has flags.
    pub predicates: Option<PredicateWrites>,
    /// Load or store performed by the threads of `exec_mask`.
    pub mem: Option<MemAccess>,
    /// Byte addresses of that access.
    pub address: Lanes,
    /// Data stored or loaded (loads: after extension), one array a 32-bit pass. Stores of 8 and 16
    /// bits use the low bits. Of atomic accesses their operand.
    pub data: [Lanes; 4],
    /// Pc after the instruction; 0 when finished.
    pub next_pc: u32,
    /// Active mask after the instruction; 0 when finished.
    pub next_mask: u32,
    /// Entries on the divergence stack after the instruction.
    pub stack_depth: u32,
    /// Whether the warp has finished.
    pub finished: bool,
    /// Set for BAR.
    pub barrier: Option<BarrierEvent>,
    /// The block deadlocked at its barriers after this instruction.
    pub deadlock: Option<Trap>,
    /// Accesses to the memories that threads share, where they are asked for.
    pub accesses: Accesses,
}

impl Retired {
    /// What the instruction did, for an observer: `released` are the barriers that its block released last.
    pub(crate) fn observed(&self, ctaid: [u32; 2], released: u32) -> Observed<'_> {
        let came = |b: BarrierEvent| Came { id: b.id, arrive: b.arrive, wait: b.wait };
        let could = self.barrier.is_some() || self.finished;
        Observed {
            ctaid,
            warp: self.warp,
            pc: self.pc,
            active: self.active_mask,
            accesses: self.accesses.list(),
            barrier: self.barrier.map(came),
            released: if could { released } else { 0 },
            finished: self.finished,
        }
    }
}

impl Default for Retired {
    fn default() -> Self {
        Retired {
            block: BlockId(0),
            warp: 0,
            pc: 0,
            word: [0; 2],
            long: false,
            active_mask: 0,
            exec_mask: 0,
            write_mask: 0,
            dst: RetiredDst::None,
            spread: Spread::OWN,
            values: [[0; WARP_SIZE]; 4],
            undefined: None,
            sources: [[0; WARP_SIZE]; 3],
            post_increment: None,
            post_increment_values: [0; WARP_SIZE],
            flags: None,
            flag_values: [0; WARP_SIZE],
            predicates: None,
            mem: None,
            address: [0; WARP_SIZE],
            data: [[0; WARP_SIZE]; 4],
            next_pc: 0,
            next_mask: 0,
            stack_depth: 0,
            finished: false,
            barrier: None,
            deadlock: None,
            accesses: Accesses::default(),
        }
    }
}
