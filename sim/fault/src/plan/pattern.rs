//! Bits of a word that a multi-bit upset inverts.

use std::str::FromStr;

/// Bits of a word relative to the lowest of them: ascending, the first 0, at least two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitPattern(Vec<u32>);

impl BitPattern {
    /// Bits of a word that the pattern covers, from its lowest to its highest.
    pub fn span(&self) -> u32 {
        1 + self.0[self.0.len() - 1]
    }

    /// The bits when the lowest is `position`.
    pub fn at(&self, position: u32) -> Vec<u32> {
        self.0.iter().map(|o| position + o).collect()
    }
}

impl FromStr for BitPattern {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || {
            format!("--pattern {s}: expected adjacent-N or every-other-N with N from 2 to 1024, or two or more different offsets such as 0+1+4")
        };
        let steps = |n: &str, step: u32| {
            let n: u32 = n.parse().ok().filter(|n| (2..=1024).contains(n)).ok_or_else(wrong)?;
            Ok::<_, String>((0..n).map(|i| i * step).collect::<Vec<u32>>())
        };
        let mut offsets = if let Some(n) = s.strip_prefix("adjacent-") {
            steps(n, 1)?
        } else if let Some(n) = s.strip_prefix("every-other-") {
            steps(n, 2)?
        } else {
            let offset = |o: &str| o.parse::<u32>().ok().filter(|o| *o < 1 << 16);
            s.split('+').map(offset).collect::<Option<Vec<u32>>>().ok_or_else(wrong)?
        };
        offsets.sort_unstable();
        let lowest = offsets[0];
        offsets.iter_mut().for_each(|o| *o -= lowest);
        if offsets.len() < 2 || offsets.windows(2).any(|w| w[0] == w[1]) {
            return Err(wrong());
        }
        Ok(BitPattern(offsets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_offsets() {
        let at = |s: &str, position| s.parse::<BitPattern>().expect(s).at(position);
        assert_eq!(at("adjacent-2", 5), [5, 6]);
        assert_eq!(at("every-other-3", 1), [1, 3, 5]);
        assert_eq!(at("0+1+4", 2), [2, 3, 6]);
        assert_eq!(at("7+3", 0), [0, 4]);
        assert_eq!("0+1+4".parse::<BitPattern>().map(|p| p.span()), Ok(5));
    }

    #[test]
    fn other_names_are_refused() {
        for s in ["", "3", "1+1", "adjacent-1", "adjacent-", "every-other-x", "0+-1", "0+70000", "0++1"] {
            let e = s.parse::<BitPattern>().expect_err(s);
            assert!(e.contains("adjacent-N"), "{e}");
        }
    }
}
