//! What chips of G13 do not execute.

use crate::uop::{Access, Builtin, Flow, MaskFlow, Op, Place, Space, Special, Src, Type, Uop};

/// Why chips do not execute an instruction of these micro-operations; `None`: they do.
pub(super) fn lacks(form: &str, uops: &[Uop]) -> Option<&'static str> {
    // Without a component it has none.
    if form == "uniform_store" {
        return Some("instructions of chips write no uniforms");
    }
    let (first, last) = (uops.first()?, uops.last()?);
    uops.iter().find_map(lacking).or_else(|| {
        let is = |lacks: bool, why: &'static str| lacks.then_some(why);
        if uops.iter().any(|u| matches!(u.op, Op::Special(_))) {
            let halves = first.src[0].ty != Type::F32 || last.ty != Type::F32;
            return is(halves, "special functions of chips have 32 bits");
        }
        match (first.op, last.op) {
            (Op::ShiftRight { .. }, Op::Insert) => {
                is(last.src[0].place != Place::Immediate(0), "chips put a field into the number 0 alone")
            }
            (Op::Move, Op::Logic(_)) => {
                is(last.src[1].place != Place::Immediate(u32::MAX.into()), "pairs of chips have no mask")
            }
            (_, Op::Load(a)) => access(a, last, last.ty, &last.src, first),
            (_, Op::Store(a)) => access(a, last, last.src[0].ty, &last.src[1..], first),
            _ => None,
        }
    })
}

/// Why chips have no such micro-operation.
fn lacking(u: &Uop) -> Option<&'static str> {
    let is = |lacks: bool, why: &'static str| lacks.then_some(why);
    let stack = |p: Place| p == Place::Builtin(Builtin::StackPointer);
    if stack(u.dst[0]) || u.src.iter().any(|s| stack(s.place)) {
        return Some("chips have no stack");
    }
    match u.op {
        Op::Atomic(..) => Some("chips have no atomics"),
        Op::Cross(_) => Some("chips have no operations over lanes"),
        Op::Special(Special::Rcp | Special::Rsq | Special::Lg2) => None,
        Op::Special(_) => Some("chips do not have the special function"),
        Op::Flow(Flow::Mask(MaskFlow::JumpRegister)) => Some("jumps of chips have a target"),
        Op::Add | Op::MulAdd if u.ty.bits() == 64 => Some("sums of chips have 32 bits"),
        Op::Add | Op::MulAdd if u.saturate && !u.ty.is_float() => Some("integers of chips do not saturate"),
        Op::MulAdd => is(u.src[2].shift != 0, "multiply-adds of chips do not shift"),
        Op::ShiftRight { .. } => is(u.src[0].shift != 0, "shifts of chips have 32 bits"),
        Op::Convert => is(u.src[0].ty.bits() == 8, "chips do not convert from 8 bits"),
        Op::CompareSelect(_) => is(different(&u.src) > 3, "selects of chips read three registers"),
        _ => None,
    }
}

/// The lane register that a source is.
fn register(src: &Src) -> Option<u16> {
    match src.place {
        Place::Register { index, .. } => Some(index),
        _ => None,
    }
}

/// Registers that a select reads: the two that are compared have a port each, be they the same.
fn different(src: &[Src]) -> usize {
    let (compared, selected) = src.split_at(2);
    let compared: Vec<u16> = compared.iter().filter_map(register).collect();
    let mut more: Vec<u16> = selected.iter().filter_map(register).collect();
    more.retain(|r| !compared.contains(r));
    more.sort_unstable();
    more.dedup();
    compared.len() + more.len()
}

/// A load or store of registers of type `data` at base and index; `first`: where the base is rounded down.
fn access(a: Access, uop: &Uop, data: Type, address: &[Src], first: &Uop) -> Option<&'static str> {
    let [base, index] = address else { return None };
    let several = a.elements != 1;
    if !matches!(a.elements, 1 | 3 | 7 | 15) {
        return Some("elements of chips are x, xy, xyz or xyzw");
    }
    if several && data.bits() == 16 {
        return Some("chips move several elements with registers of 32 bits alone");
    }
    let base = match base.place {
        Place::Temporary(_) => first.src.first()?,
        _ => base,
    };
    let (base, index) = (register(base)?, register(index)?);
    if a.space == Space::Global {
        return Some("chips add no register to a pair of registers");
    }
    let Place::Register { index: to, .. } = uop.dst[0] else {
        return None;
    };
    let written = u32::from(to)..u32::from(to) + a.count();
    let lost = |r: u16| written.contains(&r.into());
    (several && base != index && lost(base) && lost(index))
        .then_some("chips do not load over both registers of an address")
}
