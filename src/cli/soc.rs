//! Options of `warpsmith soc`.

use super::synth::mhz;
use super::ChipArgs;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::Args;
use std::path::PathBuf;
use warpsmith_fpga::soc::{Board, BOARDS};

const EXAMPLES: &str = "Examples:
  warpsmith soc --board ulx3s --config tiny --no-build

With Verilator, in a minute or two:
  --board sim --config tiny        then: run kernels/vector_add/launch.toml --on soc:target/soc/sim-tiny

Exit codes: 0 built   2 could not run";

/// The boards.
fn board() -> PossibleValuesParser {
    let value = |(name, b): (&'static String, &Board)| {
        PossibleValue::new(name.as_str()).help(format!("{}: {}, {} MHz", b.title, b.memory, b.clock_mhz))
    };
    PossibleValuesParser::new(BOARDS.iter().map(value))
}

/// Build a system of LiteX around a chip: memory of the board, link to the host, a CPU if asked for
#[derive(Args)]
#[command(after_help = "Exit codes: 0 built   2 could not run", after_long_help = EXAMPLES)]
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
    /// Folder to write [default: target/soc/BOARD-CONFIG]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Verilog and constraints alone: no bitstream, no simulation
    #[arg(long)]
    pub no_build: bool,
}
