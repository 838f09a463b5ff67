//! What chips of G13 do not execute.

use crate::uop::{Access, Op, Place, Space, Src, Type, Uop};

/// Forms that chips execute; for some of their operands see [`lacks`].
const FORMS: [&str; 50] = [
    "mov_imm16",
    "mov_imm32",
    "get_sr",
    "iadd",
    "imadd",
    "convert",
    "bfi",
    "bfeil",
    "extr",
    "asr",
    "bitop",
    "bitrev",
    "popcount",
    "ffs",
    "intl",
    "icmpsel",
    "fcmpsel",
    "fmadd32",
    "fmadd16",
    "fmul32",
    "fmul16",
    "fadd32",
    "fadd16",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "rcp",
    "rsqrt",
    "log2",
    "pop_exec",
    "if_icmp",
    "if_fcmp",
    "while_icmp",
    "while_fcmp",
    "else_icmp",
    "else_fcmp",
    "jmp_incomplete",
    "jmp_exec_any",
    "jmp_exec_none",
    "call",
    "stop",
    "trap",
    "threadgroup_barrier",
    "wait",
    "memory_barrier",
    "device_load",
    "device_store",
    "threadgroup_load",
    "threadgroup_store",
];

/// Why chips do not execute an instruction of a form; `None`: they do.
pub(super) fn lacks(form: &str, uops: &[Uop]) -> Option<&'static str> {
    if !FORMS.contains(&form) {
        return Some("chips do not have the form");
    }
    let (Some(first), Some(last)) = (uops.first(), uops.last()) else {
        return None;
    };
    let is = |lacks: bool, why: &'static str| lacks.then_some(why);
    match (form, last.op) {
        ("iadd" | "imadd", _) if last.ty.bits() == 64 => Some("sums of chips have 32 bits"),
        ("iadd" | "imadd", _) if last.saturate => Some("integers of chips do not saturate"),
        ("imadd", _) => is(last.src[2].shift != 0, "multiply-adds of chips do not shift"),
        ("bfeil", _) => is(last.src[0].place != Place::Immediate(0), "chips put a field into the number 0 alone"),
        ("extr", _) => is(last.src[1].place != Place::Immediate(u32::MAX.into()), "extr of chips has no mask"),
        ("convert", _) => is(first.src[0].ty.bits() == 8, "chips do not convert from 8 bits"),
        ("rcp" | "rsqrt" | "log2", _) => {
            is(first.src[0].ty != Type::F32 || last.ty != Type::F32, "special functions of chips have 32 bits")
        }
        (_, Op::CompareSelect(_)) => is(different(&last.src) > 3, "selects of chips read three registers"),
        (_, Op::Load(a)) => access(a, last, last.ty, &last.src, first),
        (_, Op::Store(a)) => access(a, last, last.src[0].ty, &last.src[1..], first),
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
