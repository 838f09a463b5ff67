//! The manifest of an emitted chip, as wrappers and flows use it.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use warpsmith_contract::{ports, trace, Manifest, Port};
use warpsmith_cosim::chip::{cache_bytes_of, isa_of, options_of};
use warpsmith_isa::{ChipInfo, Tier};

/// Manifest of an emitted chip.
#[derive(Clone, Debug, PartialEq)]
pub struct ChipManifest(Manifest);

impl std::ops::Deref for ChipManifest {
    type Target = Manifest;
    fn deref(&self) -> &Manifest {
        &self.0
    }
}

/// Why a folder's manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChipError {
    /// No JSON of this form.
    #[error("manifest.json: {0}; write the folder anew with `warpsmith emit`")]
    Format(#[from] serde_json::Error),
    /// A parameter is missing.
    #[error("manifest.json: config.{0} is missing or no number; write it anew with `warpsmith emit`")]
    NoNumber(&'static str),
    /// Its instruction set.
    #[error("manifest.json: {0}")]
    Set(String),
    /// A port is missing.
    #[error("the chip `{chip}` has no port `{port}`; write it anew with `warpsmith emit`")]
    NoPort {
        /// The chip.
        chip: String,
        /// The port.
        port: String,
    },
}

impl ChipManifest {
    /// Reads the text of a `manifest.json`.
    ///
    /// # Errors
    /// No manifest of a chip, or of one without the ports of today.
    pub fn from_manifest(text: &str) -> Result<Self, ChipError> {
        let chip: Manifest = serde_json::from_str(text)?;
        for port in
            [ports::CLOCK, ports::RESET, ports::BUS_RDATA, ports::MEM_RDATA, ports::MEM_ERROR, ports::MEM_PENDING]
        {
            if chip.port(port.name).is_none() {
                return Err(ChipError::NoPort { chip: chip.name, port: port.name.into() });
            }
        }
        Ok(ChipManifest(chip))
    }

    /// A number of the configuration; a truth value is 0 or 1.
    ///
    /// # Errors
    /// It has none of this name.
    pub fn number(&self, key: &'static str) -> Result<u32, ChipError> {
        self.0.number(key).ok_or(ChipError::NoNumber(key))
    }

    /// The chip as a launch is placed on it.
    ///
    /// # Errors
    /// A parameter is missing.
    pub fn info(&self) -> Result<ChipInfo, ChipError> {
        let isa = isa_of(&self.0).map_err(ChipError::Set)?;
        let tier = Tier::from_rows(&self.forms);
        let info = ChipInfo::from_numbers(&self.name, isa, tier, |k| self.number(k))?;
        Ok(ChipInfo { options: options_of(&self.0), cache_bytes: cache_bytes_of(&self.0), ..info })
    }

    /// Outputs that only lockstep reads.
    pub fn trace_ports(&self) -> impl Iterator<Item = &Port> {
        self.ports.iter().filter(|p| trace::is_trace_port(&p.name))
    }

    /// Width of the memory port's data in bits: a power of two, 64 to 1024.
    pub fn line_bits(&self) -> usize {
        self.ports.iter().find(|p| p.name == ports::MEM_RDATA.name).map_or(0, |p| p.width)
    }
}

/// The manifest of a folder made from a chip's: `changes` of it, and the digests of `files`, name and
/// text, instead of the emitted ones.
///
/// # Errors
/// The chip's is no JSON object.
pub(crate) fn remade<'a>(
    manifest: &str, changes: impl IntoIterator<Item = (&'static str, serde_json::Value)>,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<String, ChipError> {
    let mut json: serde_json::Map<String, serde_json::Value> = serde_json::from_str(manifest)?;
    let files = files.into_iter();
    let digests: BTreeMap<_, _> = files.map(|(name, text)| (name, format!("{:x}", Sha256::digest(text)))).collect();
    json.extend(changes.into_iter().map(|(k, v)| (k.to_string(), v)));
    json.insert("files".into(), serde_json::to_value(digests)?);
    Ok(serde_json::to_string_pretty(&json)? + "\n")
}
