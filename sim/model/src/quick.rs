//! The quick path of SM 1.0 for runs that nobody watches: the common instructions on 32 lanes at once, without a record.
//!
//! Whatever it does not know, and whatever would trap, it leaves to the plain path before anything has changed, so that
//! both give the same. Floats are added and multiplied by the host, where that gives the same ([`float`]).

mod alu;
mod float;
mod lanes;
mod operand;
mod room;
mod whole;

use crate::divergence::EntryKind;
use crate::exec::Env;
use crate::memory::{store_bytes, Global};
use crate::record::Lanes;
use crate::types::Stats;
use crate::warp::Warp;
use alu::compute;
use lanes::{filled, holding, post_increment, reach, write, write_flags, Reach};
use operand::{operand, shared_addresses};
use pulp::Simd;
use room::Room;
use warpsmith_isa::{Dst, Instr, Marker, MemRef, MemSize, Op, Src, WARP_SIZE};
use whole::Went;
pub(crate) use whole::Whole;

/// How an instruction executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// On the plain path.
    Plain,
    Branch(u32),
    Push(EntryKind, u32),
    Load,
    Store,
    SharedStore(MemRef),
    Compute,
}

/// What the quick path knows of an instruction before it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    kind: Kind,
    /// Address register that it steps.
    post: Option<MemRef>,
}

impl Quick {
    /// Of an instruction that does not trap by itself.
    pub fn of(instr: &Instr) -> Quick {
        let plain = instr.marker == Marker::None;
        let own = instr.op.memory();
        let steps = |s: &Src| match s {
            Src::Shared(at) | Src::Const { at, .. } if at.post_inc => Some(*at),
            _ => None,
        };
        let post = match own {
            Some(at) => at.post_inc.then_some(at),
            None => instr.src.iter().find_map(steps),
        };
        let kind = match instr.op {
            Op::Bra { target } if plain => Kind::Branch(target),
            Op::Ssy { target } if plain => Kind::Push(EntryKind::Joinat, target),
            Op::Pbk { target } if plain => Kind::Push(EntryKind::Prebreak, target),
            _ if instr.marker == Marker::Exit => Kind::Plain,
            Op::LdGlobal { size: MemSize::B32, .. } if matches!(instr.dst, Dst::Reg(_)) => Kind::Load,
            Op::StGlobal { size: MemSize::B32, .. } => Kind::Store,
            Op::StShared { at, unlock: false } => Kind::SharedStore(at),
            ref op if alu::knows(op) => Kind::Compute,
            _ => Kind::Plain,
        };
        Quick { kind, post }
    }

    /// On the plain path.
    pub const PLAIN: Quick = Quick { kind: Kind::Plain, post: None };
}

/// Where the quick path finds instructions.
pub(crate) trait Fetch {
    /// The instruction at a byte address with its guard.
    fn quick(&self, pc: u32) -> Option<(&Instr, u16, Quick)>;

    /// Those from a byte address on, one behind the other.
    fn steps(&self, pc: u32) -> &[Step];
}

/// An instruction in its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Byte address of the next instruction.
    pub next: u32,
    /// What a whole warp does, where it can execute it.
    pub whole: Option<Whole>,
}

/// Instructions of a warp in a row.
pub(crate) struct Burst<'a, P, G> {
    pub program: &'a P,
    pub warp: &'a mut Warp,
    pub env: Env<'a>,
    pub global: &'a mut G,
    pub stats: &'a mut Stats,
    /// Instructions at most.
    pub most: u32,
}

impl<P: Fetch, G: Global> Burst<'_, P, G> {
    /// Executes instructions up to the first that the plain path has to: how many. With the widest vectors of the host
    /// that pay.
    pub fn run(self) -> u32 {
        pulp::Arch::new().dispatch(self)
    }
}

impl<P: Fetch, G: Global> pulp::WithSimd for Burst<'_, P, G> {
    type Output = u32;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> u32 {
        let mut room = Room::new();
        let (mut done, before) = (0, self.stats.warp_instructions);
        while done < self.most {
            let active = self.warp.control.active;
            let mut executed = 0;
            if active == u32::MAX {
                executed = self.straight(simd, self.most - done, &mut room);
            }
            if executed == 0 {
                let Some(slot) = self.program.quick(self.warp.control.pc) else { break };
                self.env.clock = (before as u32).wrapping_add(done);
                if step(simd, slot, self.warp, &mut self.env, self.global, &mut room).is_none() {
                    break;
                }
                executed = 1;
            }
            self.stats.thread_instructions += u64::from(executed) * u64::from(active.count_ones());
            done += executed;
        }
        self.stats.warp_instructions += u64::from(done);
        done
    }
}

impl<P: Fetch, G: Global> Burst<'_, P, G> {
    /// Executes what a whole warp can, with all threads: how many instructions, at most `most`.
    #[inline(always)]
    fn straight<S: Simd>(&mut self, simd: S, most: u32, room: &mut Room) -> u32 {
        let (mut pc, mut done) = (self.warp.control.pc, 0);
        'places: loop {
            // No closure: it would not be compiled for the vectors.
            for step in self.program.steps(pc).iter().take((most - done) as usize) {
                let Some(whole) = &step.whole else { break 'places };
                match whole.execute(simd, self.warp, &mut self.env, self.global, room) {
                    Went::On => pc = step.next,
                    Went::To(target) => {
                        (pc, done) = (target, done + 1);
                        continue 'places;
                    }
                    Went::Nowhere => break 'places,
                }
                done += 1;
            }
            break;
        }
        self.warp.control.pc = pc;
        done
    }
}

/// Executes the instruction at the warp's pc; `None`, and nothing has changed, where the plain path has to.
#[inline(always)]
fn step<S: Simd>(
    simd: S, (instr, guard, quick): (&Instr, u16, Quick), w: &mut Warp, env: &mut Env<'_>, global: &mut impl Global,
    room: &mut Room,
) -> Option<()> {
    let next = w.control.pc.wrapping_add(instr.bytes());
    let active = w.control.active;
    match quick.kind {
        Kind::Plain => return None,
        Kind::Push(kind, target) => {
            if w.control.is_full() {
                return None;
            }
            w.control.push(kind, target);
            w.control.pc = next;
            return Some(());
        }
        _ => {}
    }
    let e = active & holding(guard, &w.flags[usize::from(instr.pred.creg & 3)]);
    if let Kind::Branch(target) = quick.kind {
        if e != 0 && e != active && w.control.is_full() {
            return None;
        }
        w.control.branch(e, target, next);
        return Some(());
    }
    let joins = instr.marker == Marker::Join;
    if joins && w.control.stack().is_empty() {
        return None;
    }
    if e != 0 {
        data(simd, (instr, quick), w, env, global, e, room)?;
        if let Some(at) = quick.post {
            if at.areg != 0 && instr.dst != Dst::Addr(at.areg) {
                post_increment(&at, w, e);
            }
        }
    }
    match joins {
        false => w.control.pc = next,
        true => w.control.join(next),
    }
    Some(())
}

/// What is no control, for the lanes of `e`, of which there is one.
#[inline(always)]
fn data<S: Simd>(
    simd: S, (instr, quick): (&Instr, Quick), w: &mut Warp, env: &mut Env<'_>, global: &mut impl Global, e: u32,
    room: &mut Room,
) -> Option<()> {
    let [first, second, third] = &mut room.operands;
    match quick.kind {
        Kind::Load => {
            let at = filled(operand(simd, &instr.src[0], w, env, e, first)?, e, third);
            let to = &mut room.results.values;
            read(simd, global, at, to)?;
            write(instr.dst, to, w, e);
        }
        Kind::Store => {
            let at = filled(operand(simd, &instr.src[0], w, env, e, first)?, e, third);
            let from = operand(simd, &instr.src[1], w, env, e, second)?;
            match reach(simd, global.usable(), at)? {
                Reach::Page(_) => global.put_words(e, at, from),
                Reach::Pages => {
                    (0..WARP_SIZE).filter(|l| e >> l & 1 != 0).for_each(|l| global.store(at[l], MemSize::B32, from[l]))
                }
            }
        }
        Kind::SharedStore(at) => {
            let from = *operand(simd, &instr.src[0], w, env, e, second)?;
            shared_addresses(simd, &at, w, env.shared.len(), e, first)?;
            for l in 0..WARP_SIZE {
                if e >> l & 1 != 0 {
                    store_bytes(env.shared, first[l] as usize, at.size, from[l]);
                }
            }
        }
        _ => {
            let x = [
                operand(simd, &instr.src[0], w, env, e, first)?,
                operand(simd, &instr.src[1], w, env, e, second)?,
                operand(simd, &instr.src[2], w, env, e, third)?,
            ];
            let sets = compute(instr, x, &w.flags[usize::from(instr.pred.creg & 3)], &mut room.results);
            let mask = match instr.op {
                // The lane mask repeats for each quad of threads.
                Op::Mov { lanes, .. } => e & (u32::from(lanes & 15) * 0x1111_1111),
                _ => e,
            };
            write(instr.dst, &mut room.results.values, w, mask);
            match (instr.dst, instr.cdst) {
                (Dst::Cc(c), _) => write_flags(c, &room.results.values.map(|v| v as u8 & 15), w, e),
                (_, Some(c)) if sets => write_flags(c, &room.results.flags, w, e),
                _ => {}
            }
        }
    }
    Some(())
}

/// The words at these addresses.
#[inline(always)]
fn read<S: Simd>(simd: S, global: &mut impl Global, at: &Lanes, to: &mut Lanes) -> Option<()> {
    match reach(simd, global.usable(), at)? {
        Reach::Page(shapes) => global.words(simd, at, shapes, to),
        Reach::Pages => (0..WARP_SIZE).for_each(|l| to[l] = global.load(at[l], MemSize::B32)),
    }
    Some(())
}

#[cfg(test)]
mod tests;
