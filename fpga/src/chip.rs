//! What the wrappers need to know of an emitted chip: its manifest.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A port of the chip.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Port {
    /// Name in the Verilog.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// `input` or `output`.
    pub direction: String,
}

/// An emitted chip: the part of `manifest.json` that what stands around the chip depends on.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Chip {
    /// Name of the configuration.
    pub name: String,
    /// Top module.
    pub top: String,
    /// Parameters of the configuration.
    pub config: BTreeMap<String, serde_json::Value>,
    /// Ports of the top module, `clock` and `reset` among them.
    pub ports: Vec<Port>,
}

/// Why a folder's manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChipError {
    /// No JSON of this form.
    #[error("manifest.json: {0}; write the folder anew with `warpsmith emit`")]
    Format(#[from] serde_json::Error),
    /// A port is missing.
    #[error("the chip `{chip}` has no port `{port}`; write it anew with `warpsmith emit`")]
    NoPort {
        /// The chip.
        chip: String,
        /// The port.
        port: String,
    },
}

impl Chip {
    /// Reads the text of a `manifest.json`.
    ///
    /// # Errors
    /// No manifest of a chip, or of one without the ports of today.
    pub fn from_manifest(text: &str) -> Result<Self, ChipError> {
        let chip: Self = serde_json::from_str(text)?;
        for port in [
            "clock",
            "reset",
            "bus_rdata",
            "mem_rdata",
            "mem_error",
            "mem_pending",
        ] {
            if chip.ports.iter().all(|p| p.name != port) {
                return Err(ChipError::NoPort {
                    chip: chip.name,
                    port: port.into(),
                });
            }
        }
        Ok(chip)
    }

    /// Width of the memory port's data in bits: a power of two, 256 to 1024.
    pub fn line_bits(&self) -> usize {
        self.ports
            .iter()
            .find(|p| p.name == "mem_rdata")
            .map_or(0, |p| p.width)
    }
}
