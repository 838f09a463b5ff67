//! Instructions of several micro-operations that the lane does in one.

use super::fields::{count_mask, extract, inverted, minmax, multiply, set_op};
use super::operands::{number, Operands, NOTHING};
use super::single::single;
use crate::sm::control::encode::{ControlWord, Want};
use crate::sm::control::uop::{count, op};
use warpsmith_isa::uop::{Op, Uop};

/// Operations that take two micro-operations.
pub(super) fn pair(w: &mut ControlWord, first: &Uop, then: &Uop, o: &mut Operands) {
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
        // All 32 bits, from bit 0 on.
        (Op::Move, Op::Reverse) => {
            set_op(w, op::EXTRACT);
            (w.alu.reverse, w.alu.signed_a) = (Want::is(1u64), Want::is(0u64));
            (o.a, o.b, o.field) = (Some(first.src[0]), Some(NOTHING), Some(32));
        }
        (Op::Logic(0b1000), Op::Insert) => {
            set_op(w, op::INSERT);
            w.alu.high = Want::is(0u64);
            (o.a, o.b, o.c) = (Some(then.src[1]), Some(first.src[0]), Some(then.src[0]));
            o.field = Some(number(&then.src[3]));
        }
        // A field that is shifted into what is beside it.
        (Op::ShiftRight { .. }, Op::Insert) => {
            single(w, first, o);
            (w.alu.accumulate, o.c) = (Want::is(1u64), Some(then.src[0]));
            o.field = Some(number(&then.src[3]));
        }
        // The access rounds its address.
        (Op::Logic(_), Op::Load(_) | Op::Store(_) | Op::Atomic(..)) => single(w, then, o),
        // A call: the address behind it, and the jump.
        (Op::Move, Op::Flow(_)) => {
            single(w, first, o);
            (o.dst, o.written) = (Some(first.dst[0]), first.ty);
        }
        other => panic!("{other:?}"),
    }
}

/// Operations that take three.
pub(super) fn triple(w: &mut ControlWord, uops: [&Uop; 3], o: &mut Operands) {
    let [first, second, third] = uops;
    match uops.map(|u| u.op) {
        // The smaller, the larger, and which of them.
        [Op::Min, Op::Max, Op::Select] => {
            assert_eq!((&first.src, first.mode), (&second.src, second.mode));
            minmax(w, first, o);
            o.p[0] = Some(third.src[2]);
        }
        // The pair, and the length of the mask.
        [Op::Move, Op::ShiftPair { mask }, Op::Logic(0b1000)] => {
            set_op(w, op::SHIFT_PAIR);
            w.alu.count = count_mask(mask);
            (o.a, o.b, o.c) = (Some(first.src[0]), Some(second.src[2]), Some(second.src[1]));
            o.field = Some(number(&third.src[1]).count_ones().into());
        }
        other => panic!("{other:?}"),
    }
}

/// shlhi and shrhi: the count, places beyond 32 and below it, the shifted word, the field that takes it.
pub(super) fn shift_high(w: &mut ControlWord, [count, beyond, _, value, insert]: [&Uop; 5], o: &mut Operands) {
    let left = insert.src[2].place == beyond.dst[0];
    set_op(w, if left { op::INSERT } else { op::SHIFT_RIGHT });
    (w.alu.high, w.alu.count) = (Want::is(1u64), Want::is(count::MOD_128));
    if !left {
        (w.alu.accumulate, w.alu.signed_a) = (Want::is(1u64), Want::is(0u64));
    }
    (o.a, o.b, o.c) = (Some(value.src[0]), Some(count.src[0]), Some(insert.src[0]));
    o.field = Some(number(&insert.src[3]));
}
