//! Additions and products of floats on the host, in its format of 32 bits.
//!
//! The host rounds a sum as the chip does; one below the normal numbers is exact. Of a product `fma` gives what rounding
//! added, by whose sign the truncated product is the rounded one or its neighbour. Products so small that bits drop out
//! of the format, infinite ones, and what is no number: those the plain functions compute.

use crate::num::float::{self, flush, INF, NAN};
use crate::record::Lanes;
use warpsmith_isa::{Round, WARP_SIZE};

const SIGN: u32 = 1 << 31;
/// Twice the least normal number: products below it round otherwise than on the host.
const LEAST_PRODUCT: u32 = 2 << 23;
/// From 2^-100 on what rounding adds to a product is a number of the format, and no sum with it is below the normal
/// ones; up to 2^127 the truncated product is one.
const LEAST_TRUNCATED: u32 = (127 - 100) << 23;
const BEYOND_TRUNCATED: u32 = (127 + 127) << 23;

#[inline(always)]
fn of(x: u32) -> f32 {
    f32::from_bits(flush(x))
}

/// The word of a float; not a number in its one form.
#[inline(always)]
fn word(x: f32) -> u32 {
    let r = x.to_bits();
    if r & !SIGN > INF {
        NAN
    } else {
        r
    }
}

#[inline(always)]
fn sign(negative: bool) -> u32 {
    if negative {
        SIGN
    } else {
        0
    }
}

#[cold]
fn plainly(out: &mut Lanes, f: impl Fn(usize) -> u32) {
    (0..WARP_SIZE).for_each(|l| out[l] = f(l));
}

/// Sums, to nearest.
#[inline(always)]
pub(super) fn add(a: &Lanes, b: &Lanes, (neg_a, neg_b): (bool, bool), out: &mut Lanes) {
    let (na, nb) = (sign(neg_a), sign(neg_b));
    for l in 0..WARP_SIZE {
        out[l] = flush(word(of(a[l] ^ na) + of(b[l] ^ nb)));
    }
}

/// Products, to nearest.
#[inline(always)]
pub(super) fn mul(a: &Lanes, b: &Lanes, (neg_a, neg_b): (bool, bool), out: &mut Lanes) {
    let negative = sign(neg_a != neg_b);
    let mut odd = false;
    for l in 0..WARP_SIZE {
        let (x, y) = (of(a[l] ^ negative), of(b[l]));
        let p = x * y;
        odd |= (p.to_bits() & !SIGN < LEAST_PRODUCT) & (x != 0.0) & (y != 0.0);
        out[l] = word(p);
    }
    if odd {
        plainly(out, |l| float::mul(a[l] ^ negative, b[l], Round::Nearest));
    }
}

/// Multiply-adds with a truncated product.
#[inline(always)]
pub(super) fn mad([a, b, c]: [&Lanes; 3], (neg_ab, neg_c): (bool, bool), out: &mut Lanes) {
    let (nab, nc) = (sign(neg_ab), sign(neg_c));
    let mut odd = false;
    for l in 0..WARP_SIZE {
        let (x, y, z) = (of(a[l] ^ nab), of(b[l]), of(c[l] ^ nc));
        let p = x * y;
        let added = x.mul_add(y, -p);
        let away = (added.to_bits() ^ p.to_bits()) >> 31 & u32::from(added != 0.0);
        // Beside a zero the product is rounded.
        let cut = if z == 0.0 { 0 } else { away };
        let magnitude = p.to_bits() & !SIGN;
        let usual = magnitude.wrapping_sub(LEAST_TRUNCATED) < BEYOND_TRUNCATED - LEAST_TRUNCATED;
        odd |= !usual & !((magnitude == 0) & ((x == 0.0) | (y == 0.0)));
        out[l] = word(f32::from_bits(p.to_bits() - cut) + z);
    }
    if odd {
        plainly(out, |l| float::mad(a[l] ^ nab, b[l], c[l] ^ nc));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsmith_testkit::Random;

    /// Words of which many are special: zeros, least and largest numbers, infinities, neighbours of powers of two.
    fn operand(r: &mut Random) -> u32 {
        let exponent = match r.below(4) {
            0 => r.below(255),
            1 => 100 + r.below(60),
            2 => r.below(30),
            _ => 230 + r.below(26),
        };
        let fraction = match r.below(4) {
            0 => [0, 1, 2, 0x7f_ffff, 0x7f_fffe, 0x40_0000, 0x3f_ffff][r.index(7)],
            _ => r.below(1 << 23),
        };
        r.below(2) << 31 | exponent << 23 | fraction
    }

    #[test]
    fn the_hosts_arithmetic_is_the_plain_one() {
        let mut r = Random(37);
        for _ in 0..60_000 {
            let mut lanes = || -> Lanes { std::array::from_fn(|_| operand(&mut r)) };
            let (a, b) = (lanes(), lanes());
            let mut c = lanes();
            // Sums that cancel, and come near to the least normal number.
            for l in 0..WARP_SIZE / 2 {
                let product = float::mul(a[l], b[l], Round::Zero);
                c[l] = (product ^ SIGN).wrapping_add((l as u32 % 4).wrapping_sub(1));
            }
            let mut out = [[0; WARP_SIZE]; 3];
            let negative = (r.below(2) == 1, r.below(2) == 1);
            add(&b, &c, negative, &mut out[0]);
            mul(&a, &b, negative, &mut out[1]);
            mad([&a, &b, &c], negative, &mut out[2]);
            let of = |x: u32, negative| float::modify(x, false, negative);
            for l in 0..WARP_SIZE {
                let (x, y, z) = (a[l], b[l], c[l]);
                let sum = float::add(of(y, negative.0), of(z, negative.1), Round::Nearest);
                let product = float::mul(of(x, negative.0), of(y, negative.1), Round::Nearest);
                let both = float::mad(of(x, negative.0), y, of(z, negative.1));
                let found = [out[0][l], out[1][l], out[2][l]];
                assert_eq!(found, [sum, product, both], "{x:08x} {y:08x} {z:08x} {negative:?}");
            }
        }
    }
}
