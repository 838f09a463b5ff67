//! The injecting chip of a campaign, and chips with other contents in its place.

use crate::cli::{ChipArgs, Engine as Asked};
use crate::cmd::chip::Chip;
use crate::cmd::launch::{chip_for, load};
use crate::cmd::rtl;
use anyhow::{anyhow, Context, Result};
use std::path::{Path, PathBuf};
use warpsmith_cache::cache_dir;
use warpsmith_cache::temporary::Temporary;
use warpsmith_cosim::Choice;
use warpsmith_fault::replay::Wider;
use warpsmith_fault::{Engine, FaultError, Golden};
use warpsmith_model::Launch;
use warpsmith_netlist::Tree;

/// Folder of the cache with the injecting build of a chip. The trace port is left out: it is for
/// watching, and its registers are no part of the machine.
///
/// # Errors
/// Bad configuration; the cache cannot be written.
pub fn folder(args: &ChipArgs) -> Result<PathBuf> {
    rtl::written(&untraced(args)?.emit_injecting())
}

/// A chip without its trace port.
///
/// # Errors
/// Bad configuration.
pub fn untraced(args: &ChipArgs) -> Result<Chip> {
    let mut chip = Chip::resolve(args)?;
    chip.config.trace = false;
    Ok(chip)
}

/// A launch, and the chip without its trace port that it runs on.
///
/// # Errors
/// Bad configuration, a launch that cannot be read or does not fit.
pub fn launched(path: &Path, args: &ChipArgs) -> Result<(Launch, Chip)> {
    let launch = load(path, args)?;
    let chip = untraced(&chip_for(args, &launch)?)?;
    launch.check_fits(&chip.info())?;
    Ok((launch, chip))
}

/// A chip with other contents, in a folder that holds it as long as it lives.
///
/// # Errors
/// The cache cannot be written.
pub fn made_of(chip: &Chip, tree: Tree) -> Result<Temporary> {
    let emitted = warpsmith_hdl::injecting_chip_of(&chip.config, &chip.name, tree);
    let folder = Temporary::new(cache_dir().join("gates").join(format!("chip.{}", std::process::id())));
    emitted.write(folder.path()).context("set WARPSMITH_CACHE to a folder that can be written")?;
    Ok(folder)
}

/// A launch on the chip as it is described, without a fault.
///
/// # Errors
/// The run fails.
pub fn plain(chip: &Chip, launch: &Launch, power_on: u64) -> Result<Golden> {
    let folder = rtl::written(&chip.emit_injecting())?;
    let run = || Golden::run_on(Engine::Native, &folder, launch.clone(), power_on, None);
    Ok(rtl::spinning("running the chip without a fault", run)?)
}

/// Refuses contents of a chip that do not do what is described, by the same run with them. `what` does not do what, and
/// what to do about it.
///
/// # Errors
/// Such contents; the error of the run, if it is another one.
pub fn as_described<T>(
    (what, remedy): (&str, &str), plain: &Golden, found: Result<T>, cycles: impl Fn(&T) -> u64,
) -> Result<T> {
    let other = |why: &str| {
        let launch = &plain.launch().name;
        anyhow!("{what}: the fault-free run of {launch} with them differs ({why}); {remedy}")
    };
    match found {
        Ok(run) if cycles(&run) == plain.cycles() => Ok(run),
        Ok(run) => Err(other(&format!("it takes {} cycles and not {}", cycles(&run), plain.cycles()))),
        Err(e) => Err(match e.downcast::<FaultError>() {
            Ok(FaultError::Control(why)) => other(&why),
            Ok(e) => e.into(),
            Err(e) => e,
        }),
    }
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
