//! The result of one micro-operation in one lane.

use super::ieee::{self, Value};
use super::read::{bits, float, number, result, whole, Number};
use super::special;
use std::cmp::Ordering;
use warpsmith_isa::uop::{Cond, Op, Product, Src, Type, Uop};

/// Evaluates a micro-operation that touches nothing but its operands: bits of destination 0 and 1.
/// `raw` has the bits of each source as they lie in their places; missing ones read 0. Operations with
/// an effect on memory, lanes or flow give 0.
pub fn eval(uop: &Uop, raw: &[u64]) -> [u64; 2] {
    let inputs = Inputs { uop, raw };
    match uop.op {
        Op::Compare { cond, combine } => inputs.compare(cond, combine),
        Op::PredicateLogic { first, second } => inputs.predicates(first, second),
        _ => [inputs.single(), 0],
    }
}

/// Whether a condition holds for the first two sources of a micro-operation.
pub fn holds(uop: &Uop, raw: &[u64], cond: Cond) -> bool {
    Inputs { uop, raw }.holds(cond)
}

/// Sources of a micro-operation with their bits.
struct Inputs<'a> {
    uop: &'a Uop,
    raw: &'a [u64],
}

/// What a source that is not there reads as.
const ABSENT: Src = Src::immediate(0, Type::U32);

impl Inputs<'_> {
    fn src(&self, n: usize) -> (&Src, u64) {
        (self.uop.src.get(n).unwrap_or(&ABSENT), self.raw.get(n).copied().unwrap_or(0))
    }

    fn bits(&self, n: usize) -> u64 {
        let (s, raw) = self.src(n);
        bits(s, raw)
    }

    fn int(&self, n: usize) -> i128 {
        let (s, raw) = self.src(n);
        whole(s, raw)
    }

    fn float(&self, n: usize) -> Value {
        let (s, raw) = self.src(n);
        float(s, raw)
    }

    fn number(&self, n: usize) -> Number {
        let (s, raw) = self.src(n);
        number(s, raw)
    }

    fn ty(&self, n: usize) -> Type {
        self.src(n).0.ty
    }

    /// Whether the operation is one of floats: its first source is one.
    fn floats(&self) -> bool {
        self.ty(0).is_float()
    }

    fn finish(&self, n: Number) -> u64 {
        result(self.uop.ty, self.uop.mode, self.uop.saturate, n)
    }

    /// Bits as a result, without rounding.
    fn keep(&self, bits: u64) -> u64 {
        bits & self.uop.ty.mask()
    }

    /// A shift count of at most 127.
    fn count(&self, n: usize, mask: u32) -> u32 {
        (self.int(n) as u32 & mask).min(127)
    }

    fn single(&self) -> u64 {
        let round = self.uop.mode.round;
        match self.uop.op {
            Op::Move => self.moved(),
            Op::Convert => self.finish(self.number(0)),
            Op::RoundToIntegral => self.finish(Number::Float(ieee::to_integral(self.float(0), round))),
            Op::Add if self.floats() => self.finish(Number::Float(ieee::add(self.float(0), self.float(1), round))),
            Op::Add => self.finish(Number::Int(self.int(0) + self.int(1) + self.int(2))),
            Op::Mul if self.floats() => self.finish(Number::Float(self.product())),
            Op::Mul => self.finish(Number::Int(self.int(0) * self.int(1))),
            Op::MulHigh => self.finish(Number::Int(self.high())),
            Op::MulAdd if self.floats() => {
                let product = match self.uop.mode.product {
                    Product::Exact => self.product(),
                    Product::CutOff => ieee::cut_off(self.uop.ty, self.product()),
                };
                let sum = ieee::add(product, self.float(2), round);
                self.finish(Number::Float(sum))
            }
            Op::MulAdd => self.finish(Number::Int(self.int(0) * self.int(1) + self.int(2))),
            Op::Quotient => match self.int(1) {
                0 => self.uop.ty.mask(),
                b => self.finish(Number::Int(self.int(0) / b)),
            },
            Op::Remainder => match self.int(1) {
                0 => self.finish(Number::Int(self.int(0))),
                b => self.finish(Number::Int(self.int(0) % b)),
            },
            Op::Min => self.extreme(false),
            Op::Max => self.extreme(true),
            Op::Select if self.bits(2) & 1 == 1 => self.keep(self.bits(0)),
            Op::Select => self.keep(self.bits(1)),
            Op::CompareSelect(cond) if self.holds(cond) => self.keep(self.bits(2)),
            Op::CompareSelect(_) => self.keep(self.bits(3)),
            Op::Logic(table) => self.keep(logic(table, self.bits(0), self.bits(1))),
            Op::ShiftLeft { mask } => {
                // 64 bits of result see nothing of a shift by more.
                let n = self.count(1, mask);
                let v = self.int(0);
                let out = if n < 64 { v << n } else { 0 };
                self.finish(Number::Int(out))
            }
            Op::ShiftRight { mask } => self.finish(Number::Int(self.int(0) >> self.count(1, mask))),
            Op::Extract => self.extract(),
            Op::Insert => self.insert(),
            Op::ShiftPair { mask } => {
                let width = self.ty(0).bits();
                let pair = u128::from(self.bits(1)) << width | u128::from(self.bits(0));
                self.keep((pair >> self.count(2, mask)) as u64)
            }
            Op::Reverse => {
                let width = self.ty(0).bits();
                self.keep(self.bits(0).reverse_bits() >> (64 - width))
            }
            Op::CountOnes => self.finish(Number::Int(self.bits(0).count_ones().into())),
            Op::FindHigh { from_top } => self.find_high(from_top),
            Op::FindLow => match self.bits(0) {
                0 => self.uop.ty.mask(),
                v => self.keep(v.trailing_zeros().into()),
            },
            Op::Interleave => self.keep(spread(self.bits(0)) | spread(self.bits(1)) << 1),
            Op::Special(f) => {
                let word = special::apply(f, self.bits(0) as u32, self.uop.mode.nan);
                match self.uop.saturate {
                    true => ieee::saturate(Type::F32, word.into()),
                    false => word.into(),
                }
            }
            _ => 0,
        }
    }

    fn moved(&self) -> u64 {
        let (s, raw) = self.src(0);
        if s.ty.is_float() || self.uop.ty.is_float() {
            return self.keep(bits(s, raw));
        }
        self.finish(Number::Int(whole(s, raw)))
    }

    fn product(&self) -> Value {
        let (a, b) = (self.float(0), self.float(1));
        match self.uop.mode.zero_product && (a.is_zero() || b.is_zero()) {
            true => Value::ZERO,
            false => ieee::multiply(a, b),
        }
    }

    fn high(&self) -> i128 {
        (self.int(0) * self.int(1)) >> self.uop.ty.bits()
    }

    fn extreme(&self, max: bool) -> u64 {
        if !self.floats() {
            let (a, b) = (self.int(0), self.int(1));
            return self.finish(Number::Int(if max { a.max(b) } else { a.min(b) }));
        }
        let (a, b) = (self.float(0), self.float(1));
        let first = match (a, b) {
            (Value::Nan, _) => false,
            (_, Value::Nan) => true,
            _ => {
                // Equal numbers differ at most in the sign of a zero.
                let order = ieee::compare(a, b).unwrap_or(Ordering::Equal);
                let order = order.then(b.is_negative().cmp(&a.is_negative()));
                (order == Ordering::Greater) == max
            }
        };
        self.finish(Number::Float(if first { a } else { b }))
    }

    fn holds(&self, cond: Cond) -> bool {
        let outcome = match (self.number(0), self.number(1)) {
            (Number::Int(a), Number::Int(b)) => outcome(a.cmp(&b)),
            _ => {
                let (a, b) = (self.float(0), self.float(1));
                match ieee::compare(a, b) {
                    Some(order) => outcome(order),
                    None if a == Value::Nan => Cond::NAN_A,
                    None => Cond::NAN_B,
                }
            }
        };
        cond.0 & outcome != 0
    }

    fn compare(&self, cond: Cond, combine: u8) -> [u64; 2] {
        let t = self.holds(cond);
        let combined = |t: bool| match self.uop.src.len() {
            0..=2 => t,
            _ => table(combine, t, self.bits(2) & 1 == 1),
        };
        let all = |t: bool| if t { self.uop.ty.mask() } else { 0 };
        [all(combined(t)), all(combined(!t))]
    }

    fn predicates(&self, first: u8, second: u8) -> [u64; 2] {
        let bit = |n: usize| self.bits(n) & 1 == 1;
        let t = table(first, bit(0), bit(1));
        [table(second, t, bit(2)).into(), table(second, !t, bit(2)).into()]
    }

    fn extract(&self) -> u64 {
        let ty = self.ty(0);
        let (at, width) = (self.bits(1).min(127), self.bits(2).min(64) as u32);
        if width == 0 {
            return 0;
        }
        let value = self.int(0) >> at;
        let low = value & ((1i128 << width) - 1);
        let negative = ty.is_signed() && low >> (width - 1) & 1 == 1;
        let extended = if negative { low - (1i128 << width) } else { low };
        self.finish(Number::Int(extended))
    }

    fn insert(&self) -> u64 {
        let (at, width) = (self.bits(2), self.bits(3).min(64));
        let field = (1u128 << width) - 1;
        let (mask, value) = match at {
            0..=63 => (field << at, (u128::from(self.bits(1)) & field) << at),
            _ => (0, 0),
        };
        self.keep((u128::from(self.bits(0)) & !mask | value) as u64)
    }

    fn find_high(&self, from_top: bool) -> u64 {
        let ty = self.ty(0);
        let v = ty.integer(self.bits(0));
        let seen = if v < 0 { !v } else { v } as u64;
        if seen == 0 {
            return self.uop.ty.mask();
        }
        let index = 63 - seen.leading_zeros();
        let n = if from_top { ty.bits() - 1 - index } else { index };
        self.keep(n.into())
    }
}

fn outcome(order: Ordering) -> u8 {
    match order {
        Ordering::Less => Cond::LESS,
        Ordering::Equal => Cond::EQUAL,
        Ordering::Greater => Cond::GREATER,
    }
}

/// Bit `a + 2 b` of a truth table.
fn table(table: u8, a: bool, b: bool) -> bool {
    table >> (u8::from(a) + 2 * u8::from(b)) & 1 == 1
}

/// A truth table over all bits.
fn logic(table: u8, a: u64, b: u64) -> u64 {
    let term = |bit: u8, v: u64| if table >> bit & 1 == 1 { v } else { 0 };
    term(0, !a & !b) | term(1, a & !b) | term(2, !a & b) | term(3, a & b)
}

/// The low 16 bits at even places.
fn spread(v: u64) -> u64 {
    (0..16).map(|i| (v >> i & 1) << (2 * i)).sum()
}
