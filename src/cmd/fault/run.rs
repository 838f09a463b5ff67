//! `warpsmith fault run`.

use crate::cli::fault::Run;
use anyhow::{bail, Result};

pub fn run(_: &Run) -> Result<u8> {
    bail!("fault run: being built")
}
