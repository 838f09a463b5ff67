//! `warpsmith fault gates`: faults of the gates of one unit, over what the unit sees in a kernel.

pub(super) mod carry;
pub(super) mod faults;
pub(super) mod report;
pub(super) mod spliced;
pub(super) mod unit;

use crate::cli::fault::{GateFault, Gates as Args, Sample};
use crate::cmd::fault::chip::launched;
use crate::cmd::interrupt;
use crate::cmd::output::{print, print_json, write_all};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::{cores, AGREED};
use anyhow::Result;
use faults::Findings;
use spliced::Subject;
use unit::Unit;
use warpsmith_fault::plan::some_of;
use warpsmith_fault::SimulatorOptions;
use warpsmith_gates::simulate::{self, Options};
use warpsmith_gates::{Collapsed, Model, Stopwatch};

/// The fault model that is asked for.
pub fn model(kind: GateFault) -> Model {
    match kind {
        GateFault::StuckAt => Model::StuckAt,
        GateFault::Transition => Model::Transition,
    }
}

pub fn run(args: &Args) -> Result<u8> {
    let mut files = Files::default();
    files.launch(&args.launch).chip(&args.chip);
    if let Some(path) = &args.netlist {
        files.reads("the gates", path);
    }
    files.writes("--csv", args.csv.as_ref(), Form::Any).writes("--keep", args.keep.as_ref(), Form::Any);
    let outputs = files.check()?;
    let options = SimulatorOptions { hang: args.run.hang, ..SimulatorOptions::default() };
    options.check()?;
    let (launch, chip) = launched(&args.launch, &args.chip)?;
    let unit = Unit::find(&chip, &args.unit)?;
    outputs.open()?;
    let circuit = unit.circuit(args.netlist.as_deref(), args.keep.as_deref())?;
    let model = model(args.kind);
    let subject =
        Subject { chip: &chip, unit: &unit, circuit: &circuit, model, launch: &launch, power_on: args.run.power_on };
    let (patterns, cycles) = subject.patterns()?;
    let faults = Collapsed::new(&circuit, model);
    let watch = Stopwatch::start();
    let outcome = simulate::run(&circuit, &faults, &patterns, Options { drop: !args.no_drop });
    let seconds = watch.seconds();
    let wanted = carry::wanted(&circuit, &faults, &args.pin)?;
    let detected = (0..faults.classes()).filter(|c| outcome.detections[*c].first.is_some() && wanted[*c]);
    let detected: Vec<usize> = detected.collect();
    let count = match args.sample {
        Sample::All => detected.len(),
        Sample::Of(n) => n,
    };
    let sampled: Vec<usize> = some_of(detected.len(), count, args.seed).into_iter().map(|i| detected[i]).collect();
    interrupt::stepwise();
    let records = match sampled.is_empty() {
        true => Some(vec![]),
        false => carry::run(&subject, cycles, &faults, &sampled, options, cores(args.run.jobs))?,
    };
    let Some(records) = records else {
        eprintln!("warpsmith: stopped while faults were carried into the chip; --sample 0 leaves that out");
        return Ok(interrupt::INTERRUPTED);
    };
    let findings = Findings {
        unit: &unit,
        circuit: &circuit,
        faults: &faults,
        patterns: &patterns,
        outcome: &outcome,
        records: sampled.iter().copied().zip(records).collect(),
        cycles,
        seconds,
        dropped: !args.no_drop,
    };
    if let Some(path) = &args.csv {
        write_all(path, findings.csv())?;
    }
    match args.run.json {
        true => print_json(findings.json())?,
        false => print(&findings.text())?,
    }
    Ok(AGREED)
}
