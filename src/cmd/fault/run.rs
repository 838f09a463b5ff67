//! `warpsmith fault run`.

use super::super::interrupt;
use super::super::output::print;
use super::super::outputs::{Files, Form};
use super::super::rtl::bar;
use super::super::{cores, AGREED};
use super::board::Board;
use super::loaded::LoadedCampaign;
use crate::cli::fault::{EngineName, Run};
use crate::cli::{Engine, Port};
use anyhow::{bail, Context, Result};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpsmith_cosim::thousands;
use warpsmith_fault::run::{run as drive, Factory, Progress, Work};
use warpsmith_fault::slurm::{self, Cluster};
use warpsmith_fault::{
    store_files, Campaign, DifferentialSimulator, FaultError, FaultOutcome, Meta, RanOn, Record, Reference, Row,
    SerialSimulator, SimulatorOptions, Sites, Store,
};

/// A campaign, and what runs its faults.
struct Workbench<'a, 'e> {
    campaign: &'a Campaign,
    sites: &'a Sites,
    /// Campaign of the results; the options are filled in here.
    meta: Meta,
    /// The run without a fault.
    control: Result<Record, FaultError>,
    /// Makes the fault simulator of a worker.
    simulator: &'a Factory<'e>,
    ran_on: RanOn,
    /// It runs faults side by side.
    side_by_side: bool,
}

/// Reads the campaign, builds the chip, runs it without a fault, and hands over what came of it.
fn workbench(args: &Run, then: impl FnOnce(Workbench) -> Result<u8>) -> Result<u8> {
    let mut loaded = LoadedCampaign::read(&args.campaign)?;
    let golden = loaded.golden(if args.on.is_some() { Engine::Native } else { engine(args.engine) })?;
    let (campaign, sites) = (&loaded.campaign, golden.sites());
    let options = SimulatorOptions {
        checkpoints: !args.no_checkpoints,
        early_stop: !args.no_early_stop,
        hang: args.hang,
        ..SimulatorOptions::default()
    };
    let meta = Meta::of(campaign, sites);
    if let Some(Port::Uart { port, baud }) = &args.on {
        let board = Board::new(port, *baud, &loaded, &args.saboteurs)?;
        board.takes(&golden, campaign)?;
        let control = board.simulator(&golden, options)?.control();
        return then(Workbench {
            campaign,
            sites,
            meta,
            control,
            simulator: &|| Ok(Box::new(board.simulator(&golden, options)?)),
            ran_on: RanOn::Board,
            side_by_side: false,
        });
    }
    let control = SerialSimulator::new(&golden, options)?.control();
    let reference = match golden.engine() {
        warpsmith_fault::Engine::Native => Some(Reference::new(&golden)?),
        warpsmith_fault::Engine::Verilator => None,
    };
    then(Workbench {
        campaign,
        sites,
        meta,
        control,
        simulator: &|| {
            Ok(match &reference {
                Some(reference) => Box::new(DifferentialSimulator::new(reference, options)?),
                None => Box::new(SerialSimulator::new(&golden, options)?),
            })
        },
        ran_on: RanOn::Engine(golden.engine()),
        side_by_side: reference.is_some(),
    })
}

pub fn run(args: &Run) -> Result<u8> {
    let results = results(&args.campaign, args.results.as_deref());
    if args.rows.is_some() && (args.results.is_none() || args.engine == EngineName::Slurm) {
        bail!("--rows runs a part of a campaign into a file of its own: name it with --results, and leave --engine slurm out");
    }
    let mut files = Files::default();
    files.reads("the campaign", &args.campaign);
    files.drawn_for(&args.campaign);
    for file in store_files(&results) {
        files.writes("--results", Some(file), Form::Any);
    }
    files.check()?.open()?;
    workbench(args, |bench| execute(args, &results, bench))
}

/// What runs the chip; tasks of a cluster choose by themselves.
fn engine(asked: EngineName) -> Engine {
    match asked {
        EngineName::Native => Engine::Native,
        EngineName::Verilator => Engine::Verilator,
        EngineName::Auto | EngineName::Slurm => Engine::Auto,
    }
}

/// The database of a campaign.
pub fn results(campaign: &Path, asked: Option<&Path>) -> PathBuf {
    asked.map_or_else(|| campaign.with_extension("db"), Path::to_path_buf)
}

fn execute(args: &Run, results: &Path, bench: Workbench) -> Result<u8> {
    let meta = Meta { options: options(args), ..bench.meta };
    let all = &bench.campaign.rows;
    let some: Vec<Row> = match &args.rows {
        Some(text) => slurm::select(all, text)?,
        None => vec![],
    };
    let rows = if args.rows.is_some() { &some } else { all };
    let work = Work {
        rows,
        sites: bench.sites,
        simulator: bench.simulator,
        ran_on: bench.ran_on,
        side_by_side: bench.side_by_side,
        workers: if args.on.is_some() { 1 } else { cores(args.jobs) },
        time: None,
        stop: interrupt::asked,
    };
    let bar = bar(rows.len() as u64, "{bar:30} {human_pos} of {human_len} faults{prefix}\n{msg}");
    let mut show = |p: &Progress| {
        bar.set_prefix(pace(p));
        bar.set_message(so_far(p));
        bar.set_position(p.done());
    };
    if args.rows.is_some() {
        let done = slurm::part(&work, bench.control, &meta, results, &mut show)?;
        bar.finish_and_clear();
        print(&summary(&done, results))?;
        return Ok(AGREED);
    }
    interrupt::stepwise();
    // Tasks of a cluster write to a folder that all nodes see.
    let mut store = match args.engine {
        EngineName::Slurm => Store::open_on_network(results, &meta)?,
        _ => Store::open(results, &meta)?,
    };
    let ran = match args.engine {
        EngineName::Slurm => {
            let command = command(args)?;
            let cluster = Cluster { command: &command, task_seconds: args.task_seconds, sbatch: &args.sbatch };
            slurm::run(&cluster, &work, bench.control, &mut store, &mut show)
        }
        _ => drive(&work, bench.control, &mut store, &mut show),
    };
    bar.finish_and_clear();
    let done = ran?;
    let activation = store.check_activation();
    store.finish()?;
    print(&summary(&done, results))?;
    if done.done() < done.rows {
        eprintln!("warpsmith: stopped with {} of {} faults; the same command goes on", done.done(), done.rows);
        return Ok(interrupt::INTERRUPTED);
    }
    activation?;
    Ok(AGREED)
}

/// The options that change records, for a reader.
fn options(args: &Run) -> String {
    let mut text = format!("hang {}", args.hang);
    for (off, name) in [(args.no_checkpoints, ", no checkpoints"), (args.no_early_stop, ", no early stop")] {
        if off {
            text += name;
        }
    }
    text
}

/// The command of a task on a cluster, by full paths; its rows and results are added.
fn command(args: &Run) -> Result<Vec<String>> {
    let program = std::env::current_exe().context("the path of this program")?;
    let campaign = std::path::absolute(&args.campaign).with_context(|| args.campaign.display().to_string())?;
    let mut words: Vec<OsString> = vec![program.into(), "fault".into(), "run".into()];
    words.push(campaign.into());
    words.push(format!("--hang={}", args.hang).into());
    if args.no_checkpoints {
        words.push("--no-checkpoints".into());
    }
    if args.no_early_stop {
        words.push("--no-early-stop".into());
    }
    words
        .into_iter()
        .map(|w| w.into_string().map_err(|w| anyhow::anyhow!("{}: the name is no text", w.to_string_lossy())))
        .collect()
}

/// Rate and time left.
fn pace(p: &Progress) -> String {
    if p.ran == 0 {
        return String::new();
    }
    let left = p.rows.saturating_sub(p.done()) as f64 / p.rate();
    format!(", {:.0}/s, {left:.0} s left", p.rate())
}

/// Shares of the classes so far, in 80 columns.
fn so_far(p: &Progress) -> String {
    let shares: Vec<String> = shares(p).map(|(outcome, _, share)| format!("{outcome} {share:.0} %")).collect();
    shares.join(", ")
}

/// Classes that occur: count, percent of the rows with a result.
fn shares(p: &Progress) -> impl Iterator<Item = (FaultOutcome, u64, f64)> + '_ {
    let all = p.classes.values().sum::<u64>();
    p.classes.iter().map(move |(&o, &n)| (o, n, 100.0 * n as f64 / all as f64))
}

fn summary(p: &Progress, results: &Path) -> String {
    let mut text = format!(
        "{} faults, {} run now in {:.1} s ({:.0} faults/s), {} were there: {}\n",
        thousands(p.rows),
        thousands(p.ran),
        p.time.as_secs_f64(),
        p.rate(),
        thousands(p.before),
        results.display()
    );
    for (outcome, count, share) in shares(p) {
        let _ = writeln!(text, "  {outcome:<14}{:>9} {share:>6.1} %", thousands(count));
    }
    if let Some(counts) = p.counts {
        let _ = writeln!(
            text,
            "settled {} from the fault-free run's accesses, handed over {} to serial simulation",
            thousands(counts.settled),
            thousands(counts.handed_over)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use warpsmith_fault::Counts;

    fn progress() -> Progress {
        Progress {
            rows: 2_000,
            before: 400,
            ran: 600,
            classes: [(FaultOutcome::Masked, 900), (FaultOutcome::Sdc, 100)].into(),
            time: Duration::from_secs(2),
            counts: None,
        }
    }

    #[test]
    fn a_run_is_summed_up() {
        assert_eq!(pace(&progress()), ", 300/s, 3 s left");
        assert_eq!(so_far(&progress()), "masked 90 %, sdc 10 %");
        assert_eq!(pace(&Progress::default()), "");
        let text = summary(&progress(), Path::new("a.db"));
        assert_eq!(
            text,
            "2 000 faults, 600 run now in 2.0 s (300 faults/s), 400 were there: a.db\n  \
             masked              900   90.0 %\n  \
             sdc                 100   10.0 %\n"
        );
        let counts = Counts { settled: 9_100, handed_over: 56, ..Counts::default() };
        let counted = Progress { counts: Some(counts), ..progress() };
        assert_eq!(
            summary(&counted, Path::new("a.db")),
            text + "settled 9 100 from the fault-free run's accesses, handed over 56 to serial simulation\n"
        );
    }

    #[test]
    fn results_lie_beside_the_campaign() {
        assert_eq!(results(Path::new("a/c.csv"), None), Path::new("a/c.db"));
        assert_eq!(results(Path::new("a/c.csv"), Some(Path::new("r.db"))), Path::new("r.db"));
    }
}
