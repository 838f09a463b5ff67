//! The lane's part of the control word, from the micro-operations of an instruction.
//!
//! The sets differ in where operands come from, not in what the lane does with them: [`Operands`] names them for the
//! set, whose own module says where each is.

mod cross;
mod float;
mod several;

use super::{integer, ControlWord, Launch, Want};
use crate::config::Isa;
use crate::sm::control::g13::exchange;
use crate::sm::control::uop::{count, op, vote};
use cross::{cross, levels};
use float::{convert, float_mode, flushed, sources, special, tiny_code};
use several::{pair, shift_high, triple};
use warpsmith_contract::TrapCause;
use warpsmith_isa::uop::{Access, Builtin, Cond, CrossOp, Flow, MaskFlow, Op, Place, Space, Src, Type, Uop};

/// What an instruction reads and writes, in the places of the lane.
pub(super) struct Operands {
    pub isa: Isa,
    pub a: Option<Src>,
    /// Operand a is the second operand; of Fermi alone.
    pub from_b: bool,
    /// Operand a is the immediate of the instruction; of G13 alone.
    pub immediate: Option<u64>,
    pub b: Option<Src>,
    /// Bits of b that count where it is an immediate.
    pub b_bits: Option<u64>,
    pub c: Option<Src>,
    /// The fourth operand of [`op::CHOOSE`].
    pub d: Option<Src>,
    /// Length of the bit field whose place is operand b.
    pub field: Option<u64>,
    pub p: [Option<Src>; 3],
    pub q: [Option<Place>; 2],
    pub dst: Option<Place>,
    /// Type of what is written.
    pub written: Type,
    /// The result is rounded again, to half precision.
    pub rounded: bool,
    /// What is loaded or stored, the address, the data that is stored.
    pub access: Option<(Access, Vec<Src>, Option<Src>)>,
    /// What a vote finds is operand b.
    pub vote: bool,
    /// Operand d of two passes; of G13 alone.
    pub exchange: u64,
    /// The uniform that is written.
    pub uniform: Option<Place>,
}

impl Operands {
    /// # Errors
    /// [`TrapCause::Register`]: a register that is written lies beyond those of the launch.
    pub fn fits(&self, launch: &Launch) -> Result<(), TrapCause> {
        let count = match &self.access {
            Some((a, _, None)) => a.count(),
            _ => self.written.bytes().div_ceil(4),
        };
        let beyond = |index: u16| u32::from(index) + count > launch.registers - 2;
        match self.dst {
            Some(Place::Register { index, .. }) if beyond(index) => Err(TrapCause::Register),
            _ => Ok(()),
        }
    }

    fn new(isa: Isa) -> Self {
        Self {
            isa,
            a: None,
            from_b: false,
            immediate: None,
            b: None,
            b_bits: None,
            c: None,
            d: None,
            field: None,
            p: [None; 3],
            q: [None; 2],
            dst: None,
            written: Type::U32,
            rounded: false,
            access: None,
            vote: false,
            exchange: exchange::NONE,
            uniform: None,
        }
    }
}

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

fn set_op(w: &mut ControlWord, code: u64) {
    w.alu.op = Want::is(code);
}

/// An operand that is 0.
const NOTHING: Src = Src::immediate(0, Type::U16);

/// The number that a source is.
fn number(s: &Src) -> u64 {
    match s.place {
        Place::Immediate(v) => v,
        other => panic!("{other:?} is no number"),
    }
}

/// Bits of a shift count that are used.
fn count_mask(mask: u32) -> Want {
    Want::is(match mask {
        u32::MAX => count::ALL,
        31 => count::MOD_32,
        127 => count::MOD_128,
        other => panic!("a count of {other:#x}"),
    })
}

fn single(w: &mut ControlWord, u: &Uop, o: &mut Operands) {
    let float = u.ty.is_float();
    let g13 = o.isa == Isa::G13;
    let src = |n: usize| Some(u.src[n]);
    match u.op {
        Op::Add if float => {
            set_op(w, op::FADD);
            signs(w, 'a', &u.src[0]);
            signs(w, 'b', &u.src[1]);
            float_mode(w, u, o);
            (o.a, o.b) = (src(0), src(1));
        }
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

/// An integer sum that is clamped: the format; else it means nothing.
fn clamped(w: &mut ControlWord, u: &Uop) {
    if u.saturate {
        w.alu.to = Want::is(integer(u.ty));
    }
}

/// An operand of a sum is signed; a number of an instruction is positive either way.
fn sign_of(s: &Src) -> Want {
    match s.place {
        Place::Immediate(_) => Want::default(),
        _ => Want::is(s.ty.is_signed()),
    }
}

/// The sources are signed. Numbers that are narrow are positive either way.
fn signed(src: &[Src]) -> Want {
    let narrow = |s: &Src| matches!(s.place, Place::Immediate(_)) && s.ty.bits() < 32;
    match src.iter().any(|s| s.ty.is_signed()) {
        false if src.iter().all(narrow) => Want::default(),
        signed => Want::is(signed),
    }
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
        w.alu.signed_a = signed(&u.src[..1]);
    }
    (o.a, o.b) = (Some(u.src[0]), Some(u.src[1]));
}

/// A condition and what is compared: operands a and b, or c with 0.
fn compared(w: &mut ControlWord, cond: Cond, src: &[Src]) {
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
