//! One writer at a time.

use crate::error::FaultError;
use std::path::{Path, PathBuf};
use warpsmith_cache::lock::{Lock, Refused};

/// A database and what SQLite and its writer keep beside it.
pub fn store_files(path: &Path) -> Vec<PathBuf> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let others = ["-wal", "-shm", "-journal"].map(beside);
    let own = [path.to_path_buf(), lock_file(path)];
    own.into_iter().chain(others).collect()
}

/// The lock file beside a database.
fn lock_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// The lock of a database, held until it is dropped or the process ends, however that happens.
pub fn lock(path: &Path) -> Result<Lock, FaultError> {
    let name = lock_file(path);
    Lock::now(&name).map_err(|e| match e {
        Refused::Held(process) => FaultError::file(
            path,
            format!("another `warpsmith fault run` writes to it (process {process}); wait for it or stop it"),
        ),
        Refused::Io(e) => FaultError::file(&name, format!("cannot be made and locked ({e})")),
    })
}
