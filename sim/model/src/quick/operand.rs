//! Source operands of the quick path.

use super::lanes::{filled, inside};
use crate::exec::{addresses, operand as plain, Env};
use crate::memory::gather::gather;
use crate::memory::load_bytes;
use crate::record::Lanes;
use crate::warp::Warp;
use warpsmith_isa::{MemRef, MemSize, Src, WARP_SIZE};

/// An operand for all lanes; `None` where reading it traps.
#[inline(always)]
pub(super) fn operand<'a>(src: &Src, w: &'a Warp, env: &Env<'_>, e: u32, room: &'a mut Lanes) -> Option<&'a Lanes> {
    let (memory, at) = match src {
        Src::Shared(at) => (&*env.shared, at),
        Src::Const { bank, at } => (env.constants.bank(*bank), at),
        other => return plain(other, w, env, e, room).ok(),
    };
    if at.areg == 0 {
        let a = if at.post_inc { 0 } else { at.offset as u32 & 0xffff };
        if a & (at.size.bytes() - 1) != 0 || (a + at.size.bytes()) as usize > memory.len() {
            return None;
        }
        *room = whole(load_bytes(memory, a as usize, at.size));
        return Some(room);
    }
    let mut from = whole(0);
    shared_addresses(at, w, memory.len(), e, &mut from)?;
    match at.size {
        MemSize::B32 => gather(memory, &from, room),
        size => (0..WARP_SIZE).for_each(|l| room[l] = load_bytes(memory, from[l] as usize, size)),
    }
    Some(room)
}

/// One value for all lanes.
#[inline(always)]
pub(super) fn whole(value: u32) -> Lanes {
    [value; WARP_SIZE]
}

/// Offsets of a reference in a memory of `length` bytes; `None` where one is not inside.
#[inline(always)]
pub(super) fn shared_addresses(at: &MemRef, w: &Warp, length: usize, e: u32, to: &mut Lanes) -> Option<()> {
    addresses(at, w, to);
    *to = filled(to, e);
    inside(to, at.size.bytes(), length).then_some(())
}
