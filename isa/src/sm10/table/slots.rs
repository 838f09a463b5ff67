//! Operand slots: where an operand lies in the word and which kinds it admits.

use super::{place as p, Field};
use crate::sm10::operand::MemSize;

/// Address register and post-increment of short and of long words.
const SHORT_STEP: u64 = p::SHORT_AREG.bits() | p::POST_INC.bits();
const LONG_STEP: u64 = p::LONG_AREG.bits() | p::POST_INC.bits();
/// Bits that select memory sources of a long word, and their addresses.
const LONG_MEMORY: u64 = p::LONG_SHARED.bits() | p::CONST2.bits() | p::CONST3.bits() | LONG_STEP;

/// Destination slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DstSlot {
    /// None.
    No,
    /// 32-bit register, bits 7:2.
    Short32,
    /// Half register, bits 7:2.
    Short16,
    /// 32-bit register, bits 8:2.
    Reg32,
    /// Half register, bits 8:2.
    Reg16,
    /// 32-bit register or `o[]` (bit 35), bits 8:2.
    Long32,
    /// Half register or `o[]` (bit 35), bits 8:2.
    Long16,
    /// 32-bit (bit 58 = 1) or half register, or `o[]`, bits 8:2.
    LongSel,
    /// One, two or four registers by the access size (bits 55:53), bits 8:2.
    Sized,
    /// Address register, bits 4:2.
    Addr,
    /// Flag register, bits 37:36.
    Cc,
}

impl DstSlot {
    /// Bits of the word this slot uses.
    pub const fn bits(self) -> u64 {
        match self {
            DstSlot::No => 0,
            DstSlot::Short32 | DstSlot::Short16 => p::SHORT_DST.bits(),
            DstSlot::Reg32 | DstSlot::Reg16 | DstSlot::Sized => p::LONG_DST.bits(),
            DstSlot::Long32 | DstSlot::Long16 => p::LONG_DST.bits() | p::OUTPUT.bits(),
            DstSlot::LongSel => p::LONG_DST.bits() | p::OUTPUT.bits() | p::FULL_DST.bits(),
            DstSlot::Addr => p::ADDR_DST.bits(),
            DstSlot::Cc => p::FLAG_DST.bits(),
        }
    }
}

/// Source slot. `W` slots hold 32-bit, `H` slots 16-bit operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SrcSlot {
    /// None.
    No,
    /// Short source 1: register 14:9, or s\[\] when bit 24 (mode 14:13, offset 12:9).
    S1W,
    /// As `S1W`, half register.
    S1H,
    /// Immediate-class source 1: as `S1W`, bit 23 ignored.
    I1W,
    /// As `I1W`, half register.
    I1H,
    /// Short source 2: register 21:16, or c\[\] when bit 23 and not bit 24 (offset 20:16, bank 21).
    S2W,
    /// As `S2W`, half register.
    S2H,
    /// Short register 14:9.
    SReg1W,
    /// Short half register 14:9.
    SReg1H,
    /// Short register 21:16.
    SReg2W,
    /// Short half register 21:16.
    SReg2H,
    /// The destination register read as the third source.
    Acc,
    /// Long source 1: register 15:9, or s\[\] when bit 53 (mode 15:14, offset 13:9).
    L1W,
    /// As `L1W`, half register.
    L1H,
    /// Long source 2: register 22:16, or c\[\] when bit 23.
    L2W,
    /// As `L2W`, half register.
    L2H,
    /// Long source 3: register 52:46, or c\[\] when bit 24.
    L3W,
    /// As `L3W`, half register.
    L3H,
    /// Long register 15:9.
    LReg1W,
    /// Shift count: immediate 22:16 when bit 52, else as `L2W`.
    CountW,
    /// Shift count: immediate 22:16 when bit 52, else as `L2H`.
    CountH,
    /// Conversion source: `L1W`, `L1H` or register by the type field 48:46.
    Cvt,
    /// Immediate of 32 bits: 21:16 low, 59:34 high.
    Imm32,
    /// Immediate of 16 bits, 24:9.
    Imm16,
    /// Address register, 27:26 and 34.
    Addr,
    /// Special register, 49:46.
    Special,
    /// Flag register, 45:44.
    Cc,
    /// Constant of MVC: offset 24:9, size 47:46, bank 57:54.
    ConstFar,
    /// Store data of R2G: 52:46, full register when bit 53 else half register.
    StoreSel,
    /// Store data of GST and LST: the register field 8:2, one, two or four registers.
    StoreSized,
}

impl SrcSlot {
    /// Whether registers in the slot are halves. [`SrcSlot::Cvt`] and [`SrcSlot::StoreSel`] may be either.
    pub const fn is_half(self) -> bool {
        use SrcSlot::*;
        matches!(self, S1H | I1H | S2H | SReg1H | SReg2H | L1H | L2H | L3H | CountH)
    }

    /// Bits of the word this slot uses.
    pub const fn bits(self) -> u64 {
        match self {
            SrcSlot::No => 0,
            SrcSlot::S1W | SrcSlot::S1H => SrcSlot::I1W.bits() | p::CONST2.bits(),
            SrcSlot::I1W | SrcSlot::I1H => p::SHORT_SRC1.bits() | p::SHORT_SHARED.bits() | SHORT_STEP,
            SrcSlot::S2W | SrcSlot::S2H => {
                p::SHORT_SRC2.bits() | p::CONST2.bits() | p::SHORT_SHARED.bits() | SHORT_STEP
            }
            SrcSlot::SReg1W | SrcSlot::SReg1H => p::SHORT_SRC1.bits(),
            SrcSlot::SReg2W | SrcSlot::SReg2H => p::SHORT_SRC2.bits(),
            SrcSlot::Acc => 0,
            SrcSlot::L1W | SrcSlot::L1H => p::LONG_SRC1.bits() | LONG_MEMORY,
            SrcSlot::L2W | SrcSlot::L2H => p::LONG_SRC2.bits() | p::LONG_BANK.bits() | LONG_MEMORY,
            SrcSlot::CountW | SrcSlot::CountH => SrcSlot::L2W.bits() | p::COUNT_IMM.bits(),
            SrcSlot::L3W | SrcSlot::L3H => p::LONG_SRC3.bits() | p::LONG_BANK.bits() | LONG_MEMORY,
            SrcSlot::LReg1W => p::LONG_SRC1.bits(),
            SrcSlot::Cvt => SrcSlot::L1W.bits() | p::CVT_SRC.bits(),
            SrcSlot::Imm32 => p::IMM32.bits(),
            SrcSlot::Imm16 => p::IMM16.bits(),
            SrcSlot::Addr => p::LONG_AREG.bits(),
            SrcSlot::Special => p::SPECIAL.bits(),
            SrcSlot::Cc => p::GUARD_FLAG.bits(),
            SrcSlot::ConstFar => p::FAR_OFFSET8.bits() | p::FAR_CONST_MODE.bits() | p::LONG_BANK.bits() | LONG_STEP,
            SrcSlot::StoreSel => p::LONG_SRC3.bits() | p::FULL_DATA.bits(),
            SrcSlot::StoreSized => p::LONG_DST.bits(),
        }
    }
}

/// Memory operand of a load or store, offset field 9 and up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemSlot {
    /// None.
    No,
    /// Shared byte, 16-bit offset.
    SharedU8,
    /// Shared 16-bit word zero-extended, 15-bit offset.
    SharedU16,
    /// Shared 16-bit word sign-extended, 15-bit offset.
    SharedS16,
    /// Shared 32-bit word, 14-bit offset.
    Shared32,
    /// Local memory, size by bits 55:53, 16-bit byte offset.
    Local,
}

impl MemSlot {
    /// Bits of the word this slot uses.
    pub const fn bits(self) -> u64 {
        match self.offset() {
            Some(offset) => offset.bits() | LONG_STEP,
            None => 0,
        }
    }

    /// Field of the offset, in units of the access; local offsets count bytes.
    pub const fn offset(self) -> Option<Field> {
        Some(match self {
            MemSlot::No => return None,
            MemSlot::SharedU8 | MemSlot::Local => p::FAR_OFFSET8,
            MemSlot::SharedU16 | MemSlot::SharedS16 => p::FAR_OFFSET16,
            MemSlot::Shared32 => p::FAR_OFFSET32,
        })
    }

    /// Size of a shared access; local accesses have it in a modifier.
    pub const fn size(self) -> Option<MemSize> {
        Some(match self {
            MemSlot::No | MemSlot::Local => return None,
            MemSlot::SharedU8 => MemSize::U8,
            MemSlot::SharedU16 => MemSize::U16,
            MemSlot::SharedS16 => MemSize::S16,
            MemSlot::Shared32 => MemSize::B32,
        })
    }
}
