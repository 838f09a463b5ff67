//! What an instruction did as a retire record, for comparison with a chip's.

use super::program::Slot;
use super::warp::{Moved, Step, Write};
use crate::record::{AccessKind, BarrierEvent, MemAccess, PredicateWrites, Retired, RetiredDst, Spread};
use crate::trap;
use warpsmith_isa::ivb::lower::file;
use warpsmith_isa::uop::{Lanes, Place, Region, Space, Type};
use warpsmith_isa::MemSize;

/// Fills `record` with everything but block, warp and what comes next.
pub(super) fn describe(slot: &Slot, step: &Step, record: &mut Retired) {
    record.pc = step.pc;
    record.word = words(step);
    record.long = step.code.len() > 4;
    record.active_mask = step.here;
    record.exec_mask = step.executing;
    record.write_mask = step.executing;
    record.post_increment = None;
    record.flags = None;
    let writes = step.writes.as_deref().unwrap_or_default();
    record.spread = Spread::OWN;
    record.dst = registers(slot.lowered.lanes, writes, record);
    record.predicates = Some(predicates(slot, writes));
    record.mem = memory(&step.moved, record);
    (record.next_pc, record.next_mask, record.stack_depth) = (0, 0, 0);
    record.finished = step.finished;
    record.barrier = step.barrier.map(|b| BarrierEvent { id: b.id, arrive: !b.wait, wait: b.wait });
    record.undefined = None;
}

/// The first 8 bytes of the instruction, 0 behind its end.
fn words(step: &Step) -> [u32; 2] {
    let bits = step.code.bits() as u64;
    [bits as u32, (bits >> 32) as u32]
}

/// Dwords of a register that lanes share.
const DWORDS: u8 = 8;

/// Whether a place is a register: a lane's own, or general ones that lanes share.
pub(super) fn is_register(place: &Place) -> bool {
    start(place).is_some()
}

/// Register and byte in it where a place begins, and whether lanes share it.
fn start(place: &Place) -> Option<(u8, u8, bool)> {
    match *place {
        Place::Register { index, byte } => Some((index as u8 + byte / 4, byte % 4, false)),
        Place::Region(Region { file: file::GENERAL, byte, indirect: None, .. }) => {
            let bytes = i16::from(4 * DWORDS);
            Some((byte.div_euclid(bytes) as u8, byte.rem_euclid(bytes) as u8, true))
        }
        _ => None,
    }
}

/// The registers that were written, their values by words.
fn registers(lanes: Lanes, writes: &[Write], record: &mut Retired) -> RetiredDst {
    let mut dst = RetiredDst::None;
    let mut words = 0;
    for w in writes {
        let Some((first, byte, shared)) = start(&w.place) else { continue };
        if words == 0 {
            record.write_mask = w.lanes;
            dst = match w.ty.bits() {
                16 => RetiredDst::Half { reg: first, high: byte & 2 != 0, count: 1 },
                _ => RetiredDst::Gpr { first, count: 1 },
            };
            if shared {
                let step = lanes.count.div_ceil(DWORDS);
                record.spread = Spread { first: lanes.first, dword: byte / 4, step };
            }
        }
        for word in 0..w.ty.bytes().div_ceil(4) {
            if let Some(values) = record.values.get_mut(words) {
                *values = w.values.map(|v| (v >> (32 * word)) as u32);
                words += 1;
            }
        }
    }
    if let RetiredDst::Gpr { count, .. } | RetiredDst::Half { count, .. } = &mut dst {
        *count = words as u8;
    }
    dst
}

/// The predicates that were written: number and value of both results.
fn predicates(slot: &Slot, writes: &[Write]) -> PredicateWrites {
    let mut found = PredicateWrites::default();
    let bits = |w: &Write| (0..32).fold(0, |m, l| m | (w.values[l] as u32 & 1) << l);
    for w in writes {
        if let Place::Flag(..) = w.place {
            (found.number[0], found.value[0]) = (number(&w.place), bits(w));
        }
    }
    let mut written = writes.iter().filter_map(|w| match w.place {
        Place::Predicate(p) => Some((p, w)),
        _ => None,
    });
    for uop in &slot.lowered.uops {
        for (n, place) in uop.dst.iter().enumerate() {
            if !matches!(place, Place::Predicate(_)) {
                continue;
            }
            let Some((p, w)) = written.next() else { continue };
            // A vote has one, behind its mask.
            let q = if uop.ty == Type::Bool { n } else { 0 };
            found.number[q] = Some(p);
            found.value[q] = bits(w);
        }
    }
    found
}

/// The number of a predicate, or of a flag: two of a flag register.
fn number(place: &Place) -> Option<u8> {
    match *place {
        Place::Predicate(p) => Some(p),
        Place::Flag(register, sub) => Some(2 * (register & 1) + (sub & 1)),
        _ => None,
    }
}

/// Which of the two results a written predicate was, of those not `taken` by earlier writes (both may go to one
/// predicate); 0 where none was.
pub(super) fn result_of(place: &Place, record: &Retired, taken: &mut [bool; 2]) -> usize {
    let number = record.predicates.map_or([None; 2], |p| p.number);
    let own = self::number(place);
    let is = |q: &usize| !taken[*q] && own.is_some() && number[*q] == own;
    let q = (0..2).find(is).unwrap_or(0);
    taken[q] = true;
    q
}

/// An access of the trace port, of several parts that follow each other in memory one access. What is loaded
/// from shared memory and constants is an operand.
fn memory(parts: &[Moved], record: &mut Retired) -> Option<MemAccess> {
    let moved = parts.first()?;
    let space = match moved.access.space {
        Space::Global => trap::Space::Global,
        Space::Local => trap::Space::Local,
        Space::Shared if moved.kind == AccessKind::Store => trap::Space::Shared,
        _ => return None,
    };
    let size = match (moved.access.element.bytes(), moved.access.element.is_signed()) {
        (1, true) => MemSize::S8,
        (1, false) => MemSize::U8,
        (2, true) => MemSize::S16,
        (2, false) => MemSize::U16,
        _ => MemSize::B32,
    };
    record.address = moved.addresses.map(|a| a as u32);
    for (to, from) in record.data.iter_mut().zip(parts.iter().flat_map(|m| &m.data)) {
        *to = from.map(|v| v as u32);
    }
    let kind = moved.kind;
    let elements = parts.iter().map(|m| m.access.values() as u8).sum();
    let mask = match parts {
        [one] if one.access.format.packed().is_some() => Some(0),
        [one] => Some(one.access.elements),
        _ => None,
    };
    Some(MemAccess { space, kind, size, elements, mask })
}
