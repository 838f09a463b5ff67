//! `warpsmith isa`: the tables of the instruction sets, for readers.

use super::output::print;
use super::set;
use crate::cli::{Isa, IsaWhat};
use anyhow::{bail, Result};
use warpsmith_isa::doc;
use warpsmith_isa::set::{self as sets, InstructionSet};

pub fn run(args: &Isa) -> Result<u8> {
    let set = set::named(&args.isa)?;
    args.semantics.fits(set)?;
    if set.isa() != warpsmith_isa::Isa::default() {
        print(&of_set(set, &args.what)?)?;
        return Ok(super::AGREED);
    }
    let semantics = args.semantics.semantics.unwrap_or_default();
    let text = match &args.what {
        IsaWhat::List => doc::list(semantics),
        IsaWhat::Show { mnemonic } => match doc::show(semantics, mnemonic) {
            Some(text) => text,
            None => {
                let near = doc::suggest(semantics, mnemonic);
                let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
                bail!("no instruction '{mnemonic}'{near}; `warpsmith isa list` shows all")
            }
        },
        IsaWhat::Doc => doc::markdown(semantics),
    };
    print(&text)?;
    Ok(super::AGREED)
}

/// The pages of a set beside SM 1.0.
fn of_set(set: &dyn InstructionSet, what: &IsaWhat) -> Result<String> {
    Ok(match what {
        IsaWhat::List => sets::list(set),
        IsaWhat::Doc => sets::markdown(set),
        IsaWhat::Show { mnemonic } => {
            let pages: Vec<String> = sets::rows_of(set, mnemonic).iter().map(sets::page).collect();
            if pages.is_empty() {
                let name = set.name();
                let near = sets::suggest(set, mnemonic);
                let near = near.map_or(String::new(), |n| format!(", did you mean {n}?"));
                bail!("no instruction '{mnemonic}' in {name}{near}; `warpsmith isa list --isa {name}` shows all")
            }
            pages.join("\n")
        }
    })
}
