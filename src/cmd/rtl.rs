//! The emitted chip on an engine.

use super::chip::Chip as Described;
use crate::cli::{ChipArgs, Engine, SimArgs};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use warpsmith_cache::whole::Whole;
use warpsmith_cosim::{BuildOptions, Chip, Design, NativeOptions, RunOptions};
use warpsmith_hdl::emit::Emitted;

/// Opens `--rtl DIR`, or emits the described chip into the cache; builds its simulation if that has
/// not been done before. The engine is native or Verilator.
///
/// # Errors
/// Bad configuration, missing tools, a folder that is no chip.
pub fn open(chip: &ChipArgs, sim: &SimArgs, wave: bool) -> Result<(Chip, Engine)> {
    let folder = match &sim.rtl {
        Some(dir) => dir.clone(),
        None => emitted(&Described::resolve(chip)?)?,
    };
    let options = BuildOptions { wave, ..BuildOptions::default() };
    opened(&folder, sim.engine.unwrap_or_default(), &options)
}

/// The chip of an emitted folder on an engine, which is native or Verilator; Verilator compiles what it has not
/// compiled before. A choice that was left to the program is said with its reason.
///
/// # Errors
/// Missing tools, a folder that is no chip.
pub fn opened(folder: &Path, engine: Engine, options: &BuildOptions) -> Result<(Chip, Engine)> {
    let native = match engine {
        Engine::Native => true,
        Engine::Verilator => false,
        Engine::Auto => {
            let choice = Design::choice(folder, options)?;
            eprintln!("{choice}");
            choice.native
        }
    };
    if native {
        let design = Design::native(folder, NativeOptions::default())?;
        return Ok((Chip::on(folder, design)?, Engine::Native));
    }
    let message = "building the simulation with Verilator; this happens once for each chip";
    Ok((spinning(message, || Chip::open(folder, options))?, Engine::Verilator))
}

/// Folder of the cache with the Verilog of a chip.
///
/// # Errors
/// The cache cannot be written.
pub fn emitted(chip: &Described) -> Result<PathBuf> {
    written(&chip.emit())
}

/// Folder of the cache with an emitted chip.
///
/// # Errors
/// The cache cannot be written.
pub fn written(emitted: &Emitted) -> Result<PathBuf> {
    emitted.cached().context("set WARPSMITH_CACHE to a folder that can be written")
}

/// Gives a waveform its name.
///
/// # Errors
/// It cannot have it.
pub fn kept(wave: Option<Whole>, path: Option<&Path>) -> Result<()> {
    match (wave, path) {
        (Some(wave), Some(path)) => wave.finish().with_context(|| path.display().to_string()),
        _ => Ok(()),
    }
}

/// A line on a terminal that shows something is going on; silent elsewhere.
pub fn spinner(message: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A bar on a terminal, of so many steps; silent elsewhere.
pub fn bar(steps: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Does something under such a line.
pub fn spinning<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let progress = spinner(message);
    let done = work();
    progress.finish_and_clear();
    done
}

/// How a chip is run, by the options of a command.
pub fn run_options(sim: &SimArgs, seed: u64, wave: Option<&Whole>) -> RunOptions {
    let wave = wave.map(|w| w.part().to_path_buf());
    RunOptions { seed, memory: sim.memory.options(), max_cycles: sim.max_cycles, wave, ..RunOptions::default() }
}

/// The seed asked for, or one of this moment.
pub fn seed(sim: &SimArgs) -> u64 {
    sim.seed.unwrap_or_else(any_seed)
}

/// A seed of this moment.
pub fn any_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |d| u64::from(d.subsec_nanos()) ^ d.as_secs())
}
