//! An emitted folder on an engine.

use crate::error::CosimError;
use crate::folder;
use crate::simulation::Simulation;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsmith_contract::Manifest;
use warpsmith_engine::Engine;
use warpsmith_engine_native::{BuildOptions as NativeOptions, Native};
use warpsmith_engine_verilator::{BuildOptions, Module, Verilator, VerilatorError};

/// An engine that the program chose, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The native engine; else Verilator.
    pub native: bool,
    /// The reason, a clause.
    pub why: String,
}

impl Choice {
    /// The native engine.
    pub fn native(why: impl Into<String>) -> Self {
        let why = why.into();
        Choice { native: true, why }
    }

    /// Verilator.
    pub fn verilator(why: impl Into<String>) -> Self {
        let why = why.into();
        Choice { native: false, why }
    }
}

/// The line that says it.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.native { "native" } else { "verilator" };
        write!(f, "engine: {name}: {}", self.why)
    }
}

/// A module that can be simulated.
#[derive(Clone)]
pub struct Design {
    engine: Arc<dyn Engine>,
    manifest: Arc<Manifest>,
}

impl Design {
    /// Builds the folder with Verilator, or takes what was built from the cache.
    ///
    /// # Errors
    /// A missing tool, a folder that is not one, Verilog that does not compile.
    pub fn open(folder: &Path, options: &BuildOptions) -> Result<Self, CosimError> {
        let manifest = folder::load(folder)?;
        let module = Module { sources: &folder::sources(folder)?, top: &manifest.top, ports: &manifest.ports };
        let sites = folder::sites(folder, &manifest)?;
        let engine = Verilator::build(&module, &sites, options)?;
        Ok(Self::on(Arc::new(engine), manifest))
    }

    /// The engine for a folder where the choice is left to the program: Verilator where its simulation is in the
    /// cache, where it alone can show or run what is asked for, and native elsewhere. Verilator is never chosen for
    /// what the native engine can do when a tool of its builds is missing.
    ///
    /// # Errors
    /// A folder that is not one.
    pub fn choice(folder: &Path, options: &BuildOptions) -> Result<Choice, CosimError> {
        let manifest = folder::load(folder)?;
        let module = Module { sources: &folder::sources(folder)?, top: &manifest.top, ports: &manifest.ports };
        let sites = folder::sites(folder, &manifest)?;
        if let Err(e) = Self::netlist(folder) {
            return Ok(Choice::verilator(format!("the native engine cannot run it ({e})")));
        }
        let built = Verilator::is_built(&module, &sites, options);
        let usable = match (&built, options.wave) {
            (Ok(false), true) => Verilator::usable(options),
            _ => Ok(()),
        };
        let unusable = |e: VerilatorError| match e.unusable() {
            Some(why) => Ok(Choice::native(format!("Verilator cannot be used ({why})"))),
            None => Err(e.into()),
        };
        match (built, usable) {
            (Err(e), _) | (_, Err(e)) => unusable(e),
            (Ok(true), _) => Ok(Choice::verilator("this chip has been compiled before")),
            (Ok(false), _) if options.wave => {
                Ok(Choice::verilator("its waveforms show every signal, those of the native engine registers and ports"))
            }
            (Ok(false), _) => Ok(Choice::native("Verilator has not compiled this chip yet")),
        }
    }

    /// Runs the folder's `netlist.json` on the native engine: nothing is compiled by other programs.
    ///
    /// # Errors
    /// Those of [`Design::netlist`]; a netlist that is truncated or of another version.
    pub fn native(folder: &Path, options: NativeOptions) -> Result<Self, CosimError> {
        let (manifest, path, text) = Self::netlist(folder)?;
        let engine = Native::of_netlist(&text, &path, options)?;
        Ok(Self::on(Arc::new(engine), manifest))
    }

    /// The manifest of a folder, and path and text of its netlist, for those who run it.
    ///
    /// # Errors
    /// A folder that is none, a netlist that is absent or altered, Verilog that was altered.
    pub fn netlist(folder: &Path) -> Result<(Manifest, PathBuf, String), CosimError> {
        let manifest = folder::load(folder)?;
        folder::unaltered(folder, &manifest)?;
        let (path, text) = folder::netlist(folder, &manifest)?;
        Ok((manifest, path, text))
    }

    /// On an engine that was made of the module that `manifest` describes.
    pub fn on(engine: Arc<dyn Engine>, manifest: Manifest) -> Self {
        Design { engine, manifest: Arc::new(manifest) }
    }

    /// What runs it.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// The folder's manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// A simulation with power-on values from `seed`. On a chip open to fault injection they are the same on
    /// every engine; on others each engine draws its own.
    pub fn simulate(&self, seed: u64) -> Simulation {
        let mut sim = Simulation::new(self.engine.device(seed), &self.manifest, seed);
        if self.manifest.inject && seed != 0 {
            sim.power_on(seed);
        }
        sim
    }

    /// Refuses a chip that is not the injecting build.
    ///
    /// # Errors
    /// [`CosimError::Manifest`].
    pub fn need_injection(&self) -> Result<(), CosimError> {
        match self.manifest.inject {
            true => Ok(()),
            false => {
                Err(CosimError::Manifest("this chip is not open to fault injection; emit it with --inject".into()))
            }
        }
    }
}
