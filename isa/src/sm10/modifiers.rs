//! Modifiers of an operation from and to the fields of a word.

use crate::sm10::arch::pred_holds;
use crate::sm10::codes::{Code, Visit};
use crate::sm10::instr::*;
use crate::sm10::op::Op;
use crate::sm10::operand::Src;
use crate::sm10::table::{Role, SrcSlot, CONVERSIONS};

/// Code of a conversion's source type read from `operand`.
fn conversion(from: IntType, operand: Src) -> u32 {
    let full = matches!(operand, Src::Reg(_));
    let fits = |c: &(IntType, SrcSlot)| c.0 == from && (from.bits() > 8 || full == (c.1 == SrcSlot::LReg1W));
    CONVERSIONS.iter().position(fits).unwrap_or(0) as u32
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
            let meant = match role {
                Role::RoundNZ => matches!(code, 0 | 3),
                Role::CondI | Role::CondF => pred_holds(code as u8, 0).is_some(),
                _ => true,
            };
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
