//! Configurations: every parameter of a chip, the named ones, and what is impossible.

mod file;
mod takes;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use takes::Takes;
use warpsmith_isa::{ChipInfo, Options, Tier};
use warpsmith_netlist::pass::harden::{Checks, Plan, Scheme};

pub use warpsmith_contract::trace::WARP;
pub use warpsmith_isa::{Isa, Level, Semantics};

/// All parameters of a chip. A TOML file with these keys is a configuration; `base = "NAME"` or
/// `base = "FILE.toml"`, found from its own folder, starts from another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuConfig {
    /// Instruction set: `sm10`, `fermi`, `g13`, `ivb`.
    #[serde(default, with = "isa_by_name")]
    pub isa: Isa,
    /// Of SM 1.0, what the words mean: `g80`, that of the hardware, or `flexgripplus`, that of FlexGripPlus's manual.
    #[serde(default, with = "semantics_by_name")]
    pub semantics: Semantics,
    /// Of SM 1.x, the level: `sm10`, `sm11` with atomic accesses to global memory, `sm12` with votes and locks on words of
    /// shared memory, too, or `sm13` with floats of 64 bits as well.
    #[serde(default, with = "level_by_name")]
    pub level: Level,
    /// Streaming multiprocessors, 1 to 16.
    pub sms: usize,
    /// Lanes of an SM: 2, 4, 8, 16 or 32. A warp instruction takes 32 / lanes cycles; of Ivy Bridge, which has 8, 16 or 32
    /// lanes, 16 / lanes and at least one.
    pub lanes: usize,
    /// Resident warps of an SM: a power of two, 2 to 32.
    pub warps: usize,
    /// Resident blocks of an SM, 1 to 8.
    pub blocks: usize,
    /// 32-bit registers of an SM, a power of two; shared out among resident threads.
    pub registers: usize,
    /// Shared memory of an SM in bytes, a power of two up to 65536.
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
    /// Bytes of the cache of an SM, a power of two; 0 for none.
    #[serde(default)]
    pub l1_bytes: usize,
    /// Bytes of the cache of the chip, in front of its memory port, a power of two; 0 for none.
    #[serde(default)]
    pub l2_bytes: usize,
    /// Lines of a set of either cache: 1, 2 or 4.
    #[serde(default = "ways")]
    pub cache_ways: usize,
    /// The load/store unit moves the words of one lane a cycle instead of all: smaller, slower.
    pub lsu_serial: bool,
    /// Every float instruction.
    pub float: bool,
    /// Special-function units of an SM: 1, 2, 4 or 8; without `float` also 0. With units, a chip
    /// without `float` has the float operations of an integer division.
    pub sfus: usize,
    /// Floats of 64 bits, of Fermi alone: a unit of an SM beside the pipeline.
    #[serde(default)]
    pub double: bool,
    /// Atomic accesses to global memory, of Fermi and G13: SM 1.x has them by its level.
    #[serde(default)]
    pub atomics: bool,
    /// The retire trace port that lockstep reads; costs nothing when off.
    pub trace: bool,
    /// Protection against upsets, by the names of blocks in the chip's diagram: those of instances, without number.
    #[serde(default)]
    pub harden: Plan,
    /// Cycles of a kernel without a retired instruction after which it traps: 256 to 2^24; 0 for none.
    #[serde(default)]
    pub watchdog: usize,
    /// Blocks with saboteurs in hardware, and what is below them: a host injects faults into a running chip.
    #[serde(default)]
    pub saboteurs: Vec<String>,
}

/// Keys that files and manifests may leave out: then they have the value that they have in `default`.
const OPTIONAL: [&str; 11] = [
    "isa", "semantics", "level", "double", "atomics", "harden", "watchdog", "saboteurs", "l1_bytes", "l2_bytes",
    "cache_ways",
];

/// Lines of a set, where a configuration does not say it.
const fn ways() -> usize {
    2
}

/// Cycles that a watchdog may count.
const WATCHDOG: RangeInclusive<usize> = 256..=1 << 24;

/// Sets of a cache, at most: a new kernel waits for so many cycles.
const MOST_SETS: usize = 4096;

/// Most schemes of a chip: FAULTS has a bit for each.
const MOST_SCHEMES: usize = 32;

/// A key whose value is a name of its type.
macro_rules! by_name {
    ($module:ident: $ty:ident, $none:literal) => {
        mod $module {
            use serde::de::Error;
            use serde::{Deserialize, Deserializer, Serializer};
            use warpsmith_isa::$ty;

            pub fn serialize<S: Serializer>(value: &$ty, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(value.name())
            }

            pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<$ty, D::Error> {
                let name = String::deserialize(d)?;
                $ty::by_name(&name).ok_or_else(|| D::Error::custom(format!(concat!($none, " {}"), name)))
            }
        }
    };
}

by_name!(isa_by_name: Isa, "there are no chips of");
by_name!(semantics_by_name: Semantics, "there is no semantics");
by_name!(level_by_name: Level, "there is no level");

/// Why a configuration cannot be built.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConfigError {
    /// No configuration has this name.
    #[error(
        "no configuration named `{0}`; there are tiny, default, wide, quad, compute and hardened, or give a TOML file"
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
    /// A file is no configuration.
    #[error("{file}:{}{message}", .line.map_or(" ".into(), |l| format!("{l}: ")))]
    File {
        /// The file.
        file: String,
        /// The line of the mistake, from 1.
        line: Option<usize>,
        /// What is wrong.
        message: String,
    },
    /// An argument of `--set` is no assignment to a parameter.
    #[error("--set {0}")]
    Set(String),
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

impl Floats {
    /// The rows that a chip of SM 1.0 with these executes in a reading; the others trap as unimplemented.
    pub fn tier(self, semantics: Semantics) -> Tier {
        let tier = match self {
            Floats::None => Tier::integer(),
            Floats::Division => Tier::division(),
            Floats::All => Tier::full(),
        };
        tier.read_as(semantics)
    }
}

/// Names of the built-in configurations.
pub const NAMES: [&str; 6] = ["tiny", "default", "wide", "quad", "compute", "hardened"];

impl Default for GpuConfig {
    /// The configuration `default`.
    fn default() -> Self {
        GpuConfig {
            isa: Isa::Sm10,
            semantics: Semantics::G80,
            level: Level::Sm10,
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
            l1_bytes: 0,
            l2_bytes: 0,
            cache_ways: ways(),
            lsu_serial: false,
            float: true,
            sfus: 2,
            double: false,
            atomics: false,
            trace: true,
            harden: Plan::new(),
            watchdog: 0,
            saboteurs: vec![],
        }
    }
}

impl GpuConfig {
    /// A built-in configuration.
    ///
    /// # Errors
    /// [`ConfigError::Unknown`] for any other name.
    pub fn named(name: &str) -> Result<Self, ConfigError> {
        Ok(match name {
            "default" => Self::default(),
            "tiny" => GpuConfig {
                warps: 4,
                blocks: 2,
                registers: 2048,
                shared_bytes: 4096,
                shared_banks: 2,
                constant_bytes: 1024,
                program_bytes: 4096,
                stack_depth: 16,
                reads_in_flight: 8,
                lsu_serial: true,
                float: false,
                sfus: 0,
                ..Self::default()
            },
            "wide" => GpuConfig { lanes: 32, shared_banks: 32, port_words: 32, sfus: 8, ..Self::default() },
            "quad" => GpuConfig { sms: 4, ..Self::default() },
            "compute" => GpuConfig {
                level: Level::Sm12,
                shared_bytes: 65536,
                constant_bytes: 65536,
                program_bytes: 65536,
                ..Self::default()
            },
            "hardened" => {
                let of = |memories| Scheme { memories: Some(memories), ..Scheme::default() };
                let plan = [("file", Checks::Secded), ("warpsmith", Checks::Parity)];
                let plan = plan.map(|(block, memories)| (block.to_string(), of(memories)));
                GpuConfig { harden: plan.into(), ..Self::default() }
            }
            _ => return Err(ConfigError::Unknown(name.into())),
        })
    }

    /// The name that the configuration of a file goes by: its own without the ending, and `_` for what
    /// is no letter, digit or one of `.+-`, so that it stands in comments and pages as it is.
    pub fn name_of(file: &Path) -> String {
        let stem = file.file_stem().map(|s| s.to_string_lossy());
        let plain = |c: char| c.is_alphanumeric() || ".+-".contains(c);
        let stem = stem.as_deref().unwrap_or("chip");
        stem.chars().map(|c| if plain(c) { c } else { '_' }).collect()
    }

    /// What a key takes beside the others of the chip.
    fn takes(&self, key: &str) -> Takes {
        let up_to_most = |least| Takes::Power(least, ChipInfo::most(key).map_or(least, |m| m as usize));
        match key {
            "isa" => Takes::Set,
            "semantics" => Takes::Semantics,
            "harden" => Takes::Schemes,
            "saboteurs" => Takes::Blocks,
            "level" => Takes::Level,
            "lsu_serial" | "float" | "double" | "atomics" | "trace" => Takes::Truth,
            "watchdog" => Takes::Number(0, *WATCHDOG.end()),
            "sms" => Takes::Number(1, 16),
            "lanes" => Takes::OneOf(&[2, 4, 8, 16, 32]),
            "warps" => Takes::Power(2, 32),
            "blocks" => Takes::Number(1, 8),
            "registers" => up_to_most(512),
            "shared_bytes" => up_to_most(1024),
            "shared_banks" => Takes::Power(1, self.lanes),
            "constant_bytes" => up_to_most(256),
            "program_bytes" => up_to_most(256),
            "stack_depth" => up_to_most(4),
            "port_words" => Takes::Power(self.lanes, 32),
            "reads_in_flight" => Takes::Power(2, 64),
            "l1_bytes" => Takes::ZeroOrPower(1024, 65536),
            "l2_bytes" => Takes::ZeroOrPower(1024, 262_144),
            "cache_ways" => Takes::OneOf(&[1, 2, 4]),
            "sfus" => Takes::OneOf(&[0, 1, 2, 4, 8]),
            _ => Takes::Number(0, 0),
        }
    }

    /// Refuses what cannot be built.
    ///
    /// # Errors
    /// [`ConfigError::Impossible`] with the key, its value and the reason.
    pub fn check(&self) -> Result<(), ConfigError> {
        let no = |key, value: String, why: String| Err(ConfigError::Impossible { key, value, why });
        let numbers = [
            ("sms", self.sms),
            ("lanes", self.lanes),
            ("warps", self.warps),
            ("blocks", self.blocks),
            ("registers", self.registers),
            ("shared_bytes", self.shared_bytes),
            ("shared_banks", self.shared_banks),
            ("constant_bytes", self.constant_bytes),
            ("program_bytes", self.program_bytes),
            ("stack_depth", self.stack_depth),
            ("reads_in_flight", self.reads_in_flight),
            ("port_words", self.port_words),
            ("l1_bytes", self.l1_bytes),
            ("l2_bytes", self.l2_bytes),
            ("cache_ways", self.cache_ways),
            ("sfus", self.sfus),
        ];
        for (key, v) in numbers {
            let takes = self.takes(key);
            if takes.holds(v) {
                continue;
            }
            let why = match key {
                "lanes" => format!("a warp of 32 threads is cut into beats of {takes} lanes"),
                "sfus" => format!("{takes} units serve the lanes"),
                _ => format!("{takes} is needed"),
            };
            return no(key, v.to_string(), why);
        }
        if self.blocks > self.warps {
            return no(
                "blocks",
                self.blocks.to_string(),
                format!("each resident block needs a warp and there are {}", self.warps),
            );
        }
        if self.sfus > self.lanes {
            return no(
                "sfus",
                self.sfus.to_string(),
                format!("units beyond the {} lanes would have nothing to do", self.lanes),
            );
        }
        if self.isa == Isa::Ivb && self.lanes < 8 {
            let why = "a register of Ivy Bridge is 8 dwords: 8, 16 or 32 lanes";
            return no("lanes", self.lanes.to_string(), why.into());
        }
        if self.isa == Isa::Ivb && self.registers < 2048 {
            let why = "a warp of Ivy Bridge has 128 registers of 8 dwords, and two are resident: 2048 or more";
            return no("registers", self.registers.to_string(), why.into());
        }
        if self.isa != Isa::Sm10 && self.semantics != Semantics::G80 {
            let why = "it is a reading of SM 1.0's words: leave isa out".into();
            return no("semantics", self.semantics.to_string(), why);
        }
        if self.level != Level::Sm10 && (self.isa != Isa::Sm10 || self.semantics != Semantics::G80) {
            let why = "levels are those of SM 1.x as the hardware reads its words: leave isa and semantics out".into();
            return no("level", self.level.to_string(), why);
        }
        if self.level >= Level::Sm13 && !self.float {
            let why = "floats of 64 bits are on chips with all floats: set float = true and sfus";
            return no("level", self.level.to_string(), why.into());
        }
        if self.isa != Isa::Sm10 && !self.float {
            return no("float", "false".into(), "only chips of SM 1.0 come without floats: set float = true".into());
        }
        if self.float && self.sfus == 0 {
            return no("sfus", "0".into(), "a chip with float needs at least one special-function unit".into());
        }
        if self.double && self.isa != Isa::Fermi {
            let why = match self.isa {
                Isa::Sm10 => "floats of 64 bits of SM 1.x come with its level: set level = \"sm13\"".into(),
                isa => format!("{isa} has no floats of 64 bits on a chip: set isa = \"fermi\""),
            };
            return no("double", "true".into(), why);
        }
        if self.atomics {
            let why = match self.isa {
                Isa::Sm10 => Some("atomic accesses of SM 1.x come with its level: set level = \"sm11\"".into()),
                Isa::Fermi | Isa::G13 => None,
                isa => Some(format!("{isa} has no atomic accesses on a chip: set isa = \"fermi\" or \"g13\"")),
            };
            if let Some(why) = why {
                return no("atomics", "true".into(), why);
            }
        }
        if self.l1_bytes > 0 && self.sms > 1 && (self.isa != Isa::Sm10 || self.level != Level::Sm10) {
            let why = "programs of such a chip can ask for what another SM has stored, which the cache of an SM does not see: set l2_bytes, or sms = 1";
            return no("l1_bytes", self.l1_bytes.to_string(), why.into());
        }
        for (key, bytes) in [("l1_bytes", self.l1_bytes), ("l2_bytes", self.l2_bytes)] {
            let sets = bytes / (4 * self.port_words * self.cache_ways);
            if sets > MOST_SETS {
                let why = format!("a kernel would wait for {sets} sets to be cleared; {MOST_SETS} at most: set more cache_ways or port_words");
                return no(key, bytes.to_string(), why);
            }
            if sets > 0 && self.watchdog > 0 && self.watchdog < WATCHDOG.start() + sets {
                let why = format!(
                    "a load may wait for {sets} sets of the cache to be cleared: {} or more",
                    WATCHDOG.start() + sets
                );
                return no("watchdog", self.watchdog.to_string(), why);
            }
        }
        if self.watchdog > 0 && !WATCHDOG.contains(&self.watchdog) {
            let (least, most) = (WATCHDOG.start(), WATCHDOG.end());
            let why = format!("it is {least} (a load may take as long) to {most}, or 0 for no watchdog");
            return no("watchdog", self.watchdog.to_string(), why);
        }
        if self.harden.len() > MOST_SCHEMES {
            let why = format!("a chip has at most {MOST_SCHEMES} schemes: one of a block covers those below it");
            return no("harden", format!("{} schemes", self.harden.len()), why);
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

    /// What it has on top of the plain chips of its set.
    pub fn options(&self) -> Options {
        Options { double: self.double, atomics: self.atomics }
    }

    /// Beats of a warp instruction: cycles of a lane.
    pub fn beats(&self) -> usize {
        self.isa.beats(self.lanes as u32) as usize
    }

    /// Threads of a warp: 32, of Ivy Bridge 16 channels.
    pub fn threads(&self) -> usize {
        self.isa.warp_threads() as usize
    }

    fn values(&self) -> BTreeMap<String, serde_json::Value> {
        match serde_json::to_value(self).expect("plain data") {
            serde_json::Value::Object(m) => m.into_iter().collect(),
            _ => unreachable!("a struct is an object"),
        }
    }

    /// All parameters by name, for the manifest. A manifest without `isa` is one of SM 1.0, without `semantics` one that
    /// reads words as the hardware does, without `level` one of SM 1.0, without `double` and `atomics` one of a
    /// chip that has none.
    pub fn to_map(&self) -> BTreeMap<String, serde_json::Value> {
        let mut map = self.values();
        let usual = Self::default().values();
        map.retain(|key, value| !OPTIONAL.contains(&key.as_str()) || usual[key] != *value);
        map
    }
}
