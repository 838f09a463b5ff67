//! Operations of a lane on floats, and what the golden model makes of them.

use warpsmith_hdl::sm::control::{float_format, unit};
use warpsmith_isa::{FloatType, IntType, Round};
use warpsmith_model::num::{convert, float, int, rro};

/// An operation of the lane: the fields of `AluControl` floats look at, and noise in the others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Op {
    pub unit: u64,
    pub from: u32,
    pub to: u32,
    pub neg: bool,
    pub abs: bool,
    pub neg_b: bool,
    pub sat: bool,
    pub round: u32,
    /// F2F: to an integral value.
    pub high: bool,
    /// SET: less, equal, greater, unordered.
    pub cond: u32,
    /// MINMAX: maximum.
    pub right: bool,
    /// MINMAX: c chooses.
    pub accumulate: bool,
    /// SET, MINMAX: of floats.
    pub real: bool,
    pub abs_b: bool,
    /// Fills the fields nothing should look at.
    pub noise: u32,
}

impl Op {
    /// The control word, low half first.
    pub fn words(&self) -> [u32; 2] {
        let fields = [
            (self.unit as u32, 0, 4),
            (self.sat.into(), 7, 1),
            (self.high.into(), 11, 1),
            (self.accumulate.into(), 12, 1),
            (self.cond & 7, 13, 3),
            (self.right.into(), 16, 1),
            (self.from, 21, 3),
            (self.to, 24, 3),
            (self.neg.into(), 27, 1),
            (self.abs.into(), 28, 1),
            (self.neg_b.into(), 29, 1),
            (self.round, 30, 2),
            (self.real.into(), 32, 1),
            (self.cond >> 3, 33, 1),
            (self.abs_b.into(), 34, 1),
        ];
        let fields: Vec<(u64, u32, u32)> = fields.into_iter().map(|(v, at, n)| (u64::from(v), at, n)).collect();
        // Fields the operation does not read hold anything.
        let reads = |at: u32| match at {
            11 => matches!(self.unit, unit::F2F),
            13 | 33 => self.real && self.unit == unit::SET,
            12 | 16 => self.real && self.unit == unit::MINMAX,
            34 => self.real,
            _ => true,
        };
        let noise = u64::from(self.noise) | u64::from(self.noise.reverse_bits()) << 32;
        // Width and kind belong to the integer unit's operations.
        let mut word = noise & if self.real { 0x1e_0000 } else { 0x1f_ff70 };
        for (value, at, n) in fields {
            let field = ((1 << n) - 1) << at;
            let value = if reads(at) { value << at } else { noise & field };
            word = word & !field | value;
        }
        [word as u32, (word >> 32) as u32 & 7]
    }
}

/// Result and flags of `op`; range reductions have no flags.
pub fn expected(op: &Op, a: u32, b: u32, c: u32) -> (u32, u32) {
    let round = [Round::Nearest, Round::Down, Round::Up, Round::Zero][op.round as usize];
    let signed = |x: u32, neg: bool| float::modify(x, false, neg);
    let arithmetic = |y: u32| {
        let y = if op.sat { float::saturate(y) } else { y };
        (y, float::flags(y))
    };
    let (x, y) = (float::modify(a, op.abs, op.neg), float::modify(b, op.abs_b, op.neg_b));
    let (y, flags) = match op.unit {
        unit::FMUL => arithmetic(float::mul(signed(a, op.neg), signed(b, op.neg_b), round)),
        unit::FADD => arithmetic(float::add(signed(a, op.neg), signed(b, op.neg_b), round)),
        unit::FMAD => arithmetic(float::mad(signed(a, op.neg), b, signed(c, op.neg_b))),
        unit::SET => float::set(op.cond as u8, x, y),
        unit::MINMAX if op.accumulate => float::select(a, b, signed(c, op.neg_b)),
        unit::MINMAX => {
            let y = float::min_max(op.right, x, y);
            (y, float::flags(y))
        }
        unit::I2F => {
            let to = float_type(op.to);
            let y = convert::i2f(a, int_type(op.from), to, round, op.neg, op.abs, op.sat);
            (y, convert::flags(to, y))
        }
        unit::F2F => {
            let (from, to) = (float_type(op.from), float_type(op.to));
            let y = convert::f2f(a, from, to, round, op.high, op.neg, op.abs, op.sat);
            (y, convert::flags(to, y))
        }
        unit::RRO_SIN => (rro::sin(x), 0),
        unit::RRO_EX2 => (rro::ex2(x), 0),
        _ => {
            let to = int_type(op.to);
            let y = convert::f2i(a, float_type(op.from), to, round, op.neg, op.abs);
            let flags = int::flags_int(to, y);
            // A result of 16 bits fills half a register.
            (if matches!(to, IntType::U16 | IntType::S16) { y & 0xffff } else { y }, flags)
        }
    };
    (y, flags.into())
}

fn float_type(code: u32) -> FloatType {
    match u64::from(code) {
        float_format::F16 => FloatType::F16,
        _ => FloatType::F32,
    }
}

/// The integer format of a code: two bits for the width, one for the sign.
pub fn int_type(code: u32) -> IntType {
    match code {
        0 => IntType::U8,
        1 => IntType::U16,
        2 => IntType::U32,
        4 => IntType::S8,
        5 => IntType::S16,
        _ => IntType::S32,
    }
}
