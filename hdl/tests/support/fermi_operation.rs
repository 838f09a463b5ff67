//! The lane's part of the control word, from the micro-operations of an instruction.

use super::{Check, Operands};
use warpsmith_hdl::sm::control::uop::{count, format, op, tiny, vote};
use warpsmith_hdl::sm::control::{function, int_format, round};
use warpsmith_isa::uop::{Cond, CrossOp, FloatMode, Op, Place, Round, Space, Special, Src, Tiny, Type, Uop};

/// Checks what the lane does and fills in its operands. Fields an operation does not name are left out.
pub(super) fn operation(c: &mut Check, uops: &[Uop], o: &mut Operands) {
    c.is("sfu", false);
    let Some(last) = uops.last() else {
        return c.is("vote", vote::NONE);
    };
    if !matches!(last.op, Op::Cross(_)) {
        c.is("vote", vote::NONE);
    }
    if last.ty != Type::Bool && !matches!(last.op, Op::Store(_) | Op::Barrier(_) | Op::Flow(_)) {
        o.dst = Some(last.dst[0]);
    }
    match uops {
        [u] => single(c, u, o),
        [a, b] => pair(c, a, b, o),
        // The smaller, the larger, and which of them.
        [low, high, which] => {
            assert_eq!((low.op, high.op, which.op), (Op::Min, Op::Max, Op::Select));
            assert_eq!((&low.src, low.mode), (&high.src, high.mode));
            minmax(c, low, o);
            o.p[0] = Some(which.src[2]);
        }
        _ => panic!("{} micro-operations", uops.len()),
    }
}

/// Operations that take two micro-operations.
fn pair(c: &mut Check, first: &Uop, then: &Uop, o: &mut Operands) {
    match (first.op, then.op) {
        (Op::Mul | Op::MulHigh, Op::Add) => {
            multiply(c, first, o);
            c.is("accumulate", true);
            c.is("sat", then.saturate);
            let both = then.src.len() == 3;
            c.is("neg_a", both || then.src[0].neg);
            c.is("neg_c", both || then.src[1].neg);
            o.c = Some(then.src[1]);
        }
        (Op::Logic(0b1000), Op::CountOnes) => {
            c.is("op", op::COUNT);
            inverted(c, first, o);
        }
        (Op::Reverse, Op::Extract) => {
            extract(c, then, o);
            c.is("reverse", true);
            o.a = Some(first.src[0]);
        }
        (Op::Convert | Op::RoundToIntegral, Op::Move) => convert(c, first, o),
        other => panic!("{other:?}"),
    }
}

fn single(c: &mut Check, u: &Uop, o: &mut Operands) {
    let float = u.ty == Type::F32;
    let src = |n: usize| Some(u.src[n]);
    match u.op {
        Op::Add if float => {
            c.is("op", op::FADD);
            signs(c, "a", &u.src[0]);
            signs(c, "b", &u.src[1]);
            float_mode(c, u);
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Add => {
            c.is("op", op::ADD);
            let both = u.src.len() == 3;
            c.is("neg_a", both || u.src[0].neg);
            c.is("neg_b", both || u.src[1].neg);
            c.is("shift", u.src[0].shift);
            c.is("sat", u.saturate);
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Mul | Op::MulAdd if float => {
            let accumulates = u.op == Op::MulAdd;
            c.is("op", if accumulates { op::FMA } else { op::FMUL });
            signs(c, "a", &u.src[0]);
            signs(c, "b", &u.src[1]);
            float_mode(c, u);
            c.is("zero_product", u.mode.zero_product);
            (o.a, o.b) = (src(0), src(1));
            if accumulates {
                signs(c, "c", &u.src[2]);
                o.c = src(2);
            }
        }
        Op::Mul | Op::MulHigh => {
            multiply(c, u, o);
            c.is("accumulate", false);
            c.is("neg_a", false);
        }
        Op::Min | Op::Max => {
            minmax(c, u, o);
            let always = Src::immediate(1, Type::Bool);
            o.p[0] = Some(Src { not: u.op == Op::Max, ..always });
        }
        Op::Compare { cond, combine } => {
            c.is("op", op::COMPARE);
            c.is("table", combine);
            compared(c, cond, &u.src[0]);
            signs(c, "a", &u.src[0]);
            signs(c, "b", &u.src[1]);
            (o.a, o.b, o.p[0]) = (src(0), src(1), src(2));
            o.q = u.dst.map(Some);
        }
        Op::CompareSelect(cond) => {
            c.is("op", op::COMPARE_SELECT);
            assert_eq!(u.src[1].place, Place::Immediate(0));
            compared(c, cond, &u.src[0]);
            signs(c, "c", &u.src[0]);
            signs(c, "a", &u.src[2]);
            signs(c, "b", &u.src[3]);
            (o.a, o.b, o.c) = (src(2), src(3), src(0));
        }
        Op::Select => {
            c.is("op", op::SELECT);
            (o.a, o.b, o.p[0]) = (src(0), src(1), src(2));
        }
        Op::Logic(table) => {
            c.is("op", op::LOGIC);
            c.is("table", table);
            inverted(c, u, o);
        }
        Op::ShiftLeft { mask } | Op::ShiftRight { mask } => {
            let left = matches!(u.op, Op::ShiftLeft { .. });
            c.is("op", if left { op::SHIFT_LEFT } else { op::SHIFT_RIGHT });
            c.is(
                "count",
                match mask {
                    u32::MAX => count::ALL,
                    31 => count::MOD_32,
                    other => panic!("a count of {other:#x}"),
                },
            );
            if !left {
                c.is("signed_a", u.src[0].ty.is_signed());
            }
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Extract => {
            extract(c, u, o);
            c.is("reverse", false);
            o.a = src(0);
        }
        Op::Insert => {
            c.is("op", op::INSERT);
            (o.a, o.c) = (src(1), src(0));
            packed(o, &u.src[2], &u.src[3]);
        }
        Op::FindHigh { from_top } => {
            c.is("op", op::FIND);
            c.is("reverse", from_top);
            c.is("neg_a", u.src[0].not);
            c.is("signed_a", u.src[0].ty.is_signed());
            o.a = src(0);
        }
        Op::Convert | Op::RoundToIntegral => convert(c, u, o),
        Op::Move if matches!(u.src[0].place, Place::Builtin(_)) => {
            c.is("op", op::MOVE);
            o.a = src(0);
        }
        Op::Move => {
            pass_b(c);
            o.b = src(0);
        }
        Op::PredicateLogic { first, second } => {
            c.is("op", op::PREDICATES);
            c.is("table", first);
            c.is("table_2", second);
            o.p = [src(0), src(1), src(2)];
            o.q = u.dst.map(Some);
        }
        Op::Cross(which) => {
            c.is("op", op::VOTE);
            c.is(
                "vote",
                match which {
                    CrossOp::VoteAll => vote::ALL,
                    CrossOp::VoteAny => vote::ANY,
                    CrossOp::VoteSame => vote::SAME,
                    other => panic!("{other:?}"),
                },
            );
            o.p[0] = src(0);
            o.q[0] = Some(u.dst[1]);
        }
        Op::Special(which) => special(c, u, which, o),
        Op::Load(access) => {
            o.access = Some((access, u.src.clone(), None));
            match access.space {
                Space::Shared => c.is("op", op::MOVE),
                Space::Constant(_) => pass_b(c),
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

fn pass_b(c: &mut Check) {
    c.is("op", op::LOGIC);
    c.is("table", 0b1100u64);
    c.is("neg_b", false);
}

/// Minus and magnitude of an operand.
fn signs(c: &mut Check, operand: &str, s: &Src) {
    let (neg, abs) = match operand {
        "a" => ("neg_a", "abs_a"),
        "b" => ("neg_b", "abs_b"),
        _ => ("neg_c", "abs_c"),
    };
    c.is(neg, s.neg);
    c.is(abs, s.abs);
}

fn round_code(r: Round) -> u64 {
    match r {
        Round::Nearest => round::NEAREST,
        Round::Down => round::DOWN,
        Round::Up => round::UP,
        Round::Zero => round::ZERO,
    }
}

fn tiny_code(mode: FloatMode) -> u64 {
    match mode.tiny {
        Tiny::Keep => tiny::KEEP,
        Tiny::FlushRounded => tiny::FLUSH_ROUNDED,
        other => panic!("{other:?}"),
    }
}

fn float_mode(c: &mut Check, u: &Uop) {
    sources(c, u);
    c.is("tiny", tiny_code(u.mode));
    c.is("round", round_code(u.mode.round));
    c.is("sat", u.saturate);
}

/// Float sources.
fn sources(c: &mut Check, u: &Uop) {
    let floats = || u.src.iter().filter(|s| s.ty == Type::F32);
    let flush = floats().any(|s| s.flush);
    assert!(floats().all(|s| s.flush == flush));
    c.is("flush", flush);
    for half in ["half_a", "half_b", "half_c"] {
        c.is(half, false);
    }
}

fn multiply(c: &mut Check, u: &Uop, o: &mut Operands) {
    c.is("op", op::MUL);
    c.is("high", u.op == Op::MulHigh);
    c.is("signed_a", u.src[0].ty.is_signed());
    c.is("signed_b", u.src[1].ty.is_signed());
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

fn inverted(c: &mut Check, u: &Uop, o: &mut Operands) {
    c.is("neg_a", u.src[0].not);
    c.is("neg_b", u.src[1].not);
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

fn minmax(c: &mut Check, u: &Uop, o: &mut Operands) {
    let float = u.ty == Type::F32;
    c.is("op", op::MINMAX);
    c.is("float", float);
    signs(c, "a", &u.src[0]);
    signs(c, "b", &u.src[1]);
    if float {
        sources(c, u);
        c.is("tiny", tiny_code(u.mode));
    } else {
        c.is("signed_a", u.src[0].ty.is_signed());
    }
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

/// A condition and the first of what is compared.
fn compared(c: &mut Check, cond: Cond, s: &Src) {
    let float = s.ty == Type::F32;
    c.is("float", float);
    // Integers are never unordered.
    c.masked("cond", if float { 31 } else { 7 }, cond.0.into());
    if float {
        c.is("flush", s.flush);
    } else {
        c.is("signed_a", s.ty.is_signed());
    }
}

fn extract(c: &mut Check, u: &Uop, o: &mut Operands) {
    c.is("op", op::EXTRACT);
    c.is("signed_a", u.src[0].ty.is_signed());
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

fn convert(c: &mut Check, u: &Uop, o: &mut Operands) {
    let from = u.src[0].ty;
    signs(c, "a", &u.src[0]);
    o.a = Some(u.src[0]);
    let code = |t: Type| int_format::code(t.is_signed(), t.bits() as usize);
    match (from.is_float(), u.ty.is_float()) {
        (true, true) => {
            c.is("op", op::F2F);
            c.is("integral", u.op == Op::RoundToIntegral);
            let half = u.ty == Type::F16;
            c.is("format", if half { format::F16 } else { format::F32 });
            float_mode(c, u);
        }
        (true, false) => {
            c.is("op", op::F2I);
            c.is("to", code(u.ty));
            c.is("round", round_code(u.mode.round));
            sources(c, u);
        }
        (false, true) => {
            c.is("op", op::I2F);
            c.is("from", code(from));
            c.is("format", format::F32);
            c.is("tiny", tiny_code(u.mode));
            c.is("round", round_code(u.mode.round));
            c.is("sat", u.saturate);
        }
        (false, false) => {
            c.is("op", op::CONVERT);
            c.is("from", code(from));
            c.is("to", code(u.ty));
            c.is("sat", u.saturate);
        }
    }
}

fn special(c: &mut Check, u: &Uop, which: Special, o: &mut Operands) {
    signs(c, "a", &u.src[0]);
    o.a = Some(u.src[0]);
    let function = match which {
        Special::ReduceSin => return c.is("op", op::RRO_SIN),
        Special::ReduceEx2 => return c.is("op", op::RRO_EX2),
        Special::Rcp => function::RCP,
        Special::Rsq => function::RSQ,
        Special::Lg2 => function::LG2,
        Special::Sin => function::SIN,
        Special::Cos => function::COS,
        Special::Ex2 => function::EX2,
        other => panic!("{other:?}"),
    };
    // Nothing is asked of the unit when nobody wants the result.
    c.wrong.retain(|d| d.0 != "sfu");
    c.is("sfu", u.dst[0] != Place::None);
    c.masked("table", 7, function);
    c.is("sat", u.saturate);
}
