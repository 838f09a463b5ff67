//! Values and meanings of modifier fields: each code once, for both directions.

use crate::sm10::operand::{MemRef, MemSize};
use crate::sm10::role::Role;
use crate::sm10::types::*;

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

/// An action for each modifier of an operation, see `Op::modifiers`.
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
