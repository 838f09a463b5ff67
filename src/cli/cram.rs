//! Options of `warpsmith fault cram`.

use super::fault::InChip;
use super::{seed, ChipArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "With the tools of `make tools`, in a quarter of an hour and then in minutes:
  synth --target ecp5 --config tiny --clock 40 --out routed
  fault cram routed --config tiny --launch kernels/vector_add/launch.toml

Exit codes: 0 done   1 fault-free run failed   2 could not run   130 stopped";

/// What two drivers of a wire make of it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Wins {
    /// 0 wins
    Low,
    /// 1 wins
    High,
}

/// Upset bits of an ECP5's configuration memory: what each turns a routed chip into, and what a kernel then does
#[derive(Args)]
#[command(after_help = "Exit codes: 0 done   1 fault-free run failed   2 could not run   130 stopped", after_long_help = EXAMPLES)]
pub struct Cram {
    /// Folder of `synth --target ecp5`, routed
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Launch file (docs/launch-file.md), or an archive of one (docs/packages.md)
    #[arg(long, value_name = "LAUNCH.toml")]
    pub launch: PathBuf,
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Essential bits to draw: of bits of the device drawn with equal probability those that change what the chip is
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub count: u32,
    /// Seed of the draw
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub seed: u64,
    /// Take this bit instead of drawing, as the table names it: R10C39:PLC2.F25B10; may be repeated
    #[arg(long, value_name = "TILE.BIT", conflicts_with_all = ["count", "seed"])]
    pub bit: Vec<String>,
    /// What two drivers make of a wire
    #[arg(long, value_enum, default_value = "low")]
    pub contention: Wins,
    /// Count what every bit of the device turns into; a minute more
    #[arg(long)]
    pub census: bool,
    /// Write every bit that is drawn: tile, frame, kind, what it turns into, outcome
    #[arg(long, value_name = "OUT.csv")]
    pub csv: Option<PathBuf>,
    #[command(flatten)]
    pub run: InChip,
}
