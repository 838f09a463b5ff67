//! One launch on a device: alone or in lockstep, profiled, recorded; what went wrong in words.

use crate::chip::{Machine, Simulated};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::ffi::host::flush_output;
use crate::record::Recorder;
use crate::report;
use crate::settings::CYCLE_LIMIT;
use std::io::Write as _;
use std::path::PathBuf;
use warpsmith_check::Findings;
use warpsmith_cosim::observe::{profile::Profile, timeline::Timeline, Observer, Sink};
use warpsmith_cosim::{cosim, cosim_observed, Chip, CosimOptions, Outcome, RunOptions};
use warpsmith_fpga::link::Options as BoardOptions;
use warpsmith_model::launch::Printed;
use warpsmith_model::{GlobalMemory, Launch, ModelConfig, RunError};
use warpsmith_run::{Ending, Machine as Runner};

/// A launch that ended well.
pub struct Ran {
    /// Global memory afterwards.
    pub global: GlobalMemory,
    /// Cycles it took. The model has none: its warp instructions, one after the other on the lanes.
    pub cycles: u64,
}

fn failed(e: impl std::fmt::Display) -> Error {
    Error::resources(e.to_string())
}

/// Shows what a kernel printed, behind what the program has printed.
fn show(launch: &Launch, global: &GlobalMemory) {
    let printed = Printed::of(launch, global);
    if !printed.text.is_empty() {
        flush_output();
        let mut out = std::io::stdout().lock();
        // Nobody may be there to read it.
        let _ = out.write_all(printed.text.as_bytes()).and_then(|()| out.flush());
    }
    if printed.cut {
        report::line(&format!("{}: printf: text was left out, its buffer was full", launch.name));
    }
}

/// Whether contents of buffers leave this process: into a record, or to a board.
pub fn needs_contents(device: &Device) -> bool {
    device.settings.record.is_some() || matches!(device.machine, Machine::Board(_))
}

/// Runs a launch, and records it where the settings ask for it.
///
/// # Errors
/// A trap, the limit, a difference in lockstep, a machine that fails: `CL_OUT_OF_RESOURCES` with the reason.
pub fn run(device: &Device, launch: &Launch) -> Result<Ran> {
    let Some(folder) = &device.settings.record else {
        return shown(device, launch);
    };
    let recorder = Recorder::begin(folder, launch).map_err(failed)?;
    let ran = shown(device, launch);
    let after = ran.as_ref().ok().map(|r| &r.global);
    recorder.finish(launch, after).map_err(failed)?;
    ran
}

fn shown(device: &Device, launch: &Launch) -> Result<Ran> {
    let ran = unrecorded(device, launch)?;
    show(launch, &ran.global);
    Ok(ran)
}

fn unrecorded(device: &Device, launch: &Launch) -> Result<Ran> {
    let settings = &device.settings;
    match &device.machine {
        Machine::Model(chip) | Machine::Rtl(chip) if settings.cosim => lockstep(device, chip, launch),
        // The model sees what a chip does not show.
        Machine::Rtl(chip) if settings.check => lockstep(device, chip, launch),
        Machine::Model(chip) => {
            let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
            let ran = alone(model(device, chip.stack_depth(), cores), launch)?;
            let beats = u64::from(32 / chip.info.lanes.max(1));
            Ok(Ran { cycles: ran.cycles * beats / u64::from(chip.info.sms.max(1)), ..ran })
        }
        Machine::Rtl(simulated) => observed(device, simulated, launch, |chip, sinks| {
            alone(Runner::Rtl { chip, options: options(device), sinks }, launch)
        }),
        Machine::Board(board) => {
            let options = BoardOptions { max_cycles: settings.limit(), all: true, ..BoardOptions::default() };
            let runner = Runner::Board { link: &mut *board.session(), options, progress: &mut |_, _, _| {} };
            let ran = alone(runner, launch)?;
            if settings.cosim || settings.check {
                let depth = device.machine.info().stack_depth as usize;
                same(launch, &alone(model(device, depth, 1), launch)?.global, &ran.global)?;
            }
            Ok(ran)
        }
    }
}

/// Runs a launch on one machine. The cycles of the model are its warp instructions.
fn alone(runner: Runner<'_>, launch: &Launch) -> Result<Ran> {
    let ran = runner.run(launch).map_err(failed)?;
    let found = wrong(launch, ran.check.as_ref());
    if ran.ending != Ending::Done {
        show(launch, &ran.global);
        return Err(failed(in_words(launch, &ran.ending)));
    }
    found?;
    let counted = &ran.counters;
    let cycles = ran.chip.map_or(counted.warp_instructions, |_| counted.cycles);
    Ok(Ran { cycles, global: ran.global })
}

/// What was found in a launch: a line each on stderr, and an error.
fn wrong(launch: &Launch, found: Option<&Findings>) -> Result<()> {
    let list = found.map_or(&[][..], |f| &f.list);
    list.iter().for_each(|f| report::line(&format!("{}: check: {}", launch.name, f.text())));
    match list {
        [] => Ok(()),
        [one] => Err(failed(format!("check: {}", one.text()))),
        [first, ..] => Err(failed(format!("check: {}; and {} more", first.text(), list.len() - 1))),
    }
}

/// Why a run did not end well.
fn in_words(launch: &Launch, ending: &Ending) -> String {
    ending.why(launch, CYCLE_LIMIT).unwrap_or_default()
}

/// Compares the memory a machine left with the model's.
fn same(launch: &Launch, checked: &GlobalMemory, got: &GlobalMemory) -> Result<()> {
    match checked.differences(got).next() {
        None => Ok(()),
        Some(a) => {
            let place = match launch.buffer_at(u64::from(a)) {
                Some((name, offset)) => format!("byte {offset:#x} of {name}"),
                None => format!("0x{a:08x}"),
            };
            Err(Error::resources(format!(
                "results differ at {place}: model 0x{:08x}, device 0x{:08x}",
                checked.word(a),
                got.word(a)
            )))
        }
    }
}

fn model(device: &Device, stack_depth: usize, threads: usize) -> Runner<'static> {
    let config = ModelConfig {
        stack_depth,
        tier: device.machine.info().tier,
        mutant: device.settings.mutant().unwrap_or(None),
        tracked: device.settings.check,
        ..ModelConfig::default()
    };
    Runner::Model { config, limit: device.settings.limit(), threads, trace: None, check: device.settings.check }
}

fn options(device: &Device) -> RunOptions {
    RunOptions { seed: device.settings.seed.unwrap_or(1), max_cycles: device.settings.limit(), ..RunOptions::default() }
}

fn lockstep(device: &Device, simulated: &Simulated, launch: &Launch) -> Result<Ran> {
    let options = CosimOptions {
        run: options(device),
        mutant: device.settings.mutant().unwrap_or(None),
        replay: Some("set WARPSMITH_RECORD to a folder, then `warpsmith cosim` its launch files".into()),
        check: device.settings.check,
    };
    let report = observed(device, simulated, launch, |chip, sinks| {
        let report = match sinks.is_empty() {
            true => cosim(chip, launch, &options),
            false => cosim_observed(chip, launch, &options, &mut Observer::new(chip.info().sms, sinks)),
        };
        report.map_err(failed)
    })?;
    if !matches!(report.outcome, Outcome::Agree) {
        show(launch, &report.global);
    }
    wrong(launch, report.check.as_ref())?;
    match report.outcome {
        Outcome::Agree => Ok(Ran { global: report.global, cycles: report.counters.cycles }),
        Outcome::Trap(t) => Err(failed(in_words(launch, &Ending::Model(RunError::Trap(t).into())))),
        other => Err(failed(other)),
    }
}

/// Runs on the chip, with profile and timeline where the settings ask for them, else without any sink.
fn observed<T>(
    device: &Device, simulated: &Simulated, launch: &Launch,
    run: impl for<'a> FnOnce(&'a Chip, Vec<&'a mut dyn Sink>) -> Result<T>,
) -> Result<T> {
    let chip = simulated.chip()?;
    let Some(folder) = &device.settings.profile else {
        return run(chip, vec![]);
    };
    let stem: PathBuf = crate::record::numbered(folder, &launch.name).map_err(failed)?;
    let mut profile = Profile::new(launch, &simulated.info);
    let mut timeline = Timeline::create(&stem.join("timeline.json"), launch, &simulated.info).map_err(failed)?;
    let result = run(chip, vec![&mut profile, &mut timeline])?;
    let page = profile.html().map_err(failed)?;
    std::fs::write(stem.join("profile.html"), page).map_err(failed)?;
    Ok(result)
}

/// Cycles of several runs as nanoseconds at the clock of the device.
pub fn nanoseconds(device: &Device, cycles: u64) -> u64 {
    cycles.saturating_mul(1000) / u64::from(device.settings.clock())
}
