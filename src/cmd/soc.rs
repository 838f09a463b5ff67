//! `warpsmith soc`: a system of LiteX around a chip.

use super::output::print;
use super::outputs::Files;
use super::synth::Progress;
use super::{chip::Chip, AGREED};
use crate::cli::soc::Soc;
use anyhow::Result;
use std::path::PathBuf;
use warpsmith_fpga::package::{package, Wrapper};
use warpsmith_fpga::soc::{build, Options, BOARDS, SIMULATION};

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
    };
    let mut progress = Progress::default();
    let result = build(&out, &options, &package, &mut |step| progress.show(step));
    progress.clear();
    let what = match result? {
        true => "built",
        false => "up to date",
    };
    let board = &BOARDS[&args.board];
    let clock = args.clock.unwrap_or(board.clock_mhz);
    let folder = out.display();
    let cpu = args.cpu.as_ref().map_or(String::new(), |cpu| format!(", {cpu}"));
    print(&format!(
        "{folder}: {what}: {}, {}, {}, {clock} MHz, {}{cpu}\n  gpu/        the chip with AXI\n  gateware/   Verilog\n  \
         csr.json    registers of the SoC\n  soc.json    what the host needs\n",
        chip.name, board.title, board.memory, args.link
    ))?;
    if args.board == SIMULATION && !args.no_build {
        print(&format!("run a kernel: warpsmith run LAUNCH.toml --on soc:{folder}\n"))?;
    }
    Ok(AGREED)
}
