//! What runs the chip of a campaign: Verilator, or the native engine.
//!
//! Both have the same sites, the same state at power-on and the same fault-free run, so the record of a fault
//! does not tell which of them made it.

use crate::error::FaultError;
use crate::site::{SiteKind, Sites};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use warpsmith_cosim::{BuildOptions, Chip, CosimError, Design, NativeOptions};
use warpsmith_engine_native::{Native, NativeError, Sites as Offered};
use warpsmith_netlist::flat::{Flat, Options};
use warpsmith_netlist::read::netlist;

/// An engine below fault simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The emitted Verilog, compiled by Verilator.
    #[default]
    Verilator,
    /// The netlist, run by this program.
    Native,
}

impl Engine {
    /// Name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Verilator => "verilator",
            Engine::Native => "native",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What ran a fault, for its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RanOn {
    /// A simulation.
    Engine(Engine),
    /// A chip in hardware.
    Board,
}

impl fmt::Display for RanOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RanOn::Engine(engine) => engine.fmt(f),
            RanOn::Board => f.pad("board"),
        }
    }
}

/// An injecting chip on an engine.
pub(crate) struct Parts {
    pub engine: Engine,
    /// With all its sites.
    pub all: Chip,
    /// With registers and memories alone, where that is quicker: same numbers of sites, same images.
    state: Option<Chip>,
    /// The flat netlist with taps.
    pub flat: Option<Flat>,
}

impl Parts {
    /// Of an injecting folder, whose sites these are. `wave`: Verilator's build can write waveforms; the other
    /// always can.
    ///
    /// # Errors
    /// The chip cannot be built, or is no injecting one.
    pub fn open(engine: Engine, folder: &Path, sites: &Sites, wave: bool) -> Result<Self, FaultError> {
        if engine == Engine::Verilator {
            let options = BuildOptions { wave, ..BuildOptions::default() };
            let all = Chip::open(folder, &options)?;
            all.design().need_injection()?;
            return Ok(Parts { engine, all, state: None, flat: None });
        }
        let (manifest, path, text) = Design::netlist(folder)?;
        let native = |e: NativeError| FaultError::from(CosimError::from(e));
        let design = netlist(&text, &path).map_err(|e| native(e.into()))?;
        let flat = |taps| Flat::new(&design, Options { taps }).map_err(|e| native(e.into()));
        let tapped = flat(true)?;
        if tapped.sites != sites.list() {
            return Err(FaultError::file(
                &folder.join("sites.json"),
                "lists other sites than netlist.json has; renew the folder with `warpsmith emit --inject`",
            ));
        }
        let chip = |flat, sites| {
            let options = NativeOptions { sites, ..NativeOptions::default() };
            let engine = Native::build(flat, options).map_err(native)?;
            let design = Design::on(Arc::new(engine), manifest.clone());
            design.need_injection()?;
            Ok::<_, FaultError>(Chip::on(folder, design)?)
        };
        Ok(Parts {
            engine,
            all: chip(tapped.clone(), Offered::All)?,
            state: Some(chip(flat(false)?, Offered::StateListed)?),
            flat: Some(tapped),
        })
    }

    /// The quickest chip that has sites of a kind.
    pub fn with(&self, kind: SiteKind) -> &Chip {
        match kind {
            SiteKind::Out => &self.all,
            _ => self.quick(),
        }
    }

    /// The quickest chip that has all state.
    pub fn quick(&self) -> &Chip {
        self.state.as_ref().unwrap_or(&self.all)
    }
}
