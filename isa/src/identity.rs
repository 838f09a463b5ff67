//! Which instruction set: the one name that launch files, chips, models and options go by.

use std::fmt;

/// An instruction set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Isa {
    /// SM 1.0 (G80): that of launches, sources and chips that name none.
    #[default]
    Sm10,
    /// Fermi: floats of 32 bits and the carrier set.
    Fermi,
    /// Apple G13.
    G13,
    /// Intel Ivy Bridge.
    Ivb,
}

impl Isa {
    /// All of them, in the order of the manual.
    pub const ALL: [Isa; 4] = [Isa::Sm10, Isa::Fermi, Isa::G13, Isa::Ivb];

    /// Name on the command line, in launch files and in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Sm10 => "sm10",
            Isa::Fermi => "fermi",
            Isa::G13 => "g13",
            Isa::Ivb => "ivb",
        }
    }

    /// The set of a name.
    pub fn by_name(name: &str) -> Option<Isa> {
        Isa::ALL.into_iter().find(|i| i.name() == name)
    }

    /// Threads of a warp that a chip of it cuts into beats: 32, of Ivy Bridge 16 channels.
    pub const fn warp_threads(self) -> u32 {
        match self {
            Isa::Ivb => 16,
            _ => 32,
        }
    }

    /// Beats of a warp instruction on so many lanes, at least 1: cycles of a lane.
    ///
    /// # Panics
    /// With no lanes.
    pub const fn beats(self, lanes: u32) -> u32 {
        let threads = self.warp_threads();
        if lanes < threads {
            threads / lanes
        } else {
            1
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
