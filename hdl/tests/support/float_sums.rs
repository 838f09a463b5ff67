//! What sums, comparisons and range reductions of floats must give, from docs/numerics.md in wide integers.

use super::float_reference::{multiply, rounds_away, INF, NAN, SIGN};
use warpsmith_hdl::sm::control::round;

fn nan(x: u32) -> bool {
    x & !SIGN > INF
}

fn infinite(x: u32) -> bool {
    x & !SIGN == INF
}

fn zero(x: u32) -> bool {
    x & INF == 0
}

/// A finite number other than zero: ± significand * 2^power.
#[derive(Clone, Copy)]
struct Number {
    negative: bool,
    significand: i128,
    power: i32,
}

fn number(x: u32) -> Number {
    Number {
        negative: x & SIGN != 0,
        significand: i128::from(x & 0x7f_ffff | 1 << 23),
        power: (x >> 23 & 0xff) as i32 - 150,
    }
}

/// The sum with the one rounding, `bits` of 24 kept; exact up to the point where one operand is
/// less than a millionth of the other's last place, which no rounding tells from that.
fn sum(a: Number, b: Number, mode: u32, early: bool) -> u32 {
    let (big, small) = if a.power >= b.power { (a, b) } else { (b, a) };
    let apart = (big.power - small.power).min(70);
    let power = big.power - apart;
    let term = |n: Number, by: i32| {
        let v = n.significand << by;
        if n.negative {
            -v
        } else {
            v
        }
    };
    let exact = term(big, apart) + term(small, 0);
    if exact == 0 {
        return 0;
    }
    let (negative, m) = (exact < 0, exact.unsigned_abs());
    let top = 127 - m.leading_zeros() as i32;
    let mut e = power + top + 127;
    // 28 bits, the last of them standing for all below, as the adder has them.
    let mut window =
        if top > 27 { m >> (top - 27) | u128::from(m & ((1 << (top - 27)) - 1) != 0) } else { m << (27 - top) };
    if early && e < 1 {
        window = window.checked_shr((1 - e) as u32).unwrap_or(0);
        e = 1;
    }
    let mut q = window >> 4;
    q += u128::from(rounds_away(mode, negative, q & 1 == 1, window & 15, 16));
    if q == 1 << 24 {
        (q, e) = (1 << 23, e + 1);
    }
    let sign = u32::from(negative) << 31;
    if e < 1 || q < 1 << 23 {
        sign
    } else if e > 254 {
        sign | (INF - u32::from(u64::from(mode) == round::ZERO))
    } else {
        sign | (e as u32) << 23 | q as u32 & 0x7f_ffff
    }
}

/// `a + b`.
pub fn add(a: u32, b: u32, mode: u32) -> u32 {
    let flush = |x: u32| if zero(x) { x & SIGN } else { x };
    if nan(a) || nan(b) || infinite(a) && infinite(b) && a != b {
        NAN
    } else if infinite(a) || infinite(b) {
        if infinite(a) {
            a
        } else {
            b
        }
    } else if zero(a) && zero(b) {
        a & b & SIGN
    } else if zero(a) || zero(b) {
        flush(if zero(a) { b } else { a })
    } else {
        sum(number(a), number(b), mode, false)
    }
}

/// `a * b`, truncated, `+ c`.
pub fn multiply_add(a: u32, b: u32, c: u32) -> u32 {
    let nearest = round::NEAREST as u32;
    let special = |x: u32| nan(x) || infinite(x) || zero(x);
    if special(a) || special(b) || special(c) {
        if infinite(c) && !special(a) && !special(b) {
            return c;
        }
        let product = multiply(a, b, nearest);
        return if nan(product) || nan(c) { NAN } else { add(product, c, nearest) };
    }
    let (x, y) = (number(a), number(b));
    let p = x.significand * y.significand;
    let drop = if p >= 1 << 47 { 24 } else { 23 };
    let product =
        Number { negative: x.negative != y.negative, significand: p >> drop, power: x.power + y.power + drop };
    sum(product, number(c), nearest, true)
}

/// Order of two floats that are numbers: denormals are zeros; with `zeros` −0 is below +0.
fn below(a: u32, b: u32, zeros: bool) -> bool {
    let key = |x: u32| {
        let v = if zero(x) { 0.0 } else { f32::from_bits(x) };
        (v, zeros && x & SIGN == 0)
    };
    key(a).0 < key(b).0 || key(a).0 == key(b).0 && !key(a).1 && key(b).1 && zero(a)
}

/// The larger or the smaller of two.
pub fn extreme(maximum: bool, a: u32, b: u32) -> u32 {
    let flush = |x: u32| if zero(x) { x & SIGN } else { x };
    match (nan(a), nan(b)) {
        (true, true) => NAN,
        (true, false) => flush(b),
        (false, true) => flush(a),
        _ if below(a, b, true) == maximum => flush(b),
        _ => flush(a),
    }
}

/// All ones where the relation is among the bits of `cond`: less, equal, greater, unordered.
pub fn holds(cond: u32, a: u32, b: u32) -> u32 {
    let relation = if nan(a) || nan(b) {
        3
    } else if below(a, b, false) {
        0
    } else if below(b, a, false) {
        2
    } else {
        1
    };
    if cond >> relation & 1 == 1 {
        u32::MAX
    } else {
        0
    }
}

/// `c >= 0 ? a : b`, words as they are.
pub fn choose(a: u32, b: u32, c: u32) -> u32 {
    if !nan(c) && (c & SIGN == 0 || zero(c)) {
        a
    } else {
        b
    }
}

fn code(x: u32) -> Option<u32> {
    let sign = x & SIGN;
    match x & !SIGN {
        m if m > INF => Some(sign | 0x4000_0000),
        INF => Some(sign | 0x4080_0000),
        m if m & INF == 0 => Some(sign),
        _ => None,
    }
}

/// RRO.SIN.
pub fn reduce_sine(x: u32) -> u32 {
    code(x).unwrap_or_else(|| {
        let n = number(x);
        let p = (n.significand * 0xa2_f983) >> 16;
        // The significand's unit is 2^-23, so its power says e - 150.
        let by = n.power + 23 - 8;
        let v = match by {
            32.. => 0,
            0..=31 => p << by,
            _ => p >> (-by).min(100),
        };
        x & SIGN | v as u32 & 0x1ff_ffff
    })
}

/// RRO.EX2.
pub fn reduce_power(x: u32) -> u32 {
    code(x).unwrap_or_else(|| {
        let n = number(x);
        let by = n.power + 23;
        x & SIGN
            | match by {
                7.. => 0x4080_0000,
                0..=6 => (n.significand << by) as u32,
                _ => (n.significand >> (-by).min(100)) as u32,
            }
    })
}
