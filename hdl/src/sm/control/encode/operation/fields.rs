//! Fields of the lane that several operations share: signs, conditions, counts, formats of sources.

use super::operands::Operands;
use crate::sm::control::encode::{integer, ControlWord, Want};
use crate::sm::control::uop::{count, op, tiny};
use warpsmith_isa::uop::{Cond, FloatMode, Op, Place, Src, Tiny, Type, Uop};

pub(super) fn set_op(w: &mut ControlWord, code: u64) {
    w.alu.op = Want::is(code);
}

/// Bits of a shift count that are used.
pub(super) fn count_mask(mask: u32) -> Want {
    Want::is(match mask {
        u32::MAX => count::ALL,
        31 => count::MOD_32,
        127 => count::MOD_128,
        other => panic!("a count of {other:#x}"),
    })
}

pub(super) fn pass_b(w: &mut ControlWord) {
    set_op(w, op::LOGIC);
    w.alu.table = Want::is(0b1100u64);
    w.alu.neg_b = Want::is(0u64);
}

/// Minus and magnitude of an operand.
pub(super) fn signs(w: &mut ControlWord, operand: char, s: &Src) {
    let (neg, abs) = match operand {
        'a' => (&mut w.alu.neg_a, &mut w.alu.abs_a),
        'b' => (&mut w.alu.neg_b, &mut w.alu.abs_b),
        _ => (&mut w.alu.neg_c, &mut w.alu.abs_c),
    };
    (*neg, *abs) = (Want::is(s.neg), Want::is(s.abs));
}

/// An integer sum that is clamped: the format; else it means nothing.
pub(super) fn clamped(w: &mut ControlWord, u: &Uop) {
    if u.saturate {
        w.alu.to = Want::is(integer(u.ty));
    }
}

/// An operand of a sum is signed; a number of an instruction is positive either way.
pub(super) fn sign_of(s: &Src) -> Want {
    match s.place {
        Place::Immediate(_) => Want::default(),
        _ => Want::is(s.ty.is_signed()),
    }
}

/// The sources are signed. Numbers that are narrow are positive either way.
pub(super) fn signed(src: &[Src]) -> Want {
    let narrow = |s: &Src| matches!(s.place, Place::Immediate(_)) && s.ty.bits() < 32;
    match src.iter().any(|s| s.ty.is_signed()) {
        false if src.iter().all(narrow) => Want::default(),
        signed => Want::is(signed),
    }
}

pub(super) fn multiply(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    set_op(w, op::MUL);
    w.alu.high = Want::is(u.op == Op::MulHigh);
    w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
    w.alu.signed_b = Want::is(u.src[1].ty.is_signed());
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

pub(super) fn inverted(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    w.alu.neg_a = Want::is(u.src[0].not);
    w.alu.neg_b = Want::is(u.src[1].not);
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

pub(super) fn minmax(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
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
        w.alu.signed_a = signed(&u.src[..1]);
    }
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

/// A condition and what is compared: operands a and b, or c with 0.
pub(super) fn compared(w: &mut ControlWord, cond: Cond, src: &[Src]) {
    let float = src[0].ty.is_float();
    w.alu.float = Want::is(float);
    // Integers are never unordered.
    w.alu.cond = Want::low(cond.0.into(), if float { 31 } else { 7 });
    if !float {
        w.alu.signed_a = signed(src);
        return;
    }
    flushed(w, src);
    let half = |s: &Src| Want::is(s.ty == Type::F16);
    match src {
        [a, b] => (w.alu.half_a, w.alu.half_b) = (half(a), half(b)),
        _ => w.alu.half_c = half(&src[0]),
    }
}

pub(super) fn extract(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    set_op(w, op::EXTRACT);
    w.alu.signed_a = Want::is(u.src[0].ty.is_signed());
    packed(o, &u.src[1], &u.src[2]);
}

/// b, of which these are the two low bytes.
pub(super) fn packed(o: &mut Operands, low: &Src, high: &Src) {
    let place = match (low.place, high.place) {
        (Place::Immediate(l), Place::Immediate(h)) => Place::Immediate(l | h << 8),
        (at, _) => at,
    };
    o.b = Some(Src::new(place, Type::U32));
    o.b_bits = Some(0xffff);
}

/// Float sources in the order of the operands.
pub(super) fn sources(w: &mut ControlWord, u: &Uop) {
    flushed(w, &u.src);
    let halves = [&mut w.alu.half_a, &mut w.alu.half_b, &mut w.alu.half_c];
    for (half, s) in halves.into_iter().zip(&u.src) {
        *half = Want::is(s.ty == Type::F16);
    }
}

/// Denormals of single precision. A zero that stands beside other sources says nothing of them.
pub(super) fn flushed(w: &mut ControlWord, src: &[Src]) {
    let silent = |s: &Src| src.len() > 1 && !s.flush && s.place == Place::Immediate(0);
    let mut single = src.iter().filter(|s| s.ty == Type::F32 && !silent(s));
    if let Some(flush) = single.next().map(|s| s.flush) {
        assert!(single.all(|s| s.flush == flush));
        w.alu.flush = Want::is(flush);
    }
}

pub(super) fn tiny_code(mode: FloatMode) -> Want {
    Want::is(match mode.tiny {
        Tiny::Keep => tiny::KEEP,
        Tiny::FlushRounded => tiny::FLUSH_ROUNDED,
        Tiny::FlushExact => tiny::FLUSH_EXACT,
        other => panic!("{other:?}"),
    })
}
