//! What runs kernels: the model of a chip, its emitted Verilog, or a board.

use crate::error::{Error, Result};
use crate::report;
use crate::settings::{EngineName, Settings, CHIP};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use warpsmith_cosim::{BuildOptions, Chip, ChipInfo, Design, NativeOptions};
use warpsmith_fpga::link::{Link as _, Serial, Session};
use warpsmith_hdl::config::GpuConfig;

/// Speed of a serial line that names none.
const BAUD: u32 = 1_000_000;

/// A chip that can be simulated; emitted and opened when it is first used.
pub struct Simulated {
    /// Parameters.
    pub info: ChipInfo,
    config: GpuConfig,
    engine: EngineName,
    chip: OnceLock<std::result::Result<Chip, String>>,
}

impl Simulated {
    /// A built-in configuration or a TOML file.
    fn of(name: &str, engine: EngineName) -> std::result::Result<Simulated, String> {
        let (name, config) = match name.contains(['/', '.']) {
            false => (name.to_string(), GpuConfig::named(name)),
            true => {
                let text = std::fs::read_to_string(name).map_err(|e| format!("{name}: cannot be read: {e}"))?;
                let config = GpuConfig::from_toml(name, &text);
                (GpuConfig::name_of(Path::new(name)), config)
            }
        };
        let config = config.map_err(|e| e.to_string())?;
        warpsmith_hdl::check(&config).map_err(|e| e.to_string())?;
        Ok(Simulated { info: warpsmith_hdl::info(&config, &name), config, engine, chip: OnceLock::new() })
    }

    /// The chip on its engine.
    ///
    /// # Errors
    /// A cache that cannot be written, an engine that is not there.
    pub fn chip(&self) -> Result<&Chip> {
        let chip = self.chip.get_or_init(|| self.open());
        chip.as_ref().map_err(|e| Error::resources(e.clone()))
    }

    fn open(&self) -> std::result::Result<Chip, String> {
        let emitted = warpsmith_hdl::chip(&self.config, &self.info.name);
        let folder =
            emitted.cached().map_err(|e| format!("{e}: set WARPSMITH_CACHE to a folder that can be written"))?;
        let options = BuildOptions::default();
        let native = match self.engine {
            EngineName::Native => true,
            EngineName::Verilator => false,
            EngineName::Auto => {
                let choice = Design::choice(&folder, &options).map_err(|e| e.to_string())?;
                report::line(&choice.to_string());
                choice.native
            }
        };
        let chip = match native {
            true => Design::native(&folder, NativeOptions::default()).and_then(|design| Chip::on(&folder, design)),
            false => Chip::open(&folder, &options),
        };
        chip.map_err(|e| e.to_string())
    }

    /// Entries of a warp's divergence stack.
    pub fn stack_depth(&self) -> usize {
        self.config.stack_depth
    }
}

/// A board behind a serial line.
pub struct Board {
    path: String,
    /// Its chip.
    pub info: ChipInfo,
    memory_bytes: u64,
    session: Mutex<Session<Serial>>,
}

impl Board {
    /// The line, for one launch at a time.
    pub fn session(&self) -> std::sync::MutexGuard<'_, Session<Serial>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What runs kernels.
pub enum Machine {
    /// The golden model of a chip.
    Model(Simulated),
    /// The emitted Verilog.
    Rtl(Simulated),
    /// A board.
    Board(Box<Board>),
}

impl Machine {
    /// From its name in the settings. A board is greeted.
    ///
    /// # Errors
    /// A name that is none, a configuration or board that cannot be used.
    pub fn of(name: &str, settings: &Settings) -> std::result::Result<Machine, String> {
        let (kind, chip) = name.split_once(':').unwrap_or((name, CHIP));
        match kind {
            "model" => Ok(Machine::Model(Simulated::of(chip, settings.engine)?)),
            "rtl" => Ok(Machine::Rtl(Simulated::of(chip, settings.engine)?)),
            "uart" if name.contains(':') => board(chip).map(|b| Machine::Board(Box::new(b))),
            _ => Err("model[:CHIP], rtl[:CHIP], rtl:FILE.toml or uart:PATH[@BAUD] is needed".into()),
        }
    }

    /// Parameters of the chip.
    pub fn info(&self) -> &ChipInfo {
        match self {
            Machine::Model(s) | Machine::Rtl(s) => &s.info,
            Machine::Board(b) => &b.info,
        }
    }

    /// Name for programs.
    pub fn name(&self) -> String {
        match self {
            Machine::Model(s) => format!("Warpsmith model {}", s.info.name),
            Machine::Rtl(s) => format!("Warpsmith RTL {}", s.info.name),
            Machine::Board(b) => format!("Warpsmith board {} at {}", b.info.name, b.path),
        }
    }

    /// Bytes of global memory where the machine sets a limit.
    pub fn memory_bytes(&self) -> Option<u64> {
        match self {
            Machine::Model(_) | Machine::Rtl(_) => None,
            Machine::Board(b) => Some(b.memory_bytes),
        }
    }
}

fn board(place: &str) -> std::result::Result<Board, String> {
    let (path, baud) = match place.rsplit_once('@') {
        None => (place, BAUD),
        Some((path, baud)) => match baud.parse() {
            Ok(n) if (300..=12_000_000).contains(&n) => (path, n),
            _ => return Err(format!("`{baud}` is no speed: 300 to 12000000 baud after the @")),
        },
    };
    let mut session = Session::new(Serial::open(path, baud).map_err(|e| e.to_string())?);
    let about = session.hello().map_err(|e| e.to_string())?;
    Ok(Board {
        path: path.into(),
        info: about.info.clone(),
        memory_bytes: about.memory_bytes,
        session: Mutex::new(session),
    })
}
