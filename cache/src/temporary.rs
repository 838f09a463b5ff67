//! Files and folders that last as long as a value does, and that a program ended by a signal removes too.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file, or a folder with all in it, that is removed when the value goes. It need not be there.
#[derive(Debug)]
pub struct Temporary(PathBuf);

impl Temporary {
    /// Of the path `path`; nothing is made.
    pub fn new(path: PathBuf) -> Self {
        all(|a| a.insert(path.clone()));
        Self(path)
    }

    /// Leaves it where it is.
    pub fn keep(self) {
        all(|a| a.remove(&self.0));
        std::mem::forget(self);
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.0);
        all(|a| a.remove(&self.0));
    }
}

/// Removes all that there are, before the process ends without dropping them.
pub fn remove_all() {
    all(|a| a.iter().for_each(|path| remove(path)));
}

fn all<T>(f: impl FnOnce(&mut BTreeSet<PathBuf>) -> T) -> T {
    f(&mut ALL.lock().unwrap_or_else(PoisonError::into_inner))
}

/// It is gone when it was given another name.
fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}
