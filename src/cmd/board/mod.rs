//! `warpsmith board`: the host link without hardware; `test`: a board, simulated or real, put to the test.

mod report;
mod test;

use crate::cli::board::{Board as Args, BoardWhat, Simulated};
use crate::cmd::chip::Chip;
use crate::cmd::outputs::{Files, Form};
use crate::cmd::rtl::{emitted, spinning};
use crate::cmd::{interrupt, AGREED};
use anyhow::{bail, Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use warpsmith_fpga::board::{Board, Faults, Switches};
use warpsmith_fpga::wrap::uart::UartOptions;

pub fn run(args: &Args) -> Result<u8> {
    match &args.what {
        Some(BoardWhat::Test(args)) => test::run(args),
        None => simulate(&args.simulated),
    }
}

fn simulate(args: &Simulated) -> Result<u8> {
    if !(0.0..=0.5).contains(&args.noise) {
        bail!("--noise {}: a share of 0 to 0.5 is needed", args.noise);
    }
    if !(-10.0..=10.0).contains(&args.skew) {
        bail!("--skew {}: -10 to 10 percent are needed", args.skew);
    }
    let mut files = Files::default();
    if let Some(dir) = &args.rtl {
        files.reads("the chip of --rtl", dir);
    }
    // A link to a port is no input and may be replaced.
    let _ = files.chip(&args.chip).writes("--link", args.link.as_ref(), Form::Any).check()?;
    if let Some(link) = &args.link {
        if std::fs::symlink_metadata(link).is_ok_and(|m| !m.is_symlink()) {
            bail!("--link {}: is there and no symbolic link: choose another name", link.display());
        }
        let folder = link.parent().unwrap_or(Path::new(""));
        if folder != Path::new("") {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
    }
    let folder = match &args.rtl {
        Some(dir) => dir.clone(),
        None => emitted(&Chip::resolve(&args.chip)?)?,
    };
    let options = UartOptions { memory_bytes: args.memory };
    let message = "building the board with Verilator; this happens once for each chip";
    let board = spinning(message, || Board::build(&folder, &options, args.divisor))?;
    if let Some(link) = &args.link {
        if std::fs::symlink_metadata(link).is_ok_and(|m| m.is_symlink()) {
            std::fs::remove_file(link).with_context(|| link.display().to_string())?;
        }
    }
    let faults = Faults { noise: args.noise, skew: args.skew / 100.0, reset_after: args.reset_after, seed: args.seed };
    let switches = Switches::default();
    interrupt::stepwise();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&switches.off))?;
    }
    signal_hook::flag::register(SIGUSR1, Arc::clone(&switches.reset))?;
    let traffic = board.serve(args.link.as_deref(), &faults, &switches, |path| {
        // Whoever reads it may be gone; the board serves all the same.
        let _ = writeln!(std::io::stdout(), "{}", path.display());
    })?;
    let d = traffic.disturbances;
    eprintln!(
        "{} bytes from the host, {} to it; {} lost, {} with a wrong bit, {} added; {} cycles",
        traffic.received, traffic.sent, d.lost, d.flipped, d.added, traffic.cycles
    );
    Ok(AGREED)
}
