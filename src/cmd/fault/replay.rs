//! `warpsmith fault replay`.

use crate::cli::fault::Replay;
use anyhow::{bail, Result};

pub fn run(_: &Replay) -> Result<u8> {
    bail!("fault replay: being built")
}
