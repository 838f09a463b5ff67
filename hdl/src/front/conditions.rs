//! What a chip's instructions depend on beside registers: flags of SM 1.0, predicates of Fermi; G13 has neither.

use crate::alternatives;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::Control;
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{ConditionWrite, Issue};
use crate::sm::pipeline::flags::{self, Flags};
use crate::sm::pipeline::predicates::{self, Predicates};

/// Flags or predicates.
pub enum FrontConditions {
    /// SM 1.0's.
    Flags(Box<Flags>),
    /// Fermi's.
    Predicates(Box<Predicates>),
}

alternatives!(FrontConditions: Flags, Predicates);

/// What a beat reads.
pub struct Conditions {
    /// Lanes that pass the guard.
    pub guard: Expr,
    /// Four flags, or three predicates and 0, of each lane.
    pub row: Expr,
}

/// The ports through which W writes.
pub fn written_to<S: Side>(d: &Dims) -> ConditionWrite<S> {
    match d.has_predicates() {
        true => predicates::written_to(d),
        false => flags::written_to(d),
    }
}

impl FrontConditions {
    /// Those of a configuration that has some.
    pub fn new(cfg: &GpuConfig) -> Self {
        match Dims::of(cfg).has_predicates() {
            true => Self::Predicates(Box::new(Predicates::new(cfg))),
            false => Self::Flags(Box::new(Flags::new(cfg))),
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
        }
    }

    /// Threads of a vote where it is true, and whether the instruction is one; of Fermi.
    pub fn vote(&self) -> Option<[&Output; 2]> {
        match self {
            Self::Predicates(p) => Some([&p.vote, &p.votes]),
            Self::Flags(_) => None,
        }
    }

    /// Where W writes.
    pub fn write(&self) -> &ConditionWrite<Sink> {
        match self {
            Self::Flags(flags) => &flags.write,
            Self::Predicates(p) => &p.write,
        }
    }
}
