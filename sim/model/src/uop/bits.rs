//! Undefined bits of a warp: registers of the same shape, with a bit for each of the warp's.

use super::cross::Gathered;
use super::registers::{each, Registers, TEMPORARIES};
use crate::undefined::{MemoryBits, Origin};
use std::collections::HashMap;
use warpsmith_isa::uop::{Builtin, Lanes, Pick, Place, Src, Type, Uop};

/// Undefined bits of a warp.
#[derive(Clone, Debug)]
pub(super) struct Bits<R> {
    pub(super) registers: R,
    pub(super) temporaries: [[u64; 32]; TEMPORARIES],
    pub(super) local: Vec<MemoryBits>,
    /// Registers of 32 bits, predicates and temporaries that have undefined bits in some lane.
    pub(super) words: u128,
    pub(super) predicates: u8,
    pub(super) kept: u16,
    /// Lanes whose guard is undefined, of the instruction that is executed.
    pub guard: u32,
    /// Where undefined bits come from, of places that the program has written.
    pub(super) origins: HashMap<Place, Origin>,
}

/// Undefined bits of sources or results, by lane, and where they come from.
pub(super) type Marked = (Gathered, Origin);

/// The register that a place belongs to.
pub(super) fn whole(place: &Place) -> Place {
    match *place {
        Place::Register { index, byte } => Place::register(index + u16::from(byte / 4)),
        Place::Flag(register, _) | Place::Picked(register, ..) => Place::Flag(register, 0),
        Place::Region(mut r) => {
            let byte = r.byte / 32 * 32;
            (r.vertical, r.width, r.horizontal, r.indirect) = (0, 1, 0, None);
            Place::Region(warpsmith_isa::uop::Region { byte, ..r })
        }
        Place::Accumulator(_) | Place::ImpliedAccumulator(_) => Place::Accumulator(0),
        other => other,
    }
}

/// A place as where undefined bits come from.
pub(super) fn own(place: &Place, ty: Type) -> Origin {
    match *place {
        Place::Register { index, byte } => {
            let half = (ty.bits() == 16).then_some(byte & 3);
            Origin::Register(index + u16::from(byte / 4), half)
        }
        Place::Predicate(p) => Origin::Predicate(p),
        Place::Flag(f, _) | Place::Picked(f, ..) => Origin::Flags(f),
        Place::Accumulator(_) | Place::ImpliedAccumulator(_) => Origin::Accumulator,
        Place::Region(r) => match r.file {
            0 => Origin::Register((r.byte / 32) as u16, None),
            1 => Origin::Address(0),
            2 => Origin::Flags((r.byte / 4) as u8),
            _ => Origin::Unknown,
        },
        _ => Origin::Unknown,
    }
}

impl<R: Registers> Bits<R> {
    pub(super) fn new(registers: R, local_bytes: usize, lanes: u32) -> Self {
        let local = |l: usize| {
            let mut bits = MemoryBits::new(local_bytes);
            // A lane without a thread has nothing that is undefined.
            bits.define(if lanes >> l & 1 == 1 { 0 } else { local_bytes });
            bits
        };
        Bits {
            registers,
            temporaries: [[0; 32]; TEMPORARIES],
            local: (0..32).map(local).collect(),
            words: u128::MAX,
            predicates: 0x7f,
            kept: 0,
            guard: 0,
            origins: HashMap::new(),
        }
    }

    /// The next instruction is about these lanes.
    pub fn begin(&mut self, lanes: Lanes) {
        self.registers.begin(lanes);
        self.guard = 0;
    }

    /// Whether a place is known to be defined in all lanes.
    pub(super) fn is_clean(&self, place: &Place, ty: Type) -> bool {
        match *place {
            Place::None | Place::Immediate(_) | Place::Constant { .. } => true,
            Place::Builtin(b) => b != Builtin::StackPointer,
            Place::Register { index, byte } => {
                let first = u32::from(index) + u32::from(byte / 4);
                let last = u32::from(index) + (u32::from(byte) + ty.bytes() - 1) / 4;
                (first..=last).all(|w| self.words >> (w & 127) & 1 == 0)
            }
            Place::Predicate(p) => self.predicates >> (p & 7) & 1 == 0,
            Place::Temporary(n) => self.kept >> (n & 15) & 1 == 0,
            _ => false,
        }
    }

    /// Undefined bits of a source in a lane.
    pub(super) fn of(&self, src: &Src, values: &R, lane: usize) -> u64 {
        let bits = match src.place {
            Place::None | Place::Immediate(_) | Place::Constant { .. } => 0,
            Place::Builtin(Builtin::StackPointer) => self.registers.stack_pointer().into(),
            Place::Builtin(_) => 0,
            Place::Temporary(n) => self.temporaries[usize::from(n) % 16][lane],
            // Of several flags one is enough.
            Place::Picked(r, sub, pick) => {
                let place = Place::Picked(r, sub, some(pick));
                self.registers.read(&place, src.ty, lane).unwrap_or(0)
            }
            _ => {
                let place = values.located(&src.place, src.ty, lane);
                let src = Src { place, ..*src };
                self.registers.source(&src, lane).unwrap_or(0)
            }
        };
        bits & src.ty.mask()
    }

    pub(super) fn origin(&self, place: &Place, ty: Type) -> Origin {
        let known = self.origins.get(&whole(place)).copied();
        known.unwrap_or_else(|| own(place, ty))
    }

    /// Undefined bits of the sources of a micro-operation in some lanes; `None` without any.
    pub(super) fn gather(&self, uop: &Uop, from: usize, values: &R, lanes: u32) -> Option<Marked> {
        if uop.src.iter().skip(from).all(|s| self.is_clean(&s.place, s.ty)) {
            return None;
        }
        let mut origin = None;
        let column = |src: &Src| {
            let mut bits = [0; 32];
            each(lanes).for_each(|l| bits[l] = self.of(src, values, l));
            if origin.is_none() && bits.iter().any(|b| *b != 0) {
                origin = Some(self.origin(&src.place, src.ty));
            }
            bits
        };
        let all: Gathered = uop.src.iter().skip(from).map(column).collect();
        origin.map(|o| (all, o))
    }

    /// What was written is defined, but for these bits.
    pub fn put(&mut self, place: &Place, ty: Type, lanes: u32, values: &R, marked: Option<(&[u64; 32], Origin)>) {
        if marked.is_none() && self.guard == 0 && self.is_clean(place, ty) {
            return;
        }
        let bits = |l: usize| marked.map_or(0, |(m, _)| m[l] & ty.mask());
        match *place {
            Place::None => return,
            Place::Temporary(n) => {
                let n = usize::from(n) % 16;
                each(lanes).for_each(|l| self.temporaries[n][l] = bits(l));
                let any = self.temporaries[n].iter().any(|b| *b != 0);
                self.kept = self.kept & !(1 << n) | u16::from(any) << n;
            }
            _ => {
                for l in each(lanes | self.guard) {
                    let new = if self.guard >> l & 1 == 1 { ty.mask() } else { bits(l) };
                    let place = values.located(place, ty, l);
                    // A place that the set does not have was the values' fault already.
                    let _ = self.registers.write(&place, ty, l, new);
                }
            }
        }
        let marks = |r: &R, place: Place, ty| (0..32).any(|l| r.read(&place, ty, l).is_ok_and(|b| b != 0));
        let mut left = true;
        match *place {
            Place::Register { index, byte } => {
                let first = u32::from(index) + u32::from(byte / 4);
                let last = u32::from(index) + (u32::from(byte) + ty.bytes() - 1) / 4;
                left = false;
                for w in first..=last.min(127) {
                    let any = marks(&self.registers, Place::register(w as u16), Type::U32);
                    self.words = self.words & !(1 << w) | u128::from(any) << w;
                    left |= any;
                }
            }
            Place::Predicate(p) => {
                left = marks(&self.registers, *place, Type::Bool);
                self.predicates = self.predicates & !(1 << (p & 7)) | u8::from(left) << (p & 7);
            }
            _ => {}
        }
        if let (Some((_, origin)), true) = (marked.filter(|m| m.1 != Origin::Unknown), left) {
            self.origins.insert(whole(place), origin);
        }
    }
}

/// What says "one of them" instead of "all of them".
pub(super) fn some(pick: Pick) -> Pick {
    match pick {
        Pick::All(n) => Pick::Any(n),
        Pick::AllOfBoth => Pick::AnyOfBoth,
        other => other,
    }
}

/// Lanes in which something is undefined.
pub(super) fn lanes_of(marked: &Gathered) -> u32 {
    marked.iter().flat_map(|c| c.iter().enumerate()).fold(0, |m, (l, b)| m | u32::from(*b != 0) << l)
}
