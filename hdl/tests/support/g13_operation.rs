//! Operation, destination and control flow that the micro-operations of an instruction of G13 ask for.

use super::access::access;
use super::{name, register, Source, Wanted, Work};
use warpsmith_hdl::sm::control::encode::rounding;
use warpsmith_hdl::sm::control::g13::{from, mask};
use warpsmith_hdl::sm::control::uop::{count, format, op};
use warpsmith_hdl::sm::control::{flow, function, lanes, round, source1, source23};
use warpsmith_isa::set::Instr;
use warpsmith_isa::uop::{Axis, Builtin, Flow, MaskFlow, Op, Place, Special, Src, Type, Uop};

/// Micro-operations without the one that brings a result to the width of the destination, and the destination.
fn main(uops: &[Uop]) -> (&[Uop], Place, Type) {
    let Some(last) = uops.last() else {
        return (uops, Place::None, Type::U32);
    };
    let narrows = last.src.first().is_some_and(|s| s.place == Place::Temporary(7));
    let rest = match narrows {
        true => &uops[..uops.len() - 1],
        false => uops,
    };
    (rest, last.dst[0], last.ty)
}

/// `None`: what the chip lacks.
pub(super) fn of_uops(instr: &Instr, uops: &[Uop], w: &Work, pc_bits: usize) -> Option<Wanted> {
    let mut wanted = Wanted::default();
    let name = name(instr);
    let (steps, dst, to) = main(uops);
    let dst = match name {
        // The link register; the jump comes last.
        "call" => uops.first()?.dst[0],
        _ => dst,
    };
    if to.bits() == 64 && dst != Place::None {
        return None;
    }
    match register(dst) {
        Some((r, high)) => {
            wanted.set("dst_kind", 1u64);
            wanted.set("dst", r);
            wanted.set("dst_half", to.bits() == 16);
            wanted.set("dst_hi", high);
        }
        None => wanted.set("dst_kind", 0u64),
    }
    let no_access = !uops.iter().any(|u| matches!(u.op, Op::Load(_) | Op::Store(_)));
    if no_access {
        wanted.set("mem", 0u64);
        wanted.set("passes", 0u64);
    }
    let Some(first) = steps.first() else {
        if !matches!(name, "wait" | "memory_barrier") {
            return None;
        }
        wanted.set("flow", 0u64);
        return Some(wanted);
    };
    let s: Vec<&Src> = first.src.iter().collect();
    match (name, first.op) {
        ("bfi", _) => {
            let [count, insert] = steps else { return None };
            let Place::Immediate(length) = insert.src[3].place else {
                return None;
            };
            wanted.op(op::INSERT);
            wanted.set("sources.field", length);
            wanted.operands(&[&insert.src[1], &count.src[0], &insert.src[0]]);
        }
        ("bfeil", _) => {
            let [shift, insert] = steps else { return None };
            let Place::Immediate(length) = insert.src[3].place else {
                return None;
            };
            if insert.src[0].place != Place::Immediate(0) {
                return None;
            }
            wanted.op(op::EXTRACT);
            wanted.set("alu.reverse", 0u64);
            wanted.set("sources.field", length);
            wanted.operands(&[&shift.src[0], &shift.src[1]]);
        }
        ("extr", _) => {
            let [low, pair, masked] = steps else {
                return None;
            };
            if masked.src[1].place != Place::Immediate(u32::MAX.into()) {
                return None;
            }
            wanted.op(op::SHIFT_PAIR);
            wanted.set("alu.count", count::MOD_128);
            wanted.operands(&[&low.src[0], &pair.src[1], &pair.src[2]]);
        }
        ("shlhi" | "shrhi" | "asrh" | "exp2", _) => return None,
        ("bitrev", _) => {
            wanted.op(op::EXTRACT);
            wanted.set("alu.reverse", 1u64);
            wanted.set("sources.field", 32u64);
            wanted.set("sources.from2", from::NUMBER);
            wanted.set("sources.n2", 0u64);
            wanted.operands(&[s[0]]);
        }
        ("call", _) => {
            jump(&mut wanted, uops.get(1)?, w, pc_bits)?;
            immediate(&mut wanted, s[0]);
        }
        (_, Op::Move) if matches!(s[0].place, Place::Builtin(_)) => {
            let Place::Builtin(b) = s[0].place else {
                return None;
            };
            if name != "get_sr" {
                return None;
            }
            builtin(&mut wanted, b, w);
        }
        ("mov_imm16" | "mov_imm32", _) => {
            wanted.op(op::MOVE);
            immediate(&mut wanted, s[0]);
        }
        ("iadd", Op::Add) => {
            if first.saturate {
                return None;
            }
            wanted.op(op::ADD);
            if s[1].place != Place::Immediate(0) {
                wanted.set("alu.shift", s[1].shift);
                wanted.set("alu.neg_a", s[1].neg);
            }
            wanted.operands(&[s[1], s[0]]);
        }
        ("imadd", Op::MulAdd) => {
            if first.saturate || s[2].shift != 0 {
                return None;
            }
            wanted.op(op::MUL);
            wanted.set("alu.accumulate", 1u64);
            wanted.set("alu.high", 0u64);
            if s[2].place != Place::Immediate(0) {
                wanted.set("alu.neg_c", s[2].neg);
            }
            wanted.operands(&s);
        }
        ("convert", Op::Convert) => convert(&mut wanted, first, to)?,
        ("asr", Op::ShiftRight { .. }) => {
            wanted.op(op::SHIFT_RIGHT);
            wanted.set("alu.signed_a", 1u64);
            wanted.set("alu.count", count::MOD_128);
            wanted.operands(&s);
        }
        ("bitop", Op::Logic(table)) => {
            wanted.op(op::LOGIC);
            wanted.set("alu.table", table);
            wanted.set("alu.neg_a", 0u64);
            wanted.set("alu.neg_b", 0u64);
            wanted.operands(&s);
        }
        ("popcount", _) => {
            wanted.op(op::COUNT);
            wanted.set("alu.neg_b", 1u64);
            wanted.set("sources.from2", from::NUMBER);
            wanted.set("sources.n2", 0u64);
            wanted.operands(&s);
        }
        ("ffs", _) => {
            wanted.op(op::FIND);
            wanted.set("alu.signed_a", 0u64);
            wanted.set("alu.reverse", 0u64);
            wanted.operands(&s);
        }
        ("intl", _) => {
            wanted.op(op::INTERLEAVE);
            wanted.operands(&s);
        }
        (_, Op::CompareSelect(cond)) => {
            wanted.op(op::CHOOSE);
            wanted.compare(cond.0, s[0], s[1]);
            wanted.sources[2] = Some(Source::of(s[2]));
            wanted.sources[3] = Some(Source::of(s[3]));
            // Three registers are read.
            let mut read: Vec<u64> = s.iter().filter_map(|s| register(s.place)).map(|r| r.0).collect();
            // The first two have a port each.
            let own = s[..2].iter().filter(|s| register(s.place).is_some()).count();
            let two = read.drain(own..).collect::<Vec<_>>();
            let more = two.iter().filter(|r| !read.contains(r));
            let more: std::collections::BTreeSet<&u64> = more.collect();
            if own + more.len() > 3 {
                return None;
            }
        }
        (_, Op::MulAdd) if first.ty.is_float() => {
            wanted.op(op::FMA);
            wanted.set("alu.round", round::NEAREST);
            wanted.float(first, to);
            wanted.operands(&s);
        }
        (_, Op::Add) if first.ty.is_float() => {
            wanted.op(op::FADD);
            wanted.set("alu.round", round::NEAREST);
            wanted.float(first, to);
            wanted.operands(&s);
        }
        (_, Op::RoundToIntegral) => {
            wanted.op(op::F2F);
            wanted.set("alu.integral", 1u64);
            wanted.set("alu.round", rounding(first.mode.round));
            wanted.float(first, to);
            wanted.operands(&s);
        }
        (_, Op::Special(f)) => {
            let code = match f {
                Special::Rcp => function::RCP,
                Special::Rsq => function::RSQ,
                Special::Lg2 => function::LG2,
                _ => return None,
            };
            if to.bits() != 32 || s[0].ty != Type::F32 {
                return None;
            }
            wanted.set("sfu", 1u64);
            wanted.set("alu.table", code);
            wanted.set("alu.sat", first.saturate);
            wanted.operands(&s);
        }
        (_, Op::Flow(f)) => flows(&mut wanted, f, first, w, pc_bits)?,
        (_, Op::Barrier(_)) => {
            wanted.set("bar", 1u64);
            wanted.set("bar_id", 0u64);
            wanted.set("bar_arrive", 1u64);
            wanted.set("bar_wait", 1u64);
        }
        (_, Op::Trap) => {}
        _ if name.starts_with("device") || name.starts_with("threadgroup_") => access(&mut wanted, steps)?,
        _ => return None,
    }
    if !wanted.fields.iter().any(|f| f.0 == "flow") {
        wanted.set("flow", 0u64);
    }
    Some(wanted)
}

fn immediate(wanted: &mut Wanted, s: &Src) {
    let Place::Immediate(v) = s.place else { panic!("no immediate: {s:?}") };
    wanted.set("sources.from1", from::KIND);
    wanted.set("sources.from2", from::KIND);
    wanted.set("s1_kind", source1::SECOND);
    wanted.set("s2_kind", source23::IMM);
    wanted.set("imm", v);
}

fn convert(wanted: &mut Wanted, uop: &Uop, to: Type) -> Option<()> {
    let s = &uop.src[0];
    wanted.set("alu.round", rounding(uop.mode.round));
    if s.ty.is_float() {
        wanted.op(op::F2I);
        let size = if uop.ty.bits() == 16 { 1 } else { 2 };
        wanted.set("alu.to", u64::from(uop.ty.is_signed()) << 2 | size);
        wanted.set("alu.half_a", s.ty == Type::F16);
        wanted.set("alu.flush", 1u64);
        wanted.sources[0] = Some(Source::of(s));
        return Some(());
    }
    if s.ty.bits() == 8 {
        return None;
    }
    wanted.op(op::I2F);
    if s.ty.bits() == 32 {
        wanted.set("alu.from", u64::from(s.ty.is_signed()) << 2 | 2);
    }
    let code = if to.bits() == 16 { format::F16 } else { format::F32 };
    wanted.set("alu.format", code);
    wanted.operands(&[s]);
    Some(())
}

fn jump(wanted: &mut Wanted, uop: &Uop, w: &Work, pc_bits: usize) -> Option<()> {
    let Op::Flow(Flow::Mask(f)) = uop.op else {
        return None;
    };
    let (code, target) = match f {
        MaskFlow::Jump { target } => (flow::JUMP, target),
        MaskFlow::JumpAny { target } => (flow::JUMP_ANY, target),
        MaskFlow::JumpNone { target } => (flow::JUMP_NONE, target),
        _ => return None,
    };
    let beyond = 1 << (pc_bits - 1);
    wanted.set("flow", code);
    wanted.set("target", u64::from(target.min(beyond)));
    assert!(w.pc < beyond);
    Some(())
}

fn flows(wanted: &mut Wanted, f: Flow, uop: &Uop, w: &Work, pc_bits: usize) -> Option<()> {
    let (kind, levels) = match f {
        Flow::End => {
            wanted.set("flow", flow::END);
            return Some(());
        }
        Flow::Mask(MaskFlow::Pop { levels }) => (mask::POP, levels),
        Flow::Mask(MaskFlow::If { cond, levels }) => {
            wanted.compare(cond.0, &uop.src[0], &uop.src[1]);
            (mask::IF, levels)
        }
        Flow::Mask(MaskFlow::While { cond, levels }) => {
            wanted.compare(cond.0, &uop.src[0], &uop.src[1]);
            (mask::WHILE, levels)
        }
        Flow::Mask(MaskFlow::Else { cond, levels }) => {
            wanted.compare(cond.0, &uop.src[0], &uop.src[1]);
            (mask::ELSE, levels)
        }
        Flow::Mask(_) => return jump(wanted, uop, w, pc_bits),
        _ => return None,
    };
    wanted.op(op::MASK);
    wanted.set("alu.table", kind);
    wanted.set("alu.shift", levels);
    wanted.set("sources.mask", 1u64);
    // The counter is operand c.
    let counter = Place::Register { index: 0, byte: 0 };
    wanted.sources[2] = Some(Source::of(&Src::new(counter, Type::U16)));
    Some(())
}

fn builtin(wanted: &mut Wanted, b: Builtin, w: &Work) {
    let axis = |a: Axis| match a {
        Axis::X => 0u64,
        Axis::Y => 1,
        Axis::Z => 2,
    };
    // Halves of the machine's two registers: tid.x, tid.y, tid.z, warp.
    let machine = |half: u64| {
        let index = (w.registers as u16).wrapping_sub(2 - half as u16 / 2) & 0x7f;
        let byte = 2 * (half as u8 & 1);
        Src::new(Place::Register { index, byte }, Type::U16)
    };
    let header = |wanted: &mut Wanted, byte: u64| {
        wanted.set("sources.from1", from::KIND);
        wanted.set("s1_kind", source1::SHARED);
        wanted.set("s1_size", 1u64);
        wanted.set("address.header", 1u64);
        wanted.set("address.base", 0u64);
        wanted.set("imm", byte);
    };
    let count = |wanted: &mut Wanted, mask: u64| {
        wanted.op(op::COUNT);
        wanted.set("sources.from1", from::KIND);
        wanted.set("s1_kind", source1::LANE);
        wanted.set("alu.table", mask);
        wanted.set("sources.from2", from::ACTIVE);
        wanted.set("alu.neg_a", 0u64);
    };
    let number = |n: u64| Src::immediate(n, Type::U32);
    match b {
        Builtin::Block(Axis::Z) | Builtin::Zero => {
            wanted.op(op::MOVE);
            wanted.operands(&[&number(0)]);
        }
        Builtin::Block(a) => {
            wanted.op(op::MOVE);
            header(wanted, 12 + 2 * axis(a));
        }
        Builtin::BlockSize(a) => {
            wanted.op(op::MOVE);
            header(wanted, 2 + 2 * axis(a));
        }
        Builtin::Thread(a) => {
            wanted.op(op::MOVE);
            wanted.operands(&[&machine(axis(a))]);
        }
        Builtin::GridThread(Axis::Z) => {
            wanted.op(op::MOVE);
            wanted.operands(&[&machine(2)]);
        }
        Builtin::GridThread(a) => {
            wanted.op(op::MUL);
            wanted.set("alu.accumulate", 1u64);
            header(wanted, 12 + 2 * axis(a));
            wanted.set("sources.from2", from::BLOCK_SIZE);
            wanted.set("sources.n2", axis(a));
            wanted.sources[2] = Some(Source::of(&machine(axis(a))));
        }
        Builtin::LinearThread => {
            wanted.op(op::ADD);
            wanted.set("alu.shift", 5u64);
            wanted.operands(&[&machine(3)]);
            wanted.set("sources.from2", from::LANE);
        }
        Builtin::Lane => {
            wanted.op(op::MOVE);
            wanted.set("sources.from1", from::KIND);
            wanted.set("s1_kind", source1::LANE);
            wanted.set("alu.table", lanes::NUMBER);
        }
        Builtin::Warp => {
            wanted.op(op::MOVE);
            wanted.operands(&[&machine(3)]);
        }
        Builtin::RankInQuad => count(wanted, lanes::QUAD_LESS),
        Builtin::ActiveInQuad => count(wanted, lanes::QUAD),
        Builtin::RankInWarp => count(wanted, lanes::LESS),
        Builtin::ActiveInWarp => {
            wanted.op(op::COUNT);
            wanted.operands(&[&number(0)]);
            wanted.set("alu.neg_a", 1u64);
            wanted.set("sources.from2", from::ACTIVE);
        }
        Builtin::IsActive => {
            wanted.op(op::MOVE);
            wanted.operands(&[&number(1)]);
        }
        other => panic!("{other:?} in a special register"),
    }
}
