//! The build cache: one folder a digest.
//!
//! A build happens in a folder of its own and is renamed when complete; a lock file lets a second
//! process wait instead of building too.

use crate::error::CxxError;
use std::path::{Path, PathBuf};
use warpsmith_cache::lock::Lock;
use warpsmith_cache::temporary::Temporary;
use warpsmith_cache::tools;

/// `file` of the cache's folder `key`, from the root on; built first, in a folder of its own, if it is
/// not there. What `build` says of its tools becomes `log.txt` in that folder.
///
/// # Errors
/// Those of `build`; [`CxxError::Cache`] when the cache cannot be written.
pub fn cached(
    cache: &Path, key: &str, file: &str, build: impl FnOnce(&Path, &mut String) -> Result<(), CxxError>,
) -> Result<PathBuf, CxxError> {
    let io = |path: &Path, e: std::io::Error| CxxError::Cache { path: path.to_path_buf(), source: e };
    // Tools run in the folder of their build.
    let cache = &std::path::absolute(cache).map_err(|e| io(cache, e))?;
    let home = cache.join(key);
    let ready = home.join(file);
    if ready.exists() {
        return Ok(ready);
    }
    std::fs::create_dir_all(cache).map_err(|e| io(cache, e))?;
    let lock_path = cache.join(format!("{key}.lock"));
    let _lock = Lock::wait(&lock_path).map_err(|e| io(&lock_path, e))?;
    if ready.exists() {
        return Ok(ready);
    }
    // Whoever built here before was killed: with the lock held nobody else does.
    let left = format!("{key}.");
    for entry in std::fs::read_dir(cache).map_err(|e| io(cache, e))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&left) && entry.path() != lock_path {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let unfinished = Temporary::new(cache.join(format!("{key}.{}", std::process::id())));
    let work = unfinished.path();
    std::fs::create_dir_all(work).map_err(|e| io(work, e))?;
    let mut log = String::new();
    let result = build(work, &mut log);
    // A build that is ended by a signal leaves nothing: its folder may be gone already.
    if !tools::ended() {
        put(work, "log.txt", &log)?;
    }
    if result.is_ok() {
        // Objects are only needed for the link; what stays is the product and the log.
        let _ = std::fs::remove_dir_all(work.join("obj"));
        let _ = std::fs::remove_dir_all(&home);
        std::fs::rename(work, &home).map_err(|e| io(&home, e))?;
    } else if !tools::ended() {
        // Its log says why.
        unfinished.keep();
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
