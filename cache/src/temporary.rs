//! Files and folders that last as long as a value does, and that a program ended by a signal removes too.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::thread::sleep;
use std::time::Duration;

static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Held to read by those that write into a temporary folder, to write by [`remove_all`].
static WRITERS: RwLock<()> = RwLock::new(());

/// How often [`remove_all`] tries to remove a folder into which a program may still write, every 10 ms.
const TRIES: u32 = 50;

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

/// Writes several files of a temporary folder with `f`: [`remove_all`] finds all of them, or none.
pub fn writing<T>(f: impl FnOnce() -> T) -> T {
    let _writer = WRITERS.read().unwrap_or_else(PoisonError::into_inner);
    f()
}

/// Removes all that there are, before the process ends without dropping them. From here on a thread that makes, fills or
/// drops one waits for that end.
pub fn remove_all() {
    let writers = WRITERS.write().unwrap_or_else(PoisonError::into_inner);
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    for path in all.iter() {
        remove(path);
        for _ in (0..TRIES).take_while(|_| path.exists()) {
            sleep(Duration::from_millis(10));
            remove(path);
        }
    }
    std::mem::forget((writers, all));
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
