//! `warpsmith board`.

use super::{board_port, seed, ChipArgs, Port};
use clap::{Args, Subcommand};
use std::path::PathBuf;

const BOARD_EXAMPLES: &str = "Examples:
  warpsmith board --config tiny --link board
  warpsmith run kernels/vector_add/launch.toml --on uart:board
  warpsmith board test --port board

Exit codes: 0 ended by Ctrl-C   2 could not run";

/// Simulate a board behind a serial port: the chip, its memory and the host link, in Verilator; `test` tests a board
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Exit codes: 0 ended by Ctrl-C   2 could not run", after_long_help = BOARD_EXAMPLES)]
pub struct Board {
    #[command(subcommand)]
    pub what: Option<BoardWhat>,
    #[command(flatten)]
    pub simulated: Simulated,
}

#[derive(Subcommand)]
pub enum BoardWhat {
    Test(BoardTest),
}

/// A simulated board.
#[derive(Args)]
pub struct Simulated {
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Emitted folder to simulate instead of what this program would emit
    #[arg(long, value_name = "DIR", conflicts_with_all = ["config", "set"])]
    pub rtl: Option<PathBuf>,
    /// Bytes of global memory, local memory included
    #[arg(long, value_name = "BYTES", default_value_t = 65536)]
    pub memory: u64,
    /// Symbolic link to the port; an existing one is replaced
    #[arg(long, value_name = "PATH")]
    pub link: Option<PathBuf>,
    /// Cycles of a bit on the line, 4 or more
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub divisor: u64,
    /// Share of disturbed bytes, in both directions: lost, inserted, or with a wrong bit
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub noise: f64,
    /// Bits of the host longer than the board's; negative: shorter
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, allow_negative_numbers = true)]
    pub skew: f64,
    /// Reset the board once, after this many bytes from the host (at any time: kill -USR1)
    #[arg(long, value_name = "BYTES")]
    pub reset_after: Option<u64>,
    /// Seed of the power-on state and of the disturbances
    #[arg(long, value_name = "N", value_parser = seed, default_value = "1")]
    pub seed: u64,
}

const TEST_EXAMPLES: &str = "Examples:
  warpsmith board test --port uart:/dev/ttyUSB0 --board ULX3S --bitstream bitstream.bit --by \"Ada, ada@example.org\"
  warpsmith board test --port uart:/dev/ttyUSB0 --config tiny --filter kernels/ --random 100000

docs/boards.md has the keys of the report, and where to send it.

Exit codes: 0 all is right   1 something differs   2 could not run";

/// Test a board over its link: memory, clock, kernels and random programs beside the model; write a report
#[derive(Args)]
#[command(after_help = "Exit codes: 0 all is right   1 something differs   2 could not run", after_long_help = TEST_EXAMPLES)]
pub struct BoardTest {
    /// Serial port of the board, or the folder of its SoC
    #[arg(long, value_name = "PATH[@BAUD]|uart:PATH[@BAUD]|soc:DIR", value_parser = board_port)]
    pub port: Port,
    /// Chip that the board must have [default: any]
    #[arg(long, value_name = "NAME|FILE")]
    pub config: Option<String>,
    /// Change one parameter of that chip; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Run only kernels whose suite/kernel/size contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Run random programs until this many warp instructions have been compared; 0: none
    #[arg(long, value_name = "COUNT", default_value_t = 20_000)]
    pub random: u64,
    /// Seed of random words and programs [default: random, in the report]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// Name of the board, for the report
    #[arg(long, value_name = "NAME")]
    pub board: Option<String>,
    /// Bitstream that the board was configured with; its SHA-256 goes into the report
    #[arg(long, value_name = "FILE")]
    pub bitstream: Option<PathBuf>,
    /// Who tested the board, and how to reach them, for the report
    #[arg(long, value_name = "TEXT")]
    pub by: Option<String>,
    /// Report to write
    #[arg(long, value_name = "FILE", default_value = "board-report.toml")]
    pub out: PathBuf,
    /// Print the report as one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

impl BoardTest {
    /// The chip that the board must have, if one was named.
    pub fn chip(&self) -> Option<ChipArgs> {
        let chip = ChipArgs { config: self.config.clone(), set: self.set.clone() };
        (!chip.is_open()).then_some(chip)
    }
}
