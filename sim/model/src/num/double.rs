//! Floats of 64 bits of SM 1.3: sums and products rounded once, comparison, conversions from and to integers and single
//! precision. Denormals are kept everywhere.
//!
//! A NaN that a result is made of stays what it is but for its quiet bit, signs of the operation aside; an operation on
//! numbers that has no result gives [`NONE`].

use super::{O, S, Z};
use crate::uop::ieee::{self, Value};
use std::cmp::Ordering;
use warpsmith_isa::uop::{self, FloatMode, Tiny, Type};
use warpsmith_isa::{Number, Op, Round};

/// What an operation on numbers gives that has no result.
pub const NONE: u64 = 0xfff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const QUIET: u64 = 1 << 51;

/// Whether it is no number.
pub fn is_nan(x: u64) -> bool {
    x & !SIGN > 0x7ff << 52
}

/// The absolute value, then the opposite; a NaN becomes quiet and keeps its sign.
pub fn modify(x: u64, abs: bool, neg: bool) -> u64 {
    match is_nan(x) {
        true => x | QUIET,
        false => (if abs { x & !SIGN } else { x }) ^ (u64::from(neg) << 63),
    }
}

/// Zero and sign: a NaN has both, a zero no sign.
pub fn flags(x: u64) -> u8 {
    match x {
        _ if is_nan(x) => Z | S,
        _ if x & !SIGN == 0 => Z,
        _ if x & SIGN != 0 => S,
        _ => 0,
    }
}

fn rounding(round: Round) -> uop::Round {
    match round {
        Round::Nearest => uop::Round::Nearest,
        Round::Down => uop::Round::Down,
        Round::Up => uop::Round::Up,
        Round::Zero => uop::Round::Zero,
    }
}

fn pack(ty: Type, value: Value, round: Round) -> u64 {
    let mode = FloatMode { round: rounding(round), tiny: Tiny::Keep, ..FloatMode::default() };
    match (value, ty) {
        (Value::Nan, Type::F64) => NONE,
        _ => ieee::pack(ty, value, mode),
    }
}

fn unpack(x: u64) -> Value {
    ieee::unpack(Type::F64, x)
}

/// The first NaN, or the sum of operands as [`modify`] gives them.
pub fn add(a: u64, b: u64, round: Round) -> u64 {
    let sum = || pack(Type::F64, ieee::add(unpack(a), unpack(b), rounding(round)), round);
    [b, a].into_iter().find(|x| is_nan(*x)).unwrap_or_else(sum)
}

/// The same of the product.
pub fn mul(a: u64, b: u64, round: Round) -> u64 {
    let product = || pack(Type::F64, ieee::multiply(unpack(a), unpack(b)), round);
    [b, a].into_iter().find(|x| is_nan(*x)).unwrap_or_else(product)
}

/// The same of the product and a sum, rounded once.
pub fn fma(a: u64, b: u64, c: u64, round: Round) -> u64 {
    let all = || {
        let product = ieee::multiply(unpack(a), unpack(b));
        pack(Type::F64, ieee::add(product, unpack(c), rounding(round)), round)
    };
    [b, c, a].into_iter().find(|x| is_nan(*x)).unwrap_or_else(all)
}

/// The smaller or larger one, -0 below +0; of a NaN and a number the number, of two NaNs the second.
pub fn min_max(max: bool, a: u64, b: u64) -> u64 {
    // In the order of numbers.
    let key = |x: u64| if x & SIGN != 0 { !x } else { x | SIGN };
    match (is_nan(a), is_nan(b)) {
        (true, _) => b,
        (_, true) => a,
        _ if (key(a) > key(b)) == max => a,
        _ => b,
    }
}

/// Whether a relation holds: bit 0 less, 1 equal, 2 greater, 3 unordered.
pub fn holds(cond: u8, a: u64, b: u64) -> bool {
    let bit = match ieee::compare(unpack(a), unpack(b)) {
        Some(Ordering::Less) => 0,
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        None => 3,
    };
    cond >> bit & 1 == 1
}

/// What a conversion does.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// Type of the result.
    pub to: Number,
    /// Type of the operand.
    pub from: Number,
    /// To an integral value.
    pub to_int: bool,
    /// Rounding.
    pub round: Round,
    /// The opposite of the operand, after its absolute value.
    pub neg: bool,
    /// Its absolute value.
    pub abs: bool,
}

impl Conversion {
    /// The number of another type, and flags.
    pub fn of(self, x: u64) -> (u64, u8) {
        match (self.from.is_float(), self.to.is_float()) {
            (true, true) => self.float(x),
            (true, false) => self.to_integer(x),
            (false, _) => self.integer(x),
        }
    }

    /// A float read as one of 64 bits, which of 32 bits is exact.
    fn read(self, x: u64) -> u64 {
        let wide = match self.from {
            Number::F32 if x & 0x7fff_ffff > 0x7f80_0000 => (x >> 31) << 63 | 0x7ff << 52 | (x & 0x7f_ffff) << 29,
            Number::F32 => pack(Type::F64, ieee::unpack(Type::F32, x), Round::Nearest),
            _ => x,
        };
        modify(wide, self.abs, self.neg)
    }

    fn float(self, x: u64) -> (u64, u8) {
        let x = self.read(x);
        if is_nan(x) {
            return match self.to {
                Number::F32 => ((x >> 63) << 31 | 0x7f80_0000 | x >> 29 & 0x7f_ffff, Z | S),
                _ => (x, Z | S),
            };
        }
        let value = match self.to_int {
            true => ieee::to_integral(unpack(x), rounding(self.round)),
            false => unpack(x),
        };
        self.written(value)
    }

    fn to_integer(self, x: u64) -> (u64, u8) {
        let bits = self.to.bits();
        let mask = u64::MAX >> (64 - bits);
        let (r, outside) = match ieee::to_integer(unpack(self.read(x)), rounding(self.round)) {
            None => (1 << (bits - 1), true),
            Some(v) => {
                let (low, high) = match self.to.is_signed() {
                    true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                // Nothing is said of an unsigned result of 64 bits that is too large.
                let outside = v < low || v > high && self.to != Number::U64;
                (v.clamp(low, high) as u64 & mask, outside)
            }
        };
        let sign = if r >> (bits - 1) & 1 == 1 { S } else { 0 };
        (r, if r == 0 { Z } else { sign } | if outside { O } else { 0 })
    }

    fn integer(self, x: u64) -> (u64, u8) {
        let n = match self.from {
            Number::S32 => i128::from(x as i32),
            Number::U32 => i128::from(x as u32),
            Number::S64 => i128::from(x as i64),
            _ => i128::from(x),
        };
        let n = if self.abs { n.abs() } else { n };
        self.written(Value::integer(if self.neg { -n } else { n }))
    }

    /// A float of the result's type, and its flags.
    fn written(self, value: Value) -> (u64, u8) {
        match self.to {
            Number::F32 => {
                let r = pack(Type::F32, value, self.round);
                let zero = r & 0x7fff_ffff == 0;
                (r, if zero { Z } else { (r >> 31) as u8 * S })
            }
            _ => {
                let r = pack(Type::F64, value, self.round);
                (r, flags(r))
            }
        }
    }
}

/// Result and flags of an operation on floats of 64 bits; (0, 0) of any other.
pub fn result(op: &Op, [a, b, c]: [u64; 3]) -> (u64, u8) {
    let float = |r: u64| (r, flags(r));
    match *op {
        Op::DFma { neg_ab, neg_c, round } => {
            float(fma(modify(a, false, neg_ab), modify(b, false, false), modify(c, false, neg_c), round))
        }
        Op::DAdd { neg_a, neg_b, round } => float(add(modify(a, false, neg_a), modify(b, false, neg_b), round)),
        Op::DMul { neg_a, round } => float(mul(modify(a, false, neg_a), modify(b, false, false), round)),
        Op::DMinMax { max, neg_a, abs_a, neg_b, abs_b } => {
            float(min_max(max, modify(a, abs_a, neg_a), modify(b, abs_b, neg_b)))
        }
        Op::DSet { cond, neg_a, abs_a, neg_b, abs_b } => {
            let holds = holds(cond, modify(a, abs_a, neg_a), modify(b, abs_b, neg_b));
            (if holds { u32::MAX.into() } else { 0 }, if holds { S } else { Z })
        }
        Op::DConvert { to, from, to_int, round, neg, abs } => Conversion { to, from, to_int, round, neg, abs }.of(a),
        _ => (0, 0),
    }
}
