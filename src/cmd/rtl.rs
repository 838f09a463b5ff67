//! The emitted chip on an engine: opening it, and `run --on rtl`.

use super::chip::Chip as Described;
use super::launch::{chip_for, simulated};
use super::output::write_file;
use super::report::{Outcome, Report};
use super::run::outputs;
use super::verdict::{counters, dump, verdict};
use crate::cli::{ChipArgs, Engine, Run, SimArgs};
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use warpsmith_cache::cache_dir;
use warpsmith_cache::whole::Whole;
use warpsmith_cosim::observe::{profile::Profile, timeline::Timeline, Observer, Sink};
use warpsmith_cosim::{run_observed, run_rtl, Chip, RunOptions};
use warpsmith_cosim::{BuildOptions, Design, NativeOptions};
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
    let progress = spinner("building the simulation with Verilator; this happens once for each chip");
    let opened = Chip::open(folder, options);
    progress.finish_and_clear();
    Ok((opened?, Engine::Verilator))
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
    let folder = cache_dir().join("emitted").join(&emitted.digest()[..16]);
    if emitted.check(&folder).is_err() {
        emitted.write(&folder).context("set WARPSMITH_CACHE to a folder that can be written")?;
    }
    Ok(folder)
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

/// The seed asked for, or one of this moment.
pub fn seed(sim: &SimArgs) -> u64 {
    sim.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |d| u64::from(d.subsec_nanos()) ^ d.as_secs())
    })
}

/// `run --on rtl`.
pub fn run(args: &Run) -> Result<Report> {
    let outputs = outputs(args)?;
    let launch = warpsmith_launch_file::load_for(&args.launch, &simulated(&args.chip, &args.sim)?)?;
    let described = chip_for(&args.chip, &launch)?;
    outputs.open()?;
    let (chip, _) = open(&described, &args.sim, args.wave.is_some())?;
    launch.check_fits(chip.info())?;
    let seed = seed(&args.sim);
    let wave = args.wave.as_deref().map(Whole::new);
    let options = RunOptions {
        seed,
        max_cycles: args.sim.max_cycles,
        wave: wave.as_ref().map(|w| w.part().to_path_buf()),
        ..RunOptions::default()
    };
    let mut timeline = match &args.timeline {
        Some(path) => Some(Timeline::create(path, &launch, chip.info())?),
        None => None,
    };
    let mut profile = args.profile.as_ref().map(|_| Profile::new(&launch, chip.info()));
    let progress = spinner(&format!("running {}", launch.name));
    let sinks: Vec<&mut dyn Sink> =
        timeline.iter_mut().map(|t| t as &mut dyn Sink).chain(profile.iter_mut().map(|p| p as &mut dyn Sink)).collect();
    let result = if sinks.is_empty() {
        run_rtl(&chip, &launch, &options)
    } else {
        let mut observer = Observer::new(chip.info().sms, sinks);
        run_observed(&chip, &launch, &options, &mut observer)
    };
    progress.finish_and_clear();
    let ran = result?;
    kept(wave, args.wave.as_deref())?;
    if let (Some(Some(path)), Some(p)) = (&args.profile, &profile) {
        let page = p.html()?;
        write_file(path, |out| out.write_all(page.as_bytes()))?;
    }
    let (outcome, mut details) = verdict(&launch, &ran.ending, &ran.global);
    if outcome != Outcome::Pass {
        details.push(format!("power-on seed {seed:#x}"));
    }
    if let Some(path) = &args.dump {
        dump(path, &ran.global)?;
    }
    Ok(Report {
        title: format!("{} on the rtl of {}", launch.name, chip.info().name),
        outcome,
        warp_instructions: ran.counters.warp_instructions,
        thread_instructions: ran.counters.thread_instructions,
        seconds: ran.counters.seconds,
        counters: Some(counters(chip.info(), &ran.counters)),
        profile: profile.map(Box::new),
        details,
        undefined: 0,
    })
}
