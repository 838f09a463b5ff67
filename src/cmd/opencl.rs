//! `warpsmith opencl`: host programs and the loader's files.

mod doctor;
mod library;

use super::output::{print, write_file};
use super::outputs::Files;
use crate::cli::opencl::{OpenCl, OpenClInstall, OpenClRun, OpenClWhat};
use anyhow::{bail, Context, Result};
use library::{library, vendors, ICD, VENDORS};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use warpsmith_opencl::chip::Machine;
use warpsmith_opencl::settings::{self, Settings};

pub fn run(args: &OpenCl) -> Result<u8> {
    match &args.what {
        None => usage(),
        Some(OpenClWhat::Run(a)) => program(a),
        Some(OpenClWhat::Install(a)) => install(a),
        Some(OpenClWhat::Doctor) => doctor::run(),
    }
}

/// How to use the driver from a shell.
fn usage() -> Result<u8> {
    let vendors = vendors(&library()?)?;
    print(&format!(
        "The OpenCL loader finds the driver through this variable; every OpenCL program then runs on Warpsmith:

  export {VENDORS}={}

`warpsmith opencl run -- PROGRAM ARGS…` sets it for one program, `warpsmith opencl install` makes the driver one of
the system's. `warpsmith opencl doctor` looks for what is missing.

  {:<24} devices, the first is the default: model[:CHIP], rtl[:CHIP], rtl:FILE.toml, uart:PATH[@BAUD]
  {:<24} 1: every launch in lockstep with the model
  {:<24} folder for profile and timeline of every launch
  {:<24} folder for every launch as a launch file, with its results as expectations
  {:<24} cycles or warp instructions after which a launch fails
  {:<24} TOML file with the same settings
",
        vendors.display(),
        settings::DEVICE,
        settings::COSIM,
        settings::PROFILE,
        settings::RECORD,
        settings::CYCLE_LIMIT,
        settings::CONFIG,
    ))?;
    Ok(super::AGREED)
}

/// Becomes the program; comes back when it cannot.
fn program(args: &OpenClRun) -> Result<u8> {
    let (name, rest) = args.program.split_first().context("a program is needed")?;
    let mut command = Command::new(name);
    command.args(rest);
    command.env(VENDORS, vendors(&library()?)?);
    // The other variables of loaders would lead past ours.
    for other in library::OTHERS {
        command.env_remove(other);
    }
    if let Some(device) = &args.device {
        check(device)?;
        command.env(settings::DEVICE, device);
    }
    if args.cosim {
        command.env(settings::COSIM, "1");
    }
    if args.check {
        command.env(settings::CHECK, "1");
    }
    for (variable, option, dir) in
        [(settings::PROFILE, "--profile", &args.profile), (settings::RECORD, "--record", &args.record)]
    {
        if let Some(dir) = dir {
            // The driver names the files, of which none replaces another.
            let none: [&str; 0] = [];
            let mut files = Files::default();
            files.writes_into(option, dir, none).check()?.open()?;
            command.env(variable, absolute(dir)?);
        }
    }
    if let Some(limit) = args.cycle_limit {
        command.env(settings::CYCLE_LIMIT, limit.to_string());
    }
    let why = command.exec();
    Err(why).with_context(|| name.to_string_lossy().into_owned())
}

/// Refuses devices that the driver would leave out; a board is found by the driver, which greets it.
fn check(devices: &str) -> Result<()> {
    let settings = Settings { device: devices.into(), ..Settings::default() };
    for name in settings.devices().filter(|n| !n.starts_with("uart:")) {
        if let Err(e) = Machine::of(name, &settings) {
            bail!("--device: `{name}`: {e}");
        }
    }
    Ok(())
}

/// A path that holds in any working folder of the program.
fn absolute(path: &Path) -> Result<std::path::PathBuf> {
    std::path::absolute(path).with_context(|| path.display().to_string())
}

fn install(args: &OpenClInstall) -> Result<u8> {
    let library = library()?;
    let file = args.dir.join(ICD);
    std::fs::create_dir_all(&args.dir)
        .map_err(anyhow::Error::from)
        .and_then(|()| write_file(&file, |out| writeln!(out, "{}", library.display())))
        .with_context(|| {
            format!(
                "{} cannot be written; sudo writes it for all users, `--dir DIR` and {VENDORS}=DIR for one",
                file.display()
            )
        })?;
    print(&format!("{}: {}\n", file.display(), library.display()))?;
    if args.dir != Path::new(library::SYSTEM) {
        print(&format!("export {VENDORS}={}\n", absolute(&args.dir)?.display()))?;
    }
    Ok(super::AGREED)
}
