//! Masks of lanes, and writing under them.

use crate::exec::{blend, predicate_mask};
use crate::memory::gather::{ends, low_half, opaque, shapes, spread, Shapes};
use crate::memory::{base, PAGE};
use crate::record::Lanes;
use crate::warp::Warp;
use pulp::bytemuck::cast;
use pulp::Simd;
use std::ops::Range;
use warpsmith_isa::{Dst, MemRef, WARP_SIZE};

/// Lanes whose flags satisfy a guard.
#[inline(always)]
pub(super) fn holding(guard: u16, flags: &[u8; WARP_SIZE]) -> u32 {
    match agreed(guard, flags) {
        Some(holds) => u32::from(holds).wrapping_neg(),
        None => predicate_mask(guard, flags),
    }
}

/// Whether a guard holds, where all lanes have the same flags or it does not look at them. Conditions of loops are
/// most often those of all lanes.
#[inline(always)]
pub(super) fn agreed(guard: u16, flags: &[u8; WARP_SIZE]) -> Option<bool> {
    if guard == u16::MAX {
        return Some(true);
    }
    // Words that are no longer than what wrote them: the host delays longer reads.
    let all = u64::from(flags[0]) * 0x0101_0101_0101_0101;
    let mut odd = 0;
    for word in cast::<_, [u64; 4]>(*flags) {
        odd |= opaque(word) ^ all;
    }
    (odd == 0).then_some(guard >> (flags[0] & 15) & 1 != 0)
}

/// Addresses with those of an executing lane in the places of the others; a lane executes.
#[inline(always)]
pub(super) fn filled<'a>(at: &'a Lanes, e: u32, room: &'a mut Lanes) -> &'a Lanes {
    if e == u32::MAX {
        return at;
    }
    let any = at[e.trailing_zeros() as usize % WARP_SIZE];
    for l in 0..WARP_SIZE {
        room[l] = if e & (1 << l) != 0 { at[l] } else { any };
    }
    room
}

/// Where words are that may be accessed.
pub(super) enum Reach {
    /// All on one page.
    Page(Shapes),
    Pages,
}

/// How the words at these addresses can be accessed; `None` where one may not be.
#[inline(always)]
pub(super) fn reach<S: Simd>(simd: S, usable: Range<u64>, at: &Lanes) -> Option<Reach> {
    let shapes = shapes(simd, at);
    let (low, apart) = spread(at, shapes);
    if low & 3 != 0 {
        return None;
    }
    // Most accesses are on one page, and most pages can be accessed as a whole.
    let page = u64::from(base(at[0]));
    let together = apart < PAGE as u32;
    let inside = together && usable.start <= page && page + PAGE as u64 <= usable.end;
    if !inside && at.iter().any(|a| u64::from(*a) < usable.start || usable.end < u64::from(*a) + 4) {
        return None;
    }
    Some(if together { Reach::Page(shapes) } else { Reach::Pages })
}

/// Writes results to registers, address registers or halves under a mask.
#[inline(always)]
pub(super) fn write(dst: Dst, values: &mut Lanes, w: &mut Warp, mask: u32) {
    match dst {
        Dst::Reg(r) => {
            if let Some(r) = w.registers.get_mut(usize::from(r)) {
                blend(r, values, mask);
            }
        }
        Dst::Half(h) => {
            let shift = 16 * u32::from(h & 1);
            if let Some(r) = w.registers.get_mut(usize::from(h >> 1)) {
                for l in 0..WARP_SIZE {
                    values[l] = r[l] & !(0xffff << shift) | (values[l] & 0xffff) << shift;
                }
                blend(r, values, mask);
            }
        }
        Dst::Addr(a) if a & 7 != 0 => {
            let to = w.address.written(usize::from(a & 7));
            let low = low_half();
            for l in 0..WARP_SIZE {
                values[l] &= low;
            }
            blend(to, values, mask);
        }
        _ => {}
    }
}

/// Writes flags under a mask.
#[inline(always)]
pub(super) fn write_flags(c: u8, values: &[u8; WARP_SIZE], w: &mut Warp, e: u32) {
    let to = &mut w.flags[usize::from(c & 3)];
    if e == u32::MAX {
        *to = *values;
        return;
    }
    for l in 0..WARP_SIZE {
        to[l] = if e & (1 << l) != 0 { values[l] } else { to[l] };
    }
}

/// Steps an address register under a mask.
#[inline(always)]
pub(super) fn post_increment(at: &MemRef, w: &mut Warp, e: u32) {
    let register = w.address.written(usize::from(at.areg & 7));
    let (mut stepped, low) = (*register, low_half());
    for s in &mut stepped {
        *s = s.wrapping_add(at.offset as u32) & low;
    }
    blend(register, &stepped, e);
}

/// How offsets lie that must be aligned to `bytes`, at most 4, and `bytes` below the end of `length`; `None` where one is
/// not.
#[inline(always)]
pub(super) fn inside<S: Simd>(simd: S, at: &Lanes, bytes: u32, length: usize) -> Option<Shapes> {
    let last = length.checked_sub(bytes as usize)?.min(0xffff) as u32;
    let shapes = shapes(simd, at);
    let usable = match ends(at, shapes) {
        Some(ends) => all_inside(&ends, bytes, last),
        None => all_inside(at, bytes, last),
    };
    usable.then_some(shapes)
}

#[inline(always)]
fn all_inside(at: &[u32], bytes: u32, last: u32) -> bool {
    let (mut low, mut beyond) = (0, 0);
    for a in at {
        low |= a;
        // Offsets have 16 bits.
        beyond |= last.wrapping_sub(*a) as i32;
    }
    low & (bytes - 1) == 0 && beyond >= 0
}
