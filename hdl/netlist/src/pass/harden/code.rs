//! Hsiao's code: corrects one wrong bit of a word, detects two.
//!
//! Each data bit has a column, an odd number of check bits, three at least, that it is part of; no two have the same. A
//! wrong bit leaves its column as the syndrome, a wrong check bit leaves itself, two wrong bits leave an even number.
//! Source: M. Y. Hsiao, "A Class of Optimal Minimum Odd-weight-column SEC-DED Codes", IBM J. Res. Dev. 14 (1970) 395.

/// Check bits of a word of `data` bits.
pub fn check_bits(data: u32) -> u32 {
    let columns = |check: u32| (1_u64 << (check - 1)) - u64::from(check);
    (3..).find(|check| columns(*check) >= u64::from(data)).expect("32 check bits are enough for any word")
}

/// Columns of the data bits of a word, bit k for check bit k: the lightest, and of equals those that leave the check
/// bits with parts of about the same size.
pub fn columns(data: u32) -> Vec<u64> {
    let check = check_bits(data);
    let mut load = vec![0_u32; check as usize];
    let mut left: Vec<u64> = (0..1_u64 << check).filter(|c| c.count_ones() >= 3 && c.count_ones() % 2 == 1).collect();
    left.sort_by_key(|c| (c.count_ones(), *c));
    let mut columns = vec![];
    for _ in 0..data {
        let weight = left[0].count_ones();
        let cost = |c: &u64| {
            let loads = load.iter().enumerate().filter(|(k, _)| c >> k & 1 == 1).map(|(_, l)| *l);
            (loads.clone().max(), loads.sum::<u32>(), *c)
        };
        let lightest = left.iter().take_while(|c| c.count_ones() == weight);
        let best = lightest.enumerate().min_by_key(|(_, c)| cost(c)).expect("one is left").0;
        let column = left.remove(best);
        load.iter_mut().enumerate().for_each(|(k, l)| *l += (column >> k & 1) as u32);
        columns.push(column);
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::{check_bits, columns};

    #[test]
    fn words_of_the_chip_have_the_known_numbers_of_check_bits() {
        let known = [(1, 3), (4, 4), (8, 5), (16, 6), (32, 7), (64, 8), (279, 10)];
        assert_eq!(known.map(|(data, _)| (data, check_bits(data))), known);
    }

    #[test]
    fn one_wrong_bit_is_told_from_every_other_and_from_any_two() {
        for data in [1, 2, 5, 8, 16, 23, 32, 64, 128] {
            let check = check_bits(data);
            // Of data and check bits, what each leaves behind.
            let all: Vec<u64> = columns(data).into_iter().chain((0..check).map(|k| 1 << k)).collect();
            for (i, a) in all.iter().enumerate() {
                assert!(a.count_ones() % 2 == 1 && a >> check == 0);
                for b in &all[..i] {
                    assert!(a != b && (a ^ b).count_ones() % 2 == 0 && a ^ b != 0);
                }
            }
        }
    }

    #[test]
    fn check_bits_have_parts_of_about_the_same_size() {
        let columns = columns(32);
        let sizes: Vec<usize> = (0..7).map(|k| columns.iter().filter(|c| *c >> k & 1 == 1).count()).collect();
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
    }
}
