//! The routed chip: files of `synth --target ecp5`.

use crate::cmd::chip::Chip;
use crate::cmd::output::read_text;
use anyhow::{bail, Context, Result};
use std::path::{Path, PathBuf};
use warpsmith_cram::{Boundary, Contention, Fabric, Image, Port, Routed};
use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::synth::harness::{held, Held, RESET};
use warpsmith_fpga::synth::tools::trellis_database;
use warpsmith_fpga::synth::{CONFIGURATION, ROUTED};
use warpsmith_netlist::Tree;

/// A placed and routed chip.
pub struct Design {
    pub fabric: Fabric,
    pub boundary: Boundary,
    /// The chip as it is described.
    pub described: Tree,
}

/// The chip it was made of.
const MANIFEST: &str = "rtl/manifest.json";

impl Design {
    /// Files that are read of a folder.
    pub fn files(folder: &Path) -> [PathBuf; 3] {
        [MANIFEST, CONFIGURATION, ROUTED].map(|name| folder.join(name))
    }

    /// Reads a folder, which must hold this chip.
    ///
    /// # Errors
    /// A file is missing or of another run, the chip is another one, Project Trellis is missing.
    pub fn read(folder: &Path, chip: &Chip, contention: Contention) -> Result<Self> {
        let [manifest, configuration, routed] = Self::files(folder);
        for file in [&manifest, &configuration, &routed] {
            if !file.is_file() {
                bail!(
                    "{}: no such file; `warpsmith synth --target ecp5 --config {} --out {}` makes it, with place and route",
                    file.display(),
                    chip.name,
                    folder.display()
                );
            }
        }
        let found =
            ChipManifest::from_manifest(&read_text(&manifest)?).with_context(|| manifest.display().to_string())?;
        if found.config != chip.config.to_map() {
            bail!(
                "{}: the chip of the folder is `{}`, with other parameters than `{}`; give its --config and --set",
                manifest.display(),
                found.name,
                chip.name
            );
        }
        let (inputs, outputs) = held(&found);
        let ports = |all: Vec<Held>| all.into_iter().map(|h| Port { name: h.port, cells: h.cells }).collect();
        let boundary = Boundary { inputs: ports(inputs), outputs: ports(outputs), reset: RESET.into() };
        let (device, image) = Image::read(&configuration, &trellis_database()?)?;
        let fabric = Fabric::new(device, image, Routed::read(&routed)?, &boundary, contention, &configuration)?;
        Ok(Design { fabric, boundary, described: warpsmith_hdl::tree(&chip.config) })
    }
}
