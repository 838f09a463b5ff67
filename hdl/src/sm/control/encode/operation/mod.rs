//! The lane's part of the control word, from the micro-operations of an instruction.
//!
//! The sets differ in where operands come from, not in what the lane does with them: [`Operands`] names them for the
//! set, whose own module says where each is.

mod cross;
mod fields;
mod float;
mod operands;
mod several;
mod single;

use super::{ControlWord, Want};
use crate::config::Isa;
use crate::sm::control::uop::{op, vote};
use fields::set_op;
pub(super) use operands::Operands;
use several::{pair, shift_high, triple};
use single::single;
use warpsmith_isa::uop::{Builtin, Op, Place, Src, Type, Uop};

/// Fills in what the lane does. Fields an operation does not name are left free.
pub(super) fn operation(w: &mut ControlWord, uops: &[&Uop], isa: Isa) -> Operands {
    let mut o = Operands::new(isa);
    w.control.sfu = Want::is(0u64);
    w.predicates.vote = Want::is(vote::NONE);
    let Some(last) = uops.last() else {
        return o;
    };
    if last.dst[0] == Place::Builtin(Builtin::StackPointer) {
        return o;
    }
    if let Place::Uniform { .. } = last.dst[0] {
        // A half, or the two halves of a register.
        let whole = uops.len() == 2;
        set_op(w, op::MOVE);
        let first = uops[0];
        o.written = if whole { Type::U32 } else { Type::U16 };
        (o.a, o.uniform) = (Some(first.src[0].typed(o.written)), Some(first.dst[0]));
        return o;
    }
    o.written = last.ty;
    let effect = matches!(last.op, Op::Store(_) | Op::Barrier(_) | Op::Flow(_) | Op::Trap);
    if last.ty != Type::Bool && !effect {
        o.dst = Some(last.dst[0]);
    }
    let uops = match uops {
        [rest @ .., computed, last] if brings(computed, last) => {
            o.rounded = last.ty == Type::F16;
            &uops[..=rest.len()]
        }
        _ => uops,
    };
    // A special function reads a half itself, and reduces what it must.
    let uops = match uops {
        [first, .., last] if isa == Isa::G13 && matches!(last.op, Op::Special(_)) => {
            let whole = Uop { src: vec![first.src[0]], ..(*last).clone() };
            single(w, &whole, &mut o);
            return o;
        }
        _ => uops,
    };
    match uops {
        [u] => single(w, u, &mut o),
        [a, b] => pair(w, a, b, &mut o),
        [a, b, c] => triple(w, [a, b, c], &mut o),
        [a, b, c, d, e] => shift_high(w, [a, b, c, d, e], &mut o),
        _ => panic!("{} micro-operations", uops.len()),
    }
    o
}

/// The second micro-operation only brings what the first computed to the width of its destination.
fn brings(computed: &Uop, last: &Uop) -> bool {
    let of_first = |s: &Src| s.place == computed.dst[0] && matches!(s.place, Place::Temporary(_));
    matches!(last.op, Op::Move | Op::Convert) && last.src.iter().all(of_first)
}
