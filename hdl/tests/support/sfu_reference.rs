//! What the special functions must give, written from docs/numerics.md in 64-bit integers.
//!
//! Shares the documented coefficients with the unit, which a test compares with their source, and
//! nothing with the golden model.

use std::sync::OnceLock;
use warpsmith_hdl::sm::control::function;
use warpsmith_isa::numbers::{EX2, LG2, RCP, RSQ, SIN};

const SIGN: u32 = 1 << 31;
const INF: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fff_ffff;
const ONE: u32 = 0x3f80_0000;

/// The six functions.
pub const FUNCTIONS: [(u64, &str); 6] = [
    (function::RCP, "RCP"),
    (function::RSQ, "RSQ"),
    (function::LG2, "LG2"),
    (function::SIN, "SIN"),
    (function::COS, "COS"),
    (function::EX2, "EX2"),
];

/// One operation of the unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Op {
    pub func: u64,
    pub neg: bool,
    pub abs: bool,
    pub sat: bool,
    pub x: u32,
}

/// Result of `op`.
pub fn expected(op: &Op) -> u32 {
    let x = if op.abs { op.x & !SIGN } else { op.x };
    let x = if op.neg { x ^ SIGN } else { x };
    match op.func {
        function::RCP => reciprocal(x),
        function::RSQ => root(x),
        function::LG2 => logarithm(x),
        function::SIN => wave(x >> 23 & 0x7f, x & SIGN, x),
        function::COS => wave((x >> 23 & 0x7f) + 1, 0, x),
        function::EX2 => match power(x) {
            y if op.sat && y <= INF => y.min(ONE),
            y => y,
        },
        other => panic!("function {other}"),
    }
}

/// The truncated squarer, of all 17-bit numbers.
fn square(x: i64) -> i64 {
    static SQUARES: OnceLock<Vec<u16>> = OnceLock::new();
    let row = |x: u32| (0..17).filter(move |k| x >> k & 1 == 1);
    let of = |x: u32| row(x).map(|k| x >> (18 - k)).sum::<u32>() / 2;
    let table = SQUARES.get_or_init(|| (0..1 << 17).map(|x| of(x) as u16).collect());
    table[x as usize].into()
}

fn coefficients(table: &[[i32; 3]], segment: u32) -> [i64; 3] {
    table[segment as usize].map(i64::from)
}

/// The number `v` of which bit `place` has the biased exponent `e`, truncated to 24 bits.
fn float(sign: u32, v: i64, place: i64, e: i64) -> u32 {
    if v == 0 {
        return sign;
    }
    let lead = v.ilog2();
    let e = e + i64::from(lead) - place;
    let top = if lead > 23 { v >> (lead - 23) } else { v << (23 - lead) };
    let fraction = top as u32 & 0x7f_ffff;
    match e {
        ..=0 => sign,
        1..=254 => sign | (e as u32) << 23 | fraction,
        _ => sign | INF,
    }
}

fn reciprocal(x: u32) -> u32 {
    let (sign, e) = (x & SIGN, x >> 23 & 0xff);
    match e {
        255 if x & !SIGN > INF => NAN,
        255 => sign,
        0 => sign | INF,
        _ => {
            let [c0, c1, c2] = coefficients(&RCP, x >> 16 & 0x7f);
            let r = i64::from(x & 0xffff);
            let v = ((c0 << 13) + c1 * r + c2 * square(2 * r) + 0x47e7) >> 15;
            float(sign, v, 23, 253 - i64::from(e))
        }
    }
}

fn root(x: u32) -> u32 {
    match x {
        _ if x & !SIGN > INF => NAN,
        _ if x & INF == 0 => x & SIGN | INF,
        _ if x & SIGN != 0 => NAN,
        INF => 0,
        _ => {
            let e = i64::from(x >> 23) - 127;
            let g = (x & 0x7f_ffff) + ((e.rem_euclid(2) as u32) << 23);
            let e = e.div_euclid(2);
            if g == 0 {
                return ((127 - e) as u32) << 23;
            }
            let [c0, c1, c2] = coefficients(&RSQ, g >> 17);
            let r = i64::from(g & 0x1_ffff);
            let v = ((c0 << 14) + c1 * r + c2 * square(r) * 4 + 0x7fff) >> 16;
            float(0, v, 23, 126 - e)
        }
    }
}

fn logarithm(x: u32) -> u32 {
    match x {
        _ if x & !SIGN > INF => NAN,
        _ if x & INF == 0 => SIGN | INF,
        _ if x & SIGN != 0 => NAN,
        INF => INF,
        _ => {
            let [c0, c1, c2] = coefficients(&LG2, x >> 17 & 0x3f);
            let r = i64::from(x & 0x1_ffff);
            let r = ((c0 << 12) + c1 * r + c2 * square(r) * 2 + 0x3345) >> 2;
            let r = if x == ONE { 0 } else { r };
            match r + (i64::from(x >> 23) - 127) * (1 << 36) {
                v if v < 0 => float(SIGN, !v, 42, 133),
                v => float(0, v, 42, 133),
            }
        }
    }
}

fn wave(quadrant: u32, sign: u32, x: u32) -> u32 {
    if x & 0x4000_0000 != 0 {
        return NAN;
    }
    let f = x & 0x7f_ffff;
    let f = if quadrant % 2 == 1 { 0x7f_ffff - f } else { f };
    let sign = if quadrant / 2 % 2 == 1 { sign ^ SIGN } else { sign };
    let [c0, c1, c2] = coefficients(&SIN, f >> 17);
    let r = i64::from(f & 0x1_ffff);
    float(sign, (c0 << 11) + c1 * r + c2 * square(r), 37, 127)
}

fn power(x: u32) -> u32 {
    if x & 0x4000_0000 != 0 {
        return match (x >> 23 & 1, x & SIGN) {
            (0, _) => NAN,
            (_, 0) => INF,
            _ => 0,
        };
    }
    // q.F in units of 2^-23; a fraction below zero is complemented, so it counts one less.
    let (q, f) = (i64::from(x >> 23 & 0x7f), x & 0x7f_ffff);
    let (q, f) = match (x & SIGN, f) {
        (0, _) => (q, f),
        (_, 0) => (-q, 0),
        _ => (-q - 1, 0x7f_ffff - f),
    };
    let [c0, c1, c2] = coefficients(&EX2, f >> 17);
    let r = i64::from(f & 0x1_ffff);
    let v = ((c0 << 13) + c1 * r + c2 * square(r) + 0x77e2) >> 15;
    float(0, v, 23, q + 127)
}
