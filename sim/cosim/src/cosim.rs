//! Lockstep runs from beginning to end: one launch, or random programs.

use crate::checker::Checker;
use crate::chip::Chip;
use crate::coverage::Coverage;
use crate::error::CosimError;
use crate::host::{Host, RunOptions};
use crate::observe::Observer;
use crate::outcome::{CosimOptions, CosimReport, Outcome};
use crate::random::{self, Limits};
use crate::readout::Counters;
use crate::simulation::{Collect, MemoryOptions, MemoryTiming};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use warpsmith_isa::Tier;
use warpsmith_model::{Launch, Mutant};

/// Runs a launch on the chip and the model in lockstep.
///
/// # Errors
/// The launch does not fit, the chip has no trace port, or the simulation cannot run. A difference
/// is an [`Outcome`].
pub fn cosim(chip: &Chip, launch: &Launch, options: &CosimOptions) -> Result<CosimReport, CosimError> {
    lockstep(chip, launch, options, None)
}

/// [`cosim()`] with every cycle shown to an observer. Slower.
///
/// # Errors
/// As [`cosim()`], and when the observer fails.
pub fn cosim_observed(
    chip: &Chip, launch: &Launch, options: &CosimOptions, observer: &mut Observer<'_>,
) -> Result<CosimReport, CosimError> {
    lockstep(chip, launch, options, Some(observer))
}

fn lockstep(
    chip: &Chip, launch: &Launch, options: &CosimOptions, mut observer: Option<&mut Observer<'_>>,
) -> Result<CosimReport, CosimError> {
    let collect = match observer {
        Some(_) => Collect::All,
        None => Collect::Lockstep,
    };
    chip.need_trace(collect)?;
    let mut host = Host::new(chip, launch, &options.run, collect)?;
    let mut checker = Checker::new(chip, launch, options);
    host.start();
    if let Some(o) = &mut observer {
        o.begin(host.start_cycle);
    }
    let stop = host.run(&options.run, |raw| checker.take(raw, observer.as_deref_mut()));
    let counters = host.counters();
    if let Some(o) = observer {
        o.finish(&counters)?;
    }
    let report = checker.report(&mut host, options, stop, counters)?;
    host.sim.close_wave();
    Ok(report)
}

/// How random programs are run.
#[derive(Clone, Debug)]
pub struct RandomOptions {
    /// Warp instructions to compare at least.
    pub count: u64,
    /// Seed of the first program; the following programs have the following seeds.
    pub seed: u64,
    /// Rows to draw from; those the chip executes when `None`.
    pub tier: Option<Tier>,
    /// How long the memory takes; drawn from each program's seed when `None`, as the cycles in which it is ready always are.
    pub timing: Option<MemoryTiming>,
    /// A deliberate error in the model.
    pub mutant: Option<Mutant>,
    /// Folder for the launch of a program that fails.
    pub out: PathBuf,
    /// Cycles after which a program is given up.
    pub max_cycles: u64,
    /// Waveform of the first program.
    pub wave: Option<PathBuf>,
    /// Asked before each program: true ends the run.
    pub stop: fn() -> bool,
    /// Options of `warpsmith cosim` that name the chip, for the command that reports print; `None`:
    /// `--config` and its name.
    pub chip: Option<String>,
}

impl Default for RandomOptions {
    fn default() -> Self {
        RandomOptions {
            count: 10_000,
            seed: 1,
            tier: None,
            timing: None,
            mutant: None,
            out: "cosim-failure".into(),
            max_cycles: 50_000_000,
            wave: None,
            stop: || false,
            chip: None,
        }
    }
}

/// Result of a run over random programs.
#[derive(Clone, Debug)]
pub struct RandomReport {
    /// [`Outcome::Agree`], or how the last program ended; compared less than asked for: it was stopped.
    pub outcome: Outcome,
    /// Programs run.
    pub programs: u64,
    /// Warp instructions compared.
    pub compared: u64,
    /// What the chip counted, all programs together.
    pub counters: Counters,
    /// What was exercised.
    pub coverage: Coverage,
    /// Rows drawn from.
    pub tier: Tier,
    /// Seed and launch file of the program that failed.
    pub failed: Option<(u64, PathBuf)>,
}

/// Memory timing of this seed: ideal, slow, or slow with back-pressure.
fn memory_of(seed: u64) -> MemoryOptions {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x6d65_6d6f);
    let slow = rng.gen_range(2..200);
    match rng.gen_range(0..3) {
        0 => MemoryOptions { seed, ..MemoryOptions::default() },
        1 => MemoryOptions { timing: MemoryTiming::Latency(slow, slow), ready_of_256: 256, seed },
        _ => MemoryOptions { timing: MemoryTiming::Latency(1, slow), ready_of_256: rng.gen_range(20..256), seed },
    }
}

/// Runs random programs in lockstep until `count` warp instructions were compared or one fails.
/// `progress` is told the instructions compared so far before each program.
///
/// # Errors
/// [`CosimError::Empty`] for a count of 0; whatever keeps the simulation from running;
/// [`CosimError::Generator`] when both sides trap, which no random program may.
pub fn cosim_random(
    chip: &Chip, options: &RandomOptions, progress: &mut dyn FnMut(u64),
) -> Result<RandomReport, CosimError> {
    if options.count == 0 {
        return Err(CosimError::Empty(
            "--random 0 compares no instruction; give the number of warp instructions".into(),
        ));
    }
    chip.need_trace(Collect::Lockstep)?;
    let tier = options.tier.unwrap_or(chip.info.tier);
    let limits = Limits::of(&chip.info, tier);
    let mut report = RandomReport {
        outcome: Outcome::Agree,
        programs: 0,
        compared: 0,
        counters: Counters::default(),
        coverage: Coverage::default(),
        tier,
        failed: None,
    };
    while report.compared < options.count && !(options.stop)() {
        progress(report.compared);
        let seed = options.seed.wrapping_add(report.programs);
        let launch = random::seeded(seed, &limits);
        let memory = memory_of(seed);
        let run = RunOptions {
            seed,
            memory: MemoryOptions { timing: options.timing.unwrap_or(memory.timing), ..memory },
            max_cycles: options.max_cycles,
            wave: options.wave.clone().filter(|_| report.programs == 0),
            ..RunOptions::default()
        };
        let which = match &options.chip {
            Some(which) => which.clone(),
            None => format!("--config {}", chip.info.name),
        };
        let replay = format!("warpsmith cosim --random 1 --seed {seed} {which}");
        let one =
            cosim(chip, &launch, &CosimOptions { run, mutant: options.mutant, replay: Some(replay), check: false })?;
        report.programs += 1;
        report.compared += one.compared;
        report.counters.add(&one.counters, &chip.info);
        report.coverage.merge(&one.coverage);
        match one.outcome {
            Outcome::Agree => {}
            Outcome::Trap(t) if options.mutant.is_none() => {
                return Err(CosimError::Generator { seed, why: t.to_string() })
            }
            other => {
                let path = random::write_launch(&launch, &options.out.join(format!("seed-{seed}")))?;
                report.failed = Some((seed, path));
                report.outcome = other;
                return Ok(report);
            }
        }
    }
    progress(report.compared);
    Ok(report)
}
