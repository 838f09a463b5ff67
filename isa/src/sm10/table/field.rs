//! Bit fields and the modifiers that they hold.

use super::place;
use crate::sm10::role::Role;

/// A field of up to two runs of bits; the first run holds the low bits of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// (lowest bit, number of bits) of the low part.
    pub lo: (u8, u8),
    /// (lowest bit, number of bits) of the high part; 0 bits when there is none.
    pub hi: (u8, u8),
}

impl Field {
    /// One run of `n` bits from bit `lo`.
    pub const fn one(lo: u8, n: u8) -> Field {
        Field { lo: (lo, n), hi: (0, 0) }
    }

    /// Two runs, low part first.
    pub const fn two(lo: (u8, u8), hi: (u8, u8)) -> Field {
        Field { lo, hi }
    }

    /// The bits of the word the field covers.
    pub const fn bits(self) -> u64 {
        run(self.lo) | run(self.hi)
    }

    /// Width of the value in bits.
    pub const fn width(self) -> u8 {
        self.lo.1 + self.hi.1
    }

    /// The value in word `w`.
    pub const fn get(self, w: u64) -> u32 {
        let l = (w >> self.lo.0) & ((1 << self.lo.1) - 1);
        let h = (w >> self.hi.0) & ((1 << self.hi.1) - 1);
        (l | h << self.lo.1) as u32
    }

    /// Whether any bit of the field is set in word `w`.
    pub const fn is_set(self, w: u64) -> bool {
        w & self.bits() != 0
    }

    /// `v` placed into the field of an all-zero word (bits beyond the width are dropped).
    pub const fn put(self, v: u32) -> u64 {
        let v = v as u64;
        let l = v & ((1 << self.lo.1) - 1);
        let h = (v >> self.lo.1) & ((1 << self.hi.1) - 1);
        l << self.lo.0 | h << self.hi.0
    }
}

const fn run(r: (u8, u8)) -> u64 {
    ((1u64 << r.1) - 1) << r.0
}

/// A modifier: a role and the field that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mod {
    /// Meaning.
    pub role: Role,
    /// Place in the word.
    pub field: Field,
}

const fn at(role: Role, field: Field) -> Mod {
    Mod { role, field }
}

const fn m(role: Role, lo: u8, n: u8) -> Mod {
    Mod { role, field: Field::one(lo, n) }
}

// Short and immediate words.
pub(super) const S_ADDOP: Mod = Mod { role: Role::AddKind, field: Field::two((22, 1), (28, 1)) };
pub(super) const S_SAT: Mod = m(Role::Sat, 8, 1);
pub(super) const S_HIGH: Mod = m(Role::High, 8, 1);
pub(super) const S_SIGNED: Mod = m(Role::Signed, 8, 1);
pub(super) const S_SIGNED24: Mod = m(Role::Signed, 15, 1);
pub(super) const S_SIGNED_A: Mod = m(Role::SignedA, 15, 1);
pub(super) const S_SIGNED_B: Mod = m(Role::SignedB, 8, 1);
pub(super) const S_NEG_A15: Mod = m(Role::NegA, 15, 1);
pub(super) const S_NEG_A22: Mod = m(Role::NegA, 22, 1);
pub(super) const S_ABS_A: Mod = m(Role::AbsA, 15, 1);
pub(super) const S_NEG_B: Mod = m(Role::NegB, 22, 1);
pub(super) const S_NEG_C: Mod = m(Role::NegC, 22, 1);
pub(super) const S_NOT_A: Mod = m(Role::NotA, 22, 1);
// Long words.
pub(super) const L_ADDOP: Mod = S_ADDOP;
pub(super) const L_ADDOP2: Mod = m(Role::AddKind, 58, 2);
pub(super) const L_SAT: Mod = m(Role::Sat, 59, 1);
pub(super) const L_SAT61: Mod = m(Role::Sat, 61, 1);
pub(super) const L_SAT51: Mod = m(Role::Sat, 51, 1);
pub(super) const L_SIGNED: Mod = m(Role::Signed, 59, 1);
pub(super) const L_SIGNED24: Mod = m(Role::Signed, 47, 1);
pub(super) const L_SIGNED_A: Mod = m(Role::SignedA, 47, 1);
pub(super) const L_SIGNED_B: Mod = m(Role::SignedB, 46, 1);
pub(super) const L_HIGH: Mod = m(Role::High, 46, 1);
pub(super) const L_NEG_A: Mod = m(Role::NegA, 58, 1);
pub(super) const L_NEG_A61: Mod = m(Role::NegA, 61, 1);
pub(super) const L_ABS_A: Mod = m(Role::AbsA, 52, 1);
pub(super) const L_NEG_B: Mod = m(Role::NegB, 59, 1);
pub(super) const L_ABS_B: Mod = m(Role::AbsB, 51, 1);
pub(super) const L_NEG_C: Mod = m(Role::NegC, 59, 1);
pub(super) const L_NEG_C61: Mod = m(Role::NegC, 61, 1);
pub(super) const L_NOT_A: Mod = m(Role::NotA, 48, 1);
pub(super) const L_NOT_B: Mod = m(Role::NotB, 49, 1);
pub(super) const L_COND_I: Mod = m(Role::CondI, 46, 3);
pub(super) const L_COND_F: Mod = m(Role::CondF, 46, 4);
pub(super) const L_LOGIC: Mod = m(Role::Logic, 46, 2);
pub(super) const L_ROUND: Mod = m(Role::Round, 49, 2);
pub(super) const L_ROUND_ADD: Mod = m(Role::RoundNZ, 16, 2);
pub(super) const L_ROUND_MUL: Mod = m(Role::RoundNZ, 46, 2);
pub(super) const L_ROUND_DADD: Mod = m(Role::Round, 16, 2);
pub(super) const L_ROUND_DFMA: Mod = m(Role::Round, 54, 2);
pub(super) const L_CVT_SRC: Mod = at(Role::CvtSrc, place::CVT_SRC);
pub(super) const L_LANES: Mod = m(Role::Lanes, 46, 4);
pub(super) const L_SIZE: Mod = at(Role::MemSize, place::ACCESS_SIZE);
pub(super) const L_SHIFT4: Mod = m(Role::Shift4, 16, 4);
pub(super) const L_SPACE: Mod = m(Role::Space, 16, 4);
pub(super) const L_ATOMIC_SPACE: Mod = m(Role::Space, 23, 4);
pub(super) const L_SIGNED_WORD: Mod = at(Role::SignedWord, place::ATOMIC_SIGNED);
pub(super) const L_PM_ID: Mod = m(Role::PmId, 10, 4);
// The manual of FlexGripPlus alone.
pub(super) const L_COND_I5: Mod = m(Role::CondI, 46, 5);
pub(super) const L_COND_F5: Mod = m(Role::CondF, 46, 5);
pub(super) const L_CARRY_IN: Mod = at(Role::CarryIn, Field::two((22, 1), (28, 1)));
// Control words.
pub(super) const C_LIM: Mod = m(Role::Lim, 38, 1);
pub(super) const C_BAR_ID: Mod = m(Role::BarId, 21, 4);
pub(super) const C_BAR_MASK: Mod = at(Role::BarMask, place::BAR_MASK);
pub(super) const C_ARRIVE: Mod = m(Role::Arrive, 25, 1);
pub(super) const C_WAIT: Mod = m(Role::Wait, 26, 1);
pub(super) const C_TARGET: Mod = at(Role::Target, place::TARGET);
