//! `warpsmith fault report`.

use crate::cli::fault::Report;
use anyhow::{bail, Result};

pub fn run(_: &Report) -> Result<u8> {
    bail!("fault report: being built")
}
