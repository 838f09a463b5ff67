//! Kernels in C against the same kernels in assembly: warp instructions on the model.

use crate::{suite, BenchError};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use warpsmith_model::{Model, ModelConfig};

const HEAD: &str =
    "# Warp instructions of the kernels of kernels/ on the model: written by hand, and compiled from C at -O2.
# Compared by `cargo test compiled::` and `warpsmith bench --suite programs --check`: exactly where
# clang is of this version, else by the limits. Changed only on purpose, by `warpsmith bench --suite programs
# --update-baseline`.
";

/// Greatest ratio that a kernel may have.
pub const MOST: f64 = 1.7;
/// Greatest geometric mean of all ratios.
pub const MEAN: f64 = 1.3;

/// Warp instructions of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pair {
    /// Written by hand.
    pub sass: u64,
    /// Compiled.
    pub c: u64,
}

impl Pair {
    /// Compiled over hand-written.
    pub fn ratio(self) -> f64 {
        self.c as f64 / self.sass as f64
    }
}

/// The table: every kernel that exists in both forms.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Table {
    /// Major version of clang.
    pub clang: String,
    /// By kernel.
    pub kernels: BTreeMap<String, Pair>,
}

impl Table {
    /// Runs all kernels of `root` in both forms; `clang` is the major version of the installed one.
    ///
    /// # Errors
    /// A launch that cannot be read, traps, or leaves other results than it expects.
    pub fn measure(root: &Path, clang: &str) -> Result<Table, BenchError> {
        let mut kernels = BTreeMap::new();
        for file in suite::program_files(root)? {
            let folder = file.parent().unwrap_or(root);
            let by_hand = folder.join("launch.toml");
            let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or("");
            if !by_hand.is_file() {
                continue;
            }
            let pair = Pair { sass: instructions(&by_hand)?, c: instructions(&file)? };
            kernels.insert(name.to_string(), pair);
        }
        Ok(Table { clang: clang.to_string(), kernels })
    }

    /// Reads a table.
    ///
    /// # Errors
    /// The file cannot be read or is no table.
    pub fn load(path: &Path) -> Result<Table, BenchError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| BenchError::File { path: path.to_path_buf(), source })?;
        toml::from_str(&text).map_err(|e| BenchError::Baseline {
            path: path.to_path_buf(),
            what: format!(
                "{}; expected clang = \"VERSION\" and [kernels] with NAME = {{ sass = N, c = N }}",
                e.message().trim()
            ),
        })
    }

    /// Geometric mean of the ratios.
    pub fn mean(&self) -> f64 {
        let logs: f64 = self.kernels.values().map(|p| p.ratio().ln()).sum();
        (logs / self.kernels.len().max(1) as f64).exp()
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut out = format!("{HEAD}\nclang = \"{}\"\n\n[kernels]\n", self.clang);
        for (name, p) in &self.kernels {
            let _ = writeln!(out, "{name} = {{ sass = {}, c = {} }}", p.sass, p.c);
        }
        out
    }

    /// Rows for a page.
    pub fn markdown(&self) -> String {
        let mut out = String::from("| kernel | by hand | from C | ratio |\n|---|--:|--:|--:|\n");
        for (name, p) in &self.kernels {
            let _ = writeln!(out, "| `{name}` | {} | {} | {:.2} |", p.sass, p.c, p.ratio());
        }
        let _ = writeln!(out, "| geometric mean | | | {:.2} |", self.mean());
        out
    }

    /// Mistakes of a measured table: rows over the limits, and, where clang is of the same
    /// version, rows that are not as they were.
    pub fn faults(&self, measured: &Table) -> Vec<String> {
        let mut faults = vec![];
        for (name, p) in &measured.kernels {
            if p.ratio() > MOST {
                faults
                    .push(format!("{name}: {:.2} times the instructions written by hand, more than {MOST}", p.ratio()));
            }
        }
        if measured.mean() > MEAN {
            faults.push(format!("geometric mean {:.2}, more than {MEAN}", measured.mean()));
        }
        if measured.clang == self.clang {
            let names = self.kernels.keys().chain(measured.kernels.keys());
            for name in names.collect::<std::collections::BTreeSet<_>>() {
                let (old, new) = (self.kernels.get(name), measured.kernels.get(name));
                if old != new {
                    let show =
                        |p: Option<&Pair>| p.map_or("absent".into(), |p| format!("{} by hand, {} from C", p.sass, p.c));
                    faults.push(format!("{name}: {} -> {}", show(old), show(new)));
                }
            }
        }
        faults
    }
}

/// Warp instructions of a launch that meets its expectations.
fn instructions(file: &Path) -> Result<u64, BenchError> {
    let launch = warpsmith_launch_file::load(file)?;
    let wrong = |what: String| BenchError::Wrong { key: launch.name.clone(), config: "model".into(), what };
    let mut model = Model::new(&launch, ModelConfig::default());
    let stats = model.run(1 << 32, 1, None).map_err(|e| wrong(e.to_string()))?;
    match launch.compare(model.state().global).first() {
        Some(d) => Err(wrong(d.to_string())),
        None => Ok(stats.warp_instructions),
    }
}
