//! The injecting chip of a campaign.

use crate::cli::{ChipArgs, Engine as Asked};
use crate::cmd::chip::Chip;
use crate::cmd::rtl;
use anyhow::Result;
use std::path::{Path, PathBuf};
use warpsmith_cosim::Choice;
use warpsmith_fault::replay::Wider;
use warpsmith_fault::{Engine, Golden};
use warpsmith_model::Launch;

/// Folder of the cache with the injecting build of a chip. The trace port is left out: it is for
/// watching, and its registers are no part of the machine.
///
/// # Errors
/// Bad configuration; the cache cannot be written.
pub fn folder(args: &ChipArgs) -> Result<PathBuf> {
    let mut chip = Chip::resolve(args)?;
    chip.config.trace = false;
    rtl::written(&chip.emit_injecting())
}

/// Makes an injecting folder's chip on an engine and runs a launch on it without a fault.
///
/// # Errors
/// Missing tools, a launch that does not fit; a run that fails.
pub fn golden(asked: Asked, folder: &Path, launch: Launch, power_on: u64) -> Result<Golden> {
    let engine = match asked {
        Asked::Verilator => Engine::Verilator,
        Asked::Native => Engine::Native,
        Asked::Auto => {
            let why =
                "records are the same on both engines, and this one compiles nothing and runs faults side by side";
            eprintln!("{}", Choice::native(why));
            Engine::Native
        }
    };
    let message = "building the simulation and running it without a fault; the build happens once for each chip";
    Ok(rtl::spinning(message, || Golden::run_on(engine, folder, launch, power_on, None))?)
}

/// [`folder`] with the trace port, for lockstep.
///
/// # Errors
/// As [`folder`].
pub fn traced_folder(args: &ChipArgs) -> Result<PathBuf> {
    let mut chip = Chip::resolve(args)?;
    chip.config.trace = true;
    rtl::written(&chip.emit_injecting())
}

/// Registers of a chip that are wider with the trace port.
///
/// # Errors
/// Bad configuration.
pub fn wider(args: &ChipArgs) -> Result<Vec<Wider>> {
    let chip = Chip::resolve(args)?;
    let all = warpsmith_hdl::sm::trace::wider(&chip.config).into_iter();
    Ok(all.map(|w| Wider { without: w.without as u32, with: w.with as u32, place: w.place }).collect())
}
