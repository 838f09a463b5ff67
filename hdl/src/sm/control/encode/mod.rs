//! The control word of an instruction from the micro-operations it lowers to.
//!
//! What an instruction means stands in `warpsmith_isa`; here it takes the form that the pipeline of the sets beside
//! SM 1.0 works with. The decoders of those sets are derived from it, and their tests hold them against it.

pub mod fermi;
pub mod g13;
pub mod ivb;
mod operation;

use super::double::DoubleControl;
use super::g13::SourceControl;
use super::ivb::ChannelControl;
use super::uop::{AddressControl, PredicateControl, UopControl};
use super::{flow, int_format, lanes, round, source1, Control, BAR_COUNT};
use crate::config::WARP;
use crate::sm::mem::operation::atomic;
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_contract::TrapCause;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{AtomicOp, Axis, BarrierOp, Builtin, LaneMask, Lowered, Round, Space, Type};
use warpsmith_isa::Options;

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

    /// The same with bit `n` named, too.
    pub fn with_bit(self, n: u32, bit: bool) -> Self {
        Self { value: self.value & !(1 << n) | u64::from(bit) << n, mask: self.mask | 1 << n }
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
    /// Floats of 64 bits.
    pub double: DoubleControl<Want>,
    /// Channels of Ivy Bridge.
    pub channels: ChannelControl<Want>,
    /// No fields of the word, from here on: others follow from them.
    /// The register of the first operand is the machine's: 1 the last but one of a thread, 2 the last.
    pub machine_register: Want,
    /// Operands of G13.
    pub operands: [Operand; 4],
}

/// An operand of G13 as its instruction has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operand {
    /// Low 8 bits of the number: of a lane register or a uniform, counted in halves, or the number that it is.
    pub number: Want,
    /// Bit 8 of the number of a uniform.
    pub page: Want,
    /// It is a lane register.
    pub register: Want,
    /// It is the number 0, whatever the instruction names.
    pub zero: Want,
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
            double: DoubleControl::by_name(free),
            channels: ChannelControl::by_name(free),
            machine_register: Want::default(),
            operands: [Operand::default(); 4],
        }
    }
}

/// The fields of [`Control`] that are words of their own.
pub const PARTS: [&str; 6] = ["alu", "predicates", "address", "sources", "double", "channels"];

/// Names and widths in bits of [`ControlWord::beside`].
pub const BESIDE: [(&str, usize); 17] = [
    ("machine_register", 2),
    ("number_1", 8),
    ("page_1", 1),
    ("register_1", 1),
    ("zero_1", 1),
    ("number_2", 8),
    ("page_2", 1),
    ("register_2", 1),
    ("zero_2", 1),
    ("number_3", 8),
    ("page_3", 1),
    ("register_3", 1),
    ("zero_3", 1),
    ("number_4", 8),
    ("page_4", 1),
    ("register_4", 1),
    ("zero_4", 1),
];

impl ControlWord {
    /// Every field with its name, in a fixed order, the parts of the word in place of [`PARTS`].
    pub fn fields(&self) -> Vec<(&'static str, Want)> {
        let mut all = self.control.named();
        all.retain(|f| !PARTS.contains(&f.0));
        all.extend(self.alu.named());
        all.extend(self.predicates.named());
        all.extend(self.address.named());
        all.extend(self.sources.named());
        all.extend(self.double.named());
        all.into_iter().map(|(name, want)| (name, *want)).collect()
    }

    /// What is no field of the word, in the order of [`BESIDE`].
    pub fn beside(&self) -> Vec<Want> {
        let of_operand = |o: &Operand| [o.number, o.page, o.register, o.zero];
        [self.machine_register].into_iter().chain(self.operands.iter().flat_map(of_operand)).collect()
    }

    /// Operand a is a halfword of the block's header, at this byte.
    fn header(&mut self, byte: u64) {
        let c = &mut self.control;
        (c.s1_kind, c.s1_size, c.imm) = (Want::is(source1::SHARED), Want::is(1u64), Want::is(byte));
        self.address.header = Want::is(1u64);
    }

    /// Operand a is one of [`lanes`].
    fn lanes(&mut self, which: u64) {
        (self.control.s1_kind, self.alu.table) = (Want::is(source1::LANE), Want::is(which));
    }
}

/// What micro-operations do not say of an instruction and its launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Bits of a pc.
    pub pc: usize,
    /// Registers a thread owns, the two of the machine among them.
    pub registers: u32,
    /// What the chip has on top of the plain ones of its set.
    pub options: Options,
}

impl Launch {
    /// Number of a register of the machine: 1 the last but one of a thread, 2 the last.
    fn machine_register(&self, which: u64) -> u64 {
        (u64::from(self.registers) + which).wrapping_sub(3) & 127
    }

    /// A branch target. The first address beyond the largest program stands for all of them.
    fn target(&self, target: u32) -> Want {
        Want::is(u64::from(target).min(1 << (self.pc - 1)))
    }
}

/// The instruction at the start of `code`, byte address `pc`, and what it lowers to.
///
/// # Errors
/// The cause of a trap: no instruction, what the chip lacks.
fn executed(set: &dyn InstructionSet, code: &[u8], pc: u32, options: Options) -> Result<(Instr, Lowered), TrapCause> {
    let instr = set.decode(code).map_err(|_| TrapCause::Illegal)?;
    let lowered = set.lower(&instr, pc.into()).map_err(|_| TrapCause::Unimplemented)?;
    match set.lacks(&instr, &lowered, options) {
        None => Ok((instr, lowered)),
        Some(_) => Err(TrapCause::Unimplemented),
    }
}

/// A word that only goes on to the next instruction: what only SM 1.0 has at rest, no trap, no control flow.
fn plain() -> ControlWord {
    let mut w = ControlWord::default();
    let c = &mut w.control;
    (c.pred, c.quad, c.long) = (Want::is(15u64), Want::is(15u64), Want::is(1u64));
    c.flow = Want::is(flow::NONE);
    for field in [
        &mut c.areg, &mut c.areg_use, &mut c.post_inc, &mut c.flags_from_y, &mut c.breakpoint, &mut c.use_cc,
        &mut c.use_areg, &mut c.trap, &mut c.bar, &mut c.bar_arrive, &mut c.bar_wait,
    ] {
        *field = Want::is(0u64);
    }
    w
}

/// Code of a memory access. What a load of shared or constant memory reads is an operand.
fn memory(space: Space, load: bool) -> Want {
    let access = match (space, load) {
        (Space::Global, true) => MemoryAccess::GlobalLoad,
        (Space::Global, false) => MemoryAccess::GlobalStore,
        (Space::Local, true) => MemoryAccess::LocalLoad,
        (Space::Local, false) => MemoryAccess::LocalStore,
        (Space::Shared, false) => MemoryAccess::SharedStore,
        _ => MemoryAccess::None,
    };
    Want::is(access as u64)
}

/// Code of what an atomic access makes of a word.
fn atomic_code(which: AtomicOp) -> u64 {
    match which {
        AtomicOp::Add => atomic::ADD,
        AtomicOp::Sub => atomic::SUB,
        AtomicOp::Min => atomic::MIN,
        AtomicOp::Max => atomic::MAX,
        AtomicOp::And => atomic::AND,
        AtomicOp::Or => atomic::OR,
        AtomicOp::Xor => atomic::XOR,
        AtomicOp::IncrementWrap => atomic::INC,
        AtomicOp::DecrementWrap => atomic::DEC,
        AtomicOp::Exchange => atomic::EXCH,
        AtomicOp::CompareExchange => atomic::CAS,
        other => panic!("the unit for atomic accesses has no {other:?}"),
    }
}

/// The instruction accesses no memory.
fn no_access(w: &mut ControlWord) {
    (w.control.mem, w.control.passes) = (Want::is(MemoryAccess::None as u64), Want::is(0u64));
}

fn barrier(w: &mut ControlWord, b: BarrierOp) {
    let c = &mut w.control;
    (c.bar, c.bar_id, c.bar_arrive, c.bar_wait) = (Want::is(1u64), Want::is(b.id), Want::is(1u64), Want::is(b.wait));
    // The most that can be said is more than any block has.
    let warps = u64::from(b.threads).div_ceil(WARP as u64);
    c.imm = Want::is(warps.min((1 << BAR_COUNT) - 1));
}

/// Where a number is that the machine knows.
enum Known {
    /// A half of the machine's two registers of a thread, counted from the last but one's low one.
    Machine(u64),
    /// A halfword of the block's header: its byte.
    Header(u64),
    /// One of [`lanes`].
    Lanes(u64),
}

/// Where a number is; `None`: a set has its own place for it, or none.
fn known(b: Builtin) -> Option<Known> {
    let axis = |a: Axis| match a {
        Axis::X => 0,
        Axis::Y => 1,
        Axis::Z => 2,
    };
    Some(match b {
        Builtin::Thread(a) => Known::Machine(axis(a)),
        Builtin::BlockSize(a) => Known::Header(2 + 2 * axis(a)),
        Builtin::GridSize(a @ (Axis::X | Axis::Y)) => Known::Header(8 + 2 * axis(a)),
        Builtin::Block(a @ (Axis::X | Axis::Y)) => Known::Header(12 + 2 * axis(a)),
        Builtin::Lane => Known::Lanes(lanes::NUMBER),
        Builtin::Mask(LaneMask::Equal) => Known::Lanes(lanes::EQUAL),
        Builtin::Mask(LaneMask::Less) => Known::Lanes(lanes::LESS),
        Builtin::Mask(LaneMask::LessEqual) => Known::Lanes(lanes::LESS_EQUAL),
        Builtin::Mask(LaneMask::Greater) => Known::Lanes(lanes::GREATER),
        Builtin::Mask(LaneMask::GreaterEqual) => Known::Lanes(lanes::GREATER_EQUAL),
        _ => return None,
    })
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
