//! The divergence unit of a chip: that of its instruction set, all with the same ports.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::rtl::{Input, Output, Sink};
use crate::sm::divergence::fermi::FermiDivergence;
use crate::sm::divergence::g13::{MaskBeat, MaskUnit};
use crate::sm::divergence::ivb::ChannelUnit;
use crate::sm::divergence::{Divergence, Ports};

/// A divergence unit.
pub enum FrontDivergence {
    /// SM 1.0's.
    Sm10(Box<Divergence>),
    /// Fermi's.
    Fermi(Box<FermiDivergence>),
    /// G13's.
    G13(Box<MaskUnit>),
    /// Ivy Bridge's.
    Ivb(Box<ChannelUnit>),
}

alternatives!(FrontDivergence: Sm10, Fermi, G13, Ivb);

impl FrontDivergence {
    /// The unit of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        match cfg.isa {
            Isa::Fermi => Self::Fermi(Box::new(FermiDivergence::new(cfg))),
            Isa::G13 => Self::G13(Box::new(MaskUnit::new(cfg))),
            Isa::Sm10 => Self::Sm10(Box::new(Divergence::new(cfg))),
            Isa::Ivb => Self::Ivb(Box::new(ChannelUnit::new(cfg))),
        }
    }

    /// Its ports.
    pub fn ports(&self) -> &Ports<Sink> {
        match self {
            Self::Sm10(unit) => &unit.ports,
            Self::Fermi(unit) => &unit.ports,
            Self::G13(unit) => &unit.ports,
            Self::Ivb(unit) => &unit.ports,
        }
    }

    /// Where masks come from stage W, on a chip of G13.
    pub fn beat(&self) -> Option<&MaskBeat<Sink>> {
        match self {
            Self::G13(unit) => Some(&unit.beat),
            _ => None,
        }
    }

    /// Where the second address of a branch comes, and who waits where, on a chip of Ivy Bridge.
    pub fn channels(&self) -> Option<(&Input, &Output)> {
        match self {
            Self::Ivb(unit) => Some((&unit.hop, &unit.result_waits)),
            _ => None,
        }
    }
}
