//! What a chip's instructions depend on beside registers: flags of SM 1.0, predicates of Fermi, flags of channels of
//! Ivy Bridge; G13 has none.

use crate::alternatives;
use crate::config::{GpuConfig, Isa};
use crate::rtl::prelude::*;
use crate::sm::control::Control;
use crate::sm::dims::Dims;
use crate::sm::pipeline::bundles::{BeatTag, ConditionWrite, Issue};
use crate::sm::pipeline::channel_flags::{self, ChannelFlags};
use crate::sm::pipeline::flags::{self, Flags, LateFlags};
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

/// What a beat in W has found, four bits a lane: `found` by the lanes, or made of their results `ys`.
pub fn found(d: &Dims, tag: &BeatTag, ys: &[Expr], found: &[Expr]) -> Expr {
    let of_lane = |(l, (y, found)): (usize, (&Expr, &Expr))| match (d.isa, tag.channels(d, "found")) {
        (_, Some(c)) => channel_flags::condition(&c.condition, &c.is_float, &c.is_signed, &tag.dst_half, y).zext(4),
        (Isa::Sm10, _) => {
            let found = tag.flags_from_y.mux(&y.bits(0, 4), found);
            match d.has.locks {
                true => tag.locks.mux(&flags::truth(&tag.locked.bit(l)), &found),
                false => found,
            }
        }
        _ => found.zext(4),
    };
    let lanes: Vec<Expr> = ys.iter().zip(found).enumerate().map(of_lane).collect();
    wire("flags_written", pack(lanes.iter()))
}

/// Writes what a beat in W has found, `by_lanes` and as [`found`] says, or what a starting warp begins with: whether there
/// is one, and which; `late`: flags that come later. Returns whether it has to wait.
pub fn write(
    to: &ConditionWrite<Source>, starting: (&Expr, Option<Expr>), d: &Dims, beat: (&Expr, &BeatTag),
    (found, by_lanes): (&Expr, &[Expr]), late: Option<&LateFlags>,
) -> Option<Expr> {
    let bits = |n: usize, of: &[Expr]| pack(of.iter().map(|found| found.bit(n)).collect::<Vec<_>>().iter());
    match (d.isa, starting) {
        (_, (starts, Some(warp))) => {
            let [q1, q2] = [0, 1].map(|n| wire(&format!("q{}_written", n + 1), bits(n, by_lanes)));
            return Some(predicates::write(d, to, beat, (&q1, &q2), (starts, &warp)));
        }
        (Isa::Ivb, _) => channel_flags::write(d, to, beat, &bits(0, &found.each_word(4))),
        _ => flags::write(d, to, beat, found, late),
    }
    None
}

/// The register that the trace port shows beside a beat's results: an address register, a predicate or a flag.
pub fn traced<'a>(d: &Dims, tag: &'a BeatTag) -> &'a Expr {
    match d.isa {
        Isa::Fermi => &tag.q1,
        Isa::Ivb => &tag.cdst,
        _ => &tag.areg,
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

    /// The beat in I comes, if `advance`: what is read a stage ahead is read.
    pub fn take(&self, d: &Dims, (issue, beat): (&Expr, &Expr), advance: &Expr) {
        let Self::Flags(flags) = self else { return };
        if let Some(to) = flags.advance.get() {
            let issue = Issue::unpack(d, "next", issue);
            let control = Control::unpack(d, "nextc", &issue.control);
            flags.of(&issue, &control, beat);
            set(to, advance);
        }
    }

    /// What beat `beat` of an instruction reads, the `first` or not.
    pub fn read(&self, issue: &Issue, c: &Control, beat: &Expr, first: &Expr) -> Conditions {
        match self {
            Self::Flags(flags) => {
                if flags.advance.get().is_none() {
                    flags.of(issue, c, beat);
                }
                set(&flags.condition, &c.pred);
                if let (Some(to), Some(vote), Some(active)) = (flags.first.get(), flags.vote.get(), flags.active.get())
                {
                    set(to, first);
                    set(vote, &c.ballot);
                    set(active, &issue.mask);
                }
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
