//! Loads, stores and atomics of a warp.

use super::cause::{Cause, Fault};
use super::memory::{combine, Env};
use super::read::{bits, integer, whole};
use super::registers::Registers;
use super::warp::{each, Core, Divergence, Moved, Step};
use warpsmith_isa::uop::{Access, AtomicOp, Place, Region, Src, Uop};

impl<R: Registers, D: Divergence<R>> Core<R, D> {
    /// Addresses of an access, checked in every lane before anything moves.
    fn addresses(
        &self,
        uop: &Uop,
        access: &Access,
        operands: usize,
        lanes: u32,
        env: &Env,
        active: u32,
    ) -> Result<[u64; 32], Fault> {
        let mut out = [0; 32];
        for l in each(lanes) {
            let mut sum = 0;
            for src in uop.src.iter().skip(operands) {
                let raw = self.raw(src, l, env, active).map_err(|c| c.in_lane(l))?;
                sum += whole(src, raw);
            }
            out[l] = sum as u64 & access.address.mask();
            env.check(access, out[l], l, &self.local[l])?;
        }
        Ok(out)
    }

    pub(super) fn load(
        &mut self,
        uop: &Uop,
        access: &Access,
        lanes: u32,
        env: &mut Env,
        step: &mut Step,
    ) -> Result<(), Fault> {
        let addresses = self.addresses(uop, access, 0, lanes, env, step.active)?;
        note(step, access, false, addresses);
        let size = u64::from(access.element.bytes());
        for (k, c) in elements(access).enumerate() {
            let mut values = [0; 32];
            for l in each(lanes) {
                let at = addresses[l] + c * size;
                let v = env.load(access.space, at, access.element, &self.local[l]);
                values[l] = integer(access.element, v) as u64;
            }
            let place = advance(uop.dst[0], k as u32 * uop.ty.bytes());
            self.put_all(&place, uop.ty, lanes, &values, step)?;
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        uop: &Uop,
        access: &Access,
        lanes: u32,
        env: &mut Env,
        step: &mut Step,
    ) -> Result<(), Fault> {
        let active = step.active;
        let addresses = self.addresses(uop, access, 1, lanes, env, active)?;
        note(step, access, true, addresses);
        let size = u64::from(access.element.bytes());
        let Some(data) = uop.src.first() else {
            return Err(Cause::Operand("a store without data").into());
        };
        // Where lanes meet at an address the last element counts, and of its lanes the highest.
        for (k, c) in elements(access).enumerate() {
            let place = advance(data.place, k as u32 * data.ty.bytes());
            for l in each(lanes) {
                let raw = self.raw(&Src { place, ..*data }, l, env, active);
                let v = bits(data, raw.map_err(|c| c.in_lane(l))?);
                let at = addresses[l] + c * size;
                if let Some(moved) = &mut step.moved {
                    moved.data[k][l] = v;
                }
                env.store(access.space, at, access.element, v, &mut self.local[l]);
            }
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        uop: &Uop,
        access: &Access,
        op: AtomicOp,
        lanes: u32,
        env: &mut Env,
        step: &mut Step,
    ) -> Result<(), Fault> {
        let operands = match op {
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        let addresses = self.addresses(uop, access, operands, lanes, env, step.active)?;
        let raw = self.gather(uop, lanes, env, step.active)?;
        let mut old = [0; 32];
        for l in each(lanes) {
            let operand = |n: usize| bits(&uop.src[n], raw[n][l]);
            let second = if operands == 2 { operand(1) } else { 0 };
            let local = &mut self.local[l];
            old[l] = env.load(access.space, addresses[l], access.element, local);
            let new = combine(op, uop.ty, old[l], operand(0), second);
            env.store(access.space, addresses[l], access.element, new, local);
        }
        self.put_all(&uop.dst[0], uop.ty, lanes, &old, step)
    }
}

/// Notes what a load or store moves, where that is asked for.
fn note(step: &mut Step, access: &Access, store: bool, addresses: [u64; 32]) {
    let count = if store { access.count() as usize } else { 0 };
    step.moved = step.writes.is_some().then(|| Moved {
        access: *access,
        store,
        addresses,
        data: vec![[0; 32]; count],
    });
}

/// Numbers of the elements that an access moves, ascending.
fn elements(access: &Access) -> impl Iterator<Item = u64> {
    let mask = access.elements;
    (0..8u64).filter(move |c| mask >> c & 1 == 1)
}

/// The place `bytes` bytes further.
pub(super) fn advance(place: Place, bytes: u32) -> Place {
    match place {
        Place::Register { index, byte } => Place::Register {
            index,
            byte: byte + bytes as u8,
        },
        Place::Uniform { index, byte } => Place::Uniform {
            index,
            byte: byte + bytes as u8,
        },
        Place::Region(r) => Place::Region(Region {
            byte: r.byte + bytes as i16,
            ..r
        }),
        other => other,
    }
}
