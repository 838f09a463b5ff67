//! `warpsmith isa`: the instruction table, for readers.

use super::output::print;
use crate::cli::{Isa, IsaWhat};
use anyhow::{bail, Result};
use warpsmith_hdl::config::Floats;
use warpsmith_hdl::sm::pipeline::decode::implemented;
use warpsmith_isa::doc;

pub fn run(args: &Isa) -> Result<u8> {
    let text = match &args.what {
        IsaWhat::List => doc::list(|f| implemented(f, Floats::All)),
        IsaWhat::Show { mnemonic } => match doc::show(mnemonic) {
            Some(text) => text,
            None => {
                let near = doc::suggest(mnemonic);
                let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
                bail!("no instruction '{mnemonic}'{near}; `warpsmith isa list` shows all")
            }
        },
        IsaWhat::Doc => doc::markdown(),
    };
    print(&text)?;
    Ok(super::AGREED)
}
