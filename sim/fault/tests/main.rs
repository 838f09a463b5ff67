//! Tests of campaigns: plans, runs, results, clusters.

mod campaign;
mod run;
mod slurm;
mod store;
mod support;
