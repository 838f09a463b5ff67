//! `warpsmith run`: one kernel on the model, the emitted Verilog or a board, compared with its expectations.

use super::chip::Chip;
use super::cores;
use super::output::{print, write_file};
use super::outputs::{Files, Form, Outputs};
use super::report::{error_json, Outcome, Report};
use super::verdict::{dump, judge, stopped};
use super::{rtl, trace, uart};
use crate::cli::{Machine as On, Run, Undefined};
use anyhow::{bail, Result};
use std::time::Instant;
use warpsmith_isa::Isa;
use warpsmith_model::{Model, ModelConfig, Stopped, Trace, Traced};

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
    let isa = launch.isa();
    match isa {
        Isa::Sm10 => launch.check_fits(&chip.info())?,
        _ if args.sim.seed.is_some() => {
            bail!("--seed fills state that starts undefined; in {isa} everything starts at 0: leave it out")
        }
        _ => {}
    }
    outputs.open()?;
    let config = ModelConfig {
        stack_depth: chip.config.stack_depth,
        tier: chip.info().tier,
        fill: args.sim.seed,
        tracked: tracked(args),
        ..ModelConfig::default()
    };
    let mut model = Model::new(&launch, config);
    let started = Instant::now();
    let mut lines = String::new();
    let mut note = |t: &Traced| lines.push_str(&trace::line(isa.set(), t));
    let trace: Option<&mut Trace> = match args.trace {
        Some(_) => Some(&mut note),
        None => None,
    };
    let ended = model.run(args.max_instructions, cores(args.threads), trace);
    let seconds = started.elapsed().as_secs_f64();
    if let Some(path) = &args.trace {
        write_file(path, |out| out.write_all(lines.as_bytes()))?;
    }
    let state = model.state();
    let (outcome, details) = match ended {
        Ok(_) => judge(&launch, state.global),
        Err(Stopped::Trap { pc, cause, text }) => (Outcome::Trap, vec![stopped(&launch, pc, cause, &text)]),
        Err(Stopped::Limit { text, .. }) => (Outcome::Fail, vec![text]),
    };
    if let Some(path) = &args.dump {
        dump(path, state.global)?;
    }
    let which = match isa {
        Isa::Sm10 => String::new(),
        _ => format!(" of {isa}"),
    };
    Ok(Report {
        title: format!("{} on the model{which}", launch.name),
        outcome,
        warp_instructions: state.stats.warp_instructions,
        thread_instructions: state.stats.thread_instructions,
        seconds,
        counters: None,
        profile: None,
        details,
        undefined: 0,
    }
    .with_undefined(how(args), &launch, &state.undefined))
}
