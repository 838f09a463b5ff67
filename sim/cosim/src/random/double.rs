//! Floats of 64 bits worth computing with, as those of 32 bits in [`super::value`].

use rand::Rng;

const SIGN: u64 = 1 << 63;
/// All exponent bits.
const INF: u64 = 0x7ff << 52;
const FRACTION: u64 = (1 << 52) - 1;

/// Doubles at which some rule changes; either sign is drawn.
const CORNERS: [u64; 32] = [
    0,
    // Smallest and largest denormal, smallest normal and the next.
    1,
    FRACTION,
    1 << 52,
    (1 << 52) + 1,
    // A half, one and its neighbours, two.
    0x3fe << 52,
    (0x3ff << 52) - 1,
    0x3ff << 52,
    (0x3ff << 52) + 1,
    0x400 << 52,
    // 255.5 and 65535.5; 2^31, 2^32, 2^63, 2^64 and their neighbours below.
    0x406f_f000_0000_0000,
    0x40ef_fff0_0000_0000,
    (0x41e << 52) - 1,
    0x41e << 52,
    (0x41f << 52) - 1,
    0x41f << 52,
    (0x43e << 52) - 1,
    0x43e << 52,
    (0x43f << 52) - 1,
    0x43f << 52,
    // 2^52 and 2^53.
    0x433 << 52,
    (0x434 << 52) - 1,
    // Singles: the largest, half a unit above it, the smallest normal, the smallest denormal and a half of it.
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x381 << 52,
    0x36a << 52,
    0x369 << 52,
    // 2^1023, the largest number, infinity, NaNs quiet and signalling.
    0x7fe << 52,
    INF - 1,
    INF,
    INF | 1,
    INF | 1 << 51,
];

fn signed(rng: &mut impl Rng, x: u64) -> u64 {
    x ^ u64::from(rng.gen::<bool>()) << 63
}

/// A fraction of 52 bits: none, a few high bits, a few low bits, all ones but a few, half of them, or any.
fn fraction(rng: &mut impl Rng) -> u64 {
    match rng.gen_range(0..6) {
        0 => 0,
        1 => rng.gen_range(0..8) << 49,
        2 => rng.gen_range(0..4),
        3 => FRACTION - rng.gen_range(0..4),
        4 => rng.gen_range(0..1 << 26) << 26,
        _ => rng.gen_range(0..1 << 52),
    }
}

fn corner(rng: &mut impl Rng) -> u64 {
    let x = CORNERS[rng.gen_range(0..CORNERS.len())];
    signed(rng, x)
}

/// A normal number within a few powers of two of `centre`, a biased exponent.
fn near(rng: &mut impl Rng, centre: u64) -> u64 {
    let exponent = match rng.gen_range(0..8) {
        // One unit in the last place of a neighbour, and half of one.
        0 => centre - rng.gen_range(51..55),
        1..=3 => centre,
        _ => centre + rng.gen_range(0..9) - 4,
    };
    let f = fraction(rng);
    signed(rng, exponent << 52 | f)
}

/// A number at an end of the range, denormals among them.
fn end(rng: &mut impl Rng) -> u64 {
    let (e, f) = ([0, 0, 1, 2, 53, 54, 2044, 2045, 2046], fraction(rng));
    let e = e[rng.gen_range(0..e.len())];
    signed(rng, e << 52 | f)
}

/// A double in the range of singles and of their denormals, often with half a unit to round.
fn near_single(rng: &mut impl Rng) -> u64 {
    let e = match rng.gen_range(0..3) {
        0 => rng.gen_range(0x366..0x384),
        1 => rng.gen_range(0x47d..0x480),
        _ => 0x3ff,
    };
    let f = rng.gen_range(0u64..1 << 23) << 29 | [0, 1 << 28, 1, (1 << 28) - 1][rng.gen_range(0..4)];
    signed(rng, e << 52 | f)
}

/// A number that an integer of up to 64 bits can hold, or a multiple of a half.
fn integral(rng: &mut impl Rng) -> u64 {
    if rng.gen() {
        let x = f64::from(rng.gen_range(0..70_000)) / 2.0;
        return signed(rng, x.to_bits());
    }
    let (e, f) = (rng.gen_range(0x3fd..0x441), fraction(rng));
    signed(rng, e << 52 | f)
}

/// A float of 64 bits.
pub fn double(rng: &mut impl Rng) -> u64 {
    match rng.gen_range(0..16) {
        0..=2 => corner(rng),
        3..=8 => near(rng, 1023),
        9 => near(rng, 1534),
        10 => near(rng, 512),
        11 => end(rng),
        12..=13 => near_single(rng),
        _ => integral(rng),
    }
}

/// Three doubles that make a case of some rule when they meet as terms, or as two factors and an addend.
pub fn together(rng: &mut impl Rng) -> [u64; 3] {
    let sign = u64::from(rng.gen::<bool>()) << 63;
    match rng.gen_range(0..10) {
        0 => {
            let x = corner(rng);
            let other = [0, INF][usize::from(rng.gen_bool(0.3))];
            [x, x ^ SIGN, signed(rng, other)]
        }
        // The same but for a few low bits, or the signs: sums cancel.
        1 => {
            let x = if rng.gen() { near(rng, 1023) } else { end(rng) };
            [x, x ^ sign ^ rng.gen_range(0..4), x ^ SIGN]
        }
        // An odd last place, and half of it.
        2 => {
            let x = near(rng, 1023) | [1, FRACTION][usize::from(rng.gen_bool(0.3))];
            let half = (x & INF) - (53 << 52);
            [x, half | sign, (half - (rng.gen_range(0..2) << 52)) | (sign ^ SIGN)]
        }
        // One and a little times two less twice as much: just below two.
        3 => {
            let k = rng.gen_range(1..8);
            [(0x3ff << 52) + k, ((0x400 << 52) - 2 * k) ^ sign, near(rng, 1023)]
        }
        // Products at the ends of the range, and an addend there.
        4 => {
            let low = [490, 512][usize::from(rng.gen::<bool>())];
            [near(rng, 512), near(rng, low), end(rng)]
        }
        5 => [near(rng, 1534), near(rng, 1535), end(rng)],
        // A product and what nearly cancels it.
        6..=7 => {
            let (a, b) = (near(rng, 1023), near(rng, 1023));
            let product = f64::from_bits(a) * f64::from_bits(b);
            [a, b, product.to_bits() ^ SIGN ^ rng.gen_range(0..4)]
        }
        8 => [near_single(rng), integral(rng), corner(rng)],
        _ => [double(rng), double(rng), double(rng)],
    }
}

/// Fills groups of 32 bytes with doubles that meet.
pub fn fill(rng: &mut impl Rng, bytes: &mut [u8]) {
    for group in bytes.chunks_exact_mut(32) {
        let [a, b, c] = together(rng);
        for (to, x) in group.chunks_exact_mut(8).zip([a, b, c, double(rng)]) {
            to.copy_from_slice(&x.to_le_bytes());
        }
    }
}
