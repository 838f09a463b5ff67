//! Options of `warpsmith package`.

use super::ChipArgs;
use clap::{Args, Subcommand, ValueEnum};
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
  warpsmith package launch kernels/vector_add/launch.toml -o vector_add.tar.gz

The trace port is left out unless --set trace=true. docs/packages.md describes the files.

Exit codes: 0 written   2 could not run";

/// Write a chip for other tools: sources, testbench, FuseSoC core, IP-XACT; or a launch as one file
#[derive(Args)]
#[command(after_help = "Exit codes: 0 written   2 could not run", after_long_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Package {
    #[command(subcommand)]
    pub what: Option<PackageWhat>,
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

#[derive(Subcommand)]
pub enum PackageWhat {
    Launch(PackageLaunch),
}

const LAUNCH_EXAMPLES: &str = "Examples:
  warpsmith package launch kernels/vector_add/launch.toml -o vector_add.tar.gz
  warpsmith run vector_add.tar.gz
  warpsmith cosim vector_add.tar.gz --config tiny

docs/packages.md describes the files in it.

Exit codes: 0 written   2 could not run";

/// Write a launch file and all that it names as one file, which run, cosim, fault plan and fault coverage take
#[derive(Args)]
#[command(after_help = "Exit codes: 0 written   2 could not run", after_long_help = LAUNCH_EXAMPLES)]
pub struct PackageLaunch {
    /// Launch file (docs/launch-file.md)
    #[arg(value_name = "LAUNCH.toml")]
    pub launch: PathBuf,
    #[command(flatten)]
    pub chip: ChipArgs,
    /// Archive to write [default: target/package/NAME.tar.gz]
    #[arg(short, long, value_name = "OUT.tar.gz")]
    pub output: Option<PathBuf>,
}
