//! Float operations, conversions and special functions.

use super::Select;
use crate::ir::{self, MemTy, Op, Operand};
use crate::mir::{Dst, Guard, Inst, Src, Word};
use warpsmith_isa::{self as isa, FloatType, IntType, LogicOp, SfuFn, Width};

impl<'a> Select<'a> {
    /// Selects for a float operation; false when it is none.
    pub fn float(&mut self, i: &'a ir::Inst, w: Word, guard: Option<Guard>) -> bool {
        let s = |n: usize| i.src.get(n).copied().unwrap_or(Operand::Imm(0));
        let (op, src) = match i.op {
            Op::FAdd { round, sat } => {
                let ((a, na), (b, nb)) = (self.negation(s(0)), self.negation(s(1)));
                let ([x, y], swap) = self.pair(a, b);
                let (neg_a, neg_b) = if swap { (nb, na) } else { (na, nb) };
                let op = isa::Op::FAdd { neg_a, neg_b, round, sat };
                (op, [x, y, Src::None])
            }
            Op::FMul { round } => {
                let ((a, na), (b, nb)) = (self.negation(s(0)), self.negation(s(1)));
                let ([x, y], swap) = self.pair(a, b);
                let (neg_a, neg_b) = if swap { (nb, na) } else { (na, nb) };
                let op = isa::Op::FMul { neg_a, neg_b, round };
                (op, [x, y, Src::None])
            }
            Op::FMad { sat } => {
                let (a, na) = self.negation(s(0));
                let (b, nb) = self.negation(s(1));
                let (c, neg_c) = self.negation(s(2));
                // One source may be in constant memory: the second or the third.
                let third = match c {
                    Operand::Imm(0) => Src::Zero,
                    Operand::Imm(_) if !matches!(a, Operand::Imm(_)) && !matches!(b, Operand::Imm(_)) => self.other(c),
                    _ => self.plain(c),
                };
                let ([x, y], _) = if matches!(third, Src::Imm(_) | Src::Const(..)) {
                    self.pair_in_registers(a, b)
                } else {
                    self.pair(a, b)
                };
                let op = isa::Op::FMad { neg_ab: na ^ nb, neg_c, sat };
                (op, [x, y, third])
            }
            Op::FMin | Op::FMax => {
                let (a, b) = (self.signs(s(0)), self.signs(s(1)));
                let ([x, y], swap) = self.pair(a.operand, b.operand);
                let (a, b) = if swap { (b, a) } else { (a, b) };
                let op =
                    isa::Op::FMinMax { max: i.op == Op::FMax, neg_a: a.neg, abs_a: a.abs, neg_b: b.neg, abs_b: b.abs };
                (op, [x, y, Src::None])
            }
            // The sign alone, also of NaN and denormals.
            Op::FNeg | Op::FAbs => {
                let x = self.first(s(0));
                let (op, mask) =
                    if i.op == Op::FNeg { (LogicOp::Xor, 0x8000_0000) } else { (LogicOp::And, 0x7fff_ffff) };
                let op = isa::Op::Logic { op, not_a: false, not_b: false, width: Width::W32 };
                (op, [x, Src::Imm(mask), Src::None])
            }
            Op::FSat | Op::FRound(_) => {
                let a = self.signs(s(0));
                let x = self.first(a.operand);
                let (round, to_int) = match i.op {
                    Op::FRound(r) => (r, true),
                    _ => (isa::Round::Nearest, false),
                };
                let op = isa::Op::F2F {
                    dst: FloatType::F32,
                    src: FloatType::F32,
                    round,
                    to_int,
                    neg: a.neg,
                    abs: a.abs,
                    sat: i.op == Op::FSat,
                };
                (op, [x, Src::None, Src::None])
            }
            Op::Rcp | Op::Rsq | Op::Lg2 => {
                let a = self.signs(s(0));
                let x = self.plain(a.operand);
                let func = match i.op {
                    Op::Rcp => SfuFn::Rcp,
                    Op::Rsq => SfuFn::Rsq,
                    _ => SfuFn::Lg2,
                };
                let op = isa::Op::Sfu { func, neg: a.neg, abs: a.abs, sat: false };
                (op, [x, Src::None, Src::None])
            }
            Op::Sin | Op::Cos | Op::Ex2 => {
                let x = self.plain(s(0));
                let func = match i.op {
                    Op::Sin => SfuFn::Sin,
                    Op::Cos => SfuFn::Cos,
                    _ => SfuFn::Ex2,
                };
                let op = isa::Op::Sfu { func, neg: false, abs: false, sat: false };
                (op, [x, Src::None, Src::None])
            }
            Op::RroSin | Op::RroEx2 => {
                let a = self.signs(s(0));
                let x = self.plain(a.operand);
                let op = isa::Op::Rro { ex2: i.op == Op::RroEx2, neg: a.neg, abs: a.abs };
                (op, [x, Src::None, Src::None])
            }
            Op::IntToF { signed, round } => {
                let (src, x) = self.integer_source(s(0), signed);
                let op = isa::Op::I2F { dst: FloatType::F32, src, round, neg: false, abs: false, sat: false };
                (op, [x, Src::None, Src::None])
            }
            Op::FToInt { signed, round } => {
                let a = self.signs(s(0));
                let x = self.first(a.operand);
                let op = isa::Op::F2I {
                    dst: if signed { IntType::S32 } else { IntType::U32 },
                    src: FloatType::F32,
                    round,
                    neg: a.neg,
                    abs: a.abs,
                };
                (op, [x, Src::None, Src::None])
            }
            Op::FToHalf(round) => {
                let x = self.first(s(0));
                let half = self.fresh();
                self.move_to(Operand::Imm(0), half, None);
                let op = f2f(FloatType::F16, FloatType::F32, round);
                let mut convert = Inst::new(op, Dst::Half(half, false), [x, Src::None, Src::None], self.loc);
                convert.guard = None;
                self.push(convert);
                self.emit_under(super::operand::mov(), w, [Src::Word(half), Src::None, Src::None], guard);
                return true;
            }
            Op::HalfToF => {
                let x = self.half(s(0));
                let x = match x {
                    Src::Imm16(_) => Src::Half(self.reg(s(0)), false),
                    other => other,
                };
                let op = f2f(FloatType::F32, FloatType::F16, isa::Round::Nearest);
                (op, [x, Src::None, Src::None])
            }
            _ => return false,
        };
        self.emit_under(op, w, src, guard);
        true
    }

    /// Two operands of a product whose third source is in constant memory.
    fn pair_in_registers(&mut self, a: Operand, b: Operand) -> ([Src; 2], bool) {
        let swap = !self.is_shared_operand(a) && self.is_shared_operand(b);
        let (x, y) = if swap { (b, a) } else { (a, b) };
        let second = self.plain(y);
        let first = self.first(x);
        ([first, second], swap)
    }

    /// Source of an integer conversion, with an extension in front of it taken in.
    fn integer_source(&mut self, o: Operand, signed: bool) -> (IntType, Src) {
        if let Some(i) = self.held(o) {
            match i.op {
                Op::Ext(MemTy::U16) => return (IntType::U16, self.half_in_register(i.src[0])),
                Op::Ext(MemTy::S16) if signed => return (IntType::S16, self.half_in_register(i.src[0])),
                Op::Ext(MemTy::U8) => return (IntType::U8, self.plain(i.src[0])),
                Op::Ext(MemTy::S8) if signed => return (IntType::S8, self.plain(i.src[0])),
                _ => {}
            }
        }
        let ty = if signed { IntType::S32 } else { IntType::U32 };
        (ty, self.plain(o))
    }

    /// The low half of an operand, never an immediate.
    pub fn half_in_register(&mut self, o: Operand) -> Src {
        match self.half(o) {
            Src::Imm16(_) => Src::Half(self.reg(o), false),
            other => other,
        }
    }
}

fn f2f(dst: FloatType, src: FloatType, round: isa::Round) -> isa::Op {
    isa::Op::F2F { dst, src, round, to_int: false, neg: false, abs: false, sat: false }
}
