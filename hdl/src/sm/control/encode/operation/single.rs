//! Instructions of one micro-operation.

use super::cross::{cross, levels};
use super::fields::{
    clamped, compared, count_mask, extract, inverted, minmax, multiply, packed, pass_b, set_op, sign_of, signed, signs,
};
use super::float::{convert, float_mode, special, sum};
use super::operands::{number, Operands, NOTHING};
use crate::config::Isa;
use crate::sm::control::encode::{ControlWord, Want};
use crate::sm::control::uop::{op, vote};
use warpsmith_isa::uop::{CrossOp, Flow, MaskFlow, Op, Place, Space, Src, Type, Uop};

/// Fills in what one micro-operation asks for.
pub(super) fn single(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    let float = u.ty.is_float();
    let g13 = o.isa == Isa::G13;
    let src = |n: usize| Some(u.src[n]);
    match u.op {
        Op::Add if float => sum(w, u, o),
        Op::Add => {
            set_op(w, op::ADD);
            let both = u.src.len() == 3;
            w.alu.neg_a = Want::is(both || u.src[0].neg);
            w.alu.neg_b = Want::is(both || u.src[1].neg);
            w.alu.shift = Want::is(u.src[0].shift);
            w.alu.sat = Want::is(u.saturate);
            if g13 {
                clamped(w, u);
                (w.alu.signed_a, w.alu.signed_b) = (sign_of(&u.src[0]), sign_of(&u.src[1]));
            } else {
                w.alu.signed_a = Want::is(1u64);
            }
            (o.a, o.b) = (src(0), src(1));
        }
        Op::Mul | Op::MulAdd if float => {
            let accumulates = u.op == Op::MulAdd;
            set_op(w, if accumulates { op::FMA } else { op::FMUL });
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            float_mode(w, u, o);
            w.alu.zero_product = Want::is(u.mode.zero_product);
            (o.a, o.b) = (src(0), src(1));
            if accumulates {
                signs(w, 'c', &u.src[2]);
                o.c = src(2);
            }
        }
        Op::MulAdd => {
            set_op(w, op::MUL);
            (w.alu.high, w.alu.accumulate) = (Want::is(0u64), Want::is(1u64));
            (w.alu.neg_a, w.alu.sat) = (Want::is(0u64), Want::is(u.saturate));
            w.alu.neg_c = Want::is(u.src[2].neg);
            w.alu.shift = Want::is(u.src[2].shift);
            clamped(w, u);
            (w.alu.signed_a, w.alu.signed_b) = (sign_of(&u.src[0]), sign_of(&u.src[1]));
            w.alu.from = Want::low(sign_of(&u.src[2]).value << 2, sign_of(&u.src[2]).mask & 1 << 2);
            (o.a, o.b, o.c) = (src(0), src(1), src(2));
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
            compared(w, cond, &u.src[..2]);
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            (o.a, o.b, o.p[0]) = (src(0), src(1), src(2));
            o.q = u.dst.map(Some);
        }
        Op::CompareSelect(cond) if g13 => {
            set_op(w, op::CHOOSE);
            compared(w, cond, &u.src[..2]);
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            (o.a, o.b, o.c, o.d) = (src(0), src(1), src(2), src(3));
        }
        Op::CompareSelect(cond) => {
            set_op(w, op::COMPARE_SELECT);
            assert_eq!(u.src[1].place, Place::Immediate(0));
            compared(w, cond, &u.src[..1]);
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
            w.alu.count = count_mask(mask);
            if !left {
                w.alu.signed_a = signed(&u.src[..1]);
            }
            if g13 {
                (w.alu.high, w.alu.accumulate) = (Want::is(u.src[0].shift != 0), Want::is(0u64));
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
        Op::CountOnes => {
            // Every bit of nothing is inverted.
            set_op(w, op::COUNT);
            (w.alu.neg_a, w.alu.neg_b) = (Want::is(u.src[0].not), Want::is(1u64));
            (o.a, o.b) = (src(0), Some(NOTHING));
        }
        Op::Interleave => {
            set_op(w, op::INTERLEAVE);
            (o.a, o.b) = (src(0), src(1));
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
        Op::Move if g13 => {
            set_op(w, op::MOVE);
            o.immediate = Some(number(&u.src[0]));
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
        Op::Cross(which) if g13 => cross(w, u, which, o),
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
        Op::Atomic(access, which) => {
            let (operands, address) = u.src.split_at(which.operands());
            o.access = Some((access, address.to_vec(), operands.last().copied()));
            o.atomic = Some(which);
            if let [compared, _] = operands {
                // The lane shows what is compared.
                pass_b(w);
                o.b = Some(*compared);
            }
        }
        Op::Flow(Flow::Mask(f)) if f.counts() => levels(w, u, f, o),
        Op::Flow(Flow::Mask(MaskFlow::JumpRegister)) if u.dst[0] != Place::None => {
            // The address behind the instruction.
            set_op(w, op::MOVE);
            (o.dst, o.immediate) = (Some(u.dst[0]), Some(0));
        }
        Op::Barrier(_) | Op::Flow(_) | Op::Trap => {}
        other => panic!("{other:?}"),
    }
}
