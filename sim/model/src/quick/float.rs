//! Additions and products of floats on the host.
//!
//! A product of two floats has 48 bits and is exact in the host's 64-bit format. So is, rounded twice, a sum of two
//! numbers of 24 bits: 53 bits are more than twice 24 and two. What remains are results below the normal numbers, of
//! which a multiply-add drops bits before it rounds: those the plain functions compute.

use crate::num::float::{self, flush, INF, NAN};
use crate::record::Lanes;
use warpsmith_isa::{Round, WARP_SIZE};

const SIGN: u32 = 1 << 31;
/// Bits of the host's format that a truncated product has not.
const CUT: u64 = (1 << 29) - 1;
/// Twice the least normal number: below it the plain functions compute.
const SMALL: f64 = 2.0 * f32::MIN_POSITIVE as f64;

#[inline(always)]
fn wide(x: u32) -> f64 {
    f64::from(f32::from_bits(flush(x)))
}

/// The result as a float; not a number in its one form.
#[inline(always)]
fn narrow(x: f64) -> u32 {
    let r = (x as f32).to_bits();
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
        // A sum below the normal numbers is exact.
        out[l] = flush(narrow(wide(a[l] ^ na) + wide(b[l] ^ nb)));
    }
}

/// Products, to nearest.
#[inline(always)]
pub(super) fn mul(a: &Lanes, b: &Lanes, (neg_a, neg_b): (bool, bool), out: &mut Lanes) {
    let negative = sign(neg_a != neg_b);
    let mut small = false;
    for l in 0..WARP_SIZE {
        let p = wide(a[l] ^ negative) * wide(b[l]);
        small |= (p.abs() < SMALL) & (p != 0.0);
        out[l] = narrow(p);
    }
    if small {
        plainly(out, |l| float::mul(a[l] ^ negative, b[l], Round::Nearest));
    }
}

/// Multiply-adds with a truncated product.
#[inline(always)]
pub(super) fn mad([a, b, c]: [&Lanes; 3], (neg_ab, neg_c): (bool, bool), out: &mut Lanes) {
    let (nab, nc) = (sign(neg_ab), sign(neg_c));
    let mut small = false;
    for l in 0..WARP_SIZE {
        let z = flush(c[l] ^ nc);
        let p = wide(a[l] ^ nab) * wide(b[l]);
        // Beside a zero the product is rounded.
        let cut = if z & !SIGN == 0 { 0 } else { CUT };
        let s = f64::from_bits(p.to_bits() & !cut) + f64::from(f32::from_bits(z));
        small |= (s.abs() < SMALL) & (s != 0.0);
        out[l] = narrow(s);
    }
    if small {
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
