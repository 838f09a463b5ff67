//! Words worth computing with.
//!
//! Two random words as floats have exponents far apart: their sum is the larger, their product
//! overflows. Floats are therefore drawn near each other and with few fraction bits, so that sums
//! cancel, tie and carry, and mixed with the values where the rules change.

use rand::Rng;
use warpsmith_isa::{FloatType, Op, SfuFn};

/// Singles at which some rule changes; either sign is drawn.
const SINGLES: [u32; 34] = [
    0x0000_0000, // Smallest and largest denormal, smallest normal and the next.
    0x0000_0001, 0x007f_ffff, 0x0080_0000, 0x0080_0001, // 2^-24, a half, one and its neighbours, two.
    0x3380_0000, 0x3f00_0000, 0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001, 0x4000_0000,
    // 255, 256, 2^15 and around 2^16: ends of the narrow integers and of the halves.
    0x437f_0000, 0x4380_0000, 0x4700_0000, 0x477f_e000, 0x477f_f000, 0x4780_0000,
    // 2^23, 2^24 and their neighbours.
    0x4aff_ffff, 0x4b00_0000, 0x4b00_0001, 0x4b7f_ffff, 0x4b80_0000, // Around 2^31 and 2^32.
    0x4eff_ffff, 0x4f00_0000, 0x4f7f_ffff, 0x4f80_0000,
    // 128: the end of EX2's range. 2^126, 2^127, the largest number.
    0x4300_0000, 0x7e80_0000, 0x7f00_0000, 0x7f7f_ffff, // Infinity, NaNs quiet and signalling.
    0x7f80_0000, 0x7f80_0001, 0x7fc0_1234, 0x7fff_ffff,
];

const SIGN: u32 = 0x8000_0000;
/// All exponent bits.
const INF: u32 = 0x7f80_0000;

/// Halves at which some rule changes; either sign is drawn.
const HALVES: [u16; 18] = [
    0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x63ff, 0x7bff,
    0x7c00, 0x7c01, 0x7e00, 0x7fff,
];

/// A fraction of 23 bits: none, a few high bits, a few low bits, so many that a product of two has
/// one bit to round, or any.
fn fraction(rng: &mut impl Rng) -> u32 {
    match rng.gen_range(0..6) {
        0 => 0,
        1 => rng.gen_range(0..8) << 20,
        2 => rng.gen_range(0..4),
        3 => 0x7f_ffff - rng.gen_range(0..4),
        4 => rng.gen_range(0..1 << 12) << 11,
        _ => rng.gen_range(0..1 << 23),
    }
}

/// A single at which some rule changes, NaNs and one more often than the rest.
fn corner(rng: &mut impl Rng) -> u32 {
    let x = match rng.gen_range(0..10) {
        0 => INF | rng.gen_range(1..1 << 23),
        1 => 0x3f80_0000,
        _ => SINGLES[rng.gen_range(0..SINGLES.len())],
    };
    signed(rng, x)
}

fn signed(rng: &mut impl Rng, x: u32) -> u32 {
    x | u32::from(rng.gen::<bool>()) << 31
}

/// A finite normal number within a few powers of two of `centre`, a biased exponent.
pub fn near(rng: &mut impl Rng, centre: u32) -> u32 {
    let exponent = match rng.gen_range(0..8) {
        // One unit in the last place of a neighbour, and half of one.
        0 => centre - rng.gen_range(22..26),
        1..=3 => centre,
        _ => centre + rng.gen_range(0..9) - 4,
    };
    let f = fraction(rng);
    signed(rng, exponent << 23 | f)
}

/// A half float, corner cases often.
pub fn half(rng: &mut impl Rng) -> u16 {
    let x = match rng.gen_range(0..3) {
        0 => HALVES[rng.gen_range(0..HALVES.len())],
        1 => rng.gen_range(13u16..18) << 10 | rng.gen_range(0..8u16) << 7,
        _ => rng.gen(),
    };
    x ^ u16::from(rng.gen::<bool>()) << 15
}

/// A number at an end of the range.
fn end(rng: &mut impl Rng) -> u32 {
    let (e, f) = ([1, 2, 24, 25, 252, 253, 254], fraction(rng));
    let e = e[rng.gen_range(0..e.len())];
    signed(rng, e << 23 | f)
}

/// A multiple of a half.
fn half_integer(rng: &mut impl Rng) -> u32 {
    let n = rng.gen_range(0..2_000) as f32 / 2.0;
    signed(rng, n.to_bits())
}

/// A single in the range of halves and of their denormals, with half a unit to round.
fn near_half(rng: &mut impl Rng) -> u32 {
    let (e, f) = (rng.gen_range(102..144), rng.gen_range(0..1 << 10));
    signed(rng, e << 23 | f << 13 | 1 << 12)
}

fn halves(rng: &mut impl Rng) -> u32 {
    u32::from(half(rng)) | u32::from(half(rng)) << 16
}

/// A range-reduced argument: a code, or 7.23 fixed point.
fn reduced(rng: &mut impl Rng) -> u32 {
    let f = fraction(rng);
    let x = match rng.gen_range(0..5) {
        0 => 0x4000_0000,
        1 => 0x4080_0000,
        2..=3 => rng.gen_range(0..4) << 23 | f,
        _ => rng.gen_range(0..128) << 23 | f,
    };
    signed(rng, x)
}

/// Three words that make a case of a rule of `op` when they meet.
pub fn together(rng: &mut impl Rng, op: &Op) -> [u32; 3] {
    match op {
        Op::Sfu { func: SfuFn::Sin | SfuFn::Cos | SfuFn::Ex2, .. } => [reduced(rng), reduced(rng), reduced(rng)],
        Op::Sfu { .. } | Op::Rro { .. } => [corner(rng), corner(rng), end(rng)],
        Op::I2F { .. } => [0x8000_8000, 0x8000_0000, rng.gen()],
        Op::F2F { src: FloatType::F16, .. } | Op::F2I { src: FloatType::F16, .. } => {
            [halves(rng), halves(rng), halves(rng)]
        }
        Op::F2F { .. } | Op::F2I { .. } => [near_half(rng), half_integer(rng), corner(rng)],
        Op::FMinMax { .. } | Op::FSet { .. } | Op::FSlct { .. } if rng.gen_bool(0.7) => opposites(rng),
        Op::FAdd { .. } => sum(rng),
        Op::FMul { .. } => product(rng),
        _ if rng.gen() => sum(rng),
        _ => product(rng),
    }
}

/// A corner case, its opposite, and a zero or an infinity.
fn opposites(rng: &mut impl Rng) -> [u32; 3] {
    let x = match rng.gen_range(0..5) {
        0 => SIGN,
        1 => INF,
        2 => rng.gen_range(1..1 << 23) | SIGN,
        _ => corner(rng),
    };
    let other = [0, INF][usize::from(rng.gen_bool(0.3))];
    [x, x ^ SIGN, signed(rng, other)]
}

/// Words that meet as terms of a sum.
fn sum(rng: &mut impl Rng) -> [u32; 3] {
    let signs = [rng.gen::<bool>(), rng.gen()].map(|s| u32::from(s) << 31);
    match rng.gen_range(0..7) {
        0 => opposites(rng),
        // The same but for a few low bits, or the signs: sums cancel.
        1..=2 => {
            let x = if rng.gen() { near(rng, 127) } else { float(rng) };
            [x, x ^ signs[0] ^ rng.gen_range(0..4), x ^ signs[1]]
        }
        // An odd last place, and half of it; often the last place of all ones.
        3 => {
            let ones = [1, 0x7f_ffff][usize::from(rng.gen_bool(0.3))];
            let x = near(rng, 127) | ones;
            let half = (x & INF) - (24 << 23);
            let less = half - (rng.gen_range(0..2) << 23);
            [x, half | x & SIGN ^ signs[0] & signs[1], less | signs[1]]
        }
        // Sums below the normal range.
        4 => {
            let x = rng.gen_range(1..4) << 23 | fraction(rng) | signs[1];
            [x, x ^ signs[0] ^ rng.gen_range(0..4096), corner(rng)]
        }
        // Sums above it.
        _ => {
            let x = 254 << 23 | fraction(rng) | signs[1];
            let y = x ^ (signs[0] & signs[1]) ^ fraction(rng);
            [x, y, near(rng, 250)]
        }
    }
}

/// Words that meet as two factors and an addend.
fn product(rng: &mut impl Rng) -> [u32; 3] {
    let sign = u32::from(rng.gen::<bool>()) << 31;
    match rng.gen_range(0..6) {
        0 => opposites(rng),
        // One and a little times two less twice as much: just below two.
        1 => {
            let k = rng.gen_range(1..8);
            [0x3f80_0000 + k, (0x4000_0000 - 2 * k) ^ sign, near(rng, 127)]
        }
        // Above the upper end, and an addend that brings it back.
        2 => {
            let x = 254 << 23 | fraction(rng) | sign;
            [191 << 23 | fraction(rng) >> 1, 191 << 23, x]
        }
        3 => [near(rng, 191), near(rng, 191), end(rng)],
        // At the lower end, and an addend as small.
        _ => {
            let x = rng.gen_range(1..4) << 23 | fraction(rng) | sign;
            [near(rng, 64), near(rng, 64), x]
        }
    }
}

/// Words at which some rule of integers changes.
const CORNERS: [u32; 12] =
    [0, 1, 2, 0x7fff, 0x8000, 0xffff, 0x0001_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x00ff_ffff, 0x3f80_0000];

/// A word for integer operations: corner cases often.
pub fn integer(rng: &mut impl Rng) -> u32 {
    match rng.gen_range(0..4) {
        0 => CORNERS[rng.gen_range(0..CORNERS.len())],
        1 => rng.gen_range(0..64),
        _ => rng.gen(),
    }
}

/// A word for float operations.
pub fn float(rng: &mut impl Rng) -> u32 {
    match rng.gen_range(0..32) {
        0..=2 => corner(rng),
        3..=19 => near(rng, 127),
        // Products of two lie at the end of the range: overflow, and around the smallest normal.
        20 => near(rng, 190),
        21 => near(rng, 64),
        // The ends themselves.
        22 => end(rng),
        // Integers, and half a unit between two.
        23..=24 => half_integer(rng),
        // Anything an integer can hold.
        25 => {
            let (e, f) = (rng.gen_range(126..160), fraction(rng));
            signed(rng, e << 23 | f)
        }
        // The range of halves and of their denormals, with half a unit to round.
        26 => near_half(rng),
        27..=29 => halves(rng),
        _ => reduced(rng),
    }
}
