//! How instructions spread undefined bits of a warp, and where the program depends on them.

use super::bits::{lanes_of, own, some, Bits, Marked};
use super::cause::Cause;
use super::cross::{self, Gathered};
use super::memory::Env;
use super::registers::each;
use super::registers::Registers;
use super::retire;
use super::warp::{Core, Divergence, Step, Warp};
use crate::record::Retired;
use crate::undefined::{result, Beside, Found, Origin, Use};
use warpsmith_isa::uop::{Access, CrossOp, Flow, Format, Guard, Lowered, Op, Place, Space, Src, Type, Uop};

fn found(env: &mut Env, pc: u32, used: Use, lanes: u32, origin: Origin, direct: bool) {
    let [x, y, _] = env.block;
    let warp = env.warp;
    if let (Some(t), true) = (&mut env.tracking, lanes != 0) {
        t.places.add(Found { pc, used, origin, direct, ctaid: [x, y], warp, lane: lanes.trailing_zeros() });
    }
}

/// Whether undefined bits lie in this place itself.
fn direct(uop: &Uop, from: usize, origin: Origin) -> bool {
    let same = |s: &Src| match (own(&s.place, s.ty), origin) {
        (Origin::Register(a, _), Origin::Register(b, _)) => a == b,
        (a, b) => a == b,
    };
    uop.src.iter().skip(from).any(same)
}

impl Env<'_> {
    /// Stored bits, the undefined ones the chip's: of element `k` of a lane.
    pub(super) fn replaced(&self, value: u64, undefined: u64, k: usize, lane: usize) -> u64 {
        self.taken(value, undefined, |b| b.data.get(k).map(|data| data[lane]))
    }

    /// The same of what an atomic access compares with: the lane shows it.
    pub(super) fn replaced_by_lane(&self, value: u64, undefined: u64, lane: usize) -> u64 {
        self.taken(value, undefined, |b| Some(b.lane[lane]))
    }

    /// A value, the undefined bits those that the chip shows.
    fn taken(&self, value: u64, undefined: u64, shown: impl Fn(&Beside) -> Option<u32>) -> u64 {
        let beside = self.tracking.as_ref().and_then(|t| t.beside);
        match beside.and_then(shown) {
            Some(shown) => value & !undefined | u64::from(shown) & undefined,
            None => value,
        }
    }
}

impl<R: Registers + Clone, D: Divergence<R>> Core<R, D> {
    /// Keeps track of undefined bits from here on.
    pub(super) fn track(&mut self) {
        let lanes = self.divergence.active();
        let local = self.local.first().map_or(0, Vec::len);
        let registers = self.registers.undefined(lanes);
        self.undefined = Some(Box::new(Bits::new(registers, local, lanes)));
    }

    /// Lanes of `active` that execute, where the guard lets those of `passing` through: in lanes whose guard
    /// is undefined as the chip did.
    pub(super) fn guarded(&mut self, guard: &Guard, step: &Step, passing: u32, env: &Env) -> u32 {
        let Some(bits) = &mut self.undefined else { return passing };
        let other = Guard { not: false, pick: some(guard.pick), ..*guard };
        let undefined = |l: &usize| bits.registers.passes(&other, *l).unwrap_or(false);
        let lanes = match bits.is_clean(&guard.place, Type::Bool) {
            true => 0,
            false => each(step.active).filter(undefined).fold(0, |m, l| m | 1 << l),
        };
        bits.guard = lanes;
        match env.tracking.as_ref().and_then(|t| t.beside) {
            Some(b) => passing & !lanes | b.exec & lanes & step.active,
            None => passing,
        }
    }

    /// Undefined bits of the sources of a micro-operation.
    pub(super) fn marked(&self, uop: &Uop, lanes: u32) -> Option<Marked> {
        let bits = self.undefined.as_ref()?;
        bits.gather(uop, 0, &self.registers, lanes)
    }

    /// Halves of registers that an instruction gives up and does not write are undefined from here on.
    pub(super) fn discard(&mut self, halves: &[(Place, Type)], lowered: &Lowered, lanes: u32) {
        let Some(bits) = &mut self.undefined else { return };
        let byte_of = |p: &Place| match *p {
            Place::Register { index, byte } => Some(4 * u32::from(index) + u32::from(byte)),
            _ => None,
        };
        let written = |at: u32| {
            lowered.uops.iter().any(|u| {
                let bytes = match u.op {
                    Op::Load(a) => a.values() * u.ty.bytes(),
                    _ => u.ty.bytes(),
                };
                byte_of(&u.dst[0]).is_some_and(|first| (first..first + bytes).contains(&at))
            })
        };
        for (place, ty) in halves {
            let Some(at) = byte_of(place).filter(|at| !written(*at)) else { continue };
            let all = [ty.mask(); 32];
            bits.put(place, *ty, lanes, &self.registers, Some((&all, Origin::Discarded((at / 4) as u16))));
        }
    }

    /// Undefined bits of the results of lane operations.
    pub(super) fn spread(uop: &Uop, raw: &Gathered, marked: &Marked, lanes: u32) -> [[u64; 2]; 32] {
        let mut out = [[0; 2]; 32];
        let n = raw.len().min(8);
        let (mut column, mut undefined) = ([0; 8], [0; 8]);
        for l in each(lanes) {
            for k in 0..n {
                (column[k], undefined[k]) = (raw[k][l], marked.0[k][l]);
            }
            out[l] = result::of(uop, &column[..n], &undefined[..n]);
        }
        out
    }

    /// The same of an operation over lanes: a shuffle moves them, others spread them to all.
    pub(super) fn crossed(op: CrossOp, uop: &Uop, raw: &Gathered, marked: &Marked, lanes: u32) -> [[u64; 2]; 32] {
        let plain = |s: &Src| !s.neg && !s.abs && !s.flush && !s.not && s.shift == 0;
        let moves = matches!(op, CrossOp::Shuffle(_) | CrossOp::QuadShuffle(_));
        if let ([data, by, ..], true) = (&marked.0[..], moves && uop.src.first().is_some_and(plain)) {
            if by.iter().all(|b| *b == 0) {
                let moved = vec![*data, raw[1]];
                if let Ok(out) = cross::apply(op, uop, &moved, lanes) {
                    return out;
                }
            }
        }
        match moves || lanes_of(&marked.0) & lanes != 0 {
            true => [[u64::MAX; 2]; 32],
            false => [[0; 2]; 32],
        }
    }

    /// Addresses of an access where they are undefined: as the chip shows them; where it does not, 0. Gives
    /// the lanes of the latter, in which nobody knows what is loaded.
    pub(super) fn addressed(
        &self, uop: &Uop, access: &Access, lanes: u32, addresses: &mut [u64; 32],
        (operands, store, pc, pass): (usize, bool, u32, usize), env: &mut Env,
    ) -> u32 {
        let Some(bits) = &self.undefined else { return 0 };
        let Some((marked, origin)) = bits.gather(uop, operands, &self.registers, lanes) else { return 0 };
        let undefined = lanes_of(&marked);
        found(env, pc, Use::Address, undefined, origin, direct(uop, operands, origin));
        let Some(b) = env.tracking.as_ref().and_then(|t| t.beside) else { return 0 };
        let shown = match access.space {
            Space::Global | Space::Local => true,
            Space::Shared => store,
            _ => false,
        };
        for l in each(undefined) {
            // The chip shows the address of the first element that is moved.
            let first = if access.format.packed().is_some() { 0 } else { access.elements.trailing_zeros() };
            let behind = (pass as u32).wrapping_sub(first).wrapping_mul(access.element.bytes());
            addresses[l] = if shown { b.address[l].wrapping_add(behind).into() } else { 0 };
        }
        if shown {
            0
        } else {
            undefined
        }
    }

    /// Undefined bits that are loaded.
    pub(super) fn loaded(
        &self, access: &Access, at: &[u64; 32], lanes: u32, unknown: u32, env: &Env,
    ) -> Option<([u64; 32], Origin)> {
        let bits = self.undefined.as_ref()?;
        let shared = &env.tracking.as_ref()?.shared;
        let size = access.element.bytes() as usize;
        let mut out = [0; 32];
        let mut origin = None;
        for l in each(lanes) {
            let address = at[l] as usize;
            let (memory, here) = match access.space {
                _ if unknown >> l & 1 == 1 => {
                    out[l] = u64::MAX;
                    continue;
                }
                Space::Shared => (&**shared, Origin::Shared(address as u32)),
                Space::Local => (&bits.local[l], Origin::Local(address as u32)),
                _ => continue,
            };
            let loaded = memory.load(address, size);
            out[l] = match access.format {
                Format::Plain => access.element.integer(loaded) as u64,
                _ if loaded == 0 => 0,
                _ => u64::MAX,
            };
            if loaded != 0 && origin.is_none() {
                origin = Some(memory.origin(address, here));
            }
        }
        let any = origin.is_some() || unknown != 0;
        any.then(|| (out, origin.unwrap_or_default()))
    }

    /// Undefined bits of the data of a store, by lane; says where they leave the block.
    pub(super) fn stored(
        &self, data: &Src, lanes: u32, access: &Access, step: &Step, env: &mut Env,
    ) -> Option<([u64; 32], Origin)> {
        let bits = self.undefined.as_ref()?;
        let moved = Uop::new(Op::Move, data.ty, Place::None, vec![*data]);
        let marked = bits.gather(&moved, 0, &self.registers, lanes)?;
        let out = Self::spread(&moved, &vec![[0; 32]], &marked, lanes);
        let kept = if access.format == Format::Plain { access.element.mask() } else { u64::MAX };
        let out = out.map(|o| o[0] & kept);
        let undefined = lanes_of(&vec![out]);
        let data = Some((undefined, marked.1, &moved));
        self.leaves(access.space, step, data, env, None);
        (undefined != 0).then_some((out, marked.1))
    }

    /// Notes what is stored in a lane: to shared and local memory its undefined bits.
    pub(super) fn keep(&mut self, access: &Access, lane: usize, at: u64, undefined: (u64, Origin), env: &mut Env) {
        let (Some(bits), Some(t)) = (&mut self.undefined, &mut env.tracking) else { return };
        let memory = match access.space {
            Space::Shared => &mut *t.shared,
            Space::Local => &mut bits.local[lane],
            _ => return,
        };
        let all = if bits.guard >> lane & 1 == 1 { u64::MAX } else { undefined.0 };
        let size = access.element.bytes() as usize;
        memory.store(at as usize, size, all & access.element.mask(), undefined.1);
    }

    /// Says that a store to global memory depends on undefined values: its data, or its guard.
    pub(super) fn leaves(
        &self, space: Space, step: &Step, data: Option<(u32, Origin, &Uop)>, env: &mut Env, guard: Option<&Guard>,
    ) {
        let Some(bits) = &self.undefined else { return };
        if !matches!(space, Space::Global | Space::Buffer(_)) {
            return;
        }
        if let Some((lanes, origin, uop)) = data {
            found(env, step.pc, Use::Store, lanes, origin, direct(uop, 0, origin));
        }
        if let Some(g) = guard {
            let origin = bits.origin(&g.place, Type::Bool);
            let direct = origin == own(&g.place, Type::Bool);
            found(env, step.pc, Use::Store, bits.guard, origin, direct);
        }
    }

    /// Says that control flow depends on undefined values. Gives the lanes whose counter of the execution
    /// mask nobody knows.
    pub(super) fn flows(&mut self, uop: &Uop, guard: Option<&Guard>, step: &Step, env: &mut Env) -> u32 {
        let Some(bits) = &self.undefined else { return 0 };
        if let Some(g) = guard {
            let origin = bits.origin(&g.place, Type::Bool);
            let direct = origin == own(&g.place, Type::Bool);
            found(env, step.pc, Use::Branch, bits.guard, origin, direct);
        }
        let counts = matches!(uop.op, Op::Flow(Flow::Mask(f)) if f.counts());
        let lanes = match counts {
            true => self.divergence.present(),
            false => step.active,
        };
        if !matches!(uop.op, Op::Flow(Flow::Mask(_) | Flow::Channel(_))) {
            return 0;
        }
        let decides = |l: &usize| self.divergence.decides(uop, *l, &self.registers);
        let mut all = 0;
        if let Some((marked, origin)) = bits.gather(uop, 0, &self.registers, lanes) {
            let undefined = each(lanes_of(&marked)).filter(decides);
            let undefined = undefined.fold(0, |m, l| m | 1 << l);
            let direct = direct(uop, 0, origin);
            found(env, step.pc, Use::Branch, undefined, origin, direct);
            all |= undefined;
        }
        if !counts {
            return 0;
        }
        let counter = Uop::effect(Op::Nop, vec![Src::new(uop.dst[0], Type::U16)]);
        if let Some((marked, origin)) = bits.gather(&counter, 0, &self.registers, lanes) {
            let undefined = lanes_of(&marked);
            let direct = direct(&counter, 0, origin);
            found(env, step.pc, Use::Branch, undefined, origin, direct);
            all |= undefined;
        }
        all
    }

    /// What control flow has written is defined, counters too: what they depend on was said. A call that
    /// saves to a region does so in the first lane, two elements.
    pub(super) fn flowed(&mut self, uop: &Uop, lanes: u32, first: u8) {
        let Some(bits) = &mut self.undefined else { return };
        bits.guard = 0;
        match uop.dst[0] {
            Place::Region(_) => {
                let behind = super::access::advance(uop.dst[0], 4);
                for place in [uop.dst[0], behind] {
                    bits.put(&place, Type::U32, 1 << (first & 31), &self.registers, None);
                }
            }
            place => bits.put(&place, uop.ty, lanes, &self.registers, None),
        }
    }
}

/// Makes undefined bits of what an instruction wrote the chip's, in the warp and in the record; `counts`: its
/// active lanes follow from it.
pub(super) fn adopt(
    warp: &mut dyn Warp, step: &Step, record: &mut Retired, beside: &Beside, counts: bool,
) -> Result<(), Cause> {
    let mut later: Option<Box<[[u32; 32]; 4]>> = None;
    let mut words = 0;
    let mut taken = [false; 2];
    for w in step.writes.as_deref().unwrap_or_default() {
        if !retire::is_register(&w.place) {
            if !matches!(w.place, Place::Predicate(_) | Place::Flag(..)) {
                continue;
            }
            let q = retire::result_of(&w.place, record, &mut taken);
            // Of two results in one predicate the second stays.
            let stays = q == 1 || record.predicates.as_ref().is_none_or(|p| p.number[0] != p.number[1]);
            if let Some(undefined) = &w.undefined {
                for l in each(w.lanes).filter(|l| undefined[*l] & 1 == 1) {
                    let value = beside.flags[l] >> q & 1;
                    if stays {
                        warp.write(&w.place, Type::Bool, l, value.into())?;
                    }
                    if let Some(p) = &mut record.predicates {
                        p.value[q] = p.value[q] & !(1 << l) | u32::from(value) << l;
                    }
                }
            }
            continue;
        }
        for word in 0..w.ty.bytes().div_ceil(4) {
            let p = words;
            words += 1;
            let Some(undefined) = w.undefined.as_ref().filter(|_| p < 4) else { continue };
            let part = |l: usize| (undefined[l] >> (32 * word)) as u32;
            let Some(values) = beside.values else {
                let later = later.get_or_insert_with(Default::default);
                each(w.lanes).for_each(|l| later[p][l] = part(l));
                continue;
            };
            let ty = Type::int(w.ty.bits().min(32), false);
            let place = super::access::advance(w.place, 4 * word);
            for l in each(w.lanes).filter(|l| part(*l) != 0) {
                let v = record.values[p][l] & !part(l) | values[p][l] & part(l);
                record.values[p][l] = v;
                warp.write(&place, ty, l, u64::from(v) & ty.mask())?;
            }
        }
    }
    record.undefined = later;
    if counts {
        warp.settle();
    }
    Ok(())
}
