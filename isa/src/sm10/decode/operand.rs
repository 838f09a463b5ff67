//! Operand fields of a word.

use crate::sm10::codes::{Code, SHARED_MODES};
use crate::sm10::operand::{Dst, MemRef, MemSize, Src};
use crate::sm10::table::conversion_slot;
use crate::sm10::table::place as p;
use crate::sm10::table::{DstSlot, Field, Form, Role, SrcSlot};

/// Which address register a reference takes, and whether it steps it.
#[derive(Clone, Copy)]
struct Step {
    areg: u8,
    post_inc: bool,
}

fn short_step(w: u64) -> Step {
    Step { areg: p::SHORT_AREG.get(w) as u8, post_inc: p::POST_INC.is_set(w) }
}

fn long_step(w: u64) -> Step {
    Step { areg: p::LONG_AREG.get(w) as u8, post_inc: p::POST_INC.is_set(w) }
}

/// Offset field in units of the access; signed when it is a step.
fn near(w: u64, field: Field, size: MemSize, step: Step) -> MemRef {
    let (raw, n) = (field.get(w) as i32, field.width());
    let offset = if step.post_inc && raw >> (n - 1) & 1 == 1 { raw - (1 << n) } else { raw };
    MemRef { areg: step.areg, offset: offset * size.bytes() as i32, post_inc: step.post_inc, size }
}

/// Offset field in units of `unit` bytes, never signed.
fn far(w: u64, field: Field, size: MemSize, unit: u32) -> MemRef {
    let step = long_step(w);
    MemRef { areg: step.areg, offset: (field.get(w) * unit) as i32, post_inc: step.post_inc, size }
}

fn shared_mode(field: Field, w: u64) -> MemSize {
    SHARED_MODES[field.get(w) as usize & 3]
}

fn reg(w: u64, field: Field, half: bool) -> Src {
    let v = field.get(w) as u8;
    if half {
        Src::Half(v)
    } else {
        Src::Reg(v)
    }
}

/// Size of a c[] operand.
fn unit(half: bool) -> MemSize {
    if half {
        MemSize::U16
    } else {
        MemSize::B32
    }
}

/// The memory operand of a load or store row; `size` is that of a local access.
pub(super) fn mem(f: &Form, w: u64, size: MemSize) -> MemRef {
    match (f.mem.offset(), f.mem.size()) {
        (Some(offset), Some(size)) => far(w, offset, size, size.bytes()),
        (Some(offset), None) => far(w, offset, size, 1),
        (None, _) => MemRef::absolute(0, size),
    }
}

pub(super) fn dst(f: &Form, w: u64) -> Dst {
    let short = p::SHORT_DST.get(w) as u8;
    let long = p::LONG_DST.get(w) as u8;
    let out = |d: Dst| match (p::OUTPUT.is_set(w), long) {
        (false, _) => d,
        (true, 127) => Dst::Discard,
        (true, n) => Dst::Out(n),
    };
    match f.dst {
        DstSlot::No => Dst::None,
        DstSlot::Short32 => Dst::Reg(short),
        DstSlot::Short16 => Dst::Half(short),
        DstSlot::Reg32 => Dst::Reg(long),
        DstSlot::Reg16 => Dst::Half(long),
        DstSlot::Long32 => out(Dst::Reg(long)),
        DstSlot::Long16 => out(Dst::Half(long)),
        DstSlot::LongSel if p::FULL_DST.is_set(w) => out(Dst::Reg(long)),
        DstSlot::LongSel => out(Dst::Half(long)),
        DstSlot::Sized => {
            let size = f.field(Role::MemSize).map_or(0, |m| m.get(w));
            match MemSize::from_code(size).map_or(1, MemSize::regs) {
                2 => Dst::Pair(long),
                4 => Dst::Quad(long),
                _ => Dst::Reg(long),
            }
        }
        DstSlot::Pair => Dst::Pair(long),
        DstSlot::Addr => Dst::Addr(p::ADDR_DST.get(w) as u8),
        DstSlot::Cc => Dst::Cc(p::FLAG_DST.get(w) as u8),
    }
}

/// The operand in `slot`, `None` when the selector bits make no sense.
pub(super) fn src(slot: SrcSlot, w: u64) -> Option<Src> {
    use SrcSlot as S;
    let slot = conversion_slot(slot, p::CVT_SRC.get(w));
    let half = slot.is_half();
    Some(match slot {
        S::No | S::Cvt => Src::None,
        // s[] excludes c[] in the short class.
        S::S1W | S::S1H if p::SHORT_SHARED.is_set(w) && p::CONST2.is_set(w) => return None,
        S::S1W | S::S1H | S::I1W | S::I1H if p::SHORT_SHARED.is_set(w) => {
            let size = shared_mode(p::SHORT_SHARED_MODE, w);
            Src::Shared(near(w, p::SHORT_SHARED_OFFSET, size, short_step(w)))
        }
        S::S1W | S::S1H | S::I1W | S::I1H | S::SReg1W | S::SReg1H => reg(w, p::SHORT_SRC1, half),
        S::S2W | S::S2H if p::CONST2.is_set(w) && !p::SHORT_SHARED.is_set(w) => Src::Const {
            bank: p::SHORT_BANK.get(w) as u8,
            at: near(w, p::SHORT_CONST_OFFSET, unit(half), short_step(w)),
        },
        S::S2W | S::S2H | S::SReg2W | S::SReg2H => reg(w, p::SHORT_SRC2, half),
        S::Acc => reg(w, p::SHORT_DST, false),
        S::L1W | S::L1H if p::CONST2.is_set(w) && p::CONST3.is_set(w) => return None,
        S::L1W | S::L1H if p::LONG_SHARED.is_set(w) => {
            let size = shared_mode(p::LONG_SHARED_MODE, w);
            Src::Shared(near(w, p::LONG_SHARED_OFFSET, size, long_step(w)))
        }
        S::L1W | S::L1H | S::LReg1W | S::LPair1 => reg(w, p::LONG_SRC1, half),
        S::LReg2W | S::LPair2 | S::AtomicData => reg(w, p::LONG_SRC2, half),
        S::LReg3W | S::LPair3 => reg(w, p::LONG_SRC3, half),
        s if s.is_count() && p::COUNT_IMM.is_set(w) => Src::Imm(s.immediate()?.get(w)),
        S::L2W | S::L2H | S::CountW | S::CountH | S::Count5W | S::Count5H => {
            return long23(w, p::CONST2, p::LONG_SRC2, half)
        }
        S::L3W | S::L3H => return long23(w, p::CONST3, p::LONG_SRC3, half),
        S::Imm32 | S::Imm16 | S::Imm12 | S::Imm10 => Src::Imm(slot.immediate()?.get(w)),
        S::Addr => Src::Addr(p::LONG_AREG.get(w) as u8),
        S::Special => Src::Special(p::SPECIAL.get(w) as u8),
        S::Cc => Src::Cc(p::GUARD_FLAG.get(w) as u8),
        S::ConstFar | S::ConstFarFixed => {
            let size = shared_mode(p::FAR_CONST_MODE, w);
            let at = far(w, p::far_offset(size.bytes()), size, size.bytes());
            let at = if slot == S::ConstFar { at } else { MemRef::absolute(at.offset, size) };
            Src::Const { bank: p::LONG_BANK.get(w) as u8, at }
        }
        S::StoreSel => reg(w, p::LONG_SRC3, !p::FULL_DATA.is_set(w)),
        S::StoreSized => reg(w, p::LONG_DST, false),
    })
}

/// Source 2 or 3 of long words; beside an `s[]` first source the address register belongs to it.
fn long23(w: u64, select: Field, place: Field, half: bool) -> Option<Src> {
    if p::CONST2.is_set(w) && p::CONST3.is_set(w) {
        return None;
    }
    if !select.is_set(w) {
        return Some(reg(w, place, half));
    }
    let step = if p::LONG_SHARED.is_set(w) { Step { areg: 0, post_inc: false } } else { long_step(w) };
    Some(Src::Const { bank: p::LONG_BANK.get(w) as u8, at: near(w, place, unit(half), step) })
}
