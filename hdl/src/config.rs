//! Configurations: every parameter of a chip, the named ones, and what is impossible.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use warpsmith_contract::trace::WARP;

/// All parameters of a chip. A TOML file with these keys is a configuration; `base = "NAME"`
/// starts from a named one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuConfig {
    /// Instruction set: `sm10`, `fermi`, `g13`.
    #[serde(default)]
    pub isa: Isa,
    /// Streaming multiprocessors, 1 to 16.
    pub sms: usize,
    /// Lanes of an SM: 2, 4, 8, 16 or 32. A warp instruction takes 32 / lanes cycles.
    pub lanes: usize,
    /// Resident warps of an SM: a power of two, 2 to 32.
    pub warps: usize,
    /// Resident blocks of an SM, 1 to 8.
    pub blocks: usize,
    /// 32-bit registers of an SM, a power of two; shared out among resident threads.
    pub registers: usize,
    /// Shared memory of an SM in bytes, a power of two up to 16384.
    pub shared_bytes: usize,
    /// Banks of shared memory: a power of two, 1 to `lanes`. Fewer are smaller, with more conflicts.
    pub shared_banks: usize,
    /// Constant memory of an SM in bytes, all banks together, a power of two.
    pub constant_bytes: usize,
    /// Program memory of an SM in bytes, a power of two.
    pub program_bytes: usize,
    /// Entries of a warp's divergence stack, a power of two, 4 to 64.
    pub stack_depth: usize,
    /// Width of the global-memory port in 32-bit words: a power of two, at least `lanes`, to 32.
    pub port_words: usize,
    /// Read requests a SM may have in flight: a power of two, 2 to 64.
    pub reads_in_flight: usize,
    /// The load/store unit moves the words of one lane a cycle instead of all: smaller, slower.
    pub lsu_serial: bool,
    /// Every float instruction.
    pub float: bool,
    /// Special-function units of an SM: 1, 2, 4 or 8; without `float` also 0. With units, a chip
    /// without `float` has the float operations of an integer division.
    pub sfus: usize,
    /// The retire trace port that lockstep reads; costs nothing when off.
    pub trace: bool,
}

/// Why a configuration cannot be built.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConfigError {
    /// No configuration has this name.
    #[error(
        "no configuration named `{0}`; there are tiny, default, wide and quad, or give a TOML file"
    )]
    Unknown(String),
    /// The value of a key cannot be built.
    #[error("configuration: {key} = {value} is impossible: {why}")]
    Impossible {
        /// The parameter.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it would have to be.
        why: String,
    },
    /// A file is no configuration; the message has the line.
    #[error("{file}: {message}")]
    File { file: String, message: String },
    /// An argument of `--set` is no assignment to a parameter.
    #[error(
        "--set {0}: expected KEY=VALUE with a key of the configuration (docs/configuration.md)"
    )]
    Set(String),
}

/// Instruction set of a chip, as the key `isa` names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isa {
    /// SM 1.0 (G80).
    #[default]
    Sm10,
    /// Fermi: floats of 32 bits and the carrier set.
    Fermi,
    /// Apple G13.
    G13,
}

/// Which float instructions a chip executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floats {
    /// None: integers alone.
    None,
    /// FMUL, I2F, F2I and RCP: what compilers make of an integer division.
    Division,
    /// Every one.
    All,
}

/// Names of the built-in configurations.
pub const NAMES: [&str; 4] = ["tiny", "default", "wide", "quad"];

impl Isa {
    /// Name, as the key has it.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Sm10 => "sm10",
            Isa::Fermi => "fermi",
            Isa::G13 => "g13",
        }
    }
}

impl GpuConfig {
    /// A built-in configuration.
    ///
    /// # Errors
    /// [`ConfigError::Unknown`] for any other name.
    pub fn named(name: &str) -> Result<Self, ConfigError> {
        let default = GpuConfig {
            isa: Isa::Sm10,
            sms: 1,
            lanes: 8,
            warps: 32,
            blocks: 8,
            registers: 16384,
            shared_bytes: 16384,
            shared_banks: 8,
            constant_bytes: 8192,
            program_bytes: 16384,
            stack_depth: 32,
            port_words: 8,
            reads_in_flight: 16,
            lsu_serial: false,
            float: true,
            sfus: 2,
            trace: true,
        };
        Ok(match name {
            "default" => default,
            "tiny" => GpuConfig {
                isa: Isa::Sm10,
                sms: 1,
                lanes: 8,
                warps: 4,
                blocks: 2,
                registers: 2048,
                shared_bytes: 4096,
                shared_banks: 2,
                constant_bytes: 1024,
                program_bytes: 4096,
                stack_depth: 16,
                port_words: 8,
                reads_in_flight: 8,
                lsu_serial: true,
                float: false,
                sfus: 0,
                trace: true,
            },
            "wide" => GpuConfig {
                isa: Isa::Sm10,
                sms: 1,
                lanes: 32,
                warps: 32,
                blocks: 8,
                registers: 16384,
                shared_bytes: 16384,
                shared_banks: 32,
                constant_bytes: 8192,
                program_bytes: 16384,
                stack_depth: 32,
                port_words: 32,
                reads_in_flight: 16,
                lsu_serial: false,
                float: true,
                sfus: 8,
                trace: true,
            },
            "quad" => GpuConfig { sms: 4, ..default },
            _ => return Err(ConfigError::Unknown(name.into())),
        })
    }

    /// A configuration from TOML text: all keys, or `base = "NAME"` and the keys that differ.
    ///
    /// # Errors
    /// [`ConfigError::File`] with the line of the mistake; [`ConfigError::Impossible`].
    pub fn from_toml(file: &str, text: &str) -> Result<Self, ConfigError> {
        let fail = |message: String| ConfigError::File {
            file: file.into(),
            message,
        };
        let mut table: toml::Table = toml::from_str(text).map_err(|e| fail(e.to_string()))?;
        let base = match table.remove("base") {
            Some(toml::Value::String(n)) => Some(Self::named(&n)?),
            Some(_) => return Err(fail("base must be the name of a configuration".into())),
            None => None,
        };
        if let Some(base) = base {
            let all = toml::Table::try_from(&base).expect("plain data");
            for (k, v) in all {
                table.entry(k).or_insert(v);
            }
        }
        let c: Self = table
            .try_into()
            .map_err(|e: toml::de::Error| fail(e.message().to_string()))?;
        c.check()?;
        Ok(c)
    }

    /// Changes one parameter, as `--set KEY=VALUE` does.
    ///
    /// # Errors
    /// [`ConfigError::Set`] when the key or the value is not one.
    pub fn set(&mut self, assignment: &str) -> Result<(), ConfigError> {
        let bad = || ConfigError::Set(assignment.into());
        let (key, value) = assignment.split_once('=').ok_or_else(bad)?;
        let mut all = toml::Table::try_from(&*self).expect("plain data");
        let slot = all.get_mut(key.trim()).ok_or_else(bad)?;
        *slot = match slot {
            toml::Value::Boolean(_) => {
                toml::Value::Boolean(value.trim().parse().map_err(|_| bad())?)
            }
            toml::Value::String(_) => toml::Value::String(value.trim().into()),
            _ => toml::Value::Integer(value.trim().parse::<u32>().map_err(|_| bad())?.into()),
        };
        *self = all.try_into().map_err(|_| bad())?;
        Ok(())
    }

    /// Refuses what cannot be built.
    ///
    /// # Errors
    /// [`ConfigError::Impossible`] with the key, its value and the reason.
    pub fn check(&self) -> Result<(), ConfigError> {
        let no = |key, value: String, why: String| Err(ConfigError::Impossible { key, value, why });
        let range = |key, v: usize, lo: usize, hi: usize, power: bool| {
            if v < lo || v > hi || power && !v.is_power_of_two() {
                let what = if power { "a power of two" } else { "a number" };
                return no(
                    key,
                    v.to_string(),
                    format!("{what} from {lo} to {hi} is needed"),
                );
            }
            Ok(())
        };
        if !matches!(self.sms, 1..=16) {
            return no(
                "sms",
                self.sms.to_string(),
                "a number from 1 to 16 is needed".into(),
            );
        }
        if !matches!(self.lanes, 2 | 4 | 8 | 16 | 32) {
            return no(
                "lanes",
                self.lanes.to_string(),
                "a warp of 32 threads is cut into beats of 2, 4, 8, 16 or 32 lanes".into(),
            );
        }
        range("warps", self.warps, 2, 32, true)?;
        range("blocks", self.blocks, 1, 8, false)?;
        if self.blocks > self.warps {
            return no(
                "blocks",
                self.blocks.to_string(),
                format!(
                    "each resident block needs a warp and there are {}",
                    self.warps
                ),
            );
        }
        range("registers", self.registers, 512, 65536, true)?;
        range("shared_bytes", self.shared_bytes, 1024, 16384, true)?;
        range("shared_banks", self.shared_banks, 1, self.lanes, true)?;
        range("constant_bytes", self.constant_bytes, 256, 65536, true)?;
        range("program_bytes", self.program_bytes, 256, 262_144, true)?;
        range("stack_depth", self.stack_depth, 4, 64, true)?;
        range("reads_in_flight", self.reads_in_flight, 2, 64, true)?;
        range("port_words", self.port_words, self.lanes, 32, true)?;
        if !matches!(self.sfus, 0 | 1 | 2 | 4 | 8) {
            return no(
                "sfus",
                self.sfus.to_string(),
                "0, 1, 2, 4 or 8 units serve the lanes".into(),
            );
        }
        if self.sfus > self.lanes {
            return no(
                "sfus",
                self.sfus.to_string(),
                format!(
                    "units beyond the {} lanes would have nothing to do",
                    self.lanes
                ),
            );
        }
        if self.isa != Isa::Sm10 && !self.float {
            return no(
                "float",
                "false".into(),
                "only chips of SM 1.0 come without floats: set float = true".into(),
            );
        }
        if self.float && self.sfus == 0 {
            return no(
                "sfus",
                "0".into(),
                "a chip with float needs at least one special-function unit".into(),
            );
        }
        Ok(())
    }

    /// The float instructions it executes.
    pub fn floats(&self) -> Floats {
        match (self.float, self.sfus) {
            (true, _) => Floats::All,
            (false, 0) => Floats::None,
            (false, _) => Floats::Division,
        }
    }

    /// Beats of a warp instruction: cycles of a lane.
    pub fn beats(&self) -> usize {
        WARP / self.lanes
    }

    /// All parameters by name, for the manifest. A manifest without `isa` is one of SM 1.0.
    pub fn to_map(&self) -> BTreeMap<String, serde_json::Value> {
        let mut map: BTreeMap<_, _> = match serde_json::to_value(self).expect("plain data") {
            serde_json::Value::Object(m) => m.into_iter().collect(),
            _ => unreachable!("a struct is an object"),
        };
        if self.isa == Isa::Sm10 {
            map.remove("isa");
        }
        map
    }
}
