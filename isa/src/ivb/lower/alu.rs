//! Moves, selections, comparisons; results on their way to destination, flag and accumulator.

use super::build::{flushes, need, number, Build, Class};
use super::operand::{From, Source, Start, Step};
use super::{float, integer, number_first, of_selection, Condition, Parts};
use crate::ivb::operand::REGISTER;
use crate::uop::{Cond, Op, Place, Round, Src, Tiny, Type, Unimplemented};

/// What an operation says about its channels.
pub struct Only {
    /// Bit n: channels n modulo 4 are written.
    pub components: u8,
    /// The predicate is an operand, it does not mask.
    pub unguarded: bool,
}

const ALL: Only = Only { components: 15, unguarded: false };

/// Writes the micro-operations of an instruction with operands.
pub fn lower(p: &Parts, b: &mut Build) -> Result<Only, Unimplemented> {
    match p.name {
        "mov" | "movi" => {
            let index = (p.name == "movi").then(|| indexed(p)).transpose()?;
            let s = index.as_ref().map_or_else(|| p.source(0), Ok)?;
            let plain = !s.abs && !s.neg && !p.saturate;
            let same = s.kind == p.destination()?.kind;
            if plain && same {
                let bits = b.raw(s)?;
                keep(p, b, bits)?;
            } else {
                // A conversion keeps denormals, whatever arithmetic does with them.
                let v = if same { b.source(s)? } else { b.raw(s)? };
                finish(p, b, v)?;
            }
            return Ok(ALL);
        }
        "sel" => return select(p, b),
        "cmp" | "cmpn" => {
            compare(p, b)?;
            return Ok(ALL);
        }
        "f16to32" => {
            let s = p.source(0)?;
            let word = matches!(s.kind, Type::U16 | Type::S16) && !s.abs && !s.neg;
            need(word, "f16 that is no word, or with a modifier")?;
            let half = b.raw(s)?.typed(Type::F16);
            let v = b.op(Op::Convert, Type::F32, &[half]);
            finish(p, b, v)?;
            return Ok(ALL);
        }
        "sad2" | "sada2" => {
            integer::differences(p, b)?;
            return Ok(Only { components: 0b0101, unguarded: false });
        }
        "dp4" | "dph" | "dp3" | "dp2" => {
            float::dot(p, b)?;
            return Ok(ALL);
        }
        "line" | "pln" => {
            float::linear(p, b)?;
            return Ok(ALL);
        }
        _ => {}
    }
    let count = (0..3).take_while(|n| p.sources[*n].is_some()).count();
    let class = p.class(count)?;
    let mut s = [number(0); 3];
    for (n, to) in s.iter_mut().enumerate().take(count) {
        *to = b.source(p.source(n)?)?;
    }
    match class {
        Class::Integer => integer::lower(p, b, s)?,
        Class::Single | Class::Double => float::lower(p, b, s, class.ty())?,
    }
    Ok(ALL)
}

/// The source of an indexed move: each element of the destination register has its own element of a0.
fn indexed(p: &Parts) -> Result<Source, Unimplemented> {
    let (s, d) = (*p.source(0)?, p.destination()?);
    let From::Region(Start::Indirect { offset, .. }, _) = s.from else {
        return Err(Unimplemented("indexed move without a0"));
    };
    let first = match d.start {
        Start::General(byte) => byte % REGISTER / d.kind.bytes(),
        _ => 0,
    };
    need(first + p.shape.count <= 8, "indexed move behind the address register")?;
    let start = Start::Indirect { element: first as u8, offset };
    Ok(Source { from: From::Region(start, Step::Each { width: 1, horizontal: 0 }), ..s })
}

/// Stores a result that is exact or rounded in the type of its class.
pub fn finish(p: &Parts, b: &mut Build, value: Src) -> Result<(), Unimplemented> {
    let ty = p.destination()?.kind;
    let formats = value.ty.is_float() && ty.is_float() && value.ty != ty;
    // Toward zero to an integer and from a double to a single; an integer to nearest.
    let round = match (value.ty, ty) {
        (Type::F64, Type::F32) => Round::Zero,
        (from, to) if from.is_float() && !to.is_float() => Round::Zero,
        _ => Round::Nearest,
    };
    let v = b.op_rounded(Op::Convert, ty, round, &[value]);
    if let Some(last) = b.uops.last_mut() {
        last.saturate = p.saturate;
        if formats {
            last.mode.tiny = Tiny::Keep;
        }
    }
    store(p, b, v, value)
}

/// Stores bits as they are.
pub fn keep(p: &Parts, b: &mut Build, bits: Src) -> Result<(), Unimplemented> {
    let v = b.op(Op::Move, p.destination()?.kind, &[bits]);
    store(p, b, v, v)
}

/// Stores a value of the type of the destination; sets flag and accumulator. `exact` is the result
/// before it was brought into the destination.
pub fn store(p: &Parts, b: &mut Build, v: Src, exact: Src) -> Result<(), Unimplemented> {
    let dst = b.destination(p.destination()?)?;
    let accumulator = |b: &mut Build, at: Place| {
        let ty = Class::of(exact.ty).ty();
        match p.saturate || exact.ty.is_float() != v.ty.is_float() {
            true => b.put(Op::Move, Class::of(v.ty).ty(), at, &[v]),
            false => b.put(Op::Move, ty, at, &[exact]),
        };
    };
    match dst {
        Place::None => {}
        Place::Accumulator(_) => accumulator(b, dst),
        _ => {
            b.put(Op::Move, v.ty, dst, &[v]);
        }
    }
    if p.accumulate {
        accumulator(b, Place::ImpliedAccumulator(0));
    }
    match p.condition {
        None => {}
        Some(Condition::Outcomes(cond)) => {
            let flushed = Src { flush: flushes(v.ty), ..v };
            let zero = Src::immediate(0, v.ty);
            let op = Op::Compare { cond, combine: 0 };
            b.put(op, Type::Bool, p.flag, &[flushed, zero]);
        }
        Some(Condition::Overflow) => overflow(p, b, v, exact),
    }
    Ok(())
}

/// The flag of an overflow: an integer that the destination does not hold, an infinite float.
fn overflow(p: &Parts, b: &mut Build, v: Src, exact: Src) {
    let unequal = Op::Compare { cond: Cond(Cond::LESS | Cond::GREATER), combine: 0 };
    if !v.ty.is_float() {
        b.put(unequal, Type::Bool, p.flag, &[v, exact]);
        return;
    }
    let infinity = match v.ty {
        Type::F64 => 0x7ff0_0000_0000_0000,
        _ => 0x7f80_0000,
    };
    let equal = Op::Compare { cond: Cond(Cond::EQUAL), combine: 0 };
    let magnitude = Src { abs: true, ..v };
    let limit = Src::immediate(infinity, v.ty);
    b.put(equal, Type::Bool, p.flag, &[magnitude, limit]);
}

fn select(p: &Parts, b: &mut Build) -> Result<Only, Unimplemented> {
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    let class = p.class(2)?;
    let ty = p.destination()?.kind;
    if let Some(Condition::Outcomes(cond)) = p.condition {
        let (a, c) = (b.source(&s0)?, b.source(&s1)?);
        let [a, c] = [a, c].map(|s| b.op(Op::Convert, class.ty(), &[s]));
        let op = Op::CompareSelect(of_selection(cond));
        let v = b.op(op, class.ty(), &[a, c, a, c]);
        unconditional(p, b, v)?;
        return Ok(ALL);
    }
    need(p.condition.is_none(), "sel by overflow")?;
    let guard = p.guard.ok_or(Unimplemented("sel without predicate and condition"))?;
    let Place::Flag(register, sub) = guard.place else {
        return Err(Unimplemented("sel by something else than a flag"));
    };
    let flag = Src { not: guard.not, ..Src::new(Place::Picked(register, sub, guard.pick), Type::Bool) };
    let plain = |s: &Source| s.kind == ty && !s.abs && !s.neg;
    if plain(&s0) && plain(&s1) && !p.saturate {
        let (x, y) = (b.raw(&s0)?, b.raw(&s1)?);
        let v = b.op(Op::Select, ty, &[x, y, flag]);
        keep(p, b, v)?;
    } else {
        let (x, y) = (b.source(&s0)?, b.source(&s1)?);
        let [x, y] = [x, y].map(|s| b.op(Op::Convert, class.ty(), &[s]));
        let v = b.op(Op::Select, class.ty(), &[x, y, flag]);
        finish(p, b, v)?;
    }
    Ok(Only { components: 15, unguarded: true })
}

/// Stores a result; the condition is that of the selection.
fn unconditional(p: &Parts, b: &mut Build, value: Src) -> Result<(), Unimplemented> {
    let before = b.uops.len();
    finish(p, b, value)?;
    // The comparison with zero is the last one written.
    let flag = p.flag;
    let kept = b.uops.split_off(before);
    b.uops.extend(kept.into_iter().filter(|u| u.dst[0] != flag));
    Ok(())
}

fn compare(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    p.class(2)?;
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    let (x, y) = (b.source(&s0)?, b.source(&s1)?);
    let d = *p.destination()?;
    let Some(Condition::Outcomes(cond)) = p.condition else {
        return Err(Unimplemented("comparison without a condition"));
    };
    let cond = if p.name == "cmpn" { number_first(cond) } else { cond };
    let outcome = b.op(Op::Compare { cond, combine: 0 }, Type::Bool, &[x, y]);
    let dst = b.destination(&d)?;
    if dst != Place::None {
        // All ones or zero, also of a float.
        let ty = Type::int(d.kind.bits(), true);
        let minus = Src { neg: true, ..outcome };
        b.put(Op::Move, ty, dst, &[minus]);
    }
    b.put(Op::Move, Type::Bool, p.flag, &[outcome]);
    Ok(())
}
