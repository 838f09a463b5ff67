//! What is read of a netlist that Yosys writes for an FPGA.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A netlist, as `write_json` writes it.
#[derive(Deserialize)]
pub struct Netlist {
    /// Modules by name.
    pub modules: BTreeMap<String, Module>,
}

/// A module.
#[derive(Deserialize)]
pub struct Module {
    /// Ports by name.
    #[serde(default)]
    pub ports: BTreeMap<String, Net>,
    /// Cells by name.
    #[serde(default)]
    pub cells: BTreeMap<String, Cell>,
    /// Nets that have a name.
    #[serde(default)]
    pub netnames: BTreeMap<String, Net>,
}

/// A net of some bits, lowest first.
#[derive(Deserialize)]
pub struct Net {
    /// Them.
    pub bits: Vec<Bit>,
}

/// A cell, or an instance of a module.
#[derive(Deserialize)]
pub struct Cell {
    /// Its kind, or the module.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bits at its ports.
    pub connections: BTreeMap<String, Vec<Bit>>,
}

/// A net's number, or a constant.
#[derive(Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub enum Bit {
    /// A net of one bit.
    Net(u64),
    /// `0`, `1` or `x`.
    Constant(String),
}
