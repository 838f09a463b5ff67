//! What the bridge reads of an emitted folder: `manifest.json`, `files.f` and the Verilog.

use crate::error::CosimError;
use std::path::{Path, PathBuf};
use warpsmith_contract::{Manifest, Site};

/// Reads `manifest.json` of `folder`.
///
/// # Errors
/// [`CosimError::Folder`] naming the file and what to do.
pub fn load(folder: &Path) -> Result<Manifest, CosimError> {
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

/// A number of the configuration.
///
/// # Errors
/// [`CosimError::Manifest`] when it is missing.
pub(crate) fn number(manifest: &Manifest, key: &str) -> Result<u32, CosimError> {
    manifest.number(key).ok_or_else(|| {
        CosimError::Manifest(format!(
            "config.{key} is missing or no number; renew the folder with `warpsmith emit`"
        ))
    })
}

/// Reads `sites.json` of an injecting folder; nothing for any other.
pub(crate) fn sites(folder: &Path, manifest: &Manifest) -> Result<Vec<Site>, CosimError> {
    if !manifest.inject {
        return Ok(vec![]);
    }
    let path = folder.join("sites.json");
    let bad = |what: String| CosimError::Folder {
        path: path.clone(),
        what,
    };
    let text = std::fs::read_to_string(&path).map_err(|e| bad(format!("cannot be read ({e})")))?;
    serde_json::from_str(&text).map_err(|e| {
        bad(format!(
            "is no list of fault sites ({e}); renew it with `warpsmith emit --inject`"
        ))
    })
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
