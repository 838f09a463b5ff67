//! What the bridge reads of an emitted folder: `manifest.json`, `files.f` and the Verilog.

use crate::error::CosimError;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A port of the top module.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Port {
    /// Verilog name.
    pub name: String,
    /// Width in bits.
    pub width: usize,
    /// `input` or `output`.
    pub direction: String,
}

impl Port {
    /// 32-bit words that hold the port.
    pub fn words(&self) -> usize {
        self.width.div_ceil(32)
    }

    /// Whether the chip reads it.
    pub fn is_input(&self) -> bool {
        self.direction == "input"
    }

    /// The port as the builder of the model knows it.
    pub(crate) fn model(&self) -> warpsmith_cxx::Port {
        warpsmith_cxx::Port {
            name: self.name.clone(),
            width: self.width,
            input: self.is_input(),
        }
    }
}

/// `manifest.json` of an emitted folder; keys not named here are left alone.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Manifest {
    /// Name of the configuration.
    pub name: String,
    /// Top module.
    pub top: String,
    /// Parameters of the configuration.
    #[serde(default)]
    pub config: BTreeMap<String, serde_json::Value>,
    /// Ports of the top module, clock and reset included.
    pub ports: Vec<Port>,
    /// Rows of the instruction table that the chip executes.
    #[serde(default)]
    pub forms: Vec<u8>,
    /// Whether the chip is open to fault injection.
    #[serde(default)]
    pub inject: bool,
    /// SHA-256 of every other file, hexadecimal.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

impl Manifest {
    /// Reads `manifest.json` of `folder`.
    ///
    /// # Errors
    /// [`CosimError::Folder`] naming the file and what to do.
    pub fn load(folder: &Path) -> Result<Self, CosimError> {
        let path = folder.join("manifest.json");
        let bad = |what: String| CosimError::Folder {
            path: path.clone(),
            what,
        };
        let text = std::fs::read_to_string(&path).map_err(|e| {
            bad(format!(
                "cannot be read ({e}); `warpsmith emit --out {}` writes it",
                folder.display()
            ))
        })?;
        serde_json::from_str(&text).map_err(|e| {
            bad(format!(
                "is not a manifest ({e}); renew it with `warpsmith emit`"
            ))
        })
    }

    /// Index of a port by name.
    pub fn port(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|p| p.name == name)
    }

    /// A number of the configuration.
    ///
    /// # Errors
    /// [`CosimError::Manifest`] when it is missing.
    pub fn number(&self, key: &str) -> Result<u32, CosimError> {
        let v = self.config.get(key).and_then(serde_json::Value::as_u64);
        v.and_then(|v| u32::try_from(v).ok()).ok_or_else(|| {
            CosimError::Manifest(format!(
                "config.{key} is missing or no number; renew the folder with `warpsmith emit`"
            ))
        })
    }
}

/// An entry of `sites.json`, as far as the shim needs it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct InjectionSite {
    /// Hierarchical name below the top, joined by dots.
    pub path: String,
    /// `reg`, `ram` or `out`.
    pub kind: String,
    /// Bits of a word.
    pub width: usize,
    /// Words.
    pub depth: u32,
}

impl InjectionSite {
    /// Reads `sites.json` of an injecting folder; nothing for any other.
    pub fn load(folder: &Path, manifest: &Manifest) -> Result<Vec<Self>, CosimError> {
        if !manifest.inject {
            return Ok(vec![]);
        }
        let path = folder.join("sites.json");
        let bad = |what: String| CosimError::Folder {
            path: path.clone(),
            what,
        };
        let text =
            std::fs::read_to_string(&path).map_err(|e| bad(format!("cannot be read ({e})")))?;
        serde_json::from_str(&text).map_err(|e| {
            bad(format!(
                "is no list of fault sites ({e}); renew it with `warpsmith emit --inject`"
            ))
        })
    }
}

/// Verilog files of a folder, in compilation order, with their content.
pub(crate) struct Sources {
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Sources {
    /// Reads `files.f` and what it names.
    pub fn load(folder: &Path) -> Result<Self, CosimError> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|e| CosimError::Folder {
                path,
                what: format!("cannot be read ({e}); renew the folder with `warpsmith emit`"),
            })
        };
        let list = read("files.f")?;
        let mut files = vec![];
        for line in String::from_utf8_lossy(&list).lines() {
            let name = line.trim();
            if !name.is_empty() && !name.starts_with("//") {
                files.push((PathBuf::from(name), read(name)?));
            }
        }
        Ok(Sources { files })
    }
}
