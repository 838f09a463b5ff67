//! The fetch unit of a chip: that of its instruction set, all with the same ports.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::sm::pipeline::channel_fetch::ChannelFetch;
use crate::sm::pipeline::fetch::{Fetch, FetchPorts};
use crate::sm::pipeline::g13_fetch::G13Fetch;

/// A fetch unit.
pub enum FrontFetch {
    /// Instructions of 4 and 8 bytes: SM 1.0's and Fermi's.
    Lines(Box<Fetch>),
    /// Instructions of 2 to 12 bytes: G13's.
    G13(Box<G13Fetch>),
    /// Instructions of 8 and 16 bytes: Ivy Bridge's.
    Ivb(Box<ChannelFetch>),
}

alternatives!(FrontFetch: Lines, G13, Ivb);

impl FrontFetch {
    /// The unit of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        match cfg.isa {
            Isa::G13 => Self::G13(Box::new(G13Fetch::new(cfg))),
            Isa::Ivb => Self::Ivb(Box::new(ChannelFetch::new(cfg))),
            _ => Self::Lines(Box::new(Fetch::new(cfg))),
        }
    }

    /// Its ports.
    pub fn ports(&self) -> &FetchPorts {
        match self {
            Self::Lines(unit) => &unit.ports,
            Self::G13(unit) => &unit.ports,
            Self::Ivb(unit) => &unit.ports,
        }
    }
}
