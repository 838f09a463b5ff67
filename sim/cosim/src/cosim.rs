//! Lockstep runs from beginning to end: one launch, or random programs.

use crate::chip::Chip;
use crate::coverage::Coverage;
use crate::error::CosimError;
use crate::host::{where_warps_are, Counters, Host, RtlTrap, RunOptions, StopReason};
use crate::lockstep::collect::Collector;
use crate::lockstep::report::{bits, Difference, Subject};
use crate::lockstep::Lockstep;
use crate::observe::Observer;
use crate::random::{self, Limits};
use crate::simulation::{Collect, MemoryOptions, Simulation};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::path::{Path, PathBuf};
use warpsmith_isa::Tier;
use warpsmith_model::{GlobalMemory, Launch, ModelConfig, Mutant, Trap};

/// How a lockstep run is made.
#[derive(Clone, Debug, Default)]
pub struct CosimOptions {
    /// How the chip is run.
    pub run: RunOptions,
    /// A deliberate error in the model, for checks that differences are found.
    pub mutant: Option<Mutant>,
    /// Command that reports print for replaying; made from launch, configuration and seed if `None`.
    pub replay: Option<String>,
}

/// How a lockstep run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Model and chip agree, and so do the launch's expectations.
    Agree,
    /// They agree with each other, not with the launch's expectations.
    Unexpected(Vec<warpsmith_model::Difference>),
    /// Both trapped in the same way.
    Trap(Trap),
    /// They differ.
    Differ(Box<Difference>),
    /// Nothing retired for too long.
    Watchdog(String),
    /// The cycle limit was reached.
    CycleLimit(u64),
}

impl Outcome {
    /// Whether model and chip did the same and as expected.
    pub fn is_agreement(&self) -> bool {
        *self == Outcome::Agree
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Agree => f.write_str("model and rtl agree"),
            Outcome::Unexpected(d) => {
                write!(f, "model and rtl agree, but {} words are not as expected", d.len())?;
                d.iter().take(4).try_for_each(|d| write!(f, "\n  {d}"))
            }
            Outcome::Trap(t) => write!(f, "model and rtl agree: {t}"),
            Outcome::Differ(d) => d.fmt(f),
            Outcome::Watchdog(s) => f.write_str(s),
            Outcome::CycleLimit(n) => write!(f, "cosim: no end after {n} cycles; raise the limit if the kernel is meant to run this long"),
        }
    }
}

/// Result of a lockstep run.
#[derive(Clone, Debug)]
pub struct CosimReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What the chip counted.
    pub counters: Counters,
    /// Warp instructions compared.
    pub compared: u64,
    /// Cycle of the simulation of the last event of the trace port that was looked at: after a
    /// difference, the one that showed it.
    pub cycle: u64,
    /// The chip's trap record, when it said done and had trapped.
    pub trap: Option<RtlTrap>,
    /// What was exercised.
    pub coverage: Coverage,
}

/// Runs a launch on the chip and the model in lockstep.
///
/// # Errors
/// The launch does not fit, the chip has no trace port, or the simulation cannot run. A difference
/// is an [`Outcome`].
pub fn cosim(
    chip: &Chip,
    launch: &Launch,
    options: &CosimOptions,
) -> Result<CosimReport, CosimError> {
    lockstep(chip, launch, options, None, None)
}

/// [`cosim()`] with something done to the chip, not to the model, after the write that starts the
/// kernel: a fault. The seed no longer gives the run again, so nothing is run a second time: a chip
/// that retires nothing reaches the limit of cycles.
///
/// # Errors
/// As [`cosim()`].
pub fn cosim_disturbed(
    chip: &Chip,
    launch: &Launch,
    options: &CosimOptions,
    disturb: &mut dyn FnMut(&mut Simulation),
) -> Result<CosimReport, CosimError> {
    let mut options = options.clone();
    options.run.watchdog_cycles = u64::MAX;
    lockstep(chip, launch, &options, None, Some(disturb))
}

/// [`cosim()`] with every cycle shown to an observer. Slower.
///
/// # Errors
/// As [`cosim()`], and when the observer fails.
pub fn cosim_observed(
    chip: &Chip,
    launch: &Launch,
    options: &CosimOptions,
    observer: &mut Observer<'_>,
) -> Result<CosimReport, CosimError> {
    lockstep(chip, launch, options, Some(observer), None)
}

fn lockstep(
    chip: &Chip,
    launch: &Launch,
    options: &CosimOptions,
    mut observer: Option<&mut Observer<'_>>,
    disturb: Option<&mut dyn FnMut(&mut Simulation)>,
) -> Result<CosimReport, CosimError> {
    let collect = match observer {
        Some(_) => Collect::All,
        None => Collect::Lockstep,
    };
    chip.need_trace(collect)?;
    let seed = options.run.seed;
    let replay = options.replay.clone().unwrap_or_else(|| {
        format!(
            "warpsmith cosim {} --config {} --seed {seed}",
            launch.file.display(),
            chip.info.name
        )
    });
    let config = ModelConfig {
        stack_depth: chip.info.stack_depth as usize,
        tier: chip.info.tier,
        fill: None,
        mutant: options.mutant,
    };
    let mut host = Host::new(chip, launch, &options.run, collect)?;
    let mut lock = Lockstep::new(
        launch,
        config,
        chip.info.lanes as usize,
        chip.info.sms as usize,
        replay.clone(),
    );
    let mut collector = Collector::of(chip);
    let mut found = None;
    let mut last = 0;
    host.start();
    if let Some(disturb) = disturb {
        disturb(&mut host.sim);
    }
    if let Some(o) = &mut observer {
        o.begin(host.start_cycle);
    }
    let pulse = host.run(&options.run, |raw| {
        let result = collector.take(raw, |sm, cycle, event| {
            last = cycle;
            if let Some(o) = &mut observer {
                o.take(sm, cycle, &event);
            }
            match lock.take(sm, cycle, event) {
                Ok(()) => true,
                Err(d) => {
                    found = Some(d);
                    false
                }
            }
        });
        result.unwrap_or_else(|text| {
            found.get_or_insert(Difference::Other(
                Subject::Protocol,
                format!("cosim: the trace port is inconsistent: {text}\n  replay: {replay}"),
            ));
            false
        })
    });
    let counters = host.counters();
    if let Some(o) = observer {
        o.finish(&counters)?;
    }
    let mut trap = None;
    let outcome = match (found, pulse) {
        (Some(d), _) => Outcome::Differ(Box::new(d)),
        (None, StopReason::Watchdog) => Outcome::Watchdog(format!(
            "{}\n  replay: {replay}",
            where_warps_are(chip, launch, &options.run)?
        )),
        (None, StopReason::Limit) => Outcome::CycleLimit(options.run.max_cycles),
        (None, StopReason::Done | StopReason::Stopped) => match trap.insert(host.trap()) {
            Some(t) => match lock.finish_trap(t) {
                Ok(t) => Outcome::Trap(t),
                Err(d) => Outcome::Differ(Box::new(d)),
            },
            None => at_the_end(&mut host, &mut lock, &counters, &replay),
        },
    };
    host.sim.close_wave();
    Ok(CosimReport {
        outcome,
        counters,
        compared: lock.retired(),
        cycle: last,
        trap: trap.flatten(),
        coverage: std::mem::take(&mut lock.coverage),
    })
}

/// Checks after a run that ended without a trap.
fn at_the_end(
    host: &mut Host<'_>,
    lock: &mut Lockstep<'_>,
    counters: &Counters,
    replay: &str,
) -> Outcome {
    let differ = |subject, text: String| {
        Outcome::Differ(Box::new(Difference::Other(
            subject,
            format!("cosim: {text}\n  replay: {replay}"),
        )))
    };
    if let Err(d) = lock.finish() {
        return Outcome::Differ(Box::new(d));
    }
    if let Some(t) = lock.machine().trap() {
        return differ(
            Subject::Trap,
            format!("model: {t}; rtl: done without a trap"),
        );
    }
    if let Some((n, first)) = host.sim.strays() {
        return differ(Subject::Accesses, format!("rtl made {n} memory accesses outside global and local memory, the first at 0x{first:08x}"));
    }
    let global = host.global();
    if let Some((address, model, rtl)) = first_difference(lock.machine().global(), &global) {
        return differ(
            Subject::Memory,
            format!(
                "global memory differs at 0x{address:08x}\n  model {}    rtl {}    xor {}",
                bits(model),
                bits(rtl),
                bits(model ^ rtl)
            ),
        );
    }
    let stats = lock.machine().stats();
    for (what, model, rtl) in [
        (
            "warp instructions",
            stats.warp_instructions,
            counters.warp_instructions,
        ),
        (
            "thread instructions",
            stats.thread_instructions,
            counters.thread_instructions,
        ),
    ] {
        if model != rtl {
            return differ(
                Subject::Counters,
                format!("the counter of {what} differs: model {model}, rtl {rtl}"),
            );
        }
    }
    match host.launch.compare(&global) {
        d if d.is_empty() => Outcome::Agree,
        d => Outcome::Unexpected(d),
    }
}

/// First word that differs: byte address, model, chip.
fn first_difference(model: &GlobalMemory, rtl: &GlobalMemory) -> Option<(u32, u32, u32)> {
    let mut pages: Vec<u32> = model.pages().chain(rtl.pages()).map(|p| p.0).collect();
    pages.sort_unstable();
    pages.dedup();
    pages
        .into_iter()
        .flat_map(|p| (0..1u32 << 14).map(move |w| p + 4 * w))
        .find_map(|a| (model.word(a) != rtl.word(a)).then(|| (a, model.word(a), rtl.word(a))))
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
    /// Memory timing; drawn from each program's seed when `None`.
    pub memory: Option<MemoryOptions>,
    /// A deliberate error in the model.
    pub mutant: Option<Mutant>,
    /// Folder for the launch of a program that fails.
    pub out: PathBuf,
    /// Cycles after which a program is given up.
    pub max_cycles: u64,
    /// Waveform of the first program.
    pub wave: Option<PathBuf>,
}

impl Default for RandomOptions {
    fn default() -> Self {
        RandomOptions {
            count: 10_000,
            seed: 1,
            tier: None,
            memory: None,
            mutant: None,
            out: "cosim-failure".into(),
            max_cycles: 50_000_000,
            wave: None,
        }
    }
}

/// Result of a run over random programs.
#[derive(Clone, Debug)]
pub struct RandomReport {
    /// [`Outcome::Agree`], or how the last program ended.
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

/// Warp instructions a program of this seed aims at.
fn size_of(seed: u64) -> u32 {
    300 + 100 * (ChaCha8Rng::seed_from_u64(!seed).gen_range(0..28u32))
}

/// Memory timing of this seed: ideal, slow, or slow with back-pressure.
fn memory_of(seed: u64) -> MemoryOptions {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x6d65_6d6f);
    let slow = rng.gen_range(2..200);
    match rng.gen_range(0..3) {
        0 => MemoryOptions {
            seed,
            ..MemoryOptions::default()
        },
        1 => MemoryOptions {
            latency_min: slow,
            latency_max: slow,
            ready_of_256: 256,
            seed,
        },
        _ => MemoryOptions {
            latency_min: 1,
            latency_max: slow,
            ready_of_256: rng.gen_range(20..256),
            seed,
        },
    }
}

/// Runs random programs in lockstep until `count` warp instructions were compared or one fails.
/// `progress` is told the instructions compared so far before each program.
///
/// # Errors
/// [`CosimError::Empty`] for a count of 0; whatever keeps the simulation from running;
/// [`CosimError::Generator`] when both sides trap, which no random program may.
pub fn cosim_random(
    chip: &Chip,
    options: &RandomOptions,
    progress: &mut dyn FnMut(u64),
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
    while report.compared < options.count {
        progress(report.compared);
        let seed = options.seed.wrapping_add(report.programs);
        let launch = random::generate(seed, &limits, size_of(seed));
        let run = RunOptions {
            seed,
            memory: options.memory.unwrap_or_else(|| memory_of(seed)),
            max_cycles: options.max_cycles,
            wave: options.wave.clone().filter(|_| report.programs == 0),
            ..RunOptions::default()
        };
        let replay = format!(
            "warpsmith cosim --random 1 --seed {seed} --config {}",
            chip.info.name
        );
        let one = cosim(
            chip,
            &launch,
            &CosimOptions {
                run,
                mutant: options.mutant,
                replay: Some(replay),
            },
        )?;
        report.programs += 1;
        report.compared += one.compared;
        report
            .counters
            .add(&one.counters, chip.info.lanes * chip.info.sms);
        report.coverage.merge(&one.coverage);
        match one.outcome {
            Outcome::Agree => {}
            Outcome::Trap(t) if options.mutant.is_none() => {
                return Err(CosimError::Generator {
                    seed,
                    why: t.to_string(),
                })
            }
            other => {
                let path =
                    random::write_launch(&launch, &options.out.join(format!("seed-{seed}")))?;
                report.failed = Some((seed, path));
                report.outcome = other;
                return Ok(report);
            }
        }
    }
    progress(report.compared);
    Ok(report)
}

/// Copies an emitted folder to `to` with one piece of its Verilog replaced: a deliberate error in
/// the chip, for checks that differences are found.
///
/// # Errors
/// [`CosimError::Folder`] when `find` is not there exactly once or a file cannot be copied.
pub fn patched_copy(folder: &Path, to: &Path, find: &str, replace: &str) -> Result<(), CosimError> {
    let bad = |path: PathBuf, what: String| CosimError::Folder { path, what };
    std::fs::create_dir_all(to).map_err(|e| bad(to.into(), e.to_string()))?;
    let mut hits = 0;
    let entries = std::fs::read_dir(folder).map_err(|e| bad(folder.into(), e.to_string()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let target = to.join(entry.file_name());
        if path.extension().is_some_and(|e| e == "v") {
            let text =
                std::fs::read_to_string(&path).map_err(|e| bad(path.clone(), e.to_string()))?;
            hits += text.matches(find).count();
            std::fs::write(&target, text.replacen(find, replace, 1))
                .map_err(|e| bad(target, e.to_string()))?;
        } else if path.is_file() {
            std::fs::copy(&path, &target).map_err(|e| bad(target, e.to_string()))?;
        }
    }
    if hits == 1 {
        Ok(())
    } else {
        Err(bad(
            folder.into(),
            format!("the text to patch occurs {hits} times and must occur once: {find:?}"),
        ))
    }
}
