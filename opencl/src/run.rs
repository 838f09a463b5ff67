//! One launch on a machine: alone or in lockstep, profiled, recorded; what went wrong in words.

use crate::chip::{Machine, Simulated};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::record::Recorder;
use std::path::PathBuf;
use warpsmith_cosim::observe::{profile::Profile, timeline::Timeline, Observer, Sink};
use warpsmith_cosim::{
    cosim, cosim_observed, run_observed, run_rtl, CosimError, CosimOptions, Ending, Outcome, RunOptions,
};
use warpsmith_fpga::link::Options as BoardOptions;
use warpsmith_model::{GlobalMemory, Launch, Model, ModelConfig, Stopped};

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

/// Runs a launch, and records it where the settings ask for it.
///
/// # Errors
/// A trap, the limit, a difference in lockstep, a machine that fails: `CL_OUT_OF_RESOURCES` with the reason.
pub fn run(device: &Device, launch: &Launch) -> Result<Ran> {
    let Some(folder) = &device.settings.record else {
        return unrecorded(device, launch);
    };
    let recorder = Recorder::begin(folder, launch).map_err(failed)?;
    let ran = unrecorded(device, launch);
    let after = ran.as_ref().ok().map(|r| &r.global);
    recorder.finish(launch, after).map_err(failed)?;
    ran
}

fn unrecorded(device: &Device, launch: &Launch) -> Result<Ran> {
    let settings = &device.settings;
    match &device.machine {
        Machine::Model(chip) | Machine::Rtl(chip) if settings.cosim => lockstep(device, chip, launch),
        Machine::Model(chip) => model(device, chip, launch),
        Machine::Rtl(chip) => rtl(device, chip, launch),
        Machine::Board(board) => {
            let options = BoardOptions { max_cycles: settings.limit(), all: true, ..BoardOptions::default() };
            let done = board.session().run(launch, &options, &mut |_, _, _| {});
            let done = done.map_err(failed)?;
            ended(launch, done.ending)?;
            if settings.cosim {
                compared(device, launch, &done.global)?;
            }
            Ok(Ran { global: done.global, cycles: done.counters.cycles })
        }
    }
}

/// Compares the memory a machine left with the model's.
fn same(launch: &Launch, checked: &GlobalMemory, got: &GlobalMemory) -> Result<()> {
    let words = (0..launch.global_bytes).step_by(4).map(|a| a as u32);
    let mut words = words.filter(|a| checked.word(*a) != got.word(*a));
    match words.next() {
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

fn machine(device: &Device, stack_depth: usize, launch: &Launch) -> Model {
    Model::new(
        launch,
        ModelConfig {
            stack_depth,
            tier: device.machine.info().tier,
            mutant: device.settings.mutant().unwrap_or(None),
            ..ModelConfig::default()
        },
    )
}

fn model(device: &Device, chip: &Simulated, launch: &Launch) -> Result<Ran> {
    let mut machine = machine(device, chip.stack_depth(), launch);
    let limit = device.settings.limit();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    match machine.run(limit, cores, None) {
        Ok(stats) => {
            let beats = u64::from(32 / chip.info.lanes.max(1));
            Ok(Ran {
                cycles: stats.warp_instructions * beats / u64::from(chip.info.sms.max(1)),
                global: machine.state().global.clone(),
            })
        }
        Err(Stopped::Trap { pc, text, .. }) => Err(Error::resources(at(launch, pc, &text))),
        Err(Stopped::Limit { limit, pc, .. }) => Err(Error::resources(at(
            launch,
            pc,
            &format!("no end after {limit} warp instructions (WARPSMITH_CYCLE_LIMIT)"),
        ))),
    }
}

/// Whether the memory a board left is what the model computes.
fn compared(device: &Device, launch: &Launch, global: &GlobalMemory) -> Result<()> {
    let mut machine = machine(device, device.machine.info().stack_depth as usize, launch);
    machine.run(device.settings.limit(), 1, None).map_err(failed)?;
    same(launch, machine.state().global, global)
}

fn options(device: &Device) -> RunOptions {
    RunOptions { seed: device.settings.seed.unwrap_or(1), max_cycles: device.settings.limit(), ..RunOptions::default() }
}

fn rtl(device: &Device, simulated: &Simulated, launch: &Launch) -> Result<Ran> {
    let chip = simulated.chip()?;
    let run = options(device);
    let report = observed(device, simulated, launch, |observer| match observer {
        None => run_rtl(chip, launch, &run),
        Some(o) => run_observed(chip, launch, &run, o),
    })?;
    ended(launch, report.ending)?;
    Ok(Ran { global: report.global, cycles: report.counters.cycles })
}

fn lockstep(device: &Device, simulated: &Simulated, launch: &Launch) -> Result<Ran> {
    let chip = simulated.chip()?;
    let options = CosimOptions {
        run: options(device),
        mutant: device.settings.mutant().unwrap_or(None),
        replay: Some("set WARPSMITH_RECORD to a folder, then `warpsmith cosim` its launch files".into()),
    };
    let report = observed(device, simulated, launch, |observer| match observer {
        None => cosim(chip, launch, &options),
        Some(o) => cosim_observed(chip, launch, &options, o),
    })?;
    match report.outcome {
        Outcome::Agree => Ok(Ran { global: report.global, cycles: report.counters.cycles }),
        Outcome::Trap(t) => Err(Error::resources(at(launch, t.pc, &t))),
        other => Err(failed(other)),
    }
}

/// Runs with profile and timeline where the settings ask for them.
fn observed<T>(
    device: &Device,
    simulated: &Simulated,
    launch: &Launch,
    run: impl FnOnce(Option<&mut Observer<'_>>) -> std::result::Result<T, CosimError>,
) -> Result<T> {
    let Some(folder) = &device.settings.profile else {
        return run(None).map_err(failed);
    };
    let stem: PathBuf = crate::record::numbered(folder, &launch.name).map_err(failed)?;
    let mut profile = Profile::new(launch, &simulated.info);
    let mut timeline = Timeline::create(&stem.join("timeline.json"), launch, &simulated.info).map_err(failed)?;
    let sinks: Vec<&mut dyn Sink> = vec![&mut profile, &mut timeline];
    let mut observer = Observer::new(simulated.info.sms, sinks);
    let result = run(Some(&mut observer)).map_err(failed)?;
    let page = profile.html().map_err(failed)?;
    std::fs::write(stem.join("profile.html"), page).map_err(failed)?;
    Ok(result)
}

/// The error of a run that did not end well.
fn ended(launch: &Launch, ending: Ending) -> Result<()> {
    let Some(why) = ending.why(" (WARPSMITH_CYCLE_LIMIT)") else { return Ok(()) };
    Err(Error::resources(match ending {
        Ending::Trap(t) => at(launch, t.pc, &why),
        _ => why,
    }))
}

/// A reason with the source line of the instruction.
fn at(launch: &Launch, pc: u32, reason: &dyn std::fmt::Display) -> String {
    match launch.source.place(pc) {
        Some(place) => format!("{place}: {reason}"),
        None => reason.to_string(),
    }
}

/// Cycles of several runs as nanoseconds at the clock of the device.
pub fn nanoseconds(device: &Device, cycles: u64) -> u64 {
    cycles.saturating_mul(1000) / u64::from(device.settings.clock())
}
