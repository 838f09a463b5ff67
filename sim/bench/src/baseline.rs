//! The exact cycles of every case of the baseline, by configuration.

use crate::error::BenchError;
use crate::measure::Row;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

const HEAD: &str = "# Cycles from start to done, power-on seed 1, compared exactly by `cargo test bench::` and
# `warpsmith bench --check`. Changed only on purpose, by `warpsmith bench --update-baseline`.
";

/// Configuration, then key of the case, then cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(pub BTreeMap<String, BTreeMap<String, u64>>);

/// One row that is not what the baseline says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Configuration.
    pub config: String,
    /// Case.
    pub key: String,
    /// Cycles of the baseline; none: it does not have the case.
    pub old: Option<u64>,
    /// Cycles now; none: there is no such case any more.
    pub new: Option<u64>,
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |n: Option<u64>| n.map_or("absent".to_string(), |n| n.to_string());
        write!(f, "{} on {}: {} -> {} cycles", self.key, self.config, show(self.old), show(self.new))?;
        match (self.old, self.new) {
            (Some(old), Some(new)) if old > 0 => {
                write!(f, " ({:+.1} %)", (new as f64 / old as f64 - 1.0) * 100.0)
            }
            _ => Ok(()),
        }
    }
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// The file cannot be read or is no baseline.
    pub fn load(path: &Path) -> Result<Self, BenchError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| BenchError::File { path: path.to_path_buf(), source })?;
        Self::parse(path, &text)
    }

    /// [`load`](Self::load) on text; `path` names it in errors.
    ///
    /// # Errors
    /// It is no baseline.
    pub fn parse(path: &Path, text: &str) -> Result<Self, BenchError> {
        toml::from_str(text).map(Baseline).map_err(|e| {
            let line = e.span().map_or(1, |s| text[..s.start].lines().count().max(1));
            BenchError::Baseline {
                path: path.to_path_buf(),
                what: format!(
                    "line {line}: {}; expected [CONFIG] and lines \"SUITE/KERNEL\" = CYCLES; `warpsmith bench --update-baseline` writes it",
                    e.message().trim()
                ),
            }
        })
    }

    /// Sets the cycles of rows.
    pub fn update(&mut self, rows: &[Row]) {
        for r in rows {
            let config = self.0.entry(r.config.clone()).or_default();
            config.insert(r.key(), r.cycles);
        }
    }

    /// Differences of measured cycles (configuration, key, cycles) from the baseline. With `whole`,
    /// cases of the measured configurations that were not measured count too.
    pub fn compare(&self, measured: &[(String, String, u64)], whole: bool) -> Vec<Change> {
        let mut changes = vec![];
        for (config, key, cycles) in measured {
            let old = self.0.get(config).and_then(|c| c.get(key)).copied();
            if old != Some(*cycles) {
                changes.push(Change { config: config.clone(), key: key.clone(), old, new: Some(*cycles) });
            }
        }
        for (config, rows) in self.0.iter().filter(|_| whole) {
            if !measured.iter().any(|m| m.0 == *config) {
                continue;
            }
            for (key, old) in rows {
                if !measured.iter().any(|m| m.0 == *config && m.1 == *key) {
                    changes.push(Change { config: config.clone(), key: key.clone(), old: Some(*old), new: None });
                }
            }
        }
        changes
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut s = HEAD.to_string();
        for (config, rows) in &self.0 {
            let _ = writeln!(s, "\n[{config}]");
            for (key, cycles) in rows {
                let _ = writeln!(s, "\"{key}\" = {cycles}");
            }
        }
        s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(cycles: u64) -> Vec<(String, String, u64)> {
        vec![("tiny".into(), "micro/x".into(), cycles)]
    }

    #[test]
    fn a_baseline_is_read_back_and_compared_exactly() {
        let text = "[tiny]\n\"micro/x\" = 100\n\"micro/y\" = 7\n";
        let b = Baseline::parse(Path::new("b"), text).unwrap();
        assert_eq!(Baseline::parse(Path::new("b"), &b.text()).unwrap(), b);
        assert!(b.compare(&measured(100), false).is_empty());
        let changes = b.compare(&measured(101), true);
        assert_eq!(changes[0].to_string(), "micro/x on tiny: 100 -> 101 cycles (+1.0 %)");
        assert_eq!(changes[1].to_string(), "micro/y on tiny: 7 -> absent cycles");
        assert_eq!(changes.len(), 2);
    }

    #[test]
    fn a_wrong_baseline_names_its_line() {
        let e = Baseline::parse(Path::new("b"), "[tiny]\n\"x\" = \"y\"\n").unwrap_err();
        assert!(e.to_string().starts_with("b: line 2:"), "{e}");
    }
}
