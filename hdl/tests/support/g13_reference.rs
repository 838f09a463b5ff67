//! What G13's decoder must give, from the micro-operations that an instruction lowers to.

use warpsmith_contract::TrapCause;
use warpsmith_hdl::sm::control::g13::{from, mask, SourceControl};
use warpsmith_hdl::sm::control::uop::{count, format, op, tiny, AddressControl, UopControl};
use warpsmith_hdl::sm::control::{flow, function, lanes, round, source1, source23, Control};
use warpsmith_hdl::sm::dims::Dims;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::{Instr, InstructionSet};
use warpsmith_isa::uop::{
    Axis, Builtin, Flow, MaskFlow, Op, Place, Round, Space, Special, Src, Type, Uop,
};

/// Where fields of the control word are; those of the words in it have names such as `alu.op`.
pub struct Layout {
    fields: Vec<(String, usize, usize)>,
}

impl Layout {
    /// Of a chip.
    pub fn new(d: &Dims) -> Self {
        let mut fields = vec![];
        let mut at = 0;
        for (name, width) in Control::fields(d) {
            let inner = match name {
                "alu" => UopControl::fields(()),
                "address" => AddressControl::fields(()),
                "sources" => SourceControl::fields(()),
                _ => vec![],
            };
            let mut inside = at;
            for (part, width) in inner {
                fields.push((format!("{name}.{part}"), inside, width));
                inside += width;
            }
            fields.push((name.into(), at, width));
            at += width;
        }
        Self { fields }
    }

    /// A field of a control word.
    pub fn get(&self, words: &[u32], name: &str) -> u64 {
        let (_, at, width) = *self
            .fields
            .iter()
            .find(|f| f.0 == name)
            .unwrap_or_else(|| panic!("no field {name}"));
        let bit = |i: usize| u64::from(words[i / 32] >> (i % 32) & 1);
        (0..width).fold(0, |v, i| v | bit(at + i) << i)
    }
}

/// Bytes at an address, and the registers a thread owns.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub bytes: [u8; 12],
    pub pc: u32,
    pub registers: u32,
}

/// Names and values of fields that matter.
#[derive(Default)]
pub struct Wanted {
    /// Trap cause, 0 for none; with one nothing else matters.
    pub trap: u8,
    fields: Vec<(String, u64)>,
    sources: [Option<Source>; 4],
}

/// A source of the lane.
struct Source {
    from: u64,
    /// Uniform or number.
    n: u64,
    register: u64,
    half: bool,
    high: bool,
    mini: bool,
    extend: bool,
}

fn mini_float(n: u64) -> f32 {
    let (sign, e, f) = (n >> 7, (n >> 4 & 7) as i32, (n & 15) as f32);
    let size = match e {
        0 => f / 64.0,
        _ => (16.0 + f) * 2f32.powi(e - 7),
    };
    if sign == 1 {
        -size
    } else {
        size
    }
}

impl Source {
    fn of(s: &Src) -> Source {
        let half = s.ty.bits() == 16;
        let plain = Source {
            from: from::KIND,
            n: 0,
            register: 0,
            half,
            high: false,
            mini: false,
            extend: s.ty.is_signed() && half,
        };
        match s.place {
            Place::Register { index, byte } => Source {
                register: index.into(),
                high: byte == 2,
                ..plain
            },
            Place::Uniform { index, byte } => Source {
                from: from::UNIFORM,
                n: index.into(),
                high: byte == 2,
                ..plain
            },
            Place::Immediate(v) => {
                let mini = s.ty == Type::F32 && v != 0;
                let n = match s.ty {
                    Type::F32 => (0..256).find(|n| u64::from(mini_float(*n).to_bits()) == v),
                    _ => Some(v),
                };
                Source {
                    from: from::NUMBER,
                    n: n.expect("a float of 8 bits"),
                    mini,
                    half: false,
                    extend: false,
                    ..plain
                }
            }
            _ => panic!("no source: {s:?}"),
        }
    }
}

impl Wanted {
    fn trap(cause: TrapCause) -> Self {
        Self {
            trap: cause.number(),
            ..Self::default()
        }
    }

    fn set(&mut self, name: &str, value: impl Into<u64>) {
        self.fields.push((name.into(), value.into()));
    }

    fn op(&mut self, code: u64) {
        self.set("alu.op", code);
    }

    /// The lane's operands from a on.
    fn operands(&mut self, sources: &[&Src]) {
        for (n, s) in sources.iter().enumerate() {
            self.sources[n] = Some(Source::of(s));
            let Some(letter) = ["a", "b", "c"].get(n) else {
                continue;
            };
            if s.ty.is_float() {
                self.set(&format!("alu.half_{letter}"), s.ty == Type::F16);
                self.set(&format!("alu.abs_{letter}"), s.abs);
                self.set(&format!("alu.neg_{letter}"), s.neg);
                self.set("alu.flush", 1u64);
            }
        }
    }

    /// How a float result is formed, `to` the destination.
    fn float(&mut self, uop: &Uop, to: Type) {
        let (code, below) = match (uop.ty, to.bits()) {
            (Type::F16, _) => (format::F16, tiny::KEEP),
            (_, 16) => (format::F32_F16, tiny::FLUSH_EXACT),
            _ => (format::F32, tiny::FLUSH_EXACT),
        };
        self.set("alu.format", code);
        self.set("alu.tiny", below);
        self.set("alu.sat", uop.saturate);
    }

    fn compare(&mut self, cond: u8, a: &Src, b: &Src) {
        self.set("alu.cond", cond);
        self.set("alu.float", a.ty.is_float());
        if !a.ty.is_float() && a.ty.bits() == 32 {
            self.set("alu.signed_a", a.ty.is_signed());
        }
        self.operands(&[a, b]);
    }

    /// Field and value of what differs.
    pub fn differences(&self, layout: &Layout, got: &[u32]) -> Vec<(String, u64, u64)> {
        let of = |name: &str| layout.get(got, name);
        let mut wrong = vec![];
        let mut check = |name: String, want: u64| {
            let is = of(&name);
            if is != want {
                wrong.push((name, is, want));
            }
        };
        check("trap".into(), self.trap.into());
        if self.trap != 0 {
            return wrong;
        }
        for (name, want) in &self.fields {
            check(name.clone(), *want);
        }
        for (i, s) in self.sources.iter().enumerate() {
            let Some(s) = s else { continue };
            let n = i + 1;
            check(format!("sources.from{n}"), s.from);
            match s.from {
                from::KIND => {
                    let port = match n {
                        3 | 4 => of(&format!("sources.port{n}")),
                        _ => 0,
                    };
                    let port = if port == 0 { n.min(3) as u64 } else { port };
                    check(format!("r{port}"), s.register);
                    check(format!("use{port}"), 1);
                }
                from::NUMBER => {
                    check(format!("sources.n{n}"), s.n);
                    // 0 is 0 either way.
                    if n < 4 && s.n != 0 {
                        check(format!("sources.mini{n}"), s.mini.into());
                    }
                    continue;
                }
                _ => check(format!("sources.n{n}"), s.n),
            }
            let (half, high) = match n {
                4 => ("sources.half4".into(), "sources.hi4".into()),
                _ => (format!("s{n}_half"), format!("s{n}_hi")),
            };
            check(half, s.half.into());
            check(high, s.high.into());
            if n < 4 {
                check(format!("sources.extend{n}"), s.extend.into());
            }
        }
        wrong
    }
}

/// The lane register and half of a destination.
fn register(place: Place) -> Option<(u64, bool)> {
    match place {
        Place::Register { index, byte } => Some((index.into(), byte == 2)),
        _ => None,
    }
}

fn rounding(r: Round) -> u64 {
    match r {
        Round::Nearest => round::NEAREST,
        Round::Down => round::DOWN,
        Round::Up => round::UP,
        Round::Zero => round::ZERO,
    }
}

/// What the decoder must give.
pub fn expected(w: &Work, pc_bits: usize) -> Wanted {
    let Ok(instr) = G13.decode(&w.bytes) else {
        return Wanted::trap(TrapCause::Illegal);
    };
    let Ok(lowered) = G13.lower(&instr, w.pc.into()) else {
        return Wanted::trap(TrapCause::Unimplemented);
    };
    let lacks = G13.lacks(&instr, &lowered);
    let found = of_uops(&instr, &lowered.uops, w, pc_bits);
    assert_eq!(
        lacks.is_some(),
        found.is_none(),
        "{}: {lacks:?}",
        G13.print(&instr, 0)
    );
    let Some(mut wanted) = found else {
        return Wanted::trap(TrapCause::Unimplemented);
    };
    let gpr = wanted.fields.iter().find(|f| f.0 == "dst").map(|f| f.1);
    let passes = wanted
        .fields
        .iter()
        .find(|f| f.0 == "passes")
        .map_or(0, |f| f.1);
    let last = gpr.map(|r| r + [0, 1, 3, 2][passes as usize]);
    if last.is_some_and(|r| r + 2 >= u64::from(w.registers)) {
        return Wanted::trap(TrapCause::Register);
    }
    if lowered.uops.iter().any(|u| u.op == Op::Trap) {
        wanted.trap = TrapCause::Trap.number();
    }
    wanted
}

/// The name of the instruction's form.
pub fn name(instr: &Instr) -> &'static str {
    warpsmith_isa::g13::table::TABLE.form(instr).name
}

/// Micro-operations without the one that brings a result to the width of the destination, and the destination.
fn main(uops: &[Uop]) -> (&[Uop], Place, Type) {
    let Some(last) = uops.last() else {
        return (uops, Place::None, Type::U32);
    };
    let narrows = last
        .src
        .first()
        .is_some_and(|s| s.place == Place::Temporary(7));
    let rest = match narrows {
        true => &uops[..uops.len() - 1],
        false => uops,
    };
    (rest, last.dst[0], last.ty)
}

/// `None`: what the chip lacks.
fn of_uops(instr: &Instr, uops: &[Uop], w: &Work, pc_bits: usize) -> Option<Wanted> {
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
    let no_access = !uops
        .iter()
        .any(|u| matches!(u.op, Op::Load(_) | Op::Store(_)));
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
            let mut read: Vec<u64> = s
                .iter()
                .filter_map(|s| register(s.place))
                .map(|r| r.0)
                .collect();
            // The first two have a port each.
            let own = s[..2]
                .iter()
                .filter(|s| register(s.place).is_some())
                .count();
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
        _ if name.starts_with("device") || name.starts_with("threadgroup_") => {
            access(&mut wanted, steps)?
        }
        _ => return None,
    }
    if !wanted.fields.iter().any(|f| f.0 == "flow") {
        wanted.set("flow", 0u64);
    }
    Some(wanted)
}

fn immediate(wanted: &mut Wanted, s: &Src) {
    let Place::Immediate(v) = s.place else {
        panic!("no immediate: {s:?}")
    };
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
    let code = if to.bits() == 16 {
        format::F16
    } else {
        format::F32
    };
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

fn access(wanted: &mut Wanted, steps: &[Uop]) -> Option<()> {
    let uop = steps.last()?;
    let (a, load) = match uop.op {
        Op::Load(a) => (a, true),
        Op::Store(a) => (a, false),
        _ => return None,
    };
    let passes = match a.elements {
        1 => 0u64,
        3 => 1,
        7 => 3,
        15 => 2,
        _ => return None,
    };
    let data = if load { uop.ty } else { uop.src[0].ty };
    if passes != 0 && data.bits() == 16 {
        return None;
    }
    let [base, index] = &uop.src[usize::from(!load)..] else {
        return None;
    };
    wanted.set("passes", passes);
    let global = a.space == Space::Global;
    wanted.set(
        "mem",
        match (global, load) {
            (true, true) => 2u64,
            (true, false) => 3,
            (false, true) => 0,
            (false, false) => 1,
        },
    );
    wanted.set(
        "mem_size",
        match a.element.bits() {
            8 => 0u64,
            16 => 2,
            _ => 6,
        },
    );
    if !global && load {
        wanted.op(op::MOVE);
        wanted.set("s1_kind", source1::SHARED);
        wanted.set("s1_half", 0u64);
        wanted.set(
            "s1_size",
            match a.element.bits() {
                8 => 0u64,
                16 => 1,
                _ => 3,
            },
        );
    }
    if !load {
        wanted.sources[2] = Some(Source::of(&uop.src[0]));
    }
    wanted.set("address.far", global);
    let scale = u64::from(index.shift);
    let by_register = register(index.place);
    match index.place {
        Place::Immediate(v) => {
            let number = match index.ty {
                Type::U16 => i64::from(v as u16),
                _ => i64::from(v as i16),
            };
            wanted.set("imm", (number << scale) as u32);
            wanted.set("sources.index", 0u64);
        }
        _ => {
            wanted.sources[1] = Some(Source {
                extend: false,
                ..Source::of(index)
            });
            wanted.set("sources.index", 1u64);
            wanted.set("sources.scale", scale);
            wanted.set("sources.index_signed", index.ty.is_signed());
            wanted.set("imm", 0u64);
        }
    }
    // A pair is rounded down first.
    let base = match base.place {
        Place::Temporary(_) => &steps.first()?.src[0],
        _ => base,
    };
    // Of base and index one register alone may be replaced by a load of several elements.
    if let (true, true, Some((b, _)), Some((i, _))) = (
        load && !global,
        passes != 0,
        register(base.place),
        by_register,
    ) {
        let (first, _) = register(uop.dst[0])?;
        let written = first..first + u64::from(a.count());
        if b != i && written.contains(&b) && written.contains(&i) {
            return None;
        }
    }
    wanted.base(base, by_register.is_some())
}

impl Wanted {
    /// The base of an address.
    fn base(&mut self, base: &Src, indexed: bool) -> Option<()> {
        if let Place::Immediate(_) = base.place {
            self.set("address.base", 0u64);
            return Some(());
        }
        let s = Source::of(base);
        self.set("address.base", 1u64);
        self.set("sources.from1", s.from);
        if s.from == from::UNIFORM {
            self.set("sources.n1", s.n);
        } else {
            self.set("r1", s.register);
            self.set("use1", 1u64);
            if base.ty == Type::U64 {
                if indexed {
                    return None;
                }
                self.set("r2", s.register + 1);
                self.set("use2", 1u64);
            }
        }
        self.set("sources.base_half", base.ty == Type::U16);
        self.set("sources.base_hi", s.high);
        Some(())
    }
}
