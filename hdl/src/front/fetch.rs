//! The fetch unit of a chip: that of its instruction set, all with the same ports.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::rtl::prelude::*;
use crate::sm::pipeline::bundles::{FetchRequest, Line, WarpEvent};
use crate::sm::pipeline::channel_fetch::ChannelFetch;
use crate::sm::pipeline::fetch::Fetch;
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

/// The ports of a fetch unit; see [`Fetch`].
pub struct FetchPorts<'a> {
    /// Bytes of the program.
    pub program_bytes: &'a Input,
    /// A warp asks for a line.
    pub fetch: &'a FetchRequest<Sink>,
    /// The line is being written.
    pub fill: &'a WarpEvent<Source>,
    /// Whose line is read.
    pub sel_warp: &'a Input,
    /// That line.
    pub sel: &'a Line<Source>,
    /// The host writes a word of the program.
    pub prog_we: &'a Input,
    /// Number of the word.
    pub prog_address: &'a Input,
    /// The word, 32 bits.
    pub prog_data: &'a Input,
}

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
    pub fn ports(&self) -> FetchPorts<'_> {
        macro_rules! ports {
            ($unit:expr) => {
                FetchPorts {
                    program_bytes: &$unit.program_bytes,
                    fetch: &$unit.fetch,
                    fill: &$unit.fill,
                    sel_warp: &$unit.sel_warp,
                    sel: &$unit.sel,
                    prog_we: &$unit.prog_we,
                    prog_address: &$unit.prog_address,
                    prog_data: &$unit.prog_data,
                }
            };
        }
        match self {
            Self::Lines(unit) => ports!(unit),
            Self::G13(unit) => ports!(unit),
            Self::Ivb(unit) => ports!(unit),
        }
    }
}
