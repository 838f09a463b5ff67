//! `warpsmith package`: the chip in the formats of other tools.

use super::output::print;
use super::outputs::Files;
use super::{chip::Chip, AGREED};
use crate::cli::package::{Package, PackageWrapper};
use anyhow::{bail, Result};
use std::path::PathBuf;
use warpsmith_fpga::package::{package, Wrapper};
use warpsmith_fpga::wrap::uart::UartOptions;

/// Bytes of the memory beside the chip unless others are asked for.
const MEMORY_BYTES: u64 = 65536;

pub fn run(args: &Package) -> Result<u8> {
    let chip = Chip::for_hardware(&args.chip)?;
    let wrapper = match (args.wrapper, args.memory) {
        (PackageWrapper::Uart, memory) => Wrapper::Uart(UartOptions { memory_bytes: memory.unwrap_or(MEMORY_BYTES) }),
        (_, Some(_)) => {
            bail!("--memory sizes the block RAM of --wrapper uart; the others have none")
        }
        (PackageWrapper::Bus, None) => Wrapper::Bus,
        (PackageWrapper::Axi, None) => Wrapper::Axi,
    };
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("target/package").join(format!("{}-{}", chip.name, wrapper.name())));
    let package = package(&chip.emit().files, &wrapper)?;
    Files::default().chip(&args.chip).writes_into("--out", &out, package.files.keys()).check()?.open()?;
    package.write(&out)?;
    let names: String = package.files.keys().map(|n| format!("  {n}\n")).collect();
    print(&format!("{}: {}\n{names}", out.display(), package.core))?;
    Ok(AGREED)
}
