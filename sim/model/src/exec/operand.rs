//! Source operands: registers, immediates, shared and constant memory, and the guard.

use super::env::Env;
use crate::memory::{check, load_bytes};
use crate::record::Lanes;
use crate::trap::{Fault, Space};
use crate::warp::Warp;
use warpsmith_isa::{MemRef, Src, WARP_SIZE};

/// The operand that is not there, and registers beyond the allocation.
pub(super) static ZERO: Lanes = [0; WARP_SIZE];

/// A flag register as one mask of the threads whose predicate holds.
#[inline(always)]
pub(crate) fn predicate_mask(guard: u16, flags: &[u8; WARP_SIZE]) -> u32 {
    if guard == u16::MAX {
        return u32::MAX;
    }
    let mut mask = 0;
    for (lane, &f) in flags.iter().enumerate() {
        mask |= ((u32::from(guard) >> (f & 15)) & 1) << lane;
    }
    mask
}

/// Copies the lanes of `mask`.
#[inline(always)]
pub(crate) fn blend(to: &mut Lanes, from: &Lanes, mask: u32) {
    if mask == u32::MAX {
        *to = *from;
    } else {
        for l in 0..WARP_SIZE {
            let keep = ((mask >> l) & 1).wrapping_sub(1);
            to[l] = (to[l] & keep) | (from[l] & !keep);
        }
    }
}

/// Byte addresses of a reference; see [`MemRef`].
#[inline(always)]
pub(crate) fn addresses(at: &MemRef, warp: &Warp, out: &mut Lanes) {
    let base = &warp.address[usize::from(at.areg & 7)];
    let offset = if at.post_inc { 0 } else { at.offset as u32 };
    for l in 0..WARP_SIZE {
        out[l] = base[l].wrapping_add(offset) & 0xffff;
    }
}

/// Reads a byte slice by reference, extended, for the threads of `e`.
fn read_space(space: Space, memory: &[u8], at: &MemRef, warp: &Warp, e: u32, out: &mut Lanes) -> Result<(), Fault> {
    if e == 0 {
        return Ok(());
    }
    let limit = memory.len() as u64;
    if at.areg == 0 {
        // One address for everyone: check and read once.
        let a = if at.post_inc { 0 } else { at.offset as u32 & 0xffff };
        if a & (at.size.bytes() - 1) != 0 || u64::from(a + at.size.bytes()) > limit {
            check(space, 0..limit, at.size, e, &[a; WARP_SIZE])?;
        }
        *out = [load_bytes(memory, a as usize, at.size); WARP_SIZE];
        return Ok(());
    }
    let mut address = ZERO;
    addresses(at, warp, &mut address);
    check(space, 0..limit, at.size, e, &address)?;
    for l in 0..WARP_SIZE {
        if (e >> l) & 1 != 0 {
            out[l] = load_bytes(memory, address[l] as usize, at.size);
        }
    }
    Ok(())
}

/// One operand for all threads; registers are borrowed, everything else is built in `buf`.
#[inline(always)]
pub(crate) fn operand<'a>(
    src: &Src, warp: &'a Warp, env: &Env<'_>, e: u32, buf: &'a mut Lanes,
) -> Result<&'a Lanes, Fault> {
    match src {
        Src::None => Ok(&ZERO),
        Src::Reg(r) => Ok(warp.registers.get(usize::from(*r)).map_or(&ZERO, |r| r)),
        Src::Half(h) => {
            if let Some(r) = warp.registers.get(usize::from(h >> 1)) {
                let shift = 16 * u32::from(h & 1);
                for l in 0..WARP_SIZE {
                    buf[l] = (r[l] >> shift) & 0xffff;
                }
                Ok(buf)
            } else {
                Ok(&ZERO)
            }
        }
        Src::Imm(v) => {
            *buf = [*v; WARP_SIZE];
            Ok(buf)
        }
        Src::Shared(at) => {
            read_space(Space::Shared, env.shared, at, warp, e, buf)?;
            Ok(buf)
        }
        Src::Const { bank, at } => {
            let memory = env.constants.bank(*bank);
            read_space(Space::Constant(*bank), memory, at, warp, e, buf)?;
            Ok(buf)
        }
        Src::Addr(a) => Ok(&warp.address[usize::from(a & 7)]),
        Src::Cc(c) => {
            for l in 0..WARP_SIZE {
                buf[l] = u32::from(warp.flags[usize::from(c & 3)][l]);
            }
            Ok(buf)
        }
        Src::Special(n) => {
            *buf = [if *n == 1 { env.clock } else { 0 }; WARP_SIZE];
            Ok(buf)
        }
    }
}
