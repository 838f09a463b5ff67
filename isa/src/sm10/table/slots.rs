//! Operand slots: where an operand lies in the word and which kinds it admits.

use super::{place as p, Field, Owner};
use crate::sm10::operand::MemSize;
use crate::sm10::types::IntType;

/// A field of a slot with its owner; [`Owner::Source`] without the number of the source.
type Owned = (Owner, Field);

const SOURCE: Owner = Owner::Source(0);

/// The fields of a source of short words that may be s\[\] or c\[\], and more.
macro_rules! short_source {
    ($($more:expr),*) => {
        &[$($more,)* (Owner::Shared, p::SHORT_SHARED), (Owner::PostInc, p::POST_INC), (Owner::Areg, p::SHORT_AREG)]
    };
}

/// The fields of a source of long words that may be s\[\] or c\[\], and more.
macro_rules! long_source {
    ($($more:expr),*) => {
        &[
            $($more,)*
            (Owner::Const2, p::CONST2),
            (Owner::Const3, p::CONST3),
            (Owner::PostInc, p::POST_INC),
            (Owner::Areg, p::SHORT_AREG),
            (Owner::AregHigh, p::AREG_HIGH),
            (Owner::Shared, p::LONG_SHARED),
        ]
    };
}

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
    /// Two registers from the one of bits 8:2 on.
    Pair,
    /// Address register, bits 4:2.
    Addr,
    /// Flag register, bits 37:36.
    Cc,
}

impl DstSlot {
    /// Its fields.
    pub const fn fields(self) -> &'static [Owned] {
        match self {
            DstSlot::No => &[],
            DstSlot::Short32 | DstSlot::Short16 => &[(Owner::Dst, p::SHORT_DST)],
            DstSlot::Reg32 | DstSlot::Reg16 | DstSlot::Sized | DstSlot::Pair => &[(Owner::Dst, p::LONG_DST)],
            DstSlot::Long32 | DstSlot::Long16 => &[(Owner::Dst, p::LONG_DST), (Owner::Output, p::OUTPUT)],
            DstSlot::LongSel => &[(Owner::Dst, p::LONG_DST), (Owner::Output, p::OUTPUT), (Owner::FullDst, p::FULL_DST)],
            DstSlot::Addr => &[(Owner::Dst, p::ADDR_DST)],
            DstSlot::Cc => &[(Owner::Dst, p::FLAG_DST)],
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
    /// Long register 22:16.
    LReg2W,
    /// Long register 52:46.
    LReg3W,
    /// Two registers from the one of bits 15:9 on.
    LPair1,
    /// Two registers from the one of bits 22:16 on.
    LPair2,
    /// Two registers from the one of bits 52:46 on.
    LPair3,
    /// Shift count: immediate 22:16 when bit 52, else as `L2W`.
    CountW,
    /// Shift count: immediate 22:16 when bit 52, else as `L2H`.
    CountH,
    /// FlexGripPlus: as `CountW`, immediate 20:16.
    Count5W,
    /// FlexGripPlus: as `CountH`, immediate 20:16.
    Count5H,
    /// Conversion source: `L1W`, `L1H` or register by the type field 48:46.
    Cvt,
    /// Immediate of 32 bits: 21:16 low, 59:34 high.
    Imm32,
    /// Immediate of 16 bits, 24:9.
    Imm16,
    /// FlexGripPlus: immediate of 10 bits, 25:16.
    Imm10,
    /// FlexGripPlus: immediate of 12 bits, 27:16.
    Imm12,
    /// Address register, 27:26 and 34.
    Addr,
    /// Special register, 49:46.
    Special,
    /// Flag register, 45:44.
    Cc,
    /// Constant of MVC: offset 24:9, size 47:46, bank 57:54.
    ConstFar,
    /// FlexGripPlus: as `ConstFar`, without an address register.
    ConstFarFixed,
    /// Store data of R2G: 52:46, full register when bit 53 else half register.
    StoreSel,
    /// Operand of an atomic access that gives what was there: register 22:16.
    AtomicData,
    /// Store data of GST and LST: the register field 8:2, one, two or four registers.
    StoreSized,
}

impl SrcSlot {
    /// Whether registers in the slot are halves. [`SrcSlot::Cvt`] and [`SrcSlot::StoreSel`] may be either.
    pub const fn is_half(self) -> bool {
        use SrcSlot::*;
        matches!(self, S1H | I1H | S2H | SReg1H | SReg2H | L1H | L2H | L3H | CountH | Count5H)
    }

    /// Whether it is a shift count, an immediate where bit 52 is set.
    pub const fn is_count(self) -> bool {
        use SrcSlot::*;
        matches!(self, CountW | CountH | Count5W | Count5H)
    }

    /// Field of an immediate that a source may be.
    pub const fn immediate(self) -> Option<Field> {
        use SrcSlot::*;
        Some(match self {
            CountW | CountH => p::LONG_SRC2,
            Count5W | Count5H => p::COUNT5,
            Imm32 => p::IMM32,
            Imm16 => p::IMM16,
            Imm12 => p::IMM12,
            Imm10 => p::IMM10,
            _ => return None,
        })
    }

    /// Whether texts leave the operand out where it is 0.
    pub const fn is_optional(self) -> bool {
        matches!(self, SrcSlot::Imm10 | SrcSlot::Imm12)
    }

    /// Its fields.
    pub const fn fields(self) -> &'static [Owned] {
        use SrcSlot::*;
        match self {
            No | Acc => &[],
            S1W | S1H => short_source!((SOURCE, p::SHORT_SRC1), (Owner::Const2, p::CONST2)),
            I1W | I1H => short_source!((SOURCE, p::SHORT_SRC1)),
            S2W | S2H => short_source!((SOURCE, p::SHORT_SRC2), (Owner::Const2, p::CONST2)),
            SReg1W | SReg1H => &[(SOURCE, p::SHORT_SRC1)],
            SReg2W | SReg2H => &[(SOURCE, p::SHORT_SRC2)],
            L1W | L1H => long_source!((SOURCE, p::LONG_SRC1)),
            L2W | L2H => long_source!((SOURCE, p::LONG_SRC2), (Owner::Bank, p::LONG_BANK)),
            CountW | CountH | Count5W | Count5H => {
                long_source!((SOURCE, p::LONG_SRC2), (Owner::Bank, p::LONG_BANK), (Owner::CountImm, p::COUNT_IMM))
            }
            L3W | L3H => long_source!((SOURCE, p::LONG_SRC3), (Owner::Bank, p::LONG_BANK)),
            LReg1W | LPair1 => &[(SOURCE, p::LONG_SRC1)],
            LReg2W | LPair2 | AtomicData => &[(SOURCE, p::LONG_SRC2)],
            LReg3W | LPair3 => &[(SOURCE, p::LONG_SRC3)],
            Cvt => long_source!((SOURCE, p::LONG_SRC1), (SOURCE, p::CVT_SRC)),
            Imm32 => &[(Owner::Immediate, p::IMM32)],
            Imm16 => &[(Owner::Immediate, p::IMM16)],
            Imm12 => &[(Owner::Immediate, p::IMM12)],
            Imm10 => &[(Owner::Immediate, p::IMM10)],
            Addr => &[(Owner::AddrRead, p::LONG_AREG)],
            Special => &[(SOURCE, p::SPECIAL)],
            Cc => &[(SOURCE, p::GUARD_FLAG)],
            ConstFar => &[
                (SOURCE, p::FAR_OFFSET8),
                (SOURCE, p::FAR_CONST_MODE),
                (Owner::Bank, p::LONG_BANK),
                (Owner::PostInc, p::POST_INC),
                (Owner::Areg, p::SHORT_AREG),
                (Owner::AregHigh, p::AREG_HIGH),
            ],
            ConstFarFixed => &[(SOURCE, p::FAR_OFFSET8), (SOURCE, p::FAR_CONST_MODE), (Owner::Bank, p::LONG_BANK)],
            StoreSel => &[(SOURCE, p::LONG_SRC3), (Owner::FullData, p::FULL_DATA)],
            StoreSized => &[(SOURCE, p::LONG_DST)],
        }
    }
}

/// Source types of integer conversions by code: type, the slot that the source then is (a half, a
/// full register or memory, a full register only).
pub const CONVERSIONS: [(IntType, SrcSlot); 8] = [
    (IntType::U16, SrcSlot::L1H),
    (IntType::U32, SrcSlot::L1W),
    (IntType::U8, SrcSlot::L1H),
    (IntType::U8, SrcSlot::LReg1W),
    (IntType::S16, SrcSlot::L1H),
    (IntType::S32, SrcSlot::L1W),
    (IntType::S8, SrcSlot::L1H),
    (IntType::S8, SrcSlot::LReg1W),
];

/// The slot that [`SrcSlot::Cvt`] is under a source type code; other slots are themselves.
pub fn conversion_slot(slot: SrcSlot, code: u32) -> SrcSlot {
    match slot {
        SrcSlot::Cvt => CONVERSIONS[code as usize & 7].1,
        s => s,
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
    /// Its fields.
    pub fn fields(self) -> impl Iterator<Item = Owned> {
        let of = |offset| [(Owner::Offset, offset), (Owner::PostInc, p::POST_INC), (Owner::Areg, p::LONG_AREG)];
        self.offset().map(of).into_iter().flatten()
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
