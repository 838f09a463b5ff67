//! `warpsmith board`: the host link without hardware.

use super::chip::Chip;
use super::rtl::{emitted, spinner};
use crate::cli;
use anyhow::{bail, Context, Result};
use std::os::unix::process::CommandExt;
use warpsmith_fpga::link::board::{Board, Faults};
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
    // The simulation takes the place of this process, so that a signal sent here ends it.
    let error = board.command(args.link.as_deref(), &faults).exec();
    Err(error).context(
        "the simulation cannot be started; remove the folder of WARPSMITH_CACHE to build it again",
    )
}
