//! Operand fields of a word.

use crate::instr::{Dst, MemRef, MemSize, Src};
use crate::table::{DstSlot, Form, MemSlot, Role, SrcSlot};

const SHARED: u64 = 1 << 53;
const C3: u64 = 1 << 24;
const C2: u64 = 1 << 23;

fn bits(w: u64, lo: u32, n: u32) -> u32 {
    (w >> lo & ((1 << n) - 1)) as u32
}

/// Address register of a word: 27:26, and 34 in long words.
fn areg(w: u64, long: bool) -> u8 {
    (bits(w, 26, 2) | if long { bits(w, 34, 1) << 2 } else { 0 }) as u8
}

fn post(w: u64) -> bool {
    w >> 25 & 1 == 1
}

/// Offset field in bytes; the near forms are signed when they post-increment.
fn near(w: u64, lo: u32, n: u32, size: MemSize, areg: u8, post_inc: bool) -> MemRef {
    let raw = bits(w, lo, n) as i32;
    let offset = if post_inc && raw >> (n - 1) & 1 == 1 {
        raw - (1 << n)
    } else {
        raw
    };
    MemRef {
        areg,
        offset: offset * size.bytes() as i32,
        post_inc,
        size,
    }
}

fn far(w: u64, n: u32, size: MemSize, unit: u32) -> MemRef {
    MemRef {
        areg: areg(w, true),
        offset: (bits(w, 9, n) * unit) as i32,
        post_inc: post(w),
        size,
    }
}

fn shared_mode(mode: u32) -> MemSize {
    match mode {
        0 => MemSize::U8,
        1 => MemSize::U16,
        2 => MemSize::S16,
        _ => MemSize::B32,
    }
}

fn reg(v: u32, half: bool) -> Src {
    if half {
        Src::Half(v as u8)
    } else {
        Src::Reg(v as u8)
    }
}

fn unit(half: bool) -> MemSize {
    if half {
        MemSize::U16
    } else {
        MemSize::B32
    }
}

/// The memory operand of a load or store row; rows without one give an unused reference.
pub(super) fn mem(f: &Form, w: u64, size: MemSize) -> MemRef {
    match f.mem {
        MemSlot::No => MemRef {
            areg: 0,
            offset: 0,
            post_inc: false,
            size,
        },
        MemSlot::SharedU8 => far(w, 16, MemSize::U8, 1),
        MemSlot::SharedU16 => far(w, 15, MemSize::U16, 2),
        MemSlot::SharedS16 => far(w, 15, MemSize::S16, 2),
        MemSlot::Shared32 => far(w, 14, MemSize::B32, 4),
        MemSlot::Local => far(w, 16, size, 1),
    }
}

pub(super) fn dst(f: &Form, w: u64) -> Dst {
    let six = bits(w, 2, 6) as u8;
    let seven = bits(w, 2, 7) as u8;
    let out = |d: Dst| match (w >> 35 & 1, seven) {
        (0, _) => d,
        (_, 127) => Dst::Discard,
        (_, n) => Dst::Out(n),
    };
    match f.dst {
        DstSlot::No => Dst::None,
        DstSlot::Short32 => Dst::Reg(six),
        DstSlot::Short16 => Dst::Half(six),
        DstSlot::Reg32 => Dst::Reg(seven),
        DstSlot::Reg16 => Dst::Half(seven),
        DstSlot::Long32 => out(Dst::Reg(seven)),
        DstSlot::Long16 => out(Dst::Half(seven)),
        DstSlot::LongSel if w >> 58 & 1 == 1 => out(Dst::Reg(seven)),
        DstSlot::LongSel => out(Dst::Half(seven)),
        DstSlot::Sized => match super::modifier(f, w, Role::MemSize) {
            4 => Dst::Pair(seven),
            5 => Dst::Quad(seven),
            _ => Dst::Reg(seven),
        },
        DstSlot::Addr => Dst::Addr(bits(w, 2, 3) as u8),
        DstSlot::Cc => Dst::Cc(bits(w, 36, 2) as u8),
    }
}

/// The operand in `slot`, `None` when the selector bits make no sense.
pub(super) fn src(slot: SrcSlot, w: u64) -> Option<Src> {
    Some(match slot {
        SrcSlot::No => Src::None,
        SrcSlot::S1W => return short1(w, false, true),
        SrcSlot::S1H => return short1(w, true, true),
        SrcSlot::I1W => return short1(w, false, false),
        SrcSlot::I1H => return short1(w, true, false),
        SrcSlot::S2W => short2(w, false),
        SrcSlot::S2H => short2(w, true),
        SrcSlot::SReg1W => reg(bits(w, 9, 6), false),
        SrcSlot::SReg1H => reg(bits(w, 9, 6), true),
        SrcSlot::SReg2W => reg(bits(w, 16, 6), false),
        SrcSlot::SReg2H => reg(bits(w, 16, 6), true),
        SrcSlot::Acc => reg(bits(w, 2, 6), false),
        SrcSlot::L1W => return long1(w, false),
        SrcSlot::L1H => return long1(w, true),
        SrcSlot::L2W => return long23(w, C2, 16, false),
        SrcSlot::L2H => return long23(w, C2, 16, true),
        SrcSlot::L3W => return long23(w, C3, 46, false),
        SrcSlot::L3H => return long23(w, C3, 46, true),
        SrcSlot::LReg1W => reg(bits(w, 9, 7), false),
        SrcSlot::CountW | SrcSlot::CountH => {
            if w >> 52 & 1 == 1 {
                Src::Imm(bits(w, 16, 7))
            } else {
                return long23(w, C2, 16, slot == SrcSlot::CountH);
            }
        }
        SrcSlot::Cvt => match bits(w, 46, 3) {
            3 | 7 => reg(bits(w, 9, 7), false),
            1 | 5 => return long1(w, false),
            _ => return long1(w, true),
        },
        SrcSlot::Imm32 => Src::Imm(bits(w, 16, 6) | bits(w, 34, 26) << 6),
        SrcSlot::Imm16 => Src::Imm(bits(w, 9, 16)),
        SrcSlot::Addr => Src::Addr(areg(w, true)),
        SrcSlot::Special => Src::Special(bits(w, 46, 4) as u8),
        SrcSlot::Cc => Src::Cc(bits(w, 44, 2) as u8),
        SrcSlot::ConstFar => {
            let size = shared_mode(bits(w, 46, 2));
            let n = match size.bytes() {
                1 => 16,
                2 => 15,
                _ => 14,
            };
            Src::Const {
                bank: bits(w, 54, 4) as u8,
                at: far(w, n, size, size.bytes()),
            }
        }
        SrcSlot::StoreSel => reg(bits(w, 46, 7), w & SHARED == 0),
        SrcSlot::StoreSized => reg(bits(w, 2, 7), false),
    })
}

/// Source 1 of short and immediate words; `s[]` excludes `c[]` in the short class.
fn short1(w: u64, half: bool, exclusive: bool) -> Option<Src> {
    if w & C3 == 0 {
        return Some(reg(bits(w, 9, 6), half));
    }
    if exclusive && w & C2 != 0 {
        return None;
    }
    let size = shared_mode(bits(w, 13, 2));
    Some(Src::Shared(near(w, 9, 4, size, areg(w, false), post(w))))
}

fn short2(w: u64, half: bool) -> Src {
    if w & (C2 | C3) != C2 {
        return reg(bits(w, 16, 6), half);
    }
    Src::Const {
        bank: bits(w, 21, 1) as u8,
        at: near(w, 16, 5, unit(half), areg(w, false), post(w)),
    }
}

fn long1(w: u64, half: bool) -> Option<Src> {
    if w & C2 != 0 && w & C3 != 0 {
        return None;
    }
    if w & SHARED == 0 {
        return Some(reg(bits(w, 9, 7), half));
    }
    let size = shared_mode(bits(w, 14, 2));
    Some(Src::Shared(near(w, 9, 5, size, areg(w, true), post(w))))
}

/// Source 2 or 3 of long words; beside an `s[]` first source the address register belongs to it.
fn long23(w: u64, select: u64, lo: u32, half: bool) -> Option<Src> {
    if w & (C2 | C3) == C2 | C3 {
        return None;
    }
    if w & select == 0 {
        return Some(reg(bits(w, lo, 7), half));
    }
    let (areg, post_inc) = if w & SHARED != 0 {
        (0, false)
    } else {
        (areg(w, true), post(w))
    };
    Some(Src::Const {
        bank: bits(w, 54, 4) as u8,
        at: near(w, lo, 7, unit(half), areg, post_inc),
    })
}
