//! Source operands of the quick path.

use super::lanes::{filled, inside};
use crate::exec::{operand as plain, Env};
use crate::memory::gather::{fill, gather, low_half, Shapes};
use crate::memory::load_bytes;
use crate::record::Lanes;
use crate::warp::Warp;
use pulp::Simd;
use warpsmith_isa::{MemRef, MemSize, Src, WARP_SIZE};

/// An operand for all lanes; `None` where reading it traps.
#[inline(always)]
pub(super) fn operand<'a, S: Simd>(
    simd: S, src: &Src, w: &'a Warp, env: &Env<'_>, e: u32, room: &'a mut Lanes,
) -> Option<&'a Lanes> {
    let (memory, at) = match src {
        Src::Shared(at) => (&*env.shared, at),
        Src::Const { bank, at } => (env.constants.bank(*bank), at),
        Src::Half(h) => {
            let r = w.registers.get(usize::from(h >> 1))?;
            let (shift, low) = (16 * u32::from(h & 1), low_half());
            for l in 0..WARP_SIZE {
                room[l] = r[l] >> shift & low;
            }
            return Some(room);
        }
        other => return plain(other, w, env, e, room).ok(),
    };
    if at.areg == 0 {
        let a = if at.post_inc { 0 } else { at.offset as u32 & 0xffff };
        if a & (at.size.bytes() - 1) != 0 || (a + at.size.bytes()) as usize > memory.len() {
            return None;
        }
        fill(simd, load_bytes(memory, a as usize, at.size), room);
        return Some(room);
    }
    if e == u32::MAX && at.size == MemSize::B32 {
        let rows = w.address.rows(simd, usize::from(at.areg & 7));
        if rows.gather(simd, memory, if at.post_inc { 0 } else { at.offset }, room).is_some() {
            return Some(room);
        }
    }
    let mut from = whole(0);
    let shapes = shared_addresses(simd, at, w, memory.len(), e, &mut from)?;
    match at.size {
        MemSize::B32 => gather(simd, memory, 0, &from, shapes, room),
        size => {
            for l in 0..WARP_SIZE {
                room[l] = load_bytes(memory, from[l] as usize, size);
            }
        }
    }
    Some(room)
}

/// One value for all lanes.
#[inline(always)]
pub(super) fn whole(value: u32) -> Lanes {
    [value; WARP_SIZE]
}

/// Offsets of a reference in a memory of `length` bytes, and how they lie; `None` where one is not inside.
#[inline(always)]
pub(super) fn shared_addresses<S: Simd>(
    simd: S, at: &MemRef, w: &Warp, length: usize, e: u32, to: &mut Lanes,
) -> Option<Shapes> {
    let base = &w.address[usize::from(at.areg & 7)];
    let (offset, low) = (if at.post_inc { 0 } else { at.offset as u32 }, low_half());
    for l in 0..WARP_SIZE {
        to[l] = base[l].wrapping_add(offset) & low;
    }
    if e != u32::MAX {
        *to = *filled(&to.clone(), e, &mut whole(0));
    }
    inside(simd, to, at.size.bytes(), length)
}
