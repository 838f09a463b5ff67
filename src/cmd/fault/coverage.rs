//! `warpsmith fault coverage`: the faults that a set of programs detects.

use super::{chip, filter};
use crate::cli::fault::Coverage as Args;
use crate::cmd::launch::load;
use crate::cmd::output::{print, print_json, write_all};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::rtl::spinner;
use crate::cmd::{cores, AGREED};
use anyhow::Result;
use std::fmt::Write as _;
use warpsmith_cosim::chip_info;
use warpsmith_cosim::random::{generate, Limits};
use warpsmith_fault::coverage::{Block, Coverage, Finding};
use warpsmith_fault::plan::{draw, Model, Precision, Request, Strategy};
use warpsmith_fault::report::stats::quantile;
use warpsmith_fault::{FaultError, Golden, Sites};
use warpsmith_model::Launch;

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;
/// Seed of the power-on state.
const POWER_ON: u64 = 1;

pub fn run(args: &Args) -> Result<u8> {
    let mut files = Files::default();
    for path in &args.launches {
        files.launch(path);
    }
    let outputs = files.chip(&args.chip).writes("--csv", args.csv.as_ref(), Form::Any).check()?;
    let launches: Vec<Launch> = args.launches.iter().map(|path| load(path, &args.chip)).collect::<Result<_>>()?;
    let folder = chip::folder(&args.chip)?;
    let sites = Sites::load(&folder)?;
    let request = Request {
        models: vec![Model::STUCK],
        strategy: match args.count {
            Some(_) => Strategy::Stratified,
            None => Strategy::Exhaustive,
        },
        filter: filter(&args.filter),
        count: args.count,
        // A given count or all faults: no sample size is computed.
        precision: Precision { confidence: CONFIDENCE, margin: 0.02, proportion: 0.5 },
        seed: args.seed,
    };
    let plan = draw(&request, &sites, 1, None)?;
    outputs.open()?;
    let mut coverage = Coverage::new(plan.rows.into_iter().map(|r| r.fault).collect());
    let workers = cores(args.jobs);
    let mut steps = String::new();
    let mut program = |golden: &Golden| -> Result<(), FaultError> {
        let open = coverage.open();
        let bar = spinner(&format!("{}: {open} faults", golden.launch().name));
        let found = coverage.run(golden, workers, &|done| bar.set_position(done as u64));
        bar.finish_and_clear();
        let (name, cycles) = (&golden.launch().name, golden.cycles());
        writeln!(steps, "  {name:<24}{cycles:>9}{open:>9}{:>10}", found?).expect("a string takes all");
        Ok(())
    };
    for launch in launches {
        program(&chip::golden(args.on.engine, &folder, launch, POWER_ON)?)?;
    }
    if args.random > 0 {
        let info = chip_info(&folder)?;
        let limits = Limits::of(&info, info.tier);
        for seed in (args.seed..).take(args.random as usize) {
            let mut launch = generate(seed, &limits, args.size);
            launch.name = format!("random-{seed:#x}");
            program(&chip::golden(args.on.engine, &folder, launch, POWER_ON)?)?;
        }
    }
    if let Some(path) = &args.csv {
        write_all(path, list(&coverage, &sites))?;
    }
    let z = quantile(CONFIDENCE);
    let (total, blocks) = (coverage.total(z), coverage.blocks(&sites, z));
    if args.json {
        let json = serde_json::json!({
            "outcome": "pass",
            "programs": coverage.programs(),
            "total": total,
            "blocks": blocks,
        });
        print_json(json)?;
    } else {
        print(&format!(
            "  {:<24}{:>9}{:>9}{:>10}\n{steps}\n{}",
            "program",
            "cycles",
            "faults",
            "detected",
            table(&total, &blocks)
        ))?;
    }
    Ok(AGREED)
}

/// Shares by block type.
fn table(total: &Block, blocks: &[Block]) -> String {
    let mut text = format!(
        "  {:<24}{:>8}{:>10}{:>9}  {:<14}{:>10}{:>14}\n",
        "block", "faults", "detected", "share %", "interval", "unnoticed", "never active"
    );
    for b in blocks.iter().chain([total]) {
        let interval = format!("{:.1}–{:.1}", 100.0 * b.low, 100.0 * b.high);
        writeln!(
            text,
            "  {:<24}{:>8}{:>10}{:>9.1}  {interval:<14}{:>10}{:>14}",
            b.block,
            b.faults,
            b.detected,
            100.0 * b.share,
            b.unnoticed,
            b.never_active
        )
        .expect("a string takes all");
    }
    text
}

/// Every fault, a line each.
fn list(coverage: &Coverage, sites: &Sites) -> String {
    let mut text = String::from("site,block,bit,kind,finding,program,outcome\n");
    for (fault, finding) in coverage.findings() {
        let site = sites.site(fault.site);
        let (what, program, outcome) = match finding {
            Finding::Detected(p, o) => ("detected", &coverage.programs()[p][..], o.name()),
            Finding::Unnoticed => ("unnoticed", "", ""),
            Finding::NeverActive => ("never-active", "", ""),
        };
        writeln!(text, "{},{},{},{},{what},{program},{outcome}", site.path, site.block, fault.bits[0], fault.kind)
            .expect("a string takes all");
    }
    text
}
