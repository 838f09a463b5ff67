//! The benchmarks: suite, measurement, baseline, tables and plots.
//!
//! [`suite`] holds the cases, [`measure()`] runs them on a chip and counts, [`Baseline`] holds the exact
//! cycles, [`report`] and [`plot`] show them. The crate does not depend on the hardware description: a chip
//! is an emitted folder.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod baseline;
pub mod compiled;
mod error;
pub mod golden;
mod measure;
pub mod plot;
pub mod report;
pub mod suite;
mod verdict;

pub use baseline::{Baseline, Change};
pub use error::BenchError;
pub use measure::{cycles, lacks, measure, measure_all, resident_warps, FlexGripPlusCycles, Row, Subject};
pub use suite::{Case, Suite, Target};
pub use verdict::{judge, Verdict};
