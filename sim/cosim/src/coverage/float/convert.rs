//! Events of the conversions.

use super::*;
use warpsmith_model::num::int::value_of;

/// A half as a double.
fn half(x: u32) -> f64 {
    let (e, f) = ((x >> 10 & 31) as i32, f64::from(x & 0x3ff));
    let v = match e {
        0 => f * 2f64.powi(-24),
        31 if f == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (f + 1024.0) * 2f64.powi(e - 25),
    };
    if x & 0x8000 != 0 {
        -v
    } else {
        v
    }
}

fn read(ty: FloatType, x: u32, abs: bool, neg: bool) -> f64 {
    let v = match ty {
        FloatType::F32 => wide(x),
        FloatType::F16 => half(x),
    };
    let v = if abs { v.abs() } else { v };
    if neg {
        -v
    } else {
        v
    }
}

fn bounds(ty: IntType) -> (f64, f64) {
    let most = 2f64.powi(ty.bits() as i32 - i32::from(ty.is_signed()));
    (if ty.is_signed() { -most } else { 0.0 }, most - 1.0)
}

impl Events {
    /// Rounding to an integer: tie, down, up, toward zero.
    fn integral(&mut self, v: f64, round: Round, names: [Event; 4]) {
        let fraction = v.is_finite() && v.fract() != 0.0;
        let [tie, down, up, toward] = names;
        match round {
            Round::Nearest => self.note(tie, v.fract().abs() == 0.5),
            Round::Down => self.note(down, fraction && v < 0.0),
            Round::Up => self.note(up, fraction && v > 0.0),
            Round::Zero => self.note(toward, fraction),
        }
    }

    pub(super) fn convert(&mut self, op: &Op, a: u32, r: u32) {
        match *op {
            Op::F2F { dst, src, round, to_int, neg, abs, sat } => {
                let v = read(src, a, abs, neg);
                if src == FloatType::F16 {
                    self.note(Event::FromHalfDenormal, a & 0x7c00 == 0 && a & 0x3ff != 0);
                    self.note(Event::FromHalfNan, v.is_nan());
                } else {
                    self.note(Event::F2FDenormal, denormal(a));
                }
                self.note(Event::F2FLow, sat && v < 0.0);
                self.note(Event::F2FHigh, sat && v > 1.0);
                if to_int {
                    self.integral(
                        v,
                        round,
                        [Event::IntegralTie, Event::IntegralDown, Event::IntegralUp, Event::IntegralZero],
                    );
                }
                if (dst, src) == (FloatType::F16, FloatType::F32) {
                    self.note(Event::HalfNan, v.is_nan());
                    if !sat {
                        self.narrowed(v, r, round);
                    }
                }
            }
            Op::F2I { dst, src, round, neg, abs } => {
                let v = read(src, a, abs, neg);
                let (least, most) = bounds(dst);
                self.note(Event::F2IHigh, v.is_finite() && v >= most + 1.0);
                self.note(Event::F2ILow, v.is_finite() && v <= least - 1.0);
                self.note(Event::F2INan, v.is_nan());
                self.note(Event::F2IInfinite, v.is_infinite());
                self.note(Event::F2IHalfDenormal, src == FloatType::F16 && a & 0x7c00 == 0 && v != 0.0);
                self.integral(v, round, [Event::F2ITie, Event::F2IDown, Event::F2IUp, Event::F2IZero]);
            }
            Op::I2F { dst, src, neg, abs, sat, .. } => {
                let v = value_of(src, a);
                let v = if abs { v.abs() } else { v };
                let v = if neg { -v } else { v };
                self.note(Event::I2FZero, v == 0);
                self.note(Event::I2FLow, sat && v < 0);
                self.note(Event::I2FHigh, sat && v > 1);
                let most = src.is_signed() && a << (32 - src.bits()) == SIGN;
                self.note(Event::I2FMost, most);
                let significant = 64 - v.unsigned_abs().leading_zeros();
                let kept = if dst == FloatType::F16 { 11 } else { 24 };
                let used = significant.saturating_sub(v.trailing_zeros());
                self.note(Event::I2FInexact, used > kept);
                if dst == FloatType::F16 && !sat {
                    self.note(Event::I2FHalfInfinite, r & 0x7fff == 0x7c00);
                    let beyond = v.unsigned_abs() >= 65536;
                    self.note(Event::I2FHalfLargest, beyond && r & 0x7fff == 0x7bff);
                }
            }
            _ => {}
        }
    }

    fn narrowed(&mut self, v: f64, r: u32, round: Round) {
        if !v.is_finite() || v == 0.0 {
            return;
        }
        let m = v.abs();
        self.note(Event::HalfInfinite, r & 0x7fff == 0x7c00);
        self.note(Event::HalfLargest, m >= 65536.0 && r & 0x7fff == 0x7bff);
        self.note(Event::HalfDenormal, r & 0x7c00 == 0 && r & 0x3ff != 0);
        self.note(Event::HalfUnder, m < 2f64.powi(-25));
        // In units of the last place of the result's binade.
        let binade = (m.to_bits() >> 52) as i32 - 1023;
        let units = m * 2f64.powi(10 - binade.max(-14));
        let inside = m < 65520.0;
        self.note(Event::HalfTie, inside && round == Round::Nearest && units.fract() == 0.5);
    }
}
