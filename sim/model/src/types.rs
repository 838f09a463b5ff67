//! Inputs and results of a machine: settings, handles, counts, errors.

use crate::mutant::Mutant;
use crate::trap::Trap;
use thiserror::Error;
use warpsmith_isa::{ChipInfo, Options, Tier};

/// Settings of a [`Machine`](crate::Machine) that the launch file does not name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// Entries of a warp's divergence stack.
    pub stack_depth: usize,
    /// Of sets beside SM 1.0 only what chips execute; the rest traps as unimplemented.
    pub chip: bool,
    /// What the chip has on top of the plain ones of its set.
    pub options: Options,
    /// Rows of the instruction table of SM 1.0 that the chip executes; the others trap as unimplemented.
    pub tier: Tier,
    /// Seed of a pattern for state that starts undefined (registers but R0, flags, address
    /// registers, local memory, shared memory beyond the parameters); `None`: zeros. Two runs that
    /// differ show a program that depends on it.
    pub fill: Option<u64>,
    /// Keeps track of which bits are [undefined](crate::undefined).
    pub tracked: bool,
    /// A deliberate error, for checks of the harness.
    pub mutant: Option<Mutant>,
    /// Every instruction on the plain path of SM 1.0, the check of the quick one.
    pub plain: bool,
}

impl ModelConfig {
    /// What a chip executes, and traps at.
    pub fn of_chip(info: &ChipInfo) -> Self {
        ModelConfig {
            stack_depth: info.stack_depth as usize,
            chip: true,
            options: info.options,
            tier: info.tier,
            ..ModelConfig::default()
        }
    }
}

impl Default for ModelConfig {
    fn default() -> Self {
        ModelConfig {
            stack_depth: 32,
            chip: false,
            options: Options::default(),
            tier: Tier::full(),
            fill: None,
            tracked: false,
            mutant: None,
            plain: false,
        }
    }
}

/// Instructions retired so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Lanes of their active masks, predicated-off lanes included.
    pub thread_instructions: u64,
}

/// Why [`Machine::run`](crate::Machine::run) stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RunError<T = Trap> {
    /// The kernel trapped.
    #[error("{0}")]
    Trap(T),
    /// The instruction limit was reached.
    #[error(
        "no end after {limit} warp instructions: block ({}, {}), warp {warp} is at pc 0x{pc:04x}",
        ctaid[0], ctaid[1]
    )]
    InstructionLimit {
        /// The limit, in warp instructions.
        limit: u64,
        /// Block of the warp about to step.
        ctaid: [u32; 2],
        /// That warp within its block.
        warp: u32,
        /// Its pc.
        pc: u32,
    },
}

/// Why a [`Machine::step`](crate::Machine::step) did not retire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// The instruction trapped, or an earlier one had; nothing has changed.
    #[error("{0}")]
    Trap(#[from] Trap),
    /// There is no such block or warp.
    #[error("the model has no warp {warp} in block {block}")]
    NoSuchWarp {
        /// Block handle asked for.
        block: u32,
        /// Warp asked for.
        warp: u32,
    },
    /// The warp has finished.
    #[error("warp {warp} of block {block} has finished and cannot retire another instruction")]
    Finished {
        /// Block handle.
        block: u32,
        /// Warp.
        warp: u32,
    },
    /// The warp waits at a barrier.
    #[error("warp {warp} of block {block} waits at barrier {barrier} and cannot retire")]
    Waiting {
        /// Block handle.
        block: u32,
        /// Warp.
        warp: u32,
        /// Barrier it waits on.
        barrier: u8,
    },
}
