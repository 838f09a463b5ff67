//! Integers and logic.

use super::{Lowering, Result};
use crate::uop::{Cond, Op, Place, Src, Type, Unimplemented, Uop};

pub(super) fn lower(l: &Lowering) -> Result<Vec<Uop>> {
    let word = Type::U32;
    // Signed unless .U32.
    let signed = Type::int(32, l.on("s"));
    let one = |op, src| Ok(vec![Uop::new(op, word, l.dst(0, word)?, src)]);
    match l.form.mnemonic {
        "IADD" | "IADD32I" => {
            let (a, b) = (l.src(1, Type::S32)?, l.src(2, Type::S32)?);
            Ok(vec![sum(l, a, b)?])
        }
        "ISCADD" => {
            let shift = l.get(super::fields::SHIFT) as u8;
            let (a, b) = (l.src(1, word)?, l.src(2, word)?);
            Ok(vec![sum(l, Src { shift, ..a }, b)?])
        }
        "IMUL" | "IMUL32I" => one(product(l), factors(l)?),
        "IMAD" => multiply_add(l),
        "SHL" => {
            let op = Op::ShiftLeft { mask: count(l) };
            one(op, vec![l.src(1, word)?, l.src(2, word)?])
        }
        "SHR" => {
            let op = Op::ShiftRight { mask: count(l) };
            one(op, vec![l.src(1, signed)?, l.src(2, word)?])
        }
        "LOP" | "LOP32I" => {
            let op = Op::Logic(l.logic("op"));
            one(op, vec![l.src(1, word)?, l.src(2, word)?])
        }
        "ISETP" => l.set_predicates(l.src(2, signed)?, l.src(3, signed)?),
        "ICMP" => {
            let zero = Src::immediate(0, signed);
            let (a, b) = (l.src(1, word)?, l.src(2, word)?);
            // Code 15, always, has the bit of unordered floats, too; integers never are.
            let cond = Cond(l.cond().0 & 7);
            one(Op::CompareSelect(cond), vec![l.src(3, signed)?, zero, a, b])
        }
        "IMNMX" => l.min_max(signed, l.src(1, signed)?, l.src(2, signed)?),
        "BFE" => extract(l, signed),
        "BFI" => {
            let packed = l.src(2, word)?;
            let src = vec![l.src(3, word)?, l.src(1, word)?, byte(packed, 0)?, byte(packed, 1)?];
            one(Op::Insert, src)
        }
        "POPC" => {
            let kept = Place::Temporary(0);
            let both = vec![l.src(1, word)?, l.src(2, word)?];
            Ok(vec![
                Uop::new(Op::Logic(super::AND), word, kept, both),
                Uop::new(Op::CountOnes, word, l.dst(0, word)?, vec![Src::new(kept, word)]),
            ])
        }
        "FLO" => {
            let from_top = l.on("sh");
            one(Op::FindHigh { from_top }, vec![l.src(1, signed)?])
        }
        _ => Err(Unimplemented("no micro-operations are written for it")),
    }
}

/// a + b, a + b + 1 where both have a minus.
fn sum(l: &Lowering, a: Src, b: Src) -> Result<Uop> {
    let src = match a.neg && b.neg {
        true => vec![Src { neg: false, ..a }, Src { neg: false, ..b }, Src::immediate(1, Type::U32)],
        false => vec![a, b],
    };
    let u = Uop::new(Op::Add, Type::S32, l.dst(0, Type::S32)?, src);
    Ok(u.saturating(l.on("sat")))
}

fn product(l: &Lowering) -> Op {
    match l.on("hi") {
        true => Op::MulHigh,
        false => Op::Mul,
    }
}

fn factors(l: &Lowering) -> Result<Vec<Src>> {
    Ok(vec![l.src(1, Type::int(32, l.on("sa")))?, l.src(2, Type::int(32, l.on("sb")))?])
}

/// The minus of the product stands at its first factor and holds for the low or high word of it.
fn multiply_add(l: &Lowering) -> Result<Vec<Uop>> {
    let neg = l.minus(1)?;
    let mut src = factors(l)?;
    src[0].neg = false;
    let kept = Place::Temporary(0);
    let a = Src { neg, ..Src::new(kept, Type::S32) };
    Ok(vec![Uop::new(product(l), Type::U32, kept, src), sum(l, a, l.src(3, Type::S32)?)?])
}

/// Bits of a shift count that count.
fn count(l: &Lowering) -> u32 {
    match l.on("w") {
        true => 31,
        false => u32::MAX,
    }
}

fn extract(l: &Lowering, ty: Type) -> Result<Vec<Uop>> {
    let mut uops = vec![];
    let mut a = l.src(1, ty)?;
    if l.on("rev") {
        let kept = Place::Temporary(0);
        uops.push(Uop::new(Op::Reverse, Type::U32, kept, vec![a]));
        a = Src::new(kept, ty);
    }
    let packed = l.src(2, Type::U32)?;
    let src = vec![a, byte(packed, 0)?, byte(packed, 1)?];
    uops.push(Uop::new(Op::Extract, Type::U32, l.dst(0, Type::U32)?, src));
    Ok(uops)
}

/// One byte of a source without signs.
fn byte(src: Src, n: u8) -> Result<Src> {
    let place = match src.place {
        Place::Register { index, byte } => Place::Register { index, byte: byte + n },
        Place::Constant { bank, offset } => Place::Constant { bank, offset: offset + u32::from(n) },
        Place::Immediate(v) => Place::Immediate(v >> (8 * n) & 0xff),
        _ => return Err(Unimplemented("a place without bytes")),
    };
    Ok(Src::new(place, Type::U8))
}
