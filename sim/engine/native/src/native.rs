//! The engine: a plan of a flat netlist, and the devices made of it.

use crate::bytecode::{Program, Roots};
use crate::code::{reset, Code};
use crate::device::Machine;
use crate::layout::{bytes, Layout};
use crate::shared::Shared;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use warpsmith_contract::SiteKind;
use warpsmith_engine::{Device, Engine, Storage};
use warpsmith_netlist::flat::{Flat, FlatError, Options};
use warpsmith_netlist::read::{netlist, ReadError};
use warpsmith_netlist::Design;

/// What runs a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Machine code where it can be made, bytecode elsewhere.
    #[default]
    Best,
    /// The bytecode interpreter: everywhere.
    Bytecode,
    /// Machine code.
    Code,
}

/// What a device offers as sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sites {
    /// None, as a build of Verilator's that is not open to fault injection.
    #[default]
    None,
    /// Registers and memories, in the order of `sites.json`.
    State,
    /// All of `sites.json`, so that numbers are its; registers and memories alone are open: outputs of blocks have no
    /// value and no saboteur.
    StateListed,
    /// All of `sites.json`: outputs of blocks too, with their saboteurs. The logic settles a second time in each
    /// cycle then, because outputs are seen behind the edge.
    All,
}

/// How an engine is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// What runs it.
    pub backend: Backend,
    /// What its devices offer as sites.
    pub sites: Sites,
}

/// An engine cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// The netlist file cannot be read.
    #[error("{file}: cannot be read ({source}); `warpsmith emit` writes the folder anew")]
    File {
        /// File.
        file: String,
        /// What happened.
        source: std::io::Error,
    },
    /// The netlist file is of another version, truncated or altered.
    #[error(transparent)]
    Netlist(#[from] ReadError),
    /// The chip has no flat form: a loop, or a product of more than 64 bits.
    #[error("the chip cannot be run by the native engine: {0}; run it with --engine verilator")]
    Flat(#[from] FlatError),
    /// Machine code was asked for and cannot be made.
    #[error("no machine code for this chip: {0}; bytecode runs it")]
    Code(String),
    /// Sites were asked for, and the flat form was made without taps.
    #[error("outputs of blocks are no sites of this flat netlist: it was made without taps")]
    NoTaps,
}

/// A chip, or one block of it, ready to run.
#[derive(Clone)]
pub struct Native {
    shared: Arc<Shared>,
}

impl Native {
    /// An engine for a flat netlist.
    ///
    /// # Errors
    /// [`NativeError::NoTaps`].
    pub fn build(flat: Flat, options: BuildOptions) -> Result<Self, NativeError> {
        let layout = Layout::of(&flat);
        let taps = options.sites == Sites::All;
        if taps && layout.taps.is_empty() && flat.sites.iter().any(|s| s.kind == SiteKind::Out) {
            return Err(NativeError::NoTaps);
        }
        let program = Program::new(&flat, &layout, Roots::All);
        let code = match options.backend {
            Backend::Bytecode => OnceLock::from(None),
            // A campaign may never come to a fault of an output.
            Backend::Best if taps => OnceLock::new(),
            Backend::Best => OnceLock::from(Code::new(&flat, &layout).ok()),
            Backend::Code => OnceLock::from(Some(Code::new(&flat, &layout).map_err(NativeError::Code)?)),
        };
        let reset = reset(&flat);
        let offered = |kind: SiteKind| match options.sites {
            Sites::None => false,
            Sites::State => kind != SiteKind::Out,
            Sites::StateListed | Sites::All => true,
        };
        let sites = flat.sites.iter().enumerate();
        let sites = sites.filter(|(_, s)| offered(s.kind)).map(|(i, s)| {
            let storage = Storage { site: s.clone(), bytes: bytes(s.width as usize) };
            (i, storage)
        });
        let (site_numbers, sites) = sites.unzip();
        let outputs = flat.ports.iter().map(|_| OnceLock::new()).collect();
        Ok(Native {
            shared: Arc::new(Shared { flat, layout, program, code, reset, outputs, sites, site_numbers, taps }),
        })
    }

    /// An engine for a plain design.
    ///
    /// # Errors
    /// [`NativeError::Flat`].
    pub fn of_design(design: &Design, options: BuildOptions) -> Result<Self, NativeError> {
        let taps = options.sites == Sites::All;
        Self::build(Flat::new(design, Options { taps })?, options)
    }

    /// An engine for the text of a netlist file; `file` is named in errors.
    ///
    /// # Errors
    /// [`NativeError::Netlist`], [`NativeError::Flat`].
    pub fn of_netlist(text: &str, file: &Path, options: BuildOptions) -> Result<Self, NativeError> {
        Self::of_design(&netlist(text, file)?, options)
    }

    /// An engine for a netlist file.
    ///
    /// # Errors
    /// [`NativeError`].
    pub fn open(file: &Path, options: BuildOptions) -> Result<Self, NativeError> {
        let text = std::fs::read_to_string(file)
            .map_err(|source| NativeError::File { file: file.display().to_string(), source })?;
        Self::of_netlist(&text, file, options)
    }
}

impl Engine for Native {
    fn name(&self) -> String {
        let backend = match self.shared.code() {
            Some(_) => "machine code",
            None => "bytecode",
        };
        format!("Warpsmith {} native ({backend})", env!("CARGO_PKG_VERSION"))
    }

    fn device(&self, seed: u64) -> Box<dyn Device> {
        Box::new(Machine::new(self.shared.clone(), seed))
    }
}
