//! What floats must give, from docs/numerics.md in wide integers and doubles.
//!
//! Shares nothing with the golden model nor with the unit: products are exact in 128 bits, a float
//! becomes an integer through an exact double, an integer a float by the nearest two candidates.

use super::float_sums;
use warpsmith_hdl::sm::control::{float_format, round, unit};

pub const SIGN: u32 = 1 << 31;
pub const INF: u32 = 0x7f80_0000;
pub const NAN: u32 = 0x7fff_ffff;

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
    let half = op.to == float_format::F16 as u32;
    let modify = |x: u32, abs: bool, neg: bool| (if abs { x & !SIGN } else { x }) ^ sign_if(neg);
    let clamped = |y: u32| if op.sat { saturate(y) } else { y };
    let y = match op.unit {
        unit::FMUL => multiply(a ^ sign_if(op.neg), b ^ sign_if(op.neg_b), op.round),
        unit::FADD => float_sums::add(a ^ sign_if(op.neg), b ^ sign_if(op.neg_b), op.round),
        unit::FMAD => float_sums::multiply_add(a ^ sign_if(op.neg), b, c ^ sign_if(op.neg_b)),
        unit::SET | unit::MINMAX => {
            let (x, y) = (modify(a, op.abs, op.neg), modify(b, op.abs_b, op.neg_b));
            if op.unit == unit::SET {
                let y = float_sums::holds(op.cond, x, y);
                return (y, if y == 0 { 1 } else { 2 });
            }
            if op.accumulate {
                let y = float_sums::choose(a, b, c ^ sign_if(op.neg_b));
                let zero = y & !SIGN == 0;
                return (y, u32::from(zero) | u32::from(!zero && y & SIGN != 0) << 1);
            }
            let y = float_sums::extreme(op.right, x, y);
            return (y, flags(y, false));
        }
        unit::I2F => {
            let y = integer_to_float(op, a);
            return (y, flags(y, half));
        }
        unit::F2F => {
            let y = float_to_float(op, a);
            return (y, flags(y, half));
        }
        unit::RRO_SIN => return (float_sums::reduce_sine(modify(a, op.abs, op.neg)), 0),
        unit::RRO_EX2 => return (float_sums::reduce_power(modify(a, op.abs, op.neg)), 0),
        _ => {
            let (y, bits) = float_to_integer(op, a);
            let s = y >> (bits - 1) & 1;
            return (y, s << 1 | u32::from(y == 0));
        }
    };
    let y = clamped(y);
    (y, flags(y, false))
}

/// A float of either format to a float of either format, through an exact double.
fn float_to_float(op: &Op, x: u32) -> u32 {
    let v = value(x, op.from == float_format::F16 as u32);
    let v = if op.abs { v.abs() } else { v };
    let v = if op.neg { -v } else { v };
    let v = match (op.high, u64::from(op.round)) {
        (false, _) => v,
        (_, round::NEAREST) => v.round_ties_even(),
        (_, round::DOWN) => v.floor(),
        (_, round::UP) => v.ceil(),
        _ => v.trunc(),
    };
    let (negative, m) = (v.is_sign_negative(), v.abs());
    if op.to == float_format::F32 as u32 {
        // Every half and every integral value of a single is a single.
        let y = if v.is_nan() { NAN } else { (v as f32).to_bits() };
        return if op.sat { saturate(y) } else { y };
    }
    if v.is_nan() {
        return 0x7fff;
    }
    let sign = if op.sat { 0 } else { u32::from(negative) << 15 };
    if op.sat && (negative || m >= 1.0) {
        return if negative { 0 } else { 0x3c00 };
    }
    // 2^-33 is the last binade the aligner reaches.
    if m < 2f64.powi(-33) {
        return sign;
    }
    if m.is_infinite() {
        return sign | 0x7c00;
    }
    let power = (m.to_bits() >> 52) as i32 - 1023;
    let unit = 2f64.powi((power - 10).max(-24));
    let (q, rest) = ((m / unit).floor(), (m / unit).fract());
    let (whole, part) = (1u128 << 52, (rest * 2f64.powi(52)) as u128);
    let q = q as u32 + u32::from(rounds_away(op.round, negative, q as u32 & 1 == 1, part, whole));
    let base = if power < -14 { 0 } else { ((power + 14) as u32) << 10 };
    let word = base + q;
    if word < 0x7c00 {
        return sign | word;
    }
    let away = match u64::from(op.round) {
        round::NEAREST => true,
        round::DOWN => negative,
        round::UP => !negative,
        _ => false,
    };
    sign | if away { 0x7c00 } else { 0x7bff }
}

fn sign_if(on: bool) -> u32 {
    if on {
        SIGN
    } else {
        0
    }
}

fn flags(y: u32, half: bool) -> u32 {
    let (y, inf, sign) = if half { (y, 0x7c00, 1 << 15) } else { (y, INF, SIGN) };
    match y & !sign {
        m if m > inf => 3,
        0 => 1,
        _ => u32::from(y & sign != 0) << 1,
    }
}

fn saturate(y: u32) -> u32 {
    match y {
        _ if y & !SIGN > INF => NAN,
        _ if y & SIGN != 0 => 0,
        _ => y.min(1f32.to_bits()),
    }
}

/// Whether `rest / whole`, below 1, rounds a number of this sign and parity away from zero.
pub fn rounds_away(mode: u32, negative: bool, odd: bool, rest: u128, whole: u128) -> bool {
    match u64::from(mode) {
        round::NEAREST => 2 * rest > whole || 2 * rest == whole && odd,
        round::DOWN => negative && rest > 0,
        round::UP => !negative && rest > 0,
        _ => false,
    }
}

pub fn multiply(a: u32, b: u32, mode: u32) -> u32 {
    let nan = |x: u32| x & !SIGN > INF;
    let inf = |x: u32| x & !SIGN == INF;
    let zero = |x: u32| x & INF == 0;
    let sign = (a ^ b) & SIGN;
    if nan(a) || nan(b) || inf(a) && zero(b) || zero(a) && inf(b) {
        return NAN;
    }
    if inf(a) || inf(b) {
        return sign | INF;
    }
    if zero(a) || zero(b) {
        return sign;
    }
    let significand = |x: u32| u128::from(x & 0x7f_ffff | 1 << 23);
    let exponent = |x: u32| (x >> 23 & 0xff) as i32 - 150;
    let p = significand(a) * significand(b);
    let drop = if p >= 1 << 47 { 24 } else { 23 };
    let (mut q, whole) = (p >> drop, 1u128 << drop);
    q += u128::from(rounds_away(mode, sign != 0, q & 1 == 1, p % whole, whole));
    // Value is q 2^e with q in 2^23..=2^24; beyond the largest exponent it overflows.
    let mut e = exponent(a) + exponent(b) + drop;
    if q == 1 << 24 {
        (q, e) = (1 << 23, e + 1);
    }
    match e + 150 {
        ..=0 => sign,
        1..=254 => sign | ((e + 150) as u32) << 23 | (q as u32 & 0x7f_ffff),
        _ if u64::from(mode) == round::ZERO => sign | (INF - 1),
        _ => sign | INF,
    }
}

/// `x` as an integer of format `code`.
fn integer(code: u32, x: u32) -> i128 {
    match code {
        0 => (x as u8).into(),
        1 => (x as u16).into(),
        2 => x.into(),
        4 => (x as i8).into(),
        5 => (x as i16).into(),
        _ => (x as i32).into(),
    }
}

fn integer_to_float(op: &Op, x: u32) -> u32 {
    let v = integer(op.from, x);
    let v = if op.abs { v.abs() } else { v };
    let v = if op.neg { -v } else { v };
    let (negative, m) = (v < 0, v.unsigned_abs());
    let half = op.to == float_format::F16 as u32;
    let (fraction, bias, top) = if half { (10, 15, 31) } else { (23, 127, 255) };
    let sign = u32::from(negative) << if half { 15 } else { 31 };
    if m == 0 {
        return 0;
    }
    let power = 127 - m.leading_zeros();
    // In units of the last place: 2^(power - fraction).
    let (scaled, whole) = (m << 64 >> power, 1u128 << (64 - fraction));
    let mut q = scaled / whole;
    q += u128::from(rounds_away(op.round, negative, q & 1 == 1, scaled % whole, whole));
    let word = ((power + bias) << fraction) + (q as u32 - (1 << fraction));
    let infinity = top << fraction;
    let word = if word < infinity {
        word
    } else {
        let away = match u64::from(op.round) {
            round::NEAREST => true,
            round::DOWN => negative,
            round::UP => !negative,
            _ => false,
        };
        infinity - u32::from(!away)
    };
    match op.sat {
        true if negative => 0,
        true => bias << fraction,
        false => sign | word,
    }
}

/// The number as an exact double; single precision denormals are zero.
fn value(x: u32, half: bool) -> f64 {
    if !half {
        let x = if x & INF == 0 { x & SIGN } else { x };
        return f32::from_bits(x).into();
    }
    let (e, f) = (x >> 10 & 31, f64::from(x & 0x3ff));
    let m = match e {
        0 => f * 2f64.powi(-24),
        31 if f > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1024.0 + f) * 2f64.powi(e as i32 - 25),
    };
    if x >> 15 & 1 == 1 {
        -m
    } else {
        m
    }
}

/// Result, and its width in bits.
fn float_to_integer(op: &Op, x: u32) -> (u32, u32) {
    let v = value(x, op.from == float_format::F16 as u32);
    let v = if op.abs { v.abs() } else { v };
    let v = if op.neg { -v } else { v };
    let v = match u64::from(op.round) {
        round::NEAREST => v.round_ties_even(),
        round::DOWN => v.floor(),
        round::UP => v.ceil(),
        _ => v.trunc(),
    };
    // Casts of floats clamp, and NaN is 0.
    match op.to {
        1 => ((v as u16).into(), 16),
        2 => (v as u32, 32),
        5 => ((v as i16 as u16).into(), 16),
        _ => (v as i32 as u32, 32),
    }
}
