//! Why a program of one of the sets stops.

use crate::trap;
use crate::trap::{FaultingAccess, TrapCause};
use std::fmt;
use warpsmith_contract::registers::GUARD_BYTES;
use warpsmith_isa::uop::Space;

/// Cause of a trap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The bytes at the pc are no instruction.
    #[error("illegal instruction: {0}")]
    Illegal(String),
    /// The set refuses the instruction; a chip knows its opcode.
    #[error("illegal instruction, unimplemented on a chip: {0}")]
    Refused(String),
    /// The model does not execute the instruction.
    #[error("{text}: not implemented: {reason}")]
    Unimplemented {
        /// The instruction.
        text: String,
        /// Why.
        reason: String,
    },
    /// An operand that the register file does not have, or does not allow.
    #[error("{0}")]
    Operand(&'static str),
    /// A register that the launch did not ask for.
    #[error("it writes register {register}; a thread of this launch has {registers}")]
    Register {
        /// The last register it writes.
        register: u32,
        /// Registers of a thread.
        registers: u32,
    },
    /// An access that is not aligned.
    #[error("access of {bytes} bytes at {address:#x} of {} memory is not aligned", space_name(*.space))]
    Misaligned {
        /// Memory.
        space: Space,
        /// Byte address.
        address: u64,
        /// Bytes.
        bytes: u32,
    },
    /// An access beyond the end.
    #[error("access of {bytes} bytes at {address:#x} of {} memory, which has {limit} bytes", space_name(*.space))]
    OutOfRange {
        /// Memory.
        space: Space,
        /// Byte address.
        address: u64,
        /// Bytes.
        bytes: u32,
        /// Size of the memory in bytes.
        limit: u64,
    },
    /// The program ends inside the instruction.
    #[error("{0}")]
    Truncated(String),
    /// The pc left the program.
    #[error("the program has no instruction at this address")]
    PcOutOfRange,
    /// An access to the guarded first page of global memory.
    #[error("access of {bytes} bytes at {address:#x} of global memory, through a NULL pointer: its first {GUARD_BYTES} bytes hold no buffer")]
    Null {
        /// Byte address.
        address: u64,
        /// Bytes.
        bytes: u32,
        /// Size of the memory in bytes.
        limit: u64,
    },
    /// The divergence stack is full.
    #[error("the divergence stack is full ({0} entries)")]
    StackOverflow(usize),
    /// Control flow that the state does not allow.
    #[error("{0}")]
    Flow(&'static str),
    /// The program asked for it.
    #[error("the program executed a trap instruction")]
    Requested,
    /// No warp of the block can go on.
    #[error("every warp of the block waits at a barrier that cannot release")]
    Deadlock,
}

fn space_name(space: Space) -> String {
    match space {
        Space::Global => "global".into(),
        Space::Shared => "shared".into(),
        Space::Local => "local".into(),
        Space::Constant(bank) => format!("constant bank {bank}"),
        Space::Buffer(n) => format!("buffer {n}"),
    }
}

impl Cause {
    /// The cause as the chips number it.
    pub fn number(&self) -> TrapCause {
        match self {
            Cause::Illegal(_) => TrapCause::Illegal,
            Cause::Unimplemented { .. } | Cause::Refused(_) | Cause::Operand(_) => TrapCause::Unimplemented,
            Cause::Register { .. } => TrapCause::Register,
            Cause::Misaligned { .. } => TrapCause::MisalignedAccess,
            Cause::OutOfRange { .. } => TrapCause::OutOfRange,
            Cause::Null { .. } => TrapCause::Null,
            Cause::Truncated(_) | Cause::PcOutOfRange => TrapCause::Fetch,
            Cause::StackOverflow(_) => TrapCause::StackOverflow,
            Cause::Flow(_) => TrapCause::StackUnderflow,
            Cause::Requested => TrapCause::Trap,
            Cause::Deadlock => TrapCause::BarrierDeadlock,
        }
    }

    /// The access at fault; its address as the 32 bits that a chip has.
    fn access(&self) -> Option<FaultingAccess> {
        let (space, address, bytes, limit) = match *self {
            Cause::Misaligned { space, address, bytes } => (space, address, bytes, 0),
            Cause::OutOfRange { space, address, bytes, limit } => (space, address, bytes, limit),
            Cause::Null { address, bytes, limit } => (Space::Global, address, bytes, limit),
            _ => return None,
        };
        let space = match space {
            Space::Global | Space::Buffer(_) => trap::Space::Global,
            Space::Shared => trap::Space::Shared,
            Space::Local => trap::Space::Local,
            Space::Constant(bank) => trap::Space::Constant(bank),
        };
        Some(FaultingAccess { space, address: address as u32, bytes, limit })
    }
}

/// A cause with its lane, before the machine has added the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub cause: Cause,
    /// Lowest lane, where one lane is at fault.
    pub lane: u32,
}

impl From<Cause> for Fault {
    fn from(cause: Cause) -> Fault {
        Fault { cause, lane: 0 }
    }
}

impl Cause {
    /// The cause in one lane.
    pub fn in_lane(self, lane: usize) -> Fault {
        Fault { cause: self, lane: lane as u32 }
    }
}

/// A trap: cause and place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Why.
    pub cause: Cause,
    /// Block in the grid.
    pub ctaid: [u32; 2],
    /// Warp in the block.
    pub warp: u32,
    /// Byte address of the instruction.
    pub pc: u32,
    /// Lane; 0 where no single lane is at fault.
    pub lane: u32,
}

impl trap::Stops for Trap {
    fn record(&self) -> trap::Trap {
        let Trap { ref cause, ctaid, warp, pc, lane } = *self;
        trap::Trap { cause: cause.number(), ctaid, warp, pc, lane, access: cause.access() }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y] = self.ctaid;
        write!(
            f,
            "trap in block ({x}, {y}), warp {}, lane {}, at pc 0x{:04x}: {}",
            self.warp, self.lane, self.pc, self.cause
        )
    }
}

impl std::error::Error for Trap {}
