//! Options of `warpsmith soc`.

use super::synth::mhz;
use super::{seed, ChipArgs};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{value_parser, Args};
use std::path::PathBuf;
use warpsmith_fpga::soc::{Board, BOARDS};

const EXAMPLES: &str = "Examples:
  warpsmith soc --board ulx3s --config tiny --no-build

With Verilator, in a minute or two:
  --board sim --config tiny        then: run kernels/vector_add/launch.toml --on soc:target/soc/sim-tiny

With the tools of `make tools`, in half an hour:
  --board ulx3s --config tiny      bitstream in target/soc/ulx3s-tiny/gateware, report beside it

Exit codes: 0 built   1 it does not fit, or misses its clock (the bitstream is written in that case too)   2 could not run";

/// The boards.
fn board() -> PossibleValuesParser {
    let value = |(name, b): (&'static String, &Board)| {
        PossibleValue::new(name.as_str()).help(format!("{}: {}, {} MHz", b.title, b.memory, b.clock_mhz))
    };
    PossibleValuesParser::new(BOARDS.iter().map(value))
}

/// Build a system of LiteX around a chip: memory of the board, link to the host, a CPU if asked for
#[derive(Args)]
#[command(after_help = "Exit codes: 0 built   1 does not fit, or misses its clock   2 could not run", after_long_help = EXAMPLES)]
pub struct Soc {
    /// Board, or a simulation
    #[arg(long, value_parser = board())]
    pub board: String,
    #[command(flatten)]
    pub chip: ChipArgs,
    /// CPU of the SoC [default: none]
    #[arg(long, value_parser = ["vexriscv"])]
    pub cpu: Option<String>,
    /// Link to the host
    #[arg(long, value_parser = ["uart", "etherbone"], default_value = "uart")]
    pub link: String,
    /// Clock of the SoC, the chip included [default: the board's]
    #[arg(long, value_name = "MHZ", value_parser = mhz)]
    pub clock: Option<f64>,
    /// Seed of place and route (boards with an ECP5)
    #[arg(long, value_name = "N", default_value = "1", value_parser = seed)]
    pub seed: u64,
    /// Try N seeds, from --seed on, one a processor at a time; the fastest counts, the report lists all
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u64).range(1..=1000))]
    pub seeds: u64,
    /// Folder to write [default: target/soc/BOARD-CONFIG]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Verilog and constraints alone: no bitstream, no simulation
    #[arg(long)]
    pub no_build: bool,
}
