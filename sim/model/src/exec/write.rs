//! Write-back: registers, halves, address registers, flags.

use super::operand::blend;
use crate::record::{Retired, RetiredDst};
use crate::warp::Warp;
use warpsmith_isa::{Dst, MemRef, WARP_SIZE};

/// Writes `rec.flag_values` under `e`.
pub(super) fn write_flags(c: u8, warp: &mut Warp, e: u32, rec: &mut Retired) {
    rec.flags = Some(c & 3);
    let to = &mut warp.flags[usize::from(c & 3)];
    for l in 0..WARP_SIZE {
        if (e >> l) & 1 != 0 {
            to[l] = rec.flag_values[l];
        }
    }
}

/// Writes `rec.values` to the destination under `mask` and names it in the record. Registers
/// beyond the allocation were refused at decode.
#[inline(always)]
pub(super) fn write_back(dst: Dst, count: u8, warp: &mut Warp, mask: u32, rec: &mut Retired) {
    rec.write_mask = mask;
    match dst {
        Dst::Reg(first) | Dst::Pair(first) | Dst::Quad(first) => {
            for p in 0..usize::from(count) {
                if let Some(r) = warp.registers.get_mut(usize::from(first) + p) {
                    blend(r, &rec.values[p], mask);
                }
            }
            rec.dst = RetiredDst::Gpr { first, count };
        }
        Dst::Half(h) => {
            let high = h & 1 != 0;
            let shift = if high { 16 } else { 0 };
            if let Some(r) = warp.registers.get_mut(usize::from(h >> 1)) {
                for l in 0..WARP_SIZE {
                    rec.values[0][l] &= 0xffff;
                    let merged = (r[l] & !(0xffff << shift)) | (rec.values[0][l] << shift);
                    if (mask >> l) & 1 != 0 {
                        r[l] = merged;
                    }
                }
            }
            rec.dst = RetiredDst::Half { reg: h >> 1, high, count: 1 };
        }
        Dst::Addr(a) => {
            if a & 7 != 0 {
                for v in &mut rec.values[0] {
                    *v &= 0xffff;
                }
                blend(warp.address.written(usize::from(a & 7)), &rec.values[0], mask);
                rec.dst = RetiredDst::Addr { index: a & 7 };
            }
        }
        Dst::Cc(c) => {
            for l in 0..WARP_SIZE {
                rec.flag_values[l] = rec.values[0][l] as u8 & 15;
            }
            write_flags(c, warp, mask, rec);
        }
        Dst::None | Dst::Discard | Dst::Out(_) => {}
    }
}

/// Steps an address register under `e`.
pub(super) fn post_increment(at: &MemRef, warp: &mut Warp, e: u32, rec: &mut Retired) {
    let register = warp.address.written(usize::from(at.areg & 7));
    for l in 0..WARP_SIZE {
        rec.post_increment_values[l] = register[l].wrapping_add(at.offset as u32) & 0xffff;
    }
    blend(register, &rec.post_increment_values, e);
    rec.post_increment = Some(at.areg & 7);
}
