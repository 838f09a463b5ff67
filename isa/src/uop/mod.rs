//! Micro-operations: what an instruction of any set does, in terms of no set.
//!
//! An instruction lowers to one [`Uop`], or to several that an executor takes in order
//! ([`Lowered`]). A source is read as a number of its own type, its modifiers are exact, the operation is
//! exact, and the result is brought into the type of the micro-operation once: integers are truncated
//! or saturated, floats rounded by [`FloatMode`]. An executor or a decoder in hardware that knows no
//! instruction set can act on it; what remains of a set are the units of its registers, how it
//! diverges ([`Flow`]) and its launch.

mod cond;
mod flow;
mod memory;
mod op;
mod place;
mod ty;

pub use cond::Cond;
pub use flow::{ChannelFlow, Entry, Flow, MaskFlow, StackFlow};
pub use memory::{Access, AtomicOp, Format, Space};
pub use op::{BarrierOp, CrossOp, Op, Pick, Shuffle, Special};
pub use place::{Axis, Builtin, LaneMask, Place, Region, Src};
pub use ty::{FloatMode, Nan, Product, Round, Tiny, Type};

/// Why the model does not execute an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{0}")]
pub struct Unimplemented(pub &'static str);

/// One micro-operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Uop {
    /// Operation.
    pub op: Op,
    /// Type of the result.
    pub ty: Type,
    /// Rounding and denormals of a float result, and its NaN.
    pub mode: FloatMode,
    /// Integers are clamped to the range of [`Uop::ty`]; floats to 0..1, NaN and -0 become +0.
    pub saturate: bool,
    /// Destinations; [`Place::None`] where there is none. Only comparisons, predicate logic and votes have two.
    pub dst: [Place; 2],
    /// Sources in the order of the operation.
    pub src: Vec<Src>,
}

impl Uop {
    /// An operation with a result, to nearest even, denormals kept, no saturation.
    pub fn new(op: Op, ty: Type, dst: Place, src: Vec<Src>) -> Uop {
        Uop { op, ty, mode: FloatMode::default(), saturate: false, dst: [dst, Place::None], src }
    }

    /// An operation without a result.
    pub fn effect(op: Op, src: Vec<Src>) -> Uop {
        Uop::new(op, Type::U32, Place::None, src)
    }

    /// The same with another float mode.
    pub fn with_mode(self, mode: FloatMode) -> Uop {
        Uop { mode, ..self }
    }

    /// The same with or without saturation.
    pub fn saturating(self, saturate: bool) -> Uop {
        Uop { saturate, ..self }
    }
}

/// Lanes that execute an instruction, of those that are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// A predicate or a flag.
    pub place: Place,
    /// The lanes where it is 0.
    pub not: bool,
    /// How the bits of several lanes become the bit of one.
    pub pick: Pick,
}

/// Lanes that an instruction is about, before guard and activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// First lane: lane `first + i` has element i of a region.
    pub first: u8,
    /// Lanes, at most 32.
    pub count: u8,
    /// Bit n: lanes `first + i` with i mod 4 = n.
    pub components: u8,
    /// Inactive lanes take part, too.
    pub all: bool,
}

impl Default for Lanes {
    /// The active ones of all 32.
    fn default() -> Lanes {
        Lanes { first: 0, count: 32, components: 15, all: false }
    }
}

impl Lanes {
    /// The lanes as a mask.
    pub fn mask(self) -> u32 {
        let components = u64::from(self.components & 15) * 0x1111_1111;
        let count = (1u64 << self.count.min(32)) - 1;
        ((components & count) << self.first.min(32)) as u32
    }
}

/// An instruction as micro-operations. The guard is read once, before the first of them, and holds for
/// all; each sees what those before it wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// Lanes it is about.
    pub lanes: Lanes,
    /// Those of them that execute it; `None`: all.
    pub guard: Option<Guard>,
    /// The micro-operations; none: an instruction without effect.
    pub uops: Vec<Uop>,
}

impl Lowered {
    /// All active lanes execute it.
    pub fn new(uops: Vec<Uop>) -> Lowered {
        Lowered { lanes: Lanes::default(), guard: None, uops }
    }
}
