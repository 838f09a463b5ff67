//! The rows that the block keeps of the coefficients of the special functions.
//!
//! [`warpsmith_isa::numbers`] has `[C0, C1, C2]` of each segment. [`rows`] brings all functions
//! to one formula, `sum = base + C1 X + C2 sq(X)`, by powers of two and the rounding constant:
//!
//! | function | X   | base               | C1    | C2    |
//! |----------|-----|--------------------|-------|-------|
//! | RCP      | 2 x | 2^14 C0 + 0x8fce   | C1    | 2 C2  |
//! | RSQ      | x   | 2^14 C0 + 0x7fff   | C1    | 4 C2  |
//! | LG2      | x   | 2^12 C0 + 0x3345   | C1    | 2 C2  |
//! | SIN      | x   | 2^13 C0            | 4 C1  | 4 C2  |
//! | EX2      | x   | 2^14 C0 + 0xefc4   | 2 C1  | 2 C2  |

use warpsmith_isa::numbers::{EX2, LG2, RCP, RSQ, SIN};

/// Bits of a row's base, which are bits 40:9 of the sum.
pub const BASE: usize = 32;
/// Bits of a row's C1, two's complement.
pub const C1: usize = 18;
/// Bits of a row's C2, two's complement.
pub const C2: usize = 14;
/// Bits of a row: base, C1, C2 from the least significant place.
pub const ROW: usize = BASE + C1 + C2;
/// Bits below the base.
pub const LOW_BITS: usize = 9;
/// The bits below the base of RCP, RSQ, LG2, SIN, EX2: those of the rounding constant.
pub const LOW: [u64; 5] = [0x1ce, 0x1ff, 0x145, 0, 0x1c4];

/// All rows: RCP 128, RSQ 128, LG2 64, SIN 64, EX2 64.
pub fn rows() -> Vec<u64> {
    let scaled = [
        scale(&RCP, [14, 0, 1], 0x8fce),
        scale(&RSQ, [14, 0, 2], 0x7fff),
        scale(&LG2, [12, 0, 1], 0x3345),
        scale(&SIN, [13, 2, 2], 0),
        scale(&EX2, [14, 1, 1], 0xefc4),
    ];
    let tables = scaled.iter().zip(LOW);
    tables.flat_map(|(table, low)| table.iter().map(move |r| row(*r, low))).collect()
}

/// Rows with each coefficient times a power of two, and the rounding constant added to the first.
fn scale(table: &[[i32; 3]], powers: [u32; 3], rounding: i64) -> Vec<[i64; 3]> {
    let scaled = |r: &[i32; 3]| {
        let [c0, c1, c2] = [0, 1, 2].map(|i| i64::from(r[i]) << powers[i]);
        [c0 + rounding, c1, c2]
    };
    table.iter().map(scaled).collect()
}

/// One word of the memory.
fn row([base, c1, c2]: [i64; 3], low: u64) -> u64 {
    assert_eq!(base as u64 % (1 << LOW_BITS), low, "the low bits of {base:x}");
    let field = |v: i64, width: usize| {
        let half = 1 << (width - 1);
        assert!((-half..half).contains(&v), "{v} in {width} bits");
        v as u64 & ((1 << width) - 1)
    };
    let base = base as u64 >> LOW_BITS;
    assert!(base >> BASE == 0, "{base:x} in {BASE} bits");
    base | field(c1, C1) << BASE | field(c2, C2) << (BASE + C1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squarer as docs/numerics.md writes it, of all 17-bit numbers.
    fn squares() -> Vec<i64> {
        let row = |x: i64, k: i64| (x >> k & 1) * (x >> (18 - k));
        let square = |x| (0..17).map(|k| row(x, k)).sum::<i64>() >> 1;
        (0..1 << 17).map(square).collect()
    }

    /// Least and greatest sum of the rows `from..to`, X in steps of `step`, and how many have
    /// bit 40; C1 X and C2 sq(X) are read back from the words.
    fn range(from: usize, to: usize, step: usize, low: u64) -> (i64, i64, usize) {
        let square = squares();
        let (mut least, mut most, mut carries) = (i64::MAX, i64::MIN, 0);
        for row in &rows()[from..to] {
            let base = ((row & 0xffff_ffff) << LOW_BITS | low) as i64;
            let c2 = *row as i64 >> (BASE + C1);
            let c1 = (*row as i64) << C2 >> (BASE + C2);
            for x in (0..1 << 17).step_by(step) {
                let linear = base + c1 * x as i64;
                let sum = linear + c2 * square[x];
                assert!(linear >= 0, "the first sum is below 2^45 in size");
                (least, most) = (least.min(sum), most.max(sum));
                carries += usize::from(sum >> 40 != 0);
            }
        }
        (least, most, carries)
    }

    #[test]
    fn every_sum_lies_where_the_normaliser_and_the_exponents_take_it_to_be() {
        let [rcp, rsq, lg2, sin, ex2] = LOW;
        let one = 1 << 39;
        // The reciprocal of 2^n alone carries; no power of two does, so none overflows.
        let (least, most, carries) = range(0, 128, 2, rcp);
        assert!(least >= one && most >> 16 == 1 << 24 && carries == 1);
        let (least, _, carries) = range(128, 256, 1, rsq);
        assert!(least >= one && carries == 0);
        let (least, _, carries) = range(384, 448, 1, ex2);
        assert!(least >= one && carries == 0);
        // The fraction of a logarithm is one, the sine is no more than 1 and never below 0.
        let (least, most, _) = range(256, 320, 1, lg2);
        assert!(least >= 0 && most < 1 << 38);
        let (least, most, _) = range(320, 384, 1, sin);
        assert!(least >= 0 && most >> 16 == 1 << 23);
    }

    #[test]
    fn zero_to_the_clamped_power_and_roots_of_powers_of_four_are_exact() {
        let sum = |i: usize, low: u64| (rows()[i] & 0xffff_ffff) << LOW_BITS | low;
        assert_eq!(sum(384, LOW[4]) >> 16, 1 << 23);
        assert_eq!(sum(0, LOW[1]) >> 17, 1 << 23);
        assert_eq!(sum(320, LOW[3]), 0);
    }
}
