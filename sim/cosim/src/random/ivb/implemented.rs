//! Opcodes that random programs draw from.

use std::ops::RangeInclusive;
use warpsmith_isa::ivb::chip::EXECUTED;
use warpsmith_isa::ivb::lower::file;
use warpsmith_isa::ivb::table::{Format, Op};
use warpsmith_isa::ivb::Ivb;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{self, Lanes, Lowered, Place, Type};
use warpsmith_isa::Options;

/// Functions of `math` that chips have, and whether each has two sources.
pub const FUNCTIONS: [(&str, bool); 9] = [
    ("inv", false),
    ("log", false),
    ("exp", false),
    ("sqrt", false),
    ("rsq", false),
    ("sin", false),
    ("cos", false),
    ("fdiv", true),
    ("pow", true),
];

/// An opcode of chips for straight-line code.
pub fn is_straight(op: &Op) -> bool {
    let computes = matches!(op.format, Format::One | Format::Two | Format::Three | Format::Math) || op.name == "nop";
    EXECUTED.contains(&op.name) && computes
}

/// What an instruction lowers to where chips execute it.
pub fn lowered(instr: &Instr) -> Option<Lowered> {
    let lowered = Ivb.lower(instr, 0).ok()?;
    let lacks = Ivb.lacks(instr, &lowered, Options::default());
    (lacks.is_none() && lowered.uops.iter().all(|u| u.dst.iter().all(is_of_chips))).then_some(lowered)
}

/// A destination that chips have.
fn is_of_chips(place: &Place) -> bool {
    match place {
        Place::Region(r) => r.file == file::GENERAL && r.indirect.is_none(),
        Place::None | Place::Temporary(_) | Place::Flag(..) => true,
        _ => false,
    }
}

/// Whether an instruction that programs may have stands anywhere in straight-line code.
pub fn is_plain(lowered: &Lowered) -> bool {
    let apart = |op: uop::Op| {
        use uop::Op;
        matches!(op, Op::Load(_) | Op::Store(_) | Op::Flow(_) | Op::Barrier(_) | Op::Trap)
    };
    !lowered.uops.iter().any(|u| apart(u.op))
}

/// General registers that an instruction writes, and those that it reads.
pub fn registers(lowered: &Lowered) -> [Vec<u64>; 2] {
    let of = |place: &Place, ty: Type| touched(place, ty, lowered.lanes).into_iter().flatten();
    let uops = || lowered.uops.iter();
    let written = uops().flat_map(|u| u.dst.iter().flat_map(|p| of(p, u.ty)));
    let read = uops().flat_map(|u| u.src.iter().flat_map(|s| of(&s.place, s.ty)));
    [written.collect(), read.collect()]
}

/// General registers in which the channels of an instruction have a value.
fn touched(place: &Place, ty: Type, lanes: Lanes) -> Option<RangeInclusive<u64>> {
    let Place::Region(r) = *place else { return None };
    if r.file != file::GENERAL {
        return None;
    }
    let width = u32::from(r.width.max(1));
    let at = |i: u32| i / width * u32::from(r.vertical) + i % width * u32::from(r.horizontal);
    let last = (0..u32::from(lanes.count)).map(at).max().unwrap_or(0);
    let (first, size) = (r.byte as u32, ty.bytes());
    Some(u64::from(first / 32)..=u64::from((first + last + size - 1) / 32))
}
