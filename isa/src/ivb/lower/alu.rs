//! Moves, logic, arithmetic.

use super::build::{flushes, Build, Class, AND, NOT, OR, XOR};
use super::operand::{From, Source, Start};
use super::{Condition, Parts};
use crate::uop::{Cond, Op, Place, Round, Src, Type, Unimplemented};

/// What an operation says about its channels.
pub struct Only {
    /// Bit n: channels n modulo 4 are written.
    pub components: u8,
    /// The predicate is an operand, it does not mask.
    pub unguarded: bool,
}

const ALL: Only = Only {
    components: 15,
    unguarded: false,
};

fn need(ok: bool, reason: &'static str) -> Result<(), Unimplemented> {
    match ok {
        true => Ok(()),
        false => Err(Unimplemented(reason)),
    }
}

/// An integer without a place.
fn number(n: i64) -> Src {
    Src::immediate(n as u64, Type::S64)
}

/// A float without a place.
fn float(bits: u32) -> Src {
    Src::immediate(bits.into(), Type::F32)
}

const ONE: u32 = 0x3f80_0000;

/// True for an integer of 32 bits.
fn wide(ty: Type) -> bool {
    matches!(ty, Type::S32 | Type::U32)
}

/// Writes the micro-operations of an instruction with operands.
pub fn lower(p: &Parts, b: &mut Build) -> Result<Only, Unimplemented> {
    match p.name {
        "mov" | "movi" => {
            let s = p.source(0)?;
            let plain = !s.abs && !s.neg && !p.saturate;
            let same = s.kind == p.destination()?.kind;
            if plain && same {
                let bits = b.raw(s)?;
                keep(p, b, bits)?;
            } else {
                let v = b.source(s)?;
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
            differences(p, b)?;
            return Ok(Only {
                components: 0b0101,
                unguarded: false,
            });
        }
        "dp4" | "dph" | "dp3" | "dp2" => {
            dot(p, b)?;
            return Ok(ALL);
        }
        "line" | "pln" => {
            linear(p, b)?;
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
        Class::Integer => integer(p, b, s)?,
        Class::Single | Class::Double => floating(p, b, s, class.ty())?,
    }
    Ok(ALL)
}

/// Stores a result that is exact or rounded in the type of its class.
pub fn finish(p: &Parts, b: &mut Build, value: Src) -> Result<(), Unimplemented> {
    let ty = p.destination()?.kind;
    // Toward zero to an integer; an integer to nearest.
    let round = match (value.ty.is_float(), ty.is_float()) {
        (true, false) => Round::Zero,
        (false, _) => Round::Nearest,
        _ => Round::Nearest,
    };
    let v = b.op_rounded(Op::Convert, ty, round, &[value]);
    if let Some(last) = b.uops.last_mut() {
        last.saturate = p.saturate;
    }
    store(p, b, v, value)
}

/// Stores bits as they are.
fn keep(p: &Parts, b: &mut Build, bits: Src) -> Result<(), Unimplemented> {
    let v = b.op(Op::Move, p.destination()?.kind, &[bits]);
    store(p, b, v, v)
}

/// Stores a value of the type of the destination; sets flag and accumulator. `exact` is the result
/// before it was brought into the destination.
fn store(p: &Parts, b: &mut Build, v: Src, exact: Src) -> Result<(), Unimplemented> {
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
        accumulator(b, Place::Accumulator(0));
    }
    match p.condition {
        None => {}
        Some(Condition::Outcomes(cond)) => {
            let flushed = Src {
                flush: flushes(v.ty),
                ..v
            };
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
    let unequal = Op::Compare {
        cond: Cond(Cond::LESS | Cond::GREATER),
        combine: 0,
    };
    if !v.ty.is_float() {
        b.put(unequal, Type::Bool, p.flag, &[v, exact]);
        return;
    }
    let infinity = match v.ty {
        Type::F64 => 0x7ff0_0000_0000_0000,
        _ => 0x7f80_0000,
    };
    let equal = Op::Compare {
        cond: Cond(Cond::EQUAL),
        combine: 0,
    };
    let magnitude = Src { abs: true, ..v };
    let limit = Src::immediate(infinity, v.ty);
    b.put(equal, Type::Bool, p.flag, &[magnitude, limit]);
}

fn select(p: &Parts, b: &mut Build) -> Result<Only, Unimplemented> {
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    let class = p.class(2)?;
    let ty = p.destination()?.kind;
    if let Some(Condition::Outcomes(cond)) = p.condition {
        let mut outcomes = cond.0;
        // The number is preferred to a NaN.
        if cond.0 == Cond::LESS || cond.0 == Cond::GREATER | Cond::EQUAL {
            outcomes |= Cond::NAN_B;
        }
        let (a, c) = (b.source(&s0)?, b.source(&s1)?);
        let [a, c] = [a, c].map(|s| b.op(Op::Convert, class.ty(), &[s]));
        let op = Op::CompareSelect(Cond(outcomes));
        let v = b.op(op, class.ty(), &[a, c, a, c]);
        unconditional(p, b, v)?;
        return Ok(ALL);
    }
    need(p.condition.is_none(), "sel by overflow")?;
    let guard = p
        .guard
        .ok_or(Unimplemented("sel without predicate and condition"))?;
    let Place::Flag(register, sub) = guard.place else {
        return Err(Unimplemented("sel by something else than a flag"));
    };
    let flag = Src {
        not: guard.not,
        ..Src::new(Place::Picked(register, sub, guard.pick), Type::Bool)
    };
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
    Ok(Only {
        components: 15,
        unguarded: true,
    })
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
    let outcome = match p.condition {
        None => return Err(Unimplemented("comparison without a condition")),
        Some(Condition::Overflow) => {
            need(!x.ty.is_float(), "overflow of a comparison of floats")?;
            let exact = b.op(Op::Add, Type::S64, &[x, minus(y)]);
            let narrow = b.op(Op::Convert, d.kind, &[exact]);
            let op = Op::Compare {
                cond: Cond(Cond::LESS | Cond::GREATER),
                combine: 0,
            };
            b.op(op, Type::Bool, &[narrow, exact])
        }
        Some(Condition::Outcomes(cond)) => {
            let ordered = cond.0 == Cond::LESS || cond.0 == Cond::GREATER | Cond::EQUAL;
            let number = p.name == "cmpn" && ordered;
            let cond = Cond(cond.0 | if number { Cond::NAN_B } else { 0 });
            b.op(Op::Compare { cond, combine: 0 }, Type::Bool, &[x, y])
        }
    };
    let dst = b.destination(&d)?;
    if dst != Place::None {
        // All ones or zero, also of a float.
        let ty = Type::int(d.kind.bits(), true);
        let minus = Src {
            neg: true,
            ..outcome
        };
        b.put(Op::Move, ty, dst, &[minus]);
    }
    b.put(Op::Move, Type::Bool, p.flag, &[outcome]);
    Ok(())
}

/// The opposite of an integer.
fn minus(s: Src) -> Src {
    Src { neg: !s.neg, ..s }
}

/// The complement of a temporary.
fn not(s: Src) -> Src {
    Src { not: true, ..s }
}

fn integer(p: &Parts, b: &mut Build, s: [Src; 3]) -> Result<(), Unimplemented> {
    let kind = |n: usize| p.sources[n].map_or(Type::U32, |s| s.kind);
    let to = p.destination()?.kind;
    let exact = |b: &mut Build, s: Src| b.op(Op::Convert, Type::S64, &[s]);
    let low5 = |b: &mut Build, s: Src| {
        let s = b.op(Op::Convert, Type::S64, &[s]);
        b.op(Op::Logic(AND), Type::U32, &[s, number(31)])
    };
    let unsigned = |b: &mut Build, s: Src, bits: u32| b.op(Op::Move, Type::int(bits, false), &[s]);
    let [x, y, z] = s;
    let v = match p.name {
        "not" => {
            let x = exact(b, x);
            b.op(Op::Logic(NOT), Type::S64, &[x])
        }
        "and" | "or" | "xor" => {
            let table = match p.name {
                "and" => AND,
                "or" => OR,
                _ => XOR,
            };
            let (x, y) = (exact(b, x), exact(b, y));
            b.op(Op::Logic(table), Type::S64, &[x, y])
        }
        "shl" => b.op(Op::ShiftLeft { mask: 31 }, Type::S64, &[x, y]),
        "shr" => {
            // Zeros come in from the wider of source and destination on.
            let bits = kind(0).bits().max(to.bits()).min(32);
            let x = unsigned(b, x, bits);
            b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[x, y])
        }
        "asr" => b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[x, y]),
        "bfrev" => {
            let x = unsigned(b, x, 32);
            b.op(Op::Reverse, Type::U32, &[x])
        }
        "bfe" => {
            let (width, at) = (low5(b, x), low5(b, y));
            b.op(Op::Extract, Type::S64, &[z, at, width])
        }
        "bfi1" => {
            let (width, at) = (low5(b, x), low5(b, y));
            let shift = Op::ShiftLeft { mask: 31 };
            let power = b.op(shift, Type::S64, &[number(1), width]);
            let ones = b.op(Op::Add, Type::S64, &[power, number(-1)]);
            b.op(shift, Type::S64, &[ones, at])
        }
        "bfi2" => {
            let (x, y, z) = (exact(b, x), exact(b, y), exact(b, z));
            let inside = b.op(Op::Logic(AND), Type::S64, &[x, y]);
            let outside = b.op(Op::Logic(AND), Type::S64, &[not(x), z]);
            b.op(Op::Logic(OR), Type::S64, &[inside, outside])
        }
        "add" => b.op(Op::Add, Type::S64, &[x, y]),
        "mul" => {
            let mut y = y;
            if wide(kind(0)) && wide(kind(1)) {
                let plain = !p.saturate && p.condition.is_none() && !to.is_float();
                need(
                    plain,
                    "product of two D with saturation, condition or a float destination",
                )?;
                let all = exact(b, y);
                y = b.op(Op::Logic(AND), Type::U32, &[all, number(0xffff)]);
            }
            b.op(Op::Mul, Type::S64, &[x, y])
        }
        "avg" => {
            let sum = b.op(Op::Add, Type::S64, &[x, y, number(1)]);
            b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[sum, number(1)])
        }
        "mac" => {
            need(!(wide(kind(0)) && wide(kind(1))), "mac of two D")?;
            let acc = Src::new(Place::Accumulator(0), Type::S64);
            b.op(Op::MulAdd, Type::S64, &[x, y, acc])
        }
        "mach" => {
            need(
                wide(kind(0)) && wide(kind(1)),
                "mach of other types than D and UD",
            )?;
            need(
                !p.saturate && !to.is_float(),
                "mach with saturation or a float destination",
            )?;
            let acc = Src::new(Place::Accumulator(0), Type::S64);
            let high = b.op(Op::ShiftRight { mask: 31 }, Type::S64, &[y, number(16)]);
            let product = b.op(Op::Mul, Type::S64, &[x, high]);
            let product = b.op(
                Op::ShiftLeft { mask: 31 },
                Type::S64,
                &[product, number(16)],
            );
            let sum = b.op(Op::Add, Type::S64, &[acc, product]);
            let high = b.op(Op::ShiftRight { mask: 63 }, Type::S64, &[sum, number(32)]);
            let narrow = b.op(Op::Convert, to, &[high]);
            store(p, b, narrow, narrow)?;
            b.put(Op::Move, Type::S64, Place::Accumulator(0), &[sum]);
            return Ok(());
        }
        "lzd" => {
            let x = unsigned(b, x, 32);
            let from_top = b.op(Op::FindHigh { from_top: true }, Type::U32, &[x]);
            b.op(
                Op::Min,
                Type::U32,
                &[from_top, Src::immediate(32, Type::U32)],
            )
        }
        "fbh" => {
            let x = b.op(Op::Move, Type::int(32, kind(0).is_signed()), &[x]);
            b.op(Op::FindHigh { from_top: true }, Type::U32, &[x])
        }
        "fbl" => {
            let x = unsigned(b, x, 32);
            b.op(Op::FindLow, Type::U32, &[x])
        }
        "cbit" => {
            let x = unsigned(b, x, kind(0).bits());
            b.op(Op::CountOnes, Type::U32, &[x])
        }
        "addc" | "subb" => {
            let subtract = p.name == "subb";
            let (x, y) = (unsigned(b, x, 32), unsigned(b, y, 32));
            let y = if subtract { minus(y) } else { y };
            let sum = b.op(Op::Add, Type::S64, &[x, y]);
            let carry = b.op(Op::ShiftRight { mask: 63 }, Type::S64, &[sum, number(32)]);
            finish(p, b, sum)?;
            let carry = if subtract { minus(carry) } else { carry };
            b.put(Op::Move, Type::S64, Place::Accumulator(0), &[carry]);
            return Ok(());
        }
        _ => return Err(Unimplemented("this operation on integers")),
    };
    finish(p, b, v)
}

fn floating(p: &Parts, b: &mut Build, s: [Src; 3], ty: Type) -> Result<(), Unimplemented> {
    let [x, y, z] = s;
    let single = ty == Type::F32;
    let integral = |b: &mut Build, round| b.op_rounded(Op::RoundToIntegral, ty, round, &[x]);
    let v = match p.name {
        "add" => b.op(Op::Add, ty, &[x, y]),
        "mul" => b.op(Op::Mul, ty, &[x, y]),
        "mad" => b.op(Op::MulAdd, ty, &[y, z, x]),
        _ if !single => return Err(Unimplemented("this operation on DF")),
        "mac" => {
            let product = b.op(Op::Mul, ty, &[x, y]);
            let acc = Src {
                flush: true,
                ..Src::new(Place::Accumulator(0), ty)
            };
            b.op(Op::Add, ty, &[product, acc])
        }
        "frc" => {
            let floor = integral(b, Round::Down);
            b.op_rounded(Op::Add, ty, Round::Zero, &[x, minus(floor)])
        }
        "rndd" => integral(b, Round::Down),
        "rnde" => integral(b, Round::Nearest),
        "rndz" => integral(b, Round::Zero),
        "rndu" => {
            let floor = integral(b, Round::Down);
            let above = b.op_rounded(Op::Add, ty, Round::Nearest, &[floor, float(ONE)]);
            let op = Op::CompareSelect(Cond(Cond::EQUAL));
            b.op(op, ty, &[x, floor, x, above])
        }
        "lrp" => {
            let rest = b.op(Op::Add, ty, &[float(ONE), minus(x)]);
            let product = b.op(Op::Mul, ty, &[x, y]);
            let other = b.op(Op::Mul, ty, &[rest, z]);
            b.op(Op::Add, ty, &[product, other])
        }
        "f32to16" => {
            let d = p.destination()?;
            need(d.kind.bits() == 16, "f16 in a destination that is no word")?;
            need(p.condition.is_none(), "condition on an f16")?;
            let half = b.op_rounded(Op::Convert, Type::F16, Round::Nearest, &[x]);
            if let Some(last) = b.uops.last_mut() {
                last.saturate = p.saturate;
            }
            return keep(p, b, half.typed(d.kind));
        }
        _ => return Err(Unimplemented("this operation on floats")),
    };
    finish(p, b, v)
}

/// Sums of absolute differences of neighbouring bytes.
fn differences(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    need(p.class(2)? == Class::Integer, "this operation on floats")?;
    let mut terms = [number(0); 2];
    for (term, components) in terms.iter_mut().zip([[0, 0, 2, 2], [1, 1, 3, 3]]) {
        let x = b.raw_of(&s0, Some(components))?;
        let y = b.raw_of(&s1, Some(components))?;
        let difference = b.op(Op::Add, Type::S64, &[x, minus(y)]);
        *term = Src {
            abs: true,
            ..difference
        };
    }
    let mut sources = terms.to_vec();
    if p.name == "sada2" {
        sources.push(Src::new(Place::Accumulator(0), Type::S64));
    }
    let v = b.op(Op::Add, Type::S64, &sources);
    finish(p, b, v)
}

/// Products of components added over groups of four channels.
fn dot(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    need(
        p.class(2)? == Class::Single,
        "this operation on other types than F",
    )?;
    need(
        p.shape.count >= 4,
        "dot product of fewer than four channels",
    )?;
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    let terms = match p.name {
        "dp4" => 4,
        "dp2" => 2,
        _ => 3,
    };
    let ty = Type::F32;
    let of = |b: &mut Build, s: &Source, c: u8| {
        let s = b.raw_of(s, Some([c; 4]))?;
        Ok(Src { flush: true, ..s })
    };
    let mut sum: Option<Src> = None;
    for c in 0..terms {
        let (x, y) = (of(b, &s0, c)?, of(b, &s1, c)?);
        let product = b.op(Op::Mul, ty, &[x, y]);
        sum = Some(match sum {
            None => product,
            Some(sum) => b.op(Op::Add, ty, &[sum, product]),
        });
    }
    let mut sum = sum.unwrap_or(float(0));
    if p.name == "dph" {
        let last = of(b, &s1, 3)?;
        sum = b.op(Op::Add, ty, &[sum, last]);
    }
    finish(p, b, sum)
}

/// Linear functions, products fused from left to right.
fn linear(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    need(
        p.class(2)? == Class::Single,
        "this operation on other types than F",
    )?;
    let (s0, s1) = (*p.source(0)?, *p.source(1)?);
    let From::Region(Start::General(at), _) = s0.from else {
        return Err(Unimplemented("coefficients that are not in g registers"));
    };
    need(!s0.abs && !s0.neg, "coefficients with a modifier")?;
    let ty = Type::F32;
    let coefficient = |b: &Build, n: u32| b.scalar((at & !15) + 4 * n, ty);
    let u = b.source(&s1)?;
    let v = if p.name == "line" {
        let (m, n) = (coefficient(b, 0), coefficient(b, 3));
        b.op(Op::MulAdd, ty, &[m, u, n])
    } else {
        need(
            matches!(p.shape.count, 8 | 16),
            "pln of other than 8 or 16 channels",
        )?;
        let From::Region(Start::General(byte), step) = s1.from else {
            return Err(Unimplemented("variables that are not in g registers"));
        };
        let second = Source {
            from: From::Region(Start::General(byte + 4 * p.shape.count), step),
            ..s1
        };
        let w = b.source(&second)?;
        let [m, n, r] = [0, 1, 3].map(|c| coefficient(b, c));
        let t = b.op(Op::MulAdd, ty, &[m, u, r]);
        b.op(Op::MulAdd, ty, &[n, w, t])
    };
    finish(p, b, v)
}
