//! The lane's part of the control word, from the micro-operations of an instruction.

use super::super::{integer, rounding, ControlWord, Want};
use crate::sm::control::function;
use crate::sm::control::uop::{count, format, op, tiny, vote};
use warpsmith_isa::uop::{Access, Cond, CrossOp, FloatMode, Op, Place, Space, Special, Src, Tiny, Type, Uop};

/// What an instruction reads and writes, in the places of the lane.
#[derive(Default)]
pub(super) struct Operands {
    pub a: Option<Src>,
    /// Operand a is the second operand.
    pub from_b: bool,
    pub b: Option<Src>,
    /// Bits of b that count where it is an immediate.
    pub b_bits: Option<u64>,
    pub c: Option<Src>,
    pub p: [Option<Src>; 3],
    pub q: [Option<Place>; 2],
    pub dst: Option<Place>,
    /// What is loaded or stored, the address, the data that is stored.
    pub access: Option<(Access, Vec<Src>, Option<Src>)>,
    /// What a vote finds is operand b.
    pub vote: bool,
}

/// Fills in what the lane does and its operands. Fields an operation does not name are left free.
pub(super) fn operation(w: &mut ControlWord, uops: &[&Uop], o: &mut Operands) {
    w.control.sfu = Want::is(0u64);
    w.predicates.vote = Want::is(vote::NONE);
    let Some(last) = uops.last() else {
        return;
    };
    if last.ty != Type::Bool && !matches!(last.op, Op::Store(_) | Op::Barrier(_) | Op::Flow(_)) {
        o.dst = Some(last.dst[0]);
    }
    match uops {
        [u] => single(w, u, o),
        [a, b] => pair(w, a, b, o),
        // The smaller, the larger, and which of them.
        [low, high, which] => {
            assert_eq!((low.op, high.op, which.op), (Op::Min, Op::Max, Op::Select));
            assert_eq!((&low.src, low.mode), (&high.src, high.mode));
            minmax(w, low, o);
            o.p[0] = Some(which.src[2]);
        }
        _ => panic!("{} micro-operations", uops.len()),
    }
}

fn set_op(w: &mut ControlWord, code: u64) {
    w.alu.op = Want::is(code);
}

/// Operations that take two micro-operations.
fn pair(w: &mut ControlWord, first: &Uop, then: &Uop, o: &mut Operands) {
    match (first.op, then.op) {
        (Op::Mul | Op::MulHigh, Op::Add) => {
            multiply(w, first, o);
            w.alu.accumulate = Want::is(1u64);
            w.alu.sat = Want::is(then.saturate);
            let both = then.src.len() == 3;
            w.alu.neg_a = Want::is(both || then.src[0].neg);
            w.alu.neg_c = Want::is(both || then.src[1].neg);
            o.c = Some(then.src[1]);
        }
        (Op::Logic(0b1000), Op::CountOnes) => {
            set_op(w, op::COUNT);
            inverted(w, first, o);
        }
        (Op::Reverse, Op::Extract) => {
            extract(w, then, o);
            w.alu.reverse = Want::is(1u64);
            o.a = Some(first.src[0]);
        }
        (Op::Convert | Op::RoundToIntegral, Op::Move) => convert(w, first, o),
        other => panic!("{other:?}"),
    }
}

fn single(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    let float = u.ty == Type::F32;
    let src = |n: usize| Some(u.src[n]);
    match u.op {
        Op::Add if float => {
            set_op(w, op::FADD);
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            float_mode(w, u);
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Add => {
            set_op(w, op::ADD);
            let both = u.src.len() == 3;
            w.alu.neg_a = Want::is(both || u.src[0].neg);
            w.alu.neg_b = Want::is(both || u.src[1].neg);
            w.alu.shift = Want::is(u.src[0].shift);
            w.alu.sat = Want::is(u.saturate);
            w.alu.signed_a = Want::is(1u64);
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Mul | Op::MulAdd if float => {
            let accumulates = u.op == Op::MulAdd;
            set_op(w, if accumulates { op::FMA } else { op::FMUL });
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            float_mode(w, u);
            w.alu.zero_product = Want::is(u.mode.zero_product);
            (o.a, o.b) = (src(0), src(1));
            if accumulates {
                signs(w, 'c', &u.src[2]);
                o.c = src(2);
            }
        }
        Op::Mul | Op::MulHigh => {
            multiply(w, u, o);
            w.alu.accumulate = Want::is(0u64);
            w.alu.neg_a = Want::is(0u64);
            w.alu.sat = Want::is(0u64);
        }
        Op::Min | Op::Max => {
            minmax(w, u, o);
            let always = Src::immediate(1, Type::Bool);
            o.p[0] = Some(Src { not: u.op == Op::Max, ..always });
        }
        Op::Compare { cond, combine } => {
            set_op(w, op::COMPARE);
            w.alu.table = Want::is(combine);
            compared(w, cond, &u.src[0]);
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            (o.a, o.b, o.p[0]) = (src(0), src(1), src(2));
            o.q = u.dst.map(Some);
        }
        Op::CompareSelect(cond) => {
            set_op(w, op::COMPARE_SELECT);
            assert_eq!(u.src[1].place, Place::Immediate(0));
            compared(w, cond, &u.src[0]);
            signs(w, 'c', &u.src[0]);
            signs(w, 'a', &u.src[2]);
            signs(w, 'b', &u.src[3]);
            (o.a, o.b, o.c) = (src(2), src(3), src(0));
        }
        Op::Select => {
            set_op(w, op::SELECT);
            (o.a, o.b, o.p[0]) = (src(0), src(1), src(2));
        }
        Op::Logic(table) => {
            set_op(w, op::LOGIC);
            w.alu.table = Want::is(table);
            inverted(w, u, o);
        }
        Op::ShiftLeft { mask } | Op::ShiftRight { mask } => {
            let left = matches!(u.op, Op::ShiftLeft { .. });
            set_op(w, if left { op::SHIFT_LEFT } else { op::SHIFT_RIGHT });
            w.alu.count = Want::is(match mask {
                u32::MAX => count::ALL,
                31 => count::MOD_32,
                other => panic!("a count of {other:#x}"),
            });
            if !left {
                w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
            }
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Extract => {
            extract(w, u, o);
            w.alu.reverse = Want::is(0u64);
            o.a = src(0);
        }
        Op::Insert => {
            set_op(w, op::INSERT);
            (o.a, o.c) = (src(1), src(0));
            packed(o, &u.src[2], &u.src[3]);
        }
        Op::FindHigh { from_top } => {
            set_op(w, op::FIND);
            w.alu.reverse = Want::is(from_top);
            w.alu.neg_a = Want::is(u.src[0].not);
            w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
            (o.a, o.from_b) = (src(0), true);
        }
        Op::Convert | Op::RoundToIntegral => convert(w, u, o),
        Op::Move if matches!(u.src[0].place, Place::Builtin(_)) => {
            set_op(w, op::MOVE);
            o.a = src(0);
        }
        Op::Move => {
            pass_b(w);
            o.b = src(0);
        }
        Op::PredicateLogic { first, second } => {
            set_op(w, op::PREDICATES);
            w.alu.table = Want::is(first);
            w.alu.table_2 = Want::is(second);
            o.p = [src(0), src(1), src(2)];
            o.q = u.dst.map(Some);
        }
        Op::Cross(which) => {
            set_op(w, op::VOTE);
            w.predicates.vote = Want::is(match which {
                CrossOp::VoteAll => vote::ALL,
                CrossOp::VoteAny => vote::ANY,
                CrossOp::VoteSame => vote::SAME,
                other => panic!("{other:?}"),
            });
            o.vote = true;
            o.p[0] = src(0);
            o.q[0] = Some(u.dst[1]);
        }
        Op::Special(which) => special(w, u, which, o),
        Op::Load(access) => {
            o.access = Some((access, u.src.clone(), None));
            match access.space {
                Space::Shared => set_op(w, op::MOVE),
                Space::Constant(_) => pass_b(w),
                _ => {}
            }
        }
        Op::Store(access) => {
            o.access = Some((access, u.src[1..].to_vec(), Some(u.src[0])));
        }
        Op::Barrier(_) | Op::Flow(_) => {}
        other => panic!("{other:?}"),
    }
}

fn pass_b(w: &mut ControlWord) {
    set_op(w, op::LOGIC);
    w.alu.table = Want::is(0b1100u64);
    w.alu.neg_b = Want::is(0u64);
}

/// Minus and magnitude of an operand.
fn signs(w: &mut ControlWord, operand: char, s: &Src) {
    let (neg, abs) = match operand {
        'a' => (&mut w.alu.neg_a, &mut w.alu.abs_a),
        'b' => (&mut w.alu.neg_b, &mut w.alu.abs_b),
        _ => (&mut w.alu.neg_c, &mut w.alu.abs_c),
    };
    (*neg, *abs) = (Want::is(s.neg), Want::is(s.abs));
}

fn tiny_code(mode: FloatMode) -> Want {
    Want::is(match mode.tiny {
        Tiny::Keep => tiny::KEEP,
        Tiny::FlushRounded => tiny::FLUSH_ROUNDED,
        other => panic!("{other:?}"),
    })
}

fn float_mode(w: &mut ControlWord, u: &Uop) {
    sources(w, u);
    w.alu.tiny = tiny_code(u.mode);
    w.alu.round = Want::is(rounding(u.mode.round));
    w.alu.sat = Want::is(u.saturate);
    if !matches!(u.op, Op::Convert | Op::RoundToIntegral) {
        w.alu.format = Want::is(format::F32);
    }
}

/// Float sources.
fn sources(w: &mut ControlWord, u: &Uop) {
    let floats = || u.src.iter().filter(|s| s.ty == Type::F32);
    let flush = floats().any(|s| s.flush);
    assert!(floats().all(|s| s.flush == flush));
    w.alu.flush = Want::is(flush);
    not_half(w);
}

/// Floats are single precision.
fn not_half(w: &mut ControlWord) {
    (w.alu.half_a, w.alu.half_b, w.alu.half_c) = (Want::is(0u64), Want::is(0u64), Want::is(0u64));
}

fn multiply(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    set_op(w, op::MUL);
    w.alu.high = Want::is(u.op == Op::MulHigh);
    w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
    w.alu.signed_b = Want::is(u.src[1].ty.is_signed());
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

fn inverted(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    w.alu.neg_a = Want::is(u.src[0].not);
    w.alu.neg_b = Want::is(u.src[1].not);
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

fn minmax(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    let float = u.ty == Type::F32;
    set_op(w, op::MINMAX);
    w.alu.float = Want::is(float);
    signs(w, 'a', &u.src[0]);
    signs(w, 'b', &u.src[1]);
    if float {
        sources(w, u);
        w.alu.tiny = tiny_code(u.mode);
        w.alu.sat = Want::is(u.saturate);
    } else {
        w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
    }
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

/// A condition and the first of what is compared.
fn compared(w: &mut ControlWord, cond: Cond, s: &Src) {
    let float = s.ty == Type::F32;
    w.alu.float = Want::is(float);
    // Integers are never unordered.
    w.alu.cond = Want::low(cond.0.into(), if float { 31 } else { 7 });
    if float {
        w.alu.flush = Want::is(s.flush);
        not_half(w);
    } else {
        w.alu.signed_a = Want::is(s.ty.is_signed());
    }
}

fn extract(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    set_op(w, op::EXTRACT);
    w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
    packed(o, &u.src[1], &u.src[2]);
}

/// b, of which these are the two low bytes.
fn packed(o: &mut Operands, low: &Src, high: &Src) {
    let place = match (low.place, high.place) {
        (Place::Immediate(l), Place::Immediate(h)) => Place::Immediate(l | h << 8),
        (at, _) => at,
    };
    o.b = Some(Src::new(place, Type::U32));
    o.b_bits = Some(0xffff);
}

fn convert(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    let from = u.src[0].ty;
    signs(w, 'a', &u.src[0]);
    (o.a, o.from_b) = (Some(u.src[0]), true);
    match (from.is_float(), u.ty.is_float()) {
        (true, true) => {
            set_op(w, op::F2F);
            w.alu.integral = Want::is(u.op == Op::RoundToIntegral);
            let half = u.ty == Type::F16;
            w.alu.format = Want::is(if half { format::F16 } else { format::F32 });
            float_mode(w, u);
        }
        (true, false) => {
            set_op(w, op::F2I);
            w.alu.to = Want::is(integer(u.ty));
            w.alu.round = Want::is(rounding(u.mode.round));
            sources(w, u);
        }
        (false, true) => {
            set_op(w, op::I2F);
            w.alu.from = Want::is(integer(from));
            w.alu.format = Want::is(format::F32);
            w.alu.tiny = tiny_code(u.mode);
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

fn special(w: &mut ControlWord, u: &Uop, which: Special, o: &mut Operands) {
    signs(w, 'a', &u.src[0]);
    o.a = Some(u.src[0]);
    let function = match which {
        Special::ReduceSin | Special::ReduceEx2 => {
            let code = if which == Special::ReduceSin { op::RRO_SIN } else { op::RRO_EX2 };
            o.from_b = true;
            not_half(w);
            return set_op(w, code);
        }
        Special::Rcp => function::RCP,
        Special::Rsq => function::RSQ,
        Special::Lg2 => function::LG2,
        Special::Sin => function::SIN,
        Special::Cos => function::COS,
        Special::Ex2 => function::EX2,
        other => panic!("{other:?}"),
    };
    // Nothing is asked of the unit when nobody wants the result.
    w.control.sfu = Want::is(u.dst[0] != Place::None);
    w.alu.table = Want::low(function, 7);
    w.alu.sat = Want::is(u.saturate);
    not_half(w);
}
