//! Modes and formats of floats, conversions, special functions.

use super::fields::{set_op, signs, sources, tiny_code};
use super::operands::{Operands, NOTHING};
use crate::config::Isa;
use crate::sm::control::encode::{integer, rounding, ControlWord, Want};
use crate::sm::control::function;
use crate::sm::control::uop::{format, op};
use warpsmith_isa::uop::{Op, Place, Special, Type, Uop};

/// Of [`function::RSQ`]: infinity and a zero change places.
const FOR_ROOT: u64 = 8;

/// How a float result is formed.
pub(super) fn float_mode(w: &mut ControlWord, u: &Uop, o: &Operands) {
    sources(w, u);
    // Half precision of G13 keeps its denormals, whatever is said.
    if o.isa != Isa::G13 || u.ty != Type::F16 {
        w.alu.tiny = tiny_code(u.mode);
    }
    w.alu.round = Want::is(rounding(u.mode.round));
    w.alu.sat = Want::is(u.saturate);
    w.alu.format = result_format(u.ty, o);
}

/// Format of a float result.
pub(super) fn result_format(ty: Type, o: &Operands) -> Want {
    Want::is(match (ty, o.rounded) {
        (Type::F16, _) => format::F16,
        (_, true) => format::F32_F16,
        _ => format::F32,
    })
}

/// A sum of floats.
pub(super) fn sum(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    set_op(w, op::FADD);
    signs(w, 'a', &u.src[0]);
    signs(w, 'b', &u.src[1]);
    float_mode(w, u, o);
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

pub(super) fn convert(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    let from = u.src[0].ty;
    signs(w, 'a', &u.src[0]);
    (o.a, o.from_b) = (Some(u.src[0]), true);
    match (from.is_float(), u.ty.is_float()) {
        (true, true) => {
            set_op(w, op::F2F);
            w.alu.integral = Want::is(u.op == Op::RoundToIntegral);
            float_mode(w, u, o);
        }
        (true, false) => {
            set_op(w, op::F2I);
            w.alu.to = Want::is(integer(u.ty));
            w.alu.round = Want::is(rounding(u.mode.round));
            sources(w, u);
        }
        (false, true) => {
            set_op(w, op::I2F);
            w.alu.from = match (o.isa, from) {
                // 16 bits come extended; without a sign they are positive either way.
                (Isa::G13, Type::U16) => Want::low(integer(Type::U32), 3),
                (Isa::G13, Type::U8 | Type::S8) => Want::is(integer(from)),
                (Isa::G13, _) => Want::is(integer(Type::int(32, from.is_signed()))),
                _ => Want::is(integer(from)),
            };
            // Never below the normal range.
            w.alu.format = result_format(u.ty, o);
            w.alu.round = Want::is(rounding(u.mode.round));
            w.alu.sat = Want::is(u.saturate);
        }
        (false, false) => {
            set_op(w, op::CONVERT);
            w.alu.from = Want::is(integer(from));
            w.alu.to = Want::is(integer(u.ty));
            w.alu.sat = Want::is(u.saturate);
        }
    }
}

pub(super) fn special(w: &mut ControlWord, u: &Uop, which: Special, o: &mut Operands) {
    signs(w, 'a', &u.src[0]);
    o.a = Some(u.src[0]);
    if which == Special::SinFold {
        set_op(w, op::SIN_FOLD);
        o.b = Some(NOTHING);
        return float_mode(w, u, o);
    }
    let function = match which {
        Special::ReduceSin | Special::ReduceEx2 => {
            let code = if which == Special::ReduceSin { op::RRO_SIN } else { op::RRO_EX2 };
            o.from_b = true;
            sources(w, u);
            return set_op(w, code);
        }
        Special::Rcp => function::RCP,
        Special::Rsq => function::RSQ,
        Special::Lg2 => function::LG2,
        // G13 has the second half of its sine in the place of the sine.
        Special::Sin | Special::SinRatio => function::SIN,
        Special::RsqForSqrt => function::RSQ | FOR_ROOT,
        Special::Cos => function::COS,
        Special::Ex2 => function::EX2,
        // The unit for floats of 64 bits computes them.
        Special::Rcp64High | Special::Rsq64High => {
            w.alu.sat = Want::is(u.saturate);
            return set_op(w, if which == Special::Rcp64High { op::RCP64H } else { op::RSQ64H });
        }
        other => panic!("{other:?}"),
    };
    // Nothing is asked of the unit when nobody wants the result.
    w.control.sfu = Want::is(u.dst[0] != Place::None);
    w.alu.table = match o.isa {
        Isa::G13 => {
            w.alu.format = result_format(u.ty, o);
            Want::low(function, 15)
        }
        _ => Want::low(function, 7),
    };
    w.alu.sat = Want::is(u.saturate);
    sources(w, u);
}
