//! A reference that shares no code with the model: `rustc_apfloat`, LLVM's software float.
//!
//! The adapter is small on purpose: denormal singles become signed zeros on the way in and out,
//! NaN results the one NaN of the machine. Everything else is IEEE 754 as the crate has it.

use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round as IeeeRound};
use warpsmith_isa::Round;
use warpsmith_testkit::Random;

pub const SIGN: u32 = 0x8000_0000;

/// Every rounding mode of the instruction set.
pub const ROUNDS: [Round; 4] = [Round::Nearest, Round::Down, Round::Up, Round::Zero];

/// The same mode in the reference's words.
pub fn ieee(round: Round) -> IeeeRound {
    match round {
        Round::Nearest => IeeeRound::NearestTiesToEven,
        Round::Down => IeeeRound::TowardNegative,
        Round::Up => IeeeRound::TowardPositive,
        Round::Zero => IeeeRound::TowardZero,
    }
}

/// A word as the reference reads it, denormals flushed.
pub fn single(x: u32) -> Single {
    flushed(Single::from_bits(x.into()))
}

/// A denormal becomes a zero of its sign.
pub fn flushed(x: Single) -> Single {
    if x.is_denormal() {
        Single::ZERO.copy_sign(x)
    } else {
        x
    }
}

/// The word of a result: flushed, NaN canonical.
pub fn word(x: Single) -> u32 {
    if x.is_nan() {
        0x7fff_ffff
    } else {
        flushed(x).to_bits() as u32
    }
}

/// Random cases a comparison: `base`, or 50 times as many with `WARPSMITH_SOAK` set.
pub fn cases(base: u32) -> u32 {
    cases_times(base, 50)
}

/// The same with another factor, for slow comparisons.
pub fn cases_times(base: u32, factor: u32) -> u32 {
    warpsmith_testkit::cases(base, base * factor)
}

/// Words where rules change: zeros, denormals, ends of the normal range, one and its neighbours,
/// integers at the ends of every integer type, infinities, quiet and signalling NaN.
pub const SPECIALS: [u32; 26] = [
    0x0000_0000, 0x0000_0001, 0x0040_0000, 0x007f_ffff, 0x0080_0000, 0x0080_0001, 0x00ff_ffff, 0x0100_0000,
    0x3380_0000, 0x33ff_ffff, 0x3effffff, 0x3f00_0000, 0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001, 0x3fc0_0000, 0x4b80_0000,
    0x477f_ff00, 0x4f00_0000, 0x4f7f_ffff, 0x7e80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000,
    0x7fff_ffff,
];

/// Operands among which the interesting cases are common.
pub trait Operands {
    /// A fraction: random, few bits at the top, or all ones but few at the bottom.
    fn fraction(&mut self) -> u32;
    /// A word with its exponent in `lo..=hi` (clipped to the field).
    fn with_exponent(&mut self, lo: i32, hi: i32) -> u32;
    /// One word: any, a special, or of moderate exponent.
    fn any(&mut self) -> u32;
    /// A second word that meets the first: near it in exponent, its negative but for a few units,
    /// such that their product lies at an end of the range, or any.
    fn beside(&mut self, a: u32) -> u32;
}

impl Operands for Random {
    fn fraction(&mut self) -> u32 {
        let f = self.bits() as u32 & 0x7f_ffff;
        match self.below(4) {
            0 => f & !(0x7f_ffff >> self.below(6)),
            1 => 0x7f_ffff ^ (f & 7),
            _ => f,
        }
    }

    fn with_exponent(&mut self, lo: i32, hi: i32) -> u32 {
        let (lo, hi) = (lo.clamp(0, 255), hi.clamp(0, 255));
        let e = lo as u32 + self.below((hi - lo + 1) as u32);
        (self.bits() as u32 & SIGN) | (e << 23) | self.fraction()
    }

    fn any(&mut self) -> u32 {
        match self.below(8) {
            0 => SPECIALS[self.index(SPECIALS.len())] ^ (self.bits() as u32 & SIGN),
            1..=3 => self.bits() as u32,
            4 => self.with_exponent(0, 3),
            5 => self.with_exponent(251, 255),
            _ => self.with_exponent(90, 165),
        }
    }

    fn beside(&mut self, a: u32) -> u32 {
        let e = ((a >> 23) & 0xff) as i32;
        match self.below(6) {
            0 => self.with_exponent(e - 27, e + 27),
            1 => self.with_exponent(e - 2, e + 2),
            2 => (a ^ SIGN).wrapping_add(self.below(9)).wrapping_sub(4),
            3 => self.with_exponent(125 - e, 130 - e),
            4 => self.with_exponent(379 - e, 384 - e),
            _ => self.any(),
        }
    }
}
