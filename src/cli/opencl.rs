//! Options of `warpsmith opencl`.

use clap::{Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  warpsmith opencl

With host programs at hand (docs/opencl.md):
  opencl run -- clinfo -l
  opencl run --device rtl:tiny --cosim -- ./program
  opencl run --record launches -- python3 examples/python/matmul.py
  opencl install --dir ~/.opencl

Exit codes: 0 printed, or done   2 could not run   run: those of the program";

/// Run unchanged OpenCL programs on the model, the Verilog or a board; alone: how to
#[derive(Args)]
#[command(after_help = "Exit codes: 0 printed, or done   2 could not run   run: those of the program", after_long_help = EXAMPLES)]
pub struct OpenCl {
    #[command(subcommand)]
    pub what: Option<OpenClWhat>,
}

#[derive(Subcommand)]
pub enum OpenClWhat {
    Run(OpenClRun),
    Install(OpenClInstall),
    /// Look for loader, driver, clang and clinfo, and for drivers and variables in the way
    Doctor,
}

/// Run a program whose OpenCL loader finds this driver alone
// Brackets of the help mark what may be left out: they are no links.
#[allow(rustdoc::broken_intra_doc_links)]
#[derive(Args)]
pub struct OpenClRun {
    /// Devices, the first is the default: model[:CHIP], rtl[:CHIP], rtl:FILE.toml, uart:PATH[@BAUD], separated by commas
    #[arg(long, value_name = "LIST")]
    pub device: Option<String>,
    /// Compare every launch with the model, warp instruction by warp instruction
    #[arg(long)]
    pub cosim: bool,
    /// Find races, accesses outside buffers, barriers that not all work-items reach, undefined values (docs/check.md)
    #[arg(long)]
    pub check: bool,
    /// Write profile and timeline of every launch into this folder
    #[arg(long, value_name = "DIR")]
    pub profile: Option<PathBuf>,
    /// Write every launch as a launch file with its results as expectations into this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Cycles (RTL), or warp instructions (model), after which a launch fails
    #[arg(long, value_name = "N")]
    pub cycle_limit: Option<u64>,
    /// Program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

/// Write warpsmith.icd, by which the OpenCL loader finds the driver
#[derive(Args)]
pub struct OpenClInstall {
    /// Folder of the loader; another one is named to it by OCL_ICD_VENDORS
    #[arg(long, value_name = "DIR", default_value = "/etc/OpenCL/vendors")]
    pub dir: PathBuf,
}
