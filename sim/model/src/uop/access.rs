//! Loads, stores and atomics of a warp.

use super::bits::lanes_of;
use super::cause::{Cause, Fault};
use super::format::{pack, unpack};
use super::memory::Env;
use super::read::{bits, whole};
use super::registers::each;
use super::registers::Registers;
use super::warp::{Core, Divergence, Moved, Step};
use crate::record::AccessKind;
use crate::undefined::Origin;
use crate::watch::Touch;
use warpsmith_isa::uop::{Access, AtomicOp, Format, Op, Place, Region, Src, Uop};

impl<R: Registers + Clone, D: Divergence<R>> Core<R, D> {
    /// Addresses of an access, checked in every lane before anything moves; and the lanes that nobody knows.
    fn addresses(
        &self, uop: &Uop, access: &Access, operands: usize, lanes: u32, (store, step): (bool, &Step), env: &mut Env,
    ) -> Result<([u64; 32], u32), Fault> {
        let active = step.active;
        let mut out = [0; 32];
        for l in each(lanes) {
            let mut sum = 0;
            for src in uop.src.iter().skip(operands) {
                let raw = self.raw(src, l, env, active).map_err(|c| c.in_lane(l))?;
                sum += whole(src, raw);
            }
            out[l] = sum as u64 & access.address.mask();
        }
        // Of an access of several parts each has its own pass.
        let how = (operands, store, step.pc, passes(step));
        let unknown = self.addressed(uop, access, lanes, &mut out, how, env);
        for l in each(lanes) {
            env.check(access, out[l], l, &self.local[l])?;
        }
        Ok((out, unknown))
    }

    pub(super) fn load(
        &mut self, uop: &Uop, access: &Access, lanes: u32, env: &mut Env, step: &mut Step,
    ) -> Result<(), Fault> {
        let (addresses, unknown) = self.addresses(uop, access, 0, lanes, (false, step), env)?;
        note(step, access, AccessKind::Load, addresses);
        let size = u64::from(access.element.bytes());
        for (k, c) in (0..).zip(places(access)) {
            let mut values = [0; 32];
            let mut at = [0; 32];
            for l in each(lanes) {
                at[l] = addresses[l] + c * size;
                let v = env.load(access.space, at[l], access.element, &self.local[l]);
                let component = if access.format.packed().is_some() { k } else { c as u32 };
                values[l] = unpack(access, uop.ty, v, component);
            }
            env.touched(&mut step.accesses, (access.space, Touch::Load), lanes, size as u32, &at, &[0; 32]);
            let place = advance(uop.dst[0], k * uop.ty.bytes());
            let marked = self.loaded(access, &at, lanes, unknown, env);
            let marked = marked.as_ref().map(|(m, o)| (m, *o));
            self.put_all(&place, uop.ty, lanes, &values, marked, step)?;
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self, uop: &Uop, access: &Access, lanes: u32, env: &mut Env, step: &mut Step,
    ) -> Result<(), Fault> {
        let active = step.active;
        let (addresses, _) = self.addresses(uop, access, 1, lanes, (true, step), env)?;
        note(step, access, AccessKind::Store, addresses);
        let size = u64::from(access.element.bytes());
        let before = passes(step).saturating_sub(access.values() as usize);
        let Some(data) = uop.src.first() else {
            return Err(Cause::Operand("a store without data").into());
        };
        // Where lanes meet at an address the last element counts, and of its lanes the highest.
        let together = access.format.packed().unwrap_or(1);
        for (n, c) in (0..).zip(elements(access)) {
            let mut values = [[0; 4]; 32];
            let mut undefined = [(0, Origin::Unknown); 32];
            for j in 0..together {
                let k = n * together + j;
                let src = Src { place: advance(data.place, k * data.ty.bytes()), ..*data };
                let marked = self.stored(&src, lanes, access, step, env);
                for l in each(lanes) {
                    let raw = self.raw(&src, l, env, active);
                    let mut v = bits(data, raw.map_err(|c| c.in_lane(l))?);
                    if let Some((m, origin)) = marked.filter(|(m, _)| m[l] != 0) {
                        undefined[l] = (undefined[l].0 | m[l], origin);
                        v = env.replaced(v, m[l], before + k as usize, l);
                    }
                    if let Some(moved) = step.moved.last_mut() {
                        moved.data[k as usize][l] = v;
                    }
                    values[l][j as usize] = v;
                }
            }
            let (mut to, mut packed) = ([0; 32], [0; 32]);
            for l in each(lanes) {
                let v = pack(access, data.ty, &values[l], c as u32);
                let mut undefined = undefined[l];
                if access.format != Format::Plain && undefined.0 != 0 {
                    undefined.0 = u64::MAX;
                }
                let at = addresses[l] + c * size;
                env.store(access.space, at, access.element, v, &mut self.local[l]);
                self.keep(access, l, at, undefined, env);
                (to[l], packed[l]) = (at, v);
            }
            env.touched(&mut step.accesses, (access.space, Touch::Store), lanes, size as u32, &to, &packed);
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self, uop: &Uop, access: &Access, op: AtomicOp, lanes: u32, env: &mut Env, step: &mut Step,
    ) -> Result<(), Fault> {
        let operands = op.operands();
        let (addresses, unknown) = self.addresses(uop, access, operands, lanes, (false, step), env)?;
        let (kind, touch) = match uop.dst[0] {
            Place::None => (AccessKind::Reduction, Touch::Reduction),
            _ => (AccessKind::Atomic, Touch::Atomic),
        };
        note(step, access, kind, addresses);
        env.touched(&mut step.accesses, (access.space, touch), lanes, access.element.bytes(), &addresses, &[0; 32]);
        let raw = self.gather(uop, lanes, env, step.active)?;
        let mut old = [0; 32];
        // What lies there and what comes in mix: a part that is undefined makes all so.
        let marked = self.loaded(access, &addresses, lanes, unknown, env);
        let own = Uop::effect(Op::Nop, uop.src[..operands.min(uop.src.len())].to_vec());
        let data = self.marked(&own, lanes);
        if let Some((d, origin)) = &data {
            self.leaves(access.space, step, Some((lanes_of(d), *origin, &own)), env, None);
        }
        for l in each(lanes) {
            let operand = |n: usize| {
                let value = bits(&uop.src[n], raw[n][l]);
                let undefined = data.as_ref().map_or(0, |(d, _)| d[n][l]);
                match n + 1 == operands {
                    true => env.replaced(value, undefined, 0, l),
                    false => env.replaced_by_lane(value, undefined, l),
                }
            };
            let second = if operands == 2 { operand(1) } else { 0 };
            if let Some(moved) = step.moved.last_mut() {
                moved.data[0][l] = operand(operands - 1);
            }
            let first = operand(0);
            let local = &mut self.local[l];
            old[l] = env.load(access.space, addresses[l], access.element, local);
            let new = op.combine(uop.ty, old[l], first, second);
            env.store(access.space, addresses[l], access.element, new, local);
            let operand = data.as_ref().filter(|(d, _)| d.iter().any(|c| c[l] != 0));
            let before = marked.as_ref().filter(|(m, _)| m[l] != 0);
            let origin = operand.map(|d| d.1).or(before.map(|m| m.1));
            let undefined = match origin {
                Some(origin) => (u64::MAX, origin),
                None => (0, Origin::Unknown),
            };
            self.keep(access, l, addresses[l], undefined, env);
        }
        let marked = marked.as_ref().map(|(m, o)| (m, *o));
        self.put_all(&uop.dst[0], uop.ty, lanes, &old, marked, step)
    }
}

/// Notes what an access moves, where that is asked for.
fn note(step: &mut Step, access: &Access, kind: AccessKind, addresses: [u64; 32]) {
    let count = if kind == AccessKind::Load { 0 } else { access.values() as usize };
    if step.writes.is_some() {
        step.moved.push(Moved { access: *access, kind, addresses, data: vec![[0; 32]; count] });
    }
}

/// Elements that the loads and stores of an instruction have moved so far, where that is noted.
fn passes(step: &Step) -> usize {
    step.moved.iter().map(|m| m.access.values() as usize).sum()
}

/// Numbers of the elements that an access moves, ascending.
fn elements(access: &Access) -> impl Iterator<Item = u64> {
    let mask = access.elements;
    (0..8u64).filter(move |c| mask >> c & 1 == 1)
}

/// The element that each register of an access is of.
fn places(access: &Access) -> impl Iterator<Item = u64> {
    let together = access.format.packed().unwrap_or(1) as usize;
    elements(access).flat_map(move |c| std::iter::repeat_n(c, together))
}

/// The place `bytes` bytes further.
pub(super) fn advance(place: Place, bytes: u32) -> Place {
    match place {
        Place::Register { index, byte } => Place::Register { index, byte: byte + bytes as u8 },
        Place::Uniform { index, byte } => Place::Uniform { index, byte: byte + bytes as u8 },
        Place::Region(r) => Place::Region(Region { byte: r.byte + bytes as i16, ..r }),
        other => other,
    }
}
