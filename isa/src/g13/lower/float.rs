//! Floats.

use super::operand::{convert, float_mode, Code};
use crate::uop::{CrossOp, Op, Place, Round, Special, Src, Type, Uop};

/// The micro-operations; `None` for a form of another kind.
pub(super) fn lower(c: &Code) -> Option<Vec<Uop>> {
    let f = |n| c.float(n);
    // +0: a product that is 0 has no sign.
    let zero = Src::immediate(0, Type::F32);
    Some(match c.name {
        "fmadd32" => arithmetic(c, Type::F32, Op::MulAdd, vec![f(1), f(2), f(3)]),
        "fmadd16" => arithmetic(c, Type::F16, Op::MulAdd, vec![f(1), f(2), f(3)]),
        "fadd32" => arithmetic(c, Type::F32, Op::Add, vec![f(1), f(2)]),
        "fadd16" => arithmetic(c, Type::F16, Op::Add, vec![f(1), f(2)]),
        "fmul32" => arithmetic(c, Type::F32, Op::MulAdd, vec![f(1), f(2), zero]),
        "fmul16" => arithmetic(c, Type::F16, Op::MulAdd, vec![f(1), f(2), zero]),
        "floor" => integral(c, Round::Down),
        "ceil" => integral(c, Round::Up),
        "trunc" => integral(c, Round::Zero),
        "rint" => integral(c, Round::Nearest),
        "rcp" => special(c, Special::Rcp),
        "rsqrt" => special(c, Special::Rsq),
        "rsqrt_special" => special(c, Special::RsqForSqrt),
        "sin_pt_1" => special(c, Special::SinFold),
        "sin_pt_2" => special(c, Special::SinRatio),
        "log2" => special(c, Special::Lg2),
        "exp2" => {
            let reduced = Place::Temporary(1);
            let mut uops = whole(c);
            let reduce = Op::Special(Special::ReduceEx2);
            let from = operand(c, &uops);
            uops.push(Uop::new(reduce, Type::U32, reduced, vec![from]));
            let reduced = Src::new(reduced, Type::U32);
            let op = Op::Special(Special::Ex2);
            uops.extend(arithmetic(c, Type::F32, op, vec![reduced]));
            uops
        }
        "dfdx" => difference(c, 1),
        "dfdy" => difference(c, 2),
        _ => return None,
    })
}

/// An operation whose result has a type, then rounded to the destination.
fn arithmetic(c: &Code, ty: Type, op: Op, src: Vec<Src>) -> Vec<Uop> {
    let d = c.dst(0);
    let uop = Uop::new(op, ty, Place::None, src).with_mode(float_mode(ty));
    d.take(uop.saturating(d.saturate))
}

/// To an integral value; the value of 32 bits is exact.
fn integral(c: &Code, round: Round) -> Vec<Uop> {
    let mut uops = arithmetic(c, Type::F32, Op::RoundToIntegral, vec![c.float(1)]);
    uops[0].mode.round = round;
    uops
}

/// Source 1 as a float of 32 bits, in a temporary, if it has 16.
fn whole(c: &Code) -> Vec<Uop> {
    let src = c.float(1);
    match src.ty {
        Type::F16 => vec![convert(Type::F32, Place::Temporary(0), src)],
        _ => vec![],
    }
}

/// Source 1 as [`whole`] leaves it.
fn operand(c: &Code, whole: &[Uop]) -> Src {
    match whole {
        [] => c.float(1),
        _ => Src::new(Place::Temporary(0), Type::F32),
    }
}

fn special(c: &Code, function: Special) -> Vec<Uop> {
    let mut uops = whole(c);
    let src = operand(c, &uops);
    uops.extend(arithmetic(c, Type::F32, Op::Special(function), vec![src]));
    uops
}

fn difference(c: &Code, with: u8) -> Vec<Uop> {
    let op = Op::Cross(CrossOp::QuadDifference { with });
    let src = c.float(1);
    let ty = if c.dst(0).bits == 16 { src.ty } else { Type::F32 };
    arithmetic(c, ty, op, vec![src])
}
