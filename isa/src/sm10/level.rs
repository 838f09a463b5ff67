//! Levels of SM 1.x: what chips of one level add to those of the one below it.

use crate::sm10::op::Op;
use crate::sm10::table::{Form, Since};
use std::fmt::{Display, Formatter};

/// A level, each with all instructions of those below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// SM 1.0.
    #[default]
    Sm10,
    /// SM 1.1: atomic accesses to global memory, loads from shared memory.
    Sm11,
    /// SM 1.2: votes, locks on words of shared memory.
    Sm12,
    /// SM 1.3: floats of 64 bits.
    Sm13,
}

impl Level {
    /// All, from the lowest one on.
    pub const ALL: [Level; 4] = [Level::Sm10, Level::Sm11, Level::Sm12, Level::Sm13];

    /// The highest one of which there are chips.
    pub const HIGHEST: Level = Level::Sm13;

    /// Those of which there are chips.
    pub fn on_chips() -> impl Iterator<Item = Level> {
        Self::ALL.into_iter().filter(|l| *l <= Self::HIGHEST)
    }

    /// Name in configurations and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Sm10 => "sm10",
            Level::Sm11 => "sm11",
            Level::Sm12 => "sm12",
            Level::Sm13 => "sm13",
        }
    }

    /// The level of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }

    /// The lowest level whose chips execute a form; `None` where chips of no level do.
    pub fn of(form: &Form) -> Option<Self> {
        let level = match (form.op, form.since) {
            (Op::Unsupported, _) => return None,
            // A breakpoint stops chips of SM 1.0, too.
            (Op::Bpt, _) | (_, Since::Sm10) => Level::Sm10,
            (_, Since::Sm11) => Level::Sm11,
            (_, Since::Sm12) => Level::Sm12,
            (_, Since::Sm13) => Level::Sm13,
            (_, Since::Gt215) => return None,
        };
        Some(level).filter(|l| *l <= Self::HIGHEST)
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
