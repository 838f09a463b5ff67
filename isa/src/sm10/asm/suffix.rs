//! The dotted modifiers of a mnemonic against one row of the table.

use super::bind::Miss;
use super::parse::Stmt;
use crate::set::diag::Span;
use crate::sm10::instr::Marker;
use crate::sm10::op::{Family, Op};
use crate::sm10::spelling::{self, Suffix};
use crate::sm10::table::{Class, DstSlot, Flags, Form, Role};

/// Modifiers read from the suffixes.
#[derive(Clone, Debug, Default)]
pub(super) struct Suffixes {
    pub roles: Vec<(Role, u32)>,
    pub cdst: Option<u8>,
    pub marker: Marker,
    /// Flag register of `.CARRYn`.
    pub carry: Option<u8>,
    /// `.U16` on MVC or G2R: the destination is a half register.
    pub half: bool,
    /// `RRO.SIN R0, R1` for `RRO R0, R1, SIN`: the last operand stands behind the mnemonic.
    pub reduction: bool,
}

struct Bag<'a> {
    left: Vec<&'a (String, Span)>,
}

impl Bag<'_> {
    /// Takes the first suffix equal to one of `names`; gives its index.
    fn take(&mut self, names: &[&str]) -> Option<usize> {
        let (at, which) =
            self.left.iter().enumerate().find_map(|(at, t)| names.iter().position(|n| *n == t.0).map(|w| (at, w)))?;
        self.left.remove(at);
        Some(which)
    }

    /// As `take`, but looks only at the first type among the suffixes: conversions name the
    /// destination type before the source type.
    fn take_type(&mut self, names: &[&str]) -> Option<usize> {
        let is_type = |t: &str| TYPES.contains(&t);
        let first = self.left.iter().position(|t| is_type(&t.0))?;
        let which = names.iter().position(|n| *n == self.left[first].0)?;
        self.left.remove(first);
        Some(which)
    }
}

const TYPES: [&str; 11] = ["U8", "S8", "U16", "S16", "U32", "S32", "U64", "S64", "F16", "F32", "F64"];
const FLAG_REGS: [&str; 4] = ["C0", "C1", "C2", "C3"];

pub(super) fn suffixes(f: &Form, s: &Stmt) -> Result<Suffixes, Miss> {
    let mut bag = Bag { left: s.suffixes.iter().collect() };
    let mut out = Suffixes::default();
    let conversion = f.op.family() == Family::Conversion || matches!(f.op, Op::DConvert { .. });
    let need = |bag: &mut Bag, names: &[&str]| {
        let typed = conversion && TYPES.contains(&names[0]);
        let got = if typed { bag.take_type(names) } else { bag.take(names) };
        got.ok_or_else(|| Miss::new(0, s.base_span, format!("{} needs the modifier {}", f.base(), names.join(" or "))))
    };
    if spelling::is_reduction(f) {
        let fixed: Vec<&str> = f.mnemonic.split('.').skip(1).collect();
        out.reduction = bag.take(&fixed).is_some();
    }
    for suffix in spelling::suffixes(f) {
        let (role, names) = match suffix {
            Suffix::Fixed(name) => {
                need(&mut bag, &[name])?;
                continue;
            }
            Suffix::Value(role, names) => (role, names),
        };
        // A name with a point is two suffixes, the second after all others.
        let simple: Vec<_> = names.iter().filter(|n| !n.1.is_empty() && !n.1.contains('.')).collect();
        let spelled: Vec<&str> = simple.iter().map(|n| n.1).collect();
        let default = names.iter().find(|n| n.1.is_empty());
        let taken = match default {
            Some(_) => bag.take(&spelled),
            None => Some(need(&mut bag, &spelled)?),
        };
        let mut value = taken.map(|at| simple[at]).or(default).map_or(0, |n| n.0);
        if role == Role::CvtSrc && bag.take(&["BEXT"]).is_some() {
            let byte = taken.map(|at| format!("{}.BEXT", spelled[at]));
            let Some(found) = names.iter().find(|n| Some(n.1) == byte.as_deref()) else {
                let what = "BEXT goes with U16 or S16: a byte of a half register";
                return Err(Miss::new(1, s.base_span, what.into()));
            };
            value = found.0;
        }
        if out.roles.iter().any(|r| r.0 == role && r.1 != value) {
            let what = format!("{}: both operands are {}", f.base(), spelled.join(" or both are "));
            return Err(Miss::new(1, s.base_span, what));
        }
        out.roles.push((role, value));
    }
    if f.field(Role::AddKind).is_some() || f.field(Role::CarryIn).is_some() {
        out.carry = bag.take(&["CARRY0", "CARRY1", "CARRY2", "CARRY3"]).map(|c| c as u8);
    }
    if f.dst == DstSlot::LongSel {
        out.half = bag.take(&["U16"]).is_some();
    }
    if f.flags != Flags::No {
        out.cdst = bag.take(&FLAG_REGS).map(|c| c as u8);
    }
    if f.class == Class::Long && f.op != Op::Unsupported {
        out.marker = match bag.take(&["S", "EXIT"]) {
            Some(0) => Marker::Join,
            Some(_) => Marker::Exit,
            None => Marker::None,
        };
    }
    match bag.left.first() {
        None => Ok(out),
        Some((t, span)) => Err(Miss::new(2, *span, format!("the modifier .{t} does not apply to {}", f.mnemonic))),
    }
}
