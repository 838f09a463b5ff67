//! `warpsmith fault sites`.

use crate::cli::fault::Sites;
use anyhow::{bail, Result};

pub fn run(_: &Sites) -> Result<u8> {
    bail!("fault sites: being built")
}
