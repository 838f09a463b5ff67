//! Options of `warpsmith fault selftest`.

use super::fault::{GateFault, InChip};
use super::{seed, ChipArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "Tests of a flip-flop of the integer unit, with proofs for what they do not find:
  warpsmith fault selftest --unit int --config tiny --pin e1_a_3.Q --kernels none --out selftest

Run one of them:
  warpsmith run selftest/t01/launch.toml

Exit codes: 0 done   1 fault-free run failed   2 could not run   130 stopped";

/// Programs of the project that are tried before the generated ones.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kernels {
    /// None
    None,
    /// Those of kernels/ and of the benchmarks that the chip can run
    Suite,
}

/// Write programs that detect the faults of a unit's gates by what they store, and prove faults that no program detects
#[derive(Args)]
#[command(after_help = "Exit codes: 0 done   1 fault-free run failed   2 could not run   130 stopped", after_long_help = EXAMPLES)]
pub struct Selftest {
    /// Unit: int, float, sfu, decoder, scheduler, a block as its module is called (scoreboard, coalescer, divergence, lane
    /// …: its first instance), or the path of an instance as in `fault sites`
    #[arg(long, value_name = "UNIT")]
    pub unit: String,
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Fault model
    #[arg(long, value_enum, default_value = "stuck-at")]
    pub kind: GateFault,
    /// Only faults that equal one of a pin with this name; * matches any characters; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub pin: Vec<String>,
    /// Programs of the project that are tried first
    #[arg(long, value_enum, default_value = "suite")]
    pub kernels: Kernels,
    /// Seed of the generated programs
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub seed: u64,
    /// Generated programs that are tried
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub budget: u32,
    /// Registers through which a proof follows the values at the unit; 0: they are any
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=16))]
    pub depth: u32,
    /// Conflicts after which the solver gives a fault up
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub conflicts: u64,
    /// Write the programs that are kept, a report and a table of all faults; the folder must be new or empty
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Gates of the unit, made before with --keep, instead of a synthesis
    #[arg(long, value_name = "GATES.json")]
    pub netlist: Option<PathBuf>,
    /// Keep the gates as Yosys writes them
    #[arg(long, value_name = "GATES.json", conflicts_with = "netlist")]
    pub keep: Option<PathBuf>,
    #[command(flatten)]
    pub run: InChip,
}
