//! Operations on floats.

use super::alu::{finish, keep};
use super::build::{flushes, minus, need, Build, Class};
use super::operand::{From, Source, Start};
use super::Parts;
use crate::uop::{Op, Place, Round, Src, Type, Unimplemented};

/// The float 1.
const ONE: u32 = 0x3f80_0000;

/// A float without a place.
fn float(bits: u32) -> Src {
    Src::immediate(bits.into(), Type::F32)
}

/// Writes the micro-operations of an operation on floats of type `ty`.
///
/// # Errors
/// It has no decided meaning for this type.
pub fn lower(p: &Parts, b: &mut Build, s: [Src; 3], ty: Type) -> Result<(), Unimplemented> {
    let [x, y, z] = s;
    let single = ty == Type::F32;
    let integral = |b: &mut Build, round| b.op_rounded(Op::RoundToIntegral, ty, round, &[x]);
    let v = match p.name {
        "add" => b.op(Op::Add, ty, &[x, y]),
        "mul" => b.op(Op::Mul, ty, &[x, y]),
        "mad" => b.op(Op::MulAdd, ty, &[y, z, x]),
        "mac" => {
            let product = b.op(Op::Mul, ty, &[x, y]);
            let acc = Src { flush: flushes(ty), ..Src::new(Place::Accumulator(0), ty) };
            b.op(Op::Add, ty, &[product, acc])
        }
        _ if !single => return Err(Unimplemented("this operation on DF")),
        "frc" => {
            let floor = integral(b, Round::Down);
            b.op_rounded(Op::Add, ty, Round::Zero, &[x, minus(floor)])
        }
        "rndd" => integral(b, Round::Down),
        "rnde" => integral(b, Round::Nearest),
        "rndz" => integral(b, Round::Zero),
        "rndu" => integral(b, Round::Up),
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

/// Products of components added over groups of four channels.
pub fn dot(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    need(p.class(2)? == Class::Single, "this operation on other types than F")?;
    need(p.shape.count >= 4, "dot product of fewer than four channels")?;
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
pub fn linear(p: &Parts, b: &mut Build) -> Result<(), Unimplemented> {
    need(p.class(2)? == Class::Single, "this operation on other types than F")?;
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
        need(matches!(p.shape.count, 8 | 16), "pln of other than 8 or 16 channels")?;
        let From::Region(Start::General(byte), step) = s1.from else {
            return Err(Unimplemented("variables that are not in g registers"));
        };
        let second = Source { from: From::Region(Start::General(byte + 4 * p.shape.count), step), ..s1 };
        let w = b.source(&second)?;
        let [m, n, r] = [0, 1, 3].map(|c| coefficient(b, c));
        let t = b.op(Op::MulAdd, ty, &[m, u, r]);
        b.op(Op::MulAdd, ty, &[n, w, t])
    };
    finish(p, b, v)
}
