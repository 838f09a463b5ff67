//! What became of a launch: the result of every machine, and how it ended, in the same words on all of them.

use crate::readout::{Counters, RtlTrap};
use warpsmith_check::Findings;
use warpsmith_isa::ChipInfo;
use warpsmith_model::undefined::Places;
use warpsmith_model::{Difference, GlobalMemory, Launch, Stopped};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every block ended.
    Done,
    /// The chip trapped.
    Trap(RtlTrap),
    /// The model trapped, or reached the limit of warp instructions.
    Model(Stopped),
    /// Nothing retired for too long; the text says which warps are where.
    Watchdog(String),
    /// The cycle limit was reached.
    CycleLimit(u64),
    /// The chip accessed memory that is neither global nor local: count and first byte address.
    Stray(u64, u32),
}

impl Ending {
    /// Byte address of the instruction that trapped, and number of the cause.
    pub fn trap(&self) -> Option<(u32, u8)> {
        match self {
            Ending::Trap(trap) => Some((trap.pc, trap.cause)),
            Ending::Model(Stopped::Trap { pc, cause, .. }) => Some((*pc, *cause)),
            _ => None,
        }
    }

    /// Why a run did not end well, in words, with the source line of an instruction that the launch knows; `limit` is
    /// what raises the limit of cycles or warp instructions, empty where nothing does. `None` after
    /// [`Ending::Done`].
    pub fn why(&self, launch: &Launch, limit: &str) -> Option<String> {
        let at = |pc: u32, text: &str| match launch.source.place(pc) {
            Some(place) => format!("{text}, {place}"),
            None => text.to_string(),
        };
        Some(match self {
            Ending::Done => return None,
            Ending::Trap(trap) => at(trap.pc, &trap.to_string()),
            Ending::Model(Stopped::Trap { pc, text, .. }) => at(*pc, text),
            Ending::Model(Stopped::Limit { pc, text, .. }) => at(*pc, text) + &raise(limit),
            Ending::Watchdog(text) => text.clone(),
            Ending::CycleLimit(cycles) => no_end(*cycles, limit),
            Ending::Stray(count, first) => stray(*count, *first),
        })
    }
}

/// A run that reached the limit of cycles.
pub(crate) fn no_end(cycles: u64, limit: &str) -> String {
    format!("no end after {cycles} cycles{}", raise(limit))
}

/// Accesses to memory that is neither global nor local.
pub(crate) fn stray(count: u64, first: u32) -> String {
    format!("the chip accessed memory it does not have, {count} times, first at 0x{first:08x}")
}

/// What to do about a limit that something raises.
fn raise(limit: &str) -> String {
    match limit {
        "" => String::new(),
        limit => format!("; raise {limit} if the kernel is meant to run this long"),
    }
}

/// Result of a launch on a machine.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The chip; none for the model.
    pub chip: Option<ChipInfo>,
    /// How it ended.
    pub ending: Ending,
    /// What the machine counted. The model has instructions and seconds alone, no cycles.
    pub counters: Counters,
    /// Global memory afterwards, as far as it was read back.
    pub global: GlobalMemory,
    /// Words that differ from the launch's expectations (only after [`Ending::Done`]).
    pub differences: Vec<Difference>,
    /// Places of the program that depend on values which it never wrote, where the model tracks them.
    pub undefined: Places,
    /// What is wrong with the program, where that was looked for.
    pub check: Option<Findings>,
    /// What else the machine has to say, in words.
    pub notes: Vec<String>,
}

impl Ran {
    /// A run on a chip, or the model, that left `global`: compared with what the launch expects.
    pub fn new(
        chip: Option<&ChipInfo>, launch: &Launch, ending: Ending, counters: Counters, global: GlobalMemory,
    ) -> Self {
        let differences = if ending == Ending::Done { launch.compare(&global) } else { vec![] };
        Ran {
            chip: chip.cloned(),
            ending,
            counters,
            global,
            differences,
            undefined: Places::default(),
            check: None,
            notes: vec![],
        }
    }
}
