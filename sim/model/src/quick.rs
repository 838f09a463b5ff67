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
use room::Room;
use warpsmith_isa::{Dst, Instr, Marker, MemRef, MemSize, Op, Src, WARP_SIZE};
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

    /// The one at a byte address, if whole warps can execute it.
    fn whole(&self, pc: u32) -> Option<&Whole>;
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
    fn with_simd<S: pulp::Simd>(mut self, _: S) -> u32 {
        let mut room = Room::new();
        let (mut done, before) = (0, self.stats.warp_instructions);
        while done < self.most {
            let (pc, active) = (self.warp.control.pc, self.warp.control.active);
            // No closure: it would not be compiled for the vectors.
            let executed = match self.program.whole(pc) {
                Some(whole) if active == u32::MAX => whole.execute(self.warp, &self.env, &mut room),
                _ => None,
            };
            match executed {
                Some(bytes) => self.warp.control.pc = pc.wrapping_add(bytes),
                None => {
                    let Some(slot) = self.program.quick(pc) else { break };
                    self.env.clock = (before as u32).wrapping_add(done);
                    if step(slot, self.warp, &mut self.env, self.global, &mut room).is_none() {
                        break;
                    }
                }
            }
            self.stats.thread_instructions += u64::from(active.count_ones());
            done += 1;
        }
        self.stats.warp_instructions += u64::from(done);
        done
    }
}

/// Executes the instruction at the warp's pc; `None`, and nothing has changed, where the plain path has to.
#[inline(always)]
fn step(
    (instr, guard, quick): (&Instr, u16, Quick), w: &mut Warp, env: &mut Env<'_>, global: &mut impl Global,
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
        data((instr, quick), w, env, global, e, room)?;
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
fn data(
    (instr, quick): (&Instr, Quick), w: &mut Warp, env: &mut Env<'_>, global: &mut impl Global, e: u32, room: &mut Room,
) -> Option<()> {
    let [first, second, third] = &mut room.operands;
    match quick.kind {
        Kind::Load => {
            let at = filled(operand(&instr.src[0], w, env, e, first)?, e, third);
            let to = &mut room.results.values;
            read(global, at, to)?;
            write(instr.dst, to, w, e);
        }
        Kind::Store => {
            let at = filled(operand(&instr.src[0], w, env, e, first)?, e, third);
            let from = operand(&instr.src[1], w, env, e, second)?;
            match reach(global.usable(), at)? {
                Reach::Page(_) => global.put_words(e, at, from),
                Reach::Pages => {
                    (0..WARP_SIZE).filter(|l| e >> l & 1 != 0).for_each(|l| global.store(at[l], MemSize::B32, from[l]))
                }
            }
        }
        Kind::SharedStore(at) => {
            let from = *operand(&instr.src[0], w, env, e, second)?;
            shared_addresses(&at, w, env.shared.len(), e, first)?;
            for l in 0..WARP_SIZE {
                if e >> l & 1 != 0 {
                    store_bytes(env.shared, first[l] as usize, at.size, from[l]);
                }
            }
        }
        _ => {
            let x = [
                operand(&instr.src[0], w, env, e, first)?,
                operand(&instr.src[1], w, env, e, second)?,
                operand(&instr.src[2], w, env, e, third)?,
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
fn read(global: &mut impl Global, at: &Lanes, to: &mut Lanes) -> Option<()> {
    match reach(global.usable(), at)? {
        Reach::Page(shapes) => global.words(at, shapes, to),
        Reach::Pages => (0..WARP_SIZE).for_each(|l| to[l] = global.load(at[l], MemSize::B32)),
    }
    Some(())
}

#[cfg(test)]
mod tests;
