//! Errors of the special functions: what is measured, over which inputs, against what.
//!
//! The scan compares with the host's double precision, whose own error is below 2^-50 of the
//! value; `tests/accuracy.rs` holds that against arithmetic of 160 bits. An ulp is the last place
//! of a single of the exact value's magnitude, never less than 2^-149.
#![allow(dead_code)] // the example and the tests use different parts

use std::f64::consts::FRAC_PI_2;
use std::ops::RangeInclusive;
use warpsmith_isa::SfuFn;
use warpsmith_model::num::{rro, sfu};

/// Number that an input word encodes.
#[derive(Clone, Copy, PartialEq)]
pub enum Input {
    /// A single, given to the function itself.
    Single,
    /// A single, given to the range reduction first.
    Reduced,
    /// A fixed-point code, 7.23 bits and a sign.
    Code,
}

/// One line of the table.
pub struct Case {
    pub function: SfuFn,
    pub input: Input,
    pub domain: &'static str,
    /// Input words.
    pub words: Vec<RangeInclusive<u32>>,
    /// Only inputs whose exact result has a magnitude in this range count.
    pub results: RangeInclusive<f64>,
    /// Step of the short scan; the full scan takes every word.
    pub step: usize,
}

/// The largest errors of a case and the inputs where they are.
#[derive(Clone, Copy, Default)]
pub struct Errors {
    pub ulp: (f64, u32),
    pub absolute: (f64, u32),
    pub inputs: u64,
}

impl Case {
    /// The model's result.
    pub fn model(&self, x: u32) -> u32 {
        let x = match (self.input, self.function) {
            (Input::Reduced, SfuFn::Ex2) => rro::ex2(x),
            (Input::Reduced, _) => rro::sin(x),
            _ => x,
        };
        sfu::apply(self.function, x)
    }

    /// The argument as a number: of a code, the signed 7.23 fixed-point value.
    pub fn argument(&self, x: u32) -> f64 {
        if self.input != Input::Code {
            return f64::from(f32::from_bits(x));
        }
        let v = f64::from(x & 0x3fff_ffff) / f64::from(1 << 23);
        if x >> 31 != 0 {
            -v
        } else {
            v
        }
    }

    /// The exact result in double precision.
    pub fn reference(&self, x: u32) -> f64 {
        let v = self.argument(x);
        match (self.function, self.input) {
            (SfuFn::Rcp, _) => 1.0 / v,
            (SfuFn::Rsq, _) => 1.0 / v.sqrt(),
            (SfuFn::Lg2, _) => v.log2(),
            (SfuFn::Ex2, _) => v.exp2(),
            (SfuFn::Sin, Input::Code) => quarters(v),
            (SfuFn::Cos, Input::Code) => quarters(v + 1.0),
            (SfuFn::Sin, _) => v.sin(),
            (SfuFn::Cos, _) => v.cos(),
        }
    }

    /// Error of one input in ulp and absolute.
    pub fn error(&self, x: u32) -> (f64, f64) {
        self.error_from(x, self.reference(x))
    }

    fn error_from(&self, x: u32, exact: f64) -> (f64, f64) {
        let absolute = (f64::from(f32::from_bits(self.model(x))) - exact).abs();
        (absolute / ulp(exact), absolute)
    }

    /// Largest errors over every `step`th word.
    pub fn scan(&self, step: usize) -> Errors {
        let mut most = Errors::default();
        for x in self.words.iter().flat_map(|w| w.clone().step_by(step)) {
            let exact = self.reference(x);
            if !self.results.contains(&exact.abs()) {
                continue;
            }
            let (ulp, absolute) = self.error_from(x, exact);
            most.inputs += 1;
            if ulp > most.ulp.0 {
                most.ulp = (ulp, x);
            }
            if absolute > most.absolute.0 {
                most.absolute = (absolute, x);
            }
        }
        most
    }

    /// First cells of the table's row.
    pub fn title(&self) -> String {
        let function = format!("{:?}", self.function).to_uppercase();
        let through = match (self.input, self.function) {
            (Input::Reduced, SfuFn::Ex2) => "RRO.EX2, ",
            (Input::Reduced, _) => "RRO.SIN, ",
            _ => "",
        };
        format!("{through}{function} | {}", self.domain)
    }
}

/// Last place of a single of this magnitude.
fn ulp(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    2f64.powi(exponent.max(-126) - 23)
}

/// Sine of `v` quarter turns. The nearest zero is taken off before the multiplication by pi/2, so
/// the result is accurate relative to its own size.
fn quarters(v: f64) -> f64 {
    let half_turns = (v / 2.0).round();
    let rest = v - 2.0 * half_turns;
    let s = (rest * FRAC_PI_2).sin();
    if half_turns % 2.0 != 0.0 {
        -s
    } else {
        s
    }
}

/// Words of the positive singles in `from..=to`.
fn singles(from: f32, to: f32) -> RangeInclusive<u32> {
    from.to_bits()..=to.to_bits()
}

/// Words of the singles of both signs with a magnitude in `from..=to`.
fn both(from: f32, to: f32) -> Vec<RangeInclusive<u32>> {
    vec![singles(from, to), singles(-from, -to)]
}

/// Largest single below a positive one.
fn below(x: f32) -> f32 {
    f32::from_bits(x.to_bits() - 1)
}

/// Every line of the table, in its order.
pub fn cases() -> Vec<Case> {
    use Input::{Code, Reduced, Single};
    use SfuFn::{Cos, Ex2, Lg2, Rcp, Rsq, Sin};
    let case =
        |function, input, domain, words| Case { function, input, domain, words, results: 0.0..=f64::INFINITY, step: 1 };
    let power = |n: i32| 2f32.powi(n);
    // Codes of one quadrant or of one integer part.
    let codes = |q: u32| q << 23..=(q << 23) + 0x7f_ffff;
    let minus = 0x8000_0000;
    let mut list = vec![
        case(Rcp, Single, "1 ≤ x < 2", vec![singles(1.0, below(2.0))]),
        case(Rsq, Single, "1 ≤ x < 4", vec![singles(1.0, below(4.0))]),
        case(Lg2, Single, "1/2 ≤ x < 1", vec![singles(0.5, below(1.0))]),
        case(Lg2, Single, "1 ≤ x < 2", vec![singles(1.0, below(2.0))]),
        case(Lg2, Single, "1 − 2^−7 ≤ x ≤ 1 + 2^−6", vec![singles(0.9921875, 1.015625)]),
        case(Lg2, Single, "2 ≤ x < 4", vec![singles(2.0, below(4.0))]),
        case(Lg2, Single, "4 ≤ x < 256", vec![singles(4.0, below(256.0))]),
        case(Lg2, Single, "1/256 ≤ x < 1/2", vec![singles(1.0 / 256.0, below(0.5))]),
        case(Lg2, Single, "2^−126 ≤ x < 2^−125", vec![singles(power(-126), below(power(-125)))]),
        case(Lg2, Single, "2^127 ≤ x < 2^128", vec![singles(power(127), f32::MAX)]),
        case(Ex2, Code, "0 ≤ x < 1", vec![codes(0)]),
        case(Ex2, Code, "−1 < x < 0", vec![minus | 1..=minus | 0x7f_ffff]),
        case(Ex2, Code, "127 ≤ x < 128", vec![codes(127)]),
        case(Ex2, Code, "−126 ≤ x < −125", vec![(minus | 125 << 23) + 1..=minus | 126 << 23]),
        case(Ex2, Reduced, "2^−25 ≤ abs(x) < 1", both(power(-25), below(1.0))),
        case(Ex2, Reduced, "1 ≤ abs(x) ≤ 126", both(1.0, 126.0)),
    ];
    for function in [Sin, Cos] {
        for (q, domain) in ["0 ≤ x < 1", "1 ≤ x < 2", "2 ≤ x < 3", "3 ≤ x < 4"].into_iter().enumerate() {
            list.push(case(function, Code, domain, vec![codes(q as u32)]));
        }
        list.push(Case {
            results: 0.5..=1.0,
            ..case(function, Code, "0 ≤ x < 4, result at least 1/2", (0..4).map(codes).collect())
        });
        list.push(Case {
            results: 0.0..=1.0 / 1024.0,
            ..case(function, Code, "0 ≤ x < 4, result at most 2^−10", (0..4).map(codes).collect())
        });
        // The singles nearest to pi/2, pi and 2 pi lie above them.
        let pi = std::f32::consts::PI;
        let reduced = |domain, from, to| case(function, Reduced, domain, vec![singles(from, to)]);
        list.extend([
            reduced("2^−25 ≤ x < π/2", power(-25), below(pi / 2.0)),
            reduced("π/2 < x < π", pi / 2.0, below(pi)),
            reduced("π < x < 2π", pi, below(2.0 * pi)),
            reduced("2π < x < 2^4", 2.0 * pi, below(power(4))),
            reduced("2^4 ≤ x < 2^8", power(4), below(power(8))),
            reduced("2^8 ≤ x < 2^12", power(8), below(power(12))),
            reduced("2^12 ≤ x < 2^16", power(12), below(power(16))),
            reduced("2^16 ≤ x < 2^20", power(16), below(power(20))),
            reduced("2^20 ≤ x < 2^24", power(20), below(power(24))),
        ]);
    }
    // The short scan: everything that fits in two binades, a sample of the rest.
    for case in &mut list {
        let words: usize = case.words.iter().map(|w| w.clone().count()).sum();
        if words > 1 << 24 {
            case.step = words >> 20;
        }
    }
    list
}

/// An error in ulp as the table prints it.
pub fn in_ulp(x: f64) -> String {
    if x < 1e5 {
        format!("{x:.4}")
    } else {
        format!("{x:.3e}")
    }
}

/// An absolute error as the table prints it.
pub fn absolute(x: f64) -> String {
    format!("{x:.4e}")
}

/// A row of the table.
pub fn row(case: &Case, most: &Errors) -> String {
    format!(
        "| {} | {} | {} | `{:08x}` | {} | `{:08x}` |",
        case.title(),
        most.inputs,
        in_ulp(most.ulp.0),
        most.ulp.1,
        absolute(most.absolute.0),
        most.absolute.1,
    )
}

/// The table's head.
pub const HEAD: &str = "\
| function | inputs | number | largest error, ulp | at | largest error, absolute | at |
|---|---|---|---|---|---|---|";
