//! Functions of `math`, by the project's unit for special functions.

use super::alu::finish;
use super::build::Build;
use super::operand::{Destination, Start};
use super::Parts;
use crate::ivb::operand::REGISTER;
use crate::uop::{Cond, Op, Round, Special, Src, Tiny, Type, Unimplemented};

/// Writes the micro-operations.
pub fn lower(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let kind = p.source(0)?.kind;
    if matches!(p.code, 11..=13) {
        return divide(p, b);
    }
    let two = matches!(p.code, 9 | 10);
    let float = kind == Type::F32 && (!two || p.source(1)?.kind == Type::F32);
    if !float {
        return Err(Unimplemented("this function of other types than F"));
    }
    let x = b.source(p.source(0)?)?;
    let y = match two {
        true => b.source(p.source(1)?)?,
        false => x,
    };
    let ty = Type::F32;
    let special = |b: &mut Build, f, x| b.op(Op::Special(f), ty, &[x]);
    let product = |b: &mut Build, x, y| b.op_rounded(Op::Mul, ty, Round::Nearest, &[x, y]);
    let exp = |b: &mut Build, x| {
        let reduced = special(b, Special::ReduceEx2, x);
        special(b, Special::Ex2, reduced.typed(Type::U32))
    };
    let v = match p.code {
        1 => special(b, Special::Rcp, x),
        2 => special(b, Special::Lg2, x),
        3 => exp(b, x),
        4 => root(b, x),
        5 => special(b, Special::Rsq, x),
        6 | 7 => {
            let f = if p.code == 6 { Special::Sin } else { Special::Cos };
            let reduced = special(b, Special::ReduceSin, x);
            special(b, f, reduced.typed(Type::U32))
        }
        9 => {
            let inverse = special(b, Special::Rcp, y);
            product(b, x, inverse)
        }
        10 => {
            let log = special(b, Special::Lg2, Src { abs: true, neg: false, ..x });
            // Minus infinity to a finite positive power is no number.
            let float = |bits| Src::immediate(bits, ty);
            let choose = |b: &mut Build, cond, s: [Src; 4]| b.op(Op::CompareSelect(Cond(cond)), ty, &s);
            let positive = choose(b, Cond::GREATER, [y, float(0), float(NAN), float(0)]);
            let finite = choose(b, Cond::EQUAL, [y, float(INFINITY), float(0), positive]);
            let none = choose(b, Cond::EQUAL, [x, float(INFINITY | SIGN), finite, float(0)]);
            let exponent = b.op_rounded(Op::MulAdd, ty, Round::Nearest, &[y, log, none]);
            exp(b, exponent)
        }
        _ => return Err(Unimplemented("function of math without meaning")),
    };
    finish(p, b, v)
}

/// Square root: s = x * rsq(x), then a step of Newton's method, s + (x - s * s) * rsq(x) / 2, which brings it inside
/// 1 ulp. Of zero and infinity, of which that is none, it is s.
fn root(b: &mut Build, x: Src) -> Src {
    let ty = Type::F32;
    let inverse = b.op(Op::Special(Special::RsqForSqrt), ty, &[x]);
    let first = b.op_rounded(Op::Mul, ty, Round::Nearest, &[x, inverse]);
    let minus = Src { neg: true, ..first };
    // The rest of a small x is a denormal that counts.
    let exact = |b: &mut Build, op, s: &[Src]| {
        let v = b.op(op, ty, s);
        if let Some(last) = b.uops.last_mut() {
            last.mode.tiny = Tiny::Keep;
        }
        v
    };
    let rest = exact(b, Op::MulAdd, &[minus, first, x]);
    let rest = exact(b, Op::Mul, &[rest, inverse]);
    let second = b.op(Op::MulAdd, ty, &[rest, Src::immediate(HALF, ty), first]);
    let known = Op::CompareSelect(Cond(Cond::LESS | Cond::EQUAL | Cond::GREATER));
    b.op(known, ty, &[second, Src::immediate(0, ty), second, first])
}

/// The float 0.5.
const HALF: u64 = 0x3f00_0000;
/// Infinity.
const INFINITY: u64 = 0x7f80_0000;
/// The sign.
const SIGN: u64 = 0x8000_0000;
/// No number.
const NAN: u64 = 0x7fc0_0000;

/// Quotient and remainder of integers.
fn divide(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    let wide = |ty| matches!(ty, Type::S32 | Type::U32);
    if !(wide(p.source(0)?.kind) && wide(p.source(1)?.kind)) {
        return Err(Unimplemented("integer division of other types than D and UD"));
    }
    if p.shape.count > 8 {
        return Err(Unimplemented("integer division of more than 8 channels"));
    }
    let (x, y): (Src, Src) = (b.source(p.source(0)?)?, b.source(p.source(1)?)?);
    match p.code {
        12 => {
            let quotient = b.op(Op::Quotient, Type::S64, &[x, y]);
            finish(p, b, quotient)
        }
        13 => {
            let remainder = b.op(Op::Remainder, Type::S64, &[x, y]);
            finish(p, b, remainder)
        }
        _ => {
            let quotient = b.op(Op::Quotient, Type::S64, &[x, y]);
            let remainder = b.op(Op::Remainder, Type::S64, &[x, y]);
            let d = *p.destination()?;
            let Start::General(byte) = d.start else {
                return Err(Unimplemented("quotient and remainder not in g registers"));
            };
            let behind = Destination { start: Start::General(byte + REGISTER), ..d };
            let place = b.destination(&behind)?;
            finish(p, b, quotient)?;
            b.put(Op::Convert, d.kind, place, &[remainder]);
            Ok(())
        }
    }
}
