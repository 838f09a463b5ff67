//! `warpsmith fault selftest`: programs that detect the faults of a unit's gates by what they store, and proofs for the
//! rest.

mod compaction;
mod findings;
mod folder;
mod programs;
mod proofs;
mod report;
mod steering;
mod subject;

use super::chip::untraced;
use super::gates::carry::wanted;
use super::gates::model;
use super::gates::unit::Unit;
use crate::cli::selftest::{Kernels, Selftest as Args};
use crate::cmd::chip::Chip;
use crate::cmd::output::{print, print_json};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::{cores, interrupt, AGREED};
use anyhow::Result;
use findings::{Findings, Origin};
use folder::Folder;
use programs::{of_the_project, Generator};
use proofs::{prove, Effort};
use report::Report;
use std::collections::VecDeque;
use std::time::Instant;
use steering::Steering;
use subject::Subject;
use warpsmith_fault::SimulatorOptions;

/// When generated programs end: so many in a row find less than this part of what is open.
#[derive(Clone, Copy)]
struct Patience {
    programs: usize,
    part: usize,
}

const BEFORE_PROOFS: Patience = Patience { programs: 12, part: 20 };
/// Until they find nothing.
const BEHIND_PROOFS: Patience = Patience { programs: 24, part: usize::MAX };

/// Blocks by the names of what they are.
const NAMES: [(&str, &str); 5] =
    [("int", "int_unit"), ("float", "float_unit"), ("sfu", "sfu"), ("decoder", "decode"), ("scheduler", "warps")];

pub fn run(args: &Args) -> Result<u8> {
    let started = Instant::now();
    let mut files = Files::default();
    files.chip(&args.chip);
    if let Some(path) = &args.netlist {
        files.reads("the gates", path);
    }
    let outputs = files.writes("--keep", args.keep.as_ref(), Form::Any).check()?;
    let options = SimulatorOptions { hang: args.run.hang, stop_at_sdc: true, ..SimulatorOptions::default() };
    options.check()?;
    let chip = untraced(&args.chip)?;
    let block = NAMES.iter().find(|n| n.0 == args.unit).map_or(&args.unit[..], |n| n.1);
    let unit = Unit::find(&chip, block)?;
    let mut generator = Generator::new(&chip, args.seed)?;
    let folder = args.out.as_deref().map(Folder::new).transpose()?;
    outputs.open()?;
    let circuit = unit.circuit(args.netlist.as_deref(), args.keep.as_deref())?;
    let model = model(args.kind);
    let subject = Subject::new(&chip, &unit, &circuit, model, args.run.power_on, options, cores(args.run.jobs))?;
    let mut steering = Steering::new(generator.limits(), chip.config.lanes as u32);
    let mut findings = Findings::new(wanted(&circuit, &subject.faults, &args.pin)?);
    interrupt::stepwise();
    let mut search = Search { subject: &subject, findings: &mut findings, steering: &mut steering };
    let done = search.all(args, &chip, &mut generator)?;
    if !done {
        eprintln!("warpsmith: stopped; nothing is written");
        return Ok(interrupt::INTERRUPTED);
    }
    let seconds = started.elapsed().as_secs_f64();
    let report =
        Report { subject: &subject, findings: &findings, seconds, depth: args.depth, conflicts: args.conflicts };
    let (text, json) = (report.text(), report.json());
    if let Some(folder) = folder {
        folder.write(&findings, &text, &(serde_json::to_string_pretty(&json)? + "\n"), &report.csv())?;
    }
    match args.run.json {
        true => print_json(json)?,
        false => print(&text)?,
    }
    Ok(AGREED)
}

/// The steps of the search.
struct Search<'a> {
    subject: &'a Subject<'a>,
    findings: &'a mut Findings,
    steering: &'a mut Steering,
}

impl Search<'_> {
    /// All of them; `false`: a signal came.
    fn all(&mut self, args: &Args, chip: &Chip, generator: &mut Generator) -> Result<bool> {
        let suite = match args.kernels {
            Kernels::None => vec![],
            Kernels::Suite => of_the_project(chip)?,
        };
        let first = match suite.first() {
            Some(launch) => launch.clone(),
            None => generator.next(self.steering)?.0,
        };
        self.subject.check(chip, &first)?;
        for launch in suite {
            let golden = self.subject.run(&launch)?;
            if self.findings.take(self.subject, &golden, launch, Origin::Suite)?.is_none() {
                return Ok(false);
            }
        }
        let before = args.budget.div_ceil(4);
        let Some(left) = self.generated(generator, before, BEFORE_PROOFS)? else { return Ok(false) };
        let effort = Effort { depth: args.depth, conflicts: args.conflicts };
        if !prove(chip, self.subject, self.findings, self.steering, effort)? {
            return Ok(false);
        }
        let Some(_) = self.generated(generator, left + args.budget - before, BEHIND_PROOFS)? else { return Ok(false) };
        compaction::compact(self.subject, self.findings)
    }

    /// Tries so many generated programs, as long as they find enough; how many are left, `None`: a signal came.
    fn generated(&mut self, generator: &mut Generator, budget: u32, patience: Patience) -> Result<Option<u32>> {
        let mut lately = VecDeque::new();
        for tried in 0..budget {
            let open = self.findings.open().count();
            let in_vain = lately.len() == patience.programs && lately.iter().sum::<usize>() <= open / patience.part;
            if open == 0 || in_vain && self.steering.wishes() == 0 {
                return Ok(Some(budget - tried));
            }
            let (launch, like) = generator.next(self.steering)?;
            let golden = self.subject.run(&launch)?;
            let words = launch.program.words();
            let Some(found) = self.findings.take(self.subject, &golden, launch, Origin::Generated)? else {
                return Ok(None);
            };
            self.steering.learn(&words, like, found);
            lately.push_back(found);
            if lately.len() > patience.programs {
                lately.pop_front();
            }
        }
        Ok(Some(0))
    }
}
