//! How lockstep runs are made, and how they end.

use crate::coverage::Coverage;
use crate::ending::no_end;
use crate::host::RunOptions;
use crate::lockstep::report::Difference;
use crate::readout::{Counters, RtlTrap};
use std::fmt;
use warpsmith_check::Findings;
use warpsmith_model::undefined::Places;
use warpsmith_model::{GlobalMemory, Mutant, Trap};

/// How a lockstep run is made.
#[derive(Clone, Debug, Default)]
pub struct CosimOptions {
    /// How the chip is run.
    pub run: RunOptions,
    /// A deliberate error in the model, for checks that differences are found.
    pub mutant: Option<Mutant>,
    /// Command that reports print for replaying; made from launch, configuration and seed if `None`.
    pub replay: Option<String>,
    /// Looks for what is wrong with the program, in the chip's order.
    pub check: bool,
}

/// How a lockstep run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Model and chip agree, and so do the launch's expectations.
    Agree,
    /// They agree with each other, not with the launch's expectations.
    Unexpected(Vec<warpsmith_model::Difference>),
    /// Both trapped in the same way.
    Trap(Trap),
    /// They differ at an instruction that depends on a value which the program never wrote: the place, and
    /// how.
    Undefined(String, Box<Difference>),
    /// They differ.
    Differ(Box<Difference>),
    /// Nothing retired for too long.
    Watchdog(String),
    /// The cycle limit was reached.
    CycleLimit(u64),
}

impl Outcome {
    /// Whether model and chip did the same and as expected.
    pub fn is_agreement(&self) -> bool {
        *self == Outcome::Agree
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Agree => f.write_str("model and rtl agree"),
            Outcome::Unexpected(d) => {
                write!(f, "model and rtl agree, but {} words are not as expected", d.len())?;
                d.iter().take(4).try_for_each(|d| write!(f, "\n  {d}"))
            }
            Outcome::Trap(t) => write!(f, "model and rtl agree: {t}"),
            Outcome::Differ(d) => d.fmt(f),
            Outcome::Undefined(place, d) => {
                write!(f, "{place}\n  model and rtl differ there:\n  {d}")
            }
            Outcome::Watchdog(s) => f.write_str(s),
            Outcome::CycleLimit(n) => write!(f, "cosim: {}", no_end(*n, "the limit")),
        }
    }
}

/// Result of a lockstep run.
#[derive(Clone, Debug)]
pub struct CosimReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What the chip counted.
    pub counters: Counters,
    /// Warp instructions compared.
    pub compared: u64,
    /// Cycle of the simulation of the last event of the trace port that was looked at: after a
    /// difference, the one that showed it.
    pub cycle: u64,
    /// The chip's trap record, when it said done and had trapped.
    pub trap: Option<RtlTrap>,
    /// What was exercised.
    pub coverage: Coverage,
    /// Places of the program that depend on values which it never wrote.
    pub undefined: Places,
    /// What is wrong with the program, where that was looked for.
    pub check: Option<Findings>,
    /// Global memory as the chip left it.
    pub global: GlobalMemory,
}
