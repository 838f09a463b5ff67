//! `warpsmith run`: one kernel on the model, the emitted Verilog or a board, compared with its expectations.

use super::chip::Chip;
use super::cores;
use super::output::{print, write_file};
use super::outputs::{Files, Form, Outputs};
use super::report::{error_json, Outcome, Report};
use super::verdict::{dump, judge, stopped, trapped};
use super::{rtl, trace, uart};
use crate::cli::{Machine as On, Run, Undefined};
use anyhow::{bail, Result};
use std::time::Instant;
use warpsmith_isa::{Isa, Tier};
use warpsmith_model::{sets, uop};
use warpsmith_model::{Launch, Machine, ModelConfig, RunError};

pub fn run(args: &Run) -> Result<u8> {
    let result = execute(args);
    match &result {
        Ok(report) if args.json => print(&format!("{}\n", serde_json::Value::Object(report.json())))?,
        Ok(report) => print(&report.text())?,
        Err(e) if args.json => print(&error_json(e))?,
        Err(_) => {}
    }
    Ok(result?.outcome.exit_code())
}

fn execute(args: &Run) -> Result<Report> {
    match &args.on {
        On::Model => model(args),
        _ if args.trace.is_some() => bail!("--trace is written by the model; leave out --on"),
        _ if args.undefined.is_some() => {
            bail!("--undefined is what the model keeps track of; use `warpsmith cosim`, or leave out --on")
        }
        On::Rtl if args.threads.is_some() => {
            bail!("--threads spreads the blocks of the model; leave it out with --on rtl")
        }
        On::Rtl => rtl::run(args),
        On::Uart { port, baud } => uart::run(args, port, *baud),
    }
}

/// What places that depend on undefined values mean: nothing, unless asked for.
fn how(args: &Run) -> Undefined {
    args.undefined.unwrap_or(Undefined::Ignore)
}

/// Whether undefined bits are tracked.
fn tracked(args: &Run) -> bool {
    how(args) != Undefined::Ignore
}

/// What the command reads and writes, checked.
///
/// # Errors
/// An output that would replace something, or has a wrong name.
pub fn outputs(args: &Run) -> Result<Outputs> {
    Files::default()
        .launch(&args.launch)
        .chip(&args.chip)
        .writes("--dump", args.dump.as_ref(), Form::Any)
        .writes("--trace", args.trace.as_ref(), Form::Any)
        .writes("--wave", args.wave.as_ref(), Form::Wave)
        .writes("--timeline", args.timeline.as_ref(), Form::Timeline)
        .writes("--profile", args.profile.iter().flatten().next(), Form::Page)
        .check()
}

fn model(args: &Run) -> Result<Report> {
    if args.wave.is_some() {
        bail!("--wave shows signals of the chip; add --on rtl");
    }
    if args.timeline.is_some() {
        bail!("--timeline shows cycles of the chip; add --on rtl");
    }
    if args.profile.is_some() {
        bail!("--profile counts cycles of the chip; add --on rtl");
    }
    if args.sim.engine.is_some() {
        bail!("--engine says what runs the chip; add --on rtl");
    }
    if args.sim.rtl.is_some() {
        bail!("--rtl names a chip to simulate; add --on rtl");
    }
    let outputs = outputs(args)?;
    let chip = Chip::resolve(&args.chip)?;
    let launch = warpsmith_launch_file::load_for(&args.launch, &chip.info())?;
    if launch.isa() != Isa::Sm10 {
        return of_set(args, &launch, chip.config.stack_depth, &outputs);
    }
    if args.trace.is_some() {
        bail!("--trace is there for launches of the other instruction sets; with --on rtl, --timeline shows a run of sm10");
    }
    launch.check_fits(&chip.info())?;
    outputs.open()?;
    let mut machine = Machine::new(
        &launch,
        ModelConfig {
            stack_depth: chip.config.stack_depth,
            tier: Tier::from_rows(&warpsmith_hdl::forms(&chip.config)),
            fill: args.sim.seed,
            tracked: tracked(args),
            mutant: None,
        },
    );
    let started = Instant::now();
    let threads = cores(args.threads);
    let ended = match threads {
        1 => machine.run(args.max_instructions),
        n => machine.run_parallel(args.max_instructions, n),
    };
    let seconds = started.elapsed().as_secs_f64();
    let (outcome, details) = match ended {
        Ok(_) => judge(&launch, machine.global()),
        Err(RunError::Trap(trap)) => (Outcome::Trap, vec![stopped(&launch, trap.pc, trap.cause.number(), &trap)]),
        Err(e @ RunError::InstructionLimit { .. }) => (Outcome::Fail, vec![e.to_string()]),
    };
    if let Some(path) = &args.dump {
        dump(path, machine.global())?;
    }
    let stats = machine.stats();
    Ok(Report {
        title: format!("{} on the model", launch.name),
        outcome,
        warp_instructions: stats.warp_instructions,
        thread_instructions: stats.thread_instructions,
        seconds,
        counters: None,
        profile: None,
        details,
        undefined: 0,
    }
    .with_undefined(how(args), &launch, &machine.undefined()))
}

/// A launch of an instruction set that only the model executes.
fn of_set(args: &Run, launch: &Launch, stack_depth: usize, outputs: &Outputs) -> Result<Report> {
    let Some(set) = sets::of(launch.isa()) else {
        bail!(
            "{}: {} has an assembler and a disassembler, and no model that runs it",
            launch.file.display(),
            launch.isa()
        );
    };
    if args.sim.seed.is_some() {
        bail!("--seed fills state that starts undefined; in {} everything starts at 0: leave it out", launch.isa());
    }
    outputs.open()?;
    let mut machine = uop::Machine::new(set, launch, stack_depth);
    if tracked(args) {
        machine.track();
    }
    let started = Instant::now();
    let mut lines = String::new();
    let mut note = |block: [u32; 3], warp: u32, step: &uop::Step| {
        lines.push_str(&trace::line(set.instructions(), block, warp, step));
    };
    let trace: Option<&mut uop::Trace> = match args.trace {
        Some(_) => Some(&mut note),
        None => None,
    };
    let ended = machine.run(args.max_instructions, trace);
    let seconds = started.elapsed().as_secs_f64();
    if let Some(path) = &args.trace {
        write_file(path, |out| out.write_all(lines.as_bytes()))?;
    }
    let (outcome, details) = match ended {
        Ok(_) => judge(launch, machine.global()),
        Err(uop::Ended::Trap(trap)) => (Outcome::Trap, vec![trapped(launch, trap.pc, &trap)]),
        Err(e @ uop::Ended::Limit { .. }) => (Outcome::Fail, vec![e.to_string()]),
    };
    if let Some(path) = &args.dump {
        dump(path, machine.global())?;
    }
    let stats = machine.stats();
    Ok(Report {
        title: format!("{} on the model of {}", launch.name, launch.isa()),
        outcome,
        warp_instructions: stats.warp_instructions,
        thread_instructions: stats.thread_instructions,
        seconds,
        counters: None,
        profile: None,
        details,
        undefined: 0,
    }
    .with_undefined(how(args), launch, &machine.undefined()))
}
