//! Operands of the lane, by the places that the sets give them.

use crate::config::Isa;
use crate::sm::control::encode::{atomic_code, memory, ControlWord, Launch, Want};
use crate::sm::control::g13::exchange;
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_contract::TrapCause;
use warpsmith_isa::uop::{Access, AtomicOp, Place, Space, Src, Type};

/// What an instruction reads and writes, in the places of the lane.
pub(in crate::sm::control::encode) struct Operands {
    pub isa: Isa,
    pub a: Option<Src>,
    /// Operand a is the second operand; of Fermi alone.
    pub from_b: bool,
    /// Operand a is the immediate of the instruction; of G13 alone.
    pub immediate: Option<u64>,
    pub b: Option<Src>,
    /// Bits of b that count where it is an immediate.
    pub b_bits: Option<u64>,
    pub c: Option<Src>,
    /// The fourth operand of [`CHOOSE`](crate::sm::control::uop::op::CHOOSE).
    pub d: Option<Src>,
    /// Length of the bit field whose place is operand b.
    pub field: Option<u64>,
    pub p: [Option<Src>; 3],
    pub q: [Option<Place>; 2],
    pub dst: Option<Place>,
    /// Type of what is written.
    pub written: Type,
    /// The result is rounded again, to half precision.
    pub rounded: bool,
    /// What is loaded or stored, the address, the data that is stored.
    pub access: Option<(Access, Vec<Src>, Option<Src>)>,
    /// What an atomic access makes of a word; the data are its last operand.
    pub atomic: Option<AtomicOp>,
    /// What a vote finds is operand b.
    pub vote: bool,
    /// Operand d of two passes; of G13 alone.
    pub exchange: u64,
    /// The uniform that is written.
    pub uniform: Option<Place>,
}

impl Operands {
    /// # Errors
    /// [`TrapCause::Register`]: a register that is written lies beyond those of the launch.
    pub fn fits(&self, launch: &Launch) -> Result<(), TrapCause> {
        let values = match &self.access {
            Some((a, _, None)) => a.values(),
            _ => 1,
        };
        let bytes = self.written.bytes() * values;
        let beyond =
            |index: u16, byte: u8| u32::from(index) + (u32::from(byte) + bytes).div_ceil(4) > launch.registers - 2;
        match self.dst {
            Some(Place::Register { index, byte }) if beyond(index, byte) => Err(TrapCause::Register),
            _ => Ok(()),
        }
    }

    /// What the instruction does to a memory, and to a word of it.
    pub fn accesses(&self, w: &mut ControlWord, space: Space, load: bool) {
        let Some(which) = self.atomic else {
            w.control.mem = memory(space, load);
            return;
        };
        w.control.atomic = Want::is(atomic_code(which));
        w.control.mem = Want::is(match self.dst {
            Some(Place::Register { .. }) => MemoryAccess::GlobalAtomic as u64,
            _ => MemoryAccess::GlobalReduction as u64,
        });
    }

    pub fn new(isa: Isa) -> Self {
        Self {
            isa,
            a: None,
            from_b: false,
            immediate: None,
            b: None,
            b_bits: None,
            c: None,
            d: None,
            field: None,
            p: [None; 3],
            q: [None; 2],
            dst: None,
            written: Type::U32,
            rounded: false,
            access: None,
            atomic: None,
            vote: false,
            exchange: exchange::NONE,
            uniform: None,
        }
    }
}

/// An operand that is 0.
pub(super) const NOTHING: Src = Src::immediate(0, Type::U16);

/// The number that a source is.
pub(super) fn number(s: &Src) -> u64 {
    match s.place {
        Place::Immediate(v) => v,
        other => panic!("{other:?} is no number"),
    }
}
