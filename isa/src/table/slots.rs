//! Operand slots: where an operand lies in the word and which kinds it admits.

const SHORT_AREG: u64 = 3 << 26;
const LONG_AREG: u64 = 3 << 26 | 1 << 34;
const POST: u64 = 1 << 25;
const C_SPACE: u64 = 0xf << 54;

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
            DstSlot::Short32 | DstSlot::Short16 => 0x3f << 2,
            DstSlot::Reg32 | DstSlot::Reg16 | DstSlot::Sized => 0x7f << 2,
            DstSlot::Long32 | DstSlot::Long16 => 0x7f << 2 | 1 << 35,
            DstSlot::LongSel => 0x7f << 2 | 1 << 35 | 1 << 58,
            DstSlot::Addr => 7 << 2,
            DstSlot::Cc => 3 << 36,
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
    /// Immediate-class source 1: as `S1W`, bit 23 not looked at.
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
    /// Bits of the word this slot uses.
    pub const fn bits(self) -> u64 {
        match self {
            SrcSlot::No => 0,
            SrcSlot::S1W | SrcSlot::S1H => 0x3f << 9 | 1 << 24 | 1 << 23 | POST | SHORT_AREG,
            SrcSlot::I1W | SrcSlot::I1H => 0x3f << 9 | 1 << 24 | POST | SHORT_AREG,
            SrcSlot::S2W | SrcSlot::S2H => 0x3f << 16 | 1 << 23 | 1 << 24 | POST | SHORT_AREG,
            SrcSlot::SReg1W | SrcSlot::SReg1H => 0x3f << 9,
            SrcSlot::SReg2W | SrcSlot::SReg2H => 0x3f << 16,
            SrcSlot::Acc => 0,
            SrcSlot::L1W | SrcSlot::L1H => {
                0x7f << 9 | 1 << 53 | 1 << 24 | 1 << 23 | POST | LONG_AREG
            }
            SrcSlot::L2W | SrcSlot::L2H => {
                0x7f << 16 | 1 << 53 | 1 << 24 | 1 << 23 | POST | LONG_AREG | C_SPACE
            }
            SrcSlot::CountW | SrcSlot::CountH => SrcSlot::L2W.bits() | 1 << 52,
            SrcSlot::L3W | SrcSlot::L3H => {
                0x7f << 46 | 1 << 53 | 1 << 24 | 1 << 23 | POST | LONG_AREG | C_SPACE
            }
            SrcSlot::LReg1W => 0x7f << 9,
            SrcSlot::Cvt => SrcSlot::L1W.bits() | 7 << 46,
            SrcSlot::Imm32 => 0x3f << 16 | 0x3ff_ffff << 34,
            SrcSlot::Imm16 => 0xffff << 9,
            SrcSlot::Addr => LONG_AREG,
            SrcSlot::Special => 0xf << 46,
            SrcSlot::Cc => 3 << 44,
            SrcSlot::ConstFar => 0xffff << 9 | 3 << 46 | C_SPACE | POST | LONG_AREG,
            SrcSlot::StoreSel => 0x7f << 46 | 1 << 53,
            SrcSlot::StoreSized => 0x7f << 2,
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
        let off = match self {
            MemSlot::No => return 0,
            MemSlot::SharedU8 | MemSlot::Local => 0xffff << 9,
            MemSlot::SharedU16 | MemSlot::SharedS16 => 0x7fff << 9,
            MemSlot::Shared32 => 0x3fff << 9,
        };
        off | POST | LONG_AREG
    }
}
