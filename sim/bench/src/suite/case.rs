//! A row of the suite.

use warpsmith_model::Launch;

/// Parts of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// The kernels of `kernels/`, as they are.
    Kernels,
    /// The five of the FlexGrip papers at four sizes.
    Flexgrip,
    /// One property of the chip each.
    Micro,
    /// Grids large enough for many SMs.
    Scale,
    /// Programs in C: the kernels once more, and applications.
    Programs,
    /// Programs whose cycles on FlexGripPlus have been measured.
    #[serde(rename = "elder")]
    FlexGripPlus,
}

impl Suite {
    /// Name in keys and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::Kernels => "kernels",
            Suite::Flexgrip => "flexgrip",
            Suite::Micro => "micro",
            Suite::Scale => "scale",
            Suite::Programs => "programs",
            Suite::FlexGripPlus => "flexgripplus",
        }
    }
}

/// Target of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Issue utilisation of at least this.
    Issue(f64),
    /// Ideal requests of the memory port for at least this part of the cycles.
    Port(f64),
    /// The same or issue utilisation, whichever is greater: address arithmetic may be the limit.
    Bound(f64),
    /// The part with the most work (lanes, memory port in ideal requests, or special-function
    /// units) is busy for at least `least` of the cycles, the port for `port`. No target with fewer
    /// than eight warps on an SM.
    Filled {
        /// Of the lanes or the special-function units.
        least: f64,
        /// Of the port.
        port: f64,
    },
    /// Utilisation of the special-function units of at least this.
    Sfu(f64),
    /// At most this many cycles a warp instruction, on 8 lanes.
    Chain(f64),
    /// Of the named case's cycles at most this part.
    Against(&'static str, f64),
    /// Beyond the cycles of the conflict-free case named, `instructions` accesses whose beats take
    /// `ways` cycles each cost `ways - 1` cycles a beat, and at most this part more.
    Conflict {
        /// The case without conflicts.
        free: &'static str,
        /// Warp instructions that conflict.
        instructions: u64,
        /// Cycles of a beat.
        ways: u64,
        /// Part of the serialisation allowed.
        limit: f64,
    },
    /// Speed-up over one SM of at least this part of the number of SMs.
    SpeedUp(f64),
}

/// Target of a whole kernel, a mix of arithmetic, addresses, memory and barriers.
pub(super) const KERNEL: Target = Target::Filled { least: 0.9, port: 0.8 };

/// One row of the suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// Part.
    pub suite: Suite,
    /// Kernel.
    pub name: String,
    /// Problem size, where there are several.
    pub size: Option<u32>,
    /// Launch, with the expected contents of memory.
    pub launch: Launch,
    /// Target.
    pub target: Option<Target>,
    /// Simulates for more than some two seconds: not in the baseline, only with `--long`.
    pub long: bool,
}

impl Case {
    /// `suite/name` or `suite/name/size`.
    pub fn key(&self) -> String {
        match self.size {
            Some(n) => format!("{}/{}/{n}", self.suite.name(), self.name),
            None => format!("{}/{}", self.suite.name(), self.name),
        }
    }

    /// Whether the baseline holds its cycles.
    pub fn in_baseline(&self) -> bool {
        !self.long && matches!(self.suite, Suite::Kernels | Suite::Flexgrip | Suite::Micro)
    }
}
