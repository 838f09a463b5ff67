//! Masks of lanes, and writing under them.

use crate::exec::{blend, predicate_mask};
use crate::memory::PAGE;
use crate::record::Lanes;
use crate::warp::Warp;
use warpsmith_isa::{Dst, MemRef, WARP_SIZE};

/// Lanes whose flags satisfy a guard.
#[inline(always)]
pub(super) fn holding(guard: u16, flags: &[u8; WARP_SIZE]) -> u32 {
    if guard == u16::MAX {
        return u32::MAX;
    }
    // Conditions of loops are most often those of all lanes.
    let first = flags[0];
    match flags.iter().fold(0, |odd, f| odd | f ^ first) {
        0 => (u32::from(guard) >> (first & 15) & 1).wrapping_neg(),
        _ => predicate_mask(guard, flags),
    }
}

/// Addresses with those of an executing lane in the places of the others; a lane executes.
#[inline(always)]
pub(super) fn filled(at: &Lanes, e: u32) -> Lanes {
    let mut all = *at;
    if e != u32::MAX {
        let any = at[e.trailing_zeros() as usize % WARP_SIZE];
        for l in 0..WARP_SIZE {
            all[l] = if e & (1 << l) != 0 { at[l] } else { any };
        }
    }
    all
}

/// Whether all addresses are on one page of global memory.
#[inline(always)]
pub(super) fn same_page(at: &Lanes) -> bool {
    let first = at[0];
    at.iter().fold(0, |odd, a| odd | a ^ first) < PAGE as u32
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
            values.iter_mut().for_each(|v| *v &= 0xffff);
            blend(&mut w.address[usize::from(a & 7)], values, mask);
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
    let register = &mut w.address[usize::from(at.areg & 7)];
    let stepped = register.map(|a| a.wrapping_add(at.offset as u32) & 0xffff);
    blend(register, &stepped, e);
}

/// Where an offset of each lane must lie: aligned to `bytes`, and `bytes` below the end of `length`.
#[inline(always)]
pub(super) fn inside(at: &Lanes, bytes: u32, length: usize) -> bool {
    let Some(last) = length.checked_sub(bytes as usize) else { return false };
    let last = last.min(0xffff) as i32;
    // Offsets have 16 bits.
    let beyond = at.iter().fold(0, |odd, a| odd | last.wrapping_sub(*a as i32)) < 0;
    at.iter().fold(0, |odd, a| odd | a & (bytes - 1)) == 0 && !beyond
}
