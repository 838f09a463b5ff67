//! `warpsmith soc`: a system of LiteX around a chip.

use super::output::print;
use super::outputs::Files;
use super::synth::{missed_clock, Progress};
use super::{chip::Chip, AGREED, DIFFERED};
use crate::cli::soc::Soc;
use anyhow::Result;
use std::path::PathBuf;
use warpsmith_fpga::package::{package, Wrapper};
use warpsmith_fpga::soc::{build, Options, SocError, BOARDS, GATEWARE, SIMULATION};
use warpsmith_fpga::synth::SynthError;

pub fn run(args: &Soc) -> Result<u8> {
    let chip = Chip::for_hardware(&args.chip)?;
    let out =
        args.out.clone().unwrap_or_else(|| PathBuf::from("target/soc").join(format!("{}-{}", args.board, chip.name)));
    let package = package(&chip.emit().files, &Wrapper::Axi)?;
    Files::default().chip(&args.chip).writes_into("--out", &out, ["soc.json"]).check()?.open()?;
    let options = Options {
        board: args.board.clone(),
        cpu: args.cpu.clone(),
        link: args.link.clone(),
        clock_mhz: args.clock,
        build: !args.no_build,
        seed: args.seed,
        seeds: args.seeds,
    };
    let mut progress = Progress::default();
    let result = build(&out, &options, &chip.name, &package, &mut |step| progress.show(step));
    progress.clear();
    let built = match result {
        Ok(built) => built,
        Err(SocError::Flow(e @ SynthError::DoesNotFit { .. })) => {
            eprintln!("warpsmith: {e}");
            return Ok(DIFFERED);
        }
        Err(e) => return Err(e.into()),
    };
    let what = if built.anew { "built" } else { "up to date" };
    let board = &BOARDS[&args.board];
    let clock = args.clock.unwrap_or(board.clock_mhz);
    let folder = out.display();
    let cpu = args.cpu.as_ref().map_or(String::new(), |cpu| format!(", {cpu}"));
    print(&format!(
        "{folder}: {what}: {}, {}, {}, {clock} MHz, {}{cpu}\n  gpu/        the chip with AXI\n  gateware/   Verilog\n  \
         csr.json    registers of the SoC\n  soc.json    what the host needs\n",
        chip.name, board.title, board.memory, args.link
    ))?;
    if let Some(report) = &built.report {
        print(&format!("\n{}\nin {folder}/{GATEWARE}\n", report.page()))?;
        if let Some(code) = missed_clock(report) {
            return Ok(code);
        }
    }
    if args.board == SIMULATION && !args.no_build {
        print(&format!("run a kernel: warpsmith run LAUNCH.toml --on soc:{folder}\n"))?;
    }
    Ok(AGREED)
}
