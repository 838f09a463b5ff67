//! Conversions.

use super::{Lowering, Result};
use crate::uop::{FloatMode, Op, Place, Round, Src, Tiny, Type, Unimplemented, Uop};

pub(super) fn lower(l: &Lowering) -> Result<Vec<Uop>> {
    let sat = l.on("sat");
    match l.form.mnemonic {
        "F2I" => {
            let from = if l.fixed("F64") { Type::F64 } else { Type::F32 };
            let mut src = l.src(1, from)?;
            src.flush = l.on("ftz") && from == Type::F32;
            let round = [Round::Nearest, Round::Down, Round::Up, Round::Zero];
            let mode = FloatMode { round: round[l.modifier("rnd") as usize & 3], ..FloatMode::default() };
            extended(l, Op::Convert, integer(l), mode, src, false)
        }
        "I2F" => {
            let to = if l.fixed("F64") { Type::F64 } else { Type::F32 };
            let src = l.src(1, Type::int(32, l.on("ss")))?;
            let u = Uop::new(Op::Convert, to, l.dst(0, to)?, vec![src]);
            Ok(vec![u.with_mode(l.mode())])
        }
        "I2I" => {
            let src = l.src(1, Type::int(32, l.on("ss")))?;
            extended(l, Op::Convert, integer(l), FloatMode::default(), src, sat)
        }
        "F2F" => {
            let (to, from) = match l.form.name.trim_end_matches(['R', 'C', 'I']) {
                "F2F_F32_F64_" => (Type::F32, Type::F64),
                "F2F_F64_F32_" => (Type::F64, Type::F32),
                "F2F_F16_F32_" => (Type::F16, Type::F32),
                _ => (Type::F32, Type::F32),
            };
            let mut src = l.src(1, from)?;
            src.flush = l.on("ftz") && from == Type::F32;
            let mode = FloatMode {
                tiny: match l.on("ftz") && to == Type::F32 {
                    true => Tiny::FlushRounded,
                    false => Tiny::Keep,
                },
                ..l.mode()
            };
            let op = match l.fixed("ROUND") {
                true => Op::RoundToIntegral,
                false => Op::Convert,
            };
            extended(l, op, to, mode, src, sat)
        }
        _ => Err(Unimplemented("no micro-operations are written for it")),
    }
}

/// Integer type of the result: bits 1:0 the width, bit 2 the sign.
fn integer(l: &Lowering) -> Type {
    let code = l.modifier("dt");
    Type::int(8 << (code & 3), code & 4 != 0)
}

/// A conversion whose result, where it is narrow, is extended to a whole register.
fn extended(l: &Lowering, op: Op, ty: Type, mode: FloatMode, src: Src, saturate: bool) -> Result<Vec<Uop>> {
    let dst = l.dst(0, ty)?;
    let convert = |dst| {
        let u = Uop::new(op, ty, dst, vec![src]);
        u.with_mode(mode).saturating(saturate)
    };
    if ty.bits() >= 32 {
        return Ok(vec![convert(dst)]);
    }
    let kept = Place::Temporary(0);
    let seen = Type::int(ty.bits(), ty.is_signed());
    let extend = Uop::new(Op::Move, Type::U32, dst, vec![Src::new(kept, seen)]);
    Ok(vec![convert(kept), extend])
}
