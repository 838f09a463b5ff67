//! `warpsmith isa`: the instruction table, for readers.

use super::output::print;
use crate::cli::{Isa, IsaWhat};
use anyhow::{bail, Result};
use warpsmith_hdl::config::Floats;
use warpsmith_hdl::sm::decode::implemented;
use warpsmith_isa::doc;

pub fn run(args: &Isa) -> Result<u8> {
    let text = match &args.what {
        IsaWhat::List => doc::list(|f| implemented(f, Floats::All)),
        IsaWhat::Show { mnemonic } => match doc::show(mnemonic) {
            Some(text) => text,
            None => bail!(
                "no instruction '{mnemonic}'; nearest: {}; `warpsmith isa list` shows all",
                doc::suggest(mnemonic)
            ),
        },
        IsaWhat::Doc => doc::markdown(),
    };
    print(&text)?;
    Ok(super::AGREED)
}
