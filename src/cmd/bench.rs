//! `warpsmith bench`: the suite on chips without the trace port; tables, files, baseline.

use super::chip::Chip as Described;
use super::interrupt;
use super::output::{print, write_all};
use super::outputs::{Files, Form, Outputs};
use super::report::error_json;
use super::rtl::{emitted, opened, spinner};
use super::{AGREED, DIFFERED};
use crate::cli::{Bench, ChipArgs, Part};
use anyhow::{bail, Result};
use std::path::{Path, PathBuf};
use warpsmith_bench::{
    compiled::Table, lacks, measure_all, plot, report, suite, Baseline, BenchError, Case, Row, Subject, Suite,
};
use warpsmith_cosim::BuildOptions;

/// Chips of the suite: 8, 16 and 32 lanes.
const LANES: [&str; 3] = ["default", "default,lanes=16,port_words=16,shared_banks=16", "wide"];
/// Chip of several SMs that runs the kernels too. It is not in the baseline: its simulation takes
/// minutes to build.
const KERNELS_TOO: &str = "quad";
/// Chips of the scale part: 1, 2 and 4 SMs; with `--long` 16.
const SMS: [&str; 3] = ["default", "default,sms=2", "quad"];
const SMS_LONG: &str = "default,sms=16";
/// Power-on seed of every run: cycles do not depend on it, which a test checks.
const SEED: u64 = 1;

pub fn run(args: &Bench) -> Result<u8> {
    let result = execute(args);
    match result {
        Err(e) if e.downcast_ref::<BenchError>().is_some_and(is_wrong) => {
            if args.json {
                let fail = serde_json::json!({ "outcome": "fail", "message": format!("{e:#}") });
                print(&format!("{fail}\n"))?;
            }
            eprintln!("warpsmith: {}", crate::message::text(&e));
            Ok(DIFFERED)
        }
        Err(e) if args.json => {
            print(&error_json(&e))?;
            Err(e)
        }
        other => other,
    }
}

/// A kernel that ran and went wrong, rather than one that could not run.
fn is_wrong(e: &BenchError) -> bool {
    matches!(e, BenchError::Wrong { .. })
}

/// Warp instructions of the kernels in C against those written by hand.
const COMPILED: &str = "docs/benchmarks/compiler.toml";

/// The rows, in the folder of `--out`.
const RESULTS: &str = "results.json";

fn execute(args: &Bench) -> Result<u8> {
    let outputs = outputs(args)?;
    let checkout = checkout(args)?;
    if args.suite == Part::Programs && (args.check || args.update_baseline) {
        return compiled(args.update_baseline);
    }
    let cases = chosen(args, checkout)?;
    if let Some(file) = &args.results {
        let rows = report::rows(file, &super::output::read_text(file)?, &cases)?;
        outputs.open()?;
        return show(args, &cases, rows, "");
    }
    // The baseline is read before the first simulation.
    let old = match args.check || (args.update_baseline && args.baseline.exists()) {
        true => Baseline::load(&args.baseline)?,
        false => Baseline::default(),
    };
    let plan = plan(args, &cases)?;
    // From here on a signal ends the run with the rows it has, however early it comes.
    interrupt::stepwise();
    outputs.open()?;
    let mut rows: Vec<Row> = vec![];
    let planned: usize = plan.iter().map(|p| p.1.len()).sum();
    for (chip, cases) in plan {
        match measured(&chip, &cases, args) {
            // A tool that built the chip was ended.
            Err(e) if interrupt::asked() && !e.downcast_ref().is_some_and(is_wrong) => {}
            other => rows.extend(other?),
        }
        if interrupt::asked() {
            break;
        }
    }
    if interrupt::asked() {
        return stopped(args, &old, &cases, rows, planned);
    }
    if rows.is_empty() {
        bail!("no case is left: --suite, --size and --filter together exclude all");
    }
    if args.check {
        return check(args, &old, &cases, &rows, whole(args));
    }
    if args.update_baseline {
        renew(args, old, &cases, &rows, whole(args))?;
    }
    show(args, &cases, rows, "")
}

/// Writes the rows into the baseline; those of a `whole` run replace all that it has of their chips.
fn renew(args: &Bench, old: Baseline, cases: &[Case], rows: &[Row], whole: bool) -> Result<()> {
    let kept: Vec<Row> = of_baseline(args, cases, rows).cloned().collect();
    let mut baseline = match whole {
        // Cases that are gone leave the baseline of the chips that ran.
        true => Baseline(old.0.into_iter().filter(|(config, _)| !kept.iter().any(|r| r.config == *config)).collect()),
        false => old,
    };
    baseline.update(&kept);
    put(&args.baseline, &baseline.text())
}

/// Shows and writes the rows that there are after a signal.
fn stopped(args: &Bench, old: &Baseline, cases: &[Case], rows: Vec<Row>, planned: usize) -> Result<u8> {
    let done = rows.len();
    if rows.is_empty() {
        // Nothing to compare, and no page to replace.
    } else if args.check {
        check(args, old, cases, &rows, false)?;
    } else {
        if args.update_baseline {
            renew(args, old.clone(), cases, &rows, false)?;
        }
        let note = format!("**Stopped after {done} of {planned} rows.**\n\n");
        show(args, cases, rows, &note)?;
    }
    eprintln!(
        "warpsmith: stopped after {done} of {planned} rows; the same command begins anew, --config, --suite and --filter choose what is missing"
    );
    Ok(interrupt::INTERRUPTED)
}

/// What the command reads and writes, checked.
fn outputs(args: &Bench) -> Result<Outputs> {
    const PAGES: [&str; 2] = ["README.md", RESULTS];
    let mut files = Files::default();
    for spec in &args.config {
        files.config(spec.split(',').next().unwrap_or_default());
    }
    if let Some(dir) = &args.out {
        let names = PAGES.iter().chain(&plot::NAMES);
        files.writes_into("--out", dir, names);
    }
    if let Some(results) = &args.results {
        // Its rows are all in what replaces it.
        let renewed = args.out.as_ref().map(|dir| dir.join(RESULTS));
        if renewed.as_ref() != Some(results) {
            files.reads("the results of --results", results);
        }
    }
    let baseline = args.update_baseline.then_some(&args.baseline);
    files.writes("--baseline", baseline, Form::Any).check()
}

/// Compares the table of compiled kernels, or renews it.
fn compiled(update: bool) -> Result<u8> {
    let clang = warpsmith_compiler::clang::find::find(None).map_err(anyhow::Error::msg)?;
    let (file, root) = (Path::new(COMPILED), Path::new("."));
    let measured = Table::measure(root, clang.major())?;
    print(&measured.markdown())?;
    if update {
        put(file, &measured.text())?;
        return Ok(AGREED);
    }
    let faults = Table::load(file)?.faults(&measured);
    for fault in &faults {
        print(&format!("{fault}\n"))?;
    }
    Ok(if faults.is_empty() { AGREED } else { DIFFERED })
}

/// Judges the rows; prints and writes them, a note before the tables.
fn show(args: &Bench, cases: &[Case], rows: Vec<Row>, note: &str) -> Result<u8> {
    let judged = report::judged(cases, rows.clone());
    if let Some(dir) = &args.out {
        write_pages(dir, &rows, &judged, note)?;
    }
    match args.json {
        true => print(&report::json(&judged))?,
        false => print(&(note.to_string() + &report::markdown(&judged)))?,
    }
    Ok(AGREED)
}

/// Whether all cases of the baseline's suites run on the chips that run.
fn whole(args: &Bench) -> bool {
    args.suite == Part::All && args.size.is_empty() && args.filter.is_none()
}

/// The cases asked for.
fn chosen(args: &Bench, checkout: bool) -> Result<Vec<Case>> {
    let shared = std::env::var_os("WARPSMITH_SHARED").map_or("../shared".into(), PathBuf::from);
    let mut cases = match checkout {
        true => suite::cases(Path::new("."))?,
        false => suite::built_in(),
    };
    if !args.check {
        let flexgripplus = suite::flexgripplus(&shared)?;
        let wanted = matches!(args.suite, Part::All | Part::Flexgrip);
        if flexgripplus.is_empty() && wanted {
            eprintln!(
                "warpsmith: no {}/kernels: programs measured on FlexGripPlus are left out (set WARPSMITH_SHARED)",
                shared.display()
            );
        }
        cases.extend(flexgripplus);
    }
    cases.extend(programs(args, checkout)?);
    cases.retain(|c| {
        let part = match args.suite {
            Part::All => true,
            Part::Kernels => c.suite == Suite::Kernels,
            Part::Flexgrip => matches!(c.suite, Suite::Flexgrip | Suite::FlexGripPlus),
            Part::Micro => c.suite == Suite::Micro,
            Part::Scale => c.suite == Suite::Scale,
            Part::Programs => c.suite == Suite::Programs,
        };
        let size = args.size.is_empty() || c.size.is_none_or(|n| args.size.contains(&n));
        let text = args.filter.as_ref().is_none_or(|f| c.key().contains(f));
        let time = args.long || args.results.is_some() || !c.long;
        let check = !args.check || c.in_baseline();
        part && size && text && time && check
    });
    Ok(cases)
}

/// Whether the kernels of the project are here. Parts that need none run anywhere; what needs them says so at once.
fn checkout(args: &Bench) -> Result<bool> {
    if Path::new("kernels").is_dir() {
        return Ok(true);
    }
    let here = "there is no kernels/ in this folder: run it in a checkout of Warpsmith";
    match args.suite {
        Part::Kernels => bail!("`--suite kernels` measures the kernels of the project, and {here}"),
        Part::Programs => {
            bail!("`--suite programs` measures the kernels of the project in C, and {here}")
        }
        _ if args.check || args.update_baseline => {
            bail!("the baseline holds the kernels of the project, and {here}")
        }
        Part::All => eprintln!("warpsmith: the kernels of the project are left out: {here}"),
        Part::Flexgrip | Part::Micro | Part::Scale => {}
    }
    Ok(false)
}

/// The programs in C, where they are asked for; without clang all else runs. Pages show the same rows with and without.
fn programs(args: &Bench, checkout: bool) -> Result<Vec<Case>> {
    let wanted = match args.suite {
        Part::Programs => true,
        Part::All => !args.check && !args.update_baseline && args.out.is_none() && checkout,
        _ => false,
    };
    if !wanted {
        return Ok(vec![]);
    }
    match warpsmith_compiler::clang::find::find(None) {
        Err(e) if args.suite == Part::All => {
            eprintln!("warpsmith: programs in C are left out: {e}");
            Ok(vec![])
        }
        _ => Ok(suite::programs(Path::new("."))?),
    }
}

/// Which cases run on which chip; chips without cases are left out.
fn plan<'a>(args: &Bench, cases: &'a [Case]) -> Result<Vec<(Described, Vec<&'a Case>)>> {
    let mut specs: Vec<&str> = args.config.iter().map(String::as_str).collect();
    if specs.is_empty() {
        specs.extend(LANES);
        specs.extend(&SMS[1..]);
        if args.long {
            specs.push(SMS_LONG);
        }
    }
    let mut plan = vec![];
    for spec in specs {
        let chip = described(spec)?;
        let runs = |c: &&Case| match c.suite {
            Suite::FlexGripPlus => chip.config.sms == 1 && chip.config.lanes == 8,
            _ if !args.config.is_empty() => true,
            Suite::Scale => SMS.contains(&spec) || spec == SMS_LONG,
            Suite::Kernels if spec == KERNELS_TOO => !args.check,
            _ => LANES.contains(&spec),
        };
        let cases: Vec<&Case> = cases.iter().filter(runs).collect();
        if !cases.is_empty() {
            plan.push((chip, cases));
        }
    }
    Ok(plan)
}

/// `NAME|FILE[,KEY=VALUE]…` without the trace port, which changes no cycle but takes time.
fn described(spec: &str) -> Result<Described> {
    let mut parts = spec.split(',');
    let config = parts.next().unwrap_or_default().to_string();
    let set = parts.map(str::to_string).collect();
    let mut chip = Described::resolve(&ChipArgs { config: Some(config), set })?;
    chip.config.trace = false;
    Ok(chip)
}

fn measured(described: &Described, cases: &[&Case], args: &Bench) -> Result<Vec<Row>> {
    let folder = emitted(described)?;
    let (chip, _) = opened(&folder, args.engine, &BuildOptions::default())?;
    // Rows say which memory they are of.
    let memory = args.memory.given().map_or_else(String::new, |(_, value)| format!("-{value}"));
    let name = described.name.clone() + &memory;
    let subject = Subject { memory: args.memory.options(), ..Subject::new(&name, chip)? };
    // A chip may be too small for a case, or without its instructions: that is no result.
    let mut fitting = vec![];
    let target = described.info();
    for case in cases {
        if interrupt::asked() {
            break;
        }
        let mut case = (*case).clone();
        let loaded = match case.launch.compiled {
            true => warpsmith_launch_file::load_for(&case.launch.file, &target).map(|l| case.launch = l),
            false => Ok(()),
        };
        let info = subject.chip.info();
        let runs = loaded
            .and_then(|()| case.launch.check_fits(info))
            .map_err(|e| e.to_string())
            .and_then(|()| lacks(info, &case.launch).map_or(Ok(()), Err));
        match runs {
            Ok(()) => fitting.push(case),
            Err(why) => eprintln!("warpsmith: left out: {}: {why}", case.key()),
        }
    }
    let fitting: Vec<&Case> = fitting.iter().collect();
    let progress = spinner("");
    let rows = measure_all(&subject, &fitting, SEED, interrupt::asked, &|case| {
        progress.set_message(format!("{}: {}", described.name, case.key()));
    });
    progress.finish_and_clear();
    Ok(rows?)
}

/// Rows that the baseline holds: of the chips of one SM, unless chips were asked for.
fn of_baseline<'a>(args: &'a Bench, cases: &'a [Case], rows: &'a [Row]) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(|r| {
        let key = r.key();
        let chip = !args.config.is_empty() || r.sms == 1;
        chip && cases.iter().any(|c| c.in_baseline() && c.key() == key)
    })
}

fn check(args: &Bench, baseline: &Baseline, cases: &[Case], rows: &[Row], whole: bool) -> Result<u8> {
    let measured: Vec<(String, String, u64)> =
        of_baseline(args, cases, rows).map(|r| (r.config.clone(), r.key(), r.cycles)).collect();
    let changes = baseline.compare(&measured, whole);
    for change in &changes {
        print(&format!("{change}\n"))?;
    }
    if changes.is_empty() {
        print(&format!("{} rows as the baseline says\n", measured.len()))?;
        return Ok(AGREED);
    }
    print(&format!(
        "{} of {} rows differ from {}; --update-baseline accepts them, with the reason in the commit\n",
        changes.len(),
        measured.len(),
        args.baseline.display()
    ))?;
    Ok(DIFFERED)
}

fn write_pages(dir: &Path, rows: &[Row], judged: &[report::Judged], note: &str) -> Result<()> {
    let tables = note.to_string() + &report::markdown(judged);
    let plots = plot::plots(rows)?;
    let page = dir.join("README.md");
    let old = match page.exists() {
        true => super::output::read_text(&page)?,
        false => String::new(),
    };
    std::fs::create_dir_all(dir).map_err(|source| BenchError::File { path: dir.to_path_buf(), source })?;
    put(&page, &report::in_page(&old, &tables))?;
    put(&dir.join(RESULTS), &report::json(judged))?;
    for (name, svg) in &plots {
        put(&dir.join(name), svg)?;
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<()> {
    write_all(path, text)
}
