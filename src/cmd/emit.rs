//! `warpsmith emit`: a chip's Verilog, manifest and fault sites into a folder.

use super::outputs::Files;
use super::{chip::Chip, output::print, AGREED, DIFFERED};
use crate::cli::{ChipArgs, Emit, Inject};
use anyhow::Result;
use std::path::PathBuf;
use warpsmith_hdl::emit::EmitError;

/// The injecting build never stands among the chips for use.
fn default_folder(name: &str, inject: bool) -> PathBuf {
    match inject {
        false => PathBuf::from("rtl-out").join(name),
        true => PathBuf::from("target/inject").join(name),
    }
}

pub fn run(args: &Emit) -> Result<u8> {
    let mut chip = Chip::resolve(&args.chip)?;
    if args.inject == Some(Inject::Hardware) && chip.config.saboteurs.is_empty() {
        let set = [&args.chip.set[..], &["saboteurs=warpsmith".into()]].concat();
        chip = Chip::resolve(&ChipArgs { set, ..args.chip.clone() })?;
    }
    let simulated = args.inject == Some(Inject::Simulation);
    let dir = args.out.clone().unwrap_or_else(|| default_folder(&chip.name, simulated));
    let emitted = if simulated { chip.emit_injecting() } else { chip.emit() };
    if args.check {
        return match emitted.check(&dir) {
            Ok(()) => {
                print(&format!("{}: up to date\n", dir.display()))?;
                Ok(AGREED)
            }
            Err(stale @ EmitError::Stale { .. }) => {
                eprintln!("warpsmith: {stale}");
                Ok(DIFFERED)
            }
            Err(e) => Err(e.into()),
        };
    }
    Files::default().chip(&args.chip).writes_into("--out", &dir, emitted.files.keys()).check()?.open()?;
    emitted.write(&dir)?;
    let verilog = emitted.files.get("warpsmith.v").map_or("", String::as_str);
    let (modules, sites) = (emitted.manifest.modules.len(), emitted.sites.len());
    print(&format!(
        "{}: {modules} modules, {} lines of Verilog, {sites} registers and memories\n",
        dir.join("warpsmith.v").display(),
        verilog.lines().count()
    ))?;
    Ok(AGREED)
}
