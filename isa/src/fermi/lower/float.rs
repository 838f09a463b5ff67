//! Floats of 32 and 64 bits, special functions.

use super::{Lowering, Result};
use crate::uop::{Op, Special, Src, Type, Unimplemented, Uop};

pub(super) fn lower(l: &Lowering) -> Result<Vec<Uop>> {
    let ty = match l.form.mnemonic.starts_with('D') {
        true => Type::F64,
        false => Type::F32,
    };
    let arithmetic = |op, n: usize| -> Result<Vec<Uop>> {
        let src = (1..=n).map(|i| l.float(i, ty)).collect::<Result<_>>()?;
        let u = Uop::new(op, ty, l.dst(0, ty)?, src);
        Ok(vec![u.with_mode(l.mode()).saturating(l.on("sat"))])
    };
    match l.form.mnemonic {
        "FADD" | "FADD32I" | "DADD" => arithmetic(Op::Add, 2),
        "FMUL" | "FMUL32I" | "DMUL" => arithmetic(Op::Mul, 2),
        "FFMA" | "DFMA" => arithmetic(Op::MulAdd, 3),
        "FSETP" | "DSETP" => l.set_predicates(l.float(2, ty)?, l.float(3, ty)?),
        "FCMP" => {
            let zero = Src::immediate(0, ty);
            let src = vec![l.float(3, ty)?, zero, l.src(1, Type::U32)?, l.src(2, Type::U32)?];
            let op = Op::CompareSelect(l.cond());
            Ok(vec![Uop::new(op, Type::U32, l.dst(0, ty)?, src)])
        }
        "FMNMX" => l.min_max(ty, l.float(1, ty)?, l.float(2, ty)?),
        "MUFU" => special(l, function(l)?),
        "RRO" if l.fixed("EX2") => special(l, Special::ReduceEx2),
        "RRO" => special(l, Special::ReduceSin),
        _ => Err(Unimplemented("no micro-operations are written for it")),
    }
}

fn function(l: &Lowering) -> Result<Special> {
    Ok(match l.modifier("op") {
        0 => Special::Cos,
        1 => Special::Sin,
        2 => Special::Ex2,
        3 => Special::Lg2,
        4 => Special::Rcp,
        5 => Special::Rsq,
        6 => Special::Rcp64High,
        7 => Special::Rsq64High,
        _ => return Err(Unimplemented("the function has no meaning")),
    })
}

fn special(l: &Lowering, f: Special) -> Result<Vec<Uop>> {
    let (ty, op) = (Type::F32, Op::Special(f));
    let u = Uop::new(op, ty, l.dst(0, ty)?, vec![l.src(1, ty)?]);
    Ok(vec![u.saturating(l.on("sat"))])
}
