//! Loads, stores, atomics.

use super::{destination, group, Lowering, Result};
use crate::fermi::operand::Kind;
use crate::uop::{Access, AtomicOp, Op, Place, Space, Src, Type, Unimplemented, Uop};

pub(super) fn lower(l: &Lowering) -> Result<Vec<Uop>> {
    let (space, load) = match l.form.mnemonic {
        "MEMBAR" => return Ok(vec![]),
        "RED" | "ATOM" => return atomic(l),
        "LD" => (Space::Global, true),
        "ST" => (Space::Global, false),
        "LDS" => (Space::Shared, true),
        "STS" => (Space::Shared, false),
        "LDL" => (Space::Local, true),
        "STL" => (Space::Local, false),
        "LDC" => (constant(l)?, true),
        _ => return Err(Unimplemented("no micro-operations are written for it")),
    };
    let (element, count) = size(l)?;
    let access = Access { address: address_type(l), ..Access::row(space, element, count) };
    let data = match load {
        true => 0,
        false => 1,
    };
    let register = l.get(l.operand(data)?.fields[0]);
    let address = address(l, 1 - data)?;
    let whole = Type::U32;
    if load {
        let dst = destination(register, count.into())?;
        return Ok(vec![Uop::new(Op::Load(access), whole, dst, address)]);
    }
    let mut src = vec![Src::new(group(register, count.into())?, whole)];
    src.extend(address);
    Ok(vec![Uop::effect(Op::Store(access), src)])
}

/// Element and number of elements of the size modifier.
fn size(l: &Lowering) -> Result<(Type, u8)> {
    Ok(match l.modifier("sz") {
        0 => (Type::U8, 1),
        1 => (Type::S8, 1),
        2 => (Type::U16, 1),
        3 => (Type::S16, 1),
        4 => (Type::U32, 1),
        5 => (Type::U32, 2),
        6 => (Type::U32, 4),
        _ => return Err(Unimplemented("the size has no meaning")),
    })
}

/// `.E` has an address of 64 bits.
fn address_type(l: &Lowering) -> Type {
    match l.on("e") {
        true => Type::U64,
        false => Type::U32,
    }
}

fn constant(l: &Lowering) -> Result<Space> {
    let o = l.operand(1)?;
    Ok(Space::Constant(l.get(o.fields[0]) as u8))
}

/// Base and offset of operand `n`.
fn address(l: &Lowering, n: usize) -> Result<Vec<Src>> {
    let o = l.operand(n)?;
    let (base, offset) = match o.kind {
        Kind::Memory => (o.fields[0], o.fields[1]),
        Kind::ConstMemory => (o.fields[1], o.fields[2]),
        _ => return Err(Unimplemented("the operand is no address")),
    };
    let ty = address_type(l);
    let place = group(l.get(base), ty.bytes() / 4)?;
    let offset = offset.get_signed(l.bits) as u64;
    Ok(vec![Src::new(place, ty), Src::new(Place::Immediate(offset), Type::S64)])
}

fn atomic(l: &Lowering) -> Result<Vec<Uop>> {
    let word = Type::U32;
    let op = match () {
        () if l.fixed("EXCH") => AtomicOp::Exchange,
        () if l.fixed("CAS") => AtomicOp::CompareExchange,
        () => [
            AtomicOp::Add,
            AtomicOp::Min,
            AtomicOp::Max,
            AtomicOp::IncrementWrap,
            AtomicOp::DecrementWrap,
            AtomicOp::And,
            AtomicOp::Or,
            AtomicOp::Xor,
        ][l.modifier("op") as usize & 7],
    };
    let access = Access { address: address_type(l), ..Access::row(Space::Global, word, 1) };
    // RED has no result: its first operand is the address.
    let first = usize::from(l.form.mnemonic == "ATOM");
    let dst = match first {
        0 => Place::None,
        _ => l.dst(0, word)?,
    };
    let mut src = vec![l.src(first + 1, word)?];
    if op == AtomicOp::CompareExchange {
        src.push(l.src(first + 2, word)?);
    }
    src.extend(address(l, first)?);
    Ok(vec![Uop::new(Op::Atomic(access, op), word, dst, src)])
}
