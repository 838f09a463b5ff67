//! `run --on uart:PATH`: a kernel on a board behind a serial port.

use super::report::Report;
use super::run::outputs;
use super::verdict::{counters, dump, verdict};
use crate::cli::Run;
use anyhow::{bail, Result};
use indicatif::{ProgressBar, ProgressStyle};
use warpsmith_cosim::Ending;
use warpsmith_fpga::link::{Options, Serial, Session};

/// Options that have no meaning on a board.
fn refuse(args: &Run) -> Result<()> {
    let waveless = "shows what a simulation sees; use --on rtl";
    for (given, option, why) in [
        (args.wave.is_some(), "--wave", waveless),
        (args.timeline.is_some(), "--timeline", waveless),
        (args.profile.is_some(), "--profile", waveless),
        (args.threads.is_some(), "--threads", "spreads the blocks of the model; leave it out with --on uart"),
        (args.sim.rtl.is_some(), "--rtl", "names a chip to simulate; the board has its own"),
        (args.sim.seed.is_some(), "--seed", "chooses the power-on state of a simulation; leave it out with --on uart"),
        (
            !args.chip.set.is_empty() || args.chip.config != "default",
            "--config and --set",
            "describe a chip; the board has its own and says which",
        ),
    ] {
        if given {
            bail!("{option} {why}");
        }
    }
    Ok(())
}

/// `run --on uart`.
pub fn run(args: &Run, port: &str, baud: u32) -> Result<Report> {
    refuse(args)?;
    let outputs = outputs(args)?;
    let mut launch = warpsmith_launch_file::load(&args.launch)?;
    outputs.open()?;
    let mut session = Session::new(Serial::open(port, baud)?);
    if launch.compiled {
        launch = warpsmith_launch_file::load_for(&args.launch, &session.hello()?.info)?;
    }
    let bar = ProgressBar::new(0);
    bar.set_style(ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len}")?);
    let result = session.run(
        &launch,
        &Options { max_cycles: args.sim.max_cycles, all: args.dump.is_some(), ..Options::default() },
        &mut |what, done, total| {
            if bar.message() != what {
                bar.set_message(what);
            }
            bar.set_length(total.max(1));
            bar.set_position(done);
        },
    );
    bar.finish_and_clear();
    let ran = result?;
    let (outcome, mut details) = verdict(&launch, &ran.ending, &ran.global);
    for doing in &ran.resets {
        details.push(format!("the board was reset while {doing}; the launch was done anew"));
    }
    if !ran.guarded {
        details.push(
            "the board's chip has no guard of the first page of memory: a use of NULL is not noticed; \
             build its bitstream anew with this program"
                .into(),
        );
    }
    if ran.retries > 0 {
        details.push(format!("{} requests were sent again: the line is not clean", ran.retries));
    }
    if let Some(path) = &args.dump {
        match ran.ending {
            Ending::Done | Ending::Trap(_) => dump(path, &ran.global)?,
            _ => {
                bail!("--dump: memory belongs to the chip, which is still running: reset the board")
            }
        }
    }
    let info = &ran.about.info;
    let c = &ran.counters;
    Ok(Report {
        title: format!("{} on the board with {}", launch.name, info.name),
        outcome,
        warp_instructions: c.warp_instructions,
        thread_instructions: c.thread_instructions,
        seconds: c.seconds,
        counters: Some(counters(info, c)),
        profile: None,
        details,
        undefined: 0,
    })
}
