//! The machines that run a launch.

use std::time::Instant;
use thiserror::Error;
use warpsmith_check::Check;
use warpsmith_cosim::observe::{Observer, Sink};
use warpsmith_cosim::{run_observed, run_rtl, Chip, CosimError, Counters, Ending, Ran, RunOptions};
use warpsmith_fpga::link::{Link, LinkError, Options, Progress};
use warpsmith_model::{Launch, Model, ModelConfig, Trace};

/// What runs a launch.
pub enum Machine<'a> {
    /// The golden model.
    Model {
        /// Settings that the launch does not name.
        config: ModelConfig,
        /// Warp instructions after which the launch is given up.
        limit: u64,
        /// Threads over which the blocks are spread.
        threads: usize,
        /// Sees every instruction; then one thread runs all.
        trace: Option<&'a mut Trace<'a>>,
        /// Looks for what is wrong with the program; then one thread runs all.
        check: bool,
    },
    /// An emitted chip on an engine.
    Rtl {
        /// The chip.
        chip: &'a Chip,
        /// How it is run.
        options: RunOptions,
        /// What sees every cycle; slower, and the chip needs a trace port.
        sinks: Vec<&'a mut dyn Sink>,
    },
    /// A board.
    Board {
        /// What leads to it.
        link: &'a mut dyn Link,
        /// How the launch is run.
        options: Options,
        /// Sees what is going on.
        progress: Progress<'a>,
    },
}

/// Something prevented the run: exit code 2 of the command line.
#[derive(Debug, Error)]
pub enum RunError {
    /// The launch does not fit the chip, or the simulation cannot run.
    #[error(transparent)]
    Cosim(#[from] CosimError),
    /// The launch does not fit the board, or the line or the board fails.
    #[error(transparent)]
    Link(#[from] LinkError),
}

impl Machine<'_> {
    /// Runs a launch.
    ///
    /// # Errors
    /// The launch does not fit, or the machine fails.
    pub fn run(self, launch: &Launch) -> Result<Ran, RunError> {
        match self {
            Machine::Model { config, limit, threads, trace, check } => {
                let mut model = Model::new(launch, config);
                let started = Instant::now();
                let mut check = check.then(|| Check::new(launch));
                let ended = match &mut check {
                    Some(check) => model.run_watched(limit, trace, check),
                    None => model.run(limit, threads, trace),
                };
                let seconds = started.elapsed().as_secs_f64();
                let state = model.state();
                let counters = Counters {
                    warp_instructions: state.stats.warp_instructions,
                    thread_instructions: state.stats.thread_instructions,
                    seconds,
                    ..Counters::default()
                };
                let ending = ended.map_or_else(Ending::Model, |_| Ending::Done);
                let undefined = state.undefined;
                let check = check.map(|c| c.finish(&undefined, state.trap.as_ref()));
                let ran = Ran::new(None, launch, ending, counters, model.into_global());
                Ok(Ran { undefined, check, ..ran })
            }
            Machine::Rtl { chip, options, sinks } if sinks.is_empty() => Ok(run_rtl(chip, launch, &options)?),
            Machine::Rtl { chip, options, sinks } => {
                let mut observer = Observer::new(chip.info().sms, sinks);
                Ok(run_observed(chip, launch, &options, &mut observer)?)
            }
            Machine::Board { link, options, progress } => Ok(link.run(launch, &options, progress)?.ran),
        }
    }
}
