//! The unit: where it is in the chip, and its gates.

use crate::cmd::chip::Chip;
use crate::cmd::output::{read_text, write_all};
use crate::cmd::rtl::spinning;
use anyhow::{anyhow, bail, Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use warpsmith_cache::temporary::Temporary;
use warpsmith_cache::{cache_dir, key, whole};
use warpsmith_fpga::synth::flow::Workshop;
use warpsmith_fpga::synth::tools::Tool;
use warpsmith_fpga::synth::{of_block, GATES};
use warpsmith_gates::splice::{instance, instances};
use warpsmith_gates::Circuit;
use warpsmith_netlist::{print::verilog, read, Design, Tree};

/// A block of a chip.
pub struct Unit {
    /// Path of the instance.
    pub path: String,
    /// Its block.
    pub block: String,
    /// Instances of the block in the chip, and which of them this is, from 1.
    pub instances: usize,
    pub number: usize,
    /// The chip.
    pub tree: Tree,
}

impl Unit {
    /// The first instance of a block, or the instance of a path.
    ///
    /// # Errors
    /// There is none: the error lists all blocks.
    pub fn find(chip: &Chip, name: &str) -> Result<Self> {
        let tree = warpsmith_hdl::tree(&chip.config);
        let all = instances(&tree);
        let Some(at) = all.iter().position(|i| i.block == name || i.path == name) else {
            let blocks: BTreeSet<&str> = all
                .iter()
                .filter(|i| instance(&tree, &i.path).is_ok_and(|t| t.module.body.memory.is_none()))
                .map(|i| i.block.as_str())
                .collect();
            let blocks: Vec<&str> = blocks.into_iter().collect();
            bail!(
                "--unit {name}: the chip `{}` has no such block and no instance of this path; its blocks are {}",
                chip.name,
                blocks.join(", ")
            );
        };
        let (path, block) = (all[at].path.clone(), all[at].block.clone());
        let same: Vec<usize> = (0..all.len()).filter(|i| all[*i].block == block).collect();
        let number = same.iter().position(|i| *i == at).map_or(1, |n| n + 1);
        if instance(&tree, &path)?.module.body.memory.is_some() {
            bail!("--unit {name}: a memory has no gates; `warpsmith fault plan` draws faults of its words");
        }
        Ok(Unit { path, block, instances: same.len(), number, tree })
    }

    /// The unit and what it instantiates, as Verilog.
    fn verilog(&self) -> Result<String> {
        let design = Design::new(instance(&self.tree, &self.path)?.clone());
        Ok(verilog::file(&design, &format!("Block `{}`.", self.block)))
    }

    /// Its gates as Yosys writes them, from the cache where they were made before.
    ///
    /// # Errors
    /// Yosys is missing or fails; the cache cannot be written.
    fn synthesized(&self) -> Result<String> {
        let verilog = self.verilog()?;
        let yosys = Tool::Yosys.find()?;
        let folder = cache_dir().join("gates");
        let name = key([verilog.as_str(), GATES, yosys.version.as_str()]);
        let file = folder.join(format!("{name}.json"));
        if let Ok(text) = std::fs::read_to_string(&file) {
            return Ok(text);
        }
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let work = Temporary::new(folder.join(format!("{name}.{}", std::process::id())));
        let message = format!("synthesizing {} to gates; this happens once for each unit", self.block);
        let text = spinning(&message, || {
            let mut say = |_: warpsmith_fpga::synth::Step| ();
            of_block(&mut Workshop::new(work.path(), &mut say)?, &verilog)
        })?;
        whole::write(&file, &text).with_context(|| file.display().to_string())?;
        Ok(text)
    }

    /// The circuit of its gates: of a netlist of Yosys, or synthesized; `keep`: a file for them.
    ///
    /// # Errors
    /// As [`Unit::synthesized`]; no gates of Yosys; a file that cannot be read or written.
    pub fn circuit(&self, netlist: Option<&Path>, keep: Option<&Path>) -> Result<Circuit> {
        let json = match netlist {
            Some(path) => read_text(path)?,
            None => self.synthesized()?,
        };
        let path = netlist.unwrap_or(Path::new("netlist.json"));
        let design = read::yosys(&json, path)?;
        let circuit = Circuit::of(&design).map_err(|e| anyhow!("{}: {e}", path.display()))?;
        if circuit.pins().is_empty() {
            bail!("--unit {}: it has no gate; choose the block that holds it, or one within it", self.block);
        }
        if let Some(path) = keep {
            write_all(path, &json)?;
        }
        Ok(circuit)
    }
}
