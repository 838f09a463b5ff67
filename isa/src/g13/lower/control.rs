//! Branches, execution mask, barriers, operations over the lanes of a SIMD-group.

use super::operand::{float_mode, lane, mov, to, Code};
use crate::uop::{AtomicOp, BarrierOp, Cond, CrossOp, Flow, MaskFlow, Op, Place, Shuffle, Src, Type, Uop};

/// The counter of the execution mask.
const COUNTER: Place = lane(0);
/// The link register.
const LINK: Place = lane(2);

fn flow(flow: MaskFlow, src: Vec<Src>) -> Uop {
    Uop::effect(Op::Flow(Flow::Mask(flow)), src)
}

/// An operation on the counter.
fn count(flow: MaskFlow, src: Vec<Src>) -> Vec<Uop> {
    vec![Uop::new(Op::Flow(Flow::Mask(flow)), Type::U16, COUNTER, src)]
}

/// The micro-operations; `None` for a form of another kind.
pub(super) fn lower(c: &Code) -> Option<Vec<Uop>> {
    let target = || c.target();
    Some(match c.name {
        "wait" | "memory_barrier" => vec![],
        "stop" => vec![Uop::effect(Op::Flow(Flow::End), vec![])],
        "trap" => vec![Uop::effect(Op::Trap, vec![])],
        "threadgroup_barrier" => {
            let all = BarrierOp { id: 0, wait: true, threads: 0 };
            vec![Uop::effect(Op::Barrier(all), vec![])]
        }
        "jmp_incomplete" => vec![flow(MaskFlow::Jump { target: target() }, vec![])],
        "jmp_exec_any" => vec![flow(MaskFlow::JumpAny { target: target() }, vec![])],
        "jmp_exec_none" => vec![flow(MaskFlow::JumpNone { target: target() }, vec![])],
        "call" => vec![link(c), flow(MaskFlow::Jump { target: target() }, vec![])],
        "ret" => vec![flow(MaskFlow::JumpRegister, vec![register(c)])],
        // The register may be the link register: the jump reads it, then links.
        "call_reg" => vec![to(flow(MaskFlow::JumpRegister, vec![register(c)]), LINK)],
        "pop_exec" => {
            let levels = c.part(1, 0) as u8;
            count(MaskFlow::Pop { levels }, vec![])
        }
        "if_icmp" | "if_fcmp" | "while_icmp" | "while_fcmp" | "else_icmp" | "else_fcmp" => {
            let (cond, src) = comparison(c, c.name.ends_with("icmp"));
            let levels = c.part(4, 0) as u8;
            let kind = match &c.name[..2] {
                "if" => MaskFlow::If { cond, levels },
                "wh" => MaskFlow::While { cond, levels },
                _ => MaskFlow::Else { cond, levels },
            };
            count(kind, src)
        }
        "icmp_ballot" => ballot(c, CrossOp::Ballot),
        "fcmp_ballot" => ballot(c, CrossOp::Ballot),
        "icmp_quad_ballot" => ballot(c, CrossOp::QuadBallot),
        "fcmp_quad_ballot" => ballot(c, CrossOp::QuadBallot),
        _ => match c.name.split_once('_') {
            Some(("simd", rest)) => over_lanes(c, rest, 32)?,
            Some(("quad", rest)) => over_lanes(c, rest, 4)?,
            _ => return None,
        },
    })
}

/// The address in a register.
fn register(c: &Code) -> Src {
    Src::new(lane(2 * c.part(0, 0)), Type::U32)
}

/// The address behind the instruction into the link register.
fn link(c: &Code) -> Uop {
    mov(Type::U32, LINK, Src::immediate(c.next.into(), Type::U32))
}

/// The comparison that operands 1, 2 and 3 are.
fn comparison(c: &Code, ints: bool) -> (Cond, Vec<Src>) {
    if ints {
        let (cond, signed) = c.int_cond(1);
        (cond, vec![c.int_as(2, signed), c.int_as(3, signed)])
    } else {
        (c.float_cond(1), vec![c.float(2), c.float(3)])
    }
}

fn ballot(c: &Code, kind: fn(Cond) -> CrossOp) -> Vec<Uop> {
    let (cond, src) = comparison(c, c.name.starts_with('i'));
    let op = Op::Cross(kind(cond));
    c.dst(0).take(Uop::new(op, Type::U32, Place::None, src))
}

/// Shuffles, reductions and prefix operations of groups of 4 or 32 lanes.
fn over_lanes(c: &Code, name: &str, lanes: u8) -> Option<Vec<Uop>> {
    let shuffle = match name {
        "shuffle" => Some(Shuffle::To),
        "shuffle_down" => Some(Shuffle::Down),
        "shuffle_up" => Some(Shuffle::Up),
        "shuffle_rotate_up" => Some(Shuffle::Rotate),
        "shuffle_xor" => Some(Shuffle::Xor),
        _ => None,
    };
    if let Some(s) = shuffle {
        let op = if lanes == 4 { CrossOp::QuadShuffle(s) } else { CrossOp::Shuffle(s) };
        let d = c.dst(0);
        let src = vec![c.int(1), c.int(2)];
        return Some(vec![Uop::new(Op::Cross(op), d.ty(), d.place, src)]);
    }
    let (exclusive, fold) = match name.strip_prefix("prefix_") {
        Some(rest) => (true, rest),
        None => (false, name),
    };
    let (op, float, signed) = match fold {
        "and" => (AtomicOp::And, false, false),
        "or" => (AtomicOp::Or, false, false),
        "xor" => (AtomicOp::Xor, false, false),
        "iadd" => (AtomicOp::Add, false, false),
        "fadd" => (AtomicOp::Add, true, false),
        "fmul" => (AtomicOp::Mul, true, false),
        "min.u" => (AtomicOp::Min, false, false),
        "max.u" => (AtomicOp::Max, false, false),
        "min.s" => (AtomicOp::Min, false, true),
        "max.s" => (AtomicOp::Max, false, true),
        "min.f" => (AtomicOp::Min, true, false),
        "max.f" => (AtomicOp::Max, true, false),
        _ => return None,
    };
    let op = Op::Cross(CrossOp::Reduce { op, lanes, exclusive });
    let src = match (float, c.width(1)) {
        (false, _) => c.int_as(1, signed),
        (true, 16) => c.int(1).typed(Type::F16),
        (true, _) => Src { flush: true, ..c.int(1).typed(Type::F32) },
    };
    let uop = Uop::new(op, src.ty, Place::None, vec![src]).with_mode(float_mode(src.ty));
    Some(c.dst(0).take(uop))
}
