//! The register file of a chip: entries of every lane, or registers that the channels of a thread share.

use crate::alternatives;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{ChannelTag, LaneWrite, ReadRegions, RegisterOperands, RegisterWrite};
use crate::sm::pipeline::channel_registers::ChannelRegisters;
use crate::sm::pipeline::registers::Registers;

/// A register file.
pub enum FrontRegisters {
    /// An entry of every lane for each beat of a register.
    Lanes(Box<Registers>),
    /// Registers of 8 dwords, read by regions: Ivy Bridge's.
    Channels(Box<ChannelRegisters>),
}

alternatives!(FrontRegisters: Lanes, Channels);

/// The ports of a register file; see [`Registers`].
pub struct RegisterPorts<'a> {
    /// What the lanes write.
    pub alu: &'a LaneWrite<Sink>,
    /// What loads and special functions write.
    pub deferred: &'a RegisterWrite<Sink>,
    /// Registers of a starting warp.
    pub init: &'a RegisterWrite<Sink>,
    /// What was read.
    pub operands: &'a RegisterOperands<Source>,
}

impl FrontRegisters {
    /// The register file of a configuration.
    pub fn new(cfg: &GpuConfig) -> Self {
        match Dims::of(cfg).has.channels {
            true => Self::Channels(Box::new(ChannelRegisters::new(cfg))),
            false => Self::Lanes(Box::new(Registers::new(cfg))),
        }
    }

    /// Its ports.
    pub fn ports(&self) -> RegisterPorts<'_> {
        match self {
            Self::Lanes(file) => {
                RegisterPorts { alu: &file.alu, deferred: &file.deferred, init: &file.init, operands: &file.operands }
            }
            Self::Channels(file) => {
                RegisterPorts { alu: &file.alu, deferred: &file.deferred, init: &file.init, operands: &file.operands }
            }
        }
    }

    /// Halves of registers that come later, of G13.
    pub fn late_halves(&self) -> Option<&Input> {
        match self {
            Self::Lanes(file) => file.late_halves.get(),
            Self::Channels(_) => None,
        }
    }

    /// What stage I reads, when `read`: entries, and regions of registers.
    pub fn read(&self, read: &Expr, entry: &[Input], regions: Option<&ReadRegions<Sink>>) {
        match (self, regions) {
            (Self::Channels(file), Some(regions)) => {
                set(&file.read, read);
                let all = [&file.at, &file.region, &file.sub].into_iter().flatten();
                let from = [entry, &regions.region, &regions.sub].into_iter().flatten();
                all.zip(from).for_each(|(to, from)| set(to, get(from)));
                file.kept.iter().zip(&regions.kept).for_each(|(to, from)| set(to, get(from)));
                set(&file.kept_at, get(&regions.kept_at));
                set(&file.second, get(&regions.second));
                set(&file.beat, get(&regions.beat));
            }
            (Self::Lanes(file), _) => {
                set(&file.read, read);
                file.entry.iter().zip(entry).for_each(|(to, from)| set(to, get(from)));
            }
            (Self::Channels(_), None) => unreachable!("a chip of Ivy Bridge reads regions"),
        }
    }

    /// Where a result of Ivy Bridge goes: to one channel's dword, or to what the beat `at` keeps.
    pub fn of_channels(&self, tag: Option<&ChannelTag>, at: &Expr) {
        if let (Self::Channels(file), Some(tag)) = (self, tag) {
            set(&file.alu_scalar, &tag.scalar);
            set(&file.alu_to, &tag.to);
            set(&file.alu_keeps, &tag.keeps);
            set(&file.alu_kept_at, at);
        }
    }

    /// What later results are kept as, of Ivy Bridge.
    pub fn later(&self, keeps: &Expr, at: &Expr) {
        if let Self::Channels(file) = self {
            set(&file.late_keeps, keeps);
            set(&file.late_kept_at, at);
        }
    }
}
