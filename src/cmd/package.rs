//! `warpsmith package`: the chip in the formats of other tools, and launches as archives.

use super::launch::{chip_for, load};
use super::output::{print, write_all};
use super::outputs::{Files, Form};
use super::{chip::Chip, AGREED};
use crate::cli::package::{Package, PackageLaunch, PackageWhat, PackageWrapper};
use anyhow::{bail, Result};
use std::path::{Path, PathBuf};
use warpsmith_fpga::package::{package, Wrapper};
use warpsmith_fpga::wrap::uart::UartOptions;
use warpsmith_hdl::config::GpuConfig;
use warpsmith_launch_file::archive;

/// Bytes of the memory beside the chip unless others are asked for.
const MEMORY_BYTES: u64 = 65536;

pub fn run(args: &Package) -> Result<u8> {
    match &args.what {
        Some(PackageWhat::Launch(a)) => launch(a),
        None => chip(args),
    }
}

/// Packs a launch.
fn launch(args: &PackageLaunch) -> Result<u8> {
    let mut files = Files::default();
    files.launch(&args.launch).chip(&args.chip).writes("-o", args.output.as_ref(), Form::Archive);
    let _ = files.check()?;
    let launch = load(&args.launch, &args.chip)?;
    let chip = Chip::resolve(&chip_for(&args.chip, &launch)?)?;
    launch.check_fits(&chip.info())?;
    let name = GpuConfig::name_of(Path::new(&format!("{}.toml", chip.name)));
    let packed = archive::pack(&launch, (&name, &toml::to_string(&chip.config.to_map())?))?;
    for input in &packed.inputs {
        files.reads("a file that the launch needs", input);
    }
    let out = args.output.clone().unwrap_or_else(|| Path::new("target/package").join(&packed.name));
    if args.output.is_none() {
        files.writes("-o", Some(&out), Form::Archive);
    }
    files.check()?.open()?;
    write_all(&out, &packed.bytes)?;
    let names: String = packed.files.iter().map(|(name, bytes)| format!("{bytes:>10}  {name}\n")).collect();
    print(&format!("{}: {}, for {}\n{names}", out.display(), launch.name, chip.name))?;
    Ok(AGREED)
}

/// Packs a chip.
fn chip(args: &Package) -> Result<u8> {
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
