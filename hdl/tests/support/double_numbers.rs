//! Floats of 64 bits at which rules change, and some that meet.

use super::Random;

const SIGN: u64 = 1 << 63;
const INF: u64 = 0x7ff << 52;
const FRACTION: u64 = (1 << 52) - 1;

/// Doubles at which some rule changes.
const CORNERS: [u64; 30] = [
    0,
    1,
    2,
    FRACTION,
    1 << 52,
    (1 << 52) + 1,
    2 << 52,
    0x3fe << 52,
    (0x3ff << 52) - 1,
    0x3ff << 52,
    (0x3ff << 52) + 1,
    0x400 << 52,
    (0x41e << 52) - 1,
    0x41e << 52,
    0x41f << 52,
    (0x43e << 52) - 1,
    0x43e << 52,
    0x43f << 52,
    (0x43f << 52) - 1,
    0x433 << 52,
    0x434 << 52,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x381 << 52,
    (0x381 << 52) - 1,
    0x36a << 52,
    0x369 << 52,
    INF - 1,
    INF,
    INF | 1 << 30,
];

fn bits(r: &mut Random) -> u64 {
    u64::from(r.word()) << 32 | u64::from(r.word())
}

fn fraction(r: &mut Random) -> u64 {
    let x = bits(r) & FRACTION;
    match r.below(6) {
        0 => 0,
        1 => x & 7 << 49,
        2 => x & 3,
        3 => x | FRACTION << 2 & FRACTION,
        4 => x & FRACTION << 26,
        _ => x,
    }
}

/// A number with an exponent within a few of `centre`.
fn near(r: &mut Random, centre: i64) -> u64 {
    let e = match r.below(4) {
        0 => centre,
        1 => centre - 50 - i64::from(r.below(8)),
        _ => centre + i64::from(r.below(9)) - 4,
    };
    (e.clamp(0, 2046) as u64) << 52 | fraction(r) | bits(r) & SIGN
}

/// A float of 64 bits.
pub fn double(r: &mut Random) -> u64 {
    match r.below(12) {
        0..=1 => CORNERS[r.below(CORNERS.len() as u32) as usize] | bits(r) & SIGN,
        2 => bits(r) & SIGN | (bits(r) & FRACTION) >> r.below(52),
        3 => near(r, 4),
        4 => near(r, 2040),
        5 => near(r, 0x3ff - 128),
        6 => near(r, 0x3ff + 63),
        7 => near(r, 0x3ff + 128),
        8 => bits(r),
        _ => near(r, 0x3ff),
    }
}

/// Three that meet as terms, or as factors and an addend.
pub fn together(r: &mut Random) -> [u64; 3] {
    let a = double(r);
    let field = (a >> 52 & 0x7ff) as i64;
    let b = match r.below(5) {
        0 => a ^ SIGN ^ u64::from(r.below(4)),
        1 => near(r, field),
        // Products near the ends of the range.
        2 => {
            let below = i64::from(r.below(60));
            near(r, 1023 - field - below)
        }
        3 => {
            let below = i64::from(r.below(4));
            near(r, 3070 - field - below)
        }
        _ => double(r),
    };
    let product = (f64::from_bits(a) * f64::from_bits(b)).to_bits();
    let c = match r.below(4) {
        0 => double(r),
        1 => near(r, (product >> 52 & 0x7ff) as i64),
        2 => near(r, (product >> 52 & 0x7ff) as i64 - 53),
        _ => product ^ SIGN ^ u64::from(r.below(4)),
    };
    [a, b, c]
}
