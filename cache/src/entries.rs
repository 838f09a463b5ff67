//! What the cache folder holds, its size, and its removal.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders of the cache by name, and what they hold.
const FOLDERS: [(&str, &str); 11] = [
    ("area", "synthesis"),
    ("emitted", "emitted Verilog"),
    ("gates", "gates of blocks"),
    ("launches", "unpacked launch archives"),
    ("lint", "lint in work"),
    ("mdbook", "mdBook"),
    ("opencl", "OpenCL programs"),
    ("opencl-library", "OpenCL driver"),
    ("passed", "verdicts of tools"),
    ("ptx", "compiled C"),
    ("python", "Python packages"),
];

/// Beginnings of names that end in a digest, and what such entries are.
const DIGESTS: [(&str, &str); 4] =
    [("", "simulations"), ("model-", "simulations"), ("runtime-", "simulations"), ("vector-", "simulations")];

/// What entries of one kind take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What they are.
    pub name: &'static str,
    /// How many entries.
    pub entries: usize,
    /// Bytes of their files.
    pub bytes: u64,
}

/// What an entry of the cache is, by its name; `None` for what Warpsmith does not make.
fn kind(name: &str) -> Option<&'static str> {
    // Locks, and folders that are being made, have the name of what they become.
    let stem = name.split('.').next().unwrap_or(name);
    let digest = |rest: &str| rest.len() == 32 && rest.bytes().all(|b| b.is_ascii_hexdigit());
    let named = FOLDERS.iter().find(|f| f.0 == stem).map(|f| f.1);
    named.or_else(|| {
        let mut all = DIGESTS.iter();
        let found = all.find(|d| stem.strip_prefix(d.0).is_some_and(digest));
        found.map(|d| d.1)
    })
}

/// Entries of a cache folder that Warpsmith made; none where there is no folder.
fn entries(dir: &Path) -> io::Result<Vec<(PathBuf, &'static str)>> {
    let list = match fs::read_dir(dir) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        list => list?,
    };
    let mut found = Vec::new();
    for entry in list {
        let entry = entry?;
        if let Some(kind) = entry.file_name().to_str().and_then(kind) {
            found.push((entry.path(), kind));
        }
    }
    Ok(found)
}

/// Bytes of the files at and below a path; links are not followed.
fn bytes(path: &Path) -> u64 {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return 0;
    };
    if !meta.is_dir() {
        return meta.len();
    }
    let list = fs::read_dir(path).into_iter().flatten().flatten();
    list.map(|e| bytes(&e.path())).sum()
}

/// Kinds of entries in a cache folder with their size, the largest first.
///
/// # Errors
/// The folder cannot be read.
pub fn sizes(dir: &Path) -> io::Result<Vec<Kind>> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (path, name) in entries(dir)? {
        let at = kinds.iter().position(|k| k.name == name);
        let at = at.unwrap_or_else(|| {
            kinds.push(Kind { name, entries: 0, bytes: 0 });
            kinds.len() - 1
        });
        kinds[at].entries += 1;
        kinds[at].bytes += bytes(&path);
    }
    kinds.sort_by_key(|k| std::cmp::Reverse(k.bytes));
    Ok(kinds)
}

/// Removes what Warpsmith made in a cache folder, and the folder where nothing is left; what else
/// lies there stays. Returns the entries and bytes removed.
///
/// # Errors
/// An entry cannot be removed; those before it are gone.
pub fn clear(dir: &Path) -> io::Result<(usize, u64)> {
    let mut removed = (0, 0);
    for (path, _) in entries(dir)? {
        let size = bytes(&path);
        let gone = match fs::symlink_metadata(&path)?.is_dir() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
        gone.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        removed = (removed.0 + 1, removed.1 + size);
    }
    let _ = fs::remove_dir(dir);
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_ours_is_counted_and_removed() {
        let dir = tempfile::tempdir().expect("a folder");
        let digest = "0123456789abcdef0123456789abcdef";
        let put = |name: &str, n: usize| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, vec![0; n]).expect("written");
        };
        put(&format!("{digest}/program"), 100);
        put(&format!("model-{digest}/model.a"), 20);
        put(&format!("{digest}.lock"), 0);
        put("ptx/a", 7);
        put("thesis.tex", 1000);
        put("letters/ptx", 1000);
        let kinds = sizes(dir.path()).expect("read");
        let found: Vec<_> = kinds.iter().map(|k| (k.name, k.entries, k.bytes)).collect();
        assert_eq!(found, [("simulations", 3, 120), ("compiled C", 1, 7)]);
        assert_eq!(clear(dir.path()).expect("removed"), (4, 127));
        assert!(dir.path().join("thesis.tex").exists() && dir.path().join("letters/ptx").exists());
        assert_eq!(sizes(dir.path()).expect("read"), []);
        assert_eq!(sizes(&dir.path().join("absent")).expect("none"), []);
    }
}
