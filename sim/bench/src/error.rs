//! Why a benchmark could not be run, or ran wrongly.

use std::path::PathBuf;
use thiserror::Error;
use warpsmith_cosim::CosimError;
use warpsmith_model::LaunchError;
use warpsmith_run::RunError;

/// Error of a benchmark.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A kernel ended in another way than it should, or memory differs: exit code 1.
    #[error("{key} on {config}: {what}")]
    Wrong {
        /// Case.
        key: String,
        /// Configuration.
        config: String,
        /// Trap, watchdog or the first difference.
        what: String,
    },
    /// A launch file.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A chip's folder.
    #[error(transparent)]
    Cosim(#[from] CosimError),
    /// A run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// Path.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A baseline that cannot be used.
    #[error("{}: {what}", path.display())]
    Baseline {
        /// Path.
        path: PathBuf,
        /// The mistake and its remedy.
        what: String,
    },
    /// Results that cannot be judged again.
    #[error("{}: {what}", path.display())]
    Results {
        /// Path.
        path: PathBuf,
        /// The mistake and its remedy.
        what: String,
    },
    /// A plot.
    #[error("plot {name}: {what}")]
    Plot {
        /// File name.
        name: String,
        /// The cause.
        what: String,
    },
}
