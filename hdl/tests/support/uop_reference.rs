//! What a lane of micro-operations does, written from `hdl/src/sm/control/uop.rs`: integers in 128 bits, floats in
//! rustc_apfloat, where a sum rounded to odd in quadruple precision stands for the exact one.

use rustc_apfloat::ieee::{Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;
use warpsmith_hdl::sm::control::g13::mask;
use warpsmith_hdl::sm::control::uop::{cond, count, format, op, tiny, UopControl};

/// Which lane: the parameters of the block.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    pub half: bool,
    pub quiet_nan: bool,
}

/// A control word by its fields.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uop {
    pub op: u64,
    pub signed_a: bool,
    pub signed_b: bool,
    pub high: bool,
    pub accumulate: bool,
    pub sat: bool,
    pub neg_a: bool,
    pub abs_a: bool,
    pub neg_b: bool,
    pub abs_b: bool,
    pub neg_c: bool,
    pub abs_c: bool,
    pub shift: u64,
    pub count: u64,
    pub reverse: bool,
    pub table: u64,
    pub table_2: u64,
    pub cond: u64,
    pub float: bool,
    pub half_a: bool,
    pub half_b: bool,
    pub half_c: bool,
    pub flush: bool,
    pub tiny: u64,
    pub round: u64,
    pub zero_product: bool,
    pub format: u64,
    pub integral: bool,
    pub from: u64,
    pub to: u64,
}

impl Uop {
    /// The control word.
    pub fn word(&self) -> u64 {
        let fields: [(&str, u64); 30] = [
            ("op", self.op),
            ("signed_a", self.signed_a.into()),
            ("signed_b", self.signed_b.into()),
            ("high", self.high.into()),
            ("accumulate", self.accumulate.into()),
            ("sat", self.sat.into()),
            ("neg_a", self.neg_a.into()),
            ("abs_a", self.abs_a.into()),
            ("neg_b", self.neg_b.into()),
            ("abs_b", self.abs_b.into()),
            ("neg_c", self.neg_c.into()),
            ("abs_c", self.abs_c.into()),
            ("shift", self.shift),
            ("count", self.count),
            ("reverse", self.reverse.into()),
            ("table", self.table),
            ("table_2", self.table_2),
            ("cond", self.cond),
            ("float", self.float.into()),
            ("half_a", self.half_a.into()),
            ("half_b", self.half_b.into()),
            ("half_c", self.half_c.into()),
            ("flush", self.flush.into()),
            ("tiny", self.tiny),
            ("round", self.round),
            ("zero_product", self.zero_product.into()),
            ("format", self.format),
            ("integral", self.integral.into()),
            ("from", self.from),
            ("to", self.to),
        ];
        UopControl::word((), &fields)
    }

    fn mode(&self) -> Round {
        [Round::NearestTiesToEven, Round::TowardNegative, Round::TowardPositive, Round::TowardZero][self.round as usize]
    }
}

/// Operands: a, b, c, predicates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operands {
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Where there are halves.
    pub d: u32,
    pub p: u32,
}

/// Result and predicate results, those that the operation has.
pub fn expected(set: Set, u: &Uop, x: &Operands) -> (Option<u32>, Option<u32>) {
    match u.op {
        op::COMPARE => (None, Some(compare(set, u, x))),
        op::PREDICATES => (None, Some(predicates(u, x))),
        op::VOTE => (Some(x.b), Some(x.p & 1)),
        op::FADD | op::FMUL | op::FMA | op::F2F | op::F2I | op::I2F => (Some(float(set, u, x)), None),
        op::RRO_SIN | op::RRO_EX2 => (Some(reduction(set, u, x)), None),
        op::MINMAX => (Some(extreme(set, u, x)), None),
        op::CHOOSE => (Some(if holds(set, u, x) { x.c } else { x.d }), None),
        op::MASK => (Some(counter(set, u, x).into()), None),
        _ => (Some(integer(set, u, x)), None),
    }
}

/// Bits of a result that count: those of `expected`.
pub fn q_mask(u: &Uop) -> u32 {
    if u.op == op::VOTE {
        1
    } else {
        3
    }
}

fn table(table: u64, a: bool, b: bool) -> bool {
    table >> (u64::from(a) + 2 * u64::from(b)) & 1 == 1
}

fn pair(q1: bool, q2: bool) -> u32 {
    u32::from(q1) | u32::from(q2) << 1
}

fn predicates(u: &Uop, x: &Operands) -> u32 {
    let p = |n: u32| x.p >> n & 1 == 1;
    let t = table(u.table, p(0), p(1));
    pair(table(u.table_2, t, p(2)), table(u.table_2, !t, p(2)))
}

fn word(v: u32, signed: bool) -> i128 {
    if signed {
        (v as i32).into()
    } else {
        v.into()
    }
}

/// Bit of `cond` that says how two things stand.
fn outcome(order: Option<Ordering>, a_is_nan: bool) -> u64 {
    match order {
        Some(Ordering::Less) => 1,
        Some(Ordering::Equal) => 2,
        Some(Ordering::Greater) => 4,
        None if a_is_nan => 8,
        None => 16,
    }
}

/// a `cond` b.
fn holds(set: Set, u: &Uop, x: &Operands) -> bool {
    let seen = match u.float {
        true => {
            let (a, b) = (first(set, u, x.a), second(set, u, x.b));
            outcome(a.partial_cmp(&b), a.is_nan())
        }
        false => outcome(Some(word(x.a, u.signed_a).cmp(&word(x.b, u.signed_a))), false),
    };
    assert!(u.cond >> cond::BITS == 0);
    u.cond & seen != 0
}

fn compare(set: Set, u: &Uop, x: &Operands) -> u32 {
    let (o, p1) = (holds(set, u, x), x.p & 1 == 1);
    pair(table(u.table, o, p1), table(u.table, !o, p1))
}

/// The counter of a thread after an instruction of the execution mask.
fn counter(set: Set, u: &Uop, x: &Operands) -> u16 {
    let (v, n) = (x.c as u16, u.shift as u16);
    let holds = holds(set, u, x);
    match u.table {
        mask::POP => v.saturating_sub(n),
        mask::IF if v != 0 => v.wrapping_add(n),
        mask::IF => u16::from(!holds),
        mask::WHILE if v >= n => v,
        mask::WHILE if holds => 0,
        mask::WHILE => n,
        mask::ELSE if v == 0 => n,
        mask::ELSE if v == 1 => u16::from(!holds),
        mask::ELSE => v,
        _ => unreachable!("an operation of the mask"),
    }
}

fn extreme(set: Set, u: &Uop, x: &Operands) -> u32 {
    let min = x.p & 1 == 1;
    if !u.float {
        let (a, b) = (word(x.a, u.signed_a), word(x.b, u.signed_a));
        return if min { a.min(b) } else { a.max(b) } as u32;
    }
    let (a, b) = (first(set, u, x.a), second(set, u, x.b));
    let v = match (a.is_nan(), b.is_nan()) {
        (true, true) => return nan(set, false),
        (true, false) => b,
        (false, true) => a,
        _ => {
            let below = match a.partial_cmp(&b) {
                Some(Ordering::Equal) => a.is_negative() && !b.is_negative(),
                order => order == Some(Ordering::Less),
            };
            if below == min {
                a
            } else {
                b
            }
        }
    };
    v.to_bits() as u32
}

fn shift_count(set: Set, u: &Uop, n: u32) -> u32 {
    match u.count {
        count::MOD_32 => n & 31,
        count::MOD_128 if set.half => n & 127,
        _ => n,
    }
}

/// `v` as the integer format `code`, extended to 32 bits: clamped or truncated.
fn in_format(v: i128, code: u64, clamp: bool) -> u32 {
    let bits = 8 << (code & 3).min(2);
    let signed = code & 4 != 0;
    let (least, greatest) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    if clamp {
        return v.clamp(least, greatest) as u32;
    }
    let low = v & ((1 << bits) - 1);
    let negative = signed && low >> (bits - 1) & 1 == 1;
    (if negative { low - (1 << bits) } else { low }) as u32
}

/// ±a ± b, a + b + 1 where both are negative.
fn sum(a: i128, not_a: bool, b: i128, not_b: bool) -> i128 {
    match (not_a, not_b) {
        (true, true) => a + b + 1,
        (true, false) => b - a,
        (false, true) => a - b,
        (false, false) => a + b,
    }
}

const S32: u64 = 6;

fn integer(set: Set, u: &Uop, x: &Operands) -> u32 {
    let (a, b, c) = (x.a, x.b, x.c);
    let not = |v: u32, on: bool| if on { !v } else { v };
    match u.op {
        op::ADD => {
            let s = |v| word(v, u.signed_a);
            let v = sum(s(a) << u.shift, u.neg_a, s(b), u.neg_b);
            in_format(v, if u.signed_a { S32 } else { 2 }, u.sat)
        }
        op::MUL => {
            let product = word(a, u.signed_a) * word(b, u.signed_b);
            let part = (if u.high { product >> 32 } else { product }) as u32;
            let (c, neg_c) = if u.accumulate { (c, u.neg_c) } else { (0, false) };
            let v = sum(word(part, true), u.neg_a, word(c, true), neg_c);
            in_format(v, S32, u.sat)
        }
        op::LOGIC => {
            let (a, b) = (not(a, u.neg_a), not(b, u.neg_b));
            let bit = |i: u32| table(u.table, a >> i & 1 == 1, b >> i & 1 == 1);
            (0..32).map(|i| u32::from(bit(i)) << i).sum()
        }
        op::SHIFT_LEFT => {
            let n = shift_count(set, u, b);
            a.checked_shl(n).unwrap_or(0)
        }
        op::SHIFT_RIGHT => (word(a, u.signed_a) >> shift_count(set, u, b).min(127)) as u32,
        op::EXTRACT => {
            let a = if u.reverse { a.reverse_bits() } else { a };
            let (at, n) = (b & 0xff, b >> 8 & 0xff);
            let v = word(a, u.signed_a) >> at.min(127);
            match n {
                0 => 0,
                32.. => v as u32,
                _ => {
                    let low = v & ((1 << n) - 1);
                    let negative = u.signed_a && low >> (n - 1) & 1 == 1;
                    (if negative { low - (1 << n) } else { low }) as u32
                }
            }
        }
        op::INSERT => {
            let (at, n) = (b & 0xff, b >> 8 & 0xff);
            (0..32)
                .map(|i| {
                    let from = if i >= at && i < at + n { a >> (i - at) } else { c >> i };
                    (from & 1) << i
                })
                .sum()
        }
        op::COUNT => (not(a, u.neg_a) & not(b, u.neg_b)).count_ones(),
        op::FIND => {
            let v = not(a, u.neg_a);
            let v = if u.signed_a && v >> 31 == 1 { !v } else { v };
            match (v, u.reverse) {
                (0, _) => u32::MAX,
                (_, true) => v.leading_zeros(),
                _ => 31 - v.leading_zeros(),
            }
        }
        op::SELECT => {
            if x.p & 1 == 1 {
                a
            } else {
                b
            }
        }
        op::COMPARE_SELECT => {
            let seen = match u.float {
                true => {
                    let v = value(set, u, c, u.half_c, u.abs_c, u.neg_c);
                    outcome(v.partial_cmp(&Single::ZERO), v.is_nan())
                }
                false => outcome(Some(word(c, u.signed_a).cmp(&0)), false),
            };
            if u.cond & seen != 0 {
                a
            } else {
                b
            }
        }
        op::CONVERT => in_format(signed_source(u, a), u.to, u.sat),
        op::INTERLEAVE => (0..16).map(|i| (a >> i & 1) << (2 * i) | (b >> i & 1) << (2 * i + 1)).sum(),
        op::SHIFT_PAIR => {
            let n = shift_count(set, u, c);
            let pair = u64::from(b) << 32 | u64::from(a);
            pair.checked_shr(n).unwrap_or(0) as u32
        }
        _ => a,
    }
}

/// ±a as an integer with the sign of the format `from`.
fn signed_source(u: &Uop, a: u32) -> i128 {
    let v = word(a, u.from & 4 != 0);
    let v = if u.abs_a { v.abs() } else { v };
    if u.neg_a {
        -v
    } else {
        v
    }
}

/// A float source in single precision, where half precision is exact.
fn value(set: Set, u: &Uop, x: u32, half: bool, abs: bool, neg: bool) -> Single {
    let v = match set.half && half {
        true => Half::from_bits((x & 0xffff).into()).convert(&mut false).value,
        false => {
            let v = Single::from_bits(x.into());
            match u.flush && v.is_denormal() {
                true => Single::ZERO.copy_sign(v),
                false => v,
            }
        }
    };
    let v = if abs { v.abs() } else { v };
    if neg {
        -v
    } else {
        v
    }
}

fn first(set: Set, u: &Uop, x: u32) -> Single {
    value(set, u, x, u.half_a, u.abs_a, u.neg_a)
}

fn second(set: Set, u: &Uop, x: u32) -> Single {
    value(set, u, x, u.half_b, u.abs_b, u.neg_b)
}

fn wide(x: Single) -> Quad {
    x.convert(&mut false).value
}

fn nan(set: Set, half: bool) -> u32 {
    match (set.quiet_nan, half) {
        (true, true) => 0x7e00,
        (true, false) => 0x7fc0_0000,
        (false, true) => 0x7fff,
        (false, false) => 0x7fff_ffff,
    }
}

/// The exact sum, or one with the last bit of 113 set that rounds the same.
fn exact_sum(x: Quad, y: Quad, mode: Round) -> Quad {
    let sum = x.add_r(y, Round::TowardZero);
    if sum.status.contains(Status::INEXACT) {
        return Quad::from_bits(sum.value.to_bits() | 1);
    }
    match sum.value.is_zero() {
        true => x.add_r(y, mode).value,
        false => sum.value,
    }
}

fn product(u: &Uop, a: Single, b: Single) -> Quad {
    match u.zero_product && (a.is_zero() || b.is_zero()) {
        true => Quad::ZERO,
        false => (wide(a) * wide(b)).value,
    }
}

fn float(set: Set, u: &Uop, x: &Operands) -> u32 {
    let a = || first(set, u, x.a);
    let b = || second(set, u, x.b);
    let v = match u.op {
        op::FADD => exact_sum(wide(a()), wide(b()), u.mode()),
        op::FMUL => product(u, a(), b()),
        op::FMA => {
            let c = value(set, u, x.c, u.half_c, u.abs_c, u.neg_c);
            exact_sum(product(u, a(), b()), wide(c), u.mode())
        }
        op::I2F => Quad::from_i128(signed_source(u, x.a)).value,
        op::F2I => return to_integer(u, wide(a())),
        _ if u.integral => wide(a()).round_to_integral(u.mode()).value,
        _ => wide(a()),
    };
    finish(set, u, v)
}

fn to_integer(u: &Uop, v: Quad) -> u32 {
    let whole = v.round_to_integral(u.mode()).value;
    let n = match whole {
        v if v.is_nan() => 0,
        v if v.is_infinite() && v.is_negative() => i128::MIN,
        v if v.is_infinite() => i128::MAX,
        // 2^126 is far beyond every format.
        v => v.to_i128_r(128, Round::TowardZero, &mut false).value,
    };
    in_format(n, u.to, true)
}

/// A value in the format of the result.
fn finish(set: Set, u: &Uop, v: Quad) -> u32 {
    let half = u.format == format::F16 || set.half && u.format == format::F32_F16;
    if v.is_nan() {
        return if u.sat { 0 } else { nan(set, half) };
    }
    let single = || {
        let r: Single = v.convert_r(u.mode(), &mut false).value;
        let least = wide(Single::SMALLEST);
        let normal = wide(Single::smallest_normalized());
        assert!(least < normal);
        let below = match u.tiny {
            tiny::FLUSH_ROUNDED => r.is_denormal(),
            tiny::FLUSH_EXACT => v.abs() < normal,
            _ => false,
        };
        match below {
            true => Single::ZERO.copy_sign(r),
            false => r,
        }
    };
    let (bits, sign, one) = match (u.format, half) {
        (format::F16, _) => {
            let r: Half = v.convert_r(u.mode(), &mut false).value;
            (r.to_bits() as u32, 1 << 15, 0x3c00)
        }
        (_, true) => {
            let r: Half = single().convert(&mut false).value;
            (r.to_bits() as u32, 1 << 15, 0x3c00)
        }
        _ => (single().to_bits() as u32, 1 << 31, 0x3f80_0000),
    };
    match u.sat {
        true if bits & sign != 0 => 0,
        true => bits.min(one),
        false => bits,
    }
}

/// The fixed-point codes of docs/numerics.md.
fn reduction(set: Set, u: &Uop, x: &Operands) -> u32 {
    let v = first(set, &Uop { flush: true, ..*u }, x.a);
    let sign = u32::from(v.is_negative()) << 31;
    if v.is_nan() {
        return sign | 0x4000_0000;
    }
    if v.is_infinite() {
        return sign | 0x4080_0000;
    }
    if v.is_zero() {
        return sign;
    }
    let bits = v.to_bits() as u32;
    let (e, f) = ((bits >> 23 & 0xff) as i32 - 127, u128::from(bits & 0x7f_ffff | 0x80_0000));
    let moved = |v: u128, by: i32| match by {
        0.. => v << by.min(64),
        _ => v >> (-by).min(127),
    };
    match u.op {
        op::RRO_SIN => sign | (moved((f * 0xa2_f983) >> 16, e - 8) & 0x1ff_ffff) as u32,
        _ if e >= 7 => sign | 0x4080_0000,
        _ => sign | moved(f, e) as u32,
    }
}
