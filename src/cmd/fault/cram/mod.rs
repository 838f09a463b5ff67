//! `warpsmith fault cram`: upsets of an ECP5's configuration memory in a routed chip.

mod design;
mod findings;
mod report;
mod simulate;

use super::chip::launched;
use crate::cli::cram::{Cram as Args, Wins};
use crate::cmd::output::{print, print_json, write_all};
use crate::cmd::outputs::{Files, Form};
use crate::cmd::rtl::spinning;
use crate::cmd::{cores, interrupt, AGREED};
use anyhow::{anyhow, Result};
use design::Design;
use findings::{census, Findings};
use warpsmith_cram::{Contention, Drawn, Fabric};
use warpsmith_fault::SimulatorOptions;

pub fn run(args: &Args) -> Result<u8> {
    let mut files = Files::default();
    files.launch(&args.launch).chip(&args.chip);
    for path in Design::files(&args.folder) {
        files.reads("a file of the routed chip", &path);
    }
    let outputs = files.writes("--csv", args.csv.as_ref(), Form::Any).check()?;
    let options = SimulatorOptions { hang: args.run.hang, ..SimulatorOptions::default() };
    options.check()?;
    let (launch, chip) = launched(&args.launch, &args.chip)?;
    let contention = match args.contention {
        Wins::Low => Contention::Low,
        Wins::High => Contention::High,
    };
    let design = spinning("reading the routed chip", || Design::read(&args.folder, &chip, contention))?;
    let drawn = match args.bit.is_empty() {
        true => design.fabric.draw(args.seed, args.count as usize),
        false => args.bit.iter().map(|name| named(&design.fabric, name)).collect::<Result<_>>()?,
    };
    outputs.open()?;
    interrupt::stepwise();
    let counted = args.census.then(|| spinning("counting what every bit turns into", || census(&design.fabric)));
    let simulated = simulate::run(&design, &chip, &launch, &drawn, args.run.power_on, options, cores(args.run.jobs))?;
    let Some(simulated) = simulated else {
        eprintln!("warpsmith: stopped; a smaller --count ends sooner");
        return Ok(interrupt::INTERRUPTED);
    };
    let findings = Findings {
        design: &design,
        drawn: &drawn,
        simulated,
        census: counted,
        seed: args.bit.is_empty().then_some(args.seed),
        contention,
        launch: &launch.name,
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

/// The bit of an option.
fn named(fabric: &Fabric, name: &str) -> Result<Drawn> {
    fabric.find(name).ok_or_else(|| {
        anyhow!(
            "--bit {name}: {} has no such bit; a tile and a bit of it are expected, such as R10C39:PLC2.F25B10; --csv lists those that are drawn",
            fabric.device.name
        )
    })
}
