//! What a chip's instructions depend on beside registers: flags of SM 1.0, predicates of Fermi, flags of channels of
//! Ivy Bridge; G13 has none.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::rtl::prelude::*;
use crate::sm::control::Control;
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{ConditionWrite, Issue};
use crate::sm::pipeline::channel_flags::{self, ChannelFlags};
use crate::sm::pipeline::flags::{self, Flags};
use crate::sm::pipeline::predicates::{self, Predicates};

/// Flags, predicates or flags of channels.
pub enum FrontConditions {
    /// SM 1.0's.
    Flags(Box<Flags>),
    /// Fermi's.
    Predicates(Box<Predicates>),
    /// Ivy Bridge's.
    Channels(Box<ChannelFlags>),
}

alternatives!(FrontConditions: Flags, Predicates, Channels);

/// What a beat reads.
pub struct Conditions {
    /// Lanes that pass the guard.
    pub guard: Expr,
    /// Four flags, three predicates and 0, or one and three 0, of each lane.
    pub row: Expr,
}

/// The ports through which W writes.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    match d.isa {
        Isa::Fermi => predicates::written_to(d),
        Isa::Ivb => channel_flags::written_to(d),
        _ => flags::written_to(d),
    }
}

impl FrontConditions {
    /// Those of a configuration that has some.
    pub fn new(cfg: &GpuConfig) -> Self {
        match cfg.isa {
            Isa::Fermi => Self::Predicates(Box::new(Predicates::new(cfg))),
            Isa::Ivb => Self::Channels(Box::new(ChannelFlags::new(cfg))),
            _ => Self::Flags(Box::new(Flags::new(cfg))),
        }
    }

    /// What beat `beat` of an instruction reads, the `first` or not.
    pub fn read(&self, issue: &Issue, c: &Control, beat: &Expr, first: &Expr) -> Conditions {
        match self {
            Self::Flags(flags) => {
                set(&flags.register, cat([&issue.warp, &c.cc]));
                set(&flags.beat, beat);
                set(&flags.condition, &c.pred);
                Conditions { guard: get(&flags.guard), row: get(&flags.flags) }
            }
            Self::Predicates(p) => {
                set(&p.warp, &issue.warp);
                set(&p.beat, beat);
                set(&p.first, first);
                set(&p.control, &c.predicates);
                set(&p.active, &issue.mask);
                Conditions { guard: get(&p.guard), row: get(&p.operands) }
            }
            Self::Channels(flags) => {
                let (picked, chooses) = flags.pick(&issue.warp, c, beat);
                let lanes: Vec<Expr> = picked.each_bit().iter().map(|bit| bit.zext(4)).collect();
                Conditions { guard: picked | chooses.repeat(lanes.len()), row: pack(lanes.iter()) }
            }
        }
    }

    /// Threads of a vote where it is true, and whether the instruction is one; of Fermi.
    pub fn vote(&self) -> Option<[&Output; 2]> {
        match self {
            Self::Predicates(p) => Some([&p.vote, &p.votes]),
            Self::Flags(_) | Self::Channels(_) => None,
        }
    }

    /// Where W writes.
    pub fn write(&self) -> &ConditionWrite<Sink> {
        match self {
            Self::Flags(flags) => &flags.write,
            Self::Predicates(p) => &p.write,
            Self::Channels(flags) => &flags.write,
        }
    }
}
