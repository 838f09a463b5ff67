//! `warpsmith fault plan`.

use crate::cli::fault::Plan;
use anyhow::{bail, Result};

pub fn run(_: &Plan) -> Result<u8> {
    bail!("fault plan: being built")
}
