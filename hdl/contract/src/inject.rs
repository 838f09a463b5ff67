//! A fault as the saboteurs of a chip in hardware take it, and what the chip shows of it.

/// What bits under the mask become: field BECOMES of INJECT_ARM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShotBecomes {
    /// The inverse of what they were, and held there.
    Inverse = 0,
    /// 0.
    Zero = 2,
    /// 1.
    One = 3,
}

/// Cycles in which the last writes leave a chip that says done, a power of two: a fault acts in them, too.
pub const DRAIN: u32 = 64;

/// Cycles that never end, in [`Shot::duration`].
pub const TO_THE_END: u32 = u32::MAX;

/// A fault. Cycles count from the start of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Bits of the chain that are 1, ascending.
    pub ones: Vec<u32>,
    /// What the bits become.
    pub becomes: ShotBecomes,
    /// First cycle.
    pub cycle: u32,
    /// Cycles; 0: no fault at all, [`TO_THE_END`]: to the end.
    pub duration: u32,
    /// Cycles from burst to burst; 0: one burst.
    pub period: u32,
    /// Cycles of a burst.
    pub active: u32,
    /// Cycles since reset, modulo [`INJECT_PHASES`](crate::registers::INJECT_PHASES), in which the chip takes the start.
    pub phase: u32,
}

/// How an armed kernel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Cycles from the start to the end, or so far.
    pub cycles: u32,
    /// Whether it ended.
    pub ended: bool,
    /// TRAP, TRAP_PC and TRAP_BLOCK, where it trapped.
    pub trap: Option<[u32; 3]>,
    /// CORRECTED, 0 of a plain chip.
    pub corrected: u32,
    /// FAULTS, 0 of a plain chip.
    pub faults: u32,
    /// Cycle in which the fault first changed a bit.
    pub changed: Option<u32>,
}
