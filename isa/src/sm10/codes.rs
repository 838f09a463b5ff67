//! Values and meanings of modifier fields: each code once, for both directions.

use crate::sm10::instr::*;
use crate::sm10::op::Op;
use crate::sm10::operand::{MemRef, MemSize, Src};
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

/// Sizes of an s\[\] operand, and of MVC, by code.
pub const SHARED_MODES: [MemSize; 4] = [MemSize::U8, MemSize::U16, MemSize::S16, MemSize::B32];

/// Code of a size of an s\[\] operand, `None` for the other sizes.
pub fn shared_mode(size: MemSize) -> Option<u32> {
    let at = SHARED_MODES.iter().position(|s| *s == size)?;
    Some(at as u32)
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

/// Code of a conversion's source type read from `operand`.
fn conversion(from: IntType, operand: Src) -> u32 {
    let full = matches!(operand, Src::Reg(_));
    let fits = |c: &(IntType, SrcSlot)| c.0 == from && (from.bits() > 8 || full == (c.1 == SrcSlot::LReg1W));
    CONVERSIONS.iter().position(fits).unwrap_or(0) as u32
}

/// An action for each modifier of an operation, see [`Op::modifiers`].
pub(super) trait Visit {
    /// The field of `role` holds the code of `value`.
    fn value<T: Code>(&mut self, role: Role, value: &mut T);
    /// The field of [`Role::CvtSrc`] holds the code of a source type.
    fn conversion(&mut self, from: &mut IntType);
}

/// A part of an operation that a field of the word may hold.
pub(super) trait Modifier {
    /// Its value where a row has no such field.
    const OFF: Self;
    /// Shows it under its role.
    fn show(&mut self, role: Role, v: &mut impl Visit);
}

/// Modifiers that are their own values, with the one where a row has no such field.
macro_rules! modifiers {
    ($($type:ty: $off:expr;)+) => {
        $(impl Modifier for $type {
            const OFF: Self = $off;

            fn show(&mut self, role: Role, v: &mut impl Visit) {
                v.value(role, self);
            }
        })+
    };
}

modifiers! {
    bool: false;
    u8: 0;
    AddKind: AddKind::Add;
    LogicOp: LogicOp::And;
    Round: Round::Nearest;
    MemSize: MemSize::B32;
}

impl Modifier for IntType {
    const OFF: Self = IntType::U16;

    fn show(&mut self, _: Role, v: &mut impl Visit) {
        v.conversion(self);
    }
}

/// A byte address whose field counts units of 4 bytes.
impl Modifier for u32 {
    const OFF: Self = 0;

    fn show(&mut self, role: Role, v: &mut impl Visit) {
        let mut words = *self / 4;
        v.value(role, &mut words);
        *self = words.wrapping_mul(4);
    }
}

/// `None` on rows without the field.
impl Modifier for Option<u16> {
    const OFF: Self = None;

    fn show(&mut self, role: Role, v: &mut impl Visit) {
        self.iter_mut().for_each(|value| v.value(role, value));
    }
}

/// The size of a reference to memory.
impl Modifier for MemRef {
    const OFF: Self = MemRef::absolute(0, MemSize::B32);

    fn show(&mut self, role: Role, v: &mut impl Visit) {
        v.value(role, &mut self.size);
    }
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
    op.modifiers(&mut read);
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
    op.modifiers(&mut set);
    set.wrong.map_or(Ok(()), Err)
}
