//! What chips of G13 do not execute.

use crate::uop::{Access, AtomicOp, CrossOp, Op, Place, Space, Src, Type, Uop};
use crate::Options;

/// Why chips with these options do not execute an instruction of these micro-operations; `None`: they do.
pub(super) fn lacks(form: &str, uops: &[Uop], options: Options) -> Option<&'static str> {
    if form == "uniform_store" {
        return uniform(uops);
    }
    let (first, last) = (uops.first()?, uops.last()?);
    uops.iter().find_map(|u| lacking(u, options)).or_else(|| match (first.op, last.op) {
        (_, Op::Load(a)) => access(a, last, last.ty, &last.src, first),
        (_, Op::Store(a)) => access(a, last, last.src[0].ty, &last.src[1..], first),
        (_, Op::Atomic(a, which)) => access(a, last, last.ty, &last.src[which.operands()..], first),
        _ => None,
    })
}

/// Why chips do not store these uniforms.
fn uniform(uops: &[Uop]) -> Option<&'static str> {
    let even = |p: Place| matches!(p, Place::Register { byte: 0, .. } | Place::Uniform { byte: 0, .. });
    let kept = match uops {
        [_] => true,
        [low, high] => {
            let next = |a: Place, b: Place| match (a, b) {
                (Place::Register { index: i, .. }, Place::Register { index: j, .. })
                | (Place::Uniform { index: i, .. }, Place::Uniform { index: j, .. }) => i == j,
                _ => false,
            };
            let first = even(low.dst[0]) && even(low.src[0].place);
            first && next(low.dst[0], high.dst[0]) && next(low.src[0].place, high.src[0].place)
        }
        _ => false,
    };
    (!kept).then_some("chips store a half, or a whole register, in a uniform")
}

/// Why chips have no such micro-operation.
fn lacking(u: &Uop, options: Options) -> Option<&'static str> {
    match u.op {
        Op::Atomic(a, _) if a.space != Space::Global => Some("chips have no atomics of threadgroup memory"),
        Op::Atomic(..) if !options.atomics => Some("chips without atomics=true have no atomics"),
        Op::Atomic(_, AtomicOp::CompareExchange) => Some("chips read an index where the word to compare with would be"),
        Op::Cross(CrossOp::Reduce { .. }) => Some("chips do not fold over lanes"),
        Op::Add | Op::MulAdd if u.ty.bits() == 64 => {
            let shifted = u.src.iter().any(|s| s.ty.bits() == 64 && s.shift != 0);
            shifted.then_some("chips shift no pair that they add to one")
        }
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

/// A load or store of registers of type `data` at base and index; `first`: where the base is rounded down.
fn access(a: Access, uop: &Uop, data: Type, address: &[Src], first: &Uop) -> Option<&'static str> {
    let [base, index] = address else { return None };
    let several = a.values() != 1;
    if a.elements == 0 {
        return Some("chips access at least one element");
    }
    let base = match base.place {
        Place::Temporary(_) => first.src.first()?,
        _ => base,
    };
    let [base, index] = [base, index].map(register);
    let both = base.is_some() && index.is_some();
    if both && a.space == Space::Global && matches!(uop.op, Op::Store(_) | Op::Atomic(..)) {
        return Some("chips store no register at a pair of registers and a third one");
    }
    let Place::Register { index: to, byte } = uop.dst[0] else {
        return None;
    };
    let halves = data.bits() == 16;
    let registers = if halves { (u32::from(byte) / 2 + a.values()).div_ceil(2) } else { a.values() };
    let written = u32::from(to)..u32::from(to) + registers;
    let lost = |r: Option<u16>| r.is_some_and(|r| written.contains(&r.into()));
    if several && halves && (lost(base) || lost(index)) {
        return Some("chips do not load several halves over a register of the address");
    }
    (several && both && base != index && lost(base) && lost(index))
        .then_some("chips do not load over both registers of an address")
}
