//! The divergence unit of a chip: that of its instruction set, all with the same ports.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::rtl::Sink;
use crate::sm::divergence::fermi::FermiDivergence;
use crate::sm::divergence::g13::{MaskBeat, MaskUnit};
use crate::sm::divergence::{Divergence, Ports};

/// A divergence unit.
pub enum FrontDivergence {
    /// SM 1.0's.
    Sm10(Box<Divergence>),
    /// Fermi's.
    Fermi(Box<FermiDivergence>),
    /// G13's.
    G13(Box<MaskUnit>),
}

alternatives!(FrontDivergence: Sm10, Fermi, G13);

impl FrontDivergence {
    /// The unit of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        match cfg.isa {
            Isa::Fermi => Self::Fermi(Box::new(FermiDivergence::new(cfg))),
            Isa::G13 => Self::G13(Box::new(MaskUnit::new(cfg))),
            Isa::Sm10 => Self::Sm10(Box::new(Divergence::new(cfg))),
            Isa::Ivb => unreachable!("no configuration is of a set without chips"),
        }
    }

    /// Its ports.
    pub fn ports(&self) -> &Ports<Sink> {
        match self {
            Self::Sm10(unit) => &unit.ports,
            Self::Fermi(unit) => &unit.ports,
            Self::G13(unit) => &unit.ports,
        }
    }

    /// Where masks come from stage W, on a chip of G13.
    pub fn beat(&self) -> Option<&MaskBeat<Sink>> {
        match self {
            Self::G13(unit) => Some(&unit.beat),
            _ => None,
        }
    }
}
