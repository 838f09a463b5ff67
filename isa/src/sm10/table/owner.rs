//! What each bit of a form belongs to.

use super::{place, Class, Field, Flags, Form, MemSlot, Role, SrcSlot, CDST_BITS, PRED_BITS};

/// Owner of a bit. Which memory or register a source is lies in selector bits, so that one field of
/// register bits may hold an offset too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Fixed to this value.
    Fixed(bool),
    /// Ignored, or of a form that is not decoded further.
    Ignored,
    /// A modifier.
    Modifier(Role),
    /// Condition of the guard.
    Condition,
    /// Flag register of the guard.
    GuardFlag,
    /// Marker of long words.
    Marker,
    /// Flags are written.
    FlagWrite,
    /// Flag register written.
    FlagDst,
    /// The destination is `o[]`.
    Output,
    /// The destination has 32 bits.
    FullDst,
    /// Destination.
    Dst,
    /// Post-increment.
    PostInc,
    /// Address register of a memory operand.
    Areg,
    /// Its high bit, beside a source of a long word.
    AregHigh,
    /// Offset of a load or store.
    Offset,
    /// Address register read as a source.
    AddrRead,
    /// Immediate.
    Immediate,
    /// The second source is c\[\].
    Const2,
    /// The third source is c\[\].
    Const3,
    /// The first source is s\[\].
    Shared,
    /// The shift count is an immediate.
    CountImm,
    /// The data stored is a full register.
    FullData,
    /// Constant bank.
    Bank,
    /// Source, from 0.
    Source(usize),
}

impl Form {
    /// Bytes of the encoding.
    pub const fn bytes(&self) -> usize {
        if self.class.is_long() {
            8
        } else {
            4
        }
    }

    /// Owner of bit `bit`, which lies inside the encoding.
    pub fn owner(&self, bit: u32) -> Owner {
        let b = 1u64 << bit;
        let is = |field: Field| field.is_set(b);
        if self.mask & b != 0 {
            return Owner::Fixed(self.match_ & b != 0);
        }
        if self.ignored & b != 0 {
            return Owner::Ignored;
        }
        if let Some(m) = self.mods.iter().find(|m| is(m.field)) {
            return Owner::Modifier(m.role);
        }
        if self.predicated && PRED_BITS & b != 0 {
            return match is(place::CONDITION) {
                true => Owner::Condition,
                false => Owner::GuardFlag,
            };
        }
        if self.class == Class::Long && is(place::MARKER) {
            return Owner::Marker;
        }
        if self.flags != Flags::No && CDST_BITS & b != 0 {
            return match is(place::FLAG_WRITE) {
                true => Owner::FlagWrite,
                false => Owner::FlagDst,
            };
        }
        if self.dst.bits() & b != 0 {
            return match b {
                _ if is(place::OUTPUT) => Owner::Output,
                _ if is(place::FULL_DST) => Owner::FullDst,
                _ => Owner::Dst,
            };
        }
        if self.mem != MemSlot::No && self.mem.bits() & b != 0 {
            return match b {
                _ if is(place::POST_INC) => Owner::PostInc,
                _ if is(place::LONG_AREG) => Owner::Areg,
                _ => Owner::Offset,
            };
        }
        let n = self.src.iter().position(|s| s.bits() & b != 0).unwrap_or(0);
        self.source_owner(n, is)
    }

    /// Owner of a bit of source `n`.
    fn source_owner(&self, n: usize, is: impl Fn(Field) -> bool) -> Owner {
        let long = self.class == Class::Long;
        match self.src[n] {
            SrcSlot::Addr => Owner::AddrRead,
            SrcSlot::Imm32 | SrcSlot::Imm16 => Owner::Immediate,
            SrcSlot::ConstFar if is(place::FAR_OFFSET8) => Owner::Source(n),
            _ if is(place::CONST2) => Owner::Const2,
            _ if is(place::CONST3) && long => Owner::Const3,
            _ if is(place::SHORT_SHARED) && !long => Owner::Shared,
            _ if is(place::POST_INC) => Owner::PostInc,
            _ if is(place::SHORT_AREG) => Owner::Areg,
            _ if is(place::LONG_AREG) && long => Owner::AregHigh,
            SrcSlot::CountW | SrcSlot::CountH if is(place::COUNT_IMM) => Owner::CountImm,
            SrcSlot::StoreSel if is(place::FULL_DATA) => Owner::FullData,
            _ if is(place::LONG_SHARED) => Owner::Shared,
            _ if is(place::LONG_BANK) && long => Owner::Bank,
            _ => Owner::Source(n),
        }
    }
}
