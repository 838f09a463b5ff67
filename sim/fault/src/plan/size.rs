//! Sample size of a draw, and how many rows a campaign holds.
//!
//! R. Leveugle, A. Calvez, P. Maistri, P. Vanhauwaert: Statistical fault injection: quantified error
//! and confidence. DATE 2009, pages 502 to 506, equation 4.

use crate::error::FaultError;
use statrs::distribution::{ContinuousCDF, Normal};

/// Rows of a campaign at most: what `run` holds in memory stays below a gigabyte.
const MAX_ROWS: u64 = 4_000_000;

/// Refuses more rows of a model than a campaign holds.
pub(super) fn check_rows(model: &str, rows: u64) -> Result<(), FaultError> {
    if rows <= MAX_ROWS {
        return Ok(());
    }
    Err(FaultError::Ask(format!(
        "{model}: {rows} faults are more than a campaign holds ({MAX_ROWS}): choose fewer sites, or draw some with --count"
    )))
}

/// How precise the share of a class is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Probability that the true share lies within the margin, such as 0.95.
    pub confidence: f64,
    /// Margin of error on either side, such as 0.02.
    pub margin: f64,
    /// Expected share; 0.5 asks for the most faults.
    pub proportion: f64,
}

impl Precision {
    pub(crate) fn check(&self) -> Result<(), FaultError> {
        for (option, value) in
            [("confidence", self.confidence), ("margin", self.margin), ("proportion", self.proportion)]
        {
            if !(value > 0.0 && value < 1.0) {
                return Err(FaultError::Ask(format!(
                    "--{option} is a share between 0 and 1, such as 0.05, found {value}"
                )));
            }
        }
        Ok(())
    }

    /// Margin that `drawn` faults of `n` reach: [`sample_size`] solved for the margin.
    pub fn reached(&self, n: u64, drawn: u64) -> f64 {
        if drawn >= n {
            return 0.0;
        }
        let (n, drawn, p) = (n as f64, drawn as f64, self.proportion);
        self.t() * (p * (1.0 - p) / drawn * (n - drawn) / (n - 1.0)).sqrt()
    }

    /// Cut-off point of the normal distribution for the confidence, such as 1.96.
    pub fn t(&self) -> f64 {
        Normal::standard().inverse_cdf(0.5 + self.confidence / 2.0)
    }
}

/// Faults to draw from a population of `n` for a precision:
/// `n / (1 + e² (n − 1) / (t² p (1 − p)))`, rounded up.
pub fn sample_size(n: u64, precision: &Precision) -> u64 {
    if n == 0 {
        return 0;
    }
    let (e, t, p) = (precision.margin, precision.t(), precision.proportion);
    let size = n as f64;
    let wanted = size / (1.0 + e * e * (size - 1.0) / (t * t * p * (1.0 - p)));
    (wanted.ceil() as u64).clamp(1, n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(n: u64, confidence: f64, margin: f64) -> u64 {
        sample_size(n, &Precision { confidence, margin, proportion: 0.5 })
    }

    #[test]
    fn sizes_are_the_published_ones() {
        // Of very large populations, t = 1.96 and 2.5758.
        assert_eq!(size(u64::MAX, 0.95, 0.05), 385);
        assert_eq!(size(u64::MAX, 0.95, 0.02), 2401);
        assert_eq!(size(u64::MAX, 0.95, 0.01), 9604);
        assert_eq!(size(u64::MAX, 0.99, 0.01), 16588);
        // Of finite ones: 10^4 / (1 + 10^-4 * 9999 / 0.96036) and so on, by hand.
        assert_eq!(size(10_000, 0.95, 0.01), 4900);
        assert_eq!(size(1_000_000, 0.95, 0.01), 9513);
        assert_eq!(size(1_000, 0.95, 0.05), 278);
    }

    #[test]
    fn a_sample_is_never_more_than_all() {
        for n in [1, 2, 3, 10, 100] {
            assert!((1..=n).contains(&size(n, 0.999, 0.001)), "{n}");
        }
        assert_eq!(size(0, 0.95, 0.01), 0);
        assert_eq!(size(50, 0.99, 0.001), 50);
    }

    #[test]
    fn the_margin_reached_is_the_one_asked_for() {
        let p = Precision { confidence: 0.95, margin: 0.02, proportion: 0.5 };
        for n in [5_000, 1_000_000, u64::MAX] {
            let drawn = sample_size(n, &p);
            assert!(p.reached(n, drawn) <= 0.02, "{n}");
            assert!(p.reached(n, drawn - 1) > 0.02, "{n}");
        }
        assert_eq!(p.reached(100, 100), 0.0);
    }

    #[test]
    fn a_precision_out_of_range_names_its_option() {
        let good = Precision { confidence: 0.95, margin: 0.02, proportion: 0.5 };
        assert!(good.check().is_ok());
        for (p, option) in [
            (Precision { confidence: 1.0, ..good }, "--confidence"),
            (Precision { margin: 0.0, ..good }, "--margin"),
            (Precision { proportion: f64::NAN, ..good }, "--proportion"),
        ] {
            let e = p.check().expect_err(option).to_string();
            assert!(e.contains(option), "{e}");
        }
    }
}
