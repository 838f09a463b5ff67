//! `warpsmith synth`: bitstreams, projects, netlists, area.

use super::interrupt;
use super::output::print;
use super::outputs::Files;
use super::{chip::Chip, AGREED, DIFFERED};
use crate::cli::synth::{Synth, SynthTarget};
use anyhow::{bail, Result};
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;
use warpsmith_fpga::synth::{self, Options, Report, Step, SynthError, Target};

pub fn run(args: &Synth) -> Result<u8> {
    let SynthTarget(target) = args.target;
    let chip = match target {
        Target::Gates => Chip::resolve(&args.chip)?,
        _ => Chip::for_hardware(&args.chip)?,
    };
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("target/synth").join(format!("{}-{}", target.name(), chip.name)));
    let (emitted, rtl) = (chip.emit(), out.join("rtl"));
    Files::default()
        .chip(&args.chip)
        .writes_into("--out", &out, synth::RESULTS)
        .writes_into("--out", &rtl, emitted.files.keys())
        .check()?
        .open()?;
    emitted.write(&rtl)?;
    if args.part.is_some() && !target.is_ecp5() {
        bail!("--part: {} has no ECP5; give --target ecp5 or a board with one", target.name());
    }
    let options = Options {
        clock_mhz: args.clock,
        part: args.part.clone(),
        seed: args.seed,
        seeds: args.seeds,
        route: !args.no_route,
    };
    let mut progress = Progress::default();
    interrupt::stepwise();
    let result = synth::synth(target, &options, &out, &mut |step| progress.show(step));
    progress.clear();
    let report = match result {
        Ok(report) => report,
        Err(_) if interrupt::asked() => {
            let done = match progress.done.is_empty() {
                true => "no stage was done".to_string(),
                false => format!("done: {}", progress.done.join(", ")),
            };
            eprintln!(
                "warpsmith: stopped in stage {}; {done}; logs in {}; the same command begins anew",
                progress.stage,
                out.display()
            );
            return Ok(interrupt::INTERRUPTED);
        }
        Err(e @ (SynthError::DoesNotFit { .. } | SynthError::Unprotected { .. })) => {
            eprintln!("warpsmith: {e}");
            return Ok(DIFFERED);
        }
        Err(e) => return Err(e.into()),
    };
    if args.json {
        print(&report.json())?;
    } else {
        print(&report.page())?;
        print(&format!("\nin {}\n", out.display()))?;
    }
    Ok(missed_clock(&report).unwrap_or(AGREED))
}

/// The exit code where a report says that the clock is missed, which is told.
pub(super) fn missed_clock(report: &Report) -> Option<u8> {
    if report.meets_clock() != Some(false) {
        return None;
    }
    eprintln!(
        "warpsmith: the clock is missed: {:.2} MHz reached, {:.2} asked for; another seed (--seeds 8 tries eight) or a lower --clock may do",
        report.fmax_mhz.unwrap_or(0.0),
        report.clock_mhz.unwrap_or(0.0)
    );
    Some(DIFFERED)
}

/// The stage under way: a spinner on a terminal, a line a stage elsewhere.
#[derive(Default)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    stage: String,
    /// Stages that ended.
    done: Vec<String>,
}

impl Progress {
    pub(super) fn show(&mut self, step: Step) {
        self.clear();
        let terminal = std::io::stderr().is_terminal();
        match step {
            Step::Begin(stage) => self.stage = stage.into(),
            Step::End(stage, _) => self.done.push(stage.into()),
        }
        match step {
            Step::Begin(stage) if terminal => {
                let bar = ProgressBar::new_spinner();
                bar.set_style(
                    indicatif::ProgressStyle::with_template("{spinner} {msg} {elapsed_precise}").expect("a template"),
                );
                bar.set_message(stage.to_string());
                bar.enable_steady_tick(Duration::from_millis(200));
                self.bar = Some(bar);
            }
            Step::Begin(stage) => eprintln!("warpsmith: {stage} …"),
            Step::End(stage, seconds) => eprintln!("warpsmith: {stage}: {seconds:.1} s"),
        }
    }

    pub(super) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
