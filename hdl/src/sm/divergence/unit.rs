//! The divergence unit of a chip: that of its instruction set, all with the same ports.

use super::fermi::FermiDivergence;
use super::g13::{MaskBeat, MaskUnit};
use super::{Divergence, Ports};
use crate::config::{GpuConfig, Isa};
use crate::rtl::Sink;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::block::Block;
use rust_hdl_core::logic::Logic;
use rust_hdl_core::probe::Probe;

/// A divergence unit.
pub enum DivergenceUnit {
    /// SM 1.0's.
    Sm10(Divergence),
    /// Fermi's.
    Fermi(FermiDivergence),
    /// G13's.
    G13(MaskUnit),
}

impl DivergenceUnit {
    /// The unit of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        match cfg.isa {
            Isa::Fermi => Self::Fermi(FermiDivergence::new(cfg)),
            Isa::G13 => Self::G13(MaskUnit::new(cfg)),
            Isa::Sm10 => Self::Sm10(Divergence::new(cfg)),
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

    fn block(&self) -> &dyn Block {
        match self {
            Self::Sm10(unit) => unit,
            Self::Fermi(unit) => unit,
            Self::G13(unit) => unit,
        }
    }

    fn block_mut(&mut self) -> &mut dyn Block {
        match self {
            Self::Sm10(unit) => unit,
            Self::Fermi(unit) => unit,
            Self::G13(unit) => unit,
        }
    }
}

impl Logic for DivergenceUnit {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        Verilog::Empty
    }
}

impl Block for DivergenceUnit {
    fn connect_all(&mut self) {
        self.block_mut().connect_all();
    }
    fn update_all(&mut self) {
        self.block_mut().update_all();
    }
    fn has_changed(&self) -> bool {
        self.block().has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.block().accept(name, probe);
    }
}
