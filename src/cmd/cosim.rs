//! `warpsmith cosim`: kernels or random programs on Verilog and model in lockstep.

use super::interrupt;
use super::launch::{chip_for, load_simulated};
use super::output::{print, print_json, write_all};
use super::outputs::{Files, Form};
use super::report::{combined, error_json, Outcome, Report};
use super::rtl;
use crate::cli::{ChipArgs, Cosim, Engine};
use anyhow::{bail, Result};
use std::path::Path;
use warpsmith_cache::whole::Whole;
use warpsmith_cosim::observe::{timeline::Timeline, Observer};
use warpsmith_cosim::{cosim, cosim_observed, cosim_random, Chip, CosimOptions, Outcome as Ending, RandomOptions};
use warpsmith_isa::Isa;
use warpsmith_model::launch::Printed;
use warpsmith_model::{Launch, Mutant};

pub fn run(args: &Cosim) -> Result<u8> {
    let result = match args.random {
        Some(count) => random(args, count),
        None => launches(args),
    };
    if let (Err(e), true) = (&result, args.json) {
        print(&error_json(e))?;
    }
    result
}

fn launches(args: &Cosim) -> Result<u8> {
    let mutant = mutant(args.mutant.as_deref())?;
    let mut files = Files::default();
    for launch in &args.launches {
        files.launch(launch);
    }
    let outputs = files
        .chip(&args.chip)
        .writes("--wave", args.wave.as_ref(), Form::Wave)
        .writes("--timeline", args.timeline.as_ref(), Form::Timeline)
        .check()?;
    // Everything that can be refused is refused before the first simulation.
    let launches: Vec<Launch> = args
        .launches
        .iter()
        .map(|path| load_simulated(path, &args.chip, &args.sim, args.check))
        .collect::<Result<_>>()?;
    let described = match launches.first() {
        Some(launch) => chip_for(&args.chip, launch)?,
        None => args.chip.clone(),
    };
    outputs.open()?;
    let (chip, engine) = rtl::open(&described, &args.sim, args.wave.is_some())?;
    for launch in &launches {
        launch.check_fits(chip.info())?;
    }
    reaches(mutant, chip.info().isa)?;
    let seed = rtl::seed(&args.sim);
    let mut reports = vec![];
    for launch in &launches {
        let report = lockstep(args, (&described, engine), &chip, launch, seed, mutant)?;
        if !args.json {
            print(&report.text())?;
        }
        let agreed = report.outcome == Outcome::Pass;
        reports.push(report);
        if !agreed {
            break;
        }
    }
    if args.json {
        print_json(combined(&reports))?;
    }
    let worst = reports.iter().map(|r| r.outcome).max().unwrap_or(Outcome::Error);
    Ok(worst.exit_code())
}

fn lockstep(
    args: &Cosim, which: (&ChipArgs, Engine), chip: &Chip, launch: &Launch, seed: u64, mutant: Option<Mutant>,
) -> Result<Report> {
    let wave = args.wave.as_deref().map(Whole::new);
    let run = rtl::run_options(&args.sim, seed, wave.as_ref());
    let replay = replay(args, which, &launch.file, seed);
    let options = CosimOptions { run, mutant, replay: Some(replay), check: args.check };
    let done = rtl::spinning(&format!("running {}", launch.name), || match &args.timeline {
        None => cosim(chip, launch, &options),
        Some(path) => {
            let mut timeline = Timeline::create(path, launch, chip.info())?;
            let mut observer = Observer::new(chip.info().sms, vec![&mut timeline]);
            cosim_observed(chip, launch, &options, &mut observer)
        }
    })?;
    rtl::kept(wave, args.wave.as_deref())?;
    let (outcome, details) = judged(&done.outcome);
    let title = format!("{}, model and rtl of {}", launch.name, chip.info().name);
    let report = Report::new(title, outcome, &done.counters, Some(chip.info()), details);
    let report = report.with_printed(Printed::of(launch, &done.global));
    Ok(match &done.check {
        Some(found) => report.with_check(found),
        None => report.with_undefined(args.undefined, launch, &done.undefined),
    })
}

fn judged(ending: &Ending) -> (Outcome, Vec<String>) {
    match ending {
        Ending::Agree => (Outcome::Pass, vec![]),
        Ending::Trap(_) => (Outcome::Trap, vec![ending.to_string()]),
        _ => (Outcome::Fail, vec![ending.to_string()]),
    }
}

/// The command that runs one launch again in the same way.
fn replay(args: &Cosim, which: (&ChipArgs, Engine), launch: &Path, seed: u64) -> String {
    let which = which_chip(args, which);
    let check = if args.check { " --check" } else { "" };
    format!("warpsmith cosim {} --seed {seed:#x} {which}{check}", launch.display())
}

/// The options that name the chip and its engine: each engine draws a power-on state of its own from a seed.
fn which_chip(args: &Cosim, (chip, engine): (&ChipArgs, Engine)) -> String {
    let engine = match engine {
        Engine::Native => "native",
        _ => "verilator",
    };
    if let Some(dir) = &args.sim.rtl {
        return format!("--rtl {} --engine {engine}{}", dir.display(), args.sim.memory.text());
    }
    let sets = chip.set.iter().map(|set| format!(" --set {set}"));
    let sets: String = sets.collect();
    format!("--config {}{sets} --engine {engine}{}", chip.config(), args.sim.memory.text())
}

fn random(args: &Cosim, count: u64) -> Result<u8> {
    if args.timeline.is_some() {
        bail!("--timeline shows one launch; it cannot go with --random");
    }
    let mutant = mutant(args.mutant.as_deref())?;
    Files::default()
        .chip(&args.chip)
        .writes("--wave", args.wave.as_ref(), Form::Wave)
        .writes("--coverage", args.coverage.as_ref(), Form::Any)
        .check()?
        .open()?;
    let (chip, engine) = rtl::open(&args.chip, &args.sim, args.wave.is_some())?;
    reaches(mutant, chip.info().isa)?;
    let seed = rtl::seed(&args.sim);
    eprintln!("seed {seed:#x}, {count} warp instructions on {}", chip.info().name);
    let bar = rtl::bar(count, "{bar:40} {human_pos} of {human_len} warp instructions, {eta} left");
    let wave = args.wave.as_deref().map(Whole::new);
    let options = RandomOptions {
        count,
        seed,
        timing: args.sim.memory.timing(),
        mutant,
        out: "cosim-failure".into(),
        max_cycles: args.sim.max_cycles,
        wave: wave.as_ref().map(|w| w.part().to_path_buf()),
        chip: Some(which_chip(args, (&args.chip, engine))),
        stop: interrupt::asked,
        ..RandomOptions::default()
    };
    interrupt::stepwise();
    let result = cosim_random(&chip, &options, &mut |done| bar.set_position(done.min(count)));
    bar.finish_and_clear();
    let done = result?;
    rtl::kept(wave, args.wave.as_deref())?;
    let (outcome, mut details) = judged(&done.outcome);
    if let Some((seed, path)) = &done.failed {
        details.push(format!("program of seed {seed:#x}, written to {}", path.display()));
    }
    let stopped = outcome == Outcome::Pass && done.compared < count;
    if stopped {
        details.push(format!(
            "stopped after {} of {count} warp instructions; go on with: warpsmith cosim --random {} --seed {:#x} {}",
            done.compared,
            count - done.compared,
            seed.wrapping_add(done.programs),
            which_chip(args, (&args.chip, engine))
        ));
    }
    let title = format!("{} random programs, model and rtl of {}", done.programs, chip.info().name);
    let report = Report {
        warp_instructions: done.compared,
        ..Report::new(title, outcome, &done.counters, Some(chip.info()), details)
    };
    if let Some(path) = &args.coverage {
        let facts = [
            ("warp instructions", warpsmith_cosim::thousands(done.compared)),
            ("programs", warpsmith_cosim::thousands(done.programs)),
            ("seed", format!("{seed:#x}")),
            (
                "outcome",
                match stopped {
                    true => format!("{}, stopped before the end", outcome.name()),
                    false => outcome.name().to_string(),
                },
            ),
        ];
        let page = done.coverage.html(done.tier, &report.title, &facts)?;
        write_all(path, page)?;
    }
    if args.json {
        let mut object = report.json();
        object.insert("seed".into(), seed.into());
        object.insert("programs".into(), done.programs.into());
        if stopped {
            object.insert("stopped".into(), true.into());
        }
        object.insert("coverage".into(), done.coverage.to_json(done.tier));
        print_json(object)?;
    } else {
        print(&(report.text() + &done.coverage.summary(done.tier)))?;
    }
    Ok(match stopped {
        true => interrupt::INTERRUPTED,
        false => outcome.exit_code(),
    })
}

/// Refuses a deliberate error that no program of an instruction set shows.
fn reaches(mutant: Option<Mutant>, isa: Isa) -> Result<()> {
    let of = Mutant::OF_SETS;
    if isa == Isa::Sm10 || mutant.is_none_or(|m| of.contains(&m)) {
        return Ok(());
    }
    let named = Mutant::ALL.iter().filter(|m| of.contains(&m.1));
    let names: Vec<&str> = named.map(|m| m.0).collect();
    bail!("--mutant: in programs of {isa} there are {}", names.join(", "))
}

/// A deliberate error in the model, by name.
fn mutant(name: Option<&str>) -> Result<Option<Mutant>> {
    let Some(name) = name else { return Ok(None) };
    match Mutant::ALL.iter().find(|m| m.0 == name) {
        Some(m) => Ok(Some(m.1)),
        None => {
            let names: Vec<&str> = Mutant::ALL.iter().map(|m| m.0).collect();
            bail!("--mutant {name}: there are {}", names.join(", "))
        }
    }
}
