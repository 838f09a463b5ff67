//! Options of `warpsmith package`.

use super::ChipArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Wrapper around the chip.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PackageWrapper {
    /// None: the bus and memory port of docs/registers.md
    Bus,
    /// AXI4-Lite slave and AXI4 master (docs/axi.md), with IP-XACT
    Axi,
    /// Memory in block RAM and a serial line (docs/host-link.md)
    Uart,
}

const EXAMPLES: &str = "Examples:
  warpsmith package --config tiny --wrapper axi
  warpsmith package --config tiny --wrapper uart --memory 16384 --out board_package

The trace port is left out unless --set trace=true. docs/packages.md describes the files.

Exit codes: 0 written   2 could not run";

/// Write a chip for other tools: sources, testbench, FuseSoC core, IP-XACT
#[derive(Args)]
#[command(after_help = "Exit codes: 0 written   2 could not run", after_long_help = EXAMPLES)]
pub struct Package {
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Wrapper around the chip
    #[arg(long, value_enum, default_value = "bus")]
    pub wrapper: PackageWrapper,
    /// Bytes of global memory, local memory included (uart) [default: 65536]
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<u64>,
    /// Folder to write [default: target/package/CONFIG-WRAPPER]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
