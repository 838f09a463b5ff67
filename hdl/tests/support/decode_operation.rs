//! The lane's part of the control word, from the operation of a decoded instruction.

use super::Expected;
use warpsmith_hdl::sm::control::{float_format, int_format, round, unit};
use warpsmith_isa::uop::AtomicOp;
use warpsmith_isa::{
    AddKind, Dst, Family, FloatType, Instr, IntType, LogicOp, MulKind, Number, Op, Round, SfuFn, Src, Width,
};

fn kind_code(k: AddKind) -> u64 {
    match k {
        AddKind::Add => 0,
        AddKind::Sub => 1,
        AddKind::Subr => 2,
        AddKind::Addc => 3,
    }
}

fn format_code(t: IntType) -> u64 {
    int_format::code(t.is_signed(), t.bits() as usize)
}

fn float_code(t: FloatType) -> u64 {
    match t {
        FloatType::F16 => float_format::F16,
        FloatType::F32 => float_format::F32,
    }
}

fn round_code(r: Round) -> u64 {
    match r {
        Round::Nearest => round::NEAREST,
        Round::Down => round::DOWN,
        Round::Up => round::UP,
        Round::Zero => round::ZERO,
    }
}

/// The lane's part and the special-function unit's; fields its unit does not look at are left out.
pub(super) fn operation(e: &mut Expected, i: &Instr) {
    let or = |e: &mut Expected, w16: bool| {
        e.set("unit", unit::LOGIC);
        e.set("w16", w16);
        e.set("logic", 1u64);
        e.set("not_a", false);
        e.set("not_b", false);
    };
    let pass_b = |e: &mut Expected| {
        e.set("unit", unit::LOGIC);
        e.set("logic", 3u64);
        e.set("not_b", false);
    };
    let wide = |e: &mut Expected, u: u64, width: Width, signed: bool| {
        e.set("unit", u);
        e.set("real", false);
        e.set("w16", width == Width::W16);
        e.set("signed_a", signed);
    };
    let compare = |e: &mut Expected, u: u64, [neg_a, abs_a, neg_b, abs_b]: [bool; 4]| {
        e.set("unit", u);
        e.set("real", true);
        e.set("w16", false);
        e.set("neg", neg_a);
        e.set("abs", abs_a);
        e.set("neg_b", neg_b);
        e.set("abs_b", abs_b);
    };
    let multiply = |e: &mut Expected, a: bool, b: bool, mul24: bool, high: bool, add: bool| {
        e.set("unit", unit::MUL);
        e.set("signed_a", a);
        e.set("signed_b", b);
        e.set("mul24", mul24);
        e.set("high", high);
        e.set("accumulate", add);
    };
    let sum = |e: &mut Expected, u: u64, [neg, neg_b]: [bool; 2], round: Round| {
        e.set("unit", u);
        e.set("neg", neg);
        e.set("neg_b", neg_b);
        e.set("round", round_code(round));
    };
    // Nothing is asked of the units when nobody wants the result.
    let wanted = matches!(i.dst, Dst::Reg(_) | Dst::Half(_));
    let double = i.op.family() == Family::Double && (wanted || matches!(i.dst, Dst::Pair(_)) || i.cdst.is_some());
    e.set("sfu", matches!(i.op, Op::Sfu { .. }) && wanted || double);
    match i.op {
        Op::Mov { width, .. } if matches!(i.src[0], Src::Imm(_)) => {
            pass_b(e);
            e.set("w16", width == Width::W16);
        }
        Op::LdShared { .. } => or(e, false),
        // What is compared is shown.
        Op::Atomic { op: AtomicOp::CompareExchange, .. } => pass_b(e),
        Op::LdConst => {
            pass_b(e);
            // A half register takes the low half of the result either way.
            if !matches!(i.dst, Dst::Half(_)) {
                e.set("w16", false);
            }
        }
        Op::Mov { width, .. } => or(e, width == Width::W16),
        Op::C2R | Op::Vote { .. } | Op::R2C | Op::A2R | Op::S2R => or(e, false),
        Op::R2A { .. } => {
            e.set("unit", unit::SHIFT);
            e.set("w16", false);
            e.set("right", false);
        }
        Op::AddA => {
            e.set("unit", unit::ADD);
            e.set("w16", false);
            e.set("kind", 0u64);
            e.set("sat", false);
        }
        Op::IAdd { kind, width, sat } => {
            e.set("unit", unit::ADD);
            e.set("w16", width == Width::W16);
            e.set("kind", kind_code(kind));
            e.set("sat", sat);
        }
        Op::IMul16 { signed_a, signed_b } => {
            multiply(e, signed_a, signed_b, false, false, false);
        }
        Op::IMul24 { signed, high } => multiply(e, signed, signed, true, high, false),
        Op::IMad { kind, mul, sat } => {
            let signed = matches!(mul, MulKind::S16 | MulKind::S24 | MulKind::HiS24);
            let mul24 = !matches!(mul, MulKind::U16 | MulKind::S16);
            let high = matches!(mul, MulKind::HiU24 | MulKind::HiS24);
            multiply(e, signed, signed, mul24, high, true);
            e.set("kind", kind_code(kind));
            e.set("sat", sat);
        }
        Op::ISad { width, signed } => wide(e, unit::SAD, width, signed),
        Op::ISet { cond, width, signed } => {
            wide(e, unit::SET, width, signed);
            e.set("cond", cond);
        }
        Op::IMinMax { max, width, signed } => {
            wide(e, unit::MINMAX, width, signed);
            e.set("right", max);
        }
        Op::Shift { right, signed, width } => {
            wide(e, unit::SHIFT, width, signed);
            e.set("right", right);
        }
        Op::Logic { op, not_a, not_b, width } => {
            e.set("unit", unit::LOGIC);
            e.set("w16", width == Width::W16);
            e.set("not_b", not_b);
            let code = match op {
                LogicOp::And => 0u64,
                LogicOp::Or => 1,
                LogicOp::Xor => 2,
                LogicOp::PassB => 3,
            };
            e.set("logic", code);
            if op != LogicOp::PassB {
                e.set("not_a", not_a);
            }
        }
        Op::I2I { dst, src, neg, abs } => {
            e.set("unit", unit::CONVERT);
            e.set("from", format_code(src));
            e.set("to", format_code(dst));
            e.set("neg", neg);
            e.set("abs", abs);
            match (dst.bits(), i.dst) {
                (16, _) | (_, Dst::Half(_)) => e.set("w16", true),
                (32, _) | (_, Dst::Reg(_)) => e.set("w16", false),
                // Eight bits give the same flags in both widths.
                _ => {}
            }
        }
        Op::FAdd { neg_a, neg_b, round, sat } => {
            e.set("unit", unit::FADD);
            e.set("sat", sat);
            e.set("neg", neg_a);
            e.set("neg_b", neg_b);
            e.set("round", round_code(round));
        }
        Op::FMul { neg_a, neg_b, round } => {
            e.set("unit", unit::FMUL);
            e.set("sat", false);
            e.set("neg", neg_a);
            e.set("neg_b", neg_b);
            e.set("round", round_code(round));
        }
        Op::FMad { neg_ab, neg_c, sat } => {
            e.set("unit", unit::FMAD);
            e.set("sat", sat);
            e.set("neg", neg_ab);
            e.set("neg_b", neg_c);
            e.set("round", round::NEAREST);
        }
        Op::FSet { cond, neg_a, abs_a, neg_b, abs_b } => {
            compare(e, unit::SET, [neg_a, abs_a, neg_b, abs_b]);
            e.set("cond", cond & 7);
            e.set("unordered", cond & 8 != 0);
        }
        Op::FMinMax { max, neg_a, abs_a, neg_b, abs_b } => {
            compare(e, unit::MINMAX, [neg_a, abs_a, neg_b, abs_b]);
            e.set("right", max);
            e.set("accumulate", false);
        }
        Op::FSlct { neg_c } => {
            compare(e, unit::MINMAX, [false, false, neg_c, false]);
            e.set("accumulate", true);
        }
        Op::F2F { dst, src, round, to_int, neg, abs, sat } => {
            e.set("unit", unit::F2F);
            e.set("from", float_code(src));
            e.set("to", float_code(dst));
            e.set("high", to_int);
            e.set("sat", sat);
            e.set("neg", neg);
            e.set("abs", abs);
            e.set("round", round_code(round));
        }
        Op::I2F { dst, src, round, neg, abs, sat } => {
            e.set("unit", unit::I2F);
            e.set("from", format_code(src));
            e.set("to", float_code(dst));
            e.set("sat", sat);
            e.set("neg", neg);
            e.set("abs", abs);
            e.set("round", round_code(round));
        }
        Op::F2I { dst, src, round, neg, abs } => {
            e.set("unit", unit::F2I);
            e.set("from", float_code(src));
            e.set("to", format_code(dst));
            e.set("neg", neg);
            e.set("abs", abs);
            e.set("round", round_code(round));
        }
        Op::DFma { neg_ab, neg_c, round } => sum(e, unit::FMAD, [neg_ab, neg_c], round),
        Op::DAdd { neg_a, neg_b, round } => sum(e, unit::FADD, [neg_a, neg_b], round),
        Op::DMul { neg_a, round } => sum(e, unit::FMUL, [neg_a, false], round),
        Op::DSet { cond, neg_a, abs_a, neg_b, abs_b } => {
            compare(e, unit::SET, [neg_a, abs_a, neg_b, abs_b]);
            e.set("cond", cond & 7);
            e.set("unordered", cond & 8 != 0);
        }
        Op::DMinMax { max, neg_a, abs_a, neg_b, abs_b } => {
            compare(e, unit::MINMAX, [neg_a, abs_a, neg_b, abs_b]);
            e.set("right", max);
        }
        Op::DConvert { to, from, to_int, round, neg, abs } => {
            let code = |n: Number| int_format::code(n.is_signed(), n.bits() as usize);
            let unit = match (from.is_float(), to.is_float()) {
                (true, true) => unit::F2F,
                (true, false) => unit::F2I,
                (false, _) => unit::I2F,
            };
            e.set("unit", unit);
            if !from.is_float() {
                e.set("from", code(from));
            }
            if !to.is_float() {
                e.set("to", code(to));
            }
            if unit == unit::F2F {
                e.set("high", to_int);
            }
            e.set("neg", neg);
            e.set("abs", abs);
            e.set("round", round_code(round));
        }
        Op::Rro { ex2, neg, abs } => {
            e.set("unit", if ex2 { unit::RRO_EX2 } else { unit::RRO_SIN });
            e.set("neg", neg);
            e.set("abs", abs);
        }
        Op::Sfu { func, neg, abs, sat } => {
            let code = match func {
                SfuFn::Rcp => 0u64,
                SfuFn::Rsq => 2,
                SfuFn::Lg2 => 3,
                SfuFn::Sin => 4,
                SfuFn::Cos => 5,
                SfuFn::Ex2 => 6,
            };
            e.set("cond", code);
            e.set("neg", neg);
            e.set("abs", abs);
            e.set("sat", sat);
        }
        _ => {}
    }
}
