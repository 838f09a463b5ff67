//! `manifest.json`: the description of an emitted chip.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Direction of a port, seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The module reads it.
    Input,
    /// The module drives it.
    Output,
}

impl Direction {
    /// The Verilog word.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Input => "input",
            Direction::Output => "output",
        }
    }
}

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Verilog name.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// Direction.
    pub direction: Direction,
}

impl Port {
    /// An input.
    pub fn input(name: &str, width: usize) -> Self {
        Self::new(name, width, Direction::Input)
    }

    /// A port.
    pub fn new(name: &str, width: usize, direction: Direction) -> Self {
        Self { name: name.into(), width, direction }
    }

    /// Whether the module reads it.
    pub fn is_input(&self) -> bool {
        self.direction == Direction::Input
    }

    /// 32-bit words that hold a value of the port.
    pub fn words(&self) -> usize {
        self.width.div_ceil(32)
    }
}

/// A module of the emitted Verilog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleInfo {
    /// Rust file that describes it, relative to the project.
    pub source: String,
    /// Times it is instantiated below distinct parents.
    pub instances: usize,
    /// Lines of Verilog.
    pub lines: usize,
}

/// `manifest.json` of an emitted folder. Keys that are not named here are ignored by readers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name of the configuration.
    pub name: String,
    /// Top module.
    pub top: String,
    /// Every parameter of the configuration, and what follows from it.
    #[serde(default)]
    pub config: BTreeMap<String, serde_json::Value>,
    /// Ports of the top module, `clock` and `reset` included.
    pub ports: Vec<Port>,
    /// Rows of the instruction table that the chip executes; the others trap as unimplemented.
    #[serde(default)]
    pub forms: Vec<u8>,
    /// Modules of the Verilog by name.
    #[serde(default)]
    pub modules: BTreeMap<String, ModuleInfo>,
    /// Whether state and block outputs are open to fault injection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inject: bool,
    /// SHA-256 of every other file, hexadecimal.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

impl Manifest {
    /// Index of a port by name.
    pub fn port(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|p| p.name == name)
    }

    /// A number of the configuration; a truth value is 0 or 1.
    pub fn number(&self, key: &str) -> Option<u32> {
        let value = self.config.get(key)?;
        let number = value.as_bool().map(u64::from).or_else(|| value.as_u64())?;
        u32::try_from(number).ok()
    }
}
