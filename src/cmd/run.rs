//! `warpsmith run`: one kernel on the model, the emitted Verilog or a board, compared with its expectations.

use super::chip::Chip;
use super::launch::{chip_for, level_for, load_simulated, load_spaced};
use super::link::{connected, moving};
use super::output::{print, print_json, write_all};
use super::outputs::{Files, Form, Outputs};
use super::report::{error_json, Report};
use super::rtl::{kept, open, run_options, seed, spinning};
use super::verdict::{dump, verdict};
use super::{cores, trace};
use crate::cli::{Machine as On, Port, Run, Undefined};
use anyhow::{bail, Result};
use warpsmith_cache::whole::Whole;
use warpsmith_check::Findings;
use warpsmith_cosim::observe::{profile::Profile, timeline::Timeline, Sink};
use warpsmith_fpga::link::{self, Link};
use warpsmith_isa::{ChipInfo, Isa};
use warpsmith_launch_file::{load, load_for};
use warpsmith_model::launch::Printed;
use warpsmith_model::{Launch, ModelConfig, Trace, Traced};
use warpsmith_run::{Ending, Machine, Ran};

pub fn run(args: &Run) -> Result<u8> {
    let result = execute(args);
    match &result {
        Ok(report) if args.json => print_json(report.json())?,
        Ok(report) => print(&report.text())?,
        Err(e) if args.json => print(&error_json(e))?,
        Err(_) => {}
    }
    Ok(result?.outcome.exit_code())
}

fn execute(args: &Run) -> Result<Report> {
    refuse(args)?;
    let outputs = outputs(args)?;
    match &args.on {
        On::Model => model(args, &outputs),
        On::Rtl => rtl(args, &outputs),
        On::Board(port) => board(args, &outputs, port),
    }
}

/// Refuses options that have no meaning on the machine.
fn refuse(args: &Run) -> Result<()> {
    let (wave, timeline) = ((args.wave.is_some(), "--wave"), (args.timeline.is_some(), "--timeline"));
    let (profile, threads) = ((args.profile.is_some(), "--profile"), (args.threads.is_some(), "--threads"));
    let folder = (args.sim.rtl.is_some(), "--rtl");
    let memory = args.sim.memory.given().map_or((false, ""), |(option, _)| (true, option));
    let of_model = [
        ((args.trace.is_some(), "--trace"), "is written by the model; leave out --on"),
        (
            (args.undefined.is_some(), "--undefined"),
            "is what the model keeps track of; use `warpsmith cosim`, or leave out --on",
        ),
    ];
    let sees = "shows what a simulation sees; use --on rtl";
    let refused = match args.on {
        On::Model => vec![
            (wave, "shows signals of the chip; add --on rtl"),
            (timeline, "shows cycles of the chip; add --on rtl"),
            (profile, "counts cycles of the chip; add --on rtl"),
            ((args.sim.engine.is_some(), "--engine"), "says what runs the chip; add --on rtl"),
            (folder, "names a chip to simulate; add --on rtl"),
            (memory, "says what memory is simulated behind a chip; add --on rtl"),
        ],
        On::Rtl => {
            [&of_model[..], &[(threads, "spreads the blocks of the model; leave it out with --on rtl")]].concat()
        }
        On::Board(_) => [
            &of_model[..],
            &[
                ((args.check, "--check"), "watches the model; leave out --on"),
                (wave, sees),
                (timeline, sees),
                (profile, sees),
                (threads, "spreads the blocks of the model; leave it out with a board"),
                (folder, "names a chip to simulate; the board has its own"),
                (memory, "says what memory is simulated; the board has its own"),
                (
                    (args.sim.seed.is_some(), "--seed"),
                    "chooses the power-on state of a simulated chip; leave it out with a board",
                ),
                ((!args.chip.is_open(), "--config and --set"), "describe a chip; the board has its own and says which"),
            ],
        ]
        .concat(),
    };
    match refused.iter().find(|((given, _), _)| *given) {
        Some(((_, option), why)) => bail!("{option} {why}"),
        None => Ok(()),
    }
}

/// What the command reads and writes, checked.
///
/// # Errors
/// An output that would replace something, or has a wrong name.
fn outputs(args: &Run) -> Result<Outputs> {
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

/// What is wrong with the program of a run on a chip, as the model sees it.
fn watched(args: &Run, launch: &Launch, chip: &ChipInfo) -> Result<Findings> {
    let stack_depth = chip.stack_depth as usize;
    let config = ModelConfig {
        stack_depth,
        chip: true,
        options: chip.options,
        tier: chip.tier,
        tracked: true,
        ..ModelConfig::default()
    };
    let machine = Machine::Model { config, limit: args.max_instructions, threads: 1, trace: None, check: true };
    Ok(machine.run(launch)?.check.unwrap_or_default())
}

/// The report of a run, `machine` in words; writes the memory that was asked for.
fn report(args: &Run, launch: &Launch, machine: &str, ran: &Ran) -> Result<Report> {
    let info = ran.chip.as_ref();
    let limit = info.map_or("--max-instructions", |_| "--max-cycles");
    let (outcome, mut details) = verdict(launch, ran, limit);
    details.extend(ran.notes.iter().cloned());
    if let Some(path) = &args.dump {
        dump(path, &ran.global)?;
    }
    let report = Report::new(format!("{} on {machine}", launch.name), outcome, &ran.counters, info, details);
    Ok(report.with_printed(Printed::of(launch, &ran.global)))
}

fn model(args: &Run, outputs: &Outputs) -> Result<Report> {
    let launch = load_spaced(&args.launch, &args.chip, args.check)?;
    let chip = Chip::resolve(&level_for(&args.chip, &launch)?)?;
    let isa = launch.isa();
    match isa {
        Isa::Sm10 => launch.check_fits(&chip.info())?,
        _ if args.sim.seed.is_some() => {
            bail!("--seed fills state that starts undefined; in {isa} everything starts at 0: leave it out")
        }
        _ => {}
    }
    outputs.open()?;
    // Places that depend on undefined values mean nothing unless asked for.
    let undefined = args.undefined.unwrap_or(Undefined::Ignore);
    let config = ModelConfig {
        stack_depth: chip.config.stack_depth,
        tier: chip.info().tier,
        fill: args.sim.seed,
        tracked: args.check || undefined != Undefined::Ignore,
        ..ModelConfig::default()
    };
    let mut lines = String::new();
    let set = launch.program.set();
    let mut note = |t: &Traced| lines.push_str(&trace::line(set, t));
    let trace = args.trace.as_ref().map(|_| &mut note as &mut Trace);
    let (limit, threads) = (args.max_instructions, cores(args.threads));
    let ran = Machine::Model { config, limit, threads, trace, check: args.check }.run(&launch)?;
    if let Some(path) = &args.trace {
        write_all(path, lines)?;
    }
    let machine = match isa {
        Isa::Sm10 => "the model".into(),
        _ => format!("the model of {isa}"),
    };
    let report = report(args, &launch, &machine, &ran)?;
    Ok(match &ran.check {
        Some(found) => report.with_check(found),
        None => report.with_undefined(undefined, &launch, &ran.undefined),
    })
}

fn rtl(args: &Run, outputs: &Outputs) -> Result<Report> {
    let launch = load_simulated(&args.launch, &args.chip, &args.sim, args.check)?;
    let described = chip_for(&args.chip, &launch)?;
    outputs.open()?;
    let (chip, _) = open(&described, &args.sim, args.wave.is_some())?;
    launch.check_fits(chip.info())?;
    let found = args.check.then(|| watched(args, &launch, chip.info())).transpose()?;
    let seed = seed(&args.sim);
    let wave = args.wave.as_deref().map(Whole::new);
    let options = run_options(&args.sim, seed, wave.as_ref());
    let mut timeline = match &args.timeline {
        Some(path) => Some(Timeline::create(path, &launch, chip.info())?),
        None => None,
    };
    let mut profile = args.profile.as_ref().map(|_| Profile::new(&launch, chip.info()));
    if let Some(p) = &mut profile {
        p.check.clone_from(&found);
    }
    let sinks: Vec<&mut dyn Sink> =
        timeline.iter_mut().map(|t| t as &mut dyn Sink).chain(profile.iter_mut().map(|p| p as &mut dyn Sink)).collect();
    let machine = Machine::Rtl { chip: &chip, options, sinks };
    let mut ran = spinning(&format!("running {}", launch.name), || machine.run(&launch))?;
    kept(wave, args.wave.as_deref())?;
    if let (Some(Some(path)), Some(p)) = (&args.profile, &profile) {
        let page = p.html()?;
        write_all(path, page)?;
    }
    if ran.ending != Ending::Done || !ran.differences.is_empty() {
        ran.notes.push(format!("power-on seed {seed:#x}"));
    }
    let mut report = report(args, &launch, &format!("the rtl of {}", chip.info().name), &ran)?;
    if let Some(found) = &found {
        report = report.with_check(found);
    }
    Ok(Report { profile: profile.map(Box::new), ..report })
}

fn board(args: &Run, outputs: &Outputs, port: &Port) -> Result<Report> {
    let mut launch = load(&args.launch)?;
    outputs.open()?;
    connected(port, |link| {
        if launch.compiled {
            launch = load_for(&args.launch, &link.hello()?.info)?;
        }
        on_board(args, &launch, link)
    })
}

fn on_board(args: &Run, launch: &Launch, link: &mut dyn Link) -> Result<Report> {
    let bar = moving();
    let mut progress = bar.shown("");
    let all = args.dump.is_some() || Printed::is_possible(launch);
    let options = link::Options { max_cycles: args.sim.max_cycles, all, ..link::Options::default() };
    let result = Machine::Board { link, options, progress: &mut progress }.run(launch);
    let ran = result?;
    if args.dump.is_some() && !matches!(ran.ending, Ending::Done | Ending::Trap(_)) {
        bail!("--dump: memory belongs to the chip, which is still running: reset the board")
    }
    let name = ran.chip.as_ref().map_or("", |chip| &chip.name);
    report(args, launch, &format!("the board with {name}"), &ran)
}
