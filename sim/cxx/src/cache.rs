//! The build cache: one folder a digest.
//!
//! A build happens in a folder of its own and is renamed when complete; a lock file lets a second
//! process wait instead of building too.

use crate::error::CxxError;
use fs2::FileExt;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folder of the build cache: `WARPSMITH_CACHE`, else the first of `$XDG_CACHE_HOME/warpsmith` and
/// `~/.cache/warpsmith` that can be written, else a folder of this user in the system's temporary one.
pub fn cache_dir() -> PathBuf {
    let var = |n: &str| {
        std::env::var_os(n)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    if let Some(named) = var("WARPSMITH_CACHE") {
        return named;
    }
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        let homes = [var("XDG_CACHE_HOME"), var("HOME").map(|d| d.join(".cache"))];
        let mut homes = homes.into_iter().flatten().map(|d| d.join("warpsmith"));
        homes.find(|d| writable(d)).unwrap_or_else(temporary)
    };
    FOUND.get_or_init(find).clone()
}

/// Whether a folder, there or not, can take a file: a home may be absent or read-only.
fn writable(dir: &Path) -> bool {
    let Some(there) = dir.ancestors().find(|d| d.exists()) else {
        return false;
    };
    let probe = there.join(format!(".warpsmith.{}", std::process::id()));
    let made = std::fs::File::create(&probe).is_ok();
    made && std::fs::remove_file(&probe).is_ok()
}

/// A folder for programs that are run must be of nobody else.
fn temporary() -> PathBuf {
    let user = std::fs::metadata("/proc/self").map_or(0, |m| m.uid());
    let dir = std::env::temp_dir().join(format!("warpsmith-{user}"));
    let _ = std::fs::DirBuilder::new().mode(0o700).create(&dir);
    match std::fs::symlink_metadata(&dir) {
        Ok(m) if !m.is_dir() || m.uid() != user => {
            std::env::temp_dir().join(format!("warpsmith-{user}.{}", std::process::id()))
        }
        _ => dir,
    }
}

/// The name of a folder of the cache for what is built from these parts.
pub fn key<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize()[..16]
        .iter()
        .fold(String::new(), |mut s, b| {
            let _ = write!(s, "{b:02x}");
            s
        })
}

/// `file` of the cache's folder `key`, from the root on; built first, in a folder of its own, if it is
/// not there.
///
/// # Errors
/// Those of `build`; [`CxxError::Cache`] when the cache cannot be written.
pub fn cached(
    cache: &Path,
    key: &str,
    file: &str,
    build: impl FnOnce(&Path) -> Result<(), CxxError>,
) -> Result<PathBuf, CxxError> {
    let io = |path: &Path, e: std::io::Error| CxxError::Cache {
        path: path.to_path_buf(),
        source: e,
    };
    // Tools run in the folder of their build.
    let cache = &std::path::absolute(cache).map_err(|e| io(cache, e))?;
    let home = cache.join(key);
    let ready = home.join(file);
    if ready.exists() {
        return Ok(ready);
    }
    std::fs::create_dir_all(cache).map_err(|e| io(cache, e))?;
    let lock_path = cache.join(format!("{key}.lock"));
    let lock = std::fs::File::create(&lock_path).map_err(|e| io(&lock_path, e))?;
    lock.lock_exclusive().map_err(|e| io(&lock_path, e))?;
    if ready.exists() {
        return Ok(ready);
    }
    // Whoever built here before was killed: with the lock held nobody else does.
    let left = format!("{key}.");
    for entry in std::fs::read_dir(cache)
        .map_err(|e| io(cache, e))?
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&left) && entry.path() != lock_path {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let work = cache.join(format!("{key}.{}", std::process::id()));
    std::fs::create_dir_all(&work).map_err(|e| io(&work, e))?;
    let result = build(&work);
    if result.is_ok() {
        // Objects are only needed for the link; what stays is the product and the log.
        let _ = std::fs::remove_dir_all(work.join("obj"));
        let _ = std::fs::remove_dir_all(&home);
        std::fs::rename(&work, &home).map_err(|e| io(&home, e))?;
        let _ = std::fs::remove_file(&lock_path);
    }
    result.map(|()| ready)
}

/// Writes a file below `dir`, with the folders above it.
///
/// # Errors
/// [`CxxError::Cache`].
pub fn put(dir: &Path, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<(), CxxError> {
    let path = dir.join(name);
    let parent = path.parent().unwrap_or(dir);
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(&path, bytes))
        .map_err(|source| CxxError::Cache { path, source })
}

#[cfg(test)]
mod tests {
    use super::writable;
    use std::path::Path;

    #[test]
    fn a_home_that_cannot_be_written_is_passed_over() {
        let dir = std::env::temp_dir();
        assert!(writable(&dir) && writable(&dir.join("warpsmith-not-there/cache")));
        assert!(!writable(Path::new("/proc/warpsmith")));
        assert!(!writable(Path::new("/dev/null/.cache/warpsmith")));
    }
}
