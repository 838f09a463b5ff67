//! An emitted folder: `manifest.json`, `files.f` and the Verilog, `sites.json`.

use crate::error::CosimError;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use warpsmith_contract::{Manifest, Site};
use warpsmith_engine_verilator::Module;

/// Reads `manifest.json` of `folder`.
///
/// # Errors
/// [`CosimError::Folder`] naming the file and what to do.
pub fn load(folder: &Path) -> Result<Manifest, CosimError> {
    let path = folder.join("manifest.json");
    let bad = |what: String| CosimError::Folder { path: path.clone(), what };
    let text = std::fs::read_to_string(&path)
        .map_err(|e| bad(format!("cannot be read ({e}); `warpsmith emit --out {}` writes it", folder.display())))?;
    serde_json::from_str(&text).map_err(|e| bad(format!("is not a manifest ({e}); renew it with `warpsmith emit`")))
}

/// A number of the configuration.
///
/// # Errors
/// [`CosimError::Manifest`] when it is missing.
pub(crate) fn number(manifest: &Manifest, key: &str) -> Result<u32, CosimError> {
    manifest.number(key).ok_or_else(|| {
        CosimError::Manifest(format!("config.{key} is missing or no number; renew the folder with `warpsmith emit`"))
    })
}

/// Reads `sites.json` of an injecting folder; nothing for any other.
pub(crate) fn sites(folder: &Path, manifest: &Manifest) -> Result<Vec<Site>, CosimError> {
    if !manifest.inject {
        return Ok(vec![]);
    }
    let path = folder.join("sites.json");
    let bad = |what: String| CosimError::Folder { path: path.clone(), what };
    let text = std::fs::read_to_string(&path).map_err(|e| bad(format!("cannot be read ({e})")))?;
    serde_json::from_str(&text)
        .map_err(|e| bad(format!("is no list of fault sites ({e}); renew it with `warpsmith emit --inject`")))
}

/// The netlist file of a folder: its path and text, which is the one the manifest knows.
pub(crate) fn netlist(folder: &Path, manifest: &Manifest) -> Result<(PathBuf, String), CosimError> {
    const NAME: &str = "netlist.json";
    let path = folder.join(NAME);
    let bad = |what: &str| CosimError::Folder {
        path: path.clone(),
        what: format!("{what}; renew the folder with `warpsmith emit`"),
    };
    let text = std::fs::read_to_string(&path).map_err(|e| bad(&format!("cannot be read ({e})")))?;
    match manifest.files.get(NAME) {
        Some(known) if *known == digest(text.as_bytes()) => Ok((path, text)),
        Some(_) => Err(bad("was altered: its SHA-256 is not that of manifest.json")),
        None => Err(bad("is not a file of manifest.json")),
    }
}

/// SHA-256 as the manifest writes it.
fn digest(bytes: &[u8]) -> String {
    let hex = |b: &u8| format!("{b:02x}");
    Sha256::digest(bytes).iter().map(hex).collect()
}

/// Refuses a folder whose Verilog is no longer what its netlist says.
pub(crate) fn unaltered(folder: &Path, manifest: &Manifest) -> Result<(), CosimError> {
    for (name, bytes) in sources(folder)? {
        if manifest.files.get(&name) != Some(&digest(&bytes)) {
            return Err(CosimError::Folder {
                path: folder.join(name),
                what: "was altered, and the native engine runs netlist.json, which was not: \
                       run it with --engine verilator, or renew the folder with `warpsmith emit`"
                    .into(),
            });
        }
    }
    Ok(())
}

/// Verilog files of a folder in compilation order: name, text. `files.f` names them.
pub(crate) fn sources(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, CosimError> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|e| CosimError::Folder {
            path,
            what: format!("cannot be read ({e}); renew the folder with `warpsmith emit`"),
        })
    };
    let list = read("files.f")?;
    let list = String::from_utf8_lossy(&list);
    list.lines()
        .map(str::trim)
        .filter(|name| !name.is_empty() && !name.starts_with("//"))
        .map(|name| Ok((name.to_string(), read(name)?)))
        .collect()
}

/// Verilator's lint over a folder with every warning on; each must be fixed or waived.
///
/// # Errors
/// The first warnings; a missing tool; a folder that is none.
pub fn lint(folder: &Path) -> Result<(), CosimError> {
    let manifest = load(folder)?;
    let module = Module { sources: &sources(folder)?, top: &manifest.top, ports: &manifest.ports };
    Ok(warpsmith_engine_verilator::lint(&module)?)
}

/// Copies an emitted folder to `to` with one piece of its Verilog replaced: a deliberate error in
/// the chip, for checks that differences are found.
///
/// # Errors
/// [`CosimError::Folder`] when `find` is not there exactly once or a file cannot be copied.
pub fn patched_copy(folder: &Path, to: &Path, find: &str, replace: &str) -> Result<(), CosimError> {
    let bad = |path: PathBuf, what: String| CosimError::Folder { path, what };
    std::fs::create_dir_all(to).map_err(|e| bad(to.into(), e.to_string()))?;
    let mut hits = 0;
    let entries = std::fs::read_dir(folder).map_err(|e| bad(folder.into(), e.to_string()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let target = to.join(entry.file_name());
        if path.extension().is_some_and(|e| e == "v") {
            let text = std::fs::read_to_string(&path).map_err(|e| bad(path.clone(), e.to_string()))?;
            hits += text.matches(find).count();
            std::fs::write(&target, text.replacen(find, replace, 1)).map_err(|e| bad(target, e.to_string()))?;
        } else if path.is_file() {
            std::fs::copy(&path, &target).map_err(|e| bad(target, e.to_string()))?;
        }
    }
    if hits == 1 {
        Ok(())
    } else {
        Err(bad(folder.into(), format!("the text to patch occurs {hits} times and must occur once: {find:?}")))
    }
}
