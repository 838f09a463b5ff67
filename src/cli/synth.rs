//! Options of `warpsmith synth`.

use super::{seed, ChipArgs};
use clap::builder::PossibleValue;
use clap::{value_parser, Args, ValueEnum};
use std::path::PathBuf;
use std::sync::LazyLock;
use warpsmith_fpga::synth::ecp5::Part;
use warpsmith_fpga::synth::Target;

/// Result of a synthesis.
#[derive(Clone, Copy)]
pub struct SynthTarget(pub Target);

impl ValueEnum for SynthTarget {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<SynthTarget>> = LazyLock::new(|| Target::all().map(SynthTarget).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.makes()))
    }
}

const EXAMPLES: &str = "Examples:
  warpsmith synth --target arty_a7 --config tiny --out arty

With the tools of `make tools`, in minutes to an hour:
  --target ulx3s --config tiny     bitstream, report and logs in target/synth/ulx3s-tiny (docs/fpga.md)
  --target xilinx                  area of the default chip
  --target gates --config tiny     then: cosim --rtl target/synth/gates-tiny kernels/vector_add/launch.toml

The trace port is left out unless --set trace=true; gates have it, for lockstep.

Exit codes: 0 made   1 it does not fit, lost copies of registers, or misses its clock (the bitstream is written in that case too)   2 could not run   130 stopped";

/// Synthesize a chip: a bitstream for a board, a Vivado project, a netlist, or area and clock alone
#[derive(Args)]
#[command(after_help = "Exit codes: 0 made   1 does not fit, lost copies, or misses its clock   2 could not run", after_long_help = EXAMPLES)]
pub struct Synth {
    /// Board, device or netlist
    #[arg(long, value_enum)]
    pub target: SynthTarget,
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Folder to write [default: target/synth/TARGET-CONFIG]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Clock of the chip [default: the board's, see fpga/README.md]
    #[arg(long, value_name = "MHZ", value_parser = mhz)]
    pub clock: Option<f64>,
    /// ECP5 instead of the board's or the largest of speed 6, such as LFE5UM5G-85F-8BG554C; pins stay those of the board
    #[arg(long, value_name = "DEVICE")]
    pub part: Option<Part>,
    /// Seed of place and route
    #[arg(long, value_name = "N", default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// Try N seeds, from --seed on, one a processor at a time; the fastest counts, the report lists all
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u64).range(1..=1000))]
    pub seeds: u64,
    /// Stop after synthesis: area, no clock, no bitstream
    #[arg(long)]
    pub no_route: bool,
    /// Print the report as one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// A clock that an FPGA may have.
pub(super) fn mhz(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|mhz| (1.0..=1000.0).contains(mhz))
        .ok_or_else(|| "a number of MHz such as 50 or 62.5 is needed, 1 to 1000".to_string())
}
