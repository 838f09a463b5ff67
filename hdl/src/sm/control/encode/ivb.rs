//! Control words of Ivy Bridge.

use super::{barrier, integer, memory, plain, rounding, ControlWord, Launch, Want};
use crate::sm::control::ivb::{condition, constants, flow, kept, pick, region, size, ALIGN};
use crate::sm::control::uop::{count, format, op, tiny, ROOT};
use crate::sm::control::{function, source1, source23};
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::ivb::chip::{
    on_chip, Action, Compute, Function, OnChip, Operand, Operation, Region, Size, Temporary, Transfer,
};
use warpsmith_isa::ivb::Ivb;
use warpsmith_isa::set::{DecodeError, InstructionSet};
use warpsmith_isa::uop::{BarrierOp, ChannelFlow, Cond, Pick, Round, Space, Type};
use warpsmith_isa::Options;

/// The control word of the instruction that begins with bit 0 of `word`, byte address `pc`, which is a multiple of 8
/// but for the number of the step in its low bits.
///
/// # Errors
/// The cause of a trap: no opcode, what the chip lacks.
pub fn decode(word: u128, pc: u32, launch: &Launch) -> Result<ControlWord, TrapCause> {
    let refused = |e: DecodeError| if Ivb.knows(&e) { TrapCause::Unimplemented } else { TrapCause::Illegal };
    let instr = Ivb.decode(&word.to_le_bytes()).map_err(refused)?;
    let step = pc % (1 << ALIGN);
    let chip = on_chip(&instr, pc - step).map_err(|_| TrapCause::Unimplemented)?;
    Ok(encode(&chip, step as usize, launch))
}

/// The control word of a step of an instruction that the chip executes.
fn encode(chip: &OnChip, step: usize, launch: &Launch) -> ControlWord {
    let mut e = Encoder { w: plain(), launch, sixteen: chip.size == Size::Sixteen };
    e.unused(chip);
    if let Some(p) = chip.predicate {
        let (c, h) = (&mut e.w.control, &mut e.w.channels);
        (c.use_cc, c.cc) = (Want::is(1u64), Want::is(p.flag));
        (h.pick, h.pick_not) = (Want::is(picked(p.pick)), Want::is(p.not));
    }
    match &chip.action {
        Action::Nothing => {}
        Action::Trap => e.w.control.trap = Want::is(TrapCause::Trap.number()),
        Action::Barrier => barrier(&mut e.w, BarrierOp { id: 0, wait: true, threads: 0 }),
        Action::End => e.w.control.flow = Want::is(flow::END),
        Action::Branch(f) => e.branch(*f),
        Action::Compute(c) => {
            let steps = c.steps();
            e.w.channels.goes_on = Want::is(step + 1 < steps.len());
            e.compute(&steps[step], chip.size);
        }
        Action::Transfer(t) => e.transfer(t),
    }
    e.w
}

/// The control word of a step as an instruction of its own, with 16 channels.
pub fn of_step(step: &Compute) -> ControlWord {
    let launch = Launch { pc: 1, registers: 0, options: Options::default() };
    let mut e = Encoder { w: ControlWord::default(), launch: &launch, sixteen: true };
    e.compute(step, Size::Sixteen);
    e.w
}

/// Code of the bits of a flag that a predicate is made of.
fn picked(p: Pick) -> u64 {
    match p {
        Pick::Own => pick::OWN,
        Pick::AnyOfBoth => pick::ANY_OF_BOTH,
        Pick::AllOfBoth => pick::ALL_OF_BOTH,
        Pick::Any(n) => pick::ANY_2 + 2 * (u64::from(n.trailing_zeros()) - 1),
        Pick::All(n) => pick::ALL_2 + 2 * (u64::from(n.trailing_zeros()) - 1),
        Pick::Component(_) => panic!("{p:?} is no predicate of a chip"),
    }
}

/// Code of what a step keeps.
fn code_of(t: Temporary) -> u64 {
    match t {
        Temporary::T => kept::T,
        Temporary::U => kept::U,
    }
}

struct Encoder<'a> {
    w: ControlWord,
    launch: &'a Launch,
    /// The instruction has 16 channels.
    sixteen: bool,
}

/// The fields of an operand.
struct Fields<'a> {
    kind: &'a mut Want,
    number: &'a mut Want,
    used: &'a mut Want,
    half: &'a mut Want,
    hi: &'a mut Want,
    region: &'a mut Want,
    sub: &'a mut Want,
    extend: &'a mut Want,
    more: &'a mut Want,
}

/// What an operand asks of the lane.
struct Signs<'a> {
    neg: &'a mut Want,
    abs: &'a mut Want,
    half: &'a mut Want,
}

impl Encoder<'_> {
    /// What every instruction says: its channels, and that it does nothing else.
    fn unused(&mut self, chip: &OnChip) {
        let (c, a, h) = (&mut self.w.control, &mut self.w.address, &mut self.w.channels);
        c.long = Want::is(chip.length == 16);
        h.size = Want::is(match chip.size {
            Size::One => size::ONE,
            Size::Four => size::FOUR,
            Size::Eight => size::EIGHT,
            Size::Sixteen => size::SIXTEEN,
        });
        (h.second, h.all) = (Want::is(chip.second), Want::is(chip.all));
        c.dst_kind = Want::is(Destination::None as u64);
        (c.s1_kind, c.s2_kind, c.s3_kind) = (Want::is(source1::GPR), Want::is(source23::GPR), Want::is(source23::GPR));
        for field in [
            &mut c.sfu, &mut c.mem, &mut c.passes, &mut c.flags_we, &mut c.marker, &mut c.use1, &mut c.use2,
            &mut c.use3, &mut a.base, &mut a.far, &mut a.indexed, &mut a.header, &mut h.pick, &mut h.pick_not,
            &mut h.chooses, &mut h.condition, &mut h.reverse, &mut h.field, &mut h.merge, &mut h.constants,
            &mut h.kept1, &mut h.kept2, &mut h.kept3, &mut h.keeps, &mut h.goes_on, &mut h.scalar, &mut h.scale,
            &mut h.block,
        ] {
            *field = Want::is(0u64);
        }
    }

    fn branch(&mut self, f: ChannelFlow) {
        let (code, target, hop) = match f {
            ChannelFlow::If { other } => (flow::IF, Some(other), None),
            ChannelFlow::Else { target } => (flow::ELSE, Some(target), None),
            ChannelFlow::Endif { hop } => (flow::ENDIF, None, Some(hop)),
            ChannelFlow::Break { exit: to, hop }
            | ChannelFlow::Continue { again: to, hop }
            | ChannelFlow::Halt { exit: to, hop }
            | ChannelFlow::BranchConverging { target: to, hop } => (flow::LEAVE, Some(to), Some(hop)),
            ChannelFlow::While { top } => (flow::WHILE, Some(top), None),
            ChannelFlow::BranchDiverging { target } => (flow::DIVERGE, Some(target), None),
            ChannelFlow::Jump { base } => (flow::JUMP, Some(base), None),
            other => panic!("{other:?} is no branch of a chip"),
        };
        self.w.control.flow = Want::is(code);
        if let Some(target) = target {
            self.w.control.target = self.launch.target(target);
        }
        if let Some(hop) = hop {
            self.w.channels.hop = self.launch.target(hop);
        }
    }

    fn fields(&mut self, n: usize) -> Fields<'_> {
        let (c, h) = (&mut self.w.control, &mut self.w.channels);
        let (kind, number, used, half, hi, region, sub, extend, more) = match n {
            0 => (
                &mut c.s1_kind, &mut c.r1, &mut c.use1, &mut c.s1_half, &mut c.s1_hi, &mut h.region1, &mut h.sub1,
                &mut h.extend1, &mut h.more1,
            ),
            1 => (
                &mut c.s2_kind, &mut c.r2, &mut c.use2, &mut c.s2_half, &mut c.s2_hi, &mut h.region2, &mut h.sub2,
                &mut h.extend2, &mut h.more2,
            ),
            _ => (
                &mut c.s3_kind, &mut c.r3, &mut c.use3, &mut c.s3_half, &mut c.s3_hi, &mut h.region3, &mut h.sub3,
                &mut h.extend3, &mut h.more3,
            ),
        };
        Fields { kind, number, used, half, hi, region, sub, extend, more }
    }

    /// Operand `n` of the lane.
    fn operand(&mut self, n: usize, o: &Operand) {
        let more = u64::from(self.sixteen);
        let (kind, register, byte, more) = match o.region {
            Region::Row { register, byte } => (region::ROW, register, byte, more),
            Region::Packed { register, byte } => (region::PACKED, register, byte, 0),
            Region::Scalar { register, byte } => (region::SCALAR, register, byte, 0),
            Region::Immediate(v) => return self.immediate(n, v),
            Region::Temporary(t) => return self.kept(n, t),
        };
        let words = o.ty.bits() == 16;
        let f = self.fields(n);
        *f.kind = Want::is(source1::GPR);
        (*f.number, *f.used, *f.more) = (Want::is(register), Want::is(1u64), Want::is(more));
        (*f.region, *f.sub) = (Want::is(kind), Want::is(byte / 4));
        (*f.half, *f.hi, *f.extend) = (Want::is(words), Want::is(byte >> 1 & 1), Want::is(o.extends));
    }

    /// Operand `n` is what an earlier step has kept.
    fn kept(&mut self, n: usize, t: Temporary) {
        let f = self.fields(n);
        (*f.kind, *f.half, *f.extend) = (Want::is(source1::GPR), Want::is(0u64), Want::is(0u64));
        let h = &mut self.w.channels;
        match n {
            0 => {
                assert_eq!(t, Temporary::U, "what operand a can be");
                h.kept1 = Want::is(1u64);
            }
            1 => h.kept2 = Want::is(code_of(t)),
            _ => h.kept3 = Want::is(code_of(t)),
        }
    }

    /// Operand `n` is the immediate.
    fn immediate(&mut self, n: usize, value: u32) {
        let c = &mut self.w.control;
        assert!(n < 2, "an immediate as operand {n}");
        (c.imm, c.s2_kind) = (Want::is(value), Want::is(source23::IMM));
        (c.s2_half, self.w.channels.extend2) = (Want::is(0u64), Want::is(0u64));
        if n == 0 {
            c.s1_kind = Want::is(source1::SECOND);
            (c.s1_half, self.w.channels.extend1) = (Want::is(0u64), Want::is(0u64));
        }
    }

    /// Minus and magnitude of an operand of the lane.
    fn signs(&mut self, n: usize, o: &Operand) {
        let alu = &mut self.w.alu;
        let s = match n {
            0 => Signs { neg: &mut alu.neg_a, abs: &mut alu.abs_a, half: &mut alu.half_a },
            1 => Signs { neg: &mut alu.neg_b, abs: &mut alu.abs_b, half: &mut alu.half_b },
            _ => Signs { neg: &mut alu.neg_c, abs: &mut alu.abs_c, half: &mut alu.half_c },
        };
        (*s.neg, *s.abs) = (Want::is(o.neg), Want::is(o.abs));
        if o.ty.is_float() {
            *s.half = Want::is(0u64);
        }
    }

    fn compute(&mut self, c: &Compute, channels: Size) {
        // Places of the sources in the lane.
        let places = match c.operation {
            Operation::Fused => [2, 0, 1],
            Operation::Extract => [2, 1, 0],
            Operation::Mask => [2, 1, 0],
            _ => [0, 1, 2],
        };
        for (s, place) in c.sources.iter().zip(places) {
            if let Some(s) = s {
                self.operand(place, s);
            }
        }
        self.operation(c);
        let (to, h) = (&mut self.w.control, &mut self.w.channels);
        to.dst_half = Want::is(c.ty.bits() == 16);
        if let Some(at) = c.to {
            (to.dst_kind, to.dst) = (Want::is(Destination::Gpr as u64), Want::is(at.register));
            to.dst_hi = Want::is(at.byte >> 1 & 1);
            h.more = Want::is(self.sixteen);
        }
        h.scalar = Want::is(channels == Size::One && c.keeps.is_none());
        h.keeps = Want::is(c.keeps.map_or(kept::NONE, code_of));
        if channels == Size::One && c.to.is_some() {
            h.to = Want::is(c.to.map_or(0, |at| at.byte / 4));
        }
        if let Some(code) = c.condition {
            (to.flags_we, to.cdst) = (Want::is(1u64), Want::is(c.flag));
            h.condition = Want::is(code);
            let compares = matches!(c.operation, Operation::Compare(_));
            h.is_float = Want::is(c.ty.is_float() && !compares);
            if !compares {
                h.is_signed = Want::is(c.ty.is_signed() && !c.ty.is_float());
            }
        }
    }

    /// How a float result is formed.
    fn float_result(&mut self, c: &Compute, round: Round) {
        let alu = &mut self.w.alu;
        let tiny = if c.denormals { tiny::KEEP } else { tiny::FLUSH_ROUNDED };
        (alu.flush, alu.tiny) = (Want::is(!c.denormals), Want::is(tiny));
        (alu.round, alu.sat) = (Want::is(rounding(round)), Want::is(c.saturate));
        alu.format = Want::is(format::F32);
    }

    /// The integers of a sum or product, and what becomes of it.
    fn integer_result(&mut self, c: &Compute, sources: [&Operand; 2]) {
        let alu = &mut self.w.alu;
        [alu.signed_a, alu.signed_b] = sources.map(|s| Want::is(s.ty.is_signed()));
        (alu.shift, alu.from) = (Want::is(0u64), Want::low(0, 4));
        alu.sat = Want::is(c.saturate);
        if c.saturate {
            alu.to = Want::is(integer(c.ty));
        }
    }

    fn compared(&mut self, c: &Compute, cond: Cond, float: bool) {
        let alu = &mut self.w.alu;
        (alu.op, alu.cond) = (Want::is(op::CHOOSE), Want::low(cond.0.into(), if float { 31 } else { 7 }));
        alu.float = Want::is(float);
        match float {
            true => alu.flush = Want::is(1u64),
            false => alu.signed_a = Want::is(c.signed),
        }
    }

    fn operation(&mut self, c: &Compute) {
        let s = |n: usize| c.sources[n].unwrap_or_else(|| panic!("source {n} of {:?}", c.operation));
        let float = s(0).ty.is_float();
        let code = |e: &mut Self, code: u64| e.w.alu.op = Want::is(code);
        match c.operation {
            Operation::Move => code(self, op::MOVE),
            Operation::Convert => {
                self.signs(0, &s(0));
                self.convert(c, &s(0));
            }
            Operation::Add => {
                self.signs(0, &s(0));
                self.signs(1, &s(1));
                code(self, if float { op::FADD } else { op::ADD });
                match float {
                    true => self.float_result(c, c.round),
                    false => self.integer_result(c, [&s(0), &s(1)]),
                }
            }
            Operation::Multiply if float => {
                self.signs(0, &s(0));
                self.signs(1, &s(1));
                code(self, op::FMUL);
                self.w.alu.zero_product = Want::is(0u64);
                self.float_result(c, Round::Nearest);
            }
            Operation::Multiply => {
                code(self, op::MUL);
                // Operand c, which is added, is 0: no register is read.
                let alu = &mut self.w.alu;
                (alu.high, alu.accumulate) = (Want::is(0u64), Want::is(0u64));
                (alu.neg_a, alu.neg_c) = (Want::is(0u64), Want::is(0u64));
                self.integer_result(c, [&s(0), &s(1)]);
            }
            Operation::Fused => {
                self.signs(2, &s(0));
                self.signs(0, &s(1));
                self.signs(1, &s(2));
                code(self, op::FMA);
                self.w.alu.zero_product = Want::is(0u64);
                self.float_result(c, Round::Nearest);
            }
            Operation::Logic(table) => self.logic(table),
            Operation::ShiftLeft | Operation::ShiftRight | Operation::ShiftRightUnsigned => {
                let left = c.operation == Operation::ShiftLeft;
                code(self, if left { op::SHIFT_LEFT } else { op::SHIFT_RIGHT });
                let alu = &mut self.w.alu;
                alu.count = Want::is(count::MOD_32);
                if !left {
                    let signed = c.operation == Operation::ShiftRight && s(0).ty.is_signed();
                    (alu.high, alu.accumulate, alu.signed_a) = (Want::is(0u64), Want::is(0u64), Want::is(signed));
                }
            }
            Operation::Reverse => {
                code(self, op::MOVE);
                self.w.channels.reverse = Want::is(1u64);
            }
            Operation::Extract => {
                code(self, op::EXTRACT);
                (self.w.alu.reverse, self.w.alu.signed_a) = (Want::is(0u64), Want::is(s(2).ty.is_signed()));
                self.w.channels.field = Want::is(1u64);
            }
            Operation::Mask => {
                code(self, op::INSERT);
                self.w.alu.high = Want::is(0u64);
                self.w.channels.field = Want::is(1u64);
                self.w.channels.constants = Want::is(constants::MASK);
            }
            Operation::Merge => {
                self.logic(0b1100);
                self.w.channels.merge = Want::is(1u64);
            }
            Operation::Compare(cond) => {
                self.compared(c, cond, float);
                if float {
                    self.signs(0, &s(0));
                    self.signs(1, &s(1));
                }
                self.w.channels.constants = Want::is(constants::TRUTH);
            }
            Operation::Choose(cond) => {
                self.compared(c, cond, float);
                if float {
                    self.signs(0, &s(0));
                    self.signs(1, &s(1));
                }
                self.w.channels.constants = Want::is(constants::SAME);
            }
            Operation::Known => {
                let alu = &mut self.w.alu;
                (alu.op, alu.float) = (Want::is(op::COMPARE_SELECT), Want::is(1u64));
                alu.cond = Want::low((Cond::LESS | Cond::EQUAL | Cond::GREATER).into(), 31);
                self.operand(2, &s(0));
            }
            Operation::Select => {
                code(self, op::SELECT);
                self.w.channels.chooses = Want::is(1u64);
            }
            Operation::LeadingZeros | Operation::FindHigh | Operation::FindLow => {
                code(self, op::FIND);
                let alu = &mut self.w.alu;
                let signed = c.operation == Operation::FindHigh && s(0).ty.is_signed();
                (alu.reverse, alu.neg_a, alu.signed_a) = (Want::is(1u64), Want::is(0u64), Want::is(signed));
                // 32 where there is none.
                alu.sat = Want::is(c.operation == Operation::LeadingZeros);
                self.w.channels.reverse = Want::is(c.operation == Operation::FindLow);
            }
            Operation::CountOnes => {
                code(self, op::COUNT);
                self.w.alu.neg_a = Want::is(0u64);
                if let Region::Immediate(_) = s(0).region {
                    // Both operands are the number.
                    self.w.alu.neg_b = Want::is(0u64);
                } else {
                    // Every bit of the number 0 is inverted.
                    self.immediate(1, 0);
                    self.w.alu.neg_b = Want::is(1u64);
                }
            }
            Operation::Round(round) => {
                code(self, op::F2F);
                self.signs(0, &s(0));
                self.float_result(c, round);
                self.w.alu.integral = Want::is(1u64);
            }
            Operation::FromHalf | Operation::ToHalf => {
                code(self, op::F2F);
                self.signs(0, &s(0));
                self.float_result(c, Round::Nearest);
                let (alu, from) = (&mut self.w.alu, c.operation == Operation::FromHalf);
                (alu.half_a, alu.integral) = (Want::is(from), Want::is(0u64));
                if from {
                    alu.flush = Want::default();
                } else {
                    (alu.format, alu.tiny) = (Want::is(format::F16), Want::default());
                }
            }
            Operation::Special(f) => self.special(f, c),
            Operation::Root
            | Operation::Quotient
            | Operation::Power
            | Operation::Fraction
            | Operation::Blend
            | Operation::Average
            | Operation::Best(_) => panic!("{:?} is no step", c.operation),
        }
    }

    fn logic(&mut self, table: u8) {
        let alu = &mut self.w.alu;
        (alu.op, alu.table) = (Want::is(op::LOGIC), Want::is(table));
        (alu.neg_a, alu.neg_b) = (Want::is(0u64), Want::is(0u64));
    }

    /// Between the types of the source and of the result.
    fn convert(&mut self, c: &Compute, from: &Operand) {
        let alu = &mut self.w.alu;
        let wide = integer(Type::int(32, from.ty.is_signed()));
        match (from.ty.is_float(), c.ty.is_float()) {
            (true, true) => {
                (alu.op, alu.integral) = (Want::is(op::F2F), Want::is(0u64));
                self.float_result(c, Round::Nearest);
            }
            (true, false) => {
                (alu.op, alu.to) = (Want::is(op::F2I), Want::is(integer(c.ty)));
                (alu.round, alu.sat) = (Want::is(rounding(Round::Zero)), Want::is(0u64));
            }
            (false, true) => {
                (alu.op, alu.from, alu.sat) = (Want::is(op::I2F), Want::is(wide), Want::is(c.saturate));
                (alu.round, alu.format) = (Want::is(rounding(Round::Nearest)), Want::is(format::F32));
            }
            (false, false) => {
                (alu.op, alu.from, alu.to) = (Want::is(op::CONVERT), Want::is(wide), Want::is(integer(c.ty)));
                alu.sat = Want::is(c.saturate);
            }
        }
    }

    /// A function of the special-function units; the lane reduces its operand, or passes it on.
    fn special(&mut self, f: Function, c: &Compute) {
        let (code, reduced) = match f {
            Function::Inv => (function::RCP, op::MOVE),
            Function::Log => (function::LG2, op::MOVE),
            Function::Exp => (function::EX2, op::RRO_EX2),
            Function::Rsq => (function::RSQ, op::MOVE),
            Function::Sin => (function::SIN, op::RRO_SIN),
            Function::Cos => (function::COS, op::RRO_SIN),
            Function::Root => (function::RSQ | ROOT, op::MOVE),
        };
        let x = c.sources[0].unwrap_or_else(|| panic!("source of {f:?}"));
        self.signs(0, &x);
        let alu = &mut self.w.alu;
        (alu.op, alu.table) = (Want::is(reduced), Want::is(code));
        (alu.sat, alu.format, alu.flush) = (Want::is(0u64), Want::is(format::F32), Want::is(1u64));
        self.w.control.sfu = Want::is(c.to.is_some() || c.keeps.is_some());
    }

    fn transfer(&mut self, t: &Transfer) {
        let shared = t.space == Space::Shared;
        let row = |register: u8| Operand {
            region: Region::Row { register, byte: 0 },
            ty: Type::U32,
            extends: false,
            neg: false,
            abs: false,
        };
        let first = match t.block {
            true => Operand { region: Region::Scalar { register: t.address, byte: 8 }, ..row(0) },
            false => row(t.address),
        };
        self.operand(0, &first);
        let all = Want::is(t.components * t.each - 1);
        if t.write {
            self.operand(2, &row(t.data));
            self.w.channels.more3 = all;
        } else {
            let c = &mut self.w.control;
            (c.dst_kind, c.dst) = (Want::is(Destination::Gpr as u64), Want::is(t.data));
            c.dst_half = Want::is(0u64);
            self.w.channels.more = all;
        }
        let (operand, size) = match t.bytes {
            1 => (0u64, 0u64),
            2 => (1, 2),
            _ => (3, 6),
        };
        let c = &mut self.w.control;
        c.mem = memory(t.space, !t.write);
        c.mem_size = Want::is(size);
        if shared && !t.write {
            (c.s1_kind, c.s1_size) = (Want::is(source1::SHARED), Want::is(operand));
            self.w.alu.op = Want::is(op::MOVE);
        }
        c.passes = Want::is(match t.components {
            1 => 0u64,
            2 => 1,
            3 => 3,
            _ => 2,
        });
        c.imm = Want::is(0u64);
        self.w.address.base = Want::is(1u64);
        (self.w.channels.scale, self.w.channels.block) = (Want::is(t.scale), Want::is(t.block));
    }
}

// The flag of a comparison keeps its result, as the set's description of chips has it.
const _: () = assert!(condition::NOT_ZERO == warpsmith_isa::ivb::chip::NOT_ZERO as u64);
