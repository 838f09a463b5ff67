//! What concerns other lanes: exchanges of G13, the counter of the execution mask.

use super::fields::{compared, set_op, signs};
use super::float::sum;
use super::operands::{Operands, NOTHING};
use crate::sm::control::encode::{ControlWord, Want};
use crate::sm::control::g13::{exchange, mask};
use crate::sm::control::uop::op;
use warpsmith_isa::uop::{CrossOp, MaskFlow, Op, Shuffle, Src, Type, Uop};

/// An operation over the lanes of G13.
pub(super) fn cross(w: &mut ControlWord, u: &Uop, which: CrossOp, o: &mut Operands) {
    let src = |n: usize| Some(u.src[n]);
    let by = |s: Shuffle| match s {
        Shuffle::To => exchange::TO,
        Shuffle::Down => exchange::DOWN,
        Shuffle::Up => exchange::UP,
        Shuffle::Rotate => exchange::ROTATE,
        Shuffle::Xor => exchange::XOR,
    };
    o.exchange = match which {
        CrossOp::Ballot(cond) | CrossOp::QuadBallot(cond) => {
            set_op(w, op::CHOOSE);
            compared(w, cond, &u.src[..2]);
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            (o.a, o.b) = (src(0), src(1));
            (o.c, o.d) = (Some(Src::immediate(1, Type::U16)), Some(NOTHING));
            if matches!(which, CrossOp::Ballot(_)) {
                exchange::BALLOT
            } else {
                exchange::QUAD_BALLOT
            }
        }
        CrossOp::Shuffle(s) | CrossOp::QuadShuffle(s) => {
            set_op(w, op::MOVE);
            // Of a pair the low word.
            let low = |n: usize| Some(if u.src[n].ty.bits() == 64 { u.src[n].typed(Type::U32) } else { u.src[n] });
            (o.a, o.b) = (low(0), low(1));
            by(s) | if matches!(which, CrossOp::QuadShuffle(_)) { exchange::QUAD } else { 0 }
        }
        CrossOp::QuadDifference { with } => {
            // a - b, both with the signs of the source.
            let minus = Src { neg: !u.src[0].neg, ..u.src[0] };
            let difference = Uop { op: Op::Add, src: vec![u.src[0], minus], ..u.clone() };
            sum(w, &difference, o);
            o.b = None;
            if with == 1 {
                exchange::ROW
            } else {
                exchange::COLUMN
            }
        }
        other => panic!("{other:?}"),
    };
}

/// An operation on the counter of the execution mask, which is operand c and the result.
pub(super) fn levels(w: &mut ControlWord, u: &Uop, flow: MaskFlow, o: &mut Operands) {
    let (kind, cond, levels) = match flow {
        MaskFlow::Pop { levels } => (mask::POP, None, levels),
        MaskFlow::If { cond, levels } => (mask::IF, Some(cond), levels),
        MaskFlow::While { cond, levels } => (mask::WHILE, Some(cond), levels),
        MaskFlow::Else { cond, levels } => (mask::ELSE, Some(cond), levels),
        other => panic!("{other:?}"),
    };
    set_op(w, op::MASK);
    (w.alu.table, w.alu.shift) = (Want::is(kind), Want::is(levels));
    if let Some(cond) = cond {
        compared(w, cond, &u.src);
        signs(w, 'a', &u.src[0]);
        signs(w, 'b', &u.src[1]);
        (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
    }
    o.c = Some(Src::new(u.dst[0], u.ty));
    o.dst = Some(u.dst[0]);
}
