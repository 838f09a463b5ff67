//! Shares with intervals, weighted counts, quantiles.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

/// Two-sided quantile of the standard normal distribution: 1.96 for a confidence of 0.95.
pub fn quantile(confidence: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + confidence / 2.0)
}

/// Wilson's score interval of a share `p` of `n` draws (Wilson 1927); `n` need not be whole.
/// All of [0, 1] without draws.
pub fn wilson(p: f64, n: f64, z: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let scale = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / scale;
    let half = z / scale * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // At 0 and 1 the interval ends there, whatever the last bit of the arithmetic says.
    let low = if p <= 0.0 { 0.0 } else { centre - half };
    let high = if p >= 1.0 { 1.0 } else { centre + half };
    (low.max(0.0), high.min(1.0))
}

/// A share of some rows, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Rows.
    pub count: u64,
    /// Their part of the weight.
    pub rate: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Number and weights of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Rows.
    pub count: u64,
    /// Sum of their weights.
    pub sum: f64,
    /// Sum of the squares of their weights.
    pub squares: f64,
}

impl Tally {
    /// One row more.
    pub fn add(&mut self, weight: f64) {
        self.count += 1;
        self.sum += weight;
        self.squares += weight * weight;
    }

    /// Effective number of rows (Kish): `(sum w)^2 / sum w^2`, the number of rows for equal weights.
    pub fn effective(&self) -> f64 {
        match self.squares > 0.0 {
            true => self.sum * self.sum / self.squares,
            false => 0.0,
        }
    }

    /// What part of these rows `part` is.
    pub fn share(&self, part: &Tally, z: f64) -> Share {
        let rate = match self.sum > 0.0 {
            true => part.sum / self.sum,
            false => 0.0,
        };
        // Sums of the same weights in another order may differ in the last bit.
        let rate = if part.count == self.count && part.count > 0 {
            1.0
        } else {
            rate.min(1.0)
        };
        let (low, high) = wilson(rate, self.effective(), z);
        Share {
            count: part.count,
            rate,
            low,
            high,
        }
    }
}

/// One bin of a distribution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// Values, as text.
    pub label: String,
    /// Rows.
    pub count: u64,
    /// Their part of the distribution's weight.
    pub share: f64,
}

/// Values with weights: greatest, median, ninth decile, and how they spread over bins.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Rows.
    pub rows: u64,
    /// Value that half of the weight does not exceed.
    pub median: Option<f64>,
    /// Value that nine tenths of the weight do not exceed.
    pub p90: Option<f64>,
    /// Greatest; absent when it is infinite, see the last bin.
    pub max: Option<f64>,
    /// Bins, ascending; empty ones at both ends are left out.
    pub bins: Vec<Bin>,
}

impl Spread {
    /// Values and weights over bins: a label and the greatest value of each, ascending.
    pub fn of(mut values: Vec<(f64, f64)>, bins: &[(String, f64)]) -> Self {
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: f64 = values.iter().map(|v| v.1).sum();
        let at = |part: f64| {
            let mut sum = 0.0;
            let found = values.iter().find(|v| {
                sum += v.1;
                sum >= part * all * (1.0 - 1e-12)
            });
            found.map(|v| v.0).filter(|x| x.is_finite())
        };
        let mut list: Vec<Bin> = vec![];
        let mut rest = values.as_slice();
        for (label, most) in bins {
            let (inside, after) = rest.split_at(rest.partition_point(|v| v.0 <= *most));
            rest = after;
            list.push(Bin {
                label: label.clone(),
                count: inside.len() as u64,
                share: inside.iter().map(|v| v.1).sum::<f64>() / all,
            });
        }
        let first = list.iter().position(|b| b.count > 0).unwrap_or(list.len());
        list.drain(..first);
        let last = list.iter().rposition(|b| b.count > 0).map_or(0, |i| i + 1);
        list.truncate(last);
        Spread {
            rows: values.len() as u64,
            median: at(0.5),
            p90: at(0.9),
            max: values.last().map(|v| v.0).filter(|x| x.is_finite()),
            bins: list,
        }
    }
}

/// Bins of counts: 0, 1, 2, 3–4, 5–8 and so on, to all 64 bits.
pub fn powers() -> Vec<(String, f64)> {
    let mut bins = vec![("0".into(), 0.0), ("1".into(), 1.0), ("2".into(), 2.0)];
    for k in 2..=64 {
        let most = 2f64.powi(k);
        bins.push((format!("{}–{most}", most / 2.0 + 1.0), most));
    }
    bins
}

/// Bins of relative errors, by decades; the last holds what is infinite or no number.
pub fn decades() -> Vec<(String, f64)> {
    let mut bins = vec![("up to 1e-7".to_string(), 1e-7)];
    for k in -6..=3 {
        bins.push((format!("1e{}–1e{k}", k - 1), 10f64.powi(k)));
    }
    bins.push(("above 1e3".into(), f64::MAX));
    bins.push(("not finite".into(), f64::INFINITY));
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-4, "{a} {b}");
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        close(quantile(0.95), 1.95996);
        close(quantile(0.99), 2.57583);
        close(quantile(0.90), 1.64485);
    }

    #[test]
    fn wilson_as_published() {
        let z = quantile(0.95);
        // The last two: Newcombe 1998, table I (without continuity correction).
        for (hits, n, low, high) in [
            (0.0, 10.0, 0.0, 0.2775),
            (5.0, 10.0, 0.2366, 0.7634),
            (10.0, 10.0, 0.7225, 1.0),
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
        ] {
            let (a, b) = wilson(hits / n, n, z);
            close(a, low);
            close(b, high);
        }
        assert_eq!(wilson(0.0, 0.0, z), (0.0, 1.0));
    }

    #[test]
    fn equal_weights_count_as_rows_and_others_as_fewer() {
        let mut equal = Tally::default();
        (0..7).for_each(|_| equal.add(3.5));
        close(equal.effective(), 7.0);
        let (mut all, mut part) = (Tally::default(), Tally::default());
        [1.0, 1.0, 2.0].map(|w| all.add(w));
        part.add(2.0);
        // 4 * 4 / (1 + 1 + 4)
        close(all.effective(), 16.0 / 6.0);
        let s = all.share(&part, 1.96);
        assert_eq!((s.count, s.rate), (1, 0.5));
        let (low, high) = wilson(0.5, 16.0 / 6.0, 1.96);
        close(s.low, low);
        close(s.high, high);
    }

    #[test]
    fn spreads_have_quantiles_and_bins() {
        let values = [1.0, 3.0, 4.0, 9.0].map(|v| (v, 1.0)).to_vec();
        let s = Spread::of(values, &powers());
        assert_eq!((s.rows, s.median, s.max), (4, Some(3.0), Some(9.0)));
        assert_eq!(s.p90, Some(9.0));
        let bins: Vec<(&str, u64)> = s.bins.iter().map(|b| (b.label.as_str(), b.count)).collect();
        assert_eq!(
            bins,
            [("1", 1), ("2", 0), ("3–4", 2), ("5–8", 0), ("9–16", 1)]
        );
        let s = Spread::of(vec![(1e-8, 1.0), (f64::INFINITY, 3.0)], &decades());
        assert_eq!((s.max, s.median), (None, None));
        assert_eq!(s.bins.last().map(|b| b.share), Some(0.75));
        assert_eq!(Spread::of(vec![], &powers()), Spread::default());
    }
}
