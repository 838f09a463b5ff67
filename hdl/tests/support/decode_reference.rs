//! The control word an instruction must give, from the decoded [`Instr`] alone.
//!
//! The decoder under test is made from the fields of the instruction table; this reads none of
//! them, only what `warpsmith_isa::decode` says, so that two readings of the table have to agree.

#[path = "decode_operation.rs"]
mod operation;

use operation::operation;
use warpsmith_contract::trace::{Destination, MemoryAccess};
use warpsmith_contract::TrapCause;
use warpsmith_hdl::config::{Floats, Level};
use warpsmith_hdl::sm::control::{flow, source1, source23, vote};
use warpsmith_hdl::sm::mem::operation::atomic;
use warpsmith_isa::uop::AtomicOp;
use warpsmith_isa::{
    AddKind, Dst, Family, FloatType, Instr, Marker, MemRef, MemSize, MulKind, Op, SfuFn, Src, Tier, Width,
};

/// Fields that matter for an instruction, and their values.
#[derive(Default)]
pub struct Expected {
    pub fields: Vec<(&'static str, u64)>,
}

impl Expected {
    fn set(&mut self, name: &'static str, value: impl Into<u64>) {
        self.fields.push((name, value.into()));
    }

    /// The value of a field that matters.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.fields.iter().find(|f| f.0 == name).map(|f| f.1)
    }

    /// A word that only traps: nothing else of it matters.
    fn trapping(cause: TrapCause, long: bool) -> Self {
        let mut e = Self::default();
        e.set("trap", cause.number());
        e.set("long", long);
        e
    }
}

impl Expected {
    /// The same from a chip with no float instructions, or with those that divide integers.
    pub fn with_floats(self, floats: Floats, w0: u32, w1: u32) -> Self {
        let division = floats == Floats::Division;
        let lacks = |op: &Op| match op {
            Op::FMul { .. } | Op::I2F { .. } | Op::F2I { .. } => !division,
            Op::Sfu { .. } if !division => true,
            Op::Sfu { func, .. } => *func != SfuFn::Rcp,
            Op::FAdd { .. } | Op::FMad { .. } | Op::FMinMax { .. } | Op::FSet { .. } => true,
            Op::FSlct { .. } | Op::F2F { .. } | Op::Rro { .. } => true,
            _ => false,
        };
        match warpsmith_isa::decode(w0, w1) {
            Ok(i) if lacks(&i.op) && !matches!(i.dst, Dst::Out(_)) => Self::trapping(TrapCause::Unimplemented, i.long),
            _ => self,
        }
    }
}

/// The fields of the control word that matter for a word pair on a chip of a level; `registers` a thread, branch
/// targets of `pc` bits.
pub fn expected(w0: u32, w1: u32, registers: u32, pc: usize, level: Level) -> Expected {
    let instr = match Tier::full().at(level).decode(w0, w1) {
        Ok(i) => i,
        Err(_) => return Expected::trapping(TrapCause::Illegal, w0 & 1 == 1),
    };
    let double = instr.op.family() == Family::Double;
    if matches!(instr.dst, Dst::Out(_)) && (!double || level >= Level::Sm13) {
        return Expected::trapping(TrapCause::Illegal, instr.long);
    }
    if unimplemented(&instr.op, level) {
        return Expected::trapping(TrapCause::Unimplemented, instr.long);
    }
    let mut e = Expected::default();
    e.set("long", instr.long);
    e.set("trap", trap(&instr, registers));
    result(&mut e, &instr);
    guard(&mut e, &instr);
    sources(&mut e, &instr);
    addressing(&mut e, &instr);
    control_flow(&mut e, &instr, pc);
    operation(&mut e, &instr);
    if level >= Level::Sm12 {
        let locks = matches!(instr.op, Op::LdShared { lock: true, .. } | Op::StShared { unlock: true, .. });
        e.set("lock", locks);
        let code = match instr.op {
            Op::Vote { all: true } => vote::ALL,
            Op::Vote { all: false } => vote::ANY,
            _ => 0,
        };
        e.set("ballot", code);
    }
    if level >= Level::Sm13 {
        let writes = matches!(instr.dst, Dst::Reg(_) | Dst::Half(_) | Dst::Pair(_));
        e.set("is_double", double);
        e.set("wide", double && instr.op.registers(0) == 2);
        e.set("wide_result", double && matches!(instr.dst, Dst::Pair(_)));
        if double {
            e.set("flags", instr.cdst.is_some());
            e.set("writes", writes);
        }
    }
    e
}

fn unimplemented(op: &Op, level: Level) -> bool {
    match op {
        Op::LdShared { lock: true, .. } | Op::Vote { .. } => level < Level::Sm12,
        Op::LdShared { .. } | Op::Atomic { .. } => level == Level::Sm10,
        op if op.family() == Family::Double => level < Level::Sm13,
        op => *op == Op::Unsupported,
    }
}

fn trap(i: &Instr, registers: u32) -> u8 {
    let last = match i.dst {
        Dst::Reg(r) => Some(u32::from(r)),
        Dst::Half(h) => Some(u32::from(h >> 1)),
        Dst::Pair(r) => Some(u32::from(r) + 1),
        Dst::Quad(r) => Some(u32::from(r) + 3),
        _ => None,
    };
    if last.is_some_and(|r| r >= registers) {
        TrapCause::Register.number()
    } else if i.op == Op::Trap {
        TrapCause::Trap.number()
    } else {
        0
    }
}

fn result(e: &mut Expected, i: &Instr) {
    let (kind, half, hi, number) = match i.dst {
        Dst::Reg(r) | Dst::Pair(r) | Dst::Quad(r) => (Destination::Gpr, false, 0, r),
        Dst::Half(h) => (Destination::Gpr, true, h & 1, h >> 1),
        Dst::Addr(a) => (Destination::Addr, false, 0, a),
        Dst::None | Dst::Cc(_) | Dst::Discard | Dst::Out(_) => (Destination::None, false, 0, 0),
    };
    e.set("dst_kind", kind as u8);
    if kind != Destination::None {
        e.set("dst", number);
    }
    if kind == Destination::Gpr {
        e.set("dst_half", half);
        if half {
            e.set("dst_hi", hi);
        }
    }
    let flags = match i.dst {
        Dst::Cc(c) => Some(c),
        _ => i.cdst,
    };
    e.set("flags_we", flags.is_some());
    if let Some(c) = flags {
        e.set("cdst", c);
        e.set("flags_from_y", matches!(i.op, Op::R2C | Op::Vote { .. }));
    }
    let lanes = match i.op {
        Op::Mov { lanes, .. } => lanes,
        _ => 0xf,
    };
    e.set("quad", lanes);
}

fn guard(e: &mut Expected, i: &Instr) {
    e.set("pred", i.pred.code);
    let carry = matches!(i.op, Op::IAdd { kind: AddKind::Addc, .. } | Op::IMad { kind: AddKind::Addc, .. });
    let read = match i.src[0] {
        Src::Cc(c) => Some(c),
        _ if carry || matches!(i.op, Op::Vote { .. }) || !i.pred.is_always() => Some(i.pred.creg),
        _ => None,
    };
    e.set("use_cc", read.is_some());
    if let Some(c) = read {
        e.set("cc", c);
    }
}

/// Operands in the places a, b and c of the pipeline.
fn places(i: &Instr) -> [Src; 3] {
    let [s1, s2, s3] = i.src;
    match i.op {
        Op::Mov { .. } if matches!(s1, Src::Imm(_)) => [Src::None, s1, Src::None],
        Op::LdConst => [Src::None, s1, Src::None],
        // Copies are a | 0.
        Op::Mov { .. } | Op::C2R | Op::R2C | Op::A2R | Op::S2R => [s1, Src::Imm(0), Src::None],
        Op::R2A { shift } => [s1, Src::Imm(shift.into()), Src::None],
        Op::StShared { .. } | Op::StLocal { .. } => [Src::None, Src::None, s1],
        Op::StGlobal { .. } => [s1, Src::None, s2],
        Op::Atomic { op: AtomicOp::CompareExchange, .. } => [s1, s2, s3],
        Op::Atomic { .. } => [s1, Src::None, s2],
        Op::LdShared { at, .. } => [Src::Shared(at), Src::Imm(0), Src::None],
        Op::Vote { .. } => [Src::Cc(i.pred.creg), Src::Imm(0), Src::None],
        _ => [s1, s2, s3],
    }
}

/// The operands of a are, and of b are, 16 bits wide.
fn narrow(op: &Op) -> bool {
    let w16 = |w: Width| w == Width::W16;
    match *op {
        Op::Mov { width, .. } | Op::IAdd { width, .. } | Op::ISad { width, .. } => w16(width),
        Op::ISet { width, .. } | Op::IMinMax { width, .. } => w16(width),
        Op::Shift { width, .. } | Op::Logic { width, .. } => w16(width),
        Op::IMul16 { .. } => true,
        Op::IMad { mul, .. } => matches!(mul, MulKind::U16 | MulKind::S16),
        Op::I2I { src, .. } | Op::I2F { src, .. } => src.bits() == 16,
        Op::F2I { src, .. } | Op::F2F { src, .. } => src == FloatType::F16,
        _ => false,
    }
}

fn access_code(size: MemSize) -> u64 {
    match size {
        MemSize::U8 => 0,
        MemSize::U16 => 1,
        MemSize::S16 => 2,
        _ => 3,
    }
}

fn byte_offset(at: &MemRef) -> u64 {
    (at.offset as u64) & 0xffff
}

fn sources(e: &mut Expected, i: &Instr) {
    let [a, b, c] = places(i);
    let mut register = |src: &Src, [use_, number, half, hi]: [&'static str; 4]| {
        let (used, n, h, high) = match *src {
            Src::Reg(r) => (true, r, false, 0),
            Src::Half(x) => (true, x >> 1, true, x & 1),
            _ => (false, 0, false, 0),
        };
        e.set(use_, used);
        if used {
            e.set(number, n);
            e.set(half, h);
        }
        if h {
            e.set(hi, high);
        }
    };
    register(&a, ["use1", "r1", "s1_half", "s1_hi"]);
    register(&b, ["use2", "r2", "s2_half", "s2_hi"]);
    register(&c, ["use3", "r3", "s3_half", "s3_hi"]);

    let s1 = match a {
        Src::Shared(_) => source1::SHARED,
        Src::Addr(_) => source1::AREG,
        Src::Cc(_) => source1::CC,
        Src::Special(1) => source1::CLOCK,
        Src::Special(_) => source1::ZERO,
        _ => source1::GPR,
    };
    e.set("s1_kind", s1);
    if let Src::Shared(at) = a {
        e.set("s1_size", access_code(at.size));
        // A conversion from 8 bits takes the low byte of either.
        if !matches!(i.op, Op::I2I { src, .. } | Op::I2F { src, .. } if src.bits() == 8) {
            e.set("s1_half", narrow(&i.op));
        }
    }
    let s2 = match b {
        Src::Const { .. } => source23::CONST,
        Src::Imm(_) => source23::IMM,
        _ => source23::GPR,
    };
    e.set("s2_kind", s2);
    if let Src::Imm(v) = b {
        e.set("imm", v);
        if v > 0xffff {
            e.set("s2_half", narrow(&i.op));
        }
    }
    e.set("s3_kind", u64::from(matches!(c, Src::Const { .. })));
    for s in [b, c] {
        if let Src::Const { bank, at } = s {
            e.set("c_size", access_code(at.size));
            e.set("c_bank", bank);
            e.set("c_offset", byte_offset(&at));
        }
    }
}

fn addressing(e: &mut Expected, i: &Instr) {
    let near = match (i.op, i.src[0]) {
        (Op::StShared { at, .. } | Op::LdShared { at, .. } | Op::LdLocal { at } | Op::StLocal { at }, _) => Some(at),
        (_, Src::Shared(at)) => Some(at),
        _ => None,
    };
    let constant = i.src.iter().find_map(|s| match s {
        Src::Const { at, .. } => Some(*at),
        _ => None,
    });
    if let Some(at) = near {
        e.set("s_offset", byte_offset(&at));
        // The address register belongs to shared memory then.
        assert!(constant.is_none_or(|c| c.areg == 0 && !c.post_inc));
    }
    let used = near.or(constant);
    let areg = match (used, i.src[0]) {
        (Some(at), _) => Some(at.areg),
        (None, Src::Addr(a)) => Some(a),
        _ => None,
    };
    let uses = match (near, constant) {
        (Some(_), _) => 1u64,
        (None, Some(_)) => 2,
        _ => 0,
    };
    let post_inc = used.is_some_and(|at| at.post_inc);
    e.set("areg_use", uses);
    e.set("post_inc", post_inc);
    e.set("use_areg", areg.is_some_and(|a| a != 0));
    if let Some(a) = areg {
        e.set("areg", a);
    }

    if let Op::Atomic { op, signed, .. } = i.op {
        let code = match op {
            AtomicOp::Add => atomic::ADD,
            AtomicOp::Exchange => atomic::EXCH,
            AtomicOp::CompareExchange => atomic::CAS,
            AtomicOp::IncrementWrap => atomic::INC,
            AtomicOp::DecrementWrap => atomic::DEC,
            AtomicOp::Max => atomic::MAX,
            AtomicOp::Min => atomic::MIN,
            AtomicOp::And => atomic::AND,
            AtomicOp::Or => atomic::OR,
            AtomicOp::Xor => atomic::XOR,
            other => panic!("{other:?} is no operation of SM 1.1"),
        };
        e.set("imm", code | u64::from(signed) << 4);
    }
    let (mem, size) = match i.op {
        Op::StShared { at, .. } => (MemoryAccess::SharedStore, at.size),
        Op::LdGlobal { size, .. } => (MemoryAccess::GlobalLoad, size),
        Op::StGlobal { size, .. } => (MemoryAccess::GlobalStore, size),
        Op::Atomic { .. } if i.dst == Dst::None => (MemoryAccess::GlobalReduction, MemSize::B32),
        Op::Atomic { .. } => (MemoryAccess::GlobalAtomic, MemSize::B32),
        Op::LdLocal { at } => (MemoryAccess::LocalLoad, at.size),
        Op::StLocal { at } => (MemoryAccess::LocalStore, at.size),
        _ => (MemoryAccess::None, MemSize::B32),
    };
    e.set("mem", mem as u8);
    if mem != MemoryAccess::None {
        let code = match size {
            MemSize::U8 => 0u64,
            MemSize::S8 => 1,
            MemSize::U16 => 2,
            // A store has no sign.
            MemSize::S16 if mem == MemoryAccess::SharedStore => 2,
            MemSize::S16 => 3,
            MemSize::B64 => 4,
            MemSize::B128 => 5,
            MemSize::B32 => 6,
        };
        e.set("mem_size", code);
    }
    let passes = match size {
        // R2A writes its destination, then the register it read through.
        _ if i.op.family() == Family::Double => u64::from(i.op.registers(0) == 2),
        _ if mem == MemoryAccess::None => u64::from(matches!(i.dst, Dst::Addr(_)) && post_inc),
        MemSize::B64 => 1,
        MemSize::B128 => 2,
        _ => 0,
    };
    e.set("passes", passes);
}

fn control_flow(e: &mut Expected, i: &Instr, pc: usize) {
    let (what, target) = match i.op {
        Op::Bra { target } => (flow::BRA, Some(target)),
        Op::Cal { target, .. } => (flow::CAL, Some(target)),
        Op::Pbk { target } => (flow::PBK, Some(target)),
        Op::Ssy { target } => (flow::SSY, Some(target)),
        Op::Ret => (flow::RET, None),
        Op::Brk => (flow::BRK, None),
        _ => (flow::NONE, None),
    };
    e.set("flow", what);
    if let Some(t) = target {
        // The first address beyond the largest program stands for all of them.
        e.set("target", t.min(1 << (pc - 1)));
    }
    let marker = match i.marker {
        Marker::None => 0u64,
        Marker::Exit => 1,
        Marker::Join => 2,
    };
    e.set("marker", marker);
    e.set("bar", matches!(i.op, Op::Bar { .. }));
    if let Op::Bar { id, arrive, wait, .. } = i.op {
        e.set("bar_id", id);
        e.set("bar_arrive", arrive);
        e.set("bar_wait", wait);
    }
    e.set("breakpoint", i.op == Op::Bpt);
}
