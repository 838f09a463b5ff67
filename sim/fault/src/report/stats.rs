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
    // At 0 and 1 the interval ends there, without rounding errors.
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

/// Number and weights of rows. Certain rows stand for all their faults without sampling: a class of
/// provably one outcome, or a row that stands for itself alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Rows.
    pub count: u64,
    /// Sum of the weights of the sampled ones.
    pub sum: f64,
    /// Sum of the squares of these weights.
    pub squares: f64,
    /// Sum of the weights of the certain ones.
    pub certain: f64,
    /// `sum` when all rows have a result; 0: the present `sum`.
    pub planned: f64,
}

impl Tally {
    /// One row more.
    pub fn add(&mut self, weight: f64, certain: bool) {
        self.count += 1;
        if certain {
            self.certain += weight;
        } else {
            self.sum += weight;
            self.squares += weight * weight;
        }
    }

    /// Effective number of the sampled rows (Kish): `(sum w)^2 / sum w^2`, their number for equal
    /// weights.
    pub fn effective(&self) -> f64 {
        match self.squares > 0.0 {
            true => self.sum * self.sum / self.squares,
            false => 0.0,
        }
    }

    /// Share of `part` in these rows: the sampled part of the weight has an interval, the
    /// certain part has none.
    pub fn share(&self, part: &Tally, z: f64) -> Share {
        let sampled = if self.planned > 0.0 { self.planned } else { self.sum };
        let all = self.certain + sampled;
        if all <= 0.0 {
            return Share { high: 1.0, ..Share::default() };
        }
        // Sums of the same weights in another order may differ in the last bit.
        let p = match (part.count == self.count, self.sum > 0.0) {
            (true, true) => 1.0,
            (false, true) => (part.sum / self.sum).min(1.0),
            (_, false) => 0.0,
        };
        let (low, high) = wilson(p, self.effective(), z);
        let of_all = |p: f64| ((part.certain + sampled * p) / all).min(1.0);
        Share { count: part.count, rate: of_all(p), low: of_all(low), high: of_all(high) }
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
    /// Whether there is nothing to spread.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

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
                share: inside.iter().fold(0.0, |sum, v| sum + v.1) / all,
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
        (0..7).for_each(|_| equal.add(3.5, false));
        close(equal.effective(), 7.0);
        let (mut all, mut part) = (Tally::default(), Tally::default());
        for w in [1.0, 1.0, 2.0] {
            all.add(w, false);
        }
        part.add(2.0, false);
        // 4 * 4 / (1 + 1 + 4)
        close(all.effective(), 16.0 / 6.0);
        let s = all.share(&part, 1.96);
        assert_eq!((s.count, s.rate), (1, 0.5));
        let (low, high) = wilson(0.5, 16.0 / 6.0, 1.96);
        close(s.low, low);
        close(s.high, high);
    }

    #[test]
    fn certain_rows_have_no_interval() {
        // 90 faults are certain to do nothing; of the other 10, each row of ten stands for one.
        let (mut all, mut part) = (Tally::default(), Tally::default());
        all.add(90.0, true);
        (0..10).for_each(|_| all.add(1.0, false));
        (0..5).for_each(|_| part.add(1.0, false));
        let s = all.share(&part, 1.95996);
        close(s.rate, 0.05);
        close(s.low, 0.02366);
        close(s.high, 0.07634);
        // Half of the sampled rows still to come: the certain part does not weigh more for it.
        let (mut half, mut part) = (Tally::default(), Tally::default());
        half.add(90.0, true);
        (0..6).for_each(|_| half.add(1.0, false));
        (0..3).for_each(|_| part.add(1.0, false));
        half.planned = 10.0;
        close(half.share(&part, 1.95996).rate, 0.05);
        // Nothing sampled: exact.
        let mut certain = Tally::default();
        certain.add(3.0, true);
        let s = certain.share(&certain, 1.95996);
        assert_eq!((s.rate, s.low, s.high), (1.0, 1.0, 1.0));
        // Nothing at all: nothing is known.
        let s = Tally::default().share(&Tally::default(), 1.95996);
        assert_eq!((s.low, s.high), (0.0, 1.0));
    }

    #[test]
    fn spreads_have_quantiles_and_bins() {
        let values = [1.0, 3.0, 4.0, 9.0].map(|v| (v, 1.0)).to_vec();
        let s = Spread::of(values, &powers());
        assert_eq!((s.rows, s.median, s.max), (4, Some(3.0), Some(9.0)));
        assert_eq!(s.p90, Some(9.0));
        let bins: Vec<(&str, u64)> = s.bins.iter().map(|b| (b.label.as_str(), b.count)).collect();
        assert_eq!(bins, [("1", 1), ("2", 0), ("3–4", 2), ("5–8", 0), ("9–16", 1)]);
        // The sum of nothing is -0.0.
        assert!(s.bins.iter().all(|b| b.share.is_sign_positive()));
        let s = Spread::of(vec![(1e-8, 1.0), (f64::INFINITY, 3.0)], &decades());
        assert_eq!((s.max, s.median), (None, None));
        assert_eq!(s.bins.last().map(|b| b.share), Some(0.75));
        assert_eq!(Spread::of(vec![], &powers()), Spread::default());
    }
}
