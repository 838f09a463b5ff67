//! The store of a rectangle of bytes.

use super::access::advance;
use super::cause::{Cause, Fault};
use super::memory::Env;
use super::read::whole;
use super::registers::Registers;
use super::warp::{Core, Divergence, Step};
use crate::watch::Touch;
use warpsmith_isa::uop::{Access, Space, Type, Uop};

impl<R: Registers + Clone, D: Divergence<R>> Core<R, D> {
    /// Stores a rectangle of bytes, its rows one after the other in the registers of source 0.
    pub(super) fn rectangle(
        &self, uop: &Uop, space: Space, lane: usize, env: &mut Env, noted: &mut Step,
    ) -> Result<(), Fault> {
        let number = |n: usize| match uop.src.get(n) {
            Some(s) => Ok(whole(s, self.raw(s, lane, env, 0)?) as u64 & 0xffff_ffff),
            None => Err(Cause::Operand("a rectangle without its size")),
        };
        let at = |n: usize| number(n).map_err(|c| c.in_lane(lane));
        let (x, y, size, registers, pitch) = (at(1)?, at(2)?, at(3)?, at(4)?, at(5)?);
        if pitch == 0 {
            return Err(Cause::Operand("a rectangle in a memory whose rows have no length").into());
        }
        let (rows, bytes) = ((size >> 16) + 1, (size & 0xffff) + 1);
        let step = bytes.next_power_of_two().max(4);
        if rows * step > registers {
            return Err(Cause::Operand("the rows of a rectangle reach beyond their registers").into());
        }
        let access = Access::row(space, Type::U8, 1);
        for (row, column) in (0..rows).flat_map(|r| (0..bytes).map(move |c| (r, c))) {
            let place = advance(uop.src[0].place, (row * step + column) as u32);
            let value = self.registers.read(&place, Type::U8, lane).map_err(|c| c.in_lane(lane))?;
            let to = (y + row).saturating_mul(pitch).saturating_add(x + column);
            env.check(&access, to, lane, &[])?;
            env.store(space, to, Type::U8, value, &mut []);
            env.touched(&mut noted.accesses, (space, Touch::Store), 1 << lane, 1, &[to; 32], &[value; 32]);
        }
        Ok(())
    }
}
