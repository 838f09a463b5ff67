//! The control word of an instruction from the micro-operations it lowers to.
//!
//! What an instruction means stands in `warpsmith_isa`; here it takes the form that the pipeline of the sets beside
//! SM 1.0 works with. The decoders of those sets are derived from it, and their tests hold them against it.

pub mod fermi;

use super::g13::SourceControl;
use super::uop::{AddressControl, PredicateControl, UopControl};
use super::{int_format, round, Control};
use warpsmith_isa::uop::{Round, Type};

/// What a field of a control word must be: of the bits of `value` those where `mask` has ones; the others are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want {
    /// The value.
    pub value: u64,
    /// Its bits that matter.
    pub mask: u64,
}

impl Want {
    /// Exactly a value.
    pub fn is(value: impl Into<u64>) -> Self {
        Self { value: value.into(), mask: !0 }
    }

    /// The low bits of a value, those of `mask`.
    pub fn low(value: u64, mask: u64) -> Self {
        Self { value: value & mask, mask }
    }
}

/// A control word: what each field must be. Fields that an instruction does not name are free.
#[derive(Clone)]
pub struct ControlWord {
    /// The word without the parts that follow.
    pub control: Control<Want>,
    /// The lane's part.
    pub alu: UopControl<Want>,
    /// Predicates.
    pub predicates: PredicateControl<Want>,
    /// Addresses.
    pub address: AddressControl<Want>,
    /// Operands of G13.
    pub sources: SourceControl<Want>,
    /// The register of the first operand is the machine's: 1 the last but one of a thread, 2 the last. No field of
    /// the word: `Control::r1` follows from it.
    pub machine_register: Want,
}

impl Default for ControlWord {
    fn default() -> Self {
        let free = |_: &'static str| Want::default();
        Self {
            control: Control::by_name(free),
            alu: UopControl::by_name(free),
            predicates: PredicateControl::by_name(free),
            address: AddressControl::by_name(free),
            sources: SourceControl::by_name(free),
            machine_register: Want::default(),
        }
    }
}

/// The fields of [`Control`] that are words of their own.
pub const PARTS: [&str; 4] = ["alu", "predicates", "address", "sources"];

impl ControlWord {
    /// Every field with its name, in a fixed order, the parts of the word in place of [`PARTS`].
    pub fn fields(&self) -> Vec<(&'static str, Want)> {
        let mut all = self.control.named();
        all.retain(|f| !PARTS.contains(&f.0));
        all.extend(self.alu.named());
        all.extend(self.predicates.named());
        all.extend(self.address.named());
        all.extend(self.sources.named());
        all.into_iter().map(|(name, want)| (name, *want)).collect()
    }
}

/// What micro-operations do not say of an instruction and its launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Bits of a pc.
    pub pc: usize,
    /// Registers a thread owns, the two of the machine among them.
    pub registers: u32,
}

/// Code of a rounding mode.
pub fn rounding(r: Round) -> u64 {
    match r {
        Round::Nearest => round::NEAREST,
        Round::Down => round::DOWN,
        Round::Up => round::UP,
        Round::Zero => round::ZERO,
    }
}

/// [`int_format`] of a type.
fn integer(ty: Type) -> u64 {
    int_format::code(ty.is_signed(), ty.bits() as usize)
}
