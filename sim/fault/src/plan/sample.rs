//! Drawing numbers: without replacement, in parts, in random order.

use super::population::Runs;
use crate::error::FaultError;
use rand::Rng;
use std::collections::HashSet;

/// A part of a population that is drawn from on its own.
pub struct Stratum {
    /// How much more often its faults are drawn than those of weight 1; above 0.
    pub weight: f64,
    /// Its faults.
    pub runs: Runs,
}

/// How many of `n` faults each stratum gives: in proportion to weight × size, but at least one of
/// each that has any, and never more than it has; rounded by the largest remainder.
///
/// # Errors
/// [`FaultError::Ask`] when `n` is below the number of strata.
pub fn shares(strata: &[Stratum], n: u64) -> Result<Vec<u64>, FaultError> {
    let filled = strata.iter().filter(|s| s.runs.size() > 0).count() as u64;
    if n < filled {
        return Err(FaultError::Ask(format!(
            "{n} faults of a model are too few to draw at least one from each of its {filled} parts (block types): raise --count to {filled} for each model"
        )));
    }
    // Share of each when its faults are drawn with probability weight * rate.
    let share = |s: &Stratum, rate: f64| {
        let size = s.runs.size() as f64;
        (rate * s.weight * size).clamp(size.min(1.0), size)
    };
    let sum = |rate: f64| strata.iter().map(|s| share(s, rate)).sum::<f64>();
    // The sum grows with the rate, from `filled` to all faults.
    let least = strata.iter().map(|s| s.weight).fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (0.0, 1.0 / least);
    if sum(high) <= n as f64 {
        low = high;
    }
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if sum(middle) <= n as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let exact: Vec<f64> = strata.iter().map(|s| share(s, low)).collect();
    let mut shares: Vec<u64> = exact.iter().map(|x| x.floor() as u64).collect();
    let mut order: Vec<usize> = (0..strata.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let mut left = n.saturating_sub(shares.iter().sum());
    while left > 0 {
        let before = left;
        for &i in &order {
            if left > 0 && shares[i] < strata[i].runs.size() {
                shares[i] += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    Ok(shares)
}

/// `n` different numbers below `size`, every set with equal probability. Their order is not random.
/// J. Bentley, R. Floyd: Programming pearls: a sample of brilliance. CACM 30(9), 1987.
pub fn floyd(rng: &mut impl Rng, size: u64, n: u64) -> Vec<u64> {
    let mut taken = HashSet::new();
    (size - n..size)
        .map(|last| {
            let k = rng.gen_range(0..=last);
            let k = if taken.contains(&k) { last } else { k };
            taken.insert(k);
            k
        })
        .collect()
}

/// Fisher and Yates.
pub fn shuffle<T>(rng: &mut impl Rng, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        // In 64 bits on every platform.
        items.swap(last, rng.gen_range(0..=last as u64) as usize);
    }
}
