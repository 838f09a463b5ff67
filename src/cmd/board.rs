//! `warpsmith board`: the host link without hardware.

use super::chip::Chip;
use super::rtl::{emitted, spinner};
use super::AGREED;
use crate::cli;
use anyhow::{bail, Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use std::io::Write as _;
use std::sync::Arc;
use warpsmith_fpga::board::{Board, Faults, Switches};
use warpsmith_fpga::wrap::uart::UartOptions;

pub fn run(args: &cli::Board) -> Result<u8> {
    if !(0.0..=0.5).contains(&args.noise) {
        bail!("--noise {}: a share of 0 to 0.5 is needed", args.noise);
    }
    let folder = match &args.rtl {
        Some(dir) => dir.clone(),
        None => emitted(&Chip::resolve(&args.chip)?)?,
    };
    let progress = spinner("building the board with Verilator; this happens once for each chip");
    let options = UartOptions {
        memory_bytes: args.memory,
    };
    let board = Board::build(&folder, &options, args.divisor);
    progress.finish_and_clear();
    let board = board?;
    if let Some(link) = &args.link {
        match std::fs::symlink_metadata(link) {
            Ok(m) if m.is_symlink() => {
                std::fs::remove_file(link).with_context(|| link.display().to_string())?;
            }
            Ok(_) => bail!(
                "{}: is there and no symbolic link: choose another name",
                link.display()
            ),
            Err(_) => {}
        }
    }
    let faults = Faults {
        noise: args.noise,
        reset_after: args.reset_after,
        seed: args.seed,
    };
    let switches = Switches::default();
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
