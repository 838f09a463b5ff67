//! Why a benchmark could not be run, or ran wrongly.

use std::path::PathBuf;
use thiserror::Error;
use warpsmith_cosim::CosimError;
use warpsmith_model::LaunchError;

/// What ends a benchmark.
#[derive(Debug, Error)]
pub enum BenchError {
    /// A kernel ended in another way than it should, or memory differs: exit code 1.
    #[error("{key} on {config}: {what}")]
    Wrong {
        /// Case.
        key: String,
        /// Configuration.
        config: String,
        /// Trap, silence or the first difference.
        what: String,
    },
    /// A launch file.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The simulation.
    #[error(transparent)]
    Cosim(#[from] CosimError),
    /// A file.
    #[error("{}: {source}", path.display())]
    File {
        /// Path.
        path: PathBuf,
        /// What happened.
        source: std::io::Error,
    },
    /// A baseline that cannot be used.
    #[error("{}: {what}", path.display())]
    Baseline {
        /// Path.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// Results that cannot be judged again.
    #[error("{}: {what}", path.display())]
    Results {
        /// Path.
        path: PathBuf,
        /// What is wrong, and what to do.
        what: String,
    },
    /// A plot.
    #[error("plot {name}: {what}")]
    Plot {
        /// File name.
        name: String,
        /// What happened.
        what: String,
    },
}
