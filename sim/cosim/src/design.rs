//! An emitted folder on an engine.

use crate::error::CosimError;
use crate::folder;
use crate::simulation::Simulation;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpsmith_contract::Manifest;
use warpsmith_engine::Engine;
use warpsmith_engine_native::{BuildOptions as NativeOptions, Native};
use warpsmith_engine_verilator::{BuildOptions, Module, Verilator};

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
        let module = Module {
            sources: &folder::sources(folder)?,
            top: &manifest.top,
            ports: &manifest.ports,
        };
        let sites = folder::sites(folder, &manifest)?;
        let engine = Verilator::build(&module, &sites, options)?;
        Ok(Self::on(Arc::new(engine), manifest))
    }

    /// Whether [`Design::open`] finds the simulation in the cache and compiles nothing.
    ///
    /// # Errors
    /// A missing tool, a folder that is not one.
    pub fn is_built(folder: &Path, options: &BuildOptions) -> Result<bool, CosimError> {
        let manifest = folder::load(folder)?;
        let module = Module {
            sources: &folder::sources(folder)?,
            top: &manifest.top,
            ports: &manifest.ports,
        };
        let sites = folder::sites(folder, &manifest)?;
        Ok(Verilator::is_built(&module, &sites, options)?)
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
        Design {
            engine,
            manifest: Arc::new(manifest),
        }
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
            false => Err(CosimError::Manifest(
                "this chip is not open to fault injection; emit it with --inject".into(),
            )),
        }
    }
}
