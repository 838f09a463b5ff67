//! Traps: cause and place of a kernel's stop.

use std::fmt;

/// Cause of a trap, with its number, name and explanation.
pub use warpsmith_contract::TrapCause;

/// A memory space, in records and messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `s[]`, per block.
    Shared,
    /// `c[]`, one of 16 banks.
    Constant(u8),
    /// `g[]`, one memory for all space numbers.
    Global,
    /// `l[]`, per thread.
    Local,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Space::Shared => f.write_str("shared memory"),
            Space::Constant(bank) => write!(f, "constant bank {bank}"),
            Space::Global => f.write_str("global memory"),
            Space::Local => f.write_str("local memory"),
        }
    }
}

/// The access that trapped, for causes 4 and 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultingAccess {
    /// Space named by the operand.
    pub space: Space,
    /// Byte address of the access.
    pub address: u32,
    /// Size of the access in bytes.
    pub bytes: u32,
    /// Size of the space in bytes.
    pub limit: u64,
}

/// Trap record: cause, block, warp, pc and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Why.
    pub cause: TrapCause,
    /// Block index `x, y` in the grid.
    pub ctaid: [u32; 2],
    /// Warp within the block.
    pub warp: u32,
    /// Byte address of the instruction.
    pub pc: u32,
    /// Lowest trapping thread of the warp for causes 4 and 5, else 0.
    pub lane: u32,
    /// The access, for causes 4 and 5.
    pub access: Option<FaultingAccess>,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "trap {} ({}) in block ({}, {}), warp {}, lane {}, at pc 0x{:04x}: {}",
            self.cause.number(),
            self.cause.name(),
            self.ctaid[0],
            self.ctaid[1],
            self.warp,
            self.lane,
            self.pc,
            self.cause.explain()
        )?;
        if let Some(a) = self.access {
            write!(f, " ({} bytes at 0x{:08x} of {}, which has {} bytes)", a.bytes, a.address, a.space, a.limit)?;
        }
        Ok(())
    }
}

impl std::error::Error for Trap {}

/// A trap of a machine.
pub trait Stops: std::error::Error + 'static {
    /// As a chip records it.
    fn record(&self) -> Trap;
}

impl Stops for Trap {
    fn record(&self) -> Trap {
        *self
    }
}

/// A trap before the machine has added block, warp and pc.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub cause: TrapCause,
    pub lane: u32,
    pub access: Option<FaultingAccess>,
}

impl From<TrapCause> for Fault {
    fn from(cause: TrapCause) -> Self {
        Fault { cause, lane: 0, access: None }
    }
}
