//! What float instructions met: operands and results at which their rules change.
//!
//! Everything follows from the operands and results of the model's record. Exact sums and products
//! are double-precision numbers here: 24 by 24 bits fit in 53, and so does a sum whose exponents lie
//! less than 29 apart; sums further apart count for no event of rounding.

mod arithmetic;
mod convert;
mod special;

use std::mem::discriminant;
use warpsmith_isa::op::plain;
use warpsmith_isa::{FloatType, IntType, Op, Round, SfuFn};
use warpsmith_model::num::float::{exponent, flush, is_inf, is_nan, modify, relation, INF};
use warpsmith_model::Retired;

const SIGN: u32 = 0x8000_0000;

/// Whether a row of operation `row` can show the events of `of`: the same operation, whatever formats and modifiers.
pub fn shows(row: &Op, of: &Op) -> bool {
    match (row, of) {
        (Op::Sfu { func, .. }, Op::Sfu { func: of, .. }) => func == of,
        (Op::Rro { ex2, .. }, Op::Rro { ex2: of, .. }) => ex2 == of,
        _ => discriminant(row) == discriminant(of),
    }
}

macro_rules! events {
    ($($op:expr => { $($id:ident $text:literal,)* })*) => {
        /// An event; its number is its place in [`EVENTS`].
        #[derive(Clone, Copy)]
        enum Event { $($($id,)*)* }
        /// Operation and name of every event.
        pub const EVENTS: &[(Op, &str)] = &[$($(($op, $text),)*)*];
    };
}

events! {
    plain::FAdd() => {
        AddCancel "FADD cancels to zero",
        AddNearly "FADD loses 12 or more leading bits",
        AddTie "FADD tie to even",
        AddCarry "FADD rounds up into the next exponent",
        AddSticky "FADD of exponents 26 or more apart",
        AddOverflow "FADD overflows to infinity",
        AddLargest "FADD overflows to the largest number",
        AddFlush "FADD result below the normal range",
        AddDenormal "FADD of a denormal",
        AddZeros "FADD of two negative zeros",
        AddInfinities "FADD of opposite infinities",
        AddNan "FADD of a NaN",
        AddLow "FADD clamps to 0",
        AddHigh "FADD clamps to 1",
        AddSatNan "FADD saturates a NaN",
    }
    plain::FMul() => {
        MulTie "FMUL tie to even",
        MulCarry "FMUL rounds up into the next exponent",
        MulOverflow "FMUL overflows to infinity",
        MulLargest "FMUL overflows to the largest number",
        MulFlush "FMUL result below the normal range",
        MulDenormal "FMUL of a denormal",
        MulInfZero "FMUL of infinity and zero",
        MulNan "FMUL of a NaN",
    }
    plain::FMad() => {
        MadLost "FMAD product loses bits",
        MadTruncated "FMAD differs from a rounded product",
        MadCancel "FMAD cancels to zero",
        MadAddendZero "FMAD with addend zero",
        MadProductZero "FMAD with product zero",
        MadTiny "FMAD product below the normal range",
        MadHuge "FMAD product above the range, result finite",
        MadOverflow "FMAD overflows to infinity",
        MadFlush "FMAD result below the normal range",
        MadInvalid "FMAD makes a NaN of numbers",
        MadNan "FMAD of a NaN",
        MadLow "FMAD clamps to 0",
        MadHigh "FMAD clamps to 1",
        MadSatNan "FMAD saturates a NaN",
    }
    plain::FMinMax(false) => {
        MinMaxNan "FMIN or FMAX of one NaN",
        MinMaxNans "FMIN or FMAX of two NaNs",
        MinMaxZeros "FMIN or FMAX of +0 and -0",
        MinMaxDenormal "FMIN or FMAX gives a flushed denormal",
    }
    plain::FSet() => {
        SetLess "FSET less",
        SetEqual "FSET equal",
        SetGreater "FSET greater",
        SetUnordered "FSET unordered",
        SetZeros "FSET of +0 and -0",
        SetDenormal "FSET of a denormal and a zero",
    }
    plain::FSlct() => {
        SelectNegative "FCMP on a negative",
        SelectZero "FCMP on -0",
        SelectDenormal "FCMP on a negative denormal",
        SelectNan "FCMP on a NaN",
    }
    plain::F2F(FloatType::F16, FloatType::F32, false) => {
        HalfInfinite "F2F.F16 overflows to infinity",
        HalfLargest "F2F.F16 overflows to the largest number",
        HalfDenormal "F2F.F16 result denormal",
        HalfTie "F2F.F16 tie to even",
        HalfUnder "F2F.F16 of a number below all halves",
        HalfNan "F2F.F16 of a NaN",
        FromHalfDenormal "F2F of a half denormal",
        FromHalfNan "F2F of a half NaN",
        F2FDenormal "F2F of a denormal",
        F2FLow "F2F clamps to 0",
        F2FHigh "F2F clamps to 1",
        IntegralTie "F2F.ROUND tie to even",
        IntegralDown "F2F.ROUND down of a negative fraction",
        IntegralUp "F2F.ROUND up of a positive fraction",
        IntegralZero "F2F.ROUND toward zero of a fraction",
    }
    plain::F2I(IntType::S32, FloatType::F32) => {
        F2IHigh "F2I clamps to the largest integer",
        F2ILow "F2I clamps to the smallest integer",
        F2INan "F2I of a NaN",
        F2IInfinite "F2I of infinity",
        F2ITie "F2I tie to even",
        F2IDown "F2I down of a negative fraction",
        F2IUp "F2I up of a positive fraction",
        F2IZero "F2I toward zero of a fraction",
        F2IHalfDenormal "F2I of a half denormal",
    }
    plain::I2F(FloatType::F32) => {
        I2FZero "I2F of 0",
        I2FInexact "I2F loses bits",
        I2FMost "I2F of the most negative integer",
        I2FHalfInfinite "I2F.F16 overflows to infinity",
        I2FHalfLargest "I2F.F16 overflows to the largest number",
        I2FLow "I2F clamps to 0",
        I2FHigh "I2F clamps to 1",
    }
    plain::Sfu(SfuFn::Rcp) => {
        RcpZero "RCP of zero",
        RcpInfinite "RCP of infinity",
        RcpNan "RCP of a NaN",
        RcpDenormal "RCP of a denormal",
        RcpFlush "RCP result below the normal range",
    }
    plain::Sfu(SfuFn::Rsq) => {
        RsqNegativeZero "RSQ of -0",
        RsqNegative "RSQ of a negative",
        RsqInfinite "RSQ of infinity",
        RsqNan "RSQ of a NaN",
        RsqPower "RSQ of a power of four",
        RsqOdd "RSQ of an odd exponent",
    }
    plain::Sfu(SfuFn::Lg2) => {
        Lg2One "LG2 of 1",
        Lg2Below "LG2 below 1",
        Lg2Zero "LG2 of zero",
        Lg2Negative "LG2 of a negative",
        Lg2Infinite "LG2 of infinity",
        Lg2Nan "LG2 of a NaN",
    }
    plain::Sfu(SfuFn::Sin) => {
        Sin0 "SIN quadrant 0",
        Sin1 "SIN quadrant 1",
        Sin2 "SIN quadrant 2",
        Sin3 "SIN quadrant 3",
        SinNegative "SIN of a negative",
        SinCode "SIN of a code",
    }
    plain::Sfu(SfuFn::Cos) => {
        Cos0 "COS quadrant 0",
        Cos1 "COS quadrant 1",
        Cos2 "COS quadrant 2",
        Cos3 "COS quadrant 3",
        CosCode "COS of a code",
    }
    plain::Sfu(SfuFn::Ex2) => {
        Ex2Nan "EX2 of the NaN code",
        Ex2Infinite "EX2 of plus infinity's code",
        Ex2Zero "EX2 of minus infinity's code",
        Ex2Under "EX2 result below the normal range",
        Ex2Integer "EX2 of a negative integer",
        Ex2Fraction "EX2 of a negative fraction",
        Ex2High "EX2 clamps to 1",
    }
    plain::Rro(false) => {
        RroSinNan "RRO.SIN of a NaN",
        RroSinInfinite "RRO.SIN of infinity",
        RroSinWraps "RRO.SIN of 4 quadrants or more",
        RroSinHuge "RRO.SIN with no bit left",
        RroSinSmall "RRO.SIN of a number below all codes",
        RroSinDenormal "RRO.SIN of a denormal",
    }
    plain::Rro(true) => {
        RroEx2Nan "RRO.EX2 of a NaN",
        RroEx2Infinite "RRO.EX2 of infinity",
        RroEx2Range "RRO.EX2 of 128 or more",
        RroEx2Lost "RRO.EX2 loses bits",
        RroEx2Denormal "RRO.EX2 of a denormal",
    }
}

// Bits of one word hold them.
const _: () = assert!(EVENTS.len() <= 128);

/// Numbers of the events of one warp instruction, one bit each.
pub fn events(op: &Op, r: &Retired) -> u128 {
    let mut e = Events(0);
    for l in (0..32).filter(|l| r.exec_mask >> l & 1 == 1) {
        let [a, b, c] = r.sources.map(|s| s[l]);
        e.thread(op, [a, b, c], r.values[0][l]);
    }
    e.0
}

struct Events(u128);

/// A single as a double.
fn wide(x: u32) -> f64 {
    f64::from(f32::from_bits(flush(x)))
}

fn denormal(x: u32) -> bool {
    flush(x) != x
}

fn zero(x: u32) -> bool {
    x & !SIGN == 0
}

fn finite(x: u32) -> bool {
    exponent(x) != 255
}

/// Biased exponent of an exact result, and its fraction bits below the 23 of a single.
fn split(v: f64) -> (i32, u64) {
    let bits = v.abs().to_bits();
    ((bits >> 52) as i32 - 1023 + 127, bits & 0x1fff_ffff)
}

const HALF_BIT: u64 = 0x1000_0000;

impl Events {
    fn note(&mut self, event: Event, holds: bool) {
        self.0 |= u128::from(holds) << event as u32;
    }

    /// Events of an exact sum or product `v` of finite operands that became `r` before saturation:
    /// tie, carry, overflow to infinity, to the largest number, flush.
    fn rounding(&mut self, v: f64, r: u32, to: Round, names: [Event; 5]) {
        let [tie, carry, infinite, largest, flushed] = names;
        let (e, low) = split(v);
        let inside = (1..255).contains(&e);
        self.note(tie, inside && low == HALF_BIT && to == Round::Nearest);
        self.note(carry, inside && v != 0.0 && finite(r) && exponent(r) > e);
        self.note(infinite, is_inf(r));
        self.note(largest, to == Round::Zero && e > 254 && r & !SIGN == INF - 1);
        self.note(flushed, v != 0.0 && zero(r));
    }

    fn saturation(&mut self, unclamped: u32, names: [Event; 3]) {
        let [low, high, nan] = names;
        self.note(low, unclamped & SIGN != 0 && !is_nan(unclamped) && !zero(unclamped));
        self.note(high, !is_nan(unclamped) && f32::from_bits(unclamped) > 1.0);
        self.note(nan, is_nan(unclamped));
    }

    fn thread(&mut self, op: &Op, [a, b, c]: [u32; 3], r: u32) {
        match *op {
            Op::FAdd { neg_a, neg_b, round, sat } => {
                self.add(modify(a, false, neg_a), modify(b, false, neg_b), round, sat)
            }
            Op::FMul { neg_a, neg_b, round } => self.mul(modify(a, false, neg_a), modify(b, false, neg_b), r, round),
            Op::FMad { neg_ab, neg_c, sat } => {
                self.mad(modify(a, false, neg_ab), b, modify(c, false, neg_c), sat);
            }
            Op::FMinMax { neg_a, abs_a, neg_b, abs_b, .. } => {
                let (x, y) = (modify(a, abs_a, neg_a), modify(b, abs_b, neg_b));
                self.note(Event::MinMaxNan, is_nan(x) != is_nan(y));
                self.note(Event::MinMaxNans, is_nan(x) && is_nan(y));
                self.note(Event::MinMaxZeros, zero(x) && x ^ y == SIGN);
                self.note(Event::MinMaxDenormal, (denormal(x) || denormal(y)) && zero(r));
            }
            Op::FSet { neg_a, abs_a, neg_b, abs_b, .. } => {
                let (x, y) = (modify(a, abs_a, neg_a), modify(b, abs_b, neg_b));
                let names = [Event::SetLess, Event::SetEqual, Event::SetGreater, Event::SetUnordered];
                self.note(names[relation(x, y) as usize], true);
                self.note(Event::SetZeros, zero(x) && x ^ y == SIGN);
                self.note(Event::SetDenormal, denormal(x) && zero(y) || zero(x) && denormal(y));
            }
            Op::FSlct { neg_c } => {
                let x = modify(c, false, neg_c);
                let negative = x & SIGN != 0;
                self.note(Event::SelectNegative, negative && !is_nan(x) && exponent(x) > 0);
                self.note(Event::SelectZero, x == SIGN);
                self.note(Event::SelectDenormal, negative && denormal(x));
                self.note(Event::SelectNan, is_nan(x));
            }
            Op::Sfu { func, neg, abs, sat } => self.sfu(func, modify(a, abs, neg), r, sat),
            Op::Rro { ex2, neg, abs } => self.rro(ex2, modify(a, abs, neg), r),
            _ => self.convert(op, a, r),
        }
    }
}
