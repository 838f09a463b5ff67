//! Values and meanings of modifier fields: each code once, for both directions.

use crate::sm10::instr::*;
use crate::sm10::operand::{MemSize, Src};
use crate::sm10::table::{Role, SrcSlot};

/// A value that a modifier field holds.
pub trait Code: Sized + Copy {
    /// The field's value.
    fn code(self) -> u32;
    /// The meaning of a field's value, `None` when it has none.
    fn from_code(code: u32) -> Option<Self>;
}

/// Meanings in the order of their codes, from 0.
macro_rules! codes {
    ($($type:ty: $($value:expr),+;)+) => {
        $(impl Code for $type {
            fn code(self) -> u32 {
                let all: &[Self] = &[$($value),+];
                all.iter().position(|v| *v == self).unwrap_or(0) as u32
            }

            fn from_code(code: u32) -> Option<Self> {
                let all: &[Self] = &[$($value),+];
                all.get(code as usize).copied()
            }
        })+
    };
}

codes! {
    bool: false, true;
    AddKind: AddKind::Add, AddKind::Sub, AddKind::Subr, AddKind::Addc;
    LogicOp: LogicOp::And, LogicOp::Or, LogicOp::Xor, LogicOp::PassB;
    Round: Round::Nearest, Round::Down, Round::Up, Round::Zero;
    MemSize: MemSize::U8, MemSize::S8, MemSize::U16, MemSize::S16, MemSize::B64, MemSize::B128, MemSize::B32;
    Marker: Marker::None, Marker::Exit, Marker::Join;
}

/// Numbers are their own codes.
macro_rules! numbers {
    ($($type:ty),+) => {
        $(impl Code for $type {
            fn code(self) -> u32 {
                self.into()
            }

            fn from_code(code: u32) -> Option<Self> {
                Self::try_from(code).ok()
            }
        })+
    };
}

numbers!(u8, u16, u32);

/// Names of [`LogicOp`] by code.
pub const LOGIC_NAMES: [&str; 4] = ["AND", "OR", "XOR", "PASS_B"];
/// Names of [`Round`] by code; nearest has none.
pub const ROUND_NAMES: [&str; 4] = ["", "FLOOR", "CEIL", "TRUNC"];
/// Names of the [`MemSize`] of global and local accesses by code.
pub const ACCESS_NAMES: [&str; 7] = ["U8", "S8", "U16", "S16", "S64", "S128", "U32"];

/// Sizes of an s\[\] operand, and of MVC, by code.
pub const SHARED_MODES: [MemSize; 4] = [MemSize::U8, MemSize::U16, MemSize::S16, MemSize::B32];

/// Code of a size of an s\[\] operand, `None` for the other sizes.
pub fn shared_mode(size: MemSize) -> Option<u32> {
    let at = SHARED_MODES.iter().position(|s| *s == size)?;
    Some(at as u32)
}

/// Source types of integer conversions by code: type, the slot that the source then is (a half, a
/// full register or memory, a full register only), name.
pub const CONVERSIONS: [(IntType, SrcSlot, &str); 8] = [
    (IntType::U16, SrcSlot::L1H, "U16"),
    (IntType::U32, SrcSlot::L1W, "U32"),
    (IntType::U8, SrcSlot::L1H, "U16.BEXT"),
    (IntType::U8, SrcSlot::LReg1W, "U8"),
    (IntType::S16, SrcSlot::L1H, "S16"),
    (IntType::S32, SrcSlot::L1W, "S32"),
    (IntType::S8, SrcSlot::L1H, "S16.BEXT"),
    (IntType::S8, SrcSlot::LReg1W, "S8"),
];

/// The slot that [`SrcSlot::Cvt`] is under a source type code; other slots are themselves.
pub fn conversion_slot(slot: SrcSlot, code: u32) -> SrcSlot {
    match slot {
        SrcSlot::Cvt => CONVERSIONS[code as usize & 7].1,
        s => s,
    }
}

/// Code of a conversion's source type read from `operand`.
fn conversion(from: IntType, operand: Src) -> u32 {
    let full = matches!(operand, Src::Reg(_));
    let fits = |c: &(IntType, SrcSlot, &str)| c.0 == from && (from.bits() > 8 || full == (c.1 == SrcSlot::LReg1W));
    CONVERSIONS.iter().position(fits).unwrap_or(0) as u32
}

/// An action for each modifier of an operation, see [`modifiers`].
trait Visit {
    /// The field of `role` holds the code of `value`.
    fn value<T: Code>(&mut self, role: Role, value: &mut T);
    /// The field of [`Role::CvtSrc`] holds the code of a source type.
    fn conversion(&mut self, from: &mut IntType);
}

/// Shows every modifier of `op` that a field holds, with the field's role.
fn modifiers(op: &mut Op, v: &mut impl Visit) {
    use Role as R;
    match op {
        Op::Mov { lanes, .. } => v.value(R::Lanes, lanes),
        Op::IAdd { kind, sat, .. } => {
            v.value(R::AddKind, kind);
            v.value(R::Sat, sat);
        }
        Op::IMul16 { signed_a, signed_b } => {
            v.value(R::SignedA, signed_a);
            v.value(R::SignedB, signed_b);
        }
        Op::IMul24 { signed, high } => {
            v.value(R::Signed, signed);
            v.value(R::High, high);
        }
        // The multiplier and its saturation are the row's.
        Op::IMad { kind, .. } => v.value(R::AddKind, kind),
        Op::ISad { signed, .. } | Op::IMinMax { signed, .. } | Op::Shift { signed, .. } => {
            v.value(R::Signed, signed);
        }
        Op::ISet { cond, signed, .. } => {
            v.value(R::CondI, cond);
            v.value(R::Signed, signed);
        }
        Op::Logic { op, not_a, not_b, .. } => {
            v.value(R::Logic, op);
            v.value(R::NotA, not_a);
            v.value(R::NotB, not_b);
        }
        Op::I2I { src, neg, abs, .. } => {
            v.conversion(src);
            v.value(R::NegA, neg);
            v.value(R::AbsA, abs);
        }
        Op::I2F { src, round, neg, abs, sat, .. } => {
            v.conversion(src);
            v.value(R::Round, round);
            v.value(R::NegA, neg);
            v.value(R::AbsA, abs);
            v.value(R::Sat, sat);
        }
        Op::F2I { round, neg, abs, .. } => {
            v.value(R::Round, round);
            v.value(R::NegA, neg);
            v.value(R::AbsA, abs);
        }
        Op::F2F { round, neg, abs, sat, .. } => {
            v.value(R::Round, round);
            v.value(R::NegA, neg);
            v.value(R::AbsA, abs);
            v.value(R::Sat, sat);
        }
        Op::FAdd { neg_a, neg_b, round, sat } => {
            v.value(R::RoundNZ, round);
            v.value(R::NegA, neg_a);
            v.value(R::NegB, neg_b);
            v.value(R::Sat, sat);
        }
        Op::FMul { neg_a, neg_b, round } => {
            v.value(R::RoundNZ, round);
            v.value(R::NegA, neg_a);
            v.value(R::NegB, neg_b);
        }
        Op::FMad { neg_ab, neg_c, sat } => {
            v.value(R::NegA, neg_ab);
            v.value(R::NegC, neg_c);
            v.value(R::Sat, sat);
        }
        Op::FMinMax { neg_a, abs_a, neg_b, abs_b, .. } => {
            v.value(R::NegA, neg_a);
            v.value(R::AbsA, abs_a);
            v.value(R::NegB, neg_b);
            v.value(R::AbsB, abs_b);
        }
        Op::FSet { cond, neg_a, abs_a, neg_b, abs_b } => {
            v.value(R::CondF, cond);
            v.value(R::NegA, neg_a);
            v.value(R::AbsA, abs_a);
            v.value(R::NegB, neg_b);
            v.value(R::AbsB, abs_b);
        }
        Op::FSlct { neg_c } => v.value(R::NegC, neg_c),
        Op::Sfu { neg, abs, sat, .. } => {
            v.value(R::NegA, neg);
            v.value(R::AbsA, abs);
            v.value(R::Sat, sat);
        }
        Op::Rro { neg, abs, .. } => {
            v.value(R::NegA, neg);
            v.value(R::AbsA, abs);
        }
        Op::R2A { shift } => v.value(R::Shift4, shift),
        Op::LdGlobal { space, size } | Op::StGlobal { space, size } => {
            v.value(R::Space, space);
            v.value(R::MemSize, size);
        }
        Op::LdLocal { at } | Op::StLocal { at } => v.value(R::MemSize, &mut at.size),
        Op::Bra { target } | Op::Pbk { target } | Op::Ssy { target } => words(target, v),
        Op::Cal { target, lim } => {
            words(target, v);
            v.value(R::Lim, lim);
        }
        Op::Bar { id, arrive, wait, mask } => {
            v.value(R::BarId, id);
            v.value(R::Arrive, arrive);
            v.value(R::Wait, wait);
            if let Some(mask) = mask {
                v.value(R::BarMask, mask);
            }
        }
        Op::PmTrig { id } => v.value(R::PmId, id),
        Op::C2R
        | Op::R2C
        | Op::A2R
        | Op::S2R
        | Op::AddA
        | Op::StShared { .. }
        | Op::LdShared { .. }
        | Op::LdConst
        | Op::Ret
        | Op::Brk
        | Op::Trap
        | Op::Bpt
        | Op::Nop
        | Op::Unsupported => {}
    }
}

/// A byte address whose field counts units of 4 bytes.
fn words(target: &mut u32, v: &mut impl Visit) {
    let mut words = *target / 4;
    v.value(Role::Target, &mut words);
    *target = words.wrapping_mul(4);
}

/// Value of the field of `role` for an instruction, 0 where the operation has no such modifier.
pub(crate) fn field_value(i: &Instr, role: Role) -> u32 {
    struct Read {
        role: Role,
        operand: Src,
        found: u32,
    }
    impl Visit for Read {
        fn value<T: Code>(&mut self, role: Role, value: &mut T) {
            if role == self.role {
                self.found = value.code();
            }
        }

        fn conversion(&mut self, from: &mut IntType) {
            if self.role == Role::CvtSrc {
                self.found = conversion(*from, self.operand);
            }
        }
    }
    let mut read = Read { role, operand: i.src[0], found: 0 };
    let mut op = i.op;
    modifiers(&mut op, &mut read);
    read.found
}

/// Sets the modifiers of `op` from fields: `get` gives the field's value, `None` where the row has
/// no such field and the modifier stays.
///
/// # Errors
/// The role and value of a field without meaning.
pub(crate) fn set_modifiers(op: &mut Op, get: impl Fn(Role) -> Option<u32>) -> Result<(), (Role, u32)> {
    struct Set<G> {
        get: G,
        wrong: Option<(Role, u32)>,
    }
    impl<G: Fn(Role) -> Option<u32>> Visit for Set<G> {
        fn value<T: Code>(&mut self, role: Role, value: &mut T) {
            let Some(code) = (self.get)(role) else {
                return;
            };
            // Rounding of sums and products knows nearest and zero only.
            let meant = role != Role::RoundNZ || matches!(code, 0 | 3);
            match T::from_code(code).filter(|_| meant) {
                Some(v) => *value = v,
                None => self.wrong = Some((role, code)),
            }
        }

        fn conversion(&mut self, from: &mut IntType) {
            if let Some(code) = (self.get)(Role::CvtSrc) {
                *from = CONVERSIONS[code as usize & 7].0;
            }
        }
    }
    let mut set = Set { get, wrong: None };
    modifiers(op, &mut set);
    set.wrong.map_or(Ok(()), Err)
}
