//! Control flow. Targets are byte addresses of the program.
//!
//! The sets differ in how a warp remembers the lanes that do not run: a stack of masks and addresses,
//! a counter a lane, an address a lane. Each way has its own operations.

use super::Cond;

/// Control flow of one of the three ways, or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// Stack of masks.
    Stack(StackFlow),
    /// Counter a lane.
    Mask(MaskFlow),
    /// Instruction pointer a channel.
    Channel(ChannelFlow),
    /// The executing lanes end for good.
    Exit,
    /// The whole warp ends.
    End,
}

/// Kind of an entry that a program puts on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Paths meet.
    Join,
    /// Lanes that left a loop.
    Break,
    /// Lanes that wait for the next turn of a loop.
    Continue,
    /// Lanes that return.
    Return,
}

/// Control flow with a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackFlow {
    /// The executing lanes jump, the others go on later.
    Branch {
        /// Where to.
        target: u32,
    },
    /// An entry with the active lanes.
    Push {
        /// Its kind.
        entry: Entry,
        /// Where they go on.
        target: u32,
    },
    /// A return entry behind this instruction; all active lanes jump.
    Call {
        /// Where to.
        target: u32,
    },
    /// The executing lanes wait at the nearest entry of a kind.
    Leave(Entry),
    /// The executing lanes wait: they go on with the topmost entry that has them.
    Join,
}

/// Control flow with a counter a lane: a lane is active where its counter is 0. Comparisons are of
/// sources 0 and 1, in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskFlow {
    /// Counters fall by `levels`, not below 0.
    Pop {
        /// Levels.
        levels: u8,
    },
    /// Nonzero counters rise by `levels`; others become 1 where the condition fails.
    If {
        /// Condition.
        cond: Cond,
        /// Levels.
        levels: u8,
    },
    /// Counters of 0 become `levels`; those of 1 become 0 where the condition holds.
    Else {
        /// Condition.
        cond: Cond,
        /// Levels.
        levels: u8,
    },
    /// Counters below `levels` become 0 where the condition holds, else `levels`.
    While {
        /// Condition.
        cond: Cond,
        /// Levels.
        levels: u8,
    },
    /// Jump if some lane is active.
    JumpAny {
        /// Where to.
        target: u32,
    },
    /// Jump if no lane is active.
    JumpNone {
        /// Where to.
        target: u32,
    },
    /// Jump always.
    Jump {
        /// Where to.
        target: u32,
    },
    /// Jump to the address that source 0 has in every active lane; none active: go on. The address
    /// behind the instruction goes to destination 0, if there is one.
    JumpRegister,
}

impl MaskFlow {
    /// Whether it changes the counter of every lane, active or not.
    pub fn counts(self) -> bool {
        matches!(self, MaskFlow::Pop { .. } | MaskFlow::If { .. } | MaskFlow::Else { .. } | MaskFlow::While { .. })
    }
}

/// Control flow with an instruction pointer a channel (a lane).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelFlow {
    /// Channels where the condition fails go to `other`.
    If {
        /// Where to.
        other: u32,
    },
    /// Channels go to `target`.
    Else {
        /// Where to.
        target: u32,
    },
    /// Channels meet; without one, the pointer hops to `hop`.
    Endif {
        /// Where to.
        hop: u32,
    },
    /// Executing channels leave the loop to `exit`; without others the pointer hops to `hop`.
    Break {
        /// Behind the loop.
        exit: u32,
        /// End of the block.
        hop: u32,
    },
    /// Executing channels wait at `again`; without others the pointer hops to `hop`.
    Continue {
        /// End of the loop.
        again: u32,
        /// End of the block.
        hop: u32,
    },
    /// Executing channels go to `exit`; without others the pointer hops to `hop`.
    Halt {
        /// Where to.
        exit: u32,
        /// End of the block.
        hop: u32,
    },
    /// Executing channels go to `top`.
    While {
        /// Top of the loop.
        top: u32,
    },
    /// Executing channels go to `target`; the pointer follows if no other is left.
    BranchDiverging {
        /// Where to.
        target: u32,
    },
    /// Executing channels go to `target`; the pointer goes to `hop` if all do.
    BranchConverging {
        /// Where to.
        target: u32,
        /// Where the pointer goes.
        hop: u32,
    },
    /// All channels at the pointer go to `base` and the sum of the sources if some lane executes.
    Jump {
        /// Where to without a source.
        base: u32,
    },
    /// Saves the next address and the mask of the executing channels in the destination and the element behind
    /// it; they go to `base` and the sum of the sources.
    Call {
        /// Where to without a source.
        base: u32,
    },
    /// Channels of the mask in source 1 go to the address in source 0.
    Return,
}
