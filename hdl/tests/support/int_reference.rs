//! What the integer lane must compute, in plain arithmetic over wide integers.
//!
//! Shares nothing with the golden model: two readings of the same text have to agree.

use warpsmith_hdl::sm::control::unit;

/// An operation of the lane: the fields of `AluControl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    pub unit: u64,
    pub w16: bool,
    pub kind: u32,
    pub sat: bool,
    pub signed_a: bool,
    pub signed_b: bool,
    pub mul24: bool,
    pub high: bool,
    pub accumulate: bool,
    pub cond: u32,
    pub right: bool,
    pub logic: u32,
    pub not_a: bool,
    pub not_b: bool,
    pub from: u32,
    pub to: u32,
    pub neg: bool,
    pub abs: bool,
}

impl Op {
    /// The control word, first field lowest.
    pub fn word(&self) -> u32 {
        let fields = [
            (self.unit as u32, 4),
            (self.w16.into(), 1),
            (self.kind, 2),
            (self.sat.into(), 1),
            (self.signed_a.into(), 1),
            (self.signed_b.into(), 1),
            (self.mul24.into(), 1),
            (self.high.into(), 1),
            (self.accumulate.into(), 1),
            (self.cond, 3),
            (self.right.into(), 1),
            (self.logic, 2),
            (self.not_a.into(), 1),
            (self.not_b.into(), 1),
            (self.from, 3),
            (self.to, 3),
            (self.neg.into(), 1),
            (self.abs.into(), 1),
        ];
        let mut at = 0;
        fields.iter().fold(0, |word, (value, width)| {
            at += width;
            word | value << (at - width)
        })
    }
}

/// Operands: a, b, c and the carry flag.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    pub carry: bool,
}

/// `x` modulo 2^n as a number: unsigned, or two's complement.
fn number(x: u32, n: u32, signed: bool) -> i128 {
    let x = i128::from(x) & ((1 << n) - 1);
    if signed && x >> (n - 1) == 1 {
        x - (1 << n)
    } else {
        x
    }
}

/// Low n bits.
fn low(x: i128, n: u32) -> u32 {
    (x & ((1 << n) - 1)) as u32
}

fn flags(r: u32, n: u32, c: bool, o: bool) -> u32 {
    let (z, s) = (r == 0, r >> (n - 1) & 1 == 1);
    u32::from(z) | u32::from(s) << 1 | u32::from(c) << 2 | u32::from(o) << 3
}

fn sum(kind: u32, sat: bool, x: u32, y: u32, carry: bool, n: u32) -> (u32, u32) {
    let (x, y, one) = match kind {
        0 => (x, y, false),
        1 => (x, !y, true),
        2 => (!x, y, true),
        _ => (x, y, carry),
    };
    let add = |signed| number(x, n, signed) + number(y, n, signed) + i128::from(one);
    let (unsigned, signed) = (add(false), add(true));
    let (least, most) = (-(1 << (n - 1)), (1 << (n - 1)) - 1);
    let overflow = signed < least || signed > most;
    let r = low(if sat { signed.clamp(least, most) } else { signed }, n);
    (r, flags(r, n, unsigned >> n == 1, overflow))
}

fn shift(op: &Op, n: u32, a: u32, count: u32) -> (u32, u32) {
    let value = number(a, n, op.signed_a && op.right);
    // Beyond 40 nothing changes any more.
    let by = count.min(40);
    let r = low(if op.right { value >> by } else { value << by }, n);
    let bit = |i: u32| a >> i & 1 == 1;
    let inside = 0 < count && count < n;
    let c = inside && if op.right { bit(count - 1) } else { bit(n - count) };
    let o = count == 1 && bit(n - 1) != (r >> (n - 1) & 1 == 1);
    (r, flags(r, n, c, o))
}

fn convert(op: &Op, a: u32, n: u32) -> (u32, u32) {
    let bits = |format: u32| 8 << (format & 3);
    let mut v = number(a, bits(op.from), op.from & 4 != 0);
    if op.abs {
        v = v.abs();
    }
    if op.neg {
        v = -v;
    }
    let (d, signed) = (bits(op.to), op.to & 4 != 0);
    let (least, most) = match signed {
        true => (-(1 << (d - 1)), (1 << (d - 1)) - 1),
        false => (0, (1 << d) - 1),
    };
    let r = low(v.clamp(least, most), n);
    (r, flags(r, n, false, false))
}

/// Result and flags.
pub fn expected(op: &Op, x: &Operands) -> (u32, u32) {
    let n = if op.w16 { 16 } else { 32 };
    let signed = op.signed_a;
    let (a, b) = (number(x.a, n, signed), number(x.b, n, signed));
    let plain = |r: u32| (r, flags(r, n, false, false));
    match op.unit {
        unit::ADD => sum(op.kind, op.sat, x.a, x.b, x.carry, n),
        unit::MUL => {
            let m = if op.mul24 { 24 } else { 16 };
            let p = number(x.a, m, signed) * number(x.b, m, op.signed_b);
            let p = low(if op.high { p >> 16 } else { p }, 32);
            let r = (p, flags(p, 32, false, false));
            if op.accumulate {
                sum(op.kind, op.sat, p, x.c, x.carry, 32)
            } else {
                r
            }
        }
        unit::SAD => sum(0, false, low((a - b).abs(), 32), x.c, false, 32),
        unit::SET => {
            let bit = [a < b, a == b, a > b].iter().position(|&r| r).expect("one relation");
            plain(if op.cond >> bit & 1 == 1 { low(-1, n) } else { 0 })
        }
        unit::MINMAX => plain(low(if op.right { a.max(b) } else { a.min(b) }, n)),
        unit::SHIFT => shift(op, n, low(x.a.into(), n), low(x.b.into(), n)),
        unit::LOGIC => {
            let a = if op.not_a { !x.a } else { x.a };
            let b = if op.not_b { !x.b } else { x.b };
            plain(low([a & b, a | b, a ^ b, b][op.logic as usize].into(), n))
        }
        _ => convert(op, x.a, n),
    }
}
